/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitter.c - distributions of jitter; see jitter.h. */
#include "ran/independent/jitter.h"

#define MOST (4 * JITTER_ONE - 1)
#define STEP (UINT32_C(1) << 25) /* of a uniform number above its middle, between two quantiles */

/* Quantiles of the normal distribution at 1/2 + k/128, times JITTER_ONE; the last one is cut off.
 */
static const int32_t normal[] = {
	0,     160,   321,   482,   642,   803,   965,   1127,  1289,  1451,  1615,  1779,  1943,
	2109,  2275,  2442,  2610,  2780,  2950,  3122,  3295,  3470,  3646,  3824,  4004,  4186,
	4370,  4556,  4744,  4935,  5129,  5326,  5525,  5729,  5935,  6146,  6360,  6580,  6804,
	7033,  7268,  7508,  7756,  8011,  8274,  8546,  8827,  9119,  9424,  9742,  10075, 10426,
	10797, 11192, 11615, 12071, 12568, 13115, 13729, 14432, 15259, 16281, 17645, 19805, 32767,
};

static uint64_t cube_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 20; bit; bit >>= 1) {
		uint64_t next = root | bit;

		if (next * next * next <= n)
			root = next;
	}
	return root;
}

/* (2^24 / u)^(1/3) 2^13 is the cube root of 2^63 / u. */
int32_t jitter_pareto(uint32_t drawn)
{
	uint64_t u = (drawn >> 8) + 1u;
	int64_t x = (int64_t)cube_root((UINT64_C(1) << 63) / u);
	int64_t v = (x - 3 * JITTER_ONE / 2) * 4 / 3;

	return v < MOST ? (int32_t)v : MOST;
}

/* Small numbers are large quantiles, as in jitter_pareto(). */
static int32_t normal_at(uint32_t drawn)
{
	uint32_t half = drawn < UINT32_C(1) << 31 ? (UINT32_C(1) << 31) - 1 - drawn
	                                          : drawn - (UINT32_C(1) << 31);
	uint32_t k = half / STEP;
	int64_t value = normal[k] + (int64_t)(normal[k + 1] - normal[k]) * (half % STEP) / STEP;

	return (int32_t)(drawn < UINT32_C(1) << 31 ? value : -value);
}

int32_t jitter_pareto_normal(uint32_t drawn)
{
	return (normal_at(drawn) + 3 * jitter_pareto(drawn)) / 4;
}
