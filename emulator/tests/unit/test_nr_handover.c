/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handovers of UE 1 from the first gNB to the second, in slots of 0.5 ms in the pattern DDDSU: each
 * message at its time, and no packet lost. Messages take 4 ms one way, tunnels too. A UE takes 10
 * ms to process a command and 20 ms to be ready, waits for the next SSB, at multiples of 20 ms, and
 * 2 ms more. Source: TS 38.300 9.2.3.2, 9.2.3.4; TS 38.133 6.1.1.2, 6.1.4
 */
#include "nr_handover.h"

/*
 * The command comes at 58. 30 ms later is 88, the next SSB at 100, and the UE is ready at 102: slot
 * 204, which is an occasion (the first uplink slot is 4, the period 20). The answer is in slot 208.
 * Message 3 is in the first uplink slot from 208 + 4 + 3 on, 219; the gNB has it 0.25 ms after its
 * end at 110.
 */
static void test_standard_procedure(void **state)
{
	static const struct step messages[] = {
		{ MS(50), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(58), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(58), CELL_RRC_DETACH, 1, 0, 1 },
		{ MS(58), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ SLOT(208), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(110) + GNB_DECODE, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(110) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		{ MS(114) + GNB_DECODE, CELL_RRC_PATH_SWITCHED, SGW, 0, 1 },
		{ MS(114) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST_ACK, SGW, 0, 1 },
		{ MS(118) + GNB_DECODE, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, messages, COUNT(messages));
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.handovers, 1);
	assert_int_equal(stats.path_switches, 1);
	run_end(&r);
}

/*
 * Prepared from 20 to 28; the condition holds at 50. The UE leaves at 60, waits for the SSB at 80
 * and is ready at 82: slot 164, an occasion. So the answer is in slot 168, message 3 in slot 179,
 * whose end is at 90, and the source knows 4 ms later.
 */
static void test_conditional_procedure(void **state)
{
	static const struct step messages[] = {
		{ MS(20), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(24), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(28), CELL_RRC_CONDITIONAL_RECONFIGURATION, 0, 0, 1 },
		{ MS(50), CELL_RRC_CONDITION_MET, 1, 0, 1 },
		{ MS(60), CELL_RRC_DETACH, 1, 0, 1 },
		{ SLOT(168), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(90) + GNB_DECODE, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(90) + GNB_DECODE, CELL_RRC_HANDOVER_SUCCESS, 0, 1, 0 },
		{ MS(90) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		{ MS(94) + GNB_DECODE, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ MS(94) + GNB_DECODE, CELL_RRC_PATH_SWITCHED, SGW, 0, 1 },
		{ MS(94) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST_ACK, SGW, 0, 1 },
		{ MS(98) + GNB_DECODE, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_CONDITIONAL);
	run_start(&r);
	predict(&r, 1, MS(20));
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, messages, COUNT(messages));
	run_end(&r);
}

/* The condition holds before the target is prepared, which takes until 58. */
static void test_a_condition_waits_until_its_target_is_prepared(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_CONDITIONAL);
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 0)->value, CELL_RRC_CONDITION_MET);
	assert_int_equal(run_find(&r, CELL_EV_RRC, 1, 0)->t_ns, MS(58));
	run_end(&r);
}

/* Nothing is sent to or by a UE between its detachment and its synchronisation. */
static void check_silence(const struct run *r)
{
	int64_t from = run_find(r, CELL_EV_RRC, 1, 0)->t_ns, until = 0;

	for (size_t i = 0; i < r->n_records; i++) {
		const struct cell_record *row = &r->records[i];

		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_DETACH)
			from = row->t_ns;
		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_SYNCHRONISED)
			until = row->t_ns;
	}
	assert_true(until > from);
	for (size_t i = 0; i < r->n_records; i++) {
		const struct cell_record *row = &r->records[i];

		if (row->event == CELL_EV_MAC_TX && (row->node == 1 || row->peer == 1))
			assert_true(row->t_ns <= from || row->t_ns >= until);
	}
}

/* Packets both ways, before, during and after a handover and back. */
static void lossless(enum cell_ho_procedure procedure, bool errors, bool report)
{
	struct run r;

	nr_setup(&r, CELL_RLC_AM, procedure);
	r.cfg.pdcp.status_report = report;
	if (errors)
		nr_fails_once(&r);
	run_start(&r);
	for (int t = 2; t < 200; t++) {
		run_push(&r, DOWN, 1000, MS(t));
		run_push(&r, 1, 700, MS(t));
		if (t == 40 && procedure == CELL_HO_CONDITIONAL)
			predict(&r, 1, MS(t));
		if (t == 60)
			handover(&r, 1, MS(t));
	}
	run_until(&r, RUN_FOREVER);
	check_silence(&r);
	check_order(&r, 1, 198);
	check_order(&r, CELL_PORT_SGW, 198);
	assert_true(count_records(&r, CELL_EV_HO_FORWARD) > 30);
	run_end(&r);
}

static void test_am_loses_nothing_and_keeps_the_order(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++)
		lossless(i & 1 ? CELL_HO_CONDITIONAL : CELL_HO_STANDARD, i & 2, i & 4);
}

/* What UM had sent may be lost; what it had not is forwarded, and nothing comes twice. */
static void test_um_keeps_the_order(void **state)
{
	struct run r;
	uint64_t before = 0;

	(void)state;
	nr_setup(&r, CELL_RLC_UM, CELL_HO_STANDARD);
	nr_fails_once(&r);
	run_start(&r);
	handover(&r, 1, MS(50));
	stream(&r, DOWN, 51, 200, 1);
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_delivered; i++)
		if (r.delivered[i].ue == 1) {
			assert_true(r.delivered[i].tag > before);
			before = r.delivered[i].tag;
		}
	assert_true(r.n_delivered >= 140 && r.n_delivered <= 149);
	run_end(&r);
}

/* Without a status report what the UE has comes again, and PDCP notices. */
static void test_duplicates_are_told_apart(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.pdcp.status_report = false;
	r.cfg.rlc.am.t_status_prohibit_ms = 50; /* acknowledgments are late */
	run_start(&r);
	handover(&r, 1, MS(50));
	stream(&r, DOWN, 51, 70, 1);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_true(stats.pkts_dropped[CELL_DROP_DUPLICATE] > 0);
	check_order(&r, 1, 19);
	run_end(&r);
}

static size_t count_of_drops(const struct run *r, enum cell_drop reason)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_dropped; i++)
		n += r->dropped[i].reason == reason;
	return n;
}

/*
 * Packets that wait when the UE leaves are not in the source's queue any more: when it has come
 * back, and each packet leaves at once, nothing is dropped. Until it leaves the controller drops,
 * as more comes than the cell carries.
 */
static void with_queue_management(enum cell_ho_procedure procedure)
{
	size_t before;
	struct run r;

	nr_setup(&r, CELL_RLC_AM, procedure);
	r.cfg.nr.aqm.mode = CELL_AQM_DUALPI2;
	r.cfg.nr.phy.bandwidth_mhz = 10;
	r.cfg.ue[0].cqi_dl = 1;
	run_start(&r);
	for (int t = 0; t < 900; t++) {
		run_push(&r, DOWN, 1400, MS(t) / 2);
		if (t == 800)
			handover(&r, 1, MS(400));
	}
	run_until(&r, MS(4000));
	before = count_of_drops(&r, CELL_DROP_AQM);
	assert_true(before > 0);
	handover(&r, 0, MS(4000));
	stream(&r, DOWN, 4200, 4500, 20);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(count_of_drops(&r, CELL_DROP_AQM), before);
	assert_int_equal(r.n_dropped, before + count_of_drops(&r, CELL_DROP_DUPLICATE));
	run_end(&r);
}

static void test_a_queue_that_was_left_is_empty(void **state)
{
	(void)state;
	with_queue_management(CELL_HO_STANDARD);
	with_queue_management(CELL_HO_DAPS);
}

/* A packet on NG-U has its QoS flow, and one on Xn-U its SN of 18 bits or its flow. */
static void test_two_handovers_in_a_row(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	run_start(&r);
	handover(&r, 1, MS(50));
	handover(&r, 0, MS(51)); /* waits for the end of the first */
	stream(&r, DOWN, 52, 400, 2);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.handovers, 2);
	check_order(&r, 1, 174);
	run_end(&r);
}

/*
 * The path is switched at 114, as in test_standard_procedure(). Two more End Markers follow 100 ms
 * apart. The last one is waited for during 200 ms, and until then the next handover waits.
 */
static void test_a_handover_waits_for_the_last_end_marker(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.end_markers = 3;
	r.cfg.handover.end_marker_gap_ms = 100;
	run_start(&r);
	handover(&r, 1, MS(50));
	handover(&r, 0, MS(51));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_records; i++)
		if (r.records[i].event == CELL_EV_RRC &&
		    r.records[i].value == CELL_RRC_HANDOVER_DECISION)
			t_ns = r.records[i].t_ns;
	assert_int_equal(t_ns, MS(114) + MS(200) + MS(200) + GNB_DECODE);
	run_end(&r);
}

/* C-RNTIs end with 65519. */
static void test_a_new_c_rnti_that_nobody_has(void **state)
{
	static const struct {
		uint16_t first, second, becomes;
	} cases[] = { { 61, 90, 91 }, { 65519, 2, 1 }, { 65518, 1, 65519 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run r;

		nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		r.cfg.n_ue = 2;
		r.cfg.ue[1] = r.cfg.ue[0];
		r.cfg.ue[0].rnti = cases[i].first;
		r.cfg.ue[1].rnti = cases[i].second;
		run_start(&r);
		handover(&r, 1, MS(50));
		run_push(&r, 1, 100, MS(150));
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.pdus[r.n_pdus - 1].rnti, cases[i].becomes);
		assert_int_equal(r.pdus[r.n_pdus - 1].enb, 1);
		run_end(&r);
	}
}

/*
 * All that waits when the UE leaves is in its second bearer, and message 3 has no room for it. So
 * message 3, at its time in test_standard_procedure(), tells the new cell of it.
 */
static void test_what_waits_is_reported_to_the_new_cell(void **state)
{
	struct cell_bearer_cfg bearer;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_UM, CELL_HO_STANDARD);
	bearer = cell_cfg_bearer(&r.cfg);
	bearer.ue = 1;
	bearer.n_filters = 1;
	bearer.filter[0] =
		(struct cell_filter){ .protocol = CELL_PROTOCOL_TCP, .dscp = CELL_DSCP_ANY };
	r.cfg.bearer = &bearer;
	r.cfg.n_bearers = 1;
	run_start(&r);
	handover(&r, 1, MS(50));
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 1000, MS(57));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0)->t_ns,
	                 MS(110) + GNB_DECODE);
	check_order(&r, CELL_PORT_SGW, 10);
	run_end(&r);
}

static void test_what_does_not_go_together(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_PREDICTION);
	check_refused(&r, "handover.procedure", "standard, conditional or daps");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.condition.on = 1;
	check_refused(&r, "handover.condition.on", "none without a conditional procedure");
	nr_setup(&r, CELL_RLC_TM, CELL_HO_STANDARD);
	check_refused(&r, "rlc.mode", "um or am with several gNBs");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.gtpu.sgw_addr = 0;
	check_refused(&r, "n_enb", "1 without an S-GW");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.nr.mac.configured_grant = CELL_CG_TYPE1;
	check_refused(&r, "nr.mac.configured_grant", "none with several gNBs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard_procedure),
		cmocka_unit_test(test_conditional_procedure),
		cmocka_unit_test(test_a_condition_waits_until_its_target_is_prepared),
		cmocka_unit_test(test_am_loses_nothing_and_keeps_the_order),
		cmocka_unit_test(test_um_keeps_the_order),
		cmocka_unit_test(test_duplicates_are_told_apart),
		cmocka_unit_test(test_two_handovers_in_a_row),
		cmocka_unit_test(test_a_handover_waits_for_the_last_end_marker),
		cmocka_unit_test(test_a_queue_that_was_left_is_empty),
		cmocka_unit_test(test_a_new_c_rnti_that_nobody_has),
		cmocka_unit_test(test_what_waits_is_reported_to_the_new_cell),
		cmocka_unit_test(test_what_does_not_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
