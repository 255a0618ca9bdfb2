/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tunnel.h - eNBs' ends of the tunnels: to the radio, on hold, or forwarded. */
#ifndef TUNNEL_H
#define TUNNEL_H

#include "ran/lte/state.h"

/** tunnel_send() - @p, of @u, leaves @from in a tunnel of @kind to @to; ENB_NONE is the S-GW */
void tunnel_send(struct lte *lte, struct ue *u, struct pkt *p, uint8_t from, uint8_t to,
                 enum cell_tunnel kind);

/**
 * tunnel_receive() - take the headers off a packet that arrived in a tunnel to @at
 * @at:       eNB, or ENB_NONE for the S-GW
 * @ret_kind: S1 or X2; an End Marker shows in the packet
 *
 * Return: whose, or NULL: not ours, and dropped; also what ECN does not let go on.
 */
struct ue *tunnel_receive(struct lte *lte, struct pkt *p, uint8_t at, enum cell_tunnel *ret_kind);

/** tunnel_ingress() - a packet arrived at @enb */
void tunnel_ingress(struct lte *lte, uint8_t enb, struct pkt *p);

/** tunnel_uplink() - a packet of @u leaves its eNB for the S-GW */
void tunnel_uplink(struct lte *lte, struct ue *u, struct pkt *p);

/** tunnel_expect() - @enb is going to serve @u */
void tunnel_expect(struct lte *lte, struct ue *u, uint8_t enb);

/**
 * tunnel_forward() - @from sends what it holds for @u, and all that comes, to @to
 *
 * Return: nothing will come any more, and an End Marker went after the last packet.
 */
bool tunnel_forward(struct lte *lte, struct ue *u, uint8_t from, uint8_t to,
                    struct pkt_queue *held);

/** tunnel_end_marker() - another End Marker from @from to where it forwards for @u */
void tunnel_end_marker(struct lte *lte, struct ue *u, uint8_t from);

/** tunnel_arrived() - @u is in its new cell: what waits there is sent */
void tunnel_arrived(struct lte *lte, struct ue *u);

/** tunnel_return() - the path of @u comes back to the eNB that serves it */
void tunnel_return(struct lte *lte, struct ue *u);

/** tunnel_settled() - no end waits for an End Marker of @u */
bool tunnel_settled(const struct lte *lte, const struct ue *u);

/** tunnel_next_ns() - when the first wait for an End Marker is over, or CELL_NEVER */
int64_t tunnel_next_ns(const struct lte *lte, const struct ue *u);

/** tunnel_expire() - no End Marker came in time */
void tunnel_expire(struct lte *lte, struct ue *u);

/** tunnel_empty() - packets that eNBs hold for @u, to @ret */
void tunnel_empty(struct lte *lte, struct ue *u, struct pkt_queue *ret);

#endif
