/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsr.c - buffer size levels; see bsr.h.
 *
 * A BSR has six bits for a buffer's size: level k means that it is above the bound of the level
 * before and not above its own, which grow by 17 %. So an eNB grants a little more than is there.
 * Source: TS 36.321 Table 6.1.3.1-1
 */
#include "mac/lte/bsr.h"

/* Upper bounds. Source: TS 36.321 Table 6.1.3.1-1 */
static const uint32_t upper_bytes[BSR_INDEX_COUNT - 1] = {
	0,     10,    12,    14,    17,    19,     22,     26,     31,    36,    42,
	49,    57,    67,    78,    91,    107,    125,    146,    171,   200,   234,
	274,   321,   376,   440,   515,   603,    706,    826,    967,   1132,  1326,
	1552,  1817,  2127,  2490,  2915,  3413,   3995,   4677,   5476,  6411,  7505,
	8787,  10287, 12043, 14099, 16507, 19325,  22624,  26487,  31009, 36304, 42502,
	49759, 58255, 68201, 79846, 93479, 109439, 128125, 150000,
};

uint8_t bsr_index(uint32_t bytes)
{
	uint8_t i = 0;

	while (i < BSR_INDEX_COUNT - 1 && bytes > upper_bytes[i])
		i++;
	return i;
}

uint32_t bsr_bytes(uint8_t index)
{
	if (index >= BSR_INDEX_COUNT - 1)
		return 2 * upper_bytes[BSR_INDEX_COUNT - 2];
	return upper_bytes[index];
}
