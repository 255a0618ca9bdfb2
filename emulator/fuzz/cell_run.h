/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_run.h - a plan is carried out. */
#ifndef CELL_RUN_H
#define CELL_RUN_H

#include "cell_plan.h"

/* What came out, by enum cell_out_type. */
struct cell_came {
	uint32_t n[CELL_OUT_RECORD + 1];
	uint64_t hash[CELL_OUT_RECORD + 1]; /* of all fields and bytes */
	uint64_t all;                       /* the same of all types together, in their order */
	uint64_t state;                     /* hash of it before what was left was given back */
	struct cell_stats stats;
	size_t bytes; /* of the cell's memory */
};

/** cell_run() - abort where something does not hold that has to */
void cell_run(const struct plan *plan, struct cell_came *ret);

#endif
