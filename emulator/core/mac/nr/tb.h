/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tb.h - transport blocks, on the air and in HARQ processes, and their memory.
 *
 * A block may have thousands of RLC PDUs, as one of a hundred megahertz has 160 kB. What they
 * bring besides bytes is kept apart: `ends` are the packets whose last bytes are in it, unless the
 * mode of RLC keeps them, and a bit for each RLC PDU says whether one of them is its own. Blocks
 * given back are used first, so that memory that was never needed is never touched.
 */
#ifndef NR_TB_H
#define NR_TB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/pkt.h"
#include "phy/nr/bler.h"

#define NR_TB_SDUS_MAX 4096 /* what a block has room for beyond is padding */

/* What a block is; `aux` of mac_tx rows. */
enum nr_tb_kind { NR_TB_DATA, NR_TB_MSG3, NR_TB_CONFIGURED, NR_TB_MSGA };

enum nr_outcome { NR_DECODED, NR_NACK, NR_LOST };

struct nr_tb {
	struct nr_tb *next;
	struct pkt_queue ends;                 /* in the order of its RLC PDUs */
	uint64_t has_end[NR_TB_SDUS_MAX / 64]; /* by RLC PDU; as many as n_sdus say are valid */
	uint32_t n_sdus;                       /* RLC PDUs */
	uint32_t epoch[CELL_MAX_BEARERS];      /* of each bearer, when it was built */
	int64_t decode_ns;                     /* when the receiver has it, or would have */
	uint32_t block;                        /* its number in radio.trace */
	uint32_t first_slot;                   /* of its first transmission: BSRs are as of then */
	uint32_t slot;                         /* of its last transmission */
	uint32_t bytes;
	uint8_t dir; /* enum cell_dir */
	uint8_t ue;
	uint8_t harq_id;
	uint8_t kind;    /* enum nr_tb_kind */
	uint8_t attempt; /* HARQ transmissions, from 1 */
	uint8_t outcome; /* enum nr_outcome of the last one */
	bool nack_to_ack;
	bool ack_to_nack;      /* DL: decoded, and sent again nevertheless */
	bool delivered;        /* by an earlier attempt: what comes now is thrown away */
	struct bler_soft soft; /* with errors by SINR */
	uint8_t *buf;
};

struct nr_tb_queue {
	struct nr_tb *head;
	struct nr_tb *tail;
};

struct nr_tb_pool {
	struct nr_tb *free;  /* the last one given back first */
	struct nr_tb *limbo; /* their bytes are valid until the next release: outputs name them */
	struct nr_tb *fresh; /* @n_fresh, never used */
	uint8_t *fresh_buf;
	size_t bytes; /* of each block, at most */
	uint32_t n_fresh;
	uint32_t n;    /* in all */
	uint32_t used; /* neither free nor in limbo */
	uint32_t n_limbo;
};

/** nr_tb_take() - memory for @n blocks of @bytes; without memory only sizes are added up */
struct nr_tb_pool nr_tb_take(struct arena *a, uint32_t n, size_t bytes);

/** nr_tb_alloc() - a block without history; there has to be one, see nr_tb_room() */
struct nr_tb *nr_tb_alloc(struct nr_tb_pool *pool);

/** nr_tb_free() - @tb, whose packets are elsewhere, goes back */
void nr_tb_free(struct nr_tb_pool *pool, struct nr_tb *tb);

/** nr_tb_release() - the bytes of what was given back are not needed any more */
void nr_tb_release(struct nr_tb_pool *pool);

/** nr_tb_add_sdu() - another RLC PDU, with @n_ends packets of tb->ends: 0 or 1 */
void nr_tb_add_sdu(struct nr_tb *tb, uint32_t n_ends);

static inline bool nr_tb_sdu_ends(const struct nr_tb *tb, uint32_t i)
{
	return tb->has_end[i / 64] >> i % 64 & 1;
}

static inline void nr_tb_enqueue(struct nr_tb_queue *q, struct nr_tb *tb)
{
	tb->next = NULL;
	if (q->tail)
		q->tail->next = tb;
	else
		q->head = tb;
	q->tail = tb;
}

static inline struct nr_tb *nr_tb_dequeue(struct nr_tb_queue *q)
{
	struct nr_tb *tb = q->head;

	if (!tb)
		return NULL;
	q->head = tb->next;
	if (!q->head)
		q->tail = NULL;
	tb->next = NULL;
	return tb;
}

#endif
