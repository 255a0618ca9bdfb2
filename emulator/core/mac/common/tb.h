/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tb.h - transport blocks on the air and in HARQ processes, of LTE and of the UTRAN.
 *
 * `ends` are the packets of an RLC UM PDU, see rlc/common/pdu.h; AM keeps them where
 * the PDU is kept for retransmission.
 */
#ifndef MAC_TB_H
#define MAC_TB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pkt.h"
#include "phy/common/soft.h"

#define TB_SDUS_MAX 8 /* RLC PDUs */

/* TB_ABSENT: a grant that its UE missed; the block was never sent. */
enum tb_outcome { TB_DECODED, TB_NACK, TB_LOST, TB_ABSENT };

/* An RLC PDU in a block. */
struct tb_sdu {
	uint32_t epoch;  /* of its bearer: what RLC sent before a re-establishment is void */
	uint32_t n_ends; /* packets of tb.ends that are its own */
};

struct tb {
	struct tb *next;
	struct pkt_queue ends; /* in the order of its RLC PDUs */
	struct tb_sdu sdu[TB_SDUS_MAX];
	int64_t decode_ns;    /* when the receiver has it, or would have */
	uint32_t block;       /* its number in radio.trace; 0 = never sent as one */
	uint32_t first_tti;   /* sub-frame of its first transmission: its BSR is as of then */
	uint32_t subframe;    /* of its last transmission */
	uint32_t len;         /* TBS */
	uint32_t cell_change; /* of its UE: what was sent in another cell is void */
	uint8_t dir;          /* enum cell_dir */
	uint8_t ue;           /* UL, SL: sender; DL: receiver */
	uint8_t stream;       /* DL: carrier and codeword; UL: carrier */
	uint8_t harq_id;
	uint8_t attempt; /* HARQ transmissions, from 1 */
	uint8_t outcome; /* enum tb_outcome of the last one */
	bool nack_to_ack;
	bool ack_to_nack;      /* DL: decoded, and sent again nevertheless */
	bool acked;            /* what the eNB hears of this attempt, without a misread ACK */
	bool delivered;        /* by an earlier attempt: what comes now is thrown away */
	bool dtx;              /* the UE missed the assignment of this attempt */
	struct bler_soft soft; /* with errors by SINR */
	uint8_t *buf;          /* phy_tbs(26, n_rb) bytes */
};

struct tb_queue {
	struct tb *head;
	struct tb *tail;
	uint32_t n;
};

static inline void tb_enqueue(struct tb_queue *q, struct tb *p)
{
	p->next = 0;
	if (q->tail)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
	q->n++;
}

static inline struct tb *tb_dequeue(struct tb_queue *q)
{
	struct tb *p = q->head;

	if (!p)
		return 0;
	q->head = p->next;
	if (!q->head)
		q->tail = 0;
	q->n--;
	p->next = 0;
	return p;
}

/* Memory of blocks. Bytes of those given back stay valid until the next release: outputs name them.
 */
struct tb_pool {
	struct tb_queue free;
	struct tb_queue limbo;
};

/** tb_pool_init() - @n blocks with @bytes each at @buf */
void tb_pool_init(struct tb_pool *pool, struct tb *blocks, size_t n, uint8_t *buf, size_t bytes);

/** tb_alloc() - a block without history; there has to be one */
struct tb *tb_alloc(struct tb_pool *pool);

/** tb_free() - @tb, whose packets are elsewhere, goes back */
void tb_free(struct tb_pool *pool, struct tb *tb);

/** tb_pool_release() - the bytes of what was given back are not needed any more */
void tb_pool_release(struct tb_pool *pool);

/** tb_pool_has() - @n blocks are free, or will not be more of them after a release */
static inline bool tb_pool_has(const struct tb_pool *pool, size_t n)
{
	return pool->free.n >= n || pool->limbo.n == 0;
}

#endif
