/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_adaptation.c - which transport format an eNB chooses; see link_adaptation.h. */
#include "mac/lte/link_adaptation.h"

#include "phy/lte/bler.h"

#define N_RB      50
#define FIRST_CDB (-2000)
#define LAST_CDB  4000

static bool decodes(enum cell_dir dir, uint8_t itbs, uint8_t symbols, int32_t sinr_cdb)
{
	struct bler_soft nothing = { 0 };
	uint32_t coded_bits = phy_coded_bits(dir, itbs, N_RB, symbols);

	return bler_attempt(&nothing, phy_bits(dir, itbs), phy_tbs(itbs, N_RB) * 8, coded_bits,
	                    sinr_cdb) <= UINT32_MAX / 2;
}

void lte_formats_init(struct lte_formats *ret, enum cell_dir dir, uint8_t symbols)
{
	for (uint8_t itbs = 0; itbs < PHY_ITBS_COUNT; itbs++) {
		int32_t low = FIRST_CDB, high = LAST_CDB;

		while (low < high) {
			int32_t middle = low + (high - low) / 2;

			if (decodes(dir, itbs, symbols, middle))
				high = middle;
			else
				low = middle + 1;
		}
		ret->sinr_cdb[itbs] = (int16_t)low;
	}
}

uint8_t lte_choose_itbs(const struct lte_formats *f, const struct outer_loop *loop, uint8_t itbs)
{
	int32_t offset_cdb = outer_loop_cdb(loop);
	int32_t sinr_cdb = f->sinr_cdb[itbs] + offset_cdb;
	uint8_t best = PHY_ITBS_COUNT - 1;

	if (offset_cdb == 0)
		return itbs;
	while (best > 0 && f->sinr_cdb[best] > sinr_cdb)
		best--;
	return best;
}
