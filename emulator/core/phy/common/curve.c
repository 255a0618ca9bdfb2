/* SPDX-License-Identifier: GPL-2.0-or-later */
/* curve.c - tables read between their entries; see curve.h. */
#include "phy/common/curve.h"

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
