/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - carves arrays from one block of memory, or only adds up how long it has to be. */
#ifndef ARENA_H
#define ARENA_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
	uint8_t *base; /* NULL: there is no memory, the sizes are added up */
	size_t used;
};

/** arena_take() - @n objects of @size bytes, aligned for any type; NULL without memory */
static inline void *arena_take(struct arena *a, size_t n, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t at = (a->used + align - 1) / align * align;

	a->used = at + n * size;
	return a->base ? a->base + at : NULL;
}

#endif
