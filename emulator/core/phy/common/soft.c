/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft.c - what a receiver knows of a transport block; see soft.h. */
#include "phy/common/soft.h"

#include "phy/common/curve.h"

#define Q32_ONE UINT32_MAX

void soft_receive(struct bler_soft *soft, uint32_t information_q20, uint32_t coded_bits)
{
	soft->information_q20 += (uint64_t)coded_bits * information_q20;
	soft->coded_bits += coded_bits;
}

uint32_t soft_any(uint32_t n, uint32_t failed_q32)
{
	uint64_t decoded = Q32_ONE;

	for (uint32_t i = 0; failed_q32 && i < n; i++)
		decoded = decoded * (Q32_ONE - failed_q32) / Q32_ONE;
	return (uint32_t)(Q32_ONE - decoded);
}

uint32_t soft_failed(const struct bler_soft *soft)
{
	return soft->coded_bits ? soft->failed_q32 : Q32_ONE;
}

uint32_t soft_in_vain(struct bler_soft *soft, uint32_t before_q32, uint32_t failed_q32)
{
	soft->failed_q32 = failed_q32;
	if (failed_q32 >= before_q32)
		return before_q32 ? Q32_ONE : 0;
	return (uint32_t)((uint64_t)failed_q32 * Q32_ONE / before_q32);
}

uint32_t soft_tail(int64_t z)
{
	const uint64_t per_step = 1024 / BLER_TAIL_STEPS;
	uint64_t size = (uint64_t)(z < 0 ? -z : z), i = size / per_step;
	uint32_t above = 0;

	if (i < BLER_TAIL - 1)
		above = curve_between(soft_tail_q32[i], soft_tail_q32[i + 1],
		                      (uint32_t)(size % per_step), (uint32_t)per_step);
	return z < 0 ? Q32_ONE - above : above;
}
