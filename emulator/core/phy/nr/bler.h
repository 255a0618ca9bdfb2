/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bler.h - chance that an LDPC-coded block is not decoded, by SINR.
 *
 * As in phy/lte/bler.h a receiver adds up the mutual information of a block's transmissions
 * (incremental redundancy). What is needed follows a Gaussian distribution over the information
 * per coded bit; means and deviations are fitted to the link-level curves of 5G-LENA. Below the
 * lowest rate of a modulation bits repeat, and energy adds up.
 * Source: 5G-LENA; TS 38.212 5.2.2, 5.3.2. The formulas are in cellbed_channel.nr_block_error,
 * which makes bler_table.c.
 */
#ifndef NR_BLER_H
#define NR_BLER_H

#include <stdint.h>

#include "phy/common/soft.h"
#include "phy/nr/cqi.h"
#include "phy/nr/mcs.h"

/** nr_information() - mutual information per coded bit in Q20 at @bits per symbol: 2, 4, 6, 8 */
uint32_t nr_information(uint8_t bits, int32_t sinr_cdb);

/** nr_bler_add() - another transmission of @coded_bits arrives at @sinr_cdb (of a layer) */
void nr_bler_add(struct bler_soft *soft, uint8_t bits, uint32_t coded_bits, int32_t sinr_cdb);

/**
 * nr_bler() - chance that a block of @tbs_bits is not decoded from all that was added
 * @format: of its first transmission
 */
uint32_t nr_bler(const struct bler_soft *soft, const struct nr_format *format, uint32_t tbs_bits);

/**
 * nr_bler_attempt() - chance that one more transmission is without success, after those before were
 *
 * So that the block is still not decoded after all of them with nr_bler(), in Q32.
 */
uint32_t nr_bler_attempt(struct bler_soft *soft, const struct nr_format *format, uint32_t tbs_bits,
                         uint32_t coded_bits, int32_t sinr_cdb);

/** nr_mcs_sinr_cdb() - least SINR at which a block of MCS @index over 50 PRBs fails in one of ten
 * times at most */
int32_t nr_mcs_sinr_cdb(enum nr_table table, uint8_t index);

/** nr_cqi_sinr_cdb() - the same of CQI 1..15; one of 100 000 with NR_TABLE_64QAM_LOW_SE */
int32_t nr_cqi_sinr_cdb(enum nr_table table, uint8_t cqi);

#endif
