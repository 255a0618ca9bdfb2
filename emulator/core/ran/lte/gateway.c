/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gateway.c - the serving gateway: one tunnel a UE to the eNB of its path. See gateway.h.
 *
 * MME and S-GW are at one place. Source: TS 23.401 5.5.1.1.2; TS 29.281
 */
#include "ran/lte/gateway.h"

#include "ran/lte/tunnel.h"

static uint32_t ip_dst(const struct pkt *p)
{
	const uint8_t *b = p->buf + PKT_HEADROOM + p->shift;

	if (p->len < 20)
		return 0;
	return (uint32_t)b[16] << 24 | (uint32_t)b[17] << 16 | (uint32_t)b[18] << 8 | b[19];
}

static void record_in(struct lte *lte, const struct pkt *p, const struct ue *u, enum cell_dir dir)
{
	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = CELL_NODE_SGW,
	                                 .peer = u ? u->id : 0,
	                                 .dir = (uint8_t)dir,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
}

/* From a server to the UE with that address. */
static void downlink(struct lte *lte, struct pkt *p)
{
	uint32_t addr = ip_dst(p);
	struct ue *u = NULL;

	for (uint8_t i = 0; i < lte->cell.cfg.n_ue && addr; i++)
		if (lte->cell.cfg.ue[i].addr == addr)
			u = &lte->ue[i];
	record_in(lte, p, u, CELL_DIR_DL);
	if (u && p->len <= CELL_UE_MTU_MAX)
		tunnel_send(lte, u, p, ENB_NONE, lte->path[u->id - 1], CELL_TUNNEL_S1);
	else
		out_drop(&lte->cell, p, NULL, CELL_DROP_NO_ROUTE);
}

void gateway_ingress(struct lte *lte, struct pkt *p)
{
	enum cell_tunnel kind;

	if (ip_dst(p) != lte->cell.cfg.sgw_gtpu_addr) {
		downlink(lte, p);
		return;
	}
	record_in(lte, p, NULL, CELL_DIR_UL);
	if (!tunnel_receive(lte, p, ENB_NONE, &kind))
		return;
	if (p->end_marker)
		cell_pkt_terminate(&lte->cell, p); /* no eNB sends one to the S-GW */
	else
		out_deliver(&lte->cell, p, CELL_PORT_SGW);
}

void gateway_switch_path(struct lte *lte, struct ue *u, uint8_t enb)
{
	uint8_t old = lte->path[u->id - 1];
	struct pkt *p;

	if (old == enb)
		return;
	lte->path[u->id - 1] = enb;
	lte->cell.stats.path_switches++;
	/* Source: TS 36.300 10.1.2.2; one of the "one or more" */
	p = cell_pkt_originate(&lte->cell);
	if (!p)
		return;
	p->end_marker = true;
	tunnel_send(lte, u, p, ENB_NONE, old, CELL_TUNNEL_S1);
}
