/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdu_queue.c - the transmission buffer of an RLC entity; see sdu_queue.h. */
#include "rlc/common/sdu_queue.h"

#include <string.h>

void rlc_sdu_queue_push(struct rlc_sdu_queue *q, struct pkt *p)
{
	pkt_enqueue(&q->sdus, p);
	q->bytes += p->sdu_len;
}

void rlc_sdu_queue_insert(struct rlc_sdu_queue *q, struct pkt *before, struct pkt *p)
{
	pkt_queue_insert(&q->sdus, before, p);
	q->bytes += p->sdu_len;
}

static struct pkt *next_sdu(const struct rlc_sdu_queue *q, struct pkt *before)
{
	if (q->next)
		return q->next(q->arg, before);
	return before ? before->next : q->sdus.head;
}

uint32_t rlc_sdu_queue_plan(const struct rlc_sdu_queue *q, uint32_t fixed, uint32_t max,
                            struct rlc_tx_pdu *ret)
{
	struct pkt *p = q->head_sent > 0 ? q->sdus.head : NULL, *before = NULL;
	uint32_t left = p ? (uint32_t)p->sdu_len - q->head_sent : 0;
	uint32_t data = 0;

	ret->n = 0;
	ret->fi = q->head_sent > 0 ? RLC_FI_FIRST_CONTINUES : 0;
	for (; ret->n < RLC_ELEMENTS_MAX; before = p, p = NULL) {
		uint32_t header = fixed + (uint32_t)rlc_li_bytes((uint16_t)(ret->n + 1));
		uint32_t room, take;

		if (header + data >= max)
			break;
		if (!p) {
			p = next_sdu(q, before);
			left = p ? p->sdu_len : 0;
		}
		if (!p)
			break;
		room = max - header - data;
		take = left < room ? left : room;
		ret->len[ret->n++] = (uint16_t)take;
		data += take;
		if (take < left) {
			ret->fi |= RLC_FI_LAST_CONTINUES;
			break;
		}
	}
	return data;
}

void rlc_sdu_queue_take(struct rlc_sdu_queue *q, struct rlc_tx_pdu *pdu, uint8_t *data,
                        struct pkt_queue *ret_ends)
{
	uint16_t offset = 0;

	for (uint16_t i = 0; i < pdu->n; i++) {
		struct pkt *p = q->sdus.head;
		uint16_t len = pdu->len[i];

		memcpy(data + offset, pkt_sdu(p) + q->head_sent, len);
		offset = (uint16_t)(offset + len);
		q->head_sent = (uint16_t)(q->head_sent + len);
		pdu->element[i].pkt = p->id;
		pdu->element[i].tag = p->tag;
		pdu->element[i].ends = q->head_sent == p->sdu_len;
		if (pdu->element[i].ends) {
			p->end_offset = offset;
			pkt_enqueue(ret_ends, pkt_dequeue(&q->sdus));
			q->head_sent = 0;
		}
	}
	q->bytes -= offset;
}

bool rlc_sdu_queue_fits(const struct rlc_sdu_queue *q, uint32_t fixed, uint32_t max)
{
	uint32_t n = q->sdus.n;

	return n == 0 ||
	       (n <= RLC_ELEMENTS_MAX && fixed + rlc_li_bytes((uint16_t)n) + q->bytes <= max);
}

struct pkt *rlc_sdu_queue_remove(struct rlc_sdu_queue *q, struct pkt *before)
{
	struct pkt *p = pkt_queue_remove(&q->sdus, before);

	q->bytes -= p->sdu_len;
	return p;
}

void rlc_sdu_queue_flush(struct rlc_sdu_queue *q, struct pkt *before, struct pkt_queue *ret)
{
	struct pkt *p;

	while ((p = before ? before->next : q->sdus.head))
		if (p->control)
			before = p;
		else
			pkt_enqueue(ret, rlc_sdu_queue_remove(q, before));
}

struct pkt *rlc_sdu_queue_discard(struct rlc_sdu_queue *q)
{
	return q->sdus.head && !rlc_sdu_queue_begun(q) ? rlc_sdu_queue_remove(q, NULL) : NULL;
}
