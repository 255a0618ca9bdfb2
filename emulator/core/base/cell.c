/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell.c - the packets of a cell; see cell.h. */
#include "base/cell.h"

struct pkt *base_pkt_alloc(struct cell *c)
{
	if (!c->free_pkts.head && c->n_fresh_pkts > 0)
		return &c->fresh_pkts[--c->n_fresh_pkts];
	return pkt_dequeue(&c->free_pkts);
}

struct pkt *base_pkt_originate(struct cell *c)
{
	struct pkt *p = base_pkt_alloc(c);

	if (!p)
		return NULL;
	pkt_reset(p);
	p->id = c->next_pkt_id++;
	p->arrival_ns = c->event_ns;
	c->n_pkts++;
	c->stats.pkts_originated++;
	return p;
}

void base_pkt_terminate(struct cell *c, struct pkt *p)
{
	c->stats.pkts_terminated++;
	c->n_pkts--;
	pkt_enqueue(&c->limbo_pkts, p);
}
