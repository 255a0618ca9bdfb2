/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrc.h - handover: when one starts, and what is due of it. */
#ifndef NR_RRC_H
#define NR_RRC_H

#include "ran/nr/state.h"

/** nr_rrc_init() - tunnels of all UEs, and no handover */
void nr_rrc_init(struct nr *nr);

/** nr_rrc_prepare() - @gnb is to be a candidate of a conditional handover of @u */
void nr_rrc_prepare(struct nr *nr, struct nr_ue *u, uint8_t gnb);

/** nr_rrc_handover() - @u is handed over to @gnb; a conditional one: its condition holds */
void nr_rrc_handover(struct nr *nr, struct nr_ue *u, uint8_t gnb);

/** nr_rrc_next_ns() - when something is due for @u, or CELL_NEVER */
int64_t nr_rrc_next_ns(const struct nr *nr, const struct nr_ue *u);

/** nr_rrc_process() - it is due now */
void nr_rrc_process(struct nr *nr, struct nr_ue *u);

#endif
