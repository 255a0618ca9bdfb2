/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handovers of UE 1 from the first eNB to the second: each message at its time, and what becomes of
 * packets at both ends. Messages take 4 ms one way, tunnels too, a UE is 30 ms between the cells.
 * Source: TS 36.300 10.1.2.1.1, 10.1.2.3; TS 36.322 5.4; TS 36.323 5.2; Pacifico, Figures 2, 5, 6
 */
#include "epc/gtpu.h"
#include "run.h"
#include "unit.h"

#define DOWN (1 | CELL_PORT_NETWORK)
#define SGW  CELL_NODE_SGW

struct step {
	int64_t t_ms;
	enum cell_rrc_msg msg;
	uint8_t node; /* 0: an eNB */
	uint8_t enb;
	uint8_t other;
};

/* Where the path is switched, at once. */
#define SWITCHED(t_ms, to)                                                                         \
	{ t_ms, CELL_RRC_USER_PLANE_UPDATE_REQUEST, SGW, 0, to },                                  \
		{ t_ms, CELL_RRC_PATH_SWITCHED, SGW, 0, to },                                      \
		{ t_ms, CELL_RRC_USER_PLANE_UPDATE_REPLY, SGW, 0, to },                            \
	{                                                                                          \
		t_ms, CELL_RRC_PATH_SWITCH_REQUEST_ACK, SGW, 0, to                                 \
	}

static void setup(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure)
{
	run_defaults(r, CELL_MODE_IM);
	run_core_network(r);
	r->cfg.rlc_mode = (uint8_t)mode;
	r->cfg.ho_procedure = (uint8_t)procedure;
}

static void start(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure)
{
	setup(r, mode, procedure);
	run_start(r);
}

static void check_steps(const struct run *r, const struct step *steps, size_t n)
{
	size_t i = 0;

	for (size_t k = 0; k < r->n_records; k++) {
		const struct cell_record *row = &r->records[k];

		if (row->event != CELL_EV_RRC)
			continue;
		assert_true(i < n);
		assert_int_equal(row->value, steps[i].msg);
		assert_int_equal(row->t_ns, MS(steps[i].t_ms));
		assert_int_equal(row->node, steps[i].node);
		assert_int_equal(row->enb, steps[i].enb);
		assert_int_equal(row->sn, steps[i].other);
		assert_int_equal(row->peer, 1);
		i++;
	}
	assert_int_equal(i, n);
}

/* Packets of UE 1, those of @port, came whole, once and in order; @n of them. */
static void check_order(const struct run *r, uint8_t port, size_t n)
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

static void handover(struct run *r, uint8_t enb, int64_t t_ns)
{
	run_apply(r, CELL_CMD_HANDOVER, 1, enb, t_ns);
}

static void predict(struct run *r, uint8_t enb, int64_t t_ns)
{
	run_apply(r, CELL_CMD_PREDICT, 1, enb, t_ns);
}

/* --- messages --- */

static void test_standard_procedure(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 58, CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ 58, CELL_RRC_DETACH, 1, 0, 1 },
		{ 58, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ 88, CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ 94, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ 94, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(98, 1),
		{ 102, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct cell_stats stats;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.handovers, 1);
	assert_int_equal(stats.path_switches, 1);
	run_end(&r);
}

static void test_fast_path_switch(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 58, CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ 58, CELL_RRC_DETACH, 1, 0, 1 },
		{ 58, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ 58, CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 1 },
		SWITCHED(62, 1),
		{ 88, CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ 94, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ 94, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_FAST_PATH_SWITCH);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	run_end(&r);
}

/* Far ends of S1: the confirm comes before the path has been switched. */
static void test_release_waits_for_the_path(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_FAST_PATH_SWITCH);
	r.cfg.ho_signalling_us = 40000;
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	/* Command at 130, path switched at 170, UE there at 160 and confirmed at 166. */
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 1)->t_ns, MS(160));
	assert_int_equal(run_find(&r, CELL_EV_RRC, SGW, 0)->t_ns, MS(170));
	assert_int_equal(r.records[r.n_records - 1].value, CELL_RRC_RELEASE_RESOURCE);
	assert_int_equal(r.records[r.n_records - 1].t_ns, MS(210));
	run_end(&r);
}

static void test_prediction(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_PREDICTED, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 54, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(58, 1),
		{ 180, CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ 180, CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ 180, CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ 180, CELL_RRC_DETACH, 1, 0, 1 },
		{ 180, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ 210, CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ 216, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ 216, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_PREDICTION);
	predict(&r, 0, MS(40)); /* where it is already */
	predict(&r, 1, MS(50));
	handover(&r, 1, MS(180));
	handover(&r, 1, MS(400)); /* where it is by now */
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	run_end(&r);
}

/* Decided before the target has acknowledged, and once more. */
static void test_a_handover_waits_until_its_target_is_prepared(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_PREDICTED, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 53, CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ 53, CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 54, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		{ 58, CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ 58, CELL_RRC_DETACH, 1, 0, 1 },
		{ 58, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		SWITCHED(58, 1),
		{ 88, CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ 94, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ 94, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_PREDICTION);
	predict(&r, 1, MS(50));
	handover(&r, 1, MS(53));
	handover(&r, 1, MS(55));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	run_end(&r);
}

/* Predicted once more at 150 ms, so that the second comes to its end 1000 ms later. */
static void test_a_prediction_expires(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_PREDICTED, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 54, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(58, 1),
		{ 1150, CELL_RRC_PREDICTION_EXPIRED, 0, 0, 1 },
		{ 1150, CELL_RRC_HANDOVER_CANCEL, 0, 0, 1 },
		{ 1150, CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 0 },
		SWITCHED(1154, 0),
	};
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_PREDICTION);
	predict(&r, 1, MS(50));
	predict(&r, 1, MS(150));
	for (int i = 0; i < 200; i++)
		run_push(&r, DOWN, 500, MS(1050 + i));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	check_order(&r, 1, 200);
	run_end(&r);
}

static void three_enbs(struct run *r)
{
	setup(r, CELL_RLC_AM, CELL_HO_PREDICTION);
	r->cfg.n_enb = 3;
	r->cfg.enb_gtpu_addr[2] = r->cfg.enb_gtpu_addr[1] + 1;
	run_start(r);
}

/* The prediction is given up: the path comes back, and with it all that the predicted eNB got. */
static void test_another_target_than_predicted(void **state)
{
	static const struct step steps[] = {
		{ 50, CELL_RRC_PREDICTED, 0, 0, 1 },
		{ 50, CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ 54, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ 54, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(58, 1),
		{ 150, CELL_RRC_PREDICTION_EXPIRED, 0, 0, 1 },
		{ 150, CELL_RRC_HANDOVER_CANCEL, 0, 0, 1 },
		{ 150, CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 0 },
		SWITCHED(154, 0),
		/* Settled with the End Marker that the S-GW sent to the eNB it had switched to. */
		{ 162, CELL_RRC_MEASUREMENT_REPORT, 0, 0, 2 },
		{ 162, CELL_RRC_HANDOVER_DECISION, 0, 0, 2 },
		{ 162, CELL_RRC_HANDOVER_REQUEST, 0, 0, 2 },
		{ 166, CELL_RRC_HANDOVER_REQUEST_ACK, 0, 2, 0 },
		{ 170, CELL_RRC_HANDOVER_COMMAND, 0, 0, 2 },
		{ 170, CELL_RRC_DETACH, 1, 0, 2 },
		{ 170, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 2 },
		{ 200, CELL_RRC_SYNCHRONISED, 1, 2, 0 },
		{ 206, CELL_RRC_HANDOVER_CONFIRM, 0, 2, 0 },
		{ 206, CELL_RRC_PATH_SWITCH_REQUEST, 0, 2, 2 },
		SWITCHED(210, 2),
		{ 214, CELL_RRC_RELEASE_RESOURCE, 0, 2, 0 },
	};
	struct run r;

	(void)state;
	three_enbs(&r);
	predict(&r, 1, MS(50));
	handover(&r, 2, MS(150));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, steps, COUNT(steps));
	run_end(&r);
}

/* A prediction of another target replaces it; one that was decided on goes on. */
static void test_another_prediction(void **state)
{
	struct run r;

	(void)state;
	three_enbs(&r);
	predict(&r, 1, MS(50));
	predict(&r, 2, MS(150));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 4)->value, CELL_RRC_PREDICTION_EXPIRED);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 7)->value, CELL_RRC_PREDICTED);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 7)->t_ns, MS(162));
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 7)->sn, 2);
	run_end(&r);

	three_enbs(&r);
	predict(&r, 1, MS(50));
	handover(&r, 1, MS(51));
	predict(&r, 2, MS(52));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 1)->value, CELL_RRC_SYNCHRONISED);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 1)->enb, 1);
	/* At 94 ms UE, path and tunnels are where they belong. */
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 10)->value, CELL_RRC_PREDICTED);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 10)->t_ns, MS(94));
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 10)->enb, 1);
	run_end(&r);
}

/* The End Marker on X2 comes at 106 ms, after everything else. */
static void test_the_next_handover_waits_for_the_end_of_one(void **state)
{
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	handover(&r, 0, MS(60));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 9)->value, CELL_RRC_MEASUREMENT_REPORT);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 0, 9)->t_ns, MS(106));
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 3)->value, CELL_RRC_SYNCHRONISED);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 3)->enb, 0);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 3)->t_ns, MS(144));
	run_end(&r);
}

/* --- the UE in its new cell --- */

static void test_a_new_c_rnti_that_nobody_has(void **state)
{
	static const struct {
		uint16_t first, second, becomes;
	} cases[] = { { 61, 62, 63 },
		      { 90, 62, 91 },
		      { 1, 65523, 2 },
		      { 65523, 2, 1 },
		      { 65522, 1, 65523 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run r;

		setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		r.cfg.ue[0].rnti = cases[i].first;
		r.cfg.ue[1].rnti = cases[i].second;
		run_start(&r);
		run_push(&r, 1, 100, MS(10));
		handover(&r, 1, MS(50));
		run_push(&r, 1, 100, MS(150));
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.pdus[0].rnti, cases[i].first);
		assert_int_equal(r.pdus[0].enb, 0);
		assert_int_equal(r.pdus[r.n_pdus - 1].rnti, cases[i].becomes);
		assert_int_equal(r.pdus[r.n_pdus - 1].enb, 1);
		run_end(&r);
	}
}

/* The confirm brings a BSR: what came meanwhile is granted without a request. */
static void test_the_target_grants_what_the_ue_has(void **state)
{
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	run_push(&r, 1, 1000, MS(70));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	assert_int_equal(run_find(&r, CELL_EV_GRANT, 0, 0)->t_ns, MS(94));
	check_order(&r, SGW, 1);
	run_end(&r);
}

/* Out of range it cannot be granted anything; once the timeout of random access is over, it asks.
 */
static void test_or_the_ue_asks_later(void **state)
{
	const struct cell_cmd lost = { .type = CELL_CMD_CHANNEL, .ue = 1 };
	const struct cell_cmd back = { .type = CELL_CMD_CHANNEL, .ue = 1, .cqi = 15 };
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	run_push(&r, 1, 1000, MS(70));
	run_until(&r, MS(71));
	assert_int_equal(run_cmd(&r, &lost, MS(71)), 0);
	run_until(&r, MS(95));
	assert_int_equal(run_cmd(&r, &back, MS(95)), 0);
	run_until(&r, RUN_FOREVER);
	/* There at 88, confirmed six sub-frames later, ten more of the timeout. */
	assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, 0)->t_ns, MS(104));
	assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, 0)->value, 1);
	check_order(&r, SGW, 1);
	run_end(&r);
}

/* --- packets --- */

static void stream(struct run *r, uint8_t port, int first_ms, int last_ms, int every_ms)
{
	for (int t = first_ms; t < last_ms; t += every_ms)
		run_push(r, port, 1000, MS(t));
}

static void test_am_loses_nothing_in_either_direction(void **state)
{
	static const enum cell_ho_procedure procedures[] = { CELL_HO_STANDARD,
		                                             CELL_HO_FAST_PATH_SWITCH,
		                                             CELL_HO_PREDICTION };

	(void)state;
	for (size_t i = 0; i < COUNT(procedures); i++) {
		struct run r;

		start(&r, CELL_RLC_AM, procedures[i]);
		for (int t = 0; t < 300; t += 3) {
			if (t == 51)
				handover(&r, 1, MS(t));
			run_push(&r, DOWN, 1000, MS(t));
			run_push(&r, 1, 1000, MS(t));
		}
		run_until(&r, RUN_FOREVER);
		check_order(&r, 1, 100);
		check_order(&r, SGW, 100);
		/* Copies of what the UE had already, and no other drop. */
		for (size_t k = 0; k < r.n_dropped; k++)
			assert_int_equal(r.dropped[k].reason, CELL_DROP_DUPLICATE);
		run_end(&r);
	}
}

/*
 * A queue of 1000-byte packets, of which RLC has sent some. Those that are not acknowledged go
 * first, with their SN; those that were begun keep theirs, the rest get one at the target.
 */
static void test_what_the_source_forwards(void **state)
{
	uint32_t numbered = 0, fresh = 0, sn = 0;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.am_poll_pdu = 1000; /* no acknowledgment */
	r.cfg.am_poll_byte = 1000000;
	run_start(&r);
	for (int i = 0; i < 60; i++)
		run_push(&r, DOWN, 1000, MS(40));
	handover(&r, 1, MS(41));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->event != CELL_EV_HO_FORWARD)
			continue;
		assert_int_equal(row->t_ns, MS(49));
		assert_int_equal(row->bytes, 1000);
		assert_int_equal(row->aux, 1);
		assert_int_equal(row->enb, 0);
		assert_int_equal(row->dir, CELL_DIR_DL);
		assert_int_equal(row->peer, 1);
		if (row->value) {
			assert_int_equal(fresh, 0);
			assert_int_equal(row->sn, sn++);
			numbered++;
		} else {
			assert_int_equal(row->sn, 0);
			fresh++;
		}
	}
	assert_int_equal(numbered + fresh, 60);
	/* From 44 ms on four blocks and a half of 1000 bytes, to the last byte of a sub-frame. */
	assert_in_range(numbered, 5, 20);
	check_order(&r, 1, 60);
	run_end(&r);
}

/* SDUs that the UE has and did not acknowledge are copied, and the UE drops them. */
static void test_copies_are_dropped_as_duplicates(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.am_poll_pdu = 1000;
	r.cfg.am_poll_byte = 1000000;
	r.cfg.am_t_status_prohibit_ms = 500;
	run_start(&r);
	stream(&r, DOWN, 0, 40, 5);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	/* The first packet polled, as nothing followed it; so did others, in the time of
	 * prohibition. */
	assert_true(stats.pkts_dropped[CELL_DROP_DUPLICATE] > 0);
	assert_int_equal(stats.pkts_originated, stats.pkts_dropped[CELL_DROP_DUPLICATE] + 1);
	assert_int_equal(stats.pkts_terminated, 1); /* the End Marker, which went on on X2 */
	/* The End Marker and the copies have numbers of their own. */
	for (size_t k = 0; k < r.n_dropped; k++)
		assert_int_equal(r.dropped[k].pkt, r.dropped[0].pkt + k);
	assert_true(r.dropped[0].pkt > 8);
	check_order(&r, 1, 8);
	run_end(&r);
}

/* In UM what is begun or on the air is lost, and SNs begin anew: all that was forwarded arrives. */
static void test_um_loses_what_was_begun(void **state)
{
	struct cell_stats stats;
	uint64_t lost;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_UM, CELL_HO_STANDARD);
	for (int i = 0; i < 60; i++) {
		run_push(&r, DOWN, 1000, MS(40));
		run_push(&r, 1, 1000, MS(40));
	}
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	lost = stats.pkts_dropped[CELL_DROP_HANDOVER];
	assert_true(lost > 2 && lost <= 2 * 5 * 5);
	assert_int_equal(r.n_delivered, 120 - lost);
	check_order(&r, 1, run_count(&r, CELL_EV_PKT_OUT, 1));
	assert_int_equal(stats.pkts_originated, 1);
	for (size_t i = 0; i < r.n_dropped; i++)
		assert_int_equal(r.dropped[i].t_ns, MS(58));
	for (size_t i = 0; i < r.n_records; i++)
		if (r.records[i].event == CELL_EV_PKT_DROP)
			assert_int_equal(r.records[i].dir, r.records[i].tag & CELL_PORT_NETWORK
			                                           ? CELL_DIR_DL
			                                           : CELL_DIR_UL);
	run_end(&r);
}

/* Each packet that comes to the target before the UE is a row, and so is their end. */
static void test_what_the_target_holds(void **state)
{
	static const struct {
		int64_t t_ms;
		int32_t pkts;
	} rows[] = { { 70 + 8, 1 }, { 73 + 8, 2 }, { 88, 0 } };
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	run_push(&r, DOWN, 500, MS(70));
	run_push(&r, DOWN, 500, MS(73));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->t_ns, MS(74));
	assert_true(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->bytes > 500); /* in a tunnel */
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->tag,
	                 run_find(&r, CELL_EV_PKT_IN, SGW, 0)->tag);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->dir, CELL_DIR_DL);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->pkt, 1);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->bytes, 500);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->peer, 1);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->dir, CELL_DIR_DL);
	assert_int_equal(run_count(&r, CELL_EV_HO_HOLD, 0), COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cell_record *row = run_find(&r, CELL_EV_HO_HOLD, 0, i);

		assert_int_equal(row->t_ns, MS(rows[i].t_ms));
		assert_int_equal(row->value, rows[i].pkts);
		assert_int_equal(row->bytes, 500 * rows[i].pkts);
		assert_int_equal(row->enb, 1);
		assert_int_equal(row->peer, 1);
		assert_int_equal(row->dir, CELL_DIR_DL);
	}
	check_order(&r, 1, 2);
	run_end(&r);
}

/* A radio link that has failed begins anew in the new cell, not when its outage would be over. */
static void test_a_failed_link_leaves_its_cell(void **state)
{
	int64_t failure_ns;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX;
	r.cfg.am_max_retx_threshold = 1;
	r.cfg.am_reestablish_ms = 500;
	run_start(&r);
	run_push(&r, DOWN, 500, 0);
	run_until(&r, MS(150));
	failure_ns = run_find(&r, CELL_EV_RADIO_LINK_FAILURE, 0, 0)->t_ns;
	handover(&r, 1, MS(200));
	run_until(&r, failure_ns + MS(501));
	assert_int_equal(run_count(&r, CELL_EV_REESTABLISHED, 0), 0);
	assert_true(run_find(&r, CELL_EV_RADIO_LINK_FAILURE, 0, 1)->enb == 1);
	run_end(&r);
}

/* From detachment to synchronisation nothing is sent by the UE or to it, new or again. */
static void check_silence(const struct run *r)
{
	bool away = false;

	for (size_t i = 0; i < r->n_records; i++) {
		const struct cell_record *row = &r->records[i];

		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_DETACH)
			away = true;
		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_SYNCHRONISED)
			away = false;
		if (row->event == CELL_EV_HARQ_TX || row->event == CELL_EV_MAC_TX)
			assert_false(away);
	}
}

/* Blocks that are on the air when a UE leaves are given back each time. */
static void test_a_hundred_handovers(void **state)
{
	(void)state;
	for (int mode = CELL_RLC_UM; mode <= CELL_RLC_AM; mode++) {
		struct cell_stats stats;
		struct run r;

		setup(&r, (enum cell_rlc_mode)mode, CELL_HO_STANDARD);
		r.cfg.harq_max_attempts = mode == CELL_RLC_AM ? 4 : 1; /* with blocks that wait */
		r.cfg.harq_bler_q32[0] = UINT32_MAX / 2;
		run_start(&r);
		for (int t = 0; t < 20000; t += 2) {
			if (t % 200 == 100)
				handover(&r, t / 200 % 2 == 0, MS(t));
			run_push(&r, DOWN, 200, MS(t));
			run_push(&r, 1, 200, MS(t));
		}
		run_until(&r, RUN_FOREVER);
		cell_stats(r.cell, &stats);
		assert_int_equal(stats.handovers, 100);
		check_silence(&r);
		if (mode == CELL_RLC_AM) {
			check_order(&r, 1, 10000);
			check_order(&r, SGW, 10000);
		}
		run_end(&r);
	}
}

/* The end comes while packets are held at the target, one for its UE, one behind others. */
static void test_the_end_gives_back_what_is_held(void **state)
{
	(void)state;
	for (int64_t end_ms = 85; end_ms <= 105; end_ms += 20) {
		struct run r;

		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		handover(&r, 1, MS(50));
		run_push(&r, DOWN, 500, MS(end_ms == 85 ? 70 : 99));
		run_until(&r, MS(end_ms));
		assert_int_equal(run_find(&r, CELL_EV_HO_HOLD, 0, 0)->value, 1);
		run_end(&r);
		assert_int_equal(r.n_delivered, 0);
	}
}

/* No eNB sends one to the S-GW; if one does, it ends there. */
static void test_an_end_marker_at_the_gateway(void **state)
{
	uint8_t packet[CELL_MTU_MAX];
	struct cell_stats stats;
	struct gtpu h;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	h = (struct gtpu){ .src = r.cfg.enb_gtpu_addr[0],
		           .dst = r.cfg.sgw_gtpu_addr,
		           .teid = 1 << 8 | (CELL_TUNNEL_S1 + 1), /* of UE 1, at the S-GW */
		           .type = GTPU_END_MARKER };
	gtpu_pack(&h, 0, packet, 0, packet);
	assert_int_equal(
		cell_push(r.cell, CELL_PORT_SGW, packet, gtpu_header_bytes(&h), 0, RUN_START_NS),
		0);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.pkts_terminated, 1);
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(r.n_dropped, 0);
	run_end(&r);
}

static void test_without_forwarding_the_source_drops(void **state)
{
	struct cell_stats stats;
	size_t lost = 0;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.ho_forwarding = 0;
	run_start(&r);
	stream(&r, DOWN, 60, 90, 3);
	handover(&r, 1, MS(90));
	stream(&r, DOWN, 102, 150, 3);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	/* What comes to the source from the command at 98 ms to the switch at 138, before which
	 * comes a packet of that time; and copies. */
	for (size_t i = 0; i < r.n_dropped; i++) {
		assert_int_equal(r.dropped[i].reason, CELL_DROP_HANDOVER);
		lost += r.dropped[i].tag != 0;
	}
	assert_int_equal(lost, 13);
	assert_int_equal(stats.gtpu_tx[CELL_TUNNEL_X2], 0);
	assert_int_equal(stats.pkts_terminated, 1);
	check_order(&r, 1, 10 + 16 - 13);
	run_end(&r);
}

/* The S-GW's End Marker, the first of both, or the source's gets lost: packets wait 200 ms for it.
 */
static void test_a_lost_end_marker_costs_time_only(void **state)
{
	(void)state;
	for (size_t which = 1; which <= 2; which++) {
		size_t seen = 0, last = 0;
		struct run r;

		/* Which of the packets is it? */
		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		handover(&r, 1, MS(50));
		stream(&r, DOWN, 90, 120, 3);
		run_until(&r, RUN_FOREVER);
		for (size_t i = 0; i < r.n_records; i++)
			if (r.records[i].event == CELL_EV_GTPU_TX && seen < which) {
				last++;
				seen += r.records[i].value == CELL_TUNNEL_END_MARKER;
			}
		run_end(&r);

		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		r.lost = last;
		handover(&r, 1, MS(50));
		stream(&r, DOWN, 90, 120, 3);
		run_until(&r, RUN_FOREVER);
		check_order(&r, 1, 10);
		/* From when the UE came, or the last forwarded packet: at 93 + 4 + 4 + 4. */
		assert_in_range(r.delivered[r.n_delivered - 1].t_ns, MS(300), MS(320));
		run_end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard_procedure),
		cmocka_unit_test(test_fast_path_switch),
		cmocka_unit_test(test_release_waits_for_the_path),
		cmocka_unit_test(test_prediction),
		cmocka_unit_test(test_a_handover_waits_until_its_target_is_prepared),
		cmocka_unit_test(test_a_prediction_expires),
		cmocka_unit_test(test_another_target_than_predicted),
		cmocka_unit_test(test_another_prediction),
		cmocka_unit_test(test_the_next_handover_waits_for_the_end_of_one),
		cmocka_unit_test(test_a_new_c_rnti_that_nobody_has),
		cmocka_unit_test(test_the_target_grants_what_the_ue_has),
		cmocka_unit_test(test_or_the_ue_asks_later),
		cmocka_unit_test(test_am_loses_nothing_in_either_direction),
		cmocka_unit_test(test_what_the_source_forwards),
		cmocka_unit_test(test_copies_are_dropped_as_duplicates),
		cmocka_unit_test(test_um_loses_what_was_begun),
		cmocka_unit_test(test_what_the_target_holds),
		cmocka_unit_test(test_a_failed_link_leaves_its_cell),
		cmocka_unit_test(test_a_hundred_handovers),
		cmocka_unit_test(test_the_end_gives_back_what_is_held),
		cmocka_unit_test(test_an_end_marker_at_the_gateway),
		cmocka_unit_test(test_without_forwarding_the_source_drops),
		cmocka_unit_test(test_a_lost_end_marker_costs_time_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
