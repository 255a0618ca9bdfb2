/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outer loop of NR's link adaptation, and the MCS that it chooses. */
#include "unit.h"

#include "mac/nr/link_adaptation.h"

#define TENTH (UINT32_MAX / 10)

/* After nine successes and a failure it is where it started. */
static void test_balance(void **state)
{
	struct outer_loop loop;

	(void)state;
	outer_loop_init(&loop, TENTH, 90, 1000);
	for (int i = 0; i < 9; i++)
		outer_loop_feedback(&loop, true);
	assert_in_range(loop.offset_udb, 899990, 900000);
	assert_in_range(outer_loop_cdb(&loop), 89, 90);
	outer_loop_feedback(&loop, false);
	assert_in_range(loop.offset_udb + 10, 0, 10);
	assert_int_equal(outer_loop_cdb(&loop), -1); /* rounded down */
}

static void test_limits(void **state)
{
	struct outer_loop loop;

	(void)state;
	outer_loop_init(&loop, TENTH, 90, 200);
	for (int i = 0; i < 100; i++)
		outer_loop_feedback(&loop, true);
	assert_int_equal(outer_loop_cdb(&loop), 200);
	for (int i = 0; i < 5; i++)
		outer_loop_feedback(&loop, false);
	assert_int_equal(outer_loop_cdb(&loop), -200);
}

static void test_off(void **state)
{
	struct outer_loop loop;

	(void)state;
	outer_loop_init(&loop, 0, 90, 200);
	outer_loop_feedback(&loop, false);
	assert_int_equal(outer_loop_cdb(&loop), 0);
}

static void test_sinr_to_mcs(void **state)
{
	(void)state;
	for (unsigned table = 0; table < NR_TABLES; table++)
		for (uint8_t i = 0; i < nr_mcs_count((enum nr_table)table); i++) {
			int32_t cdb = nr_mcs_sinr_cdb((enum nr_table)table, i);

			assert_int_equal(nr_sinr_to_mcs((enum nr_table)table, cdb), i);
			assert_int_equal(nr_sinr_to_mcs((enum nr_table)table, cdb - 1),
			                 i ? i - 1 : 0);
		}
	assert_int_equal(nr_sinr_to_mcs(NR_TABLE_256QAM, 9999), 27);
}

static void test_choice(void **state)
{
	struct outer_loop loop;

	(void)state;
	outer_loop_init(&loop, TENTH, 100, 1000);
	assert_int_equal(nr_choose_mcs(&loop, NR_TABLE_64QAM, NR_TABLE_64QAM, 15), 28);
	assert_int_equal(nr_choose_mcs(&loop, NR_TABLE_64QAM, NR_TABLE_64QAM, 0), 0);
	for (int i = 0; i < 3; i++) { /* each failure makes the next block safer */
		uint8_t before = nr_choose_mcs(&loop, NR_TABLE_64QAM, NR_TABLE_64QAM, 15);

		outer_loop_feedback(&loop, false);
		assert_true(nr_choose_mcs(&loop, NR_TABLE_64QAM, NR_TABLE_64QAM, 15) < before);
	}
	for (int i = 0; i < 100; i++)
		outer_loop_feedback(&loop, true);
	assert_true(nr_choose_mcs(&loop, NR_TABLE_64QAM, NR_TABLE_64QAM, 7) >
	            nr_cqi_to_mcs(NR_TABLE_64QAM, NR_TABLE_64QAM, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_off),     cmocka_unit_test(test_sinr_to_mcs),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
