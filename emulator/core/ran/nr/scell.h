/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scell.h - when the carriers of a UE beside its first one, its SCells, are active. */
#ifndef NR_SCELL_H
#define NR_SCELL_H

#include "mac/nr/pdu.h"
#include "ran/nr/state.h"

/** nr_scells_init() - those of a UE that comes into a cell */
void nr_scells_init(const struct nr *nr, struct nr_ue *u);

/** nr_scells_active() - @u listens to its SCells in @slot */
static inline bool nr_scells_active(const struct nr_ue *u, uint32_t slot)
{
	return slot >= u->scells.from && slot < u->scells.until;
}

/** nr_scells_may_serve() - they are active from @slot on, or are going to be */
static inline bool nr_scells_may_serve(const struct nr_ue *u, uint32_t slot)
{
	return u->scells.from != NR_SLOT_NEVER && slot < u->scells.until;
}

/** nr_scells_want() - more waits for @u in @slot than its first carrier takes */
void nr_scells_want(struct nr_ue *u, uint32_t slot);

/** nr_scells_write() - the control element that activates them into a block of grant @g, if it is
 * due */
void nr_scells_write(struct nr *nr, struct nr_ue *u, const struct nr_grant *g,
                     struct nr_pdu_builder *mac);

/** nr_scells_heard() - @u has that control element, in the block of process @harq_id */
void nr_scells_heard(struct nr *nr, struct nr_ue *u, uint8_t harq_id);

/** nr_scells_lost() - a block of process @harq_id was given up */
static inline void nr_scells_lost(struct nr_ue *u, uint8_t harq_id)
{
	if (u->scells.process == harq_id)
		u->scells.process = NR_HARQ_RA;
}

/** nr_scells_assigned() - an SCell of @u has a block, of which @u is told in @slot */
void nr_scells_assigned(const struct nr *nr, struct nr_ue *u, uint32_t slot);

#endif
