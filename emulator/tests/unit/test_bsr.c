/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffer size levels. Source: TS 36.321 Table 6.1.3.1-1 */
#include "unit.h"

#include "mac/lte/bsr.h"

/* Rows copied from the standard: level, greatest buffer size in it. */
static const struct {
	uint8_t index;
	uint32_t upper;
} rows[] = {
	{ 0, 0 },      { 1, 10 },     { 2, 12 },      { 7, 26 },      { 15, 91 },
	{ 20, 200 },   { 31, 1132 },  { 32, 1326 },   { 33, 1552 },   { 40, 4677 },
	{ 47, 14099 }, { 55, 49759 }, { 61, 128125 }, { 62, 150000 },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(bsr_index(rows[i].upper), rows[i].index);
		assert_int_equal(bsr_index(rows[i].upper + 1), rows[i].index + 1);
		assert_int_equal(bsr_bytes(rows[i].index), rows[i].upper);
	}
}

static void test_last_level_has_no_upper_bound(void **state)
{
	(void)state;
	assert_int_equal(bsr_index(150001), 63);
	assert_int_equal(bsr_index(UINT32_MAX), 63);
	assert_int_equal(bsr_bytes(63), 300000); /* mac/lte/bsr.h: twice the lower bound */
}

/* What the eNB reads is never less than the buffer, up to the last level. */
static void test_never_under_reports(void **state)
{
	(void)state;
	for (uint32_t bytes = 0; bytes <= 150000; bytes++)
		assert_true(bsr_bytes(bsr_index(bytes)) >= bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_last_level_has_no_upper_bound),
		cmocka_unit_test(test_never_under_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
