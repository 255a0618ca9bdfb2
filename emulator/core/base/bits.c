/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bits.c - a ring of bits; see bits.h. */
#include "base/bits.h"

/* Bits from @i on that are in one word, at most @n. */
static uint32_t in_word(struct bits b, uint32_t i, uint32_t n)
{
	uint32_t at = i % b.size, left = 64 - at % 64;

	left = b.size - at < left ? b.size - at : left;
	return n < left ? n : left;
}

void bits_clear(struct bits b, uint32_t from, uint32_t n)
{
	while (n > 0) {
		uint32_t k = in_word(b, from, n);
		uint64_t mask = k == 64 ? UINT64_MAX : (UINT64_C(1) << k) - 1;

		b.word[from % b.size / 64] &= ~(mask << from % b.size % 64);
		from += k;
		n -= k;
	}
}

uint32_t bits_find(struct bits b, bool value, uint32_t from, uint32_t n)
{
	uint32_t seen = 0;

	while (seen < n) {
		uint32_t i = from + seen, k = in_word(b, i, n - seen);
		uint64_t word = b.word[i % b.size / 64];

		word = (value ? word : ~word) >> i % b.size % 64;
		if (word != 0 && (uint32_t)__builtin_ctzll(word) < k)
			return seen + (uint32_t)__builtin_ctzll(word);
		seen += k;
	}
	return n;
}
