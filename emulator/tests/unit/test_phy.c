/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Transport block sizes, CQI, MCS, allocation sizes. Source: TS 36.213, TS 36.211 */
#include "unit.h"

#include "phy/lte/phy.h"

/* Bits copied from TS 36.213 Table 7.1.7.2.1-1. */
static const struct {
	uint8_t itbs;
	uint16_t n_rb;
	uint32_t bits;
} tbs_rows[] = {
	{ 0, 1, 16 },      { 0, 6, 152 },     { 0, 50, 1384 },    { 0, 100, 2792 },
	{ 1, 1, 24 },      { 9, 50, 7992 },   { 9, 100, 15840 },  { 15, 50, 15264 },
	{ 6, 1, 328 },     { 6, 2, 176 },     { 26, 1, 712 },     { 26, 6, 4392 },
	{ 26, 25, 18336 }, { 26, 50, 36696 }, { 26, 100, 75376 }, { 26, 110, 75376 },
};

static void test_tbs_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tbs_rows); i++)
		assert_int_equal(phy_tbs(tbs_rows[i].itbs, tbs_rows[i].n_rb), tbs_rows[i].bits / 8);
	assert_int_equal(phy_tbs(26, 0), 0);
	assert_int_equal(PHY_TBS_MAX, 9422);
}

/*
 * A slip in copying the table would break its order. One entry of the standard
 * does, too: I_TBS 6 on 1 PRB has 328 bits, for a frame of speech.
 */
static void test_tbs_grows(void **state)
{
	(void)state;
	for (uint8_t itbs = 0; itbs < PHY_ITBS_COUNT; itbs++)
		for (uint16_t n = 1; n <= CELL_MAX_RB; n++) {
			uint32_t tbs = phy_tbs(itbs, n);

			if (n <= 2 && (itbs == 6 || itbs == 7))
				continue;
			assert_true(tbs > 0 && tbs <= PHY_TBS_MAX);
			if (n > 1)
				assert_true(tbs >= phy_tbs(itbs, (uint16_t)(n - 1)));
			if (itbs > 0)
				assert_true(tbs >= phy_tbs((uint8_t)(itbs - 1), n));
		}
}

/*
 * The rule of phy/lte/phy.h, recomputed from modulation and code rate: efficiency =
 * Qm * R/1024; 50 PRBs of 144 (UL, SL) or 150 (DL) resource elements.
 * Source: TS 36.213 Table 7.2.3-1
 */
static void test_cqi_rule(void **state)
{
	static const double qm_r[16] = {
		0,       2 * 78,  2 * 120, 2 * 193, 2 * 308, 2 * 449, 2 * 602, 4 * 378,
		4 * 490, 4 * 616, 6 * 466, 6 * 567, 6 * 666, 6 * 772, 6 * 873, 6 * 948,
	};

	(void)state;
	for (int dir = 0; dir < CELL_DIR_COUNT; dir++)
		for (uint8_t cqi = 1; cqi <= 15; cqi++) {
			double bits = qm_r[cqi] / 1024 * 50 * (dir == CELL_DIR_DL ? 150 : 144);
			uint8_t expected = 0;

			for (uint8_t i = 0; i < PHY_ITBS_COUNT; i++)
				if (8 * phy_tbs(i, 50) <= bits)
					expected = i;
			assert_int_equal(phy_itbs((enum cell_dir)dir, cqi, 1), expected);
		}
	/* 5.5547 * 7200 = 39993 bits; I_TBS 26 has 36696. */
	assert_int_equal(phy_itbs(CELL_DIR_UL, 15, 1), 26);
	/* 1.4766 * 7200 = 10631 bits; I_TBS 11 has 9912, 12 has 11448. */
	assert_int_equal(phy_itbs(CELL_DIR_SL, 7, 1), 11);
	/* Not even I_TBS 0 with 1384 bits keeps to CQI 1 with 1096: the lowest it is. */
	assert_int_equal(phy_itbs(CELL_DIR_UL, 1, 1), 0);
}

/* First I_MCS of every I_TBS. Source: TS 36.213 Tables 7.1.7.1-1 (DL), 8.6.1-1 (UL) */
static void test_mcs(void **state)
{
	static const struct {
		uint8_t itbs;
		uint8_t dl;
		uint8_t ul;
	} rows[] = {
		{ 0, 0, 0 },    { 9, 9, 9 },    { 10, 11, 10 }, { 11, 12, 12 }, { 15, 16, 16 },
		{ 16, 18, 17 }, { 19, 21, 20 }, { 20, 22, 22 }, { 26, 28, 28 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(phy_mcs(CELL_DIR_DL, rows[i].itbs), rows[i].dl);
		assert_int_equal(phy_mcs(CELL_DIR_UL, rows[i].itbs), rows[i].ul);
		assert_int_equal(phy_mcs(CELL_DIR_SL, rows[i].itbs), rows[i].ul);
	}
}

/* I_TBS 26: 1 PRB 89 bytes, 6 549, 7 613 or more; 7 is no DFT size. */
static void test_rb_needed(void **state)
{
	(void)state;
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 1, 50), 1);
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 89, 50), 1);
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 90, 50), 2);
	assert_int_equal(phy_rb_needed(CELL_DIR_DL, 26, 550, 50), 7);
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 550, 50), 8);
	assert_int_equal(phy_rb_needed(CELL_DIR_SL, 26, 1000000, 50), 50);
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 1000000, 49), 48);
	assert_int_equal(phy_rb_needed(CELL_DIR_DL, 26, 1000000, 49), 49);
	assert_int_equal(phy_rb_needed(CELL_DIR_UL, 26, 1, 0), 0);
}

/* alpha = 2^a 3^b 5^c. Source: TS 36.211 5.3.3 */
static void test_dft_sizes(void **state)
{
	(void)state;
	for (uint16_t n = 1; n <= CELL_MAX_RB; n++) {
		uint16_t got = phy_rb_needed(CELL_DIR_UL, 26, 1000000, n), rest = got;

		for (uint16_t f = 2; f <= 5; f++)
			while (rest % f == 0)
				rest /= f;
		assert_int_equal(rest, 1);
		assert_true(got <= n && 2 * got > n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tbs_rows),  cmocka_unit_test(test_tbs_grows),
		cmocka_unit_test(test_cqi_rule),  cmocka_unit_test(test_mcs),
		cmocka_unit_test(test_rb_needed), cmocka_unit_test(test_dft_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
