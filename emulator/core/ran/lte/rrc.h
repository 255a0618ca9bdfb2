/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrc.h - handover: its messages and when they arrive. */
#ifndef RRC_H
#define RRC_H

#include "ran/lte/state.h"

void rrc_predict(struct lte *lte, struct ue *u, uint8_t enb);
void rrc_handover(struct lte *lte, struct ue *u, uint8_t enb);

/** rrc_next_ns() - when something is due for @u, or CELL_NEVER */
int64_t rrc_next_ns(const struct lte *lte, const struct ue *u);

/** rrc_process() - it is due now */
void rrc_process(struct lte *lte, struct ue *u);

#endif
