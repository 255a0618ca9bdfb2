/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tunnel.h - base stations' ends of the tunnels: to the radio, on hold, or forwarded. */
#ifndef TUNNEL_H
#define TUNNEL_H

#include "epc/epc.h"

/** tunnel_send() - @p, of @ue, leaves @from in a tunnel of @kind to @to; ENB_NONE is the S-GW */
void tunnel_send(struct epc *epc, uint8_t ue, struct pkt *p, uint8_t from, uint8_t to,
                 enum cell_tunnel kind);

/**
 * tunnel_receive() - take the headers off a packet that arrived in a tunnel to @at
 * @at:       eNB, or ENB_NONE for the S-GW
 * @ret_kind: S1 or X2; an End Marker shows in the packet
 *
 * Return: whose, or 0: not ours, and dropped; also what ECN does not let go on.
 */
uint8_t tunnel_receive(struct epc *epc, struct pkt *p, uint8_t at, enum cell_tunnel *ret_kind);

/** tunnel_ingress() - a packet arrived at @enb */
void tunnel_ingress(struct epc *epc, uint8_t enb, struct pkt *p);

/** tunnel_uplink() - a packet of @ue leaves @enb for the S-GW */
void tunnel_uplink(struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p);

/** tunnel_expect() - @enb is going to serve @ue */
void tunnel_expect(struct epc *epc, uint8_t ue, uint8_t enb);

/** tunnel_set_up() - @ue starts again at @enb, to which nobody forwards */
void tunnel_set_up(struct epc *epc, uint8_t ue, uint8_t enb);

/** tunnel_forget() - @enb has nothing to do with @ue any more, and drops what it holds */
void tunnel_forget(struct epc *epc, uint8_t ue, uint8_t enb);

/**
 * tunnel_forward() - @from sends what it holds for @ue, and all that comes, to @to
 *
 * Return: nothing will come any more, and an End Marker went after the last packet.
 */
bool tunnel_forward(struct epc *epc, uint8_t ue, uint8_t from, uint8_t to, struct pkt_queue *held);

/** tunnel_forward_early() - @from goes on to serve @ue, and is going to send copies to @to. Source:
 * TS 38.300 9.2.3.2.2 */
void tunnel_forward_early(struct epc *epc, uint8_t ue, uint8_t from, uint8_t to);

/** tunnel_copy() - @p, a copy with its PDCP SN, goes to where @from forwards early */
void tunnel_copy(struct epc *epc, uint8_t ue, uint8_t from, struct pkt *p);

/** tunnel_end_marker() - another End Marker from @from to where it forwards for @ue */
void tunnel_end_marker(struct epc *epc, uint8_t ue, uint8_t from);

/** tunnel_arrived() - @ue is in its new cell: what waits there is sent */
void tunnel_arrived(struct epc *epc, uint8_t ue);

/** tunnel_return() - the path of @ue comes back to the eNB that serves it */
void tunnel_return(struct epc *epc, uint8_t ue);

/** tunnel_settled() - no end waits for an End Marker of @ue */
bool tunnel_settled(const struct epc *epc, uint8_t ue);

/** tunnel_next_ns() - when the first wait for an End Marker is over, or CELL_NEVER */
int64_t tunnel_next_ns(const struct epc *epc, uint8_t ue);

/** tunnel_expire() - no End Marker came in time */
void tunnel_expire(struct epc *epc, uint8_t ue);

#endif
