/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chances of one attempt after others. */
#include "phy/lte/bler.h"

#include <math.h>

#include "unit.h"

#define BITS    4
#define TB_BITS 1000
#define CODED   2000

static void test_what_is_certain_stays_so(void **state)
{
	struct bler_soft good = { 0 }, bad = { 0 };

	(void)state;
	assert_int_equal(bler_attempt(&good, BITS, TB_BITS, CODED, 3000), 0);
	/* It was not heard all the same, as its assignment was missed. */
	assert_int_equal(bler_attempt(&good, BITS, TB_BITS, CODED, 3000), 0);
	assert_int_equal(bler_attempt(&good, BITS, TB_BITS, CODED, -2500), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(bler_attempt(&bad, BITS, TB_BITS, CODED, -2500), UINT32_MAX);
}

/* Of several attempts together as often as of their information at once. */
static void test_chances_multiply(void **state)
{
	struct bler_soft soft = { 0 };
	double together = 1;

	(void)state;
	for (int i = 0; i < 3; i++) {
		uint32_t chance = bler_attempt(&soft, BITS, TB_BITS, CODED, 250);

		together *= chance / (double)UINT32_MAX;
		assert_int_equal(soft.coded_bits, (i + 1) * CODED);
		assert_int_equal(soft.failed_q32, bler_rate(&soft, BITS, TB_BITS));
		assert_true(together - soft.failed_q32 / (double)UINT32_MAX < 1e-6);
		assert_true(soft.failed_q32 / (double)UINT32_MAX - together < 1e-6);
	}
	assert_true(together < 0.5);
}

/* Between the points of the tables, too: each bit more that arrives makes a failure less likely,
 * and none by much. */
static void test_curves_are_smooth(void **state)
{
	const uint32_t tb_bits = 6144;
	uint32_t before = UINT32_MAX, n_steep = 0;

	(void)state;
	for (uint32_t coded_bits = tb_bits; coded_bits < 3 * tb_bits; coded_bits++) {
		struct bler_soft soft = { 0 };
		uint32_t rate;

		bler_add(&soft, 6, coded_bits, 1700);
		rate = bler_rate(&soft, 6, tb_bits);
		assert_true(rate <= before);
		assert_true(before - rate < UINT32_MAX / 200);
		if (rate > UINT32_MAX / 1000 && rate < UINT32_MAX / 1000 * 999) {
			assert_true(rate < before);
			n_steep++;
		}
		before = rate;
	}
	assert_true(n_steep > 500);
}

/* Source: R4-081920 */
static void test_control_channels(void **state)
{
	(void)state;
	assert_int_equal(bler_control(500), 0);
	assert_true(bler_control(-1000) > UINT32_MAX / 10 * 9);
	for (int32_t sinr_cdb = -1100; sinr_cdb < 100; sinr_cdb++)
		assert_true(bler_control(sinr_cdb) >= bler_control(sinr_cdb + 1));
	assert_int_equal(bler_control(-2000), bler_control(-1000));
}

/* Each value of the table is that of the error function. */
static void test_tail_of_a_gaussian(void **state)
{
	(void)state;
	for (int i = 0; i < BLER_TAIL; i++) {
		double z = (double)i / BLER_TAIL_STEPS, tail = 0.5 * erfc(z / sqrt(2));

		assert_int_equal(soft_tail_q32[i], llround(tail * UINT32_MAX));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_certain_stays_so),
		cmocka_unit_test(test_chances_multiply),
		cmocka_unit_test(test_curves_are_smooth),
		cmocka_unit_test(test_control_channels),
		cmocka_unit_test(test_tail_of_a_gaussian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
