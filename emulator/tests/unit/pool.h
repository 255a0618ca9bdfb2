/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.h - a pool of RLC PDUs for tests. */
#ifndef POOL_H
#define POOL_H

#include "rlc/common/pdu.h"

#define POOL_PDUS  1100
#define POOL_BYTES 1000

/** pool_fill() - all PDUs are free again */
static inline void pool_fill(struct rlc_pool *pool)
{
	static struct rlc_pdu pdus[POOL_PDUS];
	static uint8_t data[POOL_PDUS][POOL_BYTES];

	*pool = (struct rlc_pool){ .data_max = POOL_BYTES };
	for (uint32_t i = 0; i < POOL_PDUS; i++) {
		pdus[i] = (struct rlc_pdu){ .data = data[i] };
		rlc_pool_put(pool, &pdus[i]);
	}
}

#endif
