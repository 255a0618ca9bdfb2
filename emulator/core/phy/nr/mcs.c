/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mcs.c - modulation and code rate of an MCS index; see mcs.h. */
#include "phy/nr/mcs.h"

/* Bits per symbol, and the code rate times 2048 of a number that the standard has times 1024. */
#define F(bits, rate_x1024)                                                                        \
	{                                                                                          \
		bits, (uint16_t)((rate_x1024)*2)                                                   \
	}

/* Source: TS 38.214 Tables 5.1.3.1-1, 5.1.3.1-2, 5.1.3.1-3 */
/* clang-format off */
static const struct nr_format formats[NR_TABLES][NR_MCS_MAX] = {
	[NR_TABLE_64QAM] = {
		F(2, 120), F(2, 157), F(2, 193), F(2, 251), F(2, 308), F(2, 379), F(2, 449),
		F(2, 526), F(2, 602), F(2, 679), F(4, 340), F(4, 378), F(4, 434), F(4, 490),
		F(4, 553), F(4, 616), F(4, 658), F(6, 438), F(6, 466), F(6, 517), F(6, 567),
		F(6, 616), F(6, 666), F(6, 719), F(6, 772), F(6, 822), F(6, 873), F(6, 910),
		F(6, 948),
	},
	[NR_TABLE_256QAM] = {
		F(2, 120), F(2, 193), F(2, 308), F(2, 449), F(2, 602), F(4, 378), F(4, 434),
		F(4, 490), F(4, 553), F(4, 616), F(4, 658), F(6, 466), F(6, 517), F(6, 567),
		F(6, 616), F(6, 666), F(6, 719), F(6, 772), F(6, 822), F(6, 873), F(8, 682.5),
		F(8, 711), F(8, 754), F(8, 797), F(8, 841), F(8, 885), F(8, 916.5), F(8, 948),
	},
	[NR_TABLE_64QAM_LOW_SE] = {
		F(2, 30), F(2, 40), F(2, 50), F(2, 64), F(2, 78), F(2, 99), F(2, 120),
		F(2, 157), F(2, 193), F(2, 251), F(2, 308), F(2, 379), F(2, 449), F(2, 526),
		F(2, 602), F(4, 340), F(4, 378), F(4, 434), F(4, 490), F(4, 553), F(4, 616),
		F(6, 438), F(6, 466), F(6, 517), F(6, 567), F(6, 616), F(6, 666), F(6, 719),
		F(6, 772),
	},
};
/* clang-format on */

uint8_t nr_mcs_count(enum nr_table table)
{
	return table == NR_TABLE_256QAM ? 28 : NR_MCS_MAX;
}

const struct nr_format *nr_mcs(enum nr_table table, uint8_t index)
{
	return &formats[table][index];
}
