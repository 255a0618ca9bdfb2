/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scg.h - the SCG of a UE is added, released, fails. */
#ifndef EN_DC_SCG_H
#define EN_DC_SCG_H

#include "ran/en_dc/state.h"

/** scg_init() - @u has it from the start on, or it is to be added */
void scg_init(struct en_dc *n, struct en_dc_ue *u);

/** scg_measured() - @u measured RSRP of the gNB */
void scg_measured(struct en_dc *n, struct en_dc_ue *u, int32_t rsrp_cdbm);

/** scg_channel() - the gNB's downlink has another quality */
void scg_channel(struct en_dc *n, struct en_dc_ue *u, struct link_quality q);

/** scg_failed() - RLC of the SCG gave up; see struct cell_above */
void scg_failed(struct cell *part, uint8_t ue);

/** scg_next_ns() - when something is next due, or CELL_NEVER */
int64_t scg_next_ns(const struct en_dc *n, const struct en_dc_ue *u);

/** scg_expire() - all that is due now */
void scg_expire(struct en_dc *n, struct en_dc_ue *u);

/** scg_digest() - hash of it */
void scg_digest(const struct en_dc_ue *u, uint64_t *h);

#endif
