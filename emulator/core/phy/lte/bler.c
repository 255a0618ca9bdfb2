/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bler.c - chances that blocks and control channels are not decoded; see bler.h. */
#include "phy/lte/bler.h"

#include "phy/common/curve.h"

#define CRC_BITS       24
#define BLOCK_MAX_BITS 6144

uint32_t bler_information(uint8_t bits, int32_t sinr_cdb)
{
	return curve_at(bler_information_q20[bits / 2 - 1], BLER_SINRS, BLER_SINR_FIRST_CDB,
	                BLER_SINR_STEP_CDB, sinr_cdb);
}

void bler_add(struct bler_soft *soft, uint8_t bits, uint32_t coded_bits, int32_t sinr_cdb)
{
	soft_receive(soft, bler_information(bits, sinr_cdb), coded_bits);
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

uint32_t bler_rate(const struct bler_soft *soft, uint8_t bits, uint32_t tb_bits)
{
	uint32_t block_bits, n = segment(tb_bits, &block_bits), mean, deviation, failed;
	uint32_t rate_q20 = (uint32_t)(((uint64_t)tb_bits << 20) / soft->coded_bits);
	int64_t have = (int64_t)(soft->information_q20 / soft->coded_bits);

	need(bits, size_index(block_bits), rate_q20, &mean, &deviation);
	failed = soft_tail((have - (int64_t)mean) * 1024 / (int64_t)deviation);
	return soft_any(n, failed);
}

uint32_t bler_attempt(struct bler_soft *soft, uint8_t bits, uint32_t tb_bits, uint32_t coded_bits,
                      int32_t sinr_cdb)
{
	uint32_t before = soft_failed(soft);

	bler_add(soft, bits, coded_bits, sinr_cdb);
	return soft_in_vain(soft, before, bler_rate(soft, bits, tb_bits));
}

uint32_t bler_control(int32_t sinr_cdb)
{
	if (sinr_cdb > BLER_CONTROL_FIRST_CDB + (BLER_CONTROL - 1) * BLER_CONTROL_STEP_CDB)
		return 0;
	return curve_at(bler_control_q32, BLER_CONTROL, BLER_CONTROL_FIRST_CDB,
	                BLER_CONTROL_STEP_CDB, sinr_cdb);
}
