/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mcs.h - modulation and code rate of an MCS index.
 *
 * The standard gives the code rate times 1024, and twice with a half; here it is times 2048.
 * Of PUSCH these are the tables without transform precoding.
 * Source: TS 38.214 Tables 5.1.3.1-1, 5.1.3.1-2, 5.1.3.1-3
 */
#ifndef NR_MCS_H
#define NR_MCS_H

#include <stdint.h>

enum nr_table { NR_TABLE_64QAM, NR_TABLE_256QAM, NR_TABLE_64QAM_LOW_SE, NR_TABLES };

#define NR_MCS_MAX 29 /* indices of a table, at most */

struct nr_format {
	uint8_t bits;        /* per modulation symbol: 2, 4, 6, 8 */
	uint16_t rate_x2048; /* information bits per coded bit */
};

/** nr_mcs_count() - indices of a table that name a code rate: 29, 28, 29 */
uint8_t nr_mcs_count(enum nr_table table);

/** nr_mcs() - what MCS @index, below nr_mcs_count(), means */
const struct nr_format *nr_mcs(enum nr_table table, uint8_t index);

/** nr_efficiency_x2048() - information bits per resource element of a layer, times 2048 */
static inline uint32_t nr_efficiency_x2048(const struct nr_format *f)
{
	return (uint32_t)f->bits * f->rate_x2048;
}

#endif
