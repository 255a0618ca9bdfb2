/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tb.c - memory of transport blocks; see tb.h. */
#include "mac/common/tb.h"

#include "base/assert.h"

void tb_pool_init(struct tb_pool *pool, struct tb *blocks, size_t n, uint8_t *buf, size_t bytes)
{
	*pool = (struct tb_pool){ 0 };
	for (size_t i = 0; i < n; i++) {
		blocks[i] = (struct tb){ .buf = buf + i * bytes };
		tb_enqueue(&pool->free, &blocks[i]);
	}
}

struct tb *tb_alloc(struct tb_pool *pool)
{
	struct tb *tb = tb_dequeue(&pool->free);

	CELL_ASSERT(tb); /* there are enough for the worst case */
	tb->ends = (struct pkt_queue){ 0 };
	tb->block = 0;
	tb->attempt = 0;
	tb->nack_to_ack = tb->ack_to_nack = tb->delivered = false;
	tb->dtx = false;
	tb->soft = (struct bler_soft){ 0 };
	return tb;
}

void tb_free(struct tb_pool *pool, struct tb *tb)
{
	CELL_ASSERT(!tb->ends.head);
	tb_enqueue(&pool->limbo, tb);
}

void tb_pool_release(struct tb_pool *pool)
{
	struct tb *tb;

	while ((tb = tb_dequeue(&pool->limbo)))
		tb_enqueue(&pool->free, tb);
}
