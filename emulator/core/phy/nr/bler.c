/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bler.c - chance that an LDPC-coded block is not decoded; see bler.h. */
#include "phy/nr/bler.h"

#include "phy/common/curve.h"
#include "phy/nr/bler_table.h"
#include "phy/nr/tbs.h"

uint32_t nr_information(uint8_t bits, int32_t sinr_cdb)
{
	return curve_at(nr_bler_information_q20[bits / 2 - 1], NR_BLER_SINRS,
	                NR_BLER_SINR_FIRST_CDB, NR_BLER_SINR_STEP_CDB, sinr_cdb);
}

void nr_bler_add(struct bler_soft *soft, uint8_t bits, uint32_t coded_bits, int32_t sinr_cdb)
{
	soft_receive(soft, nr_information(bits, sinr_cdb), coded_bits);
}

/* A place between two entries of a table. */
struct place {
	uint32_t i;
	uint32_t at;
	uint32_t steps; /* 0: at entry i itself */
};

static uint32_t read(const uint32_t *table, struct place p)
{
	return p.steps ? curve_between(table[p.i], table[p.i + 1], p.at, p.steps) : table[p.i];
}

static struct place of_size(uint32_t bits)
{
	struct place p = { 0 };

	while (p.i + 1 < NR_BLER_SIZES && nr_bler_size_bits[p.i + 1] <= bits)
		p.i++;
	if (p.i + 1 < NR_BLER_SIZES && bits > nr_bler_size_bits[p.i]) {
		p.at = bits - nr_bler_size_bits[p.i];
		p.steps = (uint32_t)nr_bler_size_bits[p.i + 1] - nr_bler_size_bits[p.i];
	}
	return p;
}

static struct place of_rate(uint32_t modulation, uint32_t rate_q20)
{
	uint32_t last = nr_bler_first_rate[modulation + 1] - 1u;
	struct place p = { .i = nr_bler_first_rate[modulation] };

	while (p.i < last && nr_bler_rate_q20[p.i + 1] <= rate_q20)
		p.i++;
	if (p.i < last && rate_q20 > nr_bler_rate_q20[p.i]) {
		p.at = rate_q20 - nr_bler_rate_q20[p.i];
		p.steps = nr_bler_rate_q20[p.i + 1] - nr_bler_rate_q20[p.i];
	}
	return p;
}

static uint32_t times_q20(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 20);
}

/* Information per coded bit with which half of the code blocks of @block_bits are decoded. */
struct need {
	uint32_t mean_q20;
	uint32_t spread_q20;
};

static struct need needed(uint32_t modulation, uint32_t rate_q20, uint32_t block_bits)
{
	uint32_t lowest = nr_bler_rate_q20[nr_bler_first_rate[modulation]];
	uint32_t highest = nr_bler_rate_q20[nr_bler_first_rate[modulation + 1] - 1];
	struct place rate = of_rate(modulation, rate_q20), size = of_size(block_bits);
	struct need need = {
		.mean_q20 = read(nr_bler_mean_q20, rate) +
		            times_q20(read(nr_bler_size_q20, rate), read(nr_bler_root_q20, size)),
		.spread_q20 = times_q20(read(nr_bler_deviation_q20, rate),
		                        read(nr_bler_spread_q20, size)),
	};

	if (rate_q20 < lowest) {
		need.mean_q20 = (uint32_t)((uint64_t)need.mean_q20 * rate_q20 / lowest);
		need.spread_q20 = (uint32_t)((uint64_t)need.spread_q20 * rate_q20 / lowest);
	} else if (rate_q20 > highest) {
		need.mean_q20 += rate_q20 - highest;
	}
	if (need.spread_q20 == 0)
		need.spread_q20 = 1;
	return need;
}

uint32_t nr_bler(const struct bler_soft *soft, const struct nr_format *format, uint32_t tbs_bits)
{
	struct nr_segments segments = nr_segment(tbs_bits, format->rate_x2048);
	uint32_t rate_q20 = (uint32_t)(((uint64_t)tbs_bits << 20) / soft->coded_bits);
	struct need need = needed(format->bits / 2u - 1, rate_q20, segments.bits);
	int64_t have_q20 = (int64_t)(soft->information_q20 / soft->coded_bits);

	return soft_any(segments.n, soft_tail((have_q20 - need.mean_q20) * 1024 / need.spread_q20));
}

uint32_t nr_bler_attempt(struct bler_soft *soft, const struct nr_format *format, uint32_t tbs_bits,
                         uint32_t coded_bits, int32_t sinr_cdb)
{
	uint32_t before = soft_failed(soft);

	nr_bler_add(soft, format->bits, coded_bits, sinr_cdb);
	return soft_in_vain(soft, before, nr_bler(soft, format, tbs_bits));
}

int32_t nr_mcs_sinr_cdb(enum nr_table table, uint8_t index)
{
	return nr_bler_mcs_cdb[table][index];
}

int32_t nr_cqi_sinr_cdb(enum nr_table table, uint8_t cqi)
{
	return nr_bler_cqi_cdb[table][cqi - 1];
}
