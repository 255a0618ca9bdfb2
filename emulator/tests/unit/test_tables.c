/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every number of the standards' tables is as it was when somebody read it beside the standard;
 * tests of what uses a table look at some of its rows. Source: TS 36.213 7.2.3; TS 36.321 6.1.3.1;
 * TS 38.104 5.3.2; TS 38.214 5.1.3.1, 5.2.2.1, 5.3, 6.4; TS 38.321 6.1.3.1, 7.2
 */
#include "unit.h"

#include "mac/lte/bsr.h"
#include "mac/nr/bsr.h"
#include "mac/nr/rar.h"
#include "phy/lte/phy.h"
#include "phy/nr/carrier.h"
#include "phy/nr/cqi.h"
#include "phy/nr/mcs.h"

#define START UINT64_C(0xcbf29ce484222325) /* FNV-1a */

static uint64_t add(uint64_t digest, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		digest = (digest ^ (uint8_t)(number >> 8 * i)) * UINT64_C(0x100000001b3);
	return digest;
}

static void test_buffer_sizes(void **state)
{
	uint64_t lte = START, nr5 = START, nr8 = START;

	(void)state;
	for (uint8_t i = 0; i < BSR_INDEX_COUNT; i++)
		lte = add(lte, bsr_bytes(i));
	for (uint8_t i = 0; i < 32; i++)
		nr5 = add(nr5, nr_bsr_bytes5(i));
	for (uint8_t i = 0; i < 255; i++)
		nr8 = add(nr8, nr_bsr_bytes8(i));
	assert_int_equal(lte, UINT64_C(0x722812dade9124e9));
	assert_int_equal(nr5, UINT64_C(0xdcaf1f1578eb6d8a));
	assert_int_equal(nr8, UINT64_C(0x1f819fd4afd5c4ec));
}

static void test_modulation_and_coding(void **state)
{
	uint64_t mcs = START, cqi = START;

	(void)state;
	for (int table = 0; table < NR_TABLES; table++) {
		for (uint8_t i = 0; i < nr_mcs_count((enum nr_table)table); i++) {
			const struct nr_format *f = nr_mcs((enum nr_table)table, i);

			mcs = add(add(mcs, f->bits), f->rate_x2048);
		}
		for (uint8_t i = 1; i <= 15; i++) {
			const struct nr_format *f = nr_cqi((enum nr_table)table, i);

			cqi = add(add(cqi, f->bits), f->rate_x2048);
		}
	}
	assert_int_equal(mcs, UINT64_C(0x1fec53942c9ce47c));
	assert_int_equal(cqi, UINT64_C(0x4a7985136e3ee6b));
}

/* LTE's are the products of modulation and code rate. */
static void test_efficiencies(void **state)
{
	static const uint16_t rate_x1024[] = { 0,   78,  120, 193, 308, 449, 602, 378,
		                               490, 616, 466, 567, 666, 772, 873, 948 };

	(void)state;
	for (uint8_t cqi = 1; cqi <= 15; cqi++) {
		uint32_t bits = cqi < 7 ? 2 : cqi < 10 ? 4 : 6;

		assert_int_equal(phy_efficiency(cqi),
		                 (bits * rate_x1024[cqi] * 10000 + 512) / 1024);
	}
}

static void test_carriers(void **state)
{
	uint64_t n_rb = START, times = START;

	(void)state;
	for (uint8_t mu = 0; mu <= NR_MU_MAX; mu++) {
		for (uint16_t mhz = 1; mhz <= 500; mhz++)
			n_rb = add(add(n_rb, nr_n_rb(NR_FR1, mu, mhz)), nr_n_rb(NR_FR2, mu, mhz));
		times = add(add(times, nr_n1_symbols(mu)), nr_n2_symbols(mu));
	}
	assert_int_equal(n_rb, UINT64_C(0x6e750c8bd143dcb0));
	assert_int_equal(times, UINT64_C(0x91c2ff3a15cc07e7));
}

static void test_backoff(void **state)
{
	uint64_t ms = START;

	(void)state;
	for (int8_t i = NR_BACKOFF_NONE; i < 15; i++)
		ms = add(ms, nr_backoff_ms(i));
	assert_int_equal(ms, UINT64_C(0x30966daee1ec752f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffer_sizes), cmocka_unit_test(test_modulation_and_coding),
		cmocka_unit_test(test_efficiencies), cmocka_unit_test(test_carriers),
		cmocka_unit_test(test_backoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
