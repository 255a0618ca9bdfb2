/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots that come again: SRs, configured grants, preambles. */
#include "unit.h"

#include "mac/nr/occasion.h"

static void test_fdd(void **state)
{
	const struct nr_occasions every_5 = { .period = 5, .offset = 3, .symbols = 14 },
				  none = { 0 };
	struct nr_tdd fdd;

	(void)state;
	(void)nr_tdd_init(&fdd, 0, NULL, 0, 0);
	assert_int_equal(nr_occasion_next(&every_5, &fdd, 0), 3);
	assert_int_equal(nr_occasion_next(&every_5, &fdd, 3), 3);
	assert_int_equal(nr_occasion_next(&every_5, &fdd, 4), 8);
	assert_true(nr_occasion_is(&every_5, &fdd, 8));
	assert_false(nr_occasion_is(&every_5, &fdd, 9));
	assert_int_equal(nr_occasion_next(&none, &fdd, 0), NR_SLOT_NEVER);
	assert_false(nr_occasion_is(&none, &fdd, 0));
}

/* Every 8 slots of DDDSU: 0, 8, 16, 24 (the first uplink one), and every fifth of them. */
static void test_tdd(void **state)
{
	const struct nr_occasions every_8 = { .period = 8, .symbols = 14 },
				  special = { .period = 8, .symbols = 2 },
				  downlink = { .period = 5, .offset = 1, .symbols = 1 };
	struct nr_tdd tdd;

	(void)state;
	assert_int_equal(nr_tdd_init(&tdd, 1, "DDDSU", 10, 2), NR_TDD_OK);
	assert_int_equal(nr_occasion_next(&every_8, &tdd, 0), 24);
	assert_int_equal(nr_occasion_next(&every_8, &tdd, 25), 64);
	assert_int_equal(nr_occasion_next(&special, &tdd, 0), 8);
	assert_int_equal(nr_occasion_next(&downlink, &tdd, 0), NR_SLOT_NEVER);
	assert_false(nr_occasion_is(&every_8, &tdd, 8));
	assert_true(nr_occasion_is(&special, &tdd, 8));
}

/* Processes of a configured grant follow each other, and start again with the SFNs: 20480 slots at
 * numerology 1 are no multiple of 3 periods of 4. Source: TS 38.321 5.4.1 */
static void test_harq_of_configured_grants(void **state)
{
	(void)state;
	assert_int_equal(nr_cg_harq_id(1, 0, 4, 3), 0);
	assert_int_equal(nr_cg_harq_id(1, 3, 4, 3), 0);
	assert_int_equal(nr_cg_harq_id(1, 4, 4, 3), 1);
	assert_int_equal(nr_cg_harq_id(1, 12, 4, 3), 0);
	assert_int_equal(nr_cg_harq_id(1, 20476, 4, 3), 1);
	assert_int_equal(nr_cg_harq_id(1, 20480, 4, 3), 0);
}

/* Periods in slots of numerologies 0 to 3, up to 0. Source: TS 38.331 ConfiguredGrantConfig,
 * SchedulingRequestResourceConfig */
static const uint16_t cg_slots[][32] = {
	{ 1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 128, 160, 320, 640 },
	{ 1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 128, 160, 256, 320, 640, 1280 },
	{ 1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 128, 160, 256, 320, 512, 640, 1280, 2560 },
	{ 1,  2,   4,   5,   8,   10,  16,  20,   32,   40,   64,
	  80, 128, 160, 256, 320, 512, 640, 1024, 1280, 2560, 5120 },
};
static const uint16_t sr_slots[][32] = {
	{ 1, 2, 4, 5, 8, 10, 16, 20, 40, 80 },
	{ 1, 2, 4, 8, 10, 16, 20, 40, 80, 160 },
	{ 1, 2, 4, 8, 16, 20, 40, 80, 160, 320 },
	{ 1, 2, 4, 8, 16, 40, 80, 160, 320, 640 },
};

static bool is_in(const uint16_t *list, uint32_t slots)
{
	for (; *list; list++)
		if (*list == slots)
			return true;
	return false;
}

static void test_periods(void **state)
{
	(void)state;
	for (uint8_t mu = 0; mu < 4; mu++)
		for (uint32_t slots = 0; slots < 6000; slots++) {
			assert_int_equal(nr_cg_period_ok(mu, slots), is_in(cg_slots[mu], slots));
			assert_int_equal(nr_sr_period_ok(mu, slots), is_in(sr_slots[mu], slots));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fdd),
		cmocka_unit_test(test_tdd),
		cmocka_unit_test(test_harq_of_configured_grants),
		cmocka_unit_test(test_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
