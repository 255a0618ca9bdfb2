/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bits.h - a bit for each of a window of numbers, as of sequence numbers: it moves over a ring.
 *
 * Bits are looked at in words, so that a window of 131072 costs what it holds; and they are cleared
 * when the window comes to them, so that the memory costs nothing before.
 */
#ifndef BITS_H
#define BITS_H

#include <stdbool.h>
#include <stdint.h>

struct bits {
	uint64_t *word; /* bits_words(), of any content */
	uint32_t size;  /* a power of two; numbers count modulo it */
};

static inline uint32_t bits_words(uint32_t size)
{
	return (size + 63) / 64;
}

static inline bool bits_get(struct bits b, uint32_t i)
{
	return b.word[i % b.size / 64] >> i % b.size % 64 & 1;
}

static inline void bits_set(struct bits b, uint32_t i)
{
	b.word[i % b.size / 64] |= UINT64_C(1) << i % b.size % 64;
}

/** bits_clear() - those of @n numbers from @from on */
void bits_clear(struct bits b, uint32_t from, uint32_t n);

/** bits_find() - how many of the @n bits from @from on are not @value before the first that is; @n
 * when none is */
uint32_t bits_find(struct bits b, bool value, uint32_t from, uint32_t n);

#endif
