/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nr_store.h - memory of NR's RLC for tests, and packets whose bytes tell which they are. */
#ifndef NR_STORE_H
#define NR_STORE_H

#include "unit.h"

#include "rlc/nr/store.h"

#define PKTS   5000
#define STORED 4200 /* SDUs kept at once */

static struct pkt pkt[PKTS];
static struct nr_store *store;

static inline void setup_store(uint32_t n)
{
	static uint8_t memory[STORED * (sizeof(struct nr_sdu) + sizeof(struct nr_part) +
	                                sizeof(struct pkt)) +
	                      1000] __attribute__((aligned(16)));
	struct arena a = { .base = memory };

	store = nr_store_take(&a, n);
	assert_true(a.used <= sizeof(memory));
}

static inline uint8_t byte_of(uint32_t i, uint32_t at)
{
	return (uint8_t)(i * 37 + at);
}

/* Packet @i, an SDU of @len bytes. */
static inline struct pkt *make_pkt(uint32_t i, uint16_t len)
{
	pkt_reset(&pkt[i]);
	pkt[i].id = i;
	pkt[i].len = pkt[i].sdu_len = len;
	for (uint16_t k = 0; k < len; k++)
		pkt_sdu(&pkt[i])[k] = byte_of(i, k);
	return &pkt[i];
}

/* The next SDU delivered is @id, with its bytes. */
static inline void expect_sdu(struct pkt_queue *delivered, uint32_t id)
{
	struct pkt *p = pkt_dequeue(delivered);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	for (uint16_t k = 0; k < p->sdu_len; k++)
		assert_int_equal(pkt_sdu(p)[k], byte_of(id, k));
}

#endif
