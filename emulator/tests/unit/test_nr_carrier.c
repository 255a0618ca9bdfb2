/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots, symbols and resource blocks of NR carriers. */
#include "unit.h"

#include "phy/nr/carrier.h"

/* Resource blocks of 5, 10, ... MHz at each numerology; 0: not there. Source: TS 38.101-1 Table
 * 5.3.2-1 */
static const uint16_t fr1_mhz[] = { 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100 };
static const uint16_t fr1[][COUNT(fr1_mhz)] = {
	{ 25, 52, 79, 106, 133, 160, 188, 216, 242, 270 },
	{ 11, 24, 38, 51, 65, 78, 92, 106, 119, 133, 162, 189, 217, 245, 273 },
	{ 0, 11, 18, 24, 31, 38, 44, 51, 58, 65, 79, 93, 107, 121, 135 },
};
/* Source: TS 38.101-2 Table 5.3.2-1 */
static const uint16_t fr2_mhz[] = { 50, 100, 200, 400 };
static const uint16_t fr2[][COUNT(fr2_mhz)] = { { 66, 132, 264, 0 }, { 32, 66, 132, 264 } };

static void test_resource_blocks(void **state)
{
	(void)state;
	for (unsigned mu = 0; mu < COUNT(fr1); mu++)
		for (size_t i = 0; i < COUNT(fr1_mhz); i++)
			assert_int_equal(nr_n_rb(NR_FR1, (uint8_t)mu, fr1_mhz[i]), fr1[mu][i]);
	for (unsigned mu = 0; mu < COUNT(fr2); mu++)
		for (size_t i = 0; i < COUNT(fr2_mhz); i++)
			assert_int_equal(nr_n_rb(NR_FR2, (uint8_t)(mu + 2), fr2_mhz[i]),
			                 fr2[mu][i]);
}

/* Numerologies that a range has not, and bandwidths between those of the tables. */
static void test_no_such_carrier(void **state)
{
	unsigned n = 0;

	(void)state;
	for (uint16_t mhz = 0; mhz <= 500; mhz++) {
		assert_int_equal(nr_n_rb(NR_FR1, 3, mhz), 0);
		assert_int_equal(nr_n_rb(NR_FR2, 0, mhz) + nr_n_rb(NR_FR2, 1, mhz), 0);
		n += nr_n_rb(NR_FR1, 1, mhz) != 0;
		n += nr_n_rb(NR_FR2, 3, mhz) != 0;
	}
	assert_int_equal(n, COUNT(fr1_mhz) + COUNT(fr2_mhz));
}

/* The guard on both sides of a carrier is never less than the least of the standards: 12
 * subcarriers a block, and at most 98.3 % of the channel. Source: TS 38.101-1 Table 5.3.3-1 */
static void test_blocks_fit_the_channel(void **state)
{
	(void)state;
	for (unsigned range = NR_FR1; range <= NR_FR2; range++)
		for (uint8_t mu = 0; mu <= NR_MU_MAX; mu++)
			for (uint16_t mhz = 1; mhz <= 400; mhz++) {
				uint32_t n_rb = nr_n_rb((enum nr_range)range, mu, mhz);
				uint32_t khz = n_rb * NR_SUBCARRIERS * (15u << mu);

				assert_true(n_rb <= NR_RB_MAX);
				if (n_rb) {
					assert_true(khz * 1000 <= mhz * 983000u);
					assert_true(khz * 100 >= mhz * 1000u * 79);
				}
			}
}

static void test_time(void **state)
{
	(void)state;
	for (uint8_t mu = 0; mu <= NR_MU_MAX; mu++) {
		assert_int_equal(nr_slots_per_frame(mu) * nr_slot_ns(mu), 10000000);
		assert_int_equal(nr_symbols_ns(mu, NR_SYMBOLS), nr_slot_ns(mu));
		assert_int_equal(nr_slots_per_subframe(mu) * 10, nr_slots_per_frame(mu));
	}
	assert_int_equal(nr_slot_ns(1), 500000);
	assert_int_equal(nr_symbols_ns(1, 1), 35714);
	assert_int_equal(nr_symbols_to_slots(14), 1);
	assert_int_equal(nr_symbols_to_slots(15), 2);
	/* Slot 20479 is the last of an SFN cycle at numerology 1. */
	assert_int_equal(nr_sfn(1, 20479), 1023);
	assert_int_equal(nr_slot_in_frame(1, 20479), 19);
	assert_int_equal(nr_sfn(1, 20480), 0);
	assert_int_equal(nr_slot_in_frame(1, 20480), 0);
}

/* Source: TS 38.214 Tables 5.3-1, 6.4-1 */
static void test_processing_times(void **state)
{
	static const uint8_t n1[] = { 8, 10, 17, 20 }, n2[] = { 10, 12, 23, 36 };

	(void)state;
	for (uint8_t mu = 0; mu <= NR_MU_MAX; mu++) {
		assert_int_equal(nr_n1_symbols(mu), n1[mu]);
		assert_int_equal(nr_n2_symbols(mu), n2[mu]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resource_blocks),
		cmocka_unit_test(test_no_such_carrier),
		cmocka_unit_test(test_blocks_fit_the_channel),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_processing_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
