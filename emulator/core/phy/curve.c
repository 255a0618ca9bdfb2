/* SPDX-License-Identifier: GPL-2.0-or-later */
/* curve.c - tables read between their entries; see curve.h. */
#include "phy/curve.h"

#include "phy/bler.h"

uint32_t curve_at(const uint32_t *table, uint32_t n, int32_t first, uint32_t step, int32_t x)
{
	uint32_t from, i;

	if (x <= first)
		return table[0];
	from = (uint32_t)x - (uint32_t)first;
	i = from / step;
	if (i >= n - 1)
		return table[n - 1];
	return curve_between(table[i], table[i + 1], from % step, step);
}

uint32_t curve_tail(int64_t z)
{
	const uint64_t per_step = 1024 / BLER_TAIL_STEPS;
	uint64_t size = (uint64_t)(z < 0 ? -z : z), i = size / per_step;
	uint32_t above = 0;

	if (i < BLER_TAIL - 1)
		above = curve_between(bler_tail_q32[i], bler_tail_q32[i + 1],
		                      (uint32_t)(size % per_step), (uint32_t)per_step);
	return z < 0 ? UINT32_MAX - above : above;
}
