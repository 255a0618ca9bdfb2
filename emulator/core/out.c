/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.c - what leaves the core: packets, PDUs, trace rows; see cell.h. */
#include "base/assert.h"
#include "cell.h"

static struct cell_out *out_next(struct cell *c, enum cell_out_type type)
{
	struct cell_out *o;

	CELL_ASSERT(c->out_n < c->out_cap);
	o = &c->out[c->out_n++];
	*o = (struct cell_out){ .type = type, .t_ns = c->event_ns };
	return o;
}

void out_record(struct cell *c, const struct leg *leg, struct cell_record r)
{
	struct cell_out *o = out_next(c, CELL_OUT_RECORD);

	r.t_ns = c->event_ns;
	r.block = c->block;
	if (leg) {
		r.dir = leg->dir;
		r.lcid = leg->lcid;
		r.enb = c->ue[leg->ue - 1].enb;
	}
	o->record = r;
}

void out_buffer(struct cell *c, const struct leg *leg)
{
	out_record(c, leg,
	           (struct cell_record){ .event = CELL_EV_BUFFER,
	                                 .node = leg_from(leg),
	                                 .peer = leg_to(c, leg),
	                                 .bytes = bearer_queue(c, leg)->bytes,
	                                 .value = (int32_t)bearer_queue(c, leg)->sdus.n });
}

void out_pdu(struct cell *c, const uint8_t *data, uint32_t len, const struct cell_pdu_info *info)
{
	struct cell_out *o = out_next(c, CELL_OUT_PDU);

	o->port = info->ue;
	o->data = data;
	o->len = len;
	o->info = *info;
}

static void out_pkt_record(struct cell *c, const struct pkt *p, const struct leg *leg,
                           enum cell_event event, uint8_t node, uint8_t enb, uint8_t peer,
                           int32_t value)
{
	out_record(c, leg,
	           (struct cell_record){ .event = (uint16_t)event,
	                                 .node = node,
	                                 .enb = enb,
	                                 .peer = peer,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len,
	                                 .value = value });
}

void out_deliver(struct cell *c, struct pkt *p, uint8_t port)
{
	struct cell_out *o = out_next(c, CELL_OUT_DELIVER);

	o->port = port;
	o->pkt = p->id;
	o->tag = p->tag;
	o->data = pkt_data(p);
	o->len = p->len;
	out_pkt_record(c, p, NULL, CELL_EV_PKT_OUT, port_node(port), port_enb(c, port),
	               port_node(p->port), (int32_t)((c->event_ns - p->arrival_ns) / 1000));
	c->stats.pkts_delivered++;
	c->stats.bytes_delivered += p->len;
	c->n_pkts--;
	pkt_enqueue(&c->limbo_pkts, p);
}

void out_drop(struct cell *c, struct pkt *p, const struct leg *leg, enum cell_drop reason)
{
	struct cell_out *o = out_next(c, CELL_OUT_DROP);

	o->port = p->port;
	o->pkt = p->id;
	o->tag = p->tag;
	o->reason = (uint8_t)reason;
	o->len = p->len;
	out_pkt_record(c, p, leg, CELL_EV_PKT_DROP, leg ? leg_from(leg) : port_node(p->port),
	               port_enb(c, p->port), leg ? leg_to(c, leg) : 0, (int32_t)reason);
	c->stats.pkts_dropped[reason]++;
	c->n_pkts--;
	pkt_enqueue(&c->limbo_pkts, p);
}

void out_drop_all(struct cell *c, struct pkt_queue *q, const struct leg *leg, enum cell_drop reason)
{
	struct pkt *p;

	while ((p = pkt_dequeue(q)))
		out_drop(c, p, leg, reason);
}

struct pkt *cell_pkt_alloc(struct cell *c)
{
	if (!c->free_pkts.head && c->n_fresh_pkts > 0)
		return &c->fresh_pkts[--c->n_fresh_pkts];
	return pkt_dequeue(&c->free_pkts);
}

struct pkt *out_originate(struct cell *c)
{
	struct pkt *p = cell_pkt_alloc(c);

	if (!p)
		return NULL;
	pkt_reset(p);
	p->id = c->next_pkt_id++;
	p->arrival_ns = c->event_ns;
	c->n_pkts++;
	c->stats.pkts_originated++;
	return p;
}

void out_terminate(struct cell *c, struct pkt *p)
{
	c->stats.pkts_terminated++;
	c->n_pkts--;
	pkt_enqueue(&c->limbo_pkts, p);
}

void out_tunnel(struct cell *c, const struct pkt *p, struct cell_record r)
{
	if (r.event == CELL_EV_GTPU_TX)
		c->stats.gtpu_tx[r.value]++;
	else
		c->stats.gtpu_rx[r.value]++;
	r.bytes = p->len;
	r.pkt = p->id;
	r.tag = p->tag;
	out_record(c, NULL, r);
}
