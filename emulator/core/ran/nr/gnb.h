/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gnb.h - what gNBs do in a slot: feedback, grants, the downlink. */
#ifndef NR_GNB_H
#define NR_GNB_H

#include "ran/nr/state.h"

/** nr_gnb_slot() - feedback that has come, answers, and decisions of @slot */
void nr_gnb_slot(struct nr *nr, uint32_t slot);

/** nr_gnb_transmit() - downlink blocks of @slot */
void nr_gnb_transmit(struct nr *nr, uint32_t slot);

/** nr_gnb_next_slot() - first slot from @from on with something to do for @u, or never */
uint32_t nr_gnb_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from);

#endif
