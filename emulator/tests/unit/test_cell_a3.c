/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event A3: what UEs measure, when they report it, and the handover that follows. */
#include "a3.h"

#define HEARD MS(6) /* a grant and a transmission */

/* Two eNBs, UE 1 in the cell of the first. Filters pass what is measured. */
static void setup(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	run_core_network(r);
	r->cfg.handover.a3.on = 1;
	r->cfg.handover.a3.offset_cdb = 300;
	r->cfg.handover.a3.hysteresis_cdb = 100;
	r->cfg.handover.a3.time_to_trigger_ms = 256;
	r->cfg.handover.a3.filter_coefficient = 0;
	run_start(r);
}

static void test_a_better_neighbour_is_reported(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	setup(&r);
	for (int ms = 200; ms <= 1000; ms += 200)
		measure(&r, ms, -10000, -9599);
	run_until(&r, MS(1199));
	assert_int_equal(n_reports(&r, &t_ns), 1);
	assert_int_equal(t_ns, MS(456) + HEARD);
	assert_int_equal(handovers(&r), 1);
	run_end(&r);
}

/* A neighbour that gets worse and better again while its report is under way is not reported again.
 */
static void test_one_report_at_a_time(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	setup(&r);
	run_end(&r);
	r.cfg.handover.a3.time_to_trigger_ms = 0;
	run_start(&r);
	measure(&r, 200, -10000, -9599);
	measure(&r, 202, -10000, -10500);
	measure(&r, 204, -10000, -9599);
	run_until(&r, MS(1199));
	assert_int_equal(n_reports(&r, &t_ns), 1);
	assert_int_equal(t_ns, MS(200) + HEARD);
	run_end(&r);
}

/* More than offset and hysteresis, not as much: A3-1 is an inequality. */
static void test_just_not_better(void **state)
{
	int64_t t_ns;
	struct run r;

	(void)state;
	setup(&r);
	for (int ms = 200; ms <= 2000; ms += 200)
		measure(&r, ms, -10000, -9600);
	run_until(&r, MS(2199));
	assert_int_equal(n_reports(&r, &t_ns), 0);
	run_end(&r);
}

/* However strong: as long as the UE has not measured its own cell, there is nothing to compare
 * with. */
static void test_a_neighbour_alone_is_not_better(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_MEASURE, .ue = 1, .enb = 1, .rsrp_cdbm = 4000 };
	int64_t t_ns;
	struct run r;

	(void)state;
	setup(&r);
	for (int ms = 200; ms <= 2000; ms += 200) {
		run_until(&r, MS(ms) - 1);
		assert_int_equal(run_cmd(&r, &cmd, MS(ms)), 0);
	}
	run_until(&r, MS(2199));
	assert_int_equal(n_reports(&r, &t_ns), 0);
	run_end(&r);
}

/* All measurements of timeToTrigger have to say so. */
static void test_time_to_trigger_starts_again(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	setup(&r);
	measure(&r, 200, -10000, -9000);
	measure(&r, 400, -10000, -9600);
	measure(&r, 600, -10000, -9000);
	measure(&r, 800, -10000, -9599);
	run_until(&r, MS(1000));
	assert_int_equal(n_reports(&r, &t_ns), 1);
	assert_int_equal(t_ns, MS(856) + HEARD);
	run_end(&r);
}

/* With k = 4 a measurement counts half: -100, -90, -85, -82.5 dBm after a step by 20 dB. */
static void test_layer_3_filters(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	r.cfg.handover.a3.on = 1;
	r.cfg.handover.a3.offset_cdb = 1500;
	r.cfg.handover.a3.hysteresis_cdb = 200;
	r.cfg.handover.a3.time_to_trigger_ms = 0;
	r.cfg.handover.a3.filter_coefficient = 4;
	run_start(&r);
	measure(&r, 200, -10000, -10000);
	for (int ms = 400; ms <= 1000; ms += 200)
		measure(&r, ms, -10000, -8000);
	run_until(&r, MS(1199));
	assert_int_equal(n_reports(&r, &t_ns), 1);
	assert_int_equal(t_ns, MS(800) + HEARD);
	run_end(&r);
}

/* Back as soon as the old cell is better by as much, and not before. */
static void test_there_and_back(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	setup(&r);
	for (int ms = 200; ms <= 2000; ms += 200)
		measure(&r, ms, -10000, -9500);
	assert_int_equal(n_reports(&r, &t_ns), 1);
	for (int ms = 2200; ms <= 3000; ms += 200)
		measure(&r, ms, -9500, -9500);
	assert_int_equal(n_reports(&r, &t_ns), 1);
	for (int ms = 3200; ms <= 4000; ms += 200)
		measure(&r, ms, -9000, -9500);
	run_until(&r, MS(4199));
	assert_int_equal(n_reports(&r, &t_ns), 2);
	assert_int_equal(t_ns, MS(3456) + HEARD);
	assert_int_equal(handovers(&r), 2);
	run_end(&r);
}

/* A command came first: the report of a cell that serves the UE already changes nothing. */
static void test_beside_commands(void **state)
{
	int64_t t_ns;
	struct run r;

	(void)state;
	setup(&r);
	measure(&r, 200, -10000, -9000);
	measure(&r, 400, -10000, -9000);
	run_until(&r, MS(450));
	run_apply(&r, CELL_CMD_HANDOVER, 1, 1, MS(450));
	measure(&r, 600, -10000, -9000);
	measure(&r, 800, -10000, -9000);
	run_until(&r, MS(1500));
	assert_int_equal(handovers(&r), 1);
	assert_int_equal(n_reports(&r, &t_ns), 1); /* that of the command */
	assert_int_equal(t_ns, MS(450));
	run_end(&r);
}

static void test_without_the_event_nothing_is_reported(void **state)
{
	int64_t t_ns;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	run_start(&r);
	for (int ms = 200; ms <= 2000; ms += 200)
		measure(&r, ms, -10000, -5000);
	run_until(&r, MS(2199));
	assert_int_equal(n_reports(&r, &t_ns), 0);
	run_end(&r);
}

/* Each cell has a channel of its own, which a UE has from when it is there. */
static void test_the_channel_of_the_new_cell(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_DL, .enb = 1 };
	const struct cell_record *row;
	struct run r;

	(void)state;
	setup(&r);
	cmd.cqi = 6;
	cmd.sinr_cdb = 321;
	assert_int_equal(run_cmd(&r, &cmd, MS(1)), 0);
	run_until(&r, MS(10));
	assert_int_equal(run_count(&r, CELL_EV_CHANNEL, CELL_NODE_ENB), 0);
	run_apply(&r, CELL_CMD_HANDOVER, 1, 1, MS(20));
	run_until(&r, MS(200));
	assert_int_equal(run_count(&r, CELL_EV_CHANNEL, CELL_NODE_ENB), 1);
	row = run_find(&r, CELL_EV_CHANNEL, CELL_NODE_ENB, 0);
	assert_int_equal(row->cqi, 6);
	assert_int_equal(row->value, 321);
	assert_int_equal(row->enb, 1);
	assert_int_equal(row->t_ns, run_find(&r, CELL_EV_RRC, 1, 1)->t_ns); /* synchronised */
	cmd.enb = 0;
	cmd.cqi = 2; /* of the cell that it left */
	assert_int_equal(run_cmd(&r, &cmd, MS(300)), 0);
	run_until(&r, MS(400));
	assert_int_equal(run_count(&r, CELL_EV_CHANNEL, CELL_NODE_ENB), 1);
	run_end(&r);
}

static void test_what_is_refused(void **state)
{
	static const struct cell_cmd refused[] = {
		{ .type = CELL_CMD_MEASURE, .ue = 1, .enb = 2 },
		{ .type = CELL_CMD_MEASURE, .ue = 1, .rsrp_cdbm = CELL_RSRP_MIN_CDBM - 1 },
		{ .type = CELL_CMD_MEASURE, .ue = 1, .rsrp_cdbm = CELL_RSRP_MAX_CDBM + 1 },
		{ .type = CELL_CMD_CHANNEL, .ue = 1, .enb = 2, .cqi = 9 },
	};
	const char *field, *range;
	struct run r;

	(void)state;
	setup(&r);
	for (size_t i = 0; i < COUNT(refused); i++)
		assert_int_equal(run_cmd(&r, &refused[i], MS(1)), -EINVAL);
	r.cfg.handover.procedure = CELL_HO_PREDICTION;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "handover.procedure");
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_better_neighbour_is_reported),
		cmocka_unit_test(test_one_report_at_a_time),
		cmocka_unit_test(test_just_not_better),
		cmocka_unit_test(test_a_neighbour_alone_is_not_better),
		cmocka_unit_test(test_time_to_trigger_starts_again),
		cmocka_unit_test(test_layer_3_filters),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_beside_commands),
		cmocka_unit_test(test_without_the_event_nothing_is_reported),
		cmocka_unit_test(test_the_channel_of_the_new_cell),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
