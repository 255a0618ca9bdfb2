/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bler.h - chances that blocks and control channels are not decoded, by SINR.
 *
 * A receiver adds up the mutual information of a block's transmissions
 * (incremental redundancy): the more coded bits have come, the lower is the
 * code rate, and the less information per coded bit is needed. What is needed
 * follows a Gaussian distribution with published mean and deviation.
 * Source: Mezzavilla et al; IEEE 802.16m EMD, 4.3.2.1; TS 36.212 5.1.2. The
 * formulas are in cellbed_channel.block_error, which makes bler_table.c.
 */
#ifndef BLER_H
#define BLER_H

#include <stdint.h>

#include "phy/common/soft.h"

#define BLER_MODULATIONS       3 /* QPSK, 16QAM, 64QAM */
#define BLER_SIZES             9 /* of code blocks */
#define BLER_RATES             38
#define BLER_SINR_FIRST_CDB    (-2500)
#define BLER_SINR_STEP_CDB     25
#define BLER_SINRS             221
#define BLER_CONTROL_FIRST_CDB (-1000)
#define BLER_CONTROL_STEP_CDB  20
#define BLER_CONTROL           46

extern const uint16_t bler_block_bits[BLER_SIZES];
extern const uint8_t bler_first_rate[BLER_MODULATIONS + 1];
extern const uint32_t bler_rate_q20[BLER_RATES];
extern const uint32_t bler_mean_q20[BLER_SIZES][BLER_RATES];
extern const uint32_t bler_deviation_q20[BLER_SIZES][BLER_RATES];
extern const uint32_t bler_information_q20[BLER_MODULATIONS][BLER_SINRS];
extern const uint32_t bler_control_q32[BLER_CONTROL];

/** bler_information() - mutual information per coded bit in Q20 at @bits per symbol: 2, 4, 6 */
uint32_t bler_information(uint8_t bits, int32_t sinr_cdb);

/** bler_add() - another transmission of @coded_bits arrives at @sinr_cdb */
void bler_add(struct bler_soft *soft, uint8_t bits, uint32_t coded_bits, int32_t sinr_cdb);

/** bler_rate() - chance that a block of @tb_bits is not decoded from all that was added */
uint32_t bler_rate(const struct bler_soft *soft, uint8_t bits, uint32_t tb_bits);

/**
 * bler_attempt() - chance that one more transmission is without success, after those before were
 *
 * So that the block is still not decoded after all of them with bler_rate().
 */
uint32_t bler_attempt(struct bler_soft *soft, uint8_t bits, uint32_t tb_bits, uint32_t coded_bits,
                      int32_t sinr_cdb);

/** bler_control() - chance that a UE misses PCFICH or PDCCH. Source: R4-081920 */
uint32_t bler_control(int32_t sinr_cdb);

#endif
