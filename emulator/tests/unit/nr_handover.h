/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nr_handover.h - a handover of UE 1 from the first gNB to the second */
#ifndef NR_HANDOVER_RUN_H
#define NR_HANDOVER_RUN_H

#include "handover.h"
#include "nr_run.h"

static inline void nr_setup(struct run *r, enum cell_rlc_mode mode,
                            enum cell_ho_procedure procedure)
{
	nr_defaults(r, 2);
	run_core_network(r);
	r->cfg.rlc.mode = (uint8_t)mode;
	r->cfg.handover.procedure = (uint8_t)procedure;
	r->cfg.handover.rrc_processing_ms = 10;
	r->cfg.handover.execution_ms = 10;
	r->cfg.handover.processing_ms = 20;
	r->cfg.handover.ssb_period_ms = 20;
	r->cfg.handover.margin_ms = 2;
	r->cfg.pdcp.t_reordering_ms = 220;
}

static inline size_t count_records(const struct run *r, enum cell_event event)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		n += r->records[i].event == event;
	return n;
}

static inline void check_refused(struct run *r, const char *field, const char *range)
{
	const char *got_field, *got_range;

	assert_true(cell_cfg_check(&r->cfg, &got_field, &got_range) < 0);
	assert_string_equal(got_field, field);
	assert_string_equal(got_range, range);
}

#endif
