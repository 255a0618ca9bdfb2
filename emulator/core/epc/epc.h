/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epc.h - the user plane of a core network: a gateway, and tunnels between it and the base
 * stations.
 *
 * It is the same for LTE and for 5G, where the gateway is the UPF, S1-U is NG-U and X2-U is Xn-U.
 * What it asks of the radio network, which is above it, is a table of functions. UEs are named by
 * their numbers; cell.serving says where each of them is.
 * Source: TS 23.401 5.5.1.1; TS 23.501 8.3.1; TS 38.300 9.2.3.2
 */
#ifndef EPC_H
#define EPC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cell.h"
#include "base/out.h"

#define ENB_NONE UINT8_MAX

/* Which UE an address leads to. An IPv4 address stands as an IPv6 one. Source: RFC 4291 2.5.5.2 */
struct epc_route {
	uint8_t addr[16];
	uint8_t ue; /* from 1 on */
};

/* A UE's end of its tunnels at one base station; see tunnel.c. */
struct tunnel_end {
	struct pkt_queue held;   /* in order, for a UE that has not come yet */
	struct pkt_queue direct; /* from the gateway, behind what another one still forwards */
	int64_t expiry_ns;       /* of the wait for an End Marker; CELL_NEVER when stopped */
	uint8_t forward_to;      /* base station that gets what comes for the UE, or ENB_NONE */
	bool known;              /* the UE is here, was, or will be */
	bool awaiting;           /* an End Marker on X2; until then `direct` grows */
	bool ended;              /* the gateway's End Marker came while the UE was here */
	bool fresh;              /* the UE came without a handover: nothing is forwarded to here */
	bool early;     /* DAPS: the UE is still served here, and `forward_to` gets copies */
	bool returning; /* awaiting from the gateway's End Marker on: the path comes back */
};

/* The bearer of a UE that takes a packet. */
struct epc_bearer {
	const struct out_at *at;
	uint32_t queue_pkts; /* that may wait for it */
	uint32_t queued; /* that wait at the base station asked about, if the UE is served there */
	uint8_t sn_bits; /* of PDCP, which goes on at a handover; 0: it starts again */
	uint8_t qfi;     /* its QoS flow, with epc_radio.has_flows */
};

/* What tunnels need of the radio network. */
struct epc_radio {
	bool has_flows; /* tunnels name the QoS flow of a packet: those of 5G. TS 38.415 */

	struct epc_bearer (*bearer)(struct cell *c, uint8_t ue, uint8_t enb, enum cell_dir dir,
	                            struct pkt *p);

	/* A packet for the UE goes over the radio of @enb, which serves it. One with has_pdcp_sn
	 * keeps its pdcp_sn. */
	void (*send)(struct cell *c, uint8_t ue, uint8_t enb, struct pkt *p);

	/* The state of the UE changes in this event. */
	void (*touch)(struct cell *c, uint8_t ue);
};

struct epc {
	struct cell *cell;
	const struct epc_radio *radio;
	struct tunnel_end end[CELL_MAX_ENB][CELL_MAX_UE];
	uint8_t own_addr[16];      /* gateway: end of its tunnels; IPv4 as IPv4-mapped IPv6 */
	uint8_t path[CELL_MAX_UE]; /* gateway: base station of every UE's downlink tunnel */
	struct epc_route route[3 * CELL_MAX_UE]; /* gateway: in the order of addresses */
	uint16_t n_routes;
	uint16_t next_ip_id; /* of tunnels' outer headers */
};

/** epc_has_address() - packets from servers can find the UE @ue */
bool epc_has_address(const struct cell_ue_cfg *ue);

/** epc_init() - every UE has its tunnels where the configuration starts; gateway_init() follows */
void epc_init(struct epc *epc, struct cell *c, const struct epc_radio *radio);

/** epc_digest_ue() - hash of what decides what happens next to UE @ue's packets */
void epc_digest_ue(const struct epc *epc, uint8_t ue, uint64_t *h);

/** epc_empty() - packets that wait at base stations, to @ret */
void epc_empty(struct epc *epc, struct pkt_queue *ret);

#endif
