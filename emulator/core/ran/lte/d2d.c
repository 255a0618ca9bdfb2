/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d2d.c - direct and infrastructure mode: which leg a packet takes and where a
 * received one goes. Every hop has its own PDCP peering. See cell.h.
 * Source: Nardini, sections II and III
 */
#include "cell.h"

void d2d_ingress(struct cell *c, struct pkt *p)
{
	struct ue *u = &c->ue[(p->port & ~CELL_PORT_NETWORK) - 1];
	enum cell_dir dir = u->mode == CELL_MODE_DM ? CELL_DIR_SL : CELL_DIR_UL;

	if (p->port & CELL_PORT_NETWORK)
		dir = CELL_DIR_DL;
	out_record(c, &u->leg[dir],
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = port_node(p->port),
	                                 .peer = dir == CELL_DIR_DL ? u->id : u->peer,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	bearer_send(c, &u->leg[dir], p);
}

/* Into the order of arrival. */
static void insert_by_id(struct pkt_queue *q, struct pkt *p)
{
	struct pkt *before = NULL;

	if (q->tail && q->tail->id < p->id)
		before = q->tail;
	else
		for (struct pkt *at = q->head; at && at->id < p->id; at = at->next)
			before = at;
	pkt_queue_insert(q, before, p);
}

/* Empty @leg: drop what it held, or add it to @again in the order of arrival. */
static void flush(struct cell *c, struct leg *leg, struct pkt_queue *again)
{
	struct pkt_queue held = { 0 };
	struct cell_record r = { .event = CELL_EV_FLUSH,
		                 .node = leg_from(leg),
		                 .peer = leg_to(c, leg) };
	/* What is sent again must not arrive from the air as well. */
	bool again_whole = c->cfg.mode_flush == CELL_FLUSH_RETRANSMIT;
	struct pkt *p;

	bearer_empty(c, leg, again_whole || c->cfg.mode_flush_air, &held);
	if (leg->dir != CELL_DIR_DL)
		c->ue[leg->ue - 1].enb_backlog[leg->dir] = 0;
	for (p = held.head; p; p = p->next)
		r.bytes += p->len;
	r.value = (int32_t)held.n;
	out_record(c, leg, r);
	if (c->cfg.mode_flush == CELL_FLUSH_DISCARD)
		out_drop_all(c, &held, leg, CELL_DROP_MODE_SWITCH);
	while ((p = pkt_dequeue(&held))) {
		p->sdu_len = 0;
		insert_by_id(again, p);
	}
}

void d2d_change_mode(struct cell *c, struct ue *u, enum cell_mode mode)
{
	struct pkt_queue again = { 0 };
	struct pkt *p;

	if (u->mode == mode)
		return;
	u->mode = (uint8_t)mode;
	c->stats.mode_switches++;
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_ROUTE,
	                                 .node = u->id,
	                                 .peer = u->peer,
	                                 .value = (int32_t)mode });
	if (c->cfg.mode_flush == CELL_FLUSH_KEEP)
		return;
	if (mode == CELL_MODE_IM) {
		flush(c, &u->leg[CELL_DIR_SL], &again);
	} else {
		flush(c, &u->leg[CELL_DIR_UL], &again);
		flush(c, &c->ue[u->peer - 1].leg[CELL_DIR_DL], &again);
	}
	while ((p = pkt_dequeue(&again)))
		bearer_send(c, &u->leg[mode == CELL_MODE_IM ? CELL_DIR_UL : CELL_DIR_SL], p);
}

/* Source: Nardini, section IV. With equal CQIs direct mode saves a hop. */
void d2d_select_modes(struct cell *c)
{
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		struct ue *u = &c->ue[i];
		uint8_t direct = u->leg[CELL_DIR_SL].cqi, infrastructure = u->leg[CELL_DIR_UL].cqi;

		if (u->peer == CELL_PEER_NETWORK)
			continue;
		d2d_change_mode(c, u, direct >= infrastructure ? CELL_MODE_DM : CELL_MODE_IM);
	}
}

void d2d_forward(struct cell *c, struct leg *leg, struct pdcp_out *out)
{
	uint8_t peer = c->ue[leg->ue - 1].peer;
	struct pkt *p;

	out_drop_all(c, &out->discarded, leg, CELL_DROP_PDCP_DISCARD);
	out_drop_all(c, &out->duplicates, leg, CELL_DROP_DUPLICATE);
	while ((p = pkt_dequeue(&out->delivered)))
		if (leg->dir != CELL_DIR_UL)
			out_deliver(c, p, leg_to(c, leg));
		else if (peer == CELL_PEER_NETWORK && c->cfg.sgw_gtpu_addr)
			tunnel_uplink(c, &c->ue[leg->ue - 1], p);
		else if (peer == CELL_PEER_NETWORK)
			out_deliver(c, p, leg->ue | CELL_PORT_NETWORK);
		else
			bearer_send(c, &c->ue[peer - 1].leg[CELL_DIR_DL], p);
}
