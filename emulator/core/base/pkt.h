/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pkt.h - packets inside the cell.
 *
 * A packet is one IP datagram on its way. It has exactly one owner at any
 * time: the free list, the arrival queue, an RLC transmission queue, the PDU
 * that carries its last byte, PDCP reordering, or the limbo list of packets that were
 * output and whose bytes stay valid until the caller's next call.
 *
 * Bytes travel for real: RLC copies them into PDUs and the receiver
 * reassembles them from PDUs into the buffer again, so a segmentation error
 * corrupts the packet as it would in a real stack.
 */
#ifndef PKT_H
#define PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define PKT_HEADROOM 72 /* bytes: headers of a tunnel (epc/gtpu.h); a PDCP header is shorter */

struct pkt {
	struct pkt *next;
	struct pkt *twin; /* the other copy of the same datagram, as long as both are here */
	uint64_t tag;
	int64_t arrival_ns; /* at the port */
	int64_t queued_ns;  /* at the PDCP entity that holds it */
	uint32_t id;
	uint16_t len;        /* IP datagram */
	uint16_t sdu_len;    /* PDCP PDU = RLC SDU; 0 outside a bearer */
	uint16_t end_offset; /* in the data field of the RLC PDU with its last byte */
	uint32_t count;      /* PDCP COUNT, once it has one */
	uint32_t pdcp_sn;    /* it has already, given by another base station */
	int16_t shift;       /* of the datagram's start: tunnel headers put in front or taken off */
	bool has_pdcp_sn;
	bool end_marker; /* of a tunnel: no datagram */
	bool control;    /* of PDCP: no datagram */
	bool spent;      /* the other copy was delivered: this one is no packet any more */
	bool l4s;        /* in a queue with an AQM: it is for the low latency queue */
	bool decided;    /* likewise, of LTE: it was decided on, and has its PDCP SN */
	uint16_t flow;   /* likewise, of FQ-CoDel: number of its queue, from 1 */
	bool past_train; /* of a recorded link: it meets the busy link, see ran/recorded/train.h */
	uint8_t port;    /* it came from */
	uint8_t buf[PKT_HEADROOM + CELL_MTU_MAX];
};

/** pkt_reset() - a packet without history; its bytes stay */
void pkt_reset(struct pkt *p);

/* IP datagram in the packet's buffer. */
static inline uint8_t *pkt_data(struct pkt *p)
{
	return p->buf + PKT_HEADROOM + p->shift;
}

/* RLC SDU: the IP datagram with its PDCP header in front. */
static inline uint8_t *pkt_sdu(struct pkt *p)
{
	return pkt_data(p) + p->len - p->sdu_len;
}

struct pkt_queue {
	struct pkt *head;
	struct pkt *tail;
	uint32_t n;
};

void pkt_enqueue(struct pkt_queue *q, struct pkt *p);
struct pkt *pkt_dequeue(struct pkt_queue *q); /* NULL when empty */

/** pkt_queue_insert() - put @p behind @before, or first for NULL */
void pkt_queue_insert(struct pkt_queue *q, struct pkt *before, struct pkt *p);

/** pkt_queue_remove() - take out the packet after @before, or the first one for NULL */
struct pkt *pkt_queue_remove(struct pkt_queue *q, struct pkt *before);

/** pkt_queue_move() - append all of @from to @to; @from is empty afterwards */
void pkt_queue_move(struct pkt_queue *to, struct pkt_queue *from);

#endif
