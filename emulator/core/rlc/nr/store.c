/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store.c - SDUs that wait, SDUs that are kept, segments that wait; see nr.h and store.h. */
#include "rlc/nr/store.h"

#include <string.h>

#include "base/assert.h"

struct nr_store *nr_store_take(struct arena *a, uint32_t max_pkts)
{
	struct nr_store *store = arena_take(a, 1, sizeof(*store));
	struct nr_sdu *sdu = arena_take(a, max_pkts, sizeof(*sdu));
	struct nr_part *part = arena_take(a, max_pkts, sizeof(*part));
	struct pkt *spare = arena_take(a, max_pkts, sizeof(*spare));

	if (!store)
		return NULL;
	*store = (struct nr_store){
		.sdu = sdu,
		.part = part,
		.spare = spare,
		.n_sdus = max_pkts,
		.fresh_sdus = max_pkts,
		.fresh_parts = max_pkts,
	};
	return store;
}

struct nr_sdu *nr_sdu_get(struct nr_store *store)
{
	struct nr_sdu *sdu = store->free_sdus;
	struct pkt *spare;

	if (sdu) {
		store->free_sdus = sdu->next;
		spare = sdu->spare;
	} else if (store->fresh_sdus > 0) {
		sdu = &store->sdu[--store->fresh_sdus];
		spare = &store->spare[store->fresh_sdus];
	} else {
		return NULL;
	}
	store->n_sdus--;
	*sdu = (struct nr_sdu){ .spare = spare };
	return sdu;
}

void nr_sdu_put(struct nr_store *store, struct nr_sdu *sdu)
{
	if (!sdu->spare)
		sdu->spare = sdu->p;
	sdu->owner = NULL;
	sdu->next = store->free_sdus;
	store->free_sdus = sdu;
	store->n_sdus++;
}

struct pkt *nr_sdu_deliver(struct nr_sdu *sdu)
{
	struct pkt *p = sdu->spare;

	CELL_ASSERT(p);
	memcpy(p, sdu->p, offsetof(struct pkt, buf));
	p->next = NULL;
	if (p->twin)
		p->twin->twin = p;
	sdu->p->twin = NULL;
	sdu->spare = NULL;
	return p;
}

struct nr_part *nr_part_get(struct nr_store *store)
{
	struct nr_part *part = store->free_parts;

	if (part)
		store->free_parts = part->next;
	else if (store->fresh_parts > 0)
		part = &store->part[--store->fresh_parts];
	else
		return NULL;
	part->next = NULL;
	part->p = NULL;
	part->len = 0;
	part->ranges.n = 0;
	return part;
}

void nr_part_put(struct nr_store *store, struct nr_part *part)
{
	CELL_ASSERT(!part->p);
	part->next = store->free_parts;
	store->free_parts = part;
}

int64_t nr_discard_ns(const struct rlc_sdu_queue *q)
{
	const struct pkt *begun = rlc_sdu_queue_begun(q), *p = begun ? begun->next : q->sdus.head;

	return p && !p->control ? p->queued_ns : CELL_NEVER;
}

struct pkt *nr_discard(struct rlc_sdu_queue *q)
{
	return rlc_sdu_queue_remove(q, rlc_sdu_queue_begun(q));
}

struct pkt *nr_discard_count(struct rlc_sdu_queue *q, uint32_t count)
{
	struct pkt *before = rlc_sdu_queue_begun(q), *p = before ? before->next : q->sdus.head;

	for (; p && p->has_pdcp_sn && (int32_t)(p->count - count) <= 0; before = p, p = p->next)
		if (p->count == count)
			return rlc_sdu_queue_remove(q, before);
	return NULL;
}
