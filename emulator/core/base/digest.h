/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - hash of a state that decides what happens next, for tests; FNV-1a, byte by byte. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdint.h>

#include "base/pkt.h"

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

static inline void digest_mix(uint64_t *h, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		*h = (*h ^ (v >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
}

static inline void digest_mix_queue(uint64_t *h, const struct pkt_queue *q)
{
	digest_mix(h, q->n);
	for (const struct pkt *p = q->head; p; p = p->next)
		digest_mix(h, p->id);
}

#endif
