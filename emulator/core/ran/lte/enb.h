/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enb.h - what an eNB does in a sub-frame: RAR, grants, downlink. */
#ifndef ENB_H
#define ENB_H

#include "ran/lte/state.h"

/** enb_subframe() - answer preambles, grant UL and SL, schedule DL at the start of @tti */
void enb_subframe(struct lte *lte, uint32_t tti);

/** enb_transmit() - send the downlink PDUs scheduled for sub-frame @tti */
void enb_transmit(struct lte *lte, uint32_t tti);

/** enb_bsr() - a BSR sent by @u in sub-frame @sent_tti was decoded */
void enb_bsr(struct lte *lte, struct ue *u, const struct mac_bsr *bsr, uint32_t sent_tti);

/** enb_absent() - nothing came on an uplink grant: what it was for still waits */
void enb_absent(struct lte *lte, const struct tb *tb);

/** enb_cqi() - the CQI of @sch is @cqi from now on, 0 = out of range */
void enb_cqi(struct lte *lte, struct lte_sch *sch, uint8_t cqi, int32_t sinr_cdb);

/** enb_next_tti() - first sub-frame from @from in which the eNB has to act for @u, or TTI_NEVER */
uint32_t enb_next_tti(const struct lte *lte, const struct ue *u, uint32_t from);

#endif
