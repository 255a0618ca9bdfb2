/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grants.h - grants on their way from the gNB's decision to a block. */
#ifndef NR_GRANTS_H
#define NR_GRANTS_H

#include "ran/nr/state.h"

struct nr_grant *nr_grant_issue(struct nr_grants *g, const struct nr_grant *grant);

/** nr_grant_take() - the grant for @slot, marked used; NULL when there is none */
const struct nr_grant *nr_grant_take(struct nr_grants *g, uint32_t slot);

/** nr_grant_next() - slot of the first unused grant, or NR_SLOT_NEVER */
static inline uint32_t nr_grant_next(const struct nr_grants *g)
{
	return g->used == g->issued ? NR_SLOT_NEVER : g->of[g->used % NR_GRANTS_KEPT].slot;
}

/** nr_grant_reaches() - the grant issued last is unused and for @slot or a later one */
static inline bool nr_grant_reaches(const struct nr_grants *g, uint32_t slot)
{
	return g->used != g->issued && g->of[(g->issued - 1) % NR_GRANTS_KEPT].slot >= slot;
}

/** nr_grant_after() - what grants of new blocks in slots after @slot were for, in bytes */
uint32_t nr_grant_after(const struct nr_grants *g, uint32_t slot);

/** nr_grant_pending() - what unused grants of new blocks are for, in bytes */
uint32_t nr_grant_pending(const struct nr_grants *g);

#endif
