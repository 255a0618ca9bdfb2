/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handovers of UE 1 from the first eNB to the second: each message at its time, and the UE in its
 * new cell. Messages take 4 ms one way, tunnels too, a UE is 30 ms between the cells. Source:
 * TS 36.300 10.1.2.1.1; Pacifico, Figures 2, 5, 6
 */
#include "handover.h"

/* --- messages --- */

static void test_standard_procedure(void **state)
{
	static const struct step steps[] = {
		{ MS(50), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(58), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(58), CELL_RRC_DETACH, 1, 0, 1 },
		{ MS(58), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ MS(88), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(94), CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(94), CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(MS(98), 1),
		{ MS(102), CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
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
		{ MS(50), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(58), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(58), CELL_RRC_DETACH, 1, 0, 1 },
		{ MS(58), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ MS(58), CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 1 },
		SWITCHED(MS(62), 1),
		{ MS(88), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(94), CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(94), CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
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
	r.cfg.handover.signalling_us = 40000;
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
		{ MS(50), CELL_RRC_PREDICTED, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(54), CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(MS(58), 1),
		{ MS(180), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(180), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(180), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(180), CELL_RRC_DETACH, 1, 0, 1 },
		{ MS(180), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ MS(210), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(216), CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(216), CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
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
		{ MS(50), CELL_RRC_PREDICTED, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(53), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(53), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(54), CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		{ MS(58), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(58), CELL_RRC_DETACH, 1, 0, 1 },
		{ MS(58), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		SWITCHED(MS(58), 1),
		{ MS(88), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(94), CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(94), CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
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
		{ MS(50), CELL_RRC_PREDICTED, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(54), CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(MS(58), 1),
		{ MS(1150), CELL_RRC_PREDICTION_EXPIRED, 0, 0, 1 },
		{ MS(1150), CELL_RRC_HANDOVER_CANCEL, 0, 0, 1 },
		{ MS(1150), CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 0 },
		SWITCHED(MS(1154), 0),
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
	r->cfg.gtpu.enb_addr[2] = r->cfg.gtpu.enb_addr[1] + 1;
	run_start(r);
}

/* The prediction is given up: the path comes back, and with it all that the predicted eNB got. */
static void test_another_target_than_predicted(void **state)
{
	static const struct step steps[] = {
		{ MS(50), CELL_RRC_PREDICTED, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(54), CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		SWITCHED(MS(58), 1),
		{ MS(150), CELL_RRC_PREDICTION_EXPIRED, 0, 0, 1 },
		{ MS(150), CELL_RRC_HANDOVER_CANCEL, 0, 0, 1 },
		{ MS(150), CELL_RRC_PATH_SWITCH_REQUEST, 0, 0, 0 },
		SWITCHED(MS(154), 0),
		/* Settled with the End Marker that the S-GW sent to the eNB it had switched to. */
		{ MS(162), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 2 },
		{ MS(162), CELL_RRC_HANDOVER_DECISION, 0, 0, 2 },
		{ MS(162), CELL_RRC_HANDOVER_REQUEST, 0, 0, 2 },
		{ MS(166), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 2, 0 },
		{ MS(170), CELL_RRC_HANDOVER_COMMAND, 0, 0, 2 },
		{ MS(170), CELL_RRC_DETACH, 1, 0, 2 },
		{ MS(170), CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 2 },
		{ MS(200), CELL_RRC_SYNCHRONISED, 1, 2, 0 },
		{ MS(206), CELL_RRC_HANDOVER_CONFIRM, 0, 2, 0 },
		{ MS(206), CELL_RRC_PATH_SWITCH_REQUEST, 0, 2, 2 },
		SWITCHED(MS(210), 2),
		{ MS(214), CELL_RRC_RELEASE_RESOURCE, 0, 2, 0 },
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
	} cases[] = { { 61, 62, 63 },  { 90, 62, 91 },  { 61, 90, 91 },
		      { 1, 65523, 2 }, { 65523, 2, 1 }, { 65522, 1, 65523 } };

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
	const struct cell_cmd lost = { .type = CELL_CMD_CHANNEL, .ue = 1, .enb = 1 };
	const struct cell_cmd back = { .type = CELL_CMD_CHANNEL, .ue = 1, .cqi = 15, .enb = 1 };
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
