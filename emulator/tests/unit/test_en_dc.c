/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EN-DC: one bearer over LTE and NR. The eNB has 50 resource blocks, the gNB slots of 0.5 ms in the
 * pattern DDDSU; base station 1 is the gNB. X2 takes 2 ms.
 * Source: TS 37.340 7.2, 10.2.1, 10.3.1; TS 38.323 5.2.2, 5.5; TS 38.425 5.4
 */
#include "nr_run.h"
#include "unit.h"

#define ENB       0
#define GNB       1
#define X2_NS     MS(2)
#define PKTS      400
#define GOOD_CDBM (-9000)
#define BAD_CDBM  (-12500)

static void defaults(struct run *r)
{
	nr_defaults(r, 1);
	r->cfg.system = CELL_SYSTEM_EN_DC;
	r->cfg.n_enb = 2;
	r->cfg.rlc.mode = CELL_RLC_AM;
	r->cfg.pdcp.t_reordering_ms = 200;
	r->cfg.en_dc.x2_us = 2000;
}

static size_t count_in(const struct run *r, enum cell_event event, uint8_t enb)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		n += r->records[i].event == event && r->records[i].enb == enb;
	return n;
}

/* When @msg was sent or heard for the first time. */
static int64_t when(const struct run *r, enum cell_rrc_msg msg)
{
	for (size_t i = 0; i < r->n_records; i++)
		if (r->records[i].event == CELL_EV_RRC && r->records[i].value == (int)msg)
			return r->records[i].t_ns;
	fail_msg("no such message");
	return 0;
}

static void push_many(struct run *r, uint8_t port, int n, int64_t t_ns)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(run_push(r, port, 1400, t_ns), 0);
}

/* What the SCG had, and was not acknowledged, is sent again, and what comes twice is dropped. */
static void assert_all_in_order(const struct run *r, size_t n)
{
	for (size_t i = 0; i < r->n_dropped; i++)
		assert_int_equal(r->dropped[i].reason, CELL_DROP_DUPLICATE);
	assert_int_equal(r->n_delivered, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(r->delivered[i].tag, i + 1);
}

static void measure(struct run *r, int32_t rsrp_cdbm, int64_t t_ns)
{
	const struct cell_cmd cmd = {
		.type = CELL_CMD_MEASURE, .ue = 1, .enb = GNB, .rsrp_cdbm = rsrp_cdbm
	};

	run_until(r, t_ns);
	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

/* A packet takes the cell group that begins with it first. */
static void test_one_packet_takes_nr(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	run_start(&r);
	run_push(&r, TO_UE(1), 1400, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_all_in_order(&r, 1);
	assert_int_equal(r.delivered[0].t_ns, SLOT(3) + UE_DECODE_NS);
	assert_int_equal(count_in(&r, CELL_EV_RLC_TX, GNB), 1);
	assert_int_equal(count_in(&r, CELL_EV_RLC_TX, ENB), 0);
	run_end(&r);
}

/* Many take both, and come in order. */
static void test_many_packets_take_both(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.nr.phy.bandwidth_mhz = 5;
	r.cfg.nr.phy.numerology = 0;
	r.cfg.nr.mac.sr_period_slots = 10;
	run_start(&r);
	push_many(&r, TO_UE(1), PKTS, MS(1));
	run_until(&r, RUN_FOREVER);
	assert_all_in_order(&r, PKTS);
	assert_true(count_in(&r, CELL_EV_RLC_TX, GNB) > PKTS / 5);
	assert_true(count_in(&r, CELL_EV_RLC_TX, ENB) > PKTS / 5);
	run_end(&r);
}

static void test_uplink_takes_the_primary_path(void **state)
{
	static const uint8_t paths[] = { CELL_GROUP_MCG, CELL_GROUP_SCG };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run r;

		defaults(&r);
		r.cfg.en_dc.ul_primary_path = paths[i];
		run_start(&r);
		push_many(&r, 1, 20, MS(1));
		run_until(&r, RUN_FOREVER);
		assert_all_in_order(&r, 20);
		assert_int_equal(count_in(&r, CELL_EV_RLC_TX, i ? ENB : GNB), 0);
		run_end(&r);
	}
}

/* What LTE has of the uplink takes X2 to PDCP. */
static void test_uplink_of_lte_takes_x2(void **state)
{
	int64_t came_ns[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run r;

		defaults(&r);
		r.cfg.en_dc.ul_primary_path = CELL_GROUP_MCG;
		r.cfg.en_dc.x2_us = i ? 2000 : 0;
		run_start(&r);
		run_push(&r, 1, 1400, MS(1));
		run_until(&r, RUN_FOREVER);
		came_ns[i] = r.delivered[0].t_ns;
		run_end(&r);
	}
	assert_int_equal(came_ns[1], came_ns[0] + X2_NS);
}

static void measured(struct run *r)
{
	defaults(r);
	r->cfg.en_dc.scg.on = 1;
	r->cfg.en_dc.scg.time_to_trigger_ms = 40;
}

/* B1, a request and its answer, the command, random access: then NR carries packets, and no
 * sooner. */
static void test_scg_is_added(void **state)
{
	struct run r;
	int64_t asked_ns;

	(void)state;
	measured(&r);
	run_start(&r);
	push_many(&r, TO_UE(1), 10, MS(1));
	measure(&r, GOOD_CDBM, MS(100));
	run_until(&r, MS(400));
	asked_ns = when(&r, CELL_RRC_SGNB_ADDITION_REQUEST);
	assert_int_equal(asked_ns, MS(140));
	assert_int_equal(when(&r, CELL_RRC_SGNB_ADDITION_REQUEST_ACK), asked_ns + X2_NS);
	assert_int_equal(when(&r, CELL_RRC_SCG_CONFIGURATION), asked_ns + 2 * X2_NS);
	assert_true(when(&r, CELL_RRC_SYNCHRONISED) >= asked_ns + 2 * X2_NS + MS(62));
	assert_int_equal(count_in(&r, CELL_EV_RLC_TX, GNB), 0);
	assert_int_equal(count_in(&r, CELL_EV_RA_PREAMBLE, GNB), 1);
	push_many(&r, TO_UE(1), 10, MS(400));
	run_until(&r, RUN_FOREVER);
	assert_all_in_order(&r, 20);
	assert_true(count_in(&r, CELL_EV_RLC_TX, GNB) >= 10);
	run_end(&r);
}

/* What NR has when it is released goes by LTE: nothing is lost, nothing comes twice. */
static void test_scg_is_released(void **state)
{
	struct run r;

	(void)state;
	measured(&r);
	r.cfg.nr.phy.bandwidth_mhz = 5;
	run_start(&r);
	measure(&r, GOOD_CDBM, MS(10));
	measure(&r, BAD_CDBM, MS(300));
	measure(&r, BAD_CDBM, MS(301));
	measure(&r, BAD_CDBM, MS(302));
	measure(&r, BAD_CDBM, MS(303));
	push_many(&r, TO_UE(1), PKTS, MS(335));
	push_many(&r, 1, PKTS, MS(335));
	run_until(&r, RUN_FOREVER);
	assert_true(when(&r, CELL_RRC_SCG_RELEASE) > MS(340));
	assert_int_equal(r.n_delivered, 2 * PKTS);
	for (size_t i = 0; i < r.n_dropped; i++)
		assert_int_equal(r.dropped[i].reason, CELL_DROP_DUPLICATE);
	assert_true(count_in(&r, CELL_EV_RLC_TX, GNB) > 0);
	run_end(&r);
}

/* A UE that does not reach the gNB gives up at T307, and is released. */
static void test_access_fails(void **state)
{
	const struct cell_cmd lost = {
		.type = CELL_CMD_CHANNEL, .ue = 1, .enb = GNB, .dir = CELL_DIR_UL, .cqi = 0
	};
	struct run r;

	(void)state;
	measured(&r);
	run_start(&r);
	measure(&r, GOOD_CDBM, MS(10));
	assert_int_equal(run_cmd(&r, &lost, MS(10)), 0);
	run_until(&r, MS(1200));
	assert_int_equal(when(&r, CELL_RRC_SCG_FAILURE_INFORMATION),
	                 when(&r, CELL_RRC_SCG_CONFIGURATION) + MS(1000));
	assert_int_equal(when(&r, CELL_RRC_SCG_RELEASE),
	                 when(&r, CELL_RRC_SCG_FAILURE_INFORMATION) + X2_NS);
	push_many(&r, TO_UE(1), 10, MS(1200));
	run_until(&r, MS(2000));
	assert_all_in_order(&r, 10);
	run_end(&r);
}

/* The link to the gNB is as bad as can be in both directions. */
static void lose_link(struct run *r, int64_t t_ns)
{
	for (int d = 0; d < 2; d++) {
		const struct cell_cmd lost = { .type = CELL_CMD_CHANNEL,
			                       .ue = 1,
			                       .enb = GNB,
			                       .dir = (uint8_t)d,
			                       .sinr_cdb = -2000 };

		assert_int_equal(run_cmd(r, &lost, t_ns), 0);
	}
}

/* The link to the gNB is lost under load: T310, then all goes by LTE. Until then PDCP has to wait.
 */
static void test_link_fails(void **state)
{
	struct run r;

	(void)state;
	measured(&r);
	r.cfg.pdcp.t_reordering_infinite = 1;
	run_start(&r);
	measure(&r, GOOD_CDBM, MS(10));
	run_until(&r, MS(200));
	lose_link(&r, MS(200));
	push_many(&r, TO_UE(1), 100, MS(205));
	run_until(&r, MS(3000));
	assert_true(when(&r, CELL_RRC_SCG_FAILURE_INFORMATION) >= MS(1200));
	assert_all_in_order(&r, 100);
	run_end(&r);
}

/* Without measurements only RLC fails: the gNB is asked again, and nobody reports any. */
static void test_link_fails_without_measurements(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.rlc.am.max_retx_threshold = 1;
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX / 2;
	run_start(&r);
	push_many(&r, TO_UE(1), 100, MS(10));
	run_until(&r, MS(3000));
	assert_true(when(&r, CELL_RRC_SGNB_ADDITION_REQUEST) >= when(&r, CELL_RRC_SCG_RELEASE));
	for (size_t i = 0; i < r.n_records; i++)
		assert_false(r.records[i].event == CELL_EV_RRC &&
		             r.records[i].value == CELL_RRC_MEASUREMENT_REPORT);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_packet_takes_nr),
		cmocka_unit_test(test_many_packets_take_both),
		cmocka_unit_test(test_uplink_takes_the_primary_path),
		cmocka_unit_test(test_uplink_of_lte_takes_x2),
		cmocka_unit_test(test_scg_is_added),
		cmocka_unit_test(test_scg_is_released),
		cmocka_unit_test(test_access_fails),
		cmocka_unit_test(test_link_fails),
		cmocka_unit_test(test_link_fails_without_measurements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
