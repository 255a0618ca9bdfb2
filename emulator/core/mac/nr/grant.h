/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grant.h - grants on their way from the gNB's decision to a block. */
#ifndef NR_GRANT_H
#define NR_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "phy/nr/tdd.h"

/* Resource blocks of a slot given to a UE. */
struct nr_grant {
	uint32_t slot;
	uint32_t bytes;   /* transport block */
	uint32_t payload; /* bytes of what waits that it is for */
	uint16_t rb_start;
	uint16_t n_rb;
	uint8_t mcs;
	uint8_t harq_id;
	uint8_t kind; /* enum nr_tb_kind */
	bool retx;    /* of the block that waits in that process */
};

/* As struct grant_ring of mac/lte/grant.h: unused ones are of[used..issued - 1], in order of slots;
 * older ones tell the gNB what it granted since a BSR was sent. */
#define NR_GRANTS_KEPT 128
struct nr_grants {
	struct nr_grant of[NR_GRANTS_KEPT];
	uint32_t used;
	uint32_t issued;
};

/** nr_grant_issue() - add @grant; there has to be room for it. Return: where it is */
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
