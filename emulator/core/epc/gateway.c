/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gateway.c - the serving gateway, or UPF: one tunnel a UE to the base station of its path. See
 * gateway.h.
 *
 * A packet from a server finds its UE by its destination address and leaves in the tunnel to the
 * eNB that the UE's path leads to. What arrives in a tunnel leaves without its headers. When a
 * path is switched, the next packet takes the new tunnel and an End Marker the old one, by which
 * the eNBs know that nothing more comes that way. MME and S-GW are at one place.
 * Source: TS 23.401 5.5.1.1.2; TS 23.502 4.9.1.2.2; TS 29.281 7.3.2
 */
#include "epc/gateway.h"

#include <string.h>

#include "epc/tunnel.h"

#define IPV6_BYTES  40
#define IPV6_DST_AT 24

static const uint8_t *header(const struct pkt *p)
{
	return p->buf + PKT_HEADROOM + p->shift;
}

static bool is_ipv6(const struct pkt *p)
{
	return p->len >= IPV6_BYTES && header(p)[0] >> 4 == 6;
}

/* Of a packet of IPv4. */
static uint32_t ip_dst(const struct pkt *p)
{
	const uint8_t *b = header(p);

	if (p->len < 20)
		return 0;
	return (uint32_t)b[16] << 24 | (uint32_t)b[17] << 16 | (uint32_t)b[18] << 8 | b[19];
}

static void record_in(struct epc *epc, const struct pkt *p, uint8_t ue, enum cell_dir dir)
{
	out_record(epc->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = CELL_NODE_SGW,
	                                 .peer = ue,
	                                 .dir = (uint8_t)dir,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
}

void gateway_init(struct epc *epc)
{
	const struct cell_ue_cfg *ue = epc->cell->cfg.ue;

	for (uint8_t i = 0; i < epc->cell->cfg.n_ue; i++) {
		uint8_t at = i;

		for (; at > 0 && ue[epc->by_addr[at - 1]].addr > ue[i].addr; at--)
			epc->by_addr[at] = epc->by_addr[at - 1];
		epc->by_addr[at] = i;
	}
}

/* The UE with address @addr, of several the last; 0 when there is none. */
static uint8_t find(const struct epc *epc, uint32_t addr)
{
	const struct cell_ue_cfg *ue = epc->cell->cfg.ue;
	uint8_t low = 0, high = epc->cell->cfg.n_ue;

	while (low < high) { /* those below @low are not above @addr */
		uint8_t middle = (uint8_t)((low + high) / 2);

		if (ue[epc->by_addr[middle]].addr <= addr)
			low = (uint8_t)(middle + 1);
		else
			high = middle;
	}
	if (addr == 0 || low == 0 || ue[epc->by_addr[low - 1]].addr != addr)
		return 0;
	return (uint8_t)(epc->by_addr[low - 1] + 1);
}

/* The UE with the address of IPv6 at @addr, of several the first; 0 when there is none. */
static uint8_t find6(const struct epc *epc, const uint8_t *addr)
{
	static const uint8_t none[sizeof(((struct cell_ue_cfg *)0)->addr6)];
	const struct cell_cfg *cfg = &epc->cell->cfg;

	if (memcmp(addr, none, sizeof(none)) == 0)
		return 0;
	for (uint8_t i = 0; i < cfg->n_ue; i++)
		if (memcmp(cfg->ue[i].addr6, addr, sizeof(none)) == 0)
			return (uint8_t)(i + 1);
	return 0;
}

/* From a server to the UE with that address. */
static void downlink(struct epc *epc, struct pkt *p)
{
	uint8_t ue = is_ipv6(p) ? find6(epc, header(p) + IPV6_DST_AT) : find(epc, ip_dst(p));

	record_in(epc, p, ue, CELL_DIR_DL);
	if (ue && p->len <= CELL_UE_MTU_MAX)
		tunnel_send(epc, ue, p, ENB_NONE, epc->path[ue - 1], CELL_TUNNEL_S1);
	else
		out_drop(epc->cell, p, NULL, CELL_DROP_NO_ROUTE);
}

void gateway_ingress(struct epc *epc, struct pkt *p)
{
	enum cell_tunnel kind;

	if (is_ipv6(p) || ip_dst(p) != epc->cell->cfg.gtpu.sgw_addr) {
		downlink(epc, p);
		return;
	}
	record_in(epc, p, 0, CELL_DIR_UL);
	if (!tunnel_receive(epc, p, ENB_NONE, &kind))
		return;
	if (p->end_marker)
		base_pkt_terminate(epc->cell, p); /* no eNB sends one to the S-GW */
	else
		out_deliver(epc->cell, p, CELL_PORT_SGW);
}

void gateway_end_marker(struct epc *epc, uint8_t ue, uint8_t enb)
{
	struct pkt *p = base_pkt_originate(epc->cell);

	if (!p)
		return;
	p->end_marker = true;
	tunnel_send(epc, ue, p, ENB_NONE, enb, CELL_TUNNEL_S1);
}

void gateway_switch_path(struct epc *epc, uint8_t ue, uint8_t enb)
{
	uint8_t old = epc->path[ue - 1];

	if (old == enb)
		return;
	epc->path[ue - 1] = enb;
	epc->cell->stats.path_switches++;
	gateway_end_marker(epc, ue, old);
}
