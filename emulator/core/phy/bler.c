/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bler.c - chances that blocks and control channels are not decoded; see bler.h. */
#include "phy/bler.h"

#include "phy/curve.h"

#define Q32_ONE        UINT32_MAX
#define CRC_BITS       24
#define BLOCK_MAX_BITS 6144

uint32_t bler_information(uint8_t bits, int32_t sinr_cdb)
{
	return curve_at(bler_information_q20[bits / 2 - 1], BLER_SINRS, BLER_SINR_FIRST_CDB,
	                BLER_SINR_STEP_CDB, sinr_cdb);
}

void bler_receive(struct bler_soft *soft, uint32_t information_q20, uint32_t coded_bits)
{
	soft->information_q20 += (uint64_t)coded_bits * information_q20;
	soft->coded_bits += coded_bits;
}

void bler_add(struct bler_soft *soft, uint8_t bits, uint32_t coded_bits, int32_t sinr_cdb)
{
	bler_receive(soft, bler_information(bits, sinr_cdb), coded_bits);
}

uint32_t bler_any(uint32_t n, uint32_t failed_q32)
{
	uint64_t decoded = Q32_ONE;

	for (uint32_t i = 0; failed_q32 && i < n; i++)
		decoded = decoded * (Q32_ONE - failed_q32) / Q32_ONE;
	return (uint32_t)(Q32_ONE - decoded);
}

uint32_t bler_failed(const struct bler_soft *soft)
{
	return soft->coded_bits ? soft->failed_q32 : Q32_ONE;
}

uint32_t bler_in_vain(struct bler_soft *soft, uint32_t before_q32, uint32_t failed_q32)
{
	soft->failed_q32 = failed_q32;
	if (failed_q32 >= before_q32)
		return before_q32 ? Q32_ONE : 0;
	return (uint32_t)((uint64_t)failed_q32 * Q32_ONE / before_q32);
}

/* Code blocks of a transport block. Return: their number. Source: TS 36.212 5.1.2 */
static uint32_t segment(uint32_t tb_bits, uint32_t *ret_block_bits)
{
	uint32_t with_crc = tb_bits + CRC_BITS, n = 1;

	*ret_block_bits = with_crc;
	if (with_crc <= BLOCK_MAX_BITS)
		return 1;
	n = (with_crc + BLOCK_MAX_BITS - CRC_BITS - 1) / (BLOCK_MAX_BITS - CRC_BITS);
	*ret_block_bits = (with_crc + n * CRC_BITS + n - 1) / n;
	return n;
}

/* The smaller one of two sizes: it needs more. */
static uint32_t size_index(uint32_t block_bits)
{
	uint32_t i = BLER_SIZES - 1;

	while (i > 0 && bler_block_bits[i] > block_bits)
		i--;
	return i;
}

/* Information that blocks of size @s need at @rate_q20, and its deviation. */
static void need(uint8_t bits, uint32_t s, uint32_t rate_q20, uint32_t *ret_mean,
                 uint32_t *ret_deviation)
{
	uint32_t first = bler_first_rate[bits / 2 - 1], last = bler_first_rate[bits / 2] - 1u;
	const uint32_t *mean = bler_mean_q20[s], *deviation = bler_deviation_q20[s];
	uint32_t i = first, at, steps;

	while (i < last && bler_rate_q20[i + 1] <= rate_q20)
		i++;
	*ret_mean = mean[i];
	*ret_deviation = deviation[i];
	if (rate_q20 <= bler_rate_q20[i])
		return;
	at = rate_q20 - bler_rate_q20[i];
	if (i == last) { /* as it rises there */
		*ret_mean += at;
		return;
	}
	steps = bler_rate_q20[i + 1] - bler_rate_q20[i];
	*ret_mean = curve_between(mean[i], mean[i + 1], at, steps);
	*ret_deviation = curve_between(deviation[i], deviation[i + 1], at, steps);
}

uint32_t bler_tail(int64_t z)
{
	const uint64_t per_step = 1024 / BLER_TAIL_STEPS;
	uint64_t size = (uint64_t)(z < 0 ? -z : z), i = size / per_step;
	uint32_t above = 0;

	if (i < BLER_TAIL - 1)
		above = curve_between(bler_tail_q32[i], bler_tail_q32[i + 1],
		                      (uint32_t)(size % per_step), (uint32_t)per_step);
	return z < 0 ? Q32_ONE - above : above;
}

uint32_t bler_rate(const struct bler_soft *soft, uint8_t bits, uint32_t tb_bits)
{
	uint32_t block_bits, n = segment(tb_bits, &block_bits), mean, deviation, failed;
	uint32_t rate_q20 = (uint32_t)(((uint64_t)tb_bits << 20) / soft->coded_bits);
	int64_t have = (int64_t)(soft->information_q20 / soft->coded_bits);

	need(bits, size_index(block_bits), rate_q20, &mean, &deviation);
	failed = bler_tail((have - (int64_t)mean) * 1024 / (int64_t)deviation);
	return bler_any(n, failed);
}

uint32_t bler_attempt(struct bler_soft *soft, uint8_t bits, uint32_t tb_bits, uint32_t coded_bits,
                      int32_t sinr_cdb)
{
	uint32_t before = bler_failed(soft);

	bler_add(soft, bits, coded_bits, sinr_cdb);
	return bler_in_vain(soft, before, bler_rate(soft, bits, tb_bits));
}

uint32_t bler_control(int32_t sinr_cdb)
{
	if (sinr_cdb > BLER_CONTROL_FIRST_CDB + (BLER_CONTROL - 1) * BLER_CONTROL_STEP_CDB)
		return 0;
	return curve_at(bler_control_q32, BLER_CONTROL, BLER_CONTROL_FIRST_CDB,
	                BLER_CONTROL_STEP_CDB, sinr_cdb);
}
