/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.h - UE 1 between two base stations, whose downlinks come and go */
#ifndef FAILURE_H
#define FAILURE_H

#include "handover.h"
#include "ran/handover/link.h"

#define GOOD_CDB 1000
#define WEAK_CDB (-700) /* between Qout, -8 dB, and Qin, -6 dB */
#define BAD_CDB  (-1200)

static inline void failure_keys(struct run *r)
{
	r->cfg.handover.link_failure = (struct cell_link_cfg){
		.on = 1,
		.qout = 30,
		.qin = 34,
		.n310 = 1,
		.n311 = 1,
		.t310_ms = 200,
		.t311_ms = 1000,
		.t301_ms = 400,
		.t304_ms = 500,
		.preamble_trans_max = 10,
		.selection_ms = 150,
		.reestablish_ms = 15,
		.setup_ms = 50,
		.rrc_retx = 4,
		.rrc_retx_ms = 45,
	};
}

/* From @ms on UE 1 hears the base station @enb with @sinr_cdb. */
static inline void hears(struct run *r, int ms, uint8_t enb, int32_t sinr_cdb)
{
	run_until(r, MS(ms) - 1);
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
		struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL,
			                .ue = 1,
			                .enb = enb,
			                .dir = (uint8_t)dir,
			                .cqi = sinr_cdb < BAD_CDB + 1 ? 0 : 9,
			                .sinr_cdb = sinr_cdb };

		assert_int_equal(run_cmd(r, &cmd, MS(ms)), 0);
	}
}

/* Row @n, from 0, of @msg; NULL without. */
static inline const struct cell_record *said(const struct run *r, enum cell_rrc_msg msg, size_t n)
{
	for (size_t i = 0; i < r->n_records; i++)
		if (r->records[i].event == CELL_EV_RRC && r->records[i].value == (int32_t)msg &&
		    n-- == 0)
			return &r->records[i];
	return NULL;
}

static inline int64_t said_ns(const struct run *r, enum cell_rrc_msg msg)
{
	const struct cell_record *row = said(r, msg, 0);

	assert_non_null(row);
	return row->t_ns;
}

static inline size_t dropped(const struct run *r, enum cell_drop reason)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_dropped; i++)
		n += r->dropped[i].reason == reason;
	return n;
}

static inline size_t delivered(const struct run *r, uint8_t port)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_delivered; i++)
		n += r->delivered[i].ue == port;
	return n;
}

#endif
