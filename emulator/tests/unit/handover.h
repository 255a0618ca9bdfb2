/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover.h - a handover of UE 1 from the first base station to the second, and its messages */
#ifndef HANDOVER_H
#define HANDOVER_H

#include "epc/gtpu.h"
#include "run.h"
#include "unit.h"

#define DOWN (1 | CELL_PORT_NETWORK)
#define SGW  CELL_NODE_SGW

struct step {
	int64_t t_ns;
	enum cell_rrc_msg msg;
	uint8_t node; /* 0: a base station */
	uint8_t enb;
	uint8_t other;
};

/* Where the path is switched, at once. */
#define SWITCHED(t_ns, to)                                                                         \
	{ t_ns, CELL_RRC_USER_PLANE_UPDATE_REQUEST, SGW, 0, to },                                  \
		{ t_ns, CELL_RRC_PATH_SWITCHED, SGW, 0, to },                                      \
		{ t_ns, CELL_RRC_USER_PLANE_UPDATE_REPLY, SGW, 0, to },                            \
	{                                                                                          \
		t_ns, CELL_RRC_PATH_SWITCH_REQUEST_ACK, SGW, 0, to                                 \
	}

static inline void setup(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure)
{
	run_defaults(r, CELL_MODE_IM);
	run_core_network(r);
	r->cfg.rlc.mode = (uint8_t)mode;
	r->cfg.handover.procedure = (uint8_t)procedure;
}

static inline void start(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure)
{
	setup(r, mode, procedure);
	run_start(r);
}

static inline void check_steps(const struct run *r, const struct step *steps, size_t n)
{
	size_t i = 0;

	for (size_t k = 0; k < r->n_records; k++) {
		const struct cell_record *row = &r->records[k];

		if (row->event != CELL_EV_RRC)
			continue;
		assert_true(i < n);
		assert_int_equal(row->value, steps[i].msg);
		assert_int_equal(row->t_ns, steps[i].t_ns);
		assert_int_equal(row->node, steps[i].node);
		assert_int_equal(row->enb, steps[i].enb);
		assert_int_equal(row->sn, steps[i].other);
		assert_int_equal(row->peer, 1);
		i++;
	}
	assert_int_equal(i, n);
}

/* Packets of UE 1, those of @port, came whole, once and in order; @n of them. */
static inline void check_order(const struct run *r, uint8_t port, size_t n)
{
	uint64_t before = 0;
	size_t seen = 0;

	for (size_t i = 0; i < r->n_delivered; i++) {
		if (r->delivered[i].ue != port)
			continue;
		assert_true(r->delivered[i].tag > before);
		before = r->delivered[i].tag;
		seen++;
	}
	assert_int_equal(seen, n);
}

static inline void handover(struct run *r, uint8_t enb, int64_t t_ns)
{
	run_apply(r, CELL_CMD_HANDOVER, 1, enb, t_ns);
}

static inline void predict(struct run *r, uint8_t enb, int64_t t_ns)
{
	run_apply(r, CELL_CMD_PREDICT, 1, enb, t_ns);
}

/* Packets of 1000 bytes for @port. */
static inline void stream(struct run *r, uint8_t port, int first_ms, int last_ms, int every_ms)
{
	for (int t = first_ms; t < last_ms; t += every_ms)
		run_push(r, port, 1000, MS(t));
}

#endif
