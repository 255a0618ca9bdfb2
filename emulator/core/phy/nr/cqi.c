/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cqi.c - what a CQI says; see cqi.h. */
#include "phy/nr/cqi.h"

#define F(bits, rate_x1024)                                                                        \
	{                                                                                          \
		bits, (rate_x1024)*2                                                               \
	}

/* Source: TS 38.214 Tables 5.2.2.1-2, 5.2.2.1-3, 5.2.2.1-4 */
/* clang-format off */
static const struct nr_format formats[NR_TABLES][NR_CQI_MAX] = {
	[NR_TABLE_64QAM] = {
		F(2, 78), F(2, 120), F(2, 193), F(2, 308), F(2, 449), F(2, 602), F(4, 378), F(4, 490),
		F(4, 616), F(6, 466), F(6, 567), F(6, 666), F(6, 772), F(6, 873), F(6, 948),
	},
	[NR_TABLE_256QAM] = {
		F(2, 78), F(2, 193), F(2, 449), F(4, 378), F(4, 490), F(4, 616), F(6, 466), F(6, 567),
		F(6, 666), F(6, 772), F(6, 873), F(8, 711), F(8, 797), F(8, 885), F(8, 948),
	},
	[NR_TABLE_64QAM_LOW_SE] = {
		F(2, 30), F(2, 50), F(2, 78), F(2, 120), F(2, 193), F(2, 308), F(2, 449), F(2, 602),
		F(4, 378), F(4, 490), F(4, 616), F(6, 466), F(6, 567), F(6, 666), F(6, 772),
	},
};
/* clang-format on */

const struct nr_format *nr_cqi(enum nr_table table, uint8_t cqi)
{
	return &formats[table][cqi - 1];
}

uint8_t nr_cqi_to_mcs(enum nr_table cqi_table, enum nr_table mcs_table, uint8_t cqi)
{
	uint8_t mcs = 0;

	if (cqi == 0)
		return 0;
	for (uint8_t i = 1; i < nr_mcs_count(mcs_table); i++)
		if (nr_efficiency_x2048(nr_mcs(mcs_table, i)) <=
		    nr_efficiency_x2048(nr_cqi(cqi_table, cqi)))
			mcs = i;
	return mcs;
}
