/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_adaptation.c - which MCS a gNB chooses; see link_adaptation.h. */
#include "mac/nr/link_adaptation.h"

uint8_t nr_sinr_to_mcs(enum nr_table table, int32_t sinr_cdb)
{
	uint8_t low = 0, high = (uint8_t)(nr_mcs_count(table) - 1);

	while (low < high) { /* a greater MCS never needs less */
		uint8_t middle = (uint8_t)((low + high + 1) / 2);

		if (nr_mcs_sinr_cdb(table, middle) <= sinr_cdb)
			low = middle;
		else
			high = (uint8_t)(middle - 1);
	}
	return low;
}

uint8_t nr_choose_mcs(const struct outer_loop *loop, enum nr_table cqi_table,
                      enum nr_table mcs_table, uint8_t cqi)
{
	int32_t offset_cdb = outer_loop_cdb(loop);

	if (cqi == 0 || offset_cdb == 0)
		return nr_cqi_to_mcs(cqi_table, mcs_table, cqi);
	return nr_sinr_to_mcs(mcs_table, nr_cqi_sinr_cdb(cqi_table, cqi) + offset_cdb);
}
