/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.h - a UE whose radio link has failed: another cell, re-establishment or setup. */
#ifndef NR_FAILURE_H
#define NR_FAILURE_H

#include "ran/nr/state.h"

/** nr_failure_is_due() - something that failed is to be acted on, or random access after it has
 * succeeded */
bool nr_failure_is_due(const struct nr_ue *u);

/** nr_failure_process() - it is acted on now */
void nr_failure_process(struct nr *nr, struct nr_ue *u);

/** nr_failure_carry_out() - Return: @step is one of a failure, and has happened */
bool nr_failure_carry_out(struct nr *nr, struct nr_ue *u, const struct rrc_step *step);

/** nr_failure_channel_changed() - the channel of @u did, in some cell */
void nr_failure_channel_changed(struct nr *nr, struct nr_ue *u);

#endif
