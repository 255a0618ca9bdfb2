/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsr.c - buffer size levels and formats of NR's reports; see bsr.h.
 *
 * A level means that the buffer is above the bound of the level before and not above its own.
 * Bounds of 5 bits grow by 38 %, those of 8 bits by 6.5 %.
 */
#include "mac/nr/bsr.h"

#include <stddef.h>

#define LEVELS5 31 /* with an upper bound */
#define LEVELS8 254

/* clang-format off */
/* Source: TS 38.321 Table 6.1.3.1-1 */
static const uint32_t upper5[LEVELS5] = {
	0, 10, 14, 20, 28, 38, 53, 74, 102, 142, 198, 276, 384, 535,
	745, 1038, 1446, 2014, 2806, 3909, 5446, 7587, 10570, 14726, 20516, 28581, 39818, 55474, 77284, 107669, 150000,
};

/* Source: TS 38.321 Table 6.1.3.1-2 */
static const uint32_t upper8[LEVELS8] = {
	0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 25, 26, 28, 30, 32, 34,
	36, 38, 40, 43, 46, 49, 52, 55, 59, 62, 66, 71, 75, 80, 85, 91, 97, 103, 110,
	117, 124, 132, 141, 150, 160, 170, 181, 193, 205, 218, 233, 248, 264, 281, 299,
	318, 339, 361, 384, 409, 436, 464, 494, 526, 560, 597, 635, 677, 720, 767, 817,
	870, 926, 987, 1051, 1119, 1191, 1269, 1351, 1439, 1532, 1631, 1737, 1850, 1970,
	2098, 2234, 2379, 2533, 2698, 2873, 3059, 3258, 3469, 3694, 3934, 4189, 4461,
	4751, 5059, 5387, 5737, 6109, 6506, 6928, 7378, 7857, 8367, 8910, 9488, 10104,
	10760, 11458, 12202, 12994, 13838, 14736, 15692, 16711, 17795, 18951, 20181,
	21491, 22885, 24371, 25953, 27638, 29431, 31342, 33376, 35543, 37850, 40307,
	42923, 45709, 48676, 51836, 55200, 58784, 62599, 66663, 70990, 75598, 80505,
	85730, 91295, 97221, 103532, 110252, 117409, 125030, 133146, 141789, 150992,
	160793, 171231, 182345, 194182, 206786, 220209, 234503, 249725, 265935, 283197,
	301579, 321155, 342002, 364202, 387842, 413018, 439827, 468377, 498780, 531156,
	565634, 602350, 641449, 683087, 727427, 774645, 824928, 878475, 935498, 996222,
	1060888, 1129752, 1203085, 1281179, 1364342, 1452903, 1547213, 1647644, 1754595,
	1868488, 1989774, 2118933, 2256475, 2402946, 2558924, 2725027, 2901912, 3090279,
	3290873, 3504487, 3731968, 3974215, 4232186, 4506902, 4799451, 5110989, 5442750,
	5796046, 6172275, 6572925, 6999582, 7453933, 7937777, 8453028, 9001725, 9586039,
	10208280, 10870913, 11576557, 12328006, 13128233, 13980403, 14887889, 15854280,
	16883401, 17979324, 19146385, 20389201, 21712690, 23122088, 24622972, 26221280,
	27923336, 29735875, 31666069, 33721553, 35910462, 38241455, 40723756, 43367187,
	46182206, 49179951, 52372284, 55771835, 59392055, 63247269, 67352729, 71724679,
	76380419, 81338368,
};
/* clang-format on */

/* First level whose bound is not below @bytes; @n where none is. */
static uint8_t level(const uint32_t *upper, size_t n, uint32_t bytes)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (upper[middle] < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint8_t)low;
}

uint8_t nr_bsr_level5(uint32_t bytes)
{
	return level(upper5, LEVELS5, bytes);
}

uint8_t nr_bsr_level8(uint32_t bytes)
{
	return level(upper8, LEVELS8, bytes);
}

uint32_t nr_bsr_bytes5(uint8_t level)
{
	return level < LEVELS5 ? upper5[level] : 2 * upper5[LEVELS5 - 1];
}

uint32_t nr_bsr_bytes8(uint8_t level)
{
	return level < LEVELS8 ? upper8[level] : 2 * upper8[LEVELS8 - 1];
}

static uint8_t groups_with_data(const uint32_t bytes[NR_LCGS])
{
	uint8_t lcgs = 0;

	for (unsigned i = 0; i < NR_LCGS; i++)
		if (bytes[i])
			lcgs |= (uint8_t)(1u << i);
	return lcgs;
}

static uint8_t count(uint8_t lcgs)
{
	return (uint8_t)__builtin_popcount(lcgs);
}

static struct nr_bsr make_short(enum nr_bsr_format format, uint8_t lcg, uint32_t bytes)
{
	return (struct nr_bsr){ .format = (uint8_t)format,
		                .lcgs = (uint8_t)(1u << lcg),
		                .n = 1,
		                .level = { nr_bsr_level5(bytes) } };
}

static struct nr_bsr make_long(const uint32_t bytes[NR_LCGS])
{
	struct nr_bsr bsr = { .format = NR_BSR_LONG, .lcgs = groups_with_data(bytes) };

	for (unsigned i = 0; i < NR_LCGS; i++)
		if (bytes[i])
			bsr.level[bsr.n++] = nr_bsr_level8(bytes[i]);
	return bsr;
}

/* As many levels as fit, those of the groups that come first in @order. */
static struct nr_bsr make_long_truncated(const uint32_t bytes[NR_LCGS],
                                         const uint8_t order[NR_LCGS], uint32_t levels)
{
	struct nr_bsr bsr = { .format = NR_BSR_LONG_TRUNCATED, .lcgs = groups_with_data(bytes) };

	for (unsigned i = 0; i < NR_LCGS && bsr.n < levels; i++)
		if (bytes[order[i]])
			bsr.level[bsr.n++] = nr_bsr_level8(bytes[order[i]]);
	return bsr;
}

/* The first group of @order that has data; where none has, the first one. */
static uint8_t first_group(const uint32_t bytes[NR_LCGS], const uint8_t order[NR_LCGS])
{
	for (unsigned i = 0; i < NR_LCGS; i++)
		if (bytes[order[i]])
			return order[i];
	return order[0];
}

struct nr_bsr nr_bsr_make(const uint32_t bytes[NR_LCGS])
{
	static const uint8_t rising[NR_LCGS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	uint8_t lcg = first_group(bytes, rising);

	if (count(groups_with_data(bytes)) > 1)
		return make_long(bytes);
	return make_short(NR_BSR_SHORT, lcg, bytes[lcg]);
}

/* Source: TS 38.321 5.4.5 */
bool nr_bsr_make_padding(struct nr_bsr *ret, const uint32_t bytes[NR_LCGS],
                         const uint8_t order[NR_LCGS], uint32_t left)
{
	struct nr_bsr complete = make_long(bytes);
	uint8_t lcg = first_group(bytes, order);

	*ret = make_short(NR_BSR_SHORT, lcg, bytes[lcg]);
	if (left < nr_bsr_ce_bytes(ret))
		return false;
	if (left >= nr_bsr_ce_bytes(&complete))
		*ret = complete;
	else if (complete.n > 1 && left == nr_bsr_ce_bytes(ret))
		ret->format = NR_BSR_SHORT_TRUNCATED;
	else if (complete.n > 1)
		*ret = make_long_truncated(bytes, order, left - 3);
	return true;
}

uint32_t nr_bsr_ce_bytes(const struct nr_bsr *bsr)
{
	if (bsr->format == NR_BSR_SHORT || bsr->format == NR_BSR_SHORT_TRUNCATED)
		return 2;
	return 3u + bsr->n;
}

static void read_short(const struct nr_bsr *bsr, uint32_t ret[NR_LCGS])
{
	for (unsigned i = 0; i < NR_LCGS; i++) {
		if (bsr->lcgs >> i & 1)
			ret[i] = nr_bsr_bytes5(bsr->level[0]);
		else if (bsr->format == NR_BSR_SHORT)
			ret[i] = 0;
	}
}

void nr_bsr_read(const struct nr_bsr *bsr, const uint8_t order[NR_LCGS], uint32_t ret[NR_LCGS])
{
	uint8_t n = 0;

	if (bsr->format == NR_BSR_SHORT || bsr->format == NR_BSR_SHORT_TRUNCATED) {
		read_short(bsr, ret);
		return;
	}
	for (unsigned i = 0; i < NR_LCGS; i++) {
		unsigned lcg = bsr->format == NR_BSR_LONG ? i : order[i];

		if (!(bsr->lcgs >> lcg & 1))
			ret[lcg] = 0;
		else if (n < bsr->n)
			ret[lcg] = nr_bsr_bytes8(bsr->level[n++]);
	}
}
