/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h - which of a fixed number of things is due first.
 *
 * A binary heap over numbers 0..n - 1, each at most once in it, with a time (of any unit). Of
 * several at one time the lowest number is first, whatever the order in which they were set: so
 * what happens next does not depend on how the heap came about. A change costs O(log n).
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdint.h>

#include "base/arena.h"
#include "cellcore.h"

struct heap_entry {
	int64_t t_ns;
	uint32_t id;
};

struct heap {
	struct heap_entry *entry; /* @n */
	uint32_t *place;          /* of every number: index in @entry and 1, or 0 */
	uint32_t n;
};

/** heap_take() - memory for numbers below @ids; NULLs without memory */
struct heap heap_take(struct arena *a, uint32_t ids);

/** heap_init() - nothing is due */
void heap_init(struct heap *h, uint32_t ids);

/** heap_set() - @id is due at @t_ns from now on; CELL_NEVER takes it out */
void heap_set(struct heap *h, uint32_t id, int64_t t_ns);

/** heap_first() - what is due first; its time is CELL_NEVER when nothing is */
static inline struct heap_entry heap_first(const struct heap *h)
{
	return h->n > 0 ? h->entry[0] : (struct heap_entry){ .t_ns = CELL_NEVER };
}

#endif
