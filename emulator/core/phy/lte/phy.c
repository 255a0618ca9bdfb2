/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phy.c - CQI, MCS, transport block sizes; see phy.h. */
#include "phy/lte/phy.h"

#include <stdbool.h>

/* Bits per resource element times 10^4. Source: TS 36.213 Table 7.2.3-1 */
static const uint32_t cqi_efficiency[16] = {
	0,     1523,  2344,  3770,  6016,  8770,  11758, 14766,
	19141, 24063, 27305, 33223, 39023, 45234, 51152, 55547,
};

/*
 * Resource elements that carry data in one PRB pair, normal cyclic prefix.
 * UL: 14 symbols less 2 of DM-RS, 12 subcarriers (TS 36.211 5.5.2.1).
 * DL: 14 symbols less those of the control region, less the 6 CRS of one antenna port
 * that lie outside it (TS 36.211 6.10.1.2).
 */
static uint32_t re_per_prb(enum cell_dir dir, uint8_t symbols)
{
	return dir == CELL_DIR_DL ? 12 * (14u - symbols) - 6 : 12 * 12;
}

uint32_t phy_efficiency(uint8_t cqi)
{
	return cqi_efficiency[cqi];
}

uint8_t phy_itbs(enum cell_dir dir, uint8_t cqi, uint8_t symbols)
{
	const uint16_t n_rb = 50;
	uint64_t capacity_bits =
		(uint64_t)cqi_efficiency[cqi] * n_rb * re_per_prb(dir, symbols) / 10000;
	uint8_t itbs = PHY_ITBS_COUNT - 1;

	while (itbs > 0 && phy_tbs(itbs, n_rb) * 8 > capacity_bits)
		itbs--;
	return itbs;
}

uint8_t phy_mcs(enum cell_dir dir, uint8_t itbs)
{
	/* Where two modulations share an I_TBS the lower I_MCS is used. */
	uint8_t first = dir == CELL_DIR_DL ? 9 : 10;
	uint8_t second = dir == CELL_DIR_DL ? 15 : 19;

	return (uint8_t)(itbs + (itbs > first) + (itbs > second));
}

uint8_t phy_bits(enum cell_dir dir, uint8_t itbs)
{
	uint8_t mcs = phy_mcs(dir, itbs);
	uint8_t last_qpsk = dir == CELL_DIR_DL ? 9 : 10;
	uint8_t last_16qam = dir == CELL_DIR_DL ? 16 : 20;

	if (mcs <= last_qpsk)
		return 2;
	return mcs <= last_16qam ? 4 : 6;
}

uint32_t phy_coded_bits(enum cell_dir dir, uint8_t itbs, uint16_t n_rb, uint8_t symbols)
{
	return (uint32_t)n_rb * re_per_prb(dir, symbols) * phy_bits(dir, itbs);
}

static bool is_dft_size(uint16_t n)
{
	while (n % 2 == 0)
		n /= 2;
	while (n % 3 == 0)
		n /= 3;
	while (n % 5 == 0)
		n /= 5;
	return n == 1;
}

uint16_t phy_rb_needed(enum cell_dir dir, uint8_t itbs, uint32_t bytes, uint16_t n_rb_free)
{
	uint16_t best = 0;

	for (uint16_t n = 1; n <= n_rb_free; n++) {
		if (dir != CELL_DIR_DL && !is_dft_size(n))
			continue;
		best = n;
		if (phy_tbs(itbs, n) >= bytes)
			break;
	}
	return best;
}
