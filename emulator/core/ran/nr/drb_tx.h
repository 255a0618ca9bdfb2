/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drb_tx.h - what enters at the start of a data radio bearer: its queue, numbers, copies. */
#ifndef NR_DRB_TX_H
#define NR_DRB_TX_H

#include "ran/nr/state.h"

/** drb_of_lcid() - which of a UE's logical channels it is: those of its bearers, then the second
 * ones of those that have two */
static inline uint8_t drb_of_lcid(uint8_t lcid)
{
	uint8_t place = lcid < NR_LCID_DRB ? (uint8_t)(lcid + NR_LCID_LAST) : lcid;

	return (uint8_t)((place - NR_LCID_DRB) % CELL_MAX_BEARERS);
}

/** drb_qfi() - of the QoS flow of @b */
static inline uint8_t drb_qfi(const struct drb *b)
{
	return (uint8_t)(drb_of_lcid(b->pdcp->at.lcid) + 1);
}

/** drb_record_buffer() - add a row that tells what waits at the start of @b */
void drb_record_buffer(struct nr *nr, const struct drb *b);

/** drb_tx_init() - queue management of @b, with its @flow entries, and what its RLC asks before it
 * sends */
void drb_tx_init(struct nr *nr, struct drb *b, struct fq_flow *flow);

/** drb_send() - a datagram enters @b */
void drb_send(struct nr *nr, struct drb *b, struct pkt *p);

/**
 * drb_send_early() - a datagram enters @b, and is numbered now. Source: TS 38.300 9.2.3.2.2
 *
 * Return: a copy for the target of its handover, outside a bearer, with its SN; NULL: it was
 * dropped.
 */
struct pkt *drb_send_early(struct nr *nr, struct drb *b, struct pkt *p);

/** drb_copy() - another packet like @p, which is an SDU; NULL when there is no memory for it */
struct pkt *drb_copy(struct nr *nr, struct pkt *p);

/** drb_hand_out() - @p of @b, which has a COUNT, is a packet outside a bearer with that SN */
void drb_hand_out(const struct drb *b, struct pkt *p);

/** drb_enqueue() - @p, an SDU of known size, waits in the buffer of @b's RLC, full or not */
void drb_enqueue(struct nr *nr, struct drb *b, struct pkt *p);

/** drb_drop_confirmed() - what waits at the start of @b, but by a status report the receiver has */
void drb_drop_confirmed(struct nr *nr, struct drb *b);

/** drb_channel_bytes() - what the carrier transmits in so long at the channel's rate of now, shared
 * with nobody */
uint64_t drb_channel_bytes(const struct nr *nr, const struct drb *b, int64_t time_ns);

/** drb_flush() - drop SDUs of @b of which no byte was sent */
void drb_flush(struct nr *nr, struct drb *b);

/** drb_discard_expired() - drop SDUs of @b, which has a discardTimer, older than that */
void drb_discard_expired(struct nr *nr, struct drb *b);

/** drb_discard_ns() - when it next has something to drop, or CELL_NEVER */
int64_t drb_discard_ns(const struct drb *b);

#endif
