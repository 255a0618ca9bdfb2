/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gateway.c - the serving gateway: one tunnel a UE to the eNB of its path. See gateway.h.
 *
 * A packet from a server finds its UE by its destination address and leaves in the tunnel to the
 * eNB that the UE's path leads to. What arrives in a tunnel leaves without its headers. When a
 * path is switched, the next packet takes the new tunnel and an End Marker the old one, by which
 * the eNBs know that nothing more comes that way. MME and S-GW are at one place.
 * Source: TS 23.401 5.5.1.1.2; TS 29.281 7.3.2
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

void gateway_init(struct lte *lte)
{
	const struct cell_ue_cfg *ue = lte->cell.cfg.ue;

	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++) {
		uint8_t at = i;

		for (; at > 0 && ue[lte->by_addr[at - 1]].addr > ue[i].addr; at--)
			lte->by_addr[at] = lte->by_addr[at - 1];
		lte->by_addr[at] = i;
	}
}

/* The UE with address @addr, of several the last; NULL when there is none. */
static struct ue *find(const struct lte *lte, uint32_t addr)
{
	const struct cell_ue_cfg *ue = lte->cell.cfg.ue;
	uint8_t low = 0, high = lte->cell.cfg.n_ue;

	while (low < high) { /* those below @low are not above @addr */
		uint8_t middle = (uint8_t)((low + high) / 2);

		if (ue[lte->by_addr[middle]].addr <= addr)
			low = (uint8_t)(middle + 1);
		else
			high = middle;
	}
	if (addr == 0 || low == 0 || ue[lte->by_addr[low - 1]].addr != addr)
		return NULL;
	return &lte->ue[lte->by_addr[low - 1]];
}

/* From a server to the UE with that address. */
static void downlink(struct lte *lte, struct pkt *p)
{
	struct ue *u = find(lte, ip_dst(p));

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

void gateway_end_marker(struct lte *lte, struct ue *u, uint8_t enb)
{
	struct pkt *p = cell_pkt_originate(&lte->cell);

	if (!p)
		return;
	p->end_marker = true;
	tunnel_send(lte, u, p, ENB_NONE, enb, CELL_TUNNEL_S1);
}

void gateway_switch_path(struct lte *lte, struct ue *u, uint8_t enb)
{
	uint8_t old = lte->path[u->id - 1];

	if (old == enb)
		return;
	lte->path[u->id - 1] = enb;
	lte->cell.stats.path_switches++;
	gateway_end_marker(lte, u, old);
}
