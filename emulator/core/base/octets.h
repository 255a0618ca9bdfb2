/* SPDX-License-Identifier: GPL-2.0-or-later */
/* octets.h - numbers as packets have them: in network byte order, at any address. */
#ifndef OCTETS_H
#define OCTETS_H

#include <stdint.h>

static inline uint16_t get16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t get32(const uint8_t *b)
{
	return (uint32_t)get16(b) << 16 | get16(b + 2);
}

/** put16() - the lower 16 bits of @v */
static inline void put16(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 8);
	b[1] = (uint8_t)v;
}

static inline void put32(uint8_t *b, uint32_t v)
{
	put16(b, v >> 16);
	put16(b + 2, v);
}

#endif
