/* SPDX-License-Identifier: GPL-2.0-or-later */
/* a3.h - what UE 1 measures of two base stations, and what comes of it */
#ifndef A3_H
#define A3_H

#include "run.h"
#include "unit.h"

/* UE 1 measures @first and @second, centi-dBm, at @ms. */
static inline void measure(struct run *r, int ms, int32_t first, int32_t second)
{
	struct cell_cmd cmd = { .type = CELL_CMD_MEASURE, .ue = 1, .rsrp_cdbm = first };

	run_until(r, MS(ms) - 1);
	assert_int_equal(run_cmd(r, &cmd, MS(ms)), 0);
	cmd.enb = 1;
	cmd.rsrp_cdbm = second;
	assert_int_equal(run_cmd(r, &cmd, MS(ms)), 0);
}

/* How often RRC said @msg, and when for the last time. */
static inline size_t n_said(const struct run *r, enum cell_rrc_msg msg, int64_t *ret_t_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		if (r->records[i].event == CELL_EV_RRC && r->records[i].value == (int32_t)msg) {
			*ret_t_ns = r->records[i].t_ns;
			n++;
		}
	return n;
}

/* Reports that base stations heard. */
static inline size_t n_reports(const struct run *r, int64_t *ret_t_ns)
{
	return n_said(r, CELL_RRC_MEASUREMENT_REPORT, ret_t_ns);
}

static inline uint64_t handovers(struct run *r)
{
	struct cell_stats s;

	cell_stats(r->cell, &s);
	return s.handovers;
}

#endif
