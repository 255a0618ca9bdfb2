/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc_ends.h - what a fuzzed RLC receiver lives on: PDUs of any bytes, and packets beside
 * them that end anywhere, each of which has to come out once.
 */
#ifndef CELLBED_FUZZ_RLC_ENDS_H
#define CELLBED_FUZZ_RLC_ENDS_H

#include <string.h>

#include "fuzz.h"
#include "rlc/common/reassembly.h"

#define ENDS_PKTS 16

struct rlc_ends {
	struct pkt pkt[ENDS_PKTS];
	struct pkt_queue free;
	uint32_t given; /* and not back yet */
};

static inline void ends_start(struct rlc_ends *e)
{
	*e = (struct rlc_ends){ 0 };
	for (int i = 0; i < ENDS_PKTS; i++)
		pkt_enqueue(&e->free, &e->pkt[i]);
}

/* Up to two packets that end in a PDU, at ascending offsets. */
static inline void ends_give(struct rlc_ends *e, struct fuzz_input *in, struct pkt_queue *ret)
{
	uint32_t n = fuzz_range(in, 0, 2);
	uint16_t at = 0;

	while (n-- > 0 && e->free.head) {
		struct pkt *p = pkt_dequeue(&e->free);

		pkt_reset(p);
		at = (uint16_t)(at + fuzz_range(in, 0, 60));
		p->end_offset = at;
		p->sdu_len = (uint16_t)FUZZ_PICK(in, 1, 2, 3, 10, 20, 40, 300, RLC_SDU_MAX);
		p->len = p->sdu_len > 2 ? (uint16_t)(p->sdu_len - 2) : p->sdu_len;
		pkt_enqueue(ret, p);
		e->given++;
	}
}

static inline void ends_back(struct rlc_ends *e, struct pkt_queue *from)
{
	FUZZ_CHECK(from->n <= e->given);
	e->given -= from->n;
	for (const struct pkt *p = from->head; p; p = p->next)
		FUZZ_CHECK(p->sdu_len <= RLC_SDU_MAX && pkt_sdu((struct pkt *)p) >= p->buf);
	pkt_queue_move(&e->free, from);
}

/* What the receiver put out; @held are those that it, or what stands for its peer, still has. */
static inline void ends_check(struct rlc_ends *e, struct rlc_out *out, uint32_t held)
{
	ends_back(e, &out->delivered);
	ends_back(e, &out->discarded);
	FUZZ_CHECK(e->given == held);
	*out = (struct rlc_out){ 0 };
}

#define SENT_PDUS 16

/* PDUs that a transmitter says it sent, and the packets that end in them. */
struct rlc_sent {
	struct rlc_pdu **slot; /* by SN, for the receiver to look in; the caller's */
	uint16_t sn[SENT_PDUS];
	uint32_t n;
};

static inline void sent_add(struct rlc_sent *s, struct rlc_ends *ends, struct rlc_pool *pool,
                            struct fuzz_input *in, uint16_t sn)
{
	if (s->slot[sn] || s->n == SENT_PDUS)
		return;
	s->slot[sn] = rlc_pool_get(pool);
	s->sn[s->n++] = sn;
	ends_give(ends, in, &s->slot[sn]->ends);
}

static inline void sent_forget(struct rlc_sent *s, struct rlc_ends *ends, struct rlc_pool *pool)
{
	while (s->n > 0) {
		struct rlc_pdu **slot = &s->slot[s->sn[--s->n]];

		ends_back(ends, &(*slot)->ends);
		rlc_pool_put(pool, *slot);
		*slot = NULL;
	}
}

/* Packets that no receiver has taken out. */
static inline uint32_t sent_held(const struct rlc_sent *s)
{
	uint32_t held = 0;

	for (uint32_t i = 0; i < s->n; i++)
		held += s->slot[s->sn[i]]->ends.n;
	return held;
}

/* A copy of its own size, so that whatever checks memory sees its end. */
static inline uint8_t *exact_copy(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	FUZZ_CHECK(copy);
	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}

/* @len is the lengths of one to four elements of a made-up PDU. Return: bytes of them all. */
static inline size_t fuzz_elements(struct fuzz_input *in, uint16_t *ret_n, uint16_t *len)
{
	size_t bytes = 0;

	*ret_n = (uint16_t)fuzz_range(in, 1, 4);
	for (uint16_t i = 0; i < *ret_n; i++)
		bytes += len[i] = (uint16_t)FUZZ_PICK(in, 1, 2, 3, 10, 20, 40);
	return bytes;
}

#endif
