/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tb.c - transport blocks and their memory; see tb.h. */
#include "mac/nr/tb.h"

#include "base/assert.h"

struct nr_tb_pool nr_tb_take(struct arena *a, uint32_t n, size_t bytes)
{
	return (struct nr_tb_pool){
		.fresh = arena_take(a, n, sizeof(struct nr_tb)),
		.fresh_buf = arena_take(a, n, bytes),
		.bytes = bytes,
		.n_fresh = n,
		.n = n,
	};
}

static struct nr_tb *fresh(struct nr_tb_pool *pool)
{
	struct nr_tb *tb;

	CELL_ASSERT(pool->n_fresh > 0); /* there are enough for the worst case */
	tb = &pool->fresh[--pool->n_fresh];
	tb->buf = pool->fresh_buf + pool->n_fresh * pool->bytes;
	return tb;
}

struct nr_tb *nr_tb_alloc(struct nr_tb_pool *pool)
{
	struct nr_tb *tb = pool->free;

	if (tb)
		pool->free = tb->next;
	else
		tb = fresh(pool);
	pool->used++;
	tb->next = NULL;
	tb->ends = (struct pkt_queue){ 0 };
	tb->n_sdus = 0;
	tb->block = 0;
	tb->attempt = 0;
	tb->nack_to_ack = tb->ack_to_nack = tb->delivered = false;
	tb->soft = (struct bler_soft){ 0 };
	return tb;
}

void nr_tb_free(struct nr_tb_pool *pool, struct nr_tb *tb)
{
	CELL_ASSERT(!tb->ends.head);
	pool->used--;
	pool->n_limbo++;
	tb->next = pool->limbo;
	pool->limbo = tb;
}

void nr_tb_release(struct nr_tb_pool *pool)
{
	while (pool->limbo) {
		struct nr_tb *tb = pool->limbo;

		pool->limbo = tb->next;
		tb->next = pool->free;
		pool->free = tb;
	}
	pool->n_limbo = 0;
}

void nr_tb_add_sdu(struct nr_tb *tb, uint32_t n_ends)
{
	uint64_t *word = &tb->has_end[tb->n_sdus / 64], bit = UINT64_C(1) << tb->n_sdus % 64;

	CELL_ASSERT(n_ends <= 1 && tb->n_sdus < NR_TB_SDUS_MAX);
	*word = n_ends ? *word | bit : *word & ~bit;
	tb->n_sdus++;
}
