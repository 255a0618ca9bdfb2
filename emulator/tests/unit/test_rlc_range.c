/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of byte ranges, against single steps and against one flag a byte. */
#include "unit.h"

#include "base/rng.h"
#include "rlc/common/range.h"

#define BYTES 200

static struct rlc_ranges set;

static void expect(uint16_t n, const uint16_t (*at)[2])
{
	assert_int_equal(set.n, n);
	for (uint16_t i = 0; i < n; i++) {
		assert_int_equal(set.at[i].from, at[i][0]);
		assert_int_equal(set.at[i].to, at[i][1]);
	}
}

/* Apart they stay apart and sorted, in whatever order they come. */
static void test_apart(void **state)
{
	static const uint16_t sorted[][2] = { { 0, 5 }, { 10, 20 }, { 30, 31 } };

	(void)state;
	set.n = 0;
	assert_true(rlc_ranges_add(&set, 10, 20));
	assert_true(rlc_ranges_add(&set, 30, 31));
	assert_true(rlc_ranges_add(&set, 0, 5));
	expect(3, sorted);
}

/* Neighbours become one, on either side and on both. */
static void test_neighbours(void **state)
{
	static const uint16_t before[][2] = { { 5, 20 }, { 30, 40 } };
	static const uint16_t behind[][2] = { { 5, 20 }, { 30, 45 } };
	static const uint16_t both[][2] = { { 5, 45 } };

	(void)state;
	set.n = 0;
	assert_true(rlc_ranges_add(&set, 10, 20));
	assert_true(rlc_ranges_add(&set, 30, 40));
	assert_true(rlc_ranges_add(&set, 5, 10));
	expect(2, before);
	assert_true(rlc_ranges_add(&set, 40, 45));
	expect(2, behind);
	assert_true(rlc_ranges_add(&set, 20, 30));
	expect(1, both);
}

/* Overlapping, inside, and over several at once. */
static void test_overlap(void **state)
{
	static const uint16_t wider[][2] = { { 5, 25 }, { 40, 50 }, { 60, 70 } };
	static const uint16_t over_two[][2] = { { 5, 25 }, { 35, 80 } };

	(void)state;
	set.n = 0;
	assert_true(rlc_ranges_add(&set, 10, 20));
	assert_true(rlc_ranges_add(&set, 40, 50));
	assert_true(rlc_ranges_add(&set, 60, 70));
	assert_true(rlc_ranges_add(&set, 12, 18));
	assert_true(rlc_ranges_add(&set, 5, 15));
	assert_true(rlc_ranges_add(&set, 15, 25));
	expect(3, wider);
	assert_true(rlc_ranges_add(&set, 35, 80));
	expect(2, over_two);
}

/* Only a range as a whole covers; nothing needs no cover. */
static void test_cover(void **state)
{
	(void)state;
	set.n = 0;
	assert_true(rlc_ranges_cover(&set, 7, 7));
	assert_false(rlc_ranges_cover(&set, 0, 1));
	assert_true(rlc_ranges_add(&set, 10, 20));
	assert_true(rlc_ranges_add(&set, 21, 30));
	assert_true(rlc_ranges_cover(&set, 10, 20));
	assert_true(rlc_ranges_cover(&set, 29, 30));
	assert_false(rlc_ranges_cover(&set, 9, 11));
	assert_false(rlc_ranges_cover(&set, 19, 22));
	assert_false(rlc_ranges_cover(&set, 29, 31));
}

/* A full set refuses one more and is as before; what joins neighbours is welcome. */
static void test_full(void **state)
{
	(void)state;
	set.n = 0;
	for (uint16_t i = 0; i < RLC_RANGES_MAX; i++)
		assert_true(rlc_ranges_add(&set, (uint16_t)(10 * i), (uint16_t)(10 * i + 5)));
	assert_false(rlc_ranges_add(&set, 7, 8));
	assert_false(rlc_ranges_add(&set, 1000, 1001));
	assert_int_equal(set.n, RLC_RANGES_MAX);
	assert_false(rlc_ranges_cover(&set, 7, 8));
	assert_true(rlc_ranges_add(&set, 5, 10));
	assert_int_equal(set.n, RLC_RANGES_MAX - 1);
	assert_true(rlc_ranges_add(&set, 1000, 1001));
}

/* From the front: a part of the first range, the rest of it, the next one. */
static void test_take(void **state)
{
	static const uint16_t part[][2] = { { 13, 20 }, { 30, 40 } };
	static const uint16_t second[][2] = { { 30, 40 } };

	(void)state;
	set.n = 0;
	assert_true(rlc_ranges_add(&set, 10, 20));
	assert_true(rlc_ranges_add(&set, 30, 40));
	rlc_ranges_take(&set, 13);
	expect(2, part);
	rlc_ranges_take(&set, 20);
	expect(1, second);
	rlc_ranges_take(&set, 40);
	assert_int_equal(set.n, 0);
}

static void compare(const bool *flag)
{
	for (uint16_t i = 0; i < BYTES; i++)
		assert_int_equal(rlc_ranges_cover(&set, i, (uint16_t)(i + 1)), flag[i]);
	for (uint16_t i = 0; i < set.n; i++) {
		assert_true(set.at[i].from < set.at[i].to);
		assert_true(i == 0 || set.at[i - 1].to < set.at[i].from);
	}
}

/* Many random sets say of every byte what an array of flags says. */
static void test_random(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "ranges", 0);
	for (int round = 0; round < 200; round++) {
		bool flag[BYTES] = { false };

		set.n = 0;
		for (int i = 0; i < 30; i++) {
			uint16_t from = (uint16_t)rng_below(&rng, BYTES - 20);
			uint16_t to = (uint16_t)(from + 1 + rng_below(&rng, 20));

			if (rlc_ranges_add(&set, from, to))
				memset(flag + from, true, (size_t)(to - from));
			compare(flag);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),   cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_overlap), cmocka_unit_test(test_cover),
		cmocka_unit_test(test_full),    cmocka_unit_test(test_take),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
