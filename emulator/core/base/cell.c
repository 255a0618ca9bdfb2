/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell.c - the packets of a cell; see cell.h. */
#include "base/cell.h"

struct pkt *base_pkt_alloc(struct cell *c)
{
	struct cell *home = c->home;

	if (!home->free_pkts.head && home->n_fresh_pkts > 0)
		return &home->fresh_pkts[--home->n_fresh_pkts];
	return pkt_dequeue(&home->free_pkts);
}

struct pkt *base_pkt_originate(struct cell *c)
{
	struct pkt *p = base_pkt_alloc(c);

	if (!p)
		return NULL;
	pkt_reset(p);
	p->id = c->home->next_pkt_id++;
	p->arrival_ns = c->event_ns;
	c->home->n_pkts++;
	c->home->stats.pkts_originated++;
	return p;
}

void base_pkt_terminate(struct cell *c, struct pkt *p)
{
	c->home->stats.pkts_terminated++;
	c->home->n_pkts--;
	pkt_enqueue(&c->home->limbo_pkts, p);
}
