/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enb.h - what an eNB does in a sub-frame: RAR, grants, downlink. */
#ifndef ENB_H
#define ENB_H

#include "ran/lte/state.h"

/** enb_subframe() - answer preambles, grant UL and SL, schedule DL at the start of @tti */
void enb_subframe(struct lte *lte, uint32_t tti);

/** enb_transmit() - send the downlink PDUs scheduled for sub-frame @tti */
void enb_transmit(struct lte *lte, uint32_t tti);

/** enb_next_tti() - first sub-frame from @from in which the eNB has to act for @u, or TTI_NEVER */
uint32_t enb_next_tti(const struct lte *lte, const struct ue *u, uint32_t from);

#endif
