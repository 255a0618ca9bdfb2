/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots, symbols and resource blocks of NR carriers. */
#include "unit.h"

#include "phy/nr/carrier.h"

/* Rows copied from the standards; 0: not there. Source: TS 38.101-1, TS 38.101-2 Table 5.3.2-1 */
static const struct {
	uint8_t range;
	uint8_t mu;
	uint16_t mhz;
	uint16_t n_rb;
} rows[] = {
	{ NR_FR1, 0, 5, 25 },    { NR_FR1, 0, 20, 106 },  { NR_FR1, 0, 50, 270 },
	{ NR_FR1, 0, 60, 0 },    { NR_FR1, 1, 5, 11 },    { NR_FR1, 1, 20, 51 },
	{ NR_FR1, 1, 40, 106 },  { NR_FR1, 1, 100, 273 }, { NR_FR1, 2, 5, 0 },
	{ NR_FR1, 2, 10, 11 },   { NR_FR1, 2, 100, 135 }, { NR_FR1, 3, 100, 0 },
	{ NR_FR1, 1, 55, 0 },    { NR_FR2, 2, 50, 66 },   { NR_FR2, 2, 200, 264 },
	{ NR_FR2, 2, 400, 0 },   { NR_FR2, 3, 50, 32 },   { NR_FR2, 3, 100, 66 },
	{ NR_FR2, 3, 400, 264 }, { NR_FR2, 1, 100, 0 },   { NR_FR2, 0, 50, 0 },
};

static void test_resource_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(nr_n_rb((enum nr_range)rows[i].range, rows[i].mu, rows[i].mhz),
		                 rows[i].n_rb);
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
		cmocka_unit_test(test_blocks_fit_the_channel),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_processing_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
