/* SPDX-License-Identifier: GPL-2.0-or-later */
/* access.h - random access, at the UE and at the gNB. */
#ifndef NR_ACCESS_H
#define NR_ACCESS_H

#include "ran/nr/state.h"

/**
 * nr_access_start() - @u asks by random access from @slot on
 * @dedicated: after a handover, with a preamble that is its own. Source: TS 38.321 5.1.2
 */
void nr_access_start(struct nr_ue *u, uint32_t slot, bool dedicated);

/** nr_access_end() - it has what it asked for, or needs it no more */
void nr_access_end(struct nr *nr, struct nr_ue *u);

/** nr_access_slot() - windows that end in @slot, and a preamble */
void nr_access_slot(struct nr *nr, struct nr_ue *u, uint32_t slot);

/** nr_access_answer() - the gNB answers preambles in @slot, which has PDCCH */
void nr_access_answer(struct nr *nr, uint32_t slot);

/** nr_access_grant() - the grant of a block of message 3 or MsgA in @slot */
struct nr_grant nr_access_grant(const struct nr *nr, uint32_t slot, enum nr_tb_kind kind);

/** nr_access_until() - the first RB of uplink slot @slot of a cell that random access does not have
 */
uint16_t nr_access_until(const struct nr *nr, uint8_t cell, uint32_t slot);

/** nr_access_configured() - the last RBs of @slot of a cell, which are those of configured grants
 */
uint16_t nr_access_configured(const struct nr *nr, uint8_t cell, uint32_t slot);

/** nr_access_heard() - what came of the block @tb of message 3 or MsgA, which was decoded or not */
void nr_access_heard(struct nr *nr, struct nr_ue *u, const struct nr_tb *tb);

/** nr_access_collided() - another UE sent the same preamble in the same occasion */
bool nr_access_collided(const struct nr *nr, const struct nr_ue *u);

/** nr_access_next_slot() - first slot from @from on in which something is due, or never */
uint32_t nr_access_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from);

#endif
