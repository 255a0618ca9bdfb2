/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_adaptation.c - which MCS a gNB chooses; see link_adaptation.h. */
#include "mac/nr/link_adaptation.h"

#include "base/assert.h"

#define UDB_PER_CDB 10000

void nr_outer_loop_init(struct nr_outer_loop *loop, uint32_t target_q32, uint16_t step_cdb,
                        uint16_t limit_cdb)
{
	uint64_t down = (uint64_t)step_cdb * UDB_PER_CDB;

	*loop = (struct nr_outer_loop){ .limit_udb = limit_cdb * UDB_PER_CDB };
	CELL_ASSERT(target_q32 <= UINT32_MAX / 2);
	if (target_q32 == 0)
		return;
	loop->down_udb = (int32_t)down;
	loop->up_udb = (int32_t)(down * target_q32 / (UINT32_MAX - target_q32 + UINT64_C(1)));
}

void nr_outer_loop_feedback(struct nr_outer_loop *loop, bool ack)
{
	int64_t offset = (int64_t)loop->offset_udb + (ack ? loop->up_udb : -loop->down_udb);

	if (offset > loop->limit_udb)
		offset = loop->limit_udb;
	if (offset < -loop->limit_udb)
		offset = -loop->limit_udb;
	loop->offset_udb = (int32_t)offset;
}

int32_t nr_outer_loop_cdb(const struct nr_outer_loop *loop)
{
	int32_t cdb = loop->offset_udb / UDB_PER_CDB;

	return loop->offset_udb % UDB_PER_CDB < 0 ? cdb - 1 : cdb;
}

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

uint8_t nr_choose_mcs(const struct nr_outer_loop *loop, enum nr_table cqi_table,
                      enum nr_table mcs_table, uint8_t cqi)
{
	int32_t offset_cdb = nr_outer_loop_cdb(loop);

	if (cqi == 0 || offset_cdb == 0)
		return nr_cqi_to_mcs(cqi_table, mcs_table, cqi);
	return nr_sinr_to_mcs(mcs_table, nr_cqi_sinr_cdb(cqi_table, cqi) + offset_cdb);
}
