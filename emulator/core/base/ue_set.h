/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ue_set.h - a set of UEs, so that those with nothing to do cost nothing. */
#ifndef UE_SET_H
#define UE_SET_H

#include <stdint.h>

#include "cellcore.h"

/* UEs by their index, gone through in order. */
#define UE_SET_WORDS ((CELL_MAX_UE + 63) / 64)
struct ue_set {
	uint64_t word[UE_SET_WORDS];
};

static inline void ue_set_add(struct ue_set *set, uint8_t i)
{
	set->word[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void ue_set_remove(struct ue_set *set, uint8_t i)
{
	set->word[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/** ue_set_next() - the first one from @i on, or UINT8_MAX */
static inline uint8_t ue_set_next(const struct ue_set *set, uint32_t i)
{
	for (; i < 64 * UE_SET_WORDS; i = (i / 64 + 1) * 64) {
		uint64_t rest = set->word[i / 64] >> i % 64;

		if (rest)
			return (uint8_t)(i + (uint32_t)__builtin_ctzll(rest));
	}
	return UINT8_MAX;
}

#endif
