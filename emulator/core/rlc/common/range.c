/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.c - a small set of byte ranges; see range.h. */
#include "rlc/common/range.h"

#include <string.h>

#include "base/assert.h"

bool rlc_ranges_add(struct rlc_ranges *r, uint16_t from, uint16_t to)
{
	uint16_t first = 0, end;

	while (first < r->n && r->at[first].to < from)
		first++;
	end = first; /* ranges first..end-1 touch the new one */
	while (end < r->n && r->at[end].from <= to)
		end++;
	if (end == first) {
		if (r->n == RLC_RANGES_MAX)
			return false;
		memmove(&r->at[first + 1], &r->at[first],
		        (size_t)(r->n - first) * sizeof(r->at[0]));
		r->n++;
	} else {
		from = r->at[first].from < from ? r->at[first].from : from;
		to = r->at[end - 1].to > to ? r->at[end - 1].to : to;
		memmove(&r->at[first + 1], &r->at[end], (size_t)(r->n - end) * sizeof(r->at[0]));
		r->n = (uint16_t)(r->n - (end - first - 1));
	}
	r->at[first].from = from;
	r->at[first].to = to;
	return true;
}

bool rlc_ranges_cover(const struct rlc_ranges *r, uint16_t from, uint16_t to)
{
	if (from >= to)
		return true;
	for (uint16_t i = 0; i < r->n; i++)
		if (r->at[i].from <= from && to <= r->at[i].to)
			return true;
	return false;
}

void rlc_ranges_take(struct rlc_ranges *r, uint16_t to)
{
	CELL_ASSERT(r->n > 0 && r->at[0].from < to && to <= r->at[0].to);
	r->at[0].from = to;
	if (r->at[0].from < r->at[0].to)
		return;
	r->n--;
	memmove(&r->at[0], &r->at[1], r->n * sizeof(r->at[0]));
}
