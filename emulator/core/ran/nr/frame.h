/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - which slots are downlink and uplink, and what is decided when.
 *
 * The gNB decides about the uplink of a slot in the last slot with PDCCH that is k2_min before it
 * or more, so that it knows as much as it can; one slot may decide about several. Feedback for a
 * downlink block is in the first uplink slot that is k1_min after it or more.
 * Source: TS 38.213 9.2.3, 11.1; TS 38.214 5.1.2.1, 6.1.2.1
 */
#ifndef NR_FRAME_H
#define NR_FRAME_H

#include "ran/nr/state.h"

/** nr_frame_init() - by the configuration, which was checked */
void nr_frame_init(struct nr_frame *f, const struct cell_nr_cfg *cfg);

static inline const struct nr_slot *nr_frame_slot(const struct nr_frame *f, uint32_t slot)
{
	return &f->slot[slot % f->n];
}

/** nr_frame_next_pdcch() - first slot from @slot on with PDCCH */
uint32_t nr_frame_next_pdcch(const struct nr_frame *f, uint32_t slot);

/** nr_frame_next_decision() - first slot from @slot on that decides on uplink blocks */
uint32_t nr_frame_next_decision(const struct nr_frame *f, uint32_t slot);

/** nr_frame_next_assignment() - first slot from @slot on that assigns downlink blocks, @k0 ahead */
uint32_t nr_frame_next_assignment(const struct nr_frame *f, uint32_t slot, uint8_t k0);

/** nr_frame_decided_until() - first slot whose uplink is decided on later than in @slot */
uint32_t nr_frame_decided_until(const struct nr_frame *f, uint32_t slot, uint8_t k2_min);

/** nr_frame_re() - resource elements for data of one PRB, and @n_rb of them, in so many symbols */
uint32_t nr_frame_re(const struct cell_nr_phy_cfg *phy, uint8_t symbols, uint16_t n_rb);

#endif
