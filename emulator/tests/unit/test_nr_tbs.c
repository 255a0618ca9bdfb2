/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MCS, CQI, transport block sizes, code blocks. Source: TS 38.214 5.1.3, 5.2.2.1; TS 38.212 5.2.2
 */
#include "unit.h"

#include "phy/nr/cqi.h"
#include "phy/nr/tbs.h"

/* Spectral efficiencies times 10^4 as the tables print them. Source: TS 38.214 Tables 5.1.3.1-1,
 * 5.1.3.1-2, 5.1.3.1-3 */
static const struct {
	uint8_t table;
	uint8_t index;
	uint32_t efficiency;
} mcs_rows[] = {
	{ NR_TABLE_64QAM, 0, 2344 },          { NR_TABLE_64QAM, 9, 13262 },
	{ NR_TABLE_64QAM, 10, 13281 },        { NR_TABLE_64QAM, 16, 25703 },
	{ NR_TABLE_64QAM, 17, 25664 },        { NR_TABLE_64QAM, 28, 55547 },
	{ NR_TABLE_256QAM, 0, 2344 },         { NR_TABLE_256QAM, 4, 11758 },
	{ NR_TABLE_256QAM, 5, 14766 },        { NR_TABLE_256QAM, 19, 51152 },
	{ NR_TABLE_256QAM, 20, 53320 },       { NR_TABLE_256QAM, 26, 71602 },
	{ NR_TABLE_256QAM, 27, 74063 },       { NR_TABLE_64QAM_LOW_SE, 0, 586 },
	{ NR_TABLE_64QAM_LOW_SE, 14, 11758 }, { NR_TABLE_64QAM_LOW_SE, 15, 13281 },
	{ NR_TABLE_64QAM_LOW_SE, 20, 24063 }, { NR_TABLE_64QAM_LOW_SE, 28, 45234 },
};

/* Source: TS 38.214 Tables 5.2.2.1-2, 5.2.2.1-3, 5.2.2.1-4 */
static const struct {
	uint8_t table;
	uint8_t cqi;
	uint32_t efficiency;
} cqi_rows[] = {
	{ NR_TABLE_64QAM, 1, 1523 },         { NR_TABLE_64QAM, 7, 14766 },
	{ NR_TABLE_64QAM, 15, 55547 },       { NR_TABLE_256QAM, 1, 1523 },
	{ NR_TABLE_256QAM, 4, 14766 },       { NR_TABLE_256QAM, 12, 55547 },
	{ NR_TABLE_256QAM, 15, 74063 },      { NR_TABLE_64QAM_LOW_SE, 1, 586 },
	{ NR_TABLE_64QAM_LOW_SE, 9, 14766 }, { NR_TABLE_64QAM_LOW_SE, 15, 45234 },
};

static uint32_t printed(const struct nr_format *f)
{
	return (nr_efficiency_x2048(f) * 10000 + 1024) / 2048;
}

static void test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(mcs_rows); i++)
		assert_int_equal(
			printed(nr_mcs((enum nr_table)mcs_rows[i].table, mcs_rows[i].index)),
			mcs_rows[i].efficiency);
	for (size_t i = 0; i < COUNT(cqi_rows); i++)
		assert_int_equal(printed(nr_cqi((enum nr_table)cqi_rows[i].table, cqi_rows[i].cqi)),
		                 cqi_rows[i].efficiency);
	assert_int_equal(nr_mcs_count(NR_TABLE_64QAM), 29);
	assert_int_equal(nr_mcs_count(NR_TABLE_256QAM), 28);
	assert_int_equal(nr_mcs_count(NR_TABLE_64QAM_LOW_SE), 29);
}

/* A CQI's format is an MCS, or lies between two. Of the first table: CQI 1 is below MCS 0. */
static void test_cqi_to_mcs(void **state)
{
	static const uint8_t mcs_64[] = { 0, 0, 0, 2, 4, 6, 8, 11, 13, 15, 18, 20, 22, 24, 26, 28 };
	static const uint8_t mcs_256[] = {
		0, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27
	};

	(void)state;
	for (uint8_t cqi = 0; cqi <= NR_CQI_MAX; cqi++) {
		assert_int_equal(nr_cqi_to_mcs(NR_TABLE_64QAM, NR_TABLE_64QAM, cqi), mcs_64[cqi]);
		assert_int_equal(nr_cqi_to_mcs(NR_TABLE_256QAM, NR_TABLE_256QAM, cqi),
		                 mcs_256[cqi]);
	}
	/* 64QAM's best CQI, and what 256QAM's table has for it. */
	assert_int_equal(nr_cqi_to_mcs(NR_TABLE_64QAM, NR_TABLE_256QAM, 15), 21);
	assert_int_equal(nr_cqi_to_mcs(NR_TABLE_256QAM, NR_TABLE_64QAM, 15), 28);
}

static void test_resource_elements(void **state)
{
	(void)state;
	assert_int_equal(nr_n_re(14, 12, 0, 273), 156 * 273);
	assert_int_equal(nr_n_re(14, 0, 0, 10), 1560); /* 168 are cut to 156 */
	assert_int_equal(nr_n_re(12, 24, 6, 51), 114 * 51);
	assert_int_equal(nr_n_re(1, 12, 0, 51), 0);
	assert_int_equal(nr_n_re(1, 12, 6, 51), 0);
}

/*
 * As py3gpp 0.6.0 has them, whose code is apart from this one, but for two that it rounds to even:
 * (2.5 and 46.5 times a power of two), which go up. The last one is the largest of release 15.
 * Table, MCS, symbols, DM-RS, overhead, PRBs, layers, bits.
 */
static const struct {
	uint8_t table;
	uint8_t mcs;
	uint8_t symbols;
	uint8_t dmrs;
	uint8_t overhead;
	uint16_t n_prb;
	uint8_t layers;
	uint32_t bits;
} sizes[] = {
	{ NR_TABLE_256QAM, 20, 13, 18, 0, 106, 2, 155776 },
	{ NR_TABLE_256QAM, 27, 13, 12, 0, 51, 4, 217128 },
	{ NR_TABLE_64QAM, 0, 2, 0, 0, 1, 1, 24 },
	{ NR_TABLE_64QAM, 9, 12, 24, 6, 24, 1, 3624 },
	{ NR_TABLE_64QAM, 28, 14, 12, 18, 270, 2, 417976 },
	{ NR_TABLE_64QAM_LOW_SE, 0, 14, 12, 0, 273, 1, 2472 },
	{ NR_TABLE_64QAM_LOW_SE, 5, 9, 12, 0, 217, 4, 16136 },
	{ NR_TABLE_64QAM_LOW_SE, 6, 12, 6, 18, 1, 2, 56 },
	{ NR_TABLE_256QAM, 1, 13, 6, 18, 24, 4, 4744 },
	{ NR_TABLE_64QAM_LOW_SE, 27, 5, 0, 6, 11, 2, 4992 },
	{ NR_TABLE_64QAM, 19, 9, 24, 12, 24, 1, 5248 },
	{ NR_TABLE_64QAM, 23, 6, 0, 0, 1, 4, 1224 },
	{ NR_TABLE_64QAM_LOW_SE, 21, 10, 12, 12, 133, 4, 131176 },
	{ NR_TABLE_64QAM_LOW_SE, 6, 2, 12, 6, 133, 4, 768 },
	{ NR_TABLE_64QAM_LOW_SE, 16, 4, 0, 0, 3, 2, 432 },
	{ NR_TABLE_64QAM_LOW_SE, 17, 13, 0, 0, 133, 2, 69672 },
	{ NR_TABLE_256QAM, 19, 14, 0, 12, 3, 4, 9480 },
	{ NR_TABLE_64QAM, 13, 13, 24, 0, 1, 3, 768 },
	{ NR_TABLE_64QAM, 21, 5, 0, 6, 51, 3, 29704 },
	{ NR_TABLE_64QAM_LOW_SE, 24, 12, 24, 12, 273, 4, 393272 },
	{ NR_TABLE_64QAM_LOW_SE, 1, 2, 6, 0, 3, 4, 24 },
	{ NR_TABLE_64QAM, 18, 4, 0, 0, 133, 1, 17424 },
	{ NR_TABLE_256QAM, 13, 4, 0, 12, 11, 1, 1320 },
	{ NR_TABLE_64QAM, 19, 2, 0, 18, 1, 3, 48 },
	{ NR_TABLE_64QAM_LOW_SE, 3, 5, 6, 6, 185, 4, 4488 },
	{ NR_TABLE_64QAM_LOW_SE, 16, 7, 0, 0, 192, 4, 96264 },
	{ NR_TABLE_256QAM, 27, 14, 12, 0, 273, 4, 1277992 },
};

/* All 93 sizes of Table 5.1.3.2-1 are multiples of 8, the least ones that are not below N'_info. */
static void test_all_sizes_of_the_table(void **state)
{
	uint32_t before = 0, n = 0;

	(void)state;
	for (uint32_t n_info = 24; n_info <= 3824; n_info++) {
		uint32_t bits = nr_tbs_bits(n_info, &(struct nr_format){ 2, 1024 }, 1), step = 8;

		while (n_info >= 128 * step)
			step *= 2;
		assert_int_equal(bits % 8, 0);
		assert_true(bits >= before && bits + step > n_info);
		n += bits != before;
		before = bits;
	}
	assert_int_equal(n, 93);
}

static void test_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint32_t n_re =
			nr_n_re(sizes[i].symbols, sizes[i].dmrs, sizes[i].overhead, sizes[i].n_prb);
		const struct nr_format *f = nr_mcs((enum nr_table)sizes[i].table, sizes[i].mcs);

		assert_int_equal(nr_tbs_bits(n_re, f, sizes[i].layers), sizes[i].bits);
		assert_int_equal(nr_tbs(n_re, f, sizes[i].layers) * 8, sizes[i].bits);
	}
	/* By hand: 3830 bits are rounded to less than 3840, which is the least above the table;
	 * 4000.5 at a rate above 1/4 are one code block, so a multiple of 8 and not of 16. */
	assert_int_equal(nr_tbs_bits(3830, &(struct nr_format){ 2, 1024 }, 1), 3840);
	assert_int_equal(nr_tbs_bits(6650, nr_mcs(NR_TABLE_64QAM, 4), 1), 3968);
	assert_int_equal(nr_tbs_bits(0, nr_mcs(NR_TABLE_64QAM, 28), 4), 0);
	assert_int_equal(nr_tbs(273 * 156, nr_mcs(NR_TABLE_256QAM, 27), 4), NR_TBS_BYTES_MAX);
}

/* More resource blocks never carry less, so the fewest can be searched by halves. */
static void test_fewest_blocks(void **state)
{
	(void)state;
	for (unsigned table = 0; table < NR_TABLES; table++)
		for (uint8_t mcs = 0; mcs < nr_mcs_count((enum nr_table)table); mcs++) {
			const struct nr_format *f = nr_mcs((enum nr_table)table, mcs);
			uint32_t before = 0;

			for (uint16_t n = 1; n <= NR_RB_MAX; n++) {
				uint32_t bytes = nr_tbs(132u * n, f, 2);
				uint16_t fewest = nr_prb_needed(bytes, 132, f, 2, NR_RB_MAX);

				assert_true(bytes >= before);
				assert_true(bytes == before ? fewest < n : fewest == n);
				before = bytes;
			}
			assert_int_equal(nr_prb_needed(before + 1, 132, f, 2, NR_RB_MAX),
			                 NR_RB_MAX);
			assert_int_equal(nr_prb_needed(1, 132, f, 2, 0), 0);
		}
}

/* By hand. 8448 + 24 of CRC are more than a code block of base graph 1 holds; 20000 with it are
 * 20024: 3 blocks (of 8424) and 24 bits more each. Source: TS 38.212 5.2.2, 7.2.2 */
static const struct {
	uint32_t tbs;
	uint16_t rate_x2048;
	struct nr_segments s;
} cuts[] = {
	{ 24, 1204, { 2, 16, 0, 1, 40, 7 } },
	{ 292, 1896, { 2, 16, 0, 1, 308, 40 } },
	{ 296, 1896, { 1, 16, 0, 1, 312, 15 } },
	{ 1000, 1204, { 2, 16, 0, 1, 1016, 104 } },
	{ 2544, 1204, { 2, 16, 0, 1, 2560, 256 } },
	{ 3824, 1372, { 2, 16, 0, 1, 3840, 384 } },
	{ 3824, 1373, { 1, 16, 0, 1, 3840, 176 } },
	{ 3848, 512, { 2, 24, 24, 2, 1960, 208 } },
	{ 8424, 1204, { 1, 24, 0, 1, 8448, 384 } },
	{ 8448, 1204, { 1, 24, 24, 2, 4260, 208 } },
	{ 20000, 1204, { 1, 24, 24, 3, 6699, 320 } },
	{ 1277992, 1896, { 1, 24, 24, 152, 8432, 384 } },
};

static void test_code_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cuts); i++) {
		struct nr_segments s = nr_segment(cuts[i].tbs, cuts[i].rate_x2048);

		assert_int_equal(s.base_graph, cuts[i].s.base_graph);
		assert_int_equal(s.tb_crc_bits, cuts[i].s.tb_crc_bits);
		assert_int_equal(s.block_crc_bits, cuts[i].s.block_crc_bits);
		assert_int_equal(s.n, cuts[i].s.n);
		assert_int_equal(s.bits, cuts[i].s.bits);
		assert_int_equal(s.lifting, cuts[i].s.lifting);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_cqi_to_mcs),
		cmocka_unit_test(test_resource_elements),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_all_sizes_of_the_table),
		cmocka_unit_test(test_fewest_blocks),
		cmocka_unit_test(test_code_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
