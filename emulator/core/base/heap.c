/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap.c - which of a fixed number of things is due first; see heap.h. */
#include "base/heap.h"

#include <stdbool.h>
#include <string.h>

struct heap heap_take(struct arena *a, uint32_t ids)
{
	struct heap h = { 0 };

	h.entry = arena_take(a, ids, sizeof(*h.entry));
	h.place = arena_take(a, ids, sizeof(*h.place));
	return h;
}

void heap_init(struct heap *h, uint32_t ids)
{
	h->n = 0;
	memset(h->place, 0, ids * sizeof(*h->place));
}

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->id < b->id;
}

static void put(struct heap *h, uint32_t at, struct heap_entry e)
{
	h->entry[at] = e;
	h->place[e.id] = at + 1;
}

/* @e goes to the place @at, or as far up or down from there as its time wants. */
static void settle(struct heap *h, uint32_t at, struct heap_entry e)
{
	for (; at > 0 && before(&e, &h->entry[(at - 1) / 2]); at = (at - 1) / 2)
		put(h, at, h->entry[(at - 1) / 2]);
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < h->n && before(&h->entry[child + 1], &h->entry[child]))
			child++;
		if (child >= h->n || !before(&h->entry[child], &e))
			break;
		put(h, at, h->entry[child]);
		at = child;
	}
	put(h, at, e);
}

void heap_set(struct heap *h, uint32_t id, int64_t t_ns)
{
	const struct heap_entry e = { .t_ns = t_ns, .id = id };
	uint32_t place = h->place[id];

	if (place > 0 && t_ns != CELL_NEVER) {
		if (h->entry[place - 1].t_ns != t_ns)
			settle(h, place - 1, e);
	} else if (place > 0) {
		h->place[id] = 0;
		if (place < h->n--)
			settle(h, place - 1, h->entry[h->n]);
	} else if (t_ns != CELL_NEVER) {
		settle(h, h->n++, e);
	}
}
