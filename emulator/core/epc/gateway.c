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

#define IPV4_BYTES  20
#define IPV4_DST_AT 16
#define IPV6_BYTES  40
#define IPV6_DST_AT 24
#define ADDR_BYTES  sizeof(((struct epc_route *)0)->addr)

static const uint8_t none[ADDR_BYTES];

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
	const uint8_t *b = header(p) + IPV4_DST_AT;

	if (p->len < IPV4_BYTES)
		return 0;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The address @addr of IPv4 as one of a route; that of nobody stays all zero. */
static void map_ipv4(uint32_t addr, uint8_t *ret)
{
	memset(ret, 0, ADDR_BYTES);
	if (addr == 0)
		return;
	ret[10] = ret[11] = UINT8_MAX;
	for (int i = 0; i < 4; i++)
		ret[12 + i] = (uint8_t)(addr >> (24 - 8 * i));
}

static void read_dst(const struct pkt *p, uint8_t *ret)
{
	if (is_ipv6(p))
		memcpy(ret, header(p) + IPV6_DST_AT, ADDR_BYTES);
	else
		map_ipv4(ip_dst(p), ret);
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

/* Of an address that several UEs have, the last one's route is the last. */
static void add_route(struct epc *epc, const uint8_t *addr, uint8_t ue)
{
	uint16_t at = epc->n_routes;

	if (memcmp(addr, none, ADDR_BYTES) == 0)
		return;
	for (; at > 0 && memcmp(epc->route[at - 1].addr, addr, ADDR_BYTES) > 0; at--)
		epc->route[at] = epc->route[at - 1];
	epc->route[at].ue = ue;
	memcpy(epc->route[at].addr, addr, ADDR_BYTES);
	epc->n_routes++;
}

void gateway_init(struct epc *epc)
{
	const struct cell_gtpu_cfg *gtpu = &epc->cell->cfg.gtpu;
	uint8_t addr[ADDR_BYTES];

	map_ipv4(gtpu->sgw_addr, epc->own_addr);
	if (gtpu->ipv6)
		memcpy(epc->own_addr, gtpu->prefix, sizeof(gtpu->prefix));
	epc->n_routes = 0;
	for (uint8_t i = 0; i < epc->cell->cfg.n_ue; i++) {
		const struct cell_ue_cfg *ue = &epc->cell->cfg.ue[i];

		map_ipv4(ue->addr, addr);
		add_route(epc, addr, (uint8_t)(i + 1));
		add_route(epc, ue->addr6, (uint8_t)(i + 1));
		add_route(epc, ue->clat6, (uint8_t)(i + 1));
	}
}

/* The UE with address @addr, of several the last; 0 when there is none. */
static uint8_t find(const struct epc *epc, const uint8_t *addr)
{
	uint16_t low = 0, high = epc->n_routes;

	while (low < high) { /* those below @low are not above @addr */
		uint16_t middle = (uint16_t)((low + high) / 2);

		if (memcmp(epc->route[middle].addr, addr, ADDR_BYTES) <= 0)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	if (low == 0 || memcmp(epc->route[low - 1].addr, addr, ADDR_BYTES) != 0)
		return 0;
	return epc->route[low - 1].ue;
}

/* From a server to the UE with the address @dst. */
static void downlink(struct epc *epc, struct pkt *p, const uint8_t *dst)
{
	uint8_t ue = find(epc, dst);

	record_in(epc, p, ue, CELL_DIR_DL);
	if (ue && p->len <= CELL_UE_MTU_MAX)
		tunnel_send(epc, ue, p, ENB_NONE, epc->path[ue - 1], CELL_TUNNEL_S1);
	else
		out_drop(epc->cell, p, NULL, CELL_DROP_NO_ROUTE);
}

void gateway_ingress(struct epc *epc, struct pkt *p)
{
	uint8_t dst[ADDR_BYTES];
	enum cell_tunnel kind;

	read_dst(p, dst);
	if (memcmp(dst, epc->own_addr, ADDR_BYTES) != 0) {
		downlink(epc, p, dst);
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
