/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.h - a UE whose radio link has failed: another cell, re-establishment or setup. */
#ifndef LTE_FAILURE_H
#define LTE_FAILURE_H

#include "ran/lte/state.h"

/** failure_hears() - a message gets through between @u and @enb */
bool failure_hears(const struct lte *lte, const struct ue *u, uint8_t enb);

/** failure_next_ns() - when something is due of the link of @u, or CELL_NEVER */
int64_t failure_next_ns(const struct lte *lte, const struct ue *u);

/** failure_process() - it is due now */
void failure_process(struct lte *lte, struct ue *u);

/** failure_carry_out() - @step, which was under way after a failure, happens */
void failure_carry_out(struct lte *lte, struct ue *u, const struct rrc_step *step);

/** failure_channel_changed() - the channel of @u did, in some cell */
void failure_channel_changed(struct lte *lte, struct ue *u);

#endif
