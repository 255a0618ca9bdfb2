/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Radio links of LTE that fail: UE 1 is in the cell of the first eNB, and hears the second one or
 * does not. Source: TS 36.300 10.1.6; TS 36.331 5.3.7, 5.3.11
 */
#include "a3.h"
#include "failure.h"

static void keys(struct run *r, enum cell_rlc_mode mode, enum cell_context context)
{
	setup(r, mode, CELL_HO_STANDARD);
	failure_keys(r);
	r->cfg.handover.link_failure.context = (uint8_t)context;
	r->cfg.handover.link_failure.preamble_trans_max = 200; /* T310 is first */
}

static void start_run(struct run *r, enum cell_rlc_mode mode, enum cell_context context)
{
	keys(r, mode, context);
	run_start(r);
	hears(r, 1, 0, GOOD_CDB);
	hears(r, 2, 1, BAD_CDB);
}

static void lose_the_first(struct run *r, int from_ms)
{
	hears(r, from_ms, 0, BAD_CDB);
	hears(r, from_ms + 1, 1, GOOD_CDB);
}

static void test_it_comes_back_where_its_context_is_fetched(void **state)
{
	const struct cell_record *failed;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_FETCH);
	stream(&r, DOWN, 10, 200, 2);
	lose_the_first(&r, 200);
	stream(&r, DOWN, 202, 1200, 10);
	run_until(&r, RUN_FOREVER);
	failed = said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0);
	assert_non_null(failed);
	assert_int_equal(failed->aux, LINK_T310);
	assert_int_equal(said_ns(&r, CELL_RRC_CELL_SELECTED), failed->t_ns + MS(150));
	assert_int_equal(said_ns(&r, CELL_RRC_REESTABLISHED),
	                 said_ns(&r, CELL_RRC_REESTABLISHMENT_REQUEST) + MS(23));
	assert_int_equal(said_ns(&r, CELL_RRC_PATH_SWITCHED),
	                 said_ns(&r, CELL_RRC_REESTABLISHED) + MS(4));
	assert_int_equal(r.n_dropped, dropped(&r, CELL_DROP_DUPLICATE));
	check_order(&r, 1, 95 + 100);
	run_end(&r);
}

static void test_without_a_context_it_starts_again(void **state)
{
	size_t lost;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_PREPARED);
	stream(&r, DOWN, 10, 200, 2);
	lose_the_first(&r, 200);
	stream(&r, DOWN, 202, 1200, 10);
	stream(&r, 1, 1201, 1300, 10);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_SETUP_COMPLETE),
	                 said_ns(&r, CELL_RRC_REESTABLISHMENT_REQUEST) + MS(50));
	lost = dropped(&r, CELL_DROP_RADIO_LINK_FAILURE) + dropped(&r, CELL_DROP_NO_ROUTE);
	assert_in_range(lost, 50, 80);
	assert_int_equal(r.n_dropped, lost);
	assert_in_range(delivered(&r, 1), 95 + 100 - lost, 95 + 100 - lost + 15);
	check_order(&r, 1, delivered(&r, 1));
	check_order(&r, SGW, 10);
	run_end(&r);
}

static void test_it_comes_back_to_its_own_cell(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_PREPARED);
	stream(&r, DOWN, 10, 200, 2);
	hears(&r, 200, 0, BAD_CDB);
	stream(&r, DOWN, 202, 600, 10);
	hears(&r, 650, 0, GOOD_CDB);
	stream(&r, DOWN, 700, 1200, 10);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_REESTABLISHED),
	                 said_ns(&r, CELL_RRC_REESTABLISHMENT_REQUEST) + MS(15));
	assert_null(said(&r, CELL_RRC_PATH_SWITCHED, 0));
	assert_int_equal(r.n_dropped, dropped(&r, CELL_DROP_DUPLICATE));
	check_order(&r, 1, 95 + 40 + 50);
	run_end(&r);
}

static void test_t311_makes_it_idle(void **state)
{
	int64_t failed_ns;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_FETCH);
	hears(&r, 200, 0, BAD_CDB);
	run_until(&r, MS(2999) - 1);
	failed_ns = said_ns(&r, CELL_RRC_RADIO_LINK_FAILURE);
	assert_int_equal(said_ns(&r, CELL_RRC_IDLE), failed_ns + MS(1000));
	hears(&r, 3000, 1, GOOD_CDB);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_SETUP_COMPLETE),
	                 said_ns(&r, CELL_RRC_SETUP_REQUEST) + MS(50));
	run_end(&r);
}

/* The target cannot be heard from 20 ms on: T304 expires. What was forwarded comes back. */
static void test_a_handover_fails_by_t304(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_PREPARED);
	stream(&r, DOWN, 21, 50, 1);
	handover(&r, 1, MS(50));
	stream(&r, DOWN, 51, 1500, 10);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_RADIO_LINK_FAILURE),
	                 said_ns(&r, CELL_RRC_DETACH) + MS(500));
	assert_int_equal(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0)->aux, LINK_T304);
	assert_int_equal(said(&r, CELL_RRC_REESTABLISHED, 0)->enb, 0);
	assert_null(said(&r, CELL_RRC_SYNCHRONISED, 0));
	assert_int_equal(r.n_dropped, dropped(&r, CELL_DROP_DUPLICATE));
	check_order(&r, 1, 29 + 145);
	run_end(&r);
}

static void test_a_command_can_be_lost(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_CONTEXT_FETCH);
	hears(&r, 45, 0, BAD_CDB);
	handover(&r, 1, MS(50));
	run_until(&r, MS(300));
	assert_null(said(&r, CELL_RRC_HANDOVER_COMMAND, 0));
	assert_int_equal(said(&r, CELL_RRC_MESSAGE_LOST, 0)->t_ns, MS(58));
	assert_int_equal(said(&r, CELL_RRC_MESSAGE_LOST, 4)->t_ns, MS(58 + 4 * 45));
	assert_int_equal(said_ns(&r, CELL_RRC_HANDOVER_CANCEL), MS(58 + 4 * 45));
	run_end(&r);
}

/* The eNB does not hear it when it comes first, and hears it when it comes again. */
static void test_a_report_can_be_lost(void **state)
{
	const struct cell_record *lost;
	struct run r;

	(void)state;
	keys(&r, CELL_RLC_AM, CELL_CONTEXT_FETCH);
	r.cfg.handover.a3 =
		(struct cell_a3_cfg){ .on = 1, .offset_cdb = 300, .time_to_trigger_ms = 40 };
	run_start(&r);
	hears(&r, 1, 0, GOOD_CDB);
	hears(&r, 2, 1, GOOD_CDB);
	measure(&r, 100, -10000, -9000);
	hears(&r, 120, 0, BAD_CDB);
	hears(&r, 170, 0, GOOD_CDB);
	run_until(&r, MS(300));
	lost = said(&r, CELL_RRC_MESSAGE_LOST, 0);
	assert_non_null(lost);
	assert_in_range(lost->t_ns, MS(140), MS(160));
	assert_int_equal(lost->node, CELL_NODE_ENB);
	assert_null(said(&r, CELL_RRC_MESSAGE_LOST, 1));
	assert_int_equal(said_ns(&r, CELL_RRC_HANDOVER_REQUEST), lost->t_ns + MS(45));
	run_end(&r);
}

/* All of the uplink is lost. */
static void test_rlc_is_a_cause(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	failure_keys(&r);
	r.cfg.handover.link_failure.context = CELL_CONTEXT_NONE;
	r.cfg.handover.link_failure.preamble_trans_max = 200;
	r.cfg.rlc.am.max_retx_threshold = 1;
	r.cfg.ue[0].bler_ul_q32 = UINT32_MAX;
	run_start(&r);
	run_push(&r, 1, 500, MS(10));
	run_until(&r, MS(6000));
	assert_non_null(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0));
	assert_int_equal(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0)->aux, LINK_RLC);
	run_end(&r);
}

/* Two UEs with one preamble collide each time, as both have an occasion in each sub-frame. */
static void test_random_access_is_a_cause(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_UM, CELL_HO_STANDARD);
	failure_keys(&r);
	r.cfg.handover.link_failure.preamble_trans_max = 3;
	r.cfg.lte.ra.n_preambles = 1;
	r.cfg.lte.ra.backoff_max_ms = 0;
	r.cfg.ue[1].enb = 0;
	run_start(&r);
	run_push(&r, 1, 500, MS(10));
	run_push(&r, 2, 500, MS(10));
	run_until(&r, MS(3000));
	assert_non_null(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0));
	assert_int_equal(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0)->aux, LINK_RANDOM_ACCESS);
	run_end(&r);
}

static void test_what_is_refused(void **state)
{
	const char *field, *range;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_FAST_PATH_SWITCH);
	failure_keys(&r);
	assert_true(cell_cfg_check(&r.cfg, &field, &range) < 0);
	assert_string_equal(field, "handover.link_failure.on");
	assert_string_equal(range, "none but with standard");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_comes_back_where_its_context_is_fetched),
		cmocka_unit_test(test_without_a_context_it_starts_again),
		cmocka_unit_test(test_it_comes_back_to_its_own_cell),
		cmocka_unit_test(test_t311_makes_it_idle),
		cmocka_unit_test(test_a_handover_fails_by_t304),
		cmocka_unit_test(test_a_command_can_be_lost),
		cmocka_unit_test(test_a_report_can_be_lost),
		cmocka_unit_test(test_rlc_is_a_cause),
		cmocka_unit_test(test_random_access_is_a_cause),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
