/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tbs.c - size of a transport block, and its code blocks; see tbs.h. */
#include "phy/nr/tbs.h"

#include <stddef.h>

#define RATE_BITS      11 /* code rates are times 2048 */
#define SMALL_MAX_BITS 3824
#define BLOCK_CRC_BITS 24

/* Source: TS 38.214 Table 5.1.3.2-1 */
static const uint16_t small_sizes[] = {
	24,   32,   40,   48,   56,   64,   72,   80,   88,   96,   104,  112,  120,  128,
	136,  144,  152,  160,  168,  176,  184,  192,  208,  224,  240,  256,  272,  288,
	304,  320,  336,  352,  368,  384,  408,  432,  456,  480,  504,  528,  552,  576,
	608,  640,  672,  704,  736,  768,  808,  848,  888,  928,  984,  1032, 1064, 1128,
	1160, 1192, 1224, 1256, 1288, 1320, 1352, 1416, 1480, 1544, 1608, 1672, 1736, 1800,
	1864, 1928, 2024, 2088, 2152, 2216, 2280, 2408, 2472, 2536, 2600, 2664, 2728, 2792,
	2856, 2976, 3104, 3240, 3368, 3496, 3624, 3752, 3824,
};

static uint32_t log2_floor(uint64_t x)
{
	return 63u - (uint32_t)__builtin_clzll(x);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

uint32_t nr_n_re(uint8_t symbols, uint8_t dmrs, uint8_t overhead, uint16_t n_prb)
{
	uint32_t all = NR_SUBCARRIERS * (uint32_t)symbols, not_data = (uint32_t)dmrs + overhead;
	uint32_t n = all > not_data ? all - not_data : 0;

	return (n < NR_RE_PER_PRB_MAX ? n : NR_RE_PER_PRB_MAX) * n_prb;
}

/* The smallest size of the table that is not below @info_x2048, rounded down to 2^n bits. */
static uint32_t small(uint64_t info_x2048)
{
	uint32_t log = log2_floor(info_x2048), n = log > RATE_BITS + 9 ? log - RATE_BITS - 6 : 3;
	uint32_t quantised = (uint32_t)(info_x2048 >> (RATE_BITS + n)) << n;
	size_t low = 0, high = sizeof(small_sizes) / sizeof(small_sizes[0]) - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (small_sizes[middle] < quantised)
			low = middle + 1;
		else
			high = middle;
	}
	return small_sizes[low];
}

/* Rounded to 2^n bits, ties up, and then up to code blocks of one length with their check bits. */
static uint32_t large(uint64_t info_x2048, uint16_t rate_x2048)
{
	uint64_t less = info_x2048 - (24u << RATE_BITS);
	uint32_t n = log2_floor(less) - RATE_BITS - 5;
	uint32_t quantised = (uint32_t)((less + (1ull << (RATE_BITS + n - 1))) >> (RATE_BITS + n))
	                     << n;
	uint32_t blocks = 1;

	if (quantised < 3840)
		quantised = 3840;
	if (rate_x2048 <= 2048 / 4)
		blocks = divide_up(quantised + 24, 3816);
	else if (quantised > 8424)
		blocks = divide_up(quantised + 24, 8424);
	return 8 * blocks * divide_up(quantised + 24, 8 * blocks) - 24;
}

uint32_t nr_tbs_bits(uint32_t n_re, const struct nr_format *format, uint8_t layers)
{
	uint64_t info_x2048 = (uint64_t)n_re * nr_efficiency_x2048(format) * layers;

	if (info_x2048 == 0)
		return 0;
	if (info_x2048 <= (uint64_t)SMALL_MAX_BITS << RATE_BITS)
		return small(info_x2048);
	return large(info_x2048, format->rate_x2048);
}

uint16_t nr_prb_needed(uint32_t bytes, uint32_t re_per_prb, const struct nr_format *format,
                       uint8_t layers, uint16_t n_prb_free)
{
	uint16_t low = n_prb_free ? 1 : 0, high = n_prb_free;

	while (low < high) { /* more PRBs never have less */
		uint16_t middle = (uint16_t)((low + high) / 2);

		if (nr_tbs(re_per_prb * middle, format, layers) < bytes)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	return low;
}

/* R <= 0.67 is 1372.16 here. */
uint8_t nr_base_graph(uint32_t tbs_bits, uint16_t rate_x2048)
{
	if (tbs_bits <= 292 || rate_x2048 <= 512)
		return 2;
	return tbs_bits <= SMALL_MAX_BITS && rate_x2048 <= 1372 ? 2 : 1;
}

/* K_b: columns of the base graph that hold information. Source: TS 38.212 5.2.2 */
static uint32_t columns(uint8_t base_graph, uint32_t with_crc)
{
	if (base_graph == 1)
		return 22;
	if (with_crc > 640)
		return 10;
	if (with_crc > 560)
		return 9;
	return with_crc > 192 ? 8 : 6;
}

/* The smallest Z of TS 38.212 Table 5.3.2-1, an odd number (or 2) times a power of two up to 384,
 * that is at least @least. */
static uint16_t lifting_size(uint32_t least)
{
	static const uint8_t odd[] = { 2, 3, 5, 7, 9, 11, 13, 15 };
	uint32_t best = 384;

	for (size_t i = 0; i < sizeof(odd); i++) {
		uint32_t z = odd[i];

		while (z < least)
			z *= 2;
		if (z < best)
			best = z;
	}
	return (uint16_t)best;
}

struct nr_segments nr_segment(uint32_t tbs_bits, uint16_t rate_x2048)
{
	struct nr_segments s = { .base_graph = nr_base_graph(tbs_bits, rate_x2048),
		                 .tb_crc_bits = tbs_bits > SMALL_MAX_BITS ? 24 : 16,
		                 .n = 1 };
	uint32_t with_crc = tbs_bits + s.tb_crc_bits, most = s.base_graph == 1 ? 8448 : 3840;

	if (with_crc > most) {
		s.block_crc_bits = BLOCK_CRC_BITS;
		s.n = (uint16_t)divide_up(with_crc, most - BLOCK_CRC_BITS);
	}
	s.bits = (uint16_t)divide_up(with_crc + s.n * s.block_crc_bits, s.n);
	s.lifting = lifting_size(divide_up(s.bits, columns(s.base_graph, with_crc)));
	return s;
}
