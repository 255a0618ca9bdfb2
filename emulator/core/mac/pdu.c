/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - memory of MAC PDUs; see pdu.h. */
#include "mac/pdu.h"

#include "base/assert.h"

void pdu_pool_init(struct pdu_pool *pool, struct pdu *pdus, size_t n, uint8_t *buf, size_t bytes)
{
	*pool = (struct pdu_pool){ 0 };
	for (size_t i = 0; i < n; i++) {
		pdus[i] = (struct pdu){ .buf = buf + i * bytes };
		pdu_enqueue(&pool->free, &pdus[i]);
	}
}

struct pdu *pdu_alloc(struct pdu_pool *pool)
{
	struct pdu *pdu = pdu_dequeue(&pool->free);

	CELL_ASSERT(pdu); /* there are enough for the worst case */
	pdu->ends = (struct pkt_queue){ 0 };
	pdu->block = 0;
	pdu->attempt = 0;
	pdu->nack_to_ack = false;
	pdu->dtx = false;
	pdu->soft = (struct bler_soft){ 0 };
	return pdu;
}

void pdu_free(struct pdu_pool *pool, struct pdu *pdu)
{
	CELL_ASSERT(!pdu->ends.head);
	pdu_enqueue(&pool->limbo, pdu);
}

void pdu_pool_release(struct pdu_pool *pool)
{
	struct pdu *pdu;

	while ((pdu = pdu_dequeue(&pool->limbo)))
		pdu_enqueue(&pool->free, pdu);
}
