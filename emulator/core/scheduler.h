/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scheduler.h - who gets the resource blocks of a sub-frame.
 *
 * A scheduler only chooses the next flow to serve; how many blocks it needs
 * and whether they fit is the same for all of them (enb.c).
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define SCHED_FLOWS_MAX (2 * CELL_MAX_UE)

struct sched_flow {
	uint32_t backlog; /* bytes; 0 = nothing to serve */
	uint8_t ue;       /* index */
	uint8_t dir;      /* enum cell_dir */
};

struct sched_state {
	uint32_t last; /* flow served last */
};

struct sched {
	const char *name;
	/* Index of the flow to serve next, or -1. Flows already served in this
	 * sub-frame have backlog 0. */
	int (*pick)(struct sched_state *s, const struct sched_flow *flows, uint32_t n);
};

/** sched_by_id() - the scheduler of cell_cfg.scheduler */
const struct sched *sched_by_id(enum cell_sched id);

#endif
