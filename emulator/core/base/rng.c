/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng.c - named random streams; see rng.h. */
#include "base/rng.h"

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed, const char *name, uint32_t ue)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	r->state = mix(seed + mix(h + ue));
}

uint32_t rng_u32(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(mix(r->state) >> 32);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((uint64_t)rng_u32(r) * n) >> 32);
}

uint32_t rng_exponential_q24(struct rng *r)
{
	const uint64_t ln_2_q32 = UINT64_C(2977044472);
	uint64_t u = (uint64_t)rng_u32(r) + 1; /* of 2^32: never 0 */
	uint32_t zeros = (uint32_t)__builtin_clzll(u) - 31, fraction_q24 = 0;
	uint64_t x_q31 = u << zeros >> 1; /* 1 <= x < 2; u = x / 2^zeros */

	/* Squaring doubles the logarithm, whose next bit is then its whole part. */
	for (uint32_t bit = UINT32_C(1) << 23; bit; bit >>= 1) {
		x_q31 = x_q31 * x_q31 >> 31;
		if (x_q31 >> 32) {
			x_q31 >>= 1;
			fraction_q24 |= bit;
		}
	}
	return (uint32_t)((((uint64_t)zeros << 24) - fraction_q24) * ln_2_q32 >> 32);
}

bool rng_hit(struct rng *r, uint32_t p_q32)
{
	return rng_u32(r) < p_q32;
}
