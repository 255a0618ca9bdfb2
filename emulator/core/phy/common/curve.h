/* SPDX-License-Identifier: GPL-2.0-or-later */
/* curve.h - tables read between their entries, in integers. */
#ifndef CURVE_H
#define CURVE_H

#include <stdint.h>

/** curve_between() - on the line from @a to @b, @at of @steps steps on */
static inline uint32_t curve_between(uint32_t a, uint32_t b, uint32_t at, uint32_t steps)
{
	return (uint32_t)(((uint64_t)a * (steps - at) + (uint64_t)b * at) / steps);
}

/** curve_at() - a table of @n values from @first on, every @step, at @x; beyond its ends the ends
 */
uint32_t curve_at(const uint32_t *table, uint32_t n, int32_t first, uint32_t step, int32_t x);

#endif
