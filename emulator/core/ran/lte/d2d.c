/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d2d.c - direct and infrastructure mode: which direction a packet takes and where a received one
 * goes; see d2d.h.
 *
 * Between two UEs a packet takes the sidelink in direct mode, which is one hop on resource blocks
 * of the uplink. In infrastructure mode it takes the uplink to the eNB and then the downlink. Every
 * hop has its own PDCP peering, so what waits below PDCP for one mode cannot go on in the other. A
 * change of mode discards it, or has PDCP send it again in the new direction, or leaves it where it
 * is; the paper discards. A UE's mode changes by a command or, when the CQIs decide, to the
 * direction with the higher one. Source: Nardini, sections II to IV
 */
#include "ran/lte/d2d.h"

#include "epc/tunnel.h"
#include "ran/lte/lch.h"

void d2d_ingress(struct lte *lte, struct pkt *p)
{
	struct ue *u = &lte->ue[(p->port & ~CELL_PORT_NETWORK) - 1];
	enum cell_dir dir = u->mode == CELL_MODE_DM ? CELL_DIR_SL : CELL_DIR_UL;
	struct bearer *b;

	if (p->port & CELL_PORT_NETWORK)
		dir = CELL_DIR_DL;
	b = lte_lch_classify(&u->sch[dir], p);
	out_record(&lte->cell, &b->at,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = out_port_node(p->port),
	                                 .peer = dir == CELL_DIR_DL ? u->id : u->peer,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	bearer_send(lte, b, p);
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

/* Empty @sch: drop what it held, or add it to @again in the order of arrival. */
static void flush(struct lte *lte, struct lte_sch *sch, struct pkt_queue *again)
{
	struct pkt_queue held = { 0 };
	struct cell_record r = { .event = CELL_EV_FLUSH, .node = sch->at.from, .peer = sch->at.to };
	/* What is sent again must not arrive from the air as well. */
	bool again_whole = lte->cell.cfg.lte.mode_switch.flush == CELL_FLUSH_RETRANSMIT;
	struct pkt *p;

	lte_lch_empty(lte, sch, again_whole || lte->cell.cfg.lte.mode_switch.flush_air, &held);
	if (sch->at.dir != CELL_DIR_DL)
		lte->ue[sch->ue - 1].enb_backlog[sch->at.dir] = 0;
	for (p = held.head; p; p = p->next)
		r.bytes += p->len;
	r.value = (int32_t)held.n;
	out_record(&lte->cell, &sch->at, r);
	if (lte->cell.cfg.lte.mode_switch.flush == CELL_FLUSH_DISCARD)
		out_drop_all(&lte->cell, &held, &sch->at, CELL_DROP_MODE_SWITCH);
	while ((p = pkt_dequeue(&held))) {
		p->sdu_len = 0;
		insert_by_id(again, p);
	}
}

void d2d_change_mode(struct lte *lte, struct ue *u, enum cell_mode mode)
{
	struct pkt_queue again = { 0 };
	struct pkt *p;

	if (u->mode == mode)
		return;
	u->mode = (uint8_t)mode;
	ue_touch(lte, u->id);
	lte->cell.stats.mode_switches++;
	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_ROUTE,
	                                 .node = u->id,
	                                 .peer = u->peer,
	                                 .value = (int32_t)mode });
	if (lte->cell.cfg.lte.mode_switch.flush == CELL_FLUSH_KEEP)
		return;
	if (mode == CELL_MODE_IM) {
		flush(lte, &u->sch[CELL_DIR_SL], &again);
	} else {
		flush(lte, &u->sch[CELL_DIR_UL], &again);
		flush(lte, &lte->ue[u->peer - 1].sch[CELL_DIR_DL], &again);
	}
	while ((p = pkt_dequeue(&again)))
		lte_lch_send(lte, &u->sch[mode == CELL_MODE_IM ? CELL_DIR_UL : CELL_DIR_SL], p);
}

/* Source: Nardini, section IV. With equal CQIs direct mode saves a hop. */
void d2d_select_modes(struct lte *lte)
{
	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++) {
		struct ue *u = &lte->ue[i];
		uint8_t direct = u->sch[CELL_DIR_SL].cqi, infrastructure = u->sch[CELL_DIR_UL].cqi;

		if (u->peer == CELL_PEER_NETWORK)
			continue;
		d2d_change_mode(lte, u, direct >= infrastructure ? CELL_MODE_DM : CELL_MODE_IM);
	}
}

void d2d_forward(struct lte *lte, struct lte_sch *sch, struct pdcp_out *out)
{
	uint8_t peer = lte->ue[sch->ue - 1].peer;
	struct pkt *p;

	out_drop_all(&lte->cell, &out->discarded, &sch->at, CELL_DROP_PDCP_DISCARD);
	out_drop_all(&lte->cell, &out->duplicates, &sch->at, CELL_DROP_DUPLICATE);
	while ((p = pkt_dequeue(&out->delivered)))
		if (sch->at.dir != CELL_DIR_UL)
			out_deliver(&lte->cell, p, sch->at.to);
		else if (peer == CELL_PEER_NETWORK && lte->cell.cfg.gtpu.sgw_addr)
			tunnel_uplink(&lte->epc, sch->ue, lte->cell.serving[sch->ue - 1], p);
		else if (peer == CELL_PEER_NETWORK)
			out_deliver(&lte->cell, p, sch->ue | CELL_PORT_NETWORK);
		else
			lte_lch_send(lte, &lte->ue[peer - 1].sch[CELL_DIR_DL], p);
}
