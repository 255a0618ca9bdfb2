/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which event is next, in what order those of one time come, and how long a shell may sleep. */
#include "event.h"
#include "ran/lte/state.h"
#include "run.h"
#include "unit.h"

#define LEAD_NS 250000

static size_t index_of(const struct run *r, enum cell_event event, uint8_t node)
{
	return (size_t)(run_find(r, event, node, 0) - r->records);
}

static void test_nothing_is_due(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	assert_int_equal(event_next(r.cell).kind, EVENT_NONE);
	assert_int_equal(event_next(r.cell).t_ns, CELL_NEVER);
	assert_int_equal(cell_next_output(r.cell), CELL_NEVER);
	run_end(&r);
}

/* The packet of UE 1 takes the old mode and goes with it; that of UE 2 counts in the sub-frame. */
static void test_arrivals_then_commands_then_the_subframe(void **state)
{
	const struct cell_cmd to_im = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	assert_int_equal(run_cmd(&r, &to_im, MS(10)), 0);
	assert_int_equal(event_next(r.cell).kind, EVENT_COMMAND);
	assert_int_equal(cell_push(r.cell, 1, "1", 1, 1, RUN_START_NS + MS(10)), 0);
	assert_int_equal(cell_push(r.cell, 2, "2", 1, 2, RUN_START_NS + MS(10)), 0);
	r.bytes_in += 2;
	assert_int_equal(event_next(r.cell).kind, EVENT_ARRIVAL);
	assert_int_equal(event_next(r.cell).t_ns, RUN_START_NS + MS(10));
	assert_int_equal(cell_next_output(r.cell),
	                 RUN_START_NS + MS(10)); /* it may change what comes next */
	run_until(&r, MS(10));
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, 1, 0)->dir, CELL_DIR_SL);
	assert_true(index_of(&r, CELL_EV_PKT_IN, 2) < index_of(&r, CELL_EV_ROUTE, 1));
	assert_true(index_of(&r, CELL_EV_ROUTE, 1) < index_of(&r, CELL_EV_RA_PREAMBLE, 2));
	assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 2, 0)->t_ns, MS(10));
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	run_end(&r);
}

/* From the data's transmission at 11 ms on, the only event is its decoding: of a packet that
 * leaves then, or that has the downlink before it. Source: Nardini, Figure 4 */
static void test_a_shell_sleeps_until_a_packet_can_leave(void **state)
{
	for (int mode = 0; mode < CELL_MODE_COUNT; mode++) {
		struct lte_event e;
		struct run r;

		(void)state;
		run_defaults(&r, (enum cell_mode)mode);
		run_start(&r);
		run_push(&r, 1, 1000, 0);
		run_until(&r, MS(11));
		e = lte_of(r.cell)->next;
		assert_int_equal(e.kind, LTE_EVENT_DECODE);
		assert_int_equal(e.t_ns, RUN_START_NS + MS(15) - LEAD_NS);
		assert_int_equal(cell_next(r.cell), e.t_ns);
		assert_int_equal(cell_next_output(r.cell),
		                 RUN_START_NS + MS(mode == CELL_MODE_DM ? 15 : 20) - LEAD_NS);
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.delivered[0].t_ns, MS(mode == CELL_MODE_DM ? 15 : 20) - LEAD_NS);
		run_end(&r);
	}
}

/* What has come, what is due and when: with another of these it is another state. */
static void test_the_digest_tells_states_apart(void **state)
{
	uint64_t digest[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct run r;

		run_defaults(&r, CELL_MODE_IM);
		run_start(&r);
		for (int k = 0; k < i; k++)
			assert_int_equal(run_push(&r, 1, 1000, 0), 0);
		run_until(&r, MS(2));
		digest[i] = cell_digest(r.cell);
		for (int k = 0; k < i; k++)
			assert_true(digest[k] != digest[i]);
		run_end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_due),
		cmocka_unit_test(test_arrivals_then_commands_then_the_subframe),
		cmocka_unit_test(test_a_shell_sleeps_until_a_packet_can_leave),
		cmocka_unit_test(test_the_digest_tells_states_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
