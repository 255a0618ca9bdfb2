/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outer_loop.c - an offset that failures move; see outer_loop.h. */
#include "mac/common/outer_loop.h"

#include "base/assert.h"

#define UDB_PER_CDB 10000

void outer_loop_init(struct outer_loop *loop, uint32_t target_q32, uint16_t step_cdb,
                     uint16_t limit_cdb)
{
	uint64_t down = (uint64_t)step_cdb * UDB_PER_CDB;

	*loop = (struct outer_loop){ .limit_udb = limit_cdb * UDB_PER_CDB };
	CELL_ASSERT(target_q32 <= UINT32_MAX / 2);
	if (target_q32 == 0)
		return;
	loop->down_udb = (int32_t)down;
	loop->up_udb = (int32_t)(down * target_q32 / (UINT32_MAX - target_q32 + UINT64_C(1)));
}

void outer_loop_feedback(struct outer_loop *loop, bool ack)
{
	int64_t offset = (int64_t)loop->offset_udb + (ack ? loop->up_udb : -loop->down_udb);

	if (offset > loop->limit_udb)
		offset = loop->limit_udb;
	if (offset < -loop->limit_udb)
		offset = -loop->limit_udb;
	loop->offset_udb = (int32_t)offset;
}

int32_t outer_loop_cdb(const struct outer_loop *loop)
{
	int32_t cdb = loop->offset_udb / UDB_PER_CDB;

	return loop->offset_udb % UDB_PER_CDB < 0 ? cdb - 1 : cdb;
}
