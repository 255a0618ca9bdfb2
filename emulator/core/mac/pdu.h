/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - MAC PDUs on the air and in HARQ processes.
 *
 * `ends` are the packets of an RLC UM PDU, see rlc/pdu.h; AM keeps them where
 * the PDU is kept for retransmission.
 */
#ifndef PDU_H
#define PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pkt.h"
#include "mac/mac_pdu.h"
#include "phy/bler.h"

/* PDU_ABSENT: a grant that its UE missed; the block was never sent. */
enum pdu_outcome { PDU_DECODED, PDU_NACK, PDU_LOST, PDU_ABSENT };

/* An RLC PDU in a MAC PDU. */
struct pdu_sdu {
	uint32_t epoch;  /* of its bearer: what RLC sent before a re-establishment is void */
	uint32_t n_ends; /* packets of pdu.ends that are its own */
};

struct pdu {
	struct pdu *next;
	struct pkt_queue ends; /* in the order of its RLC PDUs */
	struct pdu_sdu sdu[MAC_SDUS_MAX];
	int64_t decode_ns;    /* when the receiver has it, or would have */
	uint32_t block;       /* its number in radio.trace; 0 = never sent as one */
	uint32_t first_tti;   /* sub-frame of its first transmission: its BSR is as of then */
	uint32_t subframe;    /* of its last transmission */
	uint32_t len;         /* TBS */
	uint32_t cell_change; /* of its UE: what was sent in another cell is void */
	uint8_t dir;          /* enum cell_dir */
	uint8_t ue;           /* UL, SL: sender; DL: receiver */
	uint8_t tb;           /* DL: carrier and codeword */
	uint8_t harq_id;
	uint8_t attempt; /* HARQ transmissions, from 1 */
	uint8_t outcome; /* enum pdu_outcome of the last one */
	bool nack_to_ack;
	bool dtx;              /* the UE missed the assignment of this attempt */
	struct bler_soft soft; /* with errors by SINR */
	uint8_t *buf;          /* phy_tbs(26, n_rb) bytes */
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

/* Memory of PDUs. Bytes of those given back stay valid until the next release: outputs name them.
 */
struct pdu_pool {
	struct pdu_queue free;
	struct pdu_queue limbo;
};

/** pdu_pool_init() - @n PDUs with @bytes each at @buf */
void pdu_pool_init(struct pdu_pool *pool, struct pdu *pdus, size_t n, uint8_t *buf, size_t bytes);

/** pdu_alloc() - a PDU without history; there has to be one */
struct pdu *pdu_alloc(struct pdu_pool *pool);

/** pdu_free() - @pdu, whose packets are elsewhere, goes back */
void pdu_free(struct pdu_pool *pool, struct pdu *pdu);

/** pdu_pool_release() - the bytes of what was given back are not needed any more */
void pdu_pool_release(struct pdu_pool *pool);

/** pdu_pool_has() - @n PDUs are free, or will not be more of them after a release */
static inline bool pdu_pool_has(const struct pdu_pool *pool, size_t n)
{
	return pool->free.n >= n || pool->limbo.n == 0;
}

#endif
