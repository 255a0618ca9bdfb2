/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rng.h - named random streams.
 *
 * One stream per consumer (which UE, which purpose), derived from the run's
 * seed and the stream's name, so that a draw added in one layer moves nothing
 * elsewhere and two congestion controls meet the same radio.
 *
 * The generator is SplitMix64.
 * Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014
 */
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/** rng_init() - stream @name of UE @ue under @seed */
void rng_init(struct rng *r, uint64_t seed, const char *name, uint32_t ue);

/** rng_u32() - uniform over all 32-bit values */
uint32_t rng_u32(struct rng *r);

/** rng_below() - uniform over 0..@n-1; @n >= 1 */
uint32_t rng_below(struct rng *r, uint32_t n);

/** rng_skip() - go on as if @n numbers had been drawn */
static inline void rng_skip(struct rng *r, uint32_t n)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15) * n;
}

/**
 * rng_exponential_q24() - exponential with mean 1, times 2^24; at most 22.2
 *
 * Minus the logarithm of a uniform number, by squaring: integers only.
 */
uint32_t rng_exponential_q24(struct rng *r);

/** rng_hit() - true with probability @p_q32 / 2^32; draws even when @p_q32 is 0 */
bool rng_hit(struct rng *r, uint32_t p_q32);

#endif
