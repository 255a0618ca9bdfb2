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

void d2d_forward(struct cell *c, struct leg *leg, struct pdcp_out *out)
{
	uint8_t peer = c->ue[leg->ue - 1].peer;
	struct pkt *p;

	out_drop_all(c, &out->discarded, leg, CELL_DROP_PDCP_DISCARD);
	while ((p = pkt_dequeue(&out->delivered)))
		if (leg->dir != CELL_DIR_UL)
			out_deliver(c, p, leg_to(c, leg));
		else if (peer == CELL_PEER_NETWORK)
			out_deliver(c, p, leg->ue | CELL_PORT_NETWORK);
		else
			bearer_send(c, &c->ue[peer - 1].leg[CELL_DIR_DL], p);
}
