/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lcp.c - logical channel prioritisation; see lcp.h. */
#include "mac/common/lcp.h"

#define MBIT_PER_BYTE 8000 /* thousandths of a bit; a bit/s is one in a millisecond */

void lcp_order(uint8_t n, const uint8_t *priority, uint8_t *ret)
{
	for (uint8_t i = 0; i < n; i++) {
		uint8_t k = (uint8_t)((i + 1) % n), at = i;

		for (; at > 0 && priority[ret[at - 1]] > priority[k]; at--)
			ret[at] = ret[at - 1];
		ret[at] = k;
	}
}

static void fill(struct lcp_bucket *b, const struct cell_bearer_cfg *cfg, uint32_t slot, uint8_t mu)
{
	int64_t rate = cfg->prioritised_rate_bps, most = rate * cfg->bucket_ms;

	b->tokens_mbit += rate * (slot - b->slot) >> mu;
	if (b->tokens_mbit > most)
		b->tokens_mbit = most;
	b->slot = slot;
}

uint32_t lcp_keep(struct lcp_bucket *b, const struct cell_bearer_cfg *cfg, uint32_t slot,
                  uint8_t mu, uint32_t need, uint32_t room)
{
	uint32_t tokens, kept;

	fill(b, cfg, slot, mu);
	tokens = (uint32_t)(b->tokens_mbit / MBIT_PER_BYTE);
	kept = need < tokens ? need : tokens;
	return kept < room ? kept : room;
}

void lcp_spend(struct lcp_bucket *b, uint32_t bytes)
{
	b->tokens_mbit -= (int64_t)bytes * MBIT_PER_BYTE;
	if (b->tokens_mbit < 0)
		b->tokens_mbit = 0;
}
