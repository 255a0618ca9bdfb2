/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chances of blocks of NR, of one attempt and of one after others. */
#include "unit.h"

#include "phy/nr/bler.h"
#include "phy/nr/tbs.h"

#define N_RE 7200

static double chance(uint32_t q32)
{
	return q32 / (double)UINT32_MAX;
}

/* Of a block of as many bits as its resource elements carry at the rate, not one of the sizes. */
static uint32_t once(const struct nr_format *f, int32_t sinr_cdb)
{
	uint32_t tbs = N_RE * nr_efficiency_x2048(f) / 2048 / 8 * 8;
	struct bler_soft soft = { 0 };

	return nr_bler_attempt(&soft, f, tbs, nr_coded_bits(N_RE, f, 1), sinr_cdb);
}

static void test_what_is_certain_stays_so(void **state)
{
	const struct nr_format *f = nr_mcs(NR_TABLE_256QAM, 20);
	struct bler_soft good = { 0 }, bad = { 0 };
	uint32_t tbs = nr_tbs_bits(N_RE, f, 1), coded = nr_coded_bits(N_RE, f, 1);

	(void)state;
	assert_int_equal(nr_bler_attempt(&good, f, tbs, coded, 4000), 0);
	assert_int_equal(nr_bler_attempt(&good, f, tbs, coded, -3000), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(nr_bler_attempt(&bad, f, tbs, coded, -3000), UINT32_MAX);
}

static void test_chances_multiply(void **state)
{
	const struct nr_format *f = nr_mcs(NR_TABLE_64QAM, 13);
	struct bler_soft soft = { 0 };
	uint32_t tbs = nr_tbs_bits(200, f, 1), coded = nr_coded_bits(200, f, 1);
	double together = 1;

	(void)state;
	for (int i = 0; i < 3; i++) {
		together *= chance(nr_bler_attempt(&soft, f, tbs, coded, 450));
		assert_int_equal(soft.coded_bits, (uint32_t)(i + 1) * coded);
		assert_int_equal(soft.failed_q32, nr_bler(&soft, f, tbs));
		assert_true(together - chance(soft.failed_q32) < 1e-6);
		assert_true(chance(soft.failed_q32) - together < 1e-6);
	}
	assert_true(together < 0.5);
}

/* How much less SINR two attempts need than one, for a tenth lost. */
static int32_t gain_cdb(uint8_t mcs)
{
	const struct nr_format *f = nr_mcs(NR_TABLE_64QAM, mcs);
	uint32_t tbs = nr_tbs_bits(N_RE, f, 1), coded = nr_coded_bits(N_RE, f, 1);
	int32_t cdb = nr_mcs_sinr_cdb(NR_TABLE_64QAM, mcs), gain = 0;

	for (; gain < 1500; gain += 5) {
		struct bler_soft soft = { 0 };

		nr_bler_add(&soft, f->bits, coded, cdb - gain);
		nr_bler_add(&soft, f->bits, coded, cdb - gain);
		if (nr_bler(&soft, f, tbs) > UINT32_MAX / 10)
			break;
	}
	return gain;
}

/* At the lowest rates of a modulation 3 dB, as the same bits come again; at higher ones more of
 * them are new, which is worth most where few were spare. */
static void test_gain_of_a_second_attempt(void **state)
{
	static const uint8_t lowest[] = { 0, 10, 17 };

	(void)state;
	for (size_t i = 0; i < COUNT(lowest); i++)
		assert_in_range(gain_cdb(lowest[i]), 280, 325);
	for (uint8_t mcs = 0; mcs < 29; mcs++)
		assert_in_range(gain_cdb(mcs), 220, 1050);
	for (uint8_t mcs = 18; mcs < 29; mcs++)
		assert_true(gain_cdb(mcs) > gain_cdb((uint8_t)(mcs - 1)));
}

static void test_thresholds(void **state)
{
	(void)state;
	for (unsigned table = 0; table < NR_TABLES; table++)
		for (uint8_t i = 0; i < nr_mcs_count((enum nr_table)table); i++) {
			const struct nr_format *f = nr_mcs((enum nr_table)table, i);
			int32_t cdb = nr_mcs_sinr_cdb((enum nr_table)table, i);

			assert_true(once(f, cdb + 2) < UINT32_MAX / 10);
			assert_true(once(f, cdb - 2) > UINT32_MAX / 10);
			if (i)
				assert_true(cdb > nr_mcs_sinr_cdb((enum nr_table)table, i - 1));
		}
}

static void test_cqi(void **state)
{
	(void)state;
	for (unsigned table = 0; table < NR_TABLES; table++) {
		for (uint8_t cqi = 2; cqi <= NR_CQI_MAX; cqi++)
			assert_true(nr_cqi_sinr_cdb((enum nr_table)table, cqi) >
			            nr_cqi_sinr_cdb((enum nr_table)table, cqi - 1));
	}
	/* 1 of 100 000 instead of a tenth needs a little more. */
	assert_in_range(nr_cqi_sinr_cdb(NR_TABLE_64QAM_LOW_SE, 15) -
	                        nr_cqi_sinr_cdb(NR_TABLE_64QAM, 13),
	                10, 100);
}

/* More information never harms, and none by much, between the points of the tables too. */
static void test_curves_are_smooth(void **state)
{
	const struct nr_format *f = nr_mcs(NR_TABLE_256QAM, 22);
	const uint32_t tbs = 6144;
	uint32_t before = UINT32_MAX, n_steep = 0;

	(void)state;
	for (uint32_t coded = tbs; coded < 3 * tbs; coded++) {
		struct bler_soft soft = { 0 };
		uint32_t failed;

		nr_bler_add(&soft, f->bits, coded, 1900);
		failed = nr_bler(&soft, f, tbs);
		assert_true(failed <= before);
		assert_true(before - failed < UINT32_MAX / 150);
		n_steep += failed < before;
		before = failed;
	}
	assert_true(n_steep > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_certain_stays_so),
		cmocka_unit_test(test_chances_multiply),
		cmocka_unit_test(test_gain_of_a_second_attempt),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_cqi),
		cmocka_unit_test(test_curves_are_smooth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
