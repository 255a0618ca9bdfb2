/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cce.h - the control channel elements of a sub-frame or slot, and who has which.
 *
 * A DCI takes 1, 2, 4, 8 or 16 of them, its aggregation level, at one of a few places: the
 * candidates of the UE's search space, which a hash of its C-RNTI spreads. So a DCI may find no
 * place although there is room elsewhere: it is blocked.
 * Source: TS 36.213 9.1.1; TS 38.213 10.1
 */
#ifndef CCE_H
#define CCE_H

#include <stdbool.h>
#include <stdint.h>

#define CCE_MAX    192
#define CCE_LEVELS 5 /* 16 CCEs are of NR */

struct cce_set {
	uint64_t taken[CCE_MAX / 64]; /* a bit for each */
	uint16_t n;                   /* 0: DCIs need none */
	uint16_t free;
};

/* Where a UE looks for DCIs of one aggregation level. */
struct cce_space {
	uint32_t hash; /* Y */
	uint8_t level; /* log2 of the CCEs of a DCI */
	uint8_t n;     /* candidates */
	bool spread;   /* NR: evenly over all CCEs; LTE: one beside the other */
};

/** cce_start() - a new sub-frame with @n CCEs */
void cce_start(struct cce_set *set, uint16_t n);

/** cce_hash() - Y of a C-RNTI in sub-frame or slot @k of a frame, from 0 */
uint32_t cce_hash(uint16_t rnti, uint32_t k);

/** cce_take() - CCEs for a DCI, at the first candidate that is free. Return: there is one */
bool cce_take(struct cce_set *set, const struct cce_space *space);

/** cce_fits() - there could be room for a DCI of @level, wherever it is */
static inline bool cce_fits(const struct cce_set *set, uint8_t level)
{
	return set->n == 0 || set->free >= 1u << level;
}

#endif
