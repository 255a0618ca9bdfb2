/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cce.c - control channel elements; see cce.h. */
#include "mac/common/cce.h"

#include "base/assert.h"

#define HASH_FACTOR  39827u
#define HASH_MODULUS 65537u

void cce_start(struct cce_set *set, uint16_t n)
{
	CELL_ASSERT(n <= CCE_MAX);
	*set = (struct cce_set){ .n = n, .free = n };
}

/* Y = A * Y mod D, from the C-RNTI on, k + 1 times. */
uint32_t cce_hash(uint16_t rnti, uint32_t k)
{
	uint64_t y = rnti, factor = HASH_FACTOR;

	for (uint32_t n = k + 1; n > 0; n >>= 1) {
		if (n & 1)
			y = y * factor % HASH_MODULUS;
		factor = factor * factor % HASH_MODULUS;
	}
	return (uint32_t)y;
}

bool cce_take(struct cce_set *set, const struct cce_space *space)
{
	uint32_t size = 1u << space->level, places = (uint32_t)set->n >> space->level;
	uint64_t wanted = (UINT64_C(1) << size) - 1;

	if (set->n == 0)
		return true;
	if (set->free < size)
		return false;
	for (uint32_t m = 0; m < space->n; m++) {
		uint32_t off = space->spread ? m * set->n / (size * space->n) : m;
		uint32_t at = (space->hash + off) % places * size;

		if (set->taken[at / 64] & wanted << at % 64)
			continue;
		set->taken[at / 64] |= wanted << at % 64;
		set->free = (uint16_t)(set->free - size);
		return true;
	}
	return false;
}
