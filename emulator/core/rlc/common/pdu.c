/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - RLC data PDUs kept by an entity; see pdu.h. */
#include "rlc/common/pdu.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"

static void put_fresh(struct rlc_pool *pool)
{
	struct rlc_pdu *pdu = &pool->fresh[--pool->n_fresh];

	*pdu = (struct rlc_pdu){ .data = pool->fresh_data +
		                         (size_t)pool->n_fresh * pool->data_max };
	rlc_pool_put(pool, pdu);
}

struct rlc_pdu *rlc_pool_get(struct rlc_pool *pool)
{
	struct rlc_pdu *pdu;

	if (!pool->free && pool->n_fresh > 0)
		put_fresh(pool);
	pdu = pool->free;
	CELL_ASSERT(pdu); /* cell_init() provides for full windows */
	pool->free = pdu->next;
	pool->n_free--;
	pdu->next = NULL;
	pdu->ends = (struct pkt_queue){ 0 };
	pdu->len = 0;
	pdu->n_cuts = 0;
	pdu->ranges.n = 0;
	pdu->retx_count = 0;
	pdu->considered = false;
	pdu->acked = false;
	pdu->polled = false;
	return pdu;
}

void rlc_pool_put(struct rlc_pool *pool, struct rlc_pdu *pdu)
{
	CELL_ASSERT(!pdu->ends.head);
	pdu->next = pool->free;
	pool->free = pdu;
	pool->n_free++;
}

/* Index of the first cut at or after @offset. */
static uint16_t cut_from(const struct rlc_pdu *pdu, uint16_t offset)
{
	uint16_t i = pdu->n_cuts;

	while (i > 0 && pdu->cut[i - 1] >= offset)
		i--;
	return i;
}

bool rlc_pdu_has_cut(const struct rlc_pdu *pdu, uint16_t offset)
{
	uint16_t i = cut_from(pdu, offset);

	return i < pdu->n_cuts && pdu->cut[i] == offset;
}

uint16_t rlc_pdu_cut_after(const struct rlc_pdu *pdu, uint16_t offset)
{
	uint16_t i = 0;

	while (i < pdu->n_cuts && pdu->cut[i] <= offset)
		i++;
	return i < pdu->n_cuts ? pdu->cut[i] : UINT16_MAX;
}

bool rlc_pdu_add_cut(struct rlc_pdu *pdu, uint16_t offset)
{
	uint16_t i = cut_from(pdu, offset);

	if (i < pdu->n_cuts && pdu->cut[i] == offset)
		return true;
	if (pdu->n_cuts == RLC_ELEMENTS_MAX + 1)
		return false;
	memmove(&pdu->cut[i + 1], &pdu->cut[i], (size_t)(pdu->n_cuts - i) * sizeof(pdu->cut[0]));
	pdu->cut[i] = offset;
	pdu->n_cuts++;
	return true;
}

bool rlc_pdu_add_elements(struct rlc_pdu *pdu, uint16_t so, uint8_t fi, uint16_t n,
                          const uint16_t *len)
{
	uint16_t at = so;

	if (!(fi & RLC_FI_FIRST_CONTINUES) && !rlc_pdu_add_cut(pdu, at))
		return false;
	for (uint16_t i = 0; i < n; i++) {
		at = (uint16_t)(at + len[i]);
		if (i + 1 == n && fi & RLC_FI_LAST_CONTINUES)
			break;
		if (!rlc_pdu_add_cut(pdu, at))
			return false;
	}
	return true;
}

struct pkt *rlc_pdu_take(struct rlc_pdu *pdu, uint16_t offset)
{
	struct pkt *p = pdu->ends.head, *before = NULL;

	while (p && p->end_offset != offset) {
		before = p;
		p = p->next;
	}
	return p ? pkt_queue_remove(&pdu->ends, before) : NULL;
}
