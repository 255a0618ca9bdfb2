/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nr_store.h - the memory of fuzzed entities of NR's RLC. */
#ifndef CELLBED_FUZZ_NR_STORE_H
#define CELLBED_FUZZ_NR_STORE_H

#include "fuzz.h"
#include "rlc/nr/store.h"

#define STORED 24

/* A store for STORED SDUs, none of them in use; what was in it before is forgotten. */
static inline struct nr_store *store_start(void)
{
	static uint8_t memory[STORED * (sizeof(struct nr_sdu) + sizeof(struct nr_part) +
	                                sizeof(struct pkt)) +
	                      1000] __attribute__((aligned(16)));
	struct arena a = { .base = memory };

	return nr_store_take(&a, STORED);
}

static inline uint32_t store_parts(const struct nr_store *store)
{
	uint32_t n = store->fresh_parts;

	for (const struct nr_part *part = store->free_parts; part; part = part->next)
		n++;
	return n;
}

#endif
