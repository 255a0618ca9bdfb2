/* SPDX-License-Identifier: GPL-2.0-or-later */
/* times.h - times of a UE's handovers that are drawn for each. */
#ifndef HANDOVER_TIMES_H
#define HANDOVER_TIMES_H

#include "base/cell.h"
#include "base/rng.h"

/* A UE's streams, one for each time. */
struct handover_times {
	struct rng detach_rng;
	struct rng preparation_rng;
};

/** times_check() - Return: the first field of @cfg that is wrong, or NULL */
const char *times_check(const struct cell_handover_cfg *cfg, const char **ret_range);

/** times_init() - of UE @ue */
void times_init(struct handover_times *t, uint64_t seed, uint8_t ue);

/**
 * times_draw_ns() - a time by the quantiles of @cfg, which is on
 *
 * Between two quantiles all values are alike; none is less than the 5th or more than the 99th
 * percentile.
 */
int64_t times_draw_ns(const struct cell_times_cfg *cfg, struct rng *r);

/** times_detach_ns() - of the next handover, or @fixed_ns where none is to be drawn */
int64_t times_detach_ns(const struct cell *c, struct handover_times *t, int64_t fixed_ns);

/**
 * times_admission_ns() - so long the target takes to answer the next request: what is left of the
 * preparation beside two messages, or 0
 */
int64_t times_admission_ns(const struct cell *c, struct handover_times *t);

#endif
