/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.c - what leaves the core: packets, PDUs, trace rows; see out.h. */
#include "base/out.h"

#include "base/assert.h"

static struct cell_out *out_next(struct cell *c, enum cell_out_type type)
{
	struct cell *home = c->home;
	struct cell_out *o;

	CELL_ASSERT(home->out_n < home->out_cap);
	o = &home->out[home->out_n++];
	*o = (struct cell_out){ .type = type, .t_ns = c->event_ns };
	return o;
}

void out_record(struct cell *c, const struct out_at *at, struct cell_record r)
{
	struct cell_out *o = out_next(c, CELL_OUT_RECORD);

	r.t_ns = c->event_ns;
	r.block = c->block;
	if (at) {
		r.dir = at->dir;
		r.lcid = at->lcid;
		r.enb = at->enb;
	}
	r.enb = (uint8_t)(r.enb + c->first_enb);
	o->record = r;
}

void out_pdu(struct cell *c, const uint8_t *data, uint32_t len, const struct cell_pdu_info *info)
{
	struct cell_out *o = out_next(c, CELL_OUT_PDU);

	o->port = info->ue;
	o->data = data;
	o->len = len;
	o->info = *info;
	o->info.enb = (uint8_t)(info->enb + c->first_enb);
}

static void out_pkt_record(struct cell *c, const struct pkt *p, const struct out_at *at,
                           enum cell_event event, uint8_t node, uint8_t enb, uint8_t peer,
                           int32_t value)
{
	out_record(c, at,
	           (struct cell_record){ .event = (uint16_t)event,
	                                 .node = node,
	                                 .enb = enb,
	                                 .peer = peer,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len,
	                                 .value = value });
}

/* The eNB in whose cell @port is. */
static uint8_t port_enb(const struct cell *c, uint8_t port)
{
	uint8_t ue = port & (uint8_t)~CELL_PORT_NETWORK;

	if (out_port_is_enb(port))
		return (uint8_t)(port - CELL_PORT_ENB(0));
	return ue >= 1 && ue <= c->cfg.n_ue ? c->serving[ue - 1] : 0;
}

void out_deliver(struct cell *c, struct pkt *p, uint8_t port)
{
	struct cell_out *o = out_next(c, CELL_OUT_DELIVER);

	if (p->twin) {
		p->twin->spent = true;
		p->twin->twin = NULL;
	}
	o->port = port;
	o->pkt = p->id;
	o->tag = p->tag;
	o->data = pkt_data(p);
	o->len = p->len;
	out_pkt_record(c, p, NULL, CELL_EV_PKT_OUT, out_port_node(port), port_enb(c, port),
	               out_port_node(p->port), (int32_t)((c->event_ns - p->arrival_ns) / 1000));
	c->home->stats.pkts_delivered++;
	c->home->stats.bytes_delivered += p->len;
	c->home->n_pkts--;
	pkt_enqueue(&c->home->limbo_pkts, p);
}

/* One of two copies ends where it does not matter. */
static void end_copy(struct cell *c, struct pkt *p, const struct out_at *at, enum cell_drop reason)
{
	if (p->twin)
		p->twin->twin = NULL;
	out_pkt_record(c, p, at, CELL_EV_PDCP_COPY, at ? at->from : out_port_node(p->port),
	               port_enb(c, p->port), at ? at->to : 0, (int32_t)reason);
	base_pkt_terminate(c, p);
}

void out_drop(struct cell *c, struct pkt *p, const struct out_at *at, enum cell_drop reason)
{
	struct cell_out *o;

	if (p->twin || p->spent) {
		end_copy(c, p, at, reason);
		return;
	}
	o = out_next(c, CELL_OUT_DROP);
	o->port = p->port;
	o->pkt = p->id;
	o->tag = p->tag;
	o->reason = (uint8_t)reason;
	o->len = p->len;
	out_pkt_record(c, p, at, CELL_EV_PKT_DROP, at ? at->from : out_port_node(p->port),
	               port_enb(c, p->port), at ? at->to : 0, (int32_t)reason);
	c->home->stats.pkts_dropped[reason]++;
	c->home->n_pkts--;
	pkt_enqueue(&c->home->limbo_pkts, p);
}

void out_drop_all(struct cell *c, struct pkt_queue *q, const struct out_at *at,
                  enum cell_drop reason)
{
	struct pkt *p;

	while ((p = pkt_dequeue(q)))
		out_drop(c, p, at, reason);
}
