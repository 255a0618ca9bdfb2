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

#define BLER_MODULATIONS       3 /* QPSK, 16QAM, 64QAM */
#define BLER_SIZES             9 /* of code blocks */
#define BLER_RATES             38
#define BLER_SINR_FIRST_CDB    (-2500)
#define BLER_SINR_STEP_CDB     25
#define BLER_SINRS             221
#define BLER_TAIL_STEPS        32 /* a deviation */
#define BLER_TAIL              209
#define BLER_CONTROL_FIRST_CDB (-1000)
#define BLER_CONTROL_STEP_CDB  20
#define BLER_CONTROL           46

extern const uint16_t bler_block_bits[BLER_SIZES];
extern const uint8_t bler_first_rate[BLER_MODULATIONS + 1];
extern const uint32_t bler_rate_q20[BLER_RATES];
extern const uint32_t bler_mean_q20[BLER_SIZES][BLER_RATES];
extern const uint32_t bler_deviation_q20[BLER_SIZES][BLER_RATES];
extern const uint32_t bler_information_q20[BLER_MODULATIONS][BLER_SINRS];
extern const uint32_t bler_tail_q32[BLER_TAIL];
extern const uint32_t bler_control_q32[BLER_CONTROL];

/* What a receiver has of a block: all zero before its first transmission. */
struct bler_soft {
	uint64_t information_q20; /* bits, over all transmissions */
	uint32_t coded_bits;
	uint32_t failed_q32; /* chance that it was not decoded up to now */
};

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

/** bler_receive() - another transmission of @coded_bits arrives with @information_q20 each */
void bler_receive(struct bler_soft *soft, uint32_t information_q20, uint32_t coded_bits);

/** bler_any() - chance that one of @n code blocks is not decoded, each with @failed_q32 */
uint32_t bler_any(uint32_t n, uint32_t failed_q32);

/** bler_failed() - chance that the block was not decoded up to now: 1 before all transmissions */
uint32_t bler_failed(const struct bler_soft *soft);

/**
 * bler_in_vain() - chance that the last transmission was without success, after those before were
 * @before_q32: bler_failed() before it
 * @failed_q32: chance that the block is not decoded from all that was received
 */
uint32_t bler_in_vain(struct bler_soft *soft, uint32_t before_q32, uint32_t failed_q32);

/** bler_tail() - chance in Q32 that a standard Gaussian is above @z in 1/1024 */
uint32_t bler_tail(int64_t z);

/** bler_control() - chance that a UE misses PCFICH or PDCCH. Source: R4-081920 */
uint32_t bler_control(int32_t sinr_cdb);

#endif
