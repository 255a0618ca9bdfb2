/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrc.h - handover: its messages and when they arrive. */
#ifndef RRC_H
#define RRC_H

#include "ran/lte/state.h"

void rrc_predict(struct lte *lte, struct ue *u, uint8_t enb);
void rrc_handover(struct lte *lte, struct ue *u, uint8_t enb);

/** rrc_ask_for_path() - the eNB of @u asks for its path */
void rrc_ask_for_path(struct lte *lte, struct ue *u);

/** rrc_enter() - @u is in the cell of @enb, and has its channel and a C-RNTI there */
void rrc_enter(struct lte *lte, struct ue *u, uint8_t enb);

/** rrc_report_buffer() - the eNB of @u hears what waits for the uplink */
void rrc_report_buffer(struct lte *lte, struct ue *u);

/** rrc_next_ns() - when something is due for @u, or CELL_NEVER */
int64_t rrc_next_ns(const struct lte *lte, const struct ue *u);

/** rrc_process() - it is due now */
void rrc_process(struct lte *lte, struct ue *u);

#endif
