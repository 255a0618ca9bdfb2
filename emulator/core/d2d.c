/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * d2d.c - direct and infrastructure mode: which leg a packet takes and where a
 * received one goes. Every hop has its own PDCP peering. See cell.h.
 * Source: Nardini, sections II and III
 */
#include "cell.h"

static void send_on(struct cell *c, struct leg *leg, struct pkt *p)
{
	pdcp_transmit(&leg->pdcp_tx, p, c->event_ns);
	if (rlc_um_tx_push(&leg->tx, p))
		out_buffer(c, leg);
	else
		out_drop(c, p, leg, CELL_DROP_QUEUE_FULL);
}

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
	send_on(c, &u->leg[dir], p);
}

void d2d_command(struct cell *c, const struct cell_cmd *cmd)
{
	struct ue *u = &c->ue[cmd->ue - 1];

	u->mode = cmd->mode;
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_ROUTE,
	                                 .node = u->id,
	                                 .peer = u->peer,
	                                 .value = cmd->mode });
}

/* A datagram came out of PDCP at the end of @leg. */
static void forward(struct cell *c, struct leg *leg, struct pkt *p)
{
	if (pdcp_receive(&leg->pdcp_rx, p) < 0) {
		out_drop(c, p, leg, CELL_DROP_RLC_DISCARD);
		return;
	}
	if (leg->dir != CELL_DIR_UL)
		out_deliver(c, p, leg_to(c, leg));
	else if (c->ue[leg->ue - 1].peer == CELL_PEER_NETWORK)
		out_deliver(c, p, leg->ue | CELL_PORT_NETWORK);
	else
		send_on(c, &c->ue[c->ue[leg->ue - 1].peer - 1].leg[CELL_DIR_DL], p);
}

static void finish(struct cell *c, struct leg *leg, struct rlc_um_out *out)
{
	struct pdu *pdu;
	struct pkt *p;

	if (out->discarded_pdus)
		out_record(c, leg,
		           (struct cell_record){ .event = CELL_EV_RLC_DISCARD,
		                                 .node = leg_to(c, leg),
		                                 .peer = leg_from(leg),
		                                 .sn = leg->rx.vr_ur,
		                                 .value = (int32_t)out->discarded_pdus });
	out_drop_all(c, &out->discarded, leg, CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered)))
		forward(c, leg, p);
	while ((pdu = pdu_dequeue(&out->freed)))
		cell_pdu_free(c, pdu);
}

void d2d_receive(struct cell *c, struct leg *leg, struct pdu *pdu)
{
	struct rlc_um_out out = { 0 };
	uint32_t len = pdu->rlc_len;
	int sn = rlc_um_rx_receive(&leg->rx, pdu, c->event_ns, &out);

	if (sn >= 0) {
		c->stats.rlc_pdus_rx++;
		out_record(c, leg,
		           (struct cell_record){ .event = CELL_EV_RLC_RX,
		                                 .node = leg_to(c, leg),
		                                 .peer = leg_from(leg),
		                                 .sn = (uint32_t)sn,
		                                 .bytes = len });
	}
	finish(c, leg, &out);
}

void d2d_reordering_expired(struct cell *c, struct leg *leg)
{
	struct rlc_um_out out = { 0 };

	rlc_um_rx_expire(&leg->rx, c->event_ns, &out);
	out_record(c, leg,
	           (struct cell_record){ .event = CELL_EV_T_REORDERING,
	                                 .node = leg_to(c, leg),
	                                 .peer = leg_from(leg),
	                                 .sn = leg->rx.vr_ur });
	finish(c, leg, &out);
}

/* Source: TS 36.323 5.4 */
void d2d_discard_expired(struct cell *c, struct leg *leg)
{
	int64_t limit_ns = (int64_t)c->cfg.discard_timer_ms * 1000000;

	if (limit_ns == 0)
		return;
	while (leg->tx.queue.head && leg->tx.queue.head->queued_ns + limit_ns <= c->event_ns) {
		struct pkt *p = rlc_um_tx_discard(&leg->tx);

		if (!p)
			break; /* partly sent: the rest follows */
		out_drop(c, p, leg, CELL_DROP_PDCP_DISCARD);
	}
}

uint32_t d2d_discard_tti(const struct cell *c, const struct leg *leg, uint32_t from)
{
	int64_t limit_ns = (int64_t)c->cfg.discard_timer_ms * 1000000, since;
	uint32_t tti;

	if (limit_ns == 0 || !leg->tx.queue.head || leg->tx.head_sent > 0)
		return TTI_NEVER;
	since = leg->tx.queue.head->queued_ns + limit_ns - c->start_ns;
	tti = (uint32_t)((since + CELL_TTI_NS - 1) / CELL_TTI_NS);
	return tti > from ? tti : from;
}
