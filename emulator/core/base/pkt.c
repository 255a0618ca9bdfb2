/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pkt.c - intrusive packet queues; see pkt.h. */
#include "base/pkt.h"

#include <stddef.h>

void pkt_reset(struct pkt *p)
{
	p->twin = NULL;
	p->tag = 0;
	p->queued_ns = 0;
	p->len = p->sdu_len = 0;
	p->shift = 0;
	p->has_pdcp_sn = false;
	p->decided = false;
	p->end_marker = false;
	p->control = false;
	p->spent = false;
	p->past_train = false;
	p->port = 0;
}

void pkt_enqueue(struct pkt_queue *q, struct pkt *p)
{
	p->next = NULL;
	if (q->tail)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
	q->n++;
}

struct pkt *pkt_dequeue(struct pkt_queue *q)
{
	struct pkt *p = q->head;

	if (!p)
		return NULL;
	q->head = p->next;
	if (!q->head)
		q->tail = NULL;
	q->n--;
	p->next = NULL;
	return p;
}

void pkt_queue_insert(struct pkt_queue *q, struct pkt *before, struct pkt *p)
{
	p->next = before ? before->next : q->head;
	if (before)
		before->next = p;
	else
		q->head = p;
	if (q->tail == before)
		q->tail = p;
	q->n++;
}

struct pkt *pkt_queue_remove(struct pkt_queue *q, struct pkt *before)
{
	struct pkt *p;

	if (!before)
		return pkt_dequeue(q);
	p = before->next;
	before->next = p->next;
	if (q->tail == p)
		q->tail = before;
	q->n--;
	p->next = NULL;
	return p;
}

void pkt_queue_move(struct pkt_queue *to, struct pkt_queue *from)
{
	if (!from->head)
		return;
	if (to->tail)
		to->tail->next = from->head;
	else
		to->head = from->head;
	to->tail = from->tail;
	to->n += from->n;
	*from = (struct pkt_queue){ 0 };
}
