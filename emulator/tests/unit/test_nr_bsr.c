/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffer size levels and formats of NR. Source: TS 38.321 5.4.5, Tables 6.1.3.1-1, 6.1.3.1-2 */
#include "unit.h"

#include "mac/nr/bsr.h"

static const uint8_t rising[NR_LCGS] = { 0, 1, 2, 3, 4, 5, 6, 7 };

/* Rows copied from the standard: level, greatest buffer size in it. */
static const struct {
	uint8_t index;
	uint32_t upper;
} rows5[] = { { 0, 0 },     { 1, 10 },     { 2, 14 },      { 8, 102 },    { 15, 1038 },
	      { 20, 5446 }, { 28, 77284 }, { 29, 107669 }, { 30, 150000 } },
  rows8[] = { { 0, 0 },          { 1, 10 },         { 2, 11 },         { 11, 20 },       { 12, 22 },
	      { 252, 76380419 }, { 253, 81338368 }, { 251, 71724679 }, { 246, 52372284 } };

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows5); i++) {
		assert_int_equal(nr_bsr_level5(rows5[i].upper), rows5[i].index);
		assert_int_equal(nr_bsr_level5(rows5[i].upper + 1), rows5[i].index + 1);
		assert_int_equal(nr_bsr_bytes5(rows5[i].index), rows5[i].upper);
	}
	for (size_t i = 0; i < COUNT(rows8); i++) {
		assert_int_equal(nr_bsr_level8(rows8[i].upper), rows8[i].index);
		assert_int_equal(nr_bsr_level8(rows8[i].upper + 1), rows8[i].index + 1);
		assert_int_equal(nr_bsr_bytes8(rows8[i].index), rows8[i].upper);
	}
}

static void test_last_levels(void **state)
{
	(void)state;
	assert_int_equal(nr_bsr_level5(UINT32_MAX), 31);
	assert_int_equal(nr_bsr_bytes5(31), 300000);
	assert_int_equal(nr_bsr_level8(UINT32_MAX), 254);
	assert_int_equal(nr_bsr_bytes8(254), 2 * 81338368);
}

/* Bounds grow, by 6.5 % as soon as bytes are fine enough, so a gNB never reads less. */
static void test_levels_grow(void **state)
{
	(void)state;
	for (uint8_t i = 1; i < 254; i++) {
		uint32_t before = nr_bsr_bytes8((uint8_t)(i - 1)), upper = nr_bsr_bytes8(i);

		assert_true(upper > before);
		if (before >= 200)
			assert_in_range(upper * 1000ull / before, 1059, 1071);
	}
	for (uint8_t i = 2; i < 31; i++)
		assert_in_range(nr_bsr_bytes5(i) * 100ull / nr_bsr_bytes5((uint8_t)(i - 1)), 133,
		                143);
}

static void test_regular(void **state)
{
	uint32_t bytes[NR_LCGS] = { 0 };
	struct nr_bsr bsr = nr_bsr_make(bytes);

	(void)state;
	assert_int_equal(bsr.format, NR_BSR_SHORT);
	assert_int_equal(bsr.level[0], 0);
	for (uint8_t lcg = 0; lcg < NR_LCGS; lcg++) {
		uint32_t one[NR_LCGS] = { 0 };

		one[lcg] = 100;
		bsr = nr_bsr_make(one);
		assert_int_equal(bsr.format, NR_BSR_SHORT);
		assert_int_equal(bsr.lcgs, 1 << lcg);
		assert_int_equal(bsr.level[0], 8);
	}
	bytes[3] = 100;
	bsr = nr_bsr_make(bytes);
	assert_int_equal(bsr.format, NR_BSR_SHORT);
	assert_int_equal(bsr.lcgs, 1 << 3);
	assert_int_equal(bsr.level[0], 8);
	assert_int_equal(nr_bsr_ce_bytes(&bsr), 2);
	bytes[7] = 20;
	bsr = nr_bsr_make(bytes);
	assert_int_equal(bsr.format, NR_BSR_LONG);
	assert_int_equal(bsr.lcgs, 1 << 3 | 1 << 7);
	assert_int_equal(bsr.n, 2);
	assert_int_equal(bsr.level[1], 11);
	assert_int_equal(nr_bsr_ce_bytes(&bsr), 5);
}

/* Three groups with data, a long report of 6 bytes: what fits into less. */
static void test_padding(void **state)
{
	static const struct {
		uint32_t left;
		uint8_t format;
		uint8_t n;
	} cases[] = { { 2, NR_BSR_SHORT_TRUNCATED, 1 },
		      { 3, NR_BSR_LONG_TRUNCATED, 0 },
		      { 4, NR_BSR_LONG_TRUNCATED, 1 },
		      { 5, NR_BSR_LONG_TRUNCATED, 2 },
		      { 6, NR_BSR_LONG, 3 },
		      { 100, NR_BSR_LONG, 3 } };
	static const uint8_t order[NR_LCGS] = { 0, 5, 2, 1, 3, 4, 6, 7 };
	const uint32_t bytes[NR_LCGS] = { [1] = 10, [2] = 11, [5] = 12 };
	struct nr_bsr bsr;

	(void)state;
	assert_false(nr_bsr_make_padding(&bsr, bytes, order, 1));
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(nr_bsr_make_padding(&bsr, bytes, order, cases[i].left));
		assert_int_equal(bsr.format, cases[i].format);
		assert_int_equal(bsr.n, cases[i].n);
		assert_true(nr_bsr_ce_bytes(&bsr) <= cases[i].left);
	}
	assert_true(nr_bsr_make_padding(&bsr, bytes, order, 2));
	assert_int_equal(bsr.lcgs, 1 << 5);
	assert_true(nr_bsr_make_padding(&bsr, bytes, order, 4));
	assert_int_equal(bsr.lcgs, 1 << 1 | 1 << 2 | 1 << 5);
	assert_int_equal(bsr.level[0], nr_bsr_level8(12));
}

/* One group, or none: a short report where a long one does not fit. */
static void test_padding_of_one_group(void **state)
{
	uint32_t bytes[NR_LCGS] = { [6] = 500 };
	struct nr_bsr bsr;

	(void)state;
	assert_true(nr_bsr_make_padding(&bsr, bytes, rising, 3));
	assert_int_equal(bsr.format, NR_BSR_SHORT);
	assert_int_equal(bsr.lcgs, 1 << 6);
	assert_true(nr_bsr_make_padding(&bsr, bytes, rising, 4));
	assert_int_equal(bsr.format, NR_BSR_LONG);
	bytes[6] = 0;
	assert_true(nr_bsr_make_padding(&bsr, bytes, rising, 2));
	assert_int_equal(bsr.format, NR_BSR_SHORT);
	assert_int_equal(bsr.level[0], 0);
}

/* What a gNB knows of groups 0 to 7 after a report, where it knew 77 of each. */
static void test_read(void **state)
{
	static const uint8_t order[NR_LCGS] = { 0, 5, 2, 1, 3, 4, 6, 7 };
	const uint32_t bytes[NR_LCGS] = { [1] = 10, [2] = 11, [5] = 12 };
	static const struct {
		uint32_t left;
		uint32_t known[NR_LCGS];
	} cases[] = {
		{ 2, { 77, 77, 77, 77, 77, 14, 77, 77 } },
		{ 3, { 0, 77, 77, 0, 0, 77, 0, 0 } },
		{ 5, { 0, 77, 11, 0, 0, 12, 0, 0 } },
		{ 6, { 0, 10, 11, 0, 0, 12, 0, 0 } },
	};
	struct nr_bsr bsr;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t known[NR_LCGS] = { 77, 77, 77, 77, 77, 77, 77, 77 };

		assert_true(nr_bsr_make_padding(&bsr, bytes, order, cases[i].left));
		nr_bsr_read(&bsr, order, known);
		assert_memory_equal(known, cases[i].known, sizeof(known));
	}
}

static void test_read_short(void **state)
{
	const uint32_t bytes[NR_LCGS] = { [4] = 15 };
	uint32_t known[NR_LCGS] = { 1, 2, 3, 4, 5, 6, 7, 8 }, expected[NR_LCGS] = { [4] = 20 };
	struct nr_bsr bsr = nr_bsr_make(bytes);

	(void)state;
	nr_bsr_read(&bsr, rising, known);
	assert_memory_equal(known, expected, sizeof(known));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),        cmocka_unit_test(test_last_levels),
		cmocka_unit_test(test_levels_grow), cmocka_unit_test(test_regular),
		cmocka_unit_test(test_padding),     cmocka_unit_test(test_padding_of_one_group),
		cmocka_unit_test(test_read),        cmocka_unit_test(test_read_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
