/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lcp.c - logical channel prioritisation; see lcp.h. */
#include "mac/common/lcp.h"

#define MBIT_PER_BYTE 8000 /* thousandths of a bit; a bit/s is one in a millisecond */

void lcp_order(uint8_t n, const uint16_t *priority, uint8_t *ret)
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

/* Bytes of the first SDUs of which at least @bytes leave, with their headers. */
static uint32_t whole_sdus(const struct lcp_waiting *w, uint32_t bytes)
{
	uint32_t cut = w->queue->head_sent, data = 0, headers = 0;

	for (const struct pkt *p = w->queue->sdus.head; p && data < bytes; p = p->next) {
		data += p->sdu_len - cut;
		headers += w->sdu_header;
		cut = 0;
	}
	return data + headers;
}

/* What is sent again and reports come before the queue. */
static uint32_t before_queue(const struct lcp_waiting *w)
{
	return w->bytes > w->queue->bytes ? w->bytes - w->queue->bytes + w->sdu_header : 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t lcp_keep(struct lcp_bucket *b, const struct cell_bearer_cfg *cfg, uint32_t slot,
                  uint8_t mu, struct lcp_waiting w, uint32_t room)
{
	uint32_t first = before_queue(&w), tokens, all;

	fill(b, cfg, slot, mu);
	if (b->tokens_mbit <= 0 || w.bytes == 0)
		return 0;
	tokens = (uint32_t)((b->tokens_mbit + MBIT_PER_BYTE - 1) / MBIT_PER_BYTE);
	all = w.headers + w.bytes + w.sdu_header * (w.queue->sdus.n + 1);
	if (tokens > first)
		first += whole_sdus(&w, tokens - first);
	return least(least(w.headers + first, all), room);
}

void lcp_spend(struct lcp_bucket *b, uint32_t bytes)
{
	b->tokens_mbit -= (int64_t)bytes * MBIT_PER_BYTE;
}
