/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grant.c - grants on their way from the scheduler to a transmission; see grant.h. */
#include "mac/lte/grant.h"

#include <stddef.h>

#include "base/assert.h"

#define HEADER_BYTES 8

uint32_t grant_overhead(uint32_t sdu_bytes)
{
	/*
	 * MAC subheader with length 3, short BSR 2, RLC fixed header 2, one
	 * byte of rounding; a length indicator (1.5 bytes) for every further
	 * SDU, of which the smallest common one, a TCP ACK, has 42 bytes.
	 */
	return HEADER_BYTES + sdu_bytes / 28;
}

uint32_t grant_wanted(uint32_t sdu_bytes, bool ignore_headers)
{
	uint32_t bytes = sdu_bytes + (ignore_headers ? 0 : grant_overhead(sdu_bytes));

	return bytes > HEADER_BYTES ? bytes : HEADER_BYTES + 1;
}

static uint32_t payload(const struct grant *g)
{
	uint32_t overhead = grant_overhead(g->bytes);

	return g->bytes > overhead ? g->bytes - overhead : 0;
}

struct grant *grant_issue(struct grant_ring *r, const struct grant *g)
{
	struct grant *slot = &r->grant[r->issued % GRANTS_KEPT];

	CELL_ASSERT(r->issued - r->used < GRANTS_KEPT);
	*slot = *g;
	r->issued++;
	return slot;
}

const struct grant *grant_take(struct grant_ring *r, uint32_t tti)
{
	const struct grant *g = &r->grant[r->used % GRANTS_KEPT];

	if (r->used == r->issued || g->subframe != tti)
		return NULL;
	r->used++;
	return g;
}

uint32_t grant_next_tti(const struct grant_ring *r)
{
	if (r->used == r->issued)
		return TTI_NEVER;
	return r->grant[r->used % GRANTS_KEPT].subframe;
}

static uint32_t payload_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti,
                              bool with_missed)
{
	uint32_t first = r->issued > GRANTS_KEPT ? r->issued - GRANTS_KEPT : 0;
	uint32_t sum = 0;

	for (uint32_t i = r->issued; i > first; i--) {
		const struct grant *g = &r->grant[(i - 1) % GRANTS_KEPT];

		if (g->subframe <= tti)
			break; /* issued in order of sub-frame */
		if (g->dir == dir && !g->msg3 && (with_missed || !g->missed))
			sum += payload(g);
	}
	return sum;
}

uint32_t grant_payload_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti)
{
	return payload_after(r, dir, tti, true);
}

uint32_t grant_heard_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti)
{
	return payload_after(r, dir, tti, false);
}

uint32_t grant_pending(const struct grant_ring *r)
{
	uint32_t sum = 0;

	for (uint32_t i = r->used; i != r->issued; i++)
		sum += r->grant[i % GRANTS_KEPT].wanted;
	return sum;
}

const struct grant *grant_last(const struct grant_ring *r)
{
	return r->issued == r->used ? NULL : &r->grant[(r->issued - 1) % GRANTS_KEPT];
}

bool grant_reaches_beyond(const struct grant_ring *r, uint32_t tti)
{
	const struct grant *g = grant_last(r);

	return g && g->subframe > tti;
}

bool grant_is_there(const struct grant_ring *r, uint8_t stream, uint32_t tti)
{
	const struct grant *last = grant_last(r);

	if (!last || last->subframe < tti)
		return false; /* issued in order of sub-frame */
	for (uint32_t i = r->used; i != r->issued; i++) {
		const struct grant *g = &r->grant[i % GRANTS_KEPT];

		if (g->subframe >= tti && g->stream == stream)
			return g->subframe == tti;
	}
	return false;
}

bool grant_msg3_pending(const struct grant_ring *r)
{
	for (uint32_t i = r->used; i != r->issued; i++)
		if (r->grant[i % GRANTS_KEPT].msg3)
			return true;
	return false;
}

bool grant_heard(const struct grant_ring *r)
{
	for (uint32_t i = r->used; i != r->issued; i++)
		if (!r->grant[i % GRANTS_KEPT].missed)
			return true;
	return false;
}
