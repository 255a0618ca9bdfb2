/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control regions: how many elements, how many of them a DCI takes, and which are whose. */
#include "unit.h"

#include "mac/common/cce.h"
#include "phy/lte/pdcch.h"
#include "phy/nr/coreset.h"

/* By TS 36.211 6.8.1 with Ng = 1; those of 10 and 20 MHz are in many textbooks. */
static void test_elements_of_lte(void **state)
{
	static const struct {
		uint16_t n_rb;
		uint8_t cfi;
		uint16_t cces;
	} known[] = { { 6, 1, 2 },    { 6, 3, 5 },    { 15, 3, 12 }, { 25, 1, 3 },  { 25, 3, 20 },
		      { 50, 1, 8 },   { 50, 2, 25 },  { 50, 3, 41 }, { 75, 2, 37 }, { 100, 1, 17 },
		      { 100, 2, 50 }, { 100, 3, 84 }, { 110, 3, 92 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(pdcch_cces(known[i].n_rb, known[i].cfi), known[i].cces);
	assert_int_equal(pdcch_symbols(50, 2), 2);
	assert_int_equal(pdcch_symbols(10, 2), 3);
}

/* 42 bits on 50 blocks: 42 * 1.5 / 36 = 1.75 bits of each resource element, or 1/2, 1/4, 1/8. */
static void test_levels_of_lte(void **state)
{
	static const uint8_t level[] = { 3, 3, 3, 3, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0 };

	(void)state;
	for (uint8_t cqi = 0; cqi < 16; cqi++)
		assert_int_equal(pdcch_level(50, 41, cqi), level[cqi]);
	assert_int_equal(pdcch_level(50, 7, 1), 2); /* eight are not there */
	assert_int_equal(pdcch_level(6, 2, 1), 1);
}

/* 70 bits: 70 * 1.5 / 54 = 1.94 bits of each resource element, down to 0.12. */
static void test_levels_of_nr(void **state)
{
	static const uint8_t level[] = { 4, 4, 4, 3, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0 };

	(void)state;
	for (uint8_t cqi = 0; cqi < 16; cqi++)
		assert_int_equal(coreset_level(NR_TABLE_64QAM, 45, cqi), level[cqi]);
	assert_int_equal(coreset_level(NR_TABLE_256QAM, 45, 1), 4);
	assert_int_equal(coreset_level(NR_TABLE_256QAM, 45, 4), 1);
	assert_int_equal(coreset_level(NR_TABLE_64QAM, 8, 1), 3);
}

static void test_elements_of_nr(void **state)
{
	(void)state;
	assert_int_equal(coreset_cces(273, 2), 90);
	assert_int_equal(coreset_cces(48, 1), 8);
	assert_int_equal(coreset_cces(270, 3), 135);
	assert_true(coreset_cces(275, 3) <= CCE_MAX);
}

/* Y_k = 39827 Y_(k - 1) mod 65537 from the C-RNTI on, step by step. */
static void test_hash(void **state)
{
	uint64_t y = 61;

	(void)state;
	for (uint32_t k = 0; k < 80; k++) {
		y = y * 39827 % 65537;
		assert_int_equal(cce_hash(61, k), y);
	}
}

/* Ten elements, two for each DCI: five places, which wrap. */
static void test_candidates_of_lte_are_neighbours(void **state)
{
	struct cce_space space = { .hash = 13, .level = 1, .n = 3 };
	struct cce_set set;

	(void)state;
	cce_start(&set, 11);
	assert_true(cce_take(&set, &space));
	assert_int_equal(set.taken[0], 3u << 6);
	assert_true(cce_take(&set, &space));
	assert_int_equal(set.taken[0], 15u << 6);
	assert_true(cce_take(&set, &space));
	assert_int_equal(set.taken[0], 15u << 6 | 3);
	assert_int_equal(set.free, 5);
	assert_false(cce_take(&set, &space)); /* there is room, elsewhere */
	space.hash = 1;
	assert_true(cce_take(&set, &space));
	assert_true(cce_fits(&set, 1));
	assert_false(cce_fits(&set, 2));
}

/* Two candidates of four elements in 48: 24 elements apart. */
static void test_candidates_of_nr_are_spread(void **state)
{
	const struct cce_space space = { .hash = 1, .level = 2, .n = 2, .spread = true };
	struct cce_set set;

	(void)state;
	cce_start(&set, 48);
	assert_true(cce_take(&set, &space));
	assert_true(cce_take(&set, &space));
	assert_false(cce_take(&set, &space));
	assert_int_equal(set.taken[0], UINT64_C(15) << 4 | UINT64_C(15) << 28);
}

static void test_without_a_limit_all_is_free(void **state)
{
	const struct cce_space space = { .level = 4, .n = 1 };
	struct cce_set set;

	(void)state;
	cce_start(&set, 0);
	for (int i = 0; i < 100; i++)
		assert_true(cce_take(&set, &space));
	assert_true(cce_fits(&set, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements_of_lte),
		cmocka_unit_test(test_levels_of_lte),
		cmocka_unit_test(test_levels_of_nr),
		cmocka_unit_test(test_elements_of_nr),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_candidates_of_lte_are_neighbours),
		cmocka_unit_test(test_candidates_of_nr_are_spread),
		cmocka_unit_test(test_without_a_limit_all_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
