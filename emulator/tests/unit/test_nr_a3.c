/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handovers of NR that measurements start: event A3 is reported, and a conditional handover waits
 * for A3 or A5. Source: TS 38.331 5.3.5.13.4, 5.5.4.4, 5.5.4.6
 */
#include "a3.h"
#include "nr_handover.h"

/* A report is in the first slot that a grant can be for, and is heard when its slot is decoded. */
#define HEARD(r)      (SLOT((r)->cfg.nr.mac.k2_min + 1) + GNB_DECODE)
#define RANGE(dbm)    ((uint8_t)((dbm)-CELL_RSRP_RANGE_DBM))
#define CDBM(dbm)     ((dbm)*100)
#define TRIGGER_MS    256
#define CONDITION_DB  6
#define THRESHOLD_DBM (-100)

static void start_measured(struct run *r, enum cell_ho_procedure procedure)
{
	nr_setup(r, CELL_RLC_AM, procedure);
	r->cfg.handover.a3.on = 1;
	r->cfg.handover.a3.offset_cdb = 300;
	r->cfg.handover.a3.hysteresis_cdb = 100;
	r->cfg.handover.a3.time_to_trigger_ms = TRIGGER_MS;
	r->cfg.handover.a3.filter_coefficient = 0;
}

static void start_conditional(struct run *r, enum cell_cond_event event)
{
	start_measured(r, CELL_HO_CONDITIONAL);
	r->cfg.handover.condition.on = 1;
	r->cfg.handover.condition.event = (uint8_t)event;
	r->cfg.handover.condition.offset_cdb = CDBM(CONDITION_DB);
	r->cfg.handover.condition.threshold1 = RANGE(THRESHOLD_DBM);
	r->cfg.handover.condition.threshold2 = RANGE(THRESHOLD_DBM);
	r->cfg.handover.condition.time_to_trigger_ms = TRIGGER_MS;
	run_start(r);
}

/* From @from_ms to @to_ms, every 200 ms, in dBm. */
static void stay(struct run *r, int from_ms, int to_ms, int32_t first, int32_t second)
{
	for (int ms = from_ms; ms < to_ms; ms += 200)
		measure(r, ms, CDBM(first), CDBM(second));
	run_until(r, MS(to_ms) - 2);
}

static void check_a_report_starts_it(enum cell_ho_procedure procedure)
{
	int64_t t_ns = 0;
	struct run r;

	start_measured(&r, procedure);
	run_start(&r);
	stay(&r, 200, 1200, -100, -95);
	assert_int_equal(n_reports(&r, &t_ns), 1);
	assert_int_equal(t_ns, MS(200 + TRIGGER_MS) + HEARD(&r));
	assert_int_equal(handovers(&r), 1);
	run_end(&r);
}

static void test_a_report_starts_a_handover(void **state)
{
	(void)state;
	check_a_report_starts_it(CELL_HO_STANDARD);
	check_a_report_starts_it(CELL_HO_DAPS);
}

/* Prepared 3 dB above, and no more: the UE goes when the neighbour is 6 dB above. */
static void test_a_conditional_handover_waits_for_a3(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	start_conditional(&r, CELL_COND_EVENT_A3);
	stay(&r, 200, 2000, -100, -95);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITIONAL_RECONFIGURATION, &t_ns), 1);
	assert_int_equal(handovers(&r), 0);
	stay(&r, 2000, 3000, -100, -93);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITION_MET, &t_ns), 1);
	assert_int_equal(t_ns, MS(2000 + TRIGGER_MS));
	assert_int_equal(n_said(&r, CELL_RRC_HANDOVER_COMMAND, &t_ns), 0);
	assert_int_equal(handovers(&r), 1);
	run_end(&r);
}

/* However good the neighbour is, the serving cell has to be worse than the first threshold. */
static void test_a_conditional_handover_waits_for_a5(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	start_conditional(&r, CELL_COND_EVENT_A5);
	stay(&r, 200, 2000, THRESHOLD_DBM + 1, THRESHOLD_DBM + 20);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITIONAL_RECONFIGURATION, &t_ns), 1);
	assert_int_equal(handovers(&r), 0);
	stay(&r, 2000, 3000, THRESHOLD_DBM - 1, THRESHOLD_DBM + 20);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITION_MET, &t_ns), 1);
	assert_int_equal(t_ns, MS(2000 + TRIGGER_MS));
	assert_int_equal(handovers(&r), 1);
	run_end(&r);
}

/* And the neighbour better than the second one: where both are weak, nobody goes. */
static void test_a5_needs_a_neighbour_above_its_threshold(void **state)
{
	int64_t t_ns = 0;
	struct run r;

	(void)state;
	start_conditional(&r, CELL_COND_EVENT_A5);
	stay(&r, 200, 3000, THRESHOLD_DBM - 20, THRESHOLD_DBM - 1);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITIONAL_RECONFIGURATION, &t_ns), 1);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITION_MET, &t_ns), 0);
	assert_int_equal(handovers(&r), 0);
	run_end(&r);
}

/* The condition holds before the target has answered: it counts from the configuration on. */
static void test_a_condition_counts_from_its_configuration_on(void **state)
{
	int64_t configured_ns = 0, met_ns = 0;
	struct run r;

	(void)state;
	start_conditional(&r, CELL_COND_EVENT_A3);
	stay(&r, 200, 2000, -100, -80);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITIONAL_RECONFIGURATION, &configured_ns), 1);
	assert_int_equal(n_said(&r, CELL_RRC_CONDITION_MET, &met_ns), 1);
	assert_true(met_ns >= configured_ns + MS(TRIGGER_MS));
	assert_int_equal(handovers(&r), 1);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_report_starts_a_handover),
		cmocka_unit_test(test_a_conditional_handover_waits_for_a3),
		cmocka_unit_test(test_a_conditional_handover_waits_for_a5),
		cmocka_unit_test(test_a5_needs_a_neighbour_above_its_threshold),
		cmocka_unit_test(test_a_condition_counts_from_its_configuration_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
