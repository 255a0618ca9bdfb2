/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ue.h - what a UE does in a slot: blocks on grants, requests. */
#ifndef NR_UE_H
#define NR_UE_H

#include "ran/nr/state.h"

/** nr_ue_transmit() - its block in @slot, if it has a grant */
void nr_ue_transmit(struct nr *nr, struct nr_ue *u, uint32_t slot);

/** nr_ue_request() - timers, Scheduling Request and random access in @slot */
void nr_ue_request(struct nr *nr, struct nr_ue *u, uint32_t slot);

/** nr_ue_next_slot() - first slot from @from on with something to do, or never */
uint32_t nr_ue_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from);

/** nr_ue_configure() - its configured grant: from the start, or (type 2) off until it is made
 * active */
void nr_ue_configure(struct nr *nr, struct nr_ue *u);

/** nr_ue_activate() - the gNB makes the configured grant of type 2 active, from @slot on */
void nr_ue_activate(struct nr *nr, struct nr_ue *u, uint32_t slot);

#endif
