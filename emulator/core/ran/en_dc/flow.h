/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h - flow control of the downlink: what a cell group has, wants, and says of it. */
#ifndef EN_DC_FLOW_H
#define EN_DC_FLOW_H

#include "ran/en_dc/state.h"

/** flow_init() - nothing is known of a cell group, and it has nothing */
void flow_init(struct en_dc_group *of);

/** flow_choose() - which cell group wants a packet, and would begin with it first; or
 * CELL_GROUP_COUNT */
enum cell_group flow_choose(const struct en_dc *n, const struct en_dc_ue *u, bool scg);

/** flow_given() - PDCP gives @bytes to cell group @g */
void flow_given(struct en_dc *n, struct en_dc_ue *u, enum cell_group g, uint32_t bytes);

/** flow_arrived() - they are there */
void flow_arrived(struct en_dc_ue *u, enum cell_group g, uint32_t bytes);

/** flow_next_ns() - when a report is next sent or heard, or CELL_NEVER */
int64_t flow_next_ns(const struct en_dc_ue *u);

/** flow_expire() - those that are due now */
void flow_expire(struct en_dc *n, struct en_dc_ue *u);

/** flow_digest() - hash of it */
void flow_digest(const struct en_dc_ue *u, uint64_t *h);

#endif
