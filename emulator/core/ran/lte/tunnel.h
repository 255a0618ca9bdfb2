/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tunnel.h - eNBs' ends of the tunnels: to the radio, on hold, or forwarded. */
#ifndef TUNNEL_H
#define TUNNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pkt.h"

#define ENB_NONE UINT8_MAX

struct cell;
struct ue;

/* A UE's end of its tunnels at one eNB; see tunnel.c. */
struct tunnel_end {
	struct pkt_queue held;   /* in order, for a UE that has not come yet */
	struct pkt_queue direct; /* from the S-GW, behind what another eNB still forwards */
	int64_t expiry_ns;       /* of the wait for an End Marker; CELL_NEVER when stopped */
	uint8_t forward_to;      /* eNB that gets what comes for the UE, or ENB_NONE */
	bool known;              /* the UE is here, was, or will be */
	bool awaiting;           /* an End Marker on X2; until then `direct` grows */
	bool ended;              /* the S-GW's End Marker came while the UE was here */
	bool returning;          /* awaiting from the S-GW's End Marker on: the path comes back */
};

/** tunnel_send() - @p, of @u, leaves @from in a tunnel of @kind to @to; ENB_NONE is the S-GW */
void tunnel_send(struct cell *c, struct ue *u, struct pkt *p, uint8_t from, uint8_t to,
                 enum cell_tunnel kind);

/**
 * tunnel_receive() - take the headers off a packet that arrived in a tunnel to @at
 * @at:       eNB, or ENB_NONE for the S-GW
 * @ret_kind: S1 or X2; an End Marker shows in the packet
 *
 * Return: whose, or NULL: not ours, and dropped; also what ECN does not let go on.
 */
struct ue *tunnel_receive(struct cell *c, struct pkt *p, uint8_t at, enum cell_tunnel *ret_kind);

/** tunnel_ingress() - a packet arrived at @enb */
void tunnel_ingress(struct cell *c, uint8_t enb, struct pkt *p);

/** tunnel_uplink() - a packet of @u leaves its eNB for the S-GW */
void tunnel_uplink(struct cell *c, struct ue *u, struct pkt *p);

/** tunnel_expect() - @enb is going to serve @u */
void tunnel_expect(struct cell *c, struct ue *u, uint8_t enb);

/** tunnel_forward() - @from sends what it holds for @u, and all that comes, to @to */
void tunnel_forward(struct cell *c, struct ue *u, uint8_t from, uint8_t to, struct pkt_queue *held);

/** tunnel_arrived() - @u is in its new cell: what waits there is sent */
void tunnel_arrived(struct cell *c, struct ue *u);

/** tunnel_return() - the path of @u comes back to the eNB that serves it */
void tunnel_return(struct cell *c, struct ue *u);

/** tunnel_settled() - no end waits for an End Marker of @u */
bool tunnel_settled(const struct cell *c, const struct ue *u);

/** tunnel_next_ns() - when the first wait for an End Marker is over, or CELL_NEVER */
int64_t tunnel_next_ns(const struct cell *c, const struct ue *u);

/** tunnel_expire() - no End Marker came in time */
void tunnel_expire(struct cell *c, struct ue *u);

/** tunnel_empty() - packets that eNBs hold for @u, to @ret */
void tunnel_empty(struct cell *c, struct ue *u, struct pkt_queue *ret);

#endif
