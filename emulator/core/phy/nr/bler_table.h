/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bler_table.h - what cellbed_channel.nr_block_error_table makes of the curves; see bler.h. */
#ifndef NR_BLER_TABLE_H
#define NR_BLER_TABLE_H

#include <stdint.h>

#include "phy/nr/cqi.h"
#include "phy/nr/mcs.h"

#define NR_BLER_MODULATIONS    4 /* QPSK, 16QAM, 64QAM, 256QAM */
#define NR_BLER_RATES          49
#define NR_BLER_SIZES          35 /* of code blocks */
#define NR_BLER_SINR_FIRST_CDB (-3000)
#define NR_BLER_SINR_STEP_CDB  25
#define NR_BLER_SINRS          281

/* Rates of modulation i are those from nr_bler_first_rate[i] up to the next one's first. What their
 * code blocks need is the mean and, by their size, more; deviations are by size, too. */
extern const uint8_t nr_bler_first_rate[NR_BLER_MODULATIONS + 1];
extern const uint32_t nr_bler_rate_q20[NR_BLER_RATES];
extern const uint32_t nr_bler_mean_q20[NR_BLER_RATES];
extern const uint32_t nr_bler_size_q20[NR_BLER_RATES];
extern const uint32_t nr_bler_deviation_q20[NR_BLER_RATES];
extern const uint16_t nr_bler_size_bits[NR_BLER_SIZES];
extern const uint32_t nr_bler_root_q20[NR_BLER_SIZES];
extern const uint32_t nr_bler_spread_q20[NR_BLER_SIZES];
extern const uint32_t nr_bler_information_q20[NR_BLER_MODULATIONS][NR_BLER_SINRS];
/* Thresholds of MCS and CQI; rows of fewer indices end with 0. */
extern const int16_t nr_bler_mcs_cdb[NR_TABLES][NR_MCS_MAX];
extern const int16_t nr_bler_cqi_cdb[NR_TABLES][NR_CQI_MAX];

#endif
