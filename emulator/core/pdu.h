/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - MAC PDUs on the air and in reception buffers.
 *
 * Besides its bytes a PDU carries the packets whose last byte is in it
 * (`ends`, in order). The protocol never looks at that list: it exists so
 * that every packet is accounted for exactly once, whatever is lost.
 */
#ifndef PDU_H
#define PDU_H

#include <stdint.h>

#include "phy.h"
#include "pkt.h"

struct pdu {
	struct pdu *next;
	struct pkt_queue ends;
	int64_t decode_ns; /* when the receiver has it */
	uint32_t subframe; /* of its transmission */
	uint32_t len;      /* TBS */
	uint16_t rlc_off;  /* its RLC PDU, when rlc_len > 0 */
	uint16_t rlc_len;
	uint8_t lcid;
	uint8_t dir;  /* enum cell_dir */
	uint8_t ue;   /* UL, SL: sender; DL: receiver */
	uint8_t lost; /* never decoded */
	uint8_t *buf; /* phy_tbs(26, n_rb) bytes */
};

struct pdu_queue {
	struct pdu *head;
	struct pdu *tail;
	uint32_t n;
};

static inline void pdu_enqueue(struct pdu_queue *q, struct pdu *p)
{
	p->next = 0;
	if (q->tail)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
	q->n++;
}

static inline struct pdu *pdu_dequeue(struct pdu_queue *q)
{
	struct pdu *p = q->head;

	if (!p)
		return 0;
	q->head = p->next;
	if (!q->head)
		q->tail = 0;
	q->n--;
	p->next = 0;
	return p;
}

#endif
