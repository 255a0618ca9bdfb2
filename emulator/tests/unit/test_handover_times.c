/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of handovers that are drawn: by the quantiles of a configuration, and in their place. */
#include "handover.h"
#include "ran/handover/times.h"

#define N_DRAWS 20000

/* Execution of LTE handovers as it was measured. */
static const struct cell_times_cfg field = { 1, 26, 30, 34, 39, 62, 94 };

static void test_draws_have_the_quantiles(void **state)
{
	static const struct {
		uint16_t ms;
		uint8_t percent;
	} expected[] = { { 26, 5 }, { 30, 25 }, { 34, 50 }, { 39, 75 }, { 62, 95 } };
	uint32_t below[COUNT(expected)] = { 0 };
	struct handover_times t;

	(void)state;
	times_init(&t, 7, 1);
	for (int i = 0; i < N_DRAWS; i++) {
		int64_t ns = times_draw_ns(&field, &t.detach_rng);

		assert_in_range(ns, MS(26), MS(94));
		for (size_t k = 0; k < COUNT(expected); k++)
			below[k] += ns <= MS(expected[k].ms);
	}
	for (size_t k = 0; k < COUNT(expected); k++) /* 1 %: more than three deviations */
		assert_in_range(below[k] * 100 + N_DRAWS, expected[k].percent * N_DRAWS,
		                (expected[k].percent + 2) * N_DRAWS);
}

static void test_streams_differ_by_name_and_ue(void **state)
{
	struct handover_times one, other;

	(void)state;
	times_init(&one, 7, 1);
	times_init(&other, 7, 2);
	assert_int_not_equal(one.detach_rng.state, one.preparation_rng.state);
	assert_int_not_equal(one.detach_rng.state, other.detach_rng.state);
}

static int64_t first_said_ns(const struct run *r, enum cell_rrc_msg msg)
{
	for (size_t i = 0; i < r->n_records; i++)
		if (r->records[i].event == CELL_EV_RRC && r->records[i].value == (int32_t)msg)
			return r->records[i].t_ns;
	fail();
	return 0;
}

/* With all quantiles the same every draw is that: 70 ms from report to command, 45 without a cell.
 */
static void test_a_handover_takes_what_was_drawn(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.detach_times = (struct cell_times_cfg){ 1, 45, 45, 45, 45, 45, 45 };
	r.cfg.handover.preparation_times = (struct cell_times_cfg){ 1, 70, 70, 70, 70, 70, 70 };
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(first_said_ns(&r, CELL_RRC_HANDOVER_COMMAND), MS(120));
	assert_int_equal(first_said_ns(&r, CELL_RRC_SYNCHRONISED), MS(165));
	run_end(&r);
}

/* Two messages of 4 ms are the least. */
static void test_a_preparation_has_two_messages(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.preparation_times = (struct cell_times_cfg){ 1, 5, 5, 5, 5, 5, 5 };
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(first_said_ns(&r, CELL_RRC_HANDOVER_COMMAND), MS(58));
	run_end(&r);
}

static void check_field(const struct run *r, const char *wanted)
{
	const char *field = "", *range;

	assert_int_equal(cell_cfg_check(&r->cfg, &field, &range) < 0, *wanted != 0);
	assert_string_equal(field, wanted);
}

static void test_quantiles_do_not_decrease(void **state)
{
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.detach_times = field;
	check_field(&r, "");
	r.cfg.handover.detach_times.p75_ms = 33;
	check_field(&r, "handover.detach_times");
	r.cfg.handover.detach_times.on = 0;
	check_field(&r, "");
	r.cfg.handover.preparation_times = field;
	r.cfg.handover.procedure = CELL_HO_PREDICTION;
	check_field(&r, "handover.preparation_times");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draws_have_the_quantiles),
		cmocka_unit_test(test_streams_differ_by_name_and_ue),
		cmocka_unit_test(test_a_handover_takes_what_was_drawn),
		cmocka_unit_test(test_a_preparation_has_two_messages),
		cmocka_unit_test(test_quantiles_do_not_decrease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
