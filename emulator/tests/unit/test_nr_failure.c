/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Radio links of NR that fail: UE 1 is in the cell of the first gNB, and hears the second one or
 * does not. Source: TS 38.300 9.2.3.3; TS 38.331 5.3.7, 5.3.10
 */
#include "failure.h"
#include "nr_handover.h"

static void set_up(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure,
                   enum cell_context context)
{
	nr_setup(r, mode, procedure);
	failure_keys(r);
	r->cfg.handover.link_failure.context = (uint8_t)context;
}

static void begin(struct run *r)
{
	run_start(r);
	hears(r, 1, 0, GOOD_CDB);
	hears(r, 2, 1, BAD_CDB);
}

static void start_run(struct run *r, enum cell_rlc_mode mode, enum cell_ho_procedure procedure,
                      enum cell_context context)
{
	set_up(r, mode, procedure, context);
	begin(r);
}

/* Bad from 200 on: frames until 210 are good, T310 expires at 580 or so; the UE finds the second
 * gNB.
 */
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
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_FETCH);
	stream(&r, DOWN, 10, 200, 2);
	lose_the_first(&r, 200);
	stream(&r, DOWN, 202, 1200, 10);
	run_until(&r, RUN_FOREVER);
	failed = said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0);
	assert_non_null(failed);
	assert_int_equal(failed->aux, LINK_T310);
	assert_int_equal(failed->enb, 0);
	assert_null(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 1));
	assert_in_range(failed->t_ns, MS(540), MS(600));
	assert_int_equal(said_ns(&r, CELL_RRC_CELL_SELECTED), failed->t_ns + MS(150));
	/* 15 ms and two messages of 4 ms after the request */
	assert_int_equal(said_ns(&r, CELL_RRC_REESTABLISHED),
	                 said_ns(&r, CELL_RRC_REESTABLISHMENT_REQUEST) + MS(23));
	assert_int_equal(said_ns(&r, CELL_RRC_PATH_SWITCHED),
	                 said_ns(&r, CELL_RRC_REESTABLISHED) + MS(4));
	assert_null(said(&r, CELL_RRC_IDLE, 0));
	assert_int_equal(r.n_dropped, dropped(&r, CELL_DROP_DUPLICATE));
	check_order(&r, 1, 95 + 100);
	run_end(&r);
}

/* Nobody has asked the second gNB, so it has no context: the UE sets up a connection, and what
 * waited is lost. */
static void test_without_a_context_it_starts_again(void **state)
{
	size_t lost;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_PREPARED);
	stream(&r, DOWN, 10, 200, 2);
	lose_the_first(&r, 200);
	stream(&r, DOWN, 202, 1200, 10);
	stream(&r, 1, 1201, 1300, 10);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_SETUP_COMPLETE),
	                 said_ns(&r, CELL_RRC_REESTABLISHMENT_REQUEST) + MS(50));
	lost = dropped(&r, CELL_DROP_RADIO_LINK_FAILURE) + dropped(&r, CELL_DROP_NO_ROUTE);
	assert_in_range(lost, 50, 75); /* from 200 until it has a connection */
	assert_int_equal(r.n_dropped, lost);
	/* Among them are an End Marker, and copies of what the UE has. */
	assert_in_range(delivered(&r, 1), 95 + 100 - lost, 95 + 100 - lost + 10);
	check_order(&r, 1, delivered(&r, 1));
	check_order(&r, CELL_PORT_SGW, 10);
	run_end(&r);
}

/* The first gNB is there again before the UE has selected a cell. */
static void test_it_comes_back_to_its_own_cell(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_PREPARED);
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

/* No cell until T311 expires: the UE is idle, and connects when there is one. */
static void test_t311_makes_it_idle(void **state)
{
	int64_t failed_ns;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_FETCH);
	hears(&r, 200, 0, BAD_CDB);
	run_until(&r, MS(2999) - 1);
	failed_ns = said_ns(&r, CELL_RRC_RADIO_LINK_FAILURE);
	assert_int_equal(said_ns(&r, CELL_RRC_IDLE), failed_ns + MS(1000));
	assert_null(said(&r, CELL_RRC_CELL_SELECTED, 0));
	hears(&r, 3000, 1, GOOD_CDB);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(said_ns(&r, CELL_RRC_CELL_SELECTED), MS(3000));
	assert_int_equal(said_ns(&r, CELL_RRC_SETUP_COMPLETE),
	                 said_ns(&r, CELL_RRC_SETUP_REQUEST) + MS(50));
	assert_null(said(&r, CELL_RRC_REESTABLISHMENT_REQUEST, 0));
	run_end(&r);
}

/* It hears the second gNB, which does not hear it: T301 expires, and again. */
static void test_t301_makes_it_idle(void **state)
{
	struct cell_cmd deaf = { .type = CELL_CMD_CHANNEL,
		                 .ue = 1,
		                 .enb = 1,
		                 .dir = CELL_DIR_UL,
		                 .cqi = 0,
		                 .sinr_cdb = -3000 };
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_FETCH);
	lose_the_first(&r, 200);
	run_until(&r, MS(210));
	assert_int_equal(run_cmd(&r, &deaf, MS(210)), 0);
	run_until(&r, MS(1200));
	assert_int_equal(said_ns(&r, CELL_RRC_IDLE), said_ns(&r, CELL_RRC_CELL_SELECTED) + MS(400));
	hears(&r, 1500, 1, GOOD_CDB);
	run_until(&r, RUN_FOREVER);
	assert_non_null(said(&r, CELL_RRC_SETUP_COMPLETE, 0));
	run_end(&r);
}

/* The target is not there any more when the UE comes: T304 expires, and it comes back. What was
 * forwarded comes back, too. */
static void test_a_handover_fails_by_t304(void **state)
{
	int64_t left_ns;
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_PREPARED);
	hears(&r, 20, 1, BAD_CDB);
	stream(&r, DOWN, 21, 50, 1);
	handover(&r, 1, MS(50));
	stream(&r, DOWN, 51, 1500, 10);
	run_until(&r, RUN_FOREVER);
	left_ns = said_ns(&r, CELL_RRC_DETACH);
	assert_int_equal(said_ns(&r, CELL_RRC_RADIO_LINK_FAILURE), left_ns + MS(500));
	assert_int_equal(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0)->aux, LINK_T304);
	assert_int_equal(said(&r, CELL_RRC_REESTABLISHED, 0)->enb, 0);
	assert_non_null(said(&r, CELL_RRC_HANDOVER_CANCEL, 0));
	assert_null(said(&r, CELL_RRC_SYNCHRONISED, 0));
	assert_int_equal(r.n_dropped, dropped(&r, CELL_DROP_DUPLICATE));
	check_order(&r, 1, 29 + 145);
	run_end(&r);
}

/* A command that is never heard: the source gives up after it and four more, 45 ms apart. */
static void test_a_command_can_be_lost(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_FETCH);
	hears(&r, 45, 0, BAD_CDB);
	handover(&r, 1, MS(50));
	run_until(&r, MS(300));
	assert_null(said(&r, CELL_RRC_HANDOVER_COMMAND, 0));
	assert_int_equal(said(&r, CELL_RRC_MESSAGE_LOST, 0)->t_ns, MS(58));
	assert_int_equal(said(&r, CELL_RRC_MESSAGE_LOST, 4)->t_ns, MS(58 + 4 * 45));
	assert_null(said(&r, CELL_RRC_MESSAGE_LOST, 5));
	assert_int_equal(said_ns(&r, CELL_RRC_HANDOVER_CANCEL), MS(58 + 4 * 45));
	run_end(&r);
}

/* Or is heard in the end. The target was prepared, and has the context where the UE comes too late.
 */
static void test_too_late_for_a_command(void **state)
{
	struct run r;

	(void)state;
	set_up(&r, CELL_RLC_AM, CELL_HO_STANDARD, CELL_CONTEXT_PREPARED);
	r.cfg.handover.link_failure.rrc_retx = 32;
	begin(&r);
	lose_the_first(&r, 200);
	handover(&r, 1, MS(205));
	run_until(&r, RUN_FOREVER);
	assert_null(said(&r, CELL_RRC_HANDOVER_COMMAND, 0));
	assert_int_equal(said(&r, CELL_RRC_REESTABLISHED, 0)->enb, 1);
	assert_null(said(&r, CELL_RRC_SETUP_COMPLETE, 0));
	run_end(&r);
}

/* Prepared before, a UE leaves by itself when the source cannot be heard any more. */
static void test_a_conditional_handover_needs_no_command(void **state)
{
	struct run r;

	(void)state;
	start_run(&r, CELL_RLC_AM, CELL_HO_CONDITIONAL, CELL_CONTEXT_PREPARED);
	predict(&r, 1, MS(20));
	lose_the_first(&r, 200);
	handover(&r, 1, MS(205));
	run_until(&r, RUN_FOREVER);
	assert_null(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0));
	assert_int_equal(said(&r, CELL_RRC_SYNCHRONISED, 0)->enb, 1);
	run_end(&r);
}

/* RLC of the UE gives up: what it sends is never acknowledged. */
static void test_rlc_is_a_cause(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	failure_keys(&r);
	r.cfg.handover.link_failure.context = CELL_CONTEXT_NONE;
	r.cfg.rlc.am.max_retx_threshold = 1;
	r.cfg.ue[0].bler_ul_q32 = UINT32_MAX;
	run_start(&r);
	run_push(&r, 1, 500, MS(10));
	run_until(&r, MS(3000));
	assert_int_equal(said(&r, CELL_RRC_RADIO_LINK_FAILURE, 0)->aux, LINK_RLC);
	run_end(&r);
}

static void test_what_is_refused(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	failure_keys(&r);
	check_refused(&r, "handover.link_failure.on", "none with daps, or with one gNB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_comes_back_where_its_context_is_fetched),
		cmocka_unit_test(test_without_a_context_it_starts_again),
		cmocka_unit_test(test_it_comes_back_to_its_own_cell),
		cmocka_unit_test(test_t311_makes_it_idle),
		cmocka_unit_test(test_t301_makes_it_idle),
		cmocka_unit_test(test_a_handover_fails_by_t304),
		cmocka_unit_test(test_a_command_can_be_lost),
		cmocka_unit_test(test_too_late_for_a_command),
		cmocka_unit_test(test_a_conditional_handover_needs_no_command),
		cmocka_unit_test(test_rlc_is_a_cause),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
