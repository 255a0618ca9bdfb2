/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft.h - what a receiver knows of a transport block after each of its transmissions.
 *
 * LTE and NR differ in how much information a block needs (phy/lte/bler.h, phy/nr/bler.h). Both add
 * up what has arrived, and take the chance that a block fails from the tail of a Gaussian.
 */
#ifndef PHY_SOFT_H
#define PHY_SOFT_H

#include <stdint.h>

#define BLER_TAIL_STEPS 32 /* a deviation */
#define BLER_TAIL       209

extern const uint32_t soft_tail_q32[BLER_TAIL];

/* What a receiver has of a block: all zero before its first transmission. */
struct bler_soft {
	uint64_t information_q20; /* bits, over all transmissions */
	uint32_t coded_bits;
	uint32_t failed_q32; /* chance that it was not decoded up to now */
};

/** soft_receive() - another transmission of @coded_bits arrives with @information_q20 each */
void soft_receive(struct bler_soft *soft, uint32_t information_q20, uint32_t coded_bits);

/** soft_any() - chance that one of @n code blocks is not decoded, each with @failed_q32 */
uint32_t soft_any(uint32_t n, uint32_t failed_q32);

/** soft_failed() - chance that the block was not decoded up to now: 1 before all transmissions */
uint32_t soft_failed(const struct bler_soft *soft);

/**
 * soft_in_vain() - chance that the last transmission was without success, after those before were
 * @before_q32: soft_failed() before it
 * @failed_q32: chance that the block is not decoded from all that was received
 */
uint32_t soft_in_vain(struct bler_soft *soft, uint32_t before_q32, uint32_t failed_q32);

/** soft_tail() - chance in Q32 that a standard Gaussian is above @z in 1/1024 */
uint32_t soft_tail(int64_t z);

#endif
