/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out.h - what leaves the core: packets, PDUs, rows of radio.trace.
 *
 * All of it goes into the array that the caller of cell_advance() has brought, in the order in
 * which it happens and with the time of the event. Each packet that enters leaves by exactly one
 * of out_deliver(), out_drop() and base_pkt_terminate(), which count it. Of two copies of a packet
 * the first that is delivered is the packet, or the last that is dropped; the other one ends by
 * itself.
 */
#ifndef OUT_H
#define OUT_H

#include "base/cell.h"

/* Where something happens, as rows name it: a direction of a UE, or a bearer of it. */
struct out_at {
	uint8_t from; /* node where it starts */
	uint8_t to;
	uint8_t dir; /* enum cell_dir */
	uint8_t lcid;
	uint8_t enb; /* in whose cell it is */
};

/** out_record() - add a row of radio.trace for @at (may be NULL) at the event's time */
void out_record(struct cell *c, const struct out_at *at, struct cell_record r);

void out_pdu(struct cell *c, const uint8_t *data, uint32_t len, const struct cell_pdu_info *info);

/** out_deliver() - @p leaves the cell at @port */
void out_deliver(struct cell *c, struct pkt *p, uint8_t port);

/** out_drop() - @p is dropped, unless another copy of it is or was there; @at is where (may be
 * NULL)
 */
void out_drop(struct cell *c, struct pkt *p, const struct out_at *at, enum cell_drop reason);

/** out_drop_all() - out_drop() for a whole queue */
void out_drop_all(struct cell *c, struct pkt_queue *q, const struct out_at *at,
                  enum cell_drop reason);

/** out_port_is_enb() - @port is the tunnel end of an eNB */
static inline bool out_port_is_enb(uint8_t port)
{
	return port >= CELL_PORT_ENB(0) && port < CELL_PORT_ENB(CELL_MAX_ENB);
}

/** out_port_node() - where @port is: a UE's number, the S-GW, or an eNB */
static inline uint8_t out_port_node(uint8_t port)
{
	return port & CELL_PORT_NETWORK || out_port_is_enb(port) ? CELL_NODE_ENB : port;
}

#endif
