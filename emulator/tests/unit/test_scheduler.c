/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round robin. */
#include "unit.h"

#include "scheduler.h"

static int pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	return sched_by_id(CELL_SCHED_RR)->pick(s, flows, n);
}

static void test_turns(void **state)
{
	struct sched_flow flows[4] = {
		{ .backlog = 9 }, { .backlog = 9 }, { .backlog = 0 }, { .backlog = 9 }
	};
	static const int expected[] = { 1, 3, 0, 1, 3, 0 };
	struct sched_state s = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(pick(&s, flows, 4), expected[i]);
}

static void test_nothing_to_serve(void **state)
{
	struct sched_flow flows[2] = { 0 };
	struct sched_state s = { .last = 1 };

	(void)state;
	assert_int_equal(pick(&s, flows, 2), -1);
	assert_int_equal(s.last, 1);
	flows[1].backlog = 1; /* the one served last, alone */
	assert_int_equal(pick(&s, flows, 2), 1);
}

/* A thousand turns: nobody is more than one ahead, whoever starts. */
static void test_fair(void **state)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint32_t served[SCHED_FLOWS_MAX] = { 0 };
	struct sched_state s = { .last = 17 };

	(void)state;
	for (uint32_t i = 0; i < SCHED_FLOWS_MAX; i++)
		flows[i] = (struct sched_flow){ .backlog = i + 1 };
	for (int i = 0; i < 1000; i++)
		served[pick(&s, flows, SCHED_FLOWS_MAX)]++;
	for (uint32_t i = 0; i < SCHED_FLOWS_MAX; i++)
		assert_in_range(served[i], 1000 / SCHED_FLOWS_MAX, 1000 / SCHED_FLOWS_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_nothing_to_serve),
		cmocka_unit_test(test_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
