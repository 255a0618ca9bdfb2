/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leg.h - the bearers of one direction together, as MAC sees them: logical channels. */
#ifndef LEG_H
#define LEG_H

#include "ran/lte/bearer.h"

/** leg_bytes() - what the start of @leg could send now */
static inline uint32_t leg_bytes(const struct lte *lte, const struct leg *leg)
{
	uint32_t bytes;

	if (lte->ue[leg->ue - 1].detached)
		return 0;
	bytes = bearer_bytes(&leg->bearer[0]);
	for (uint8_t k = 1; k < leg->n_bearers; k++)
		bytes += bearer_bytes(&leg->bearer[k]);
	return bytes;
}

/** leg_packets() - SDUs that wait at the start of @leg */
static inline uint32_t leg_packets(const struct leg *leg)
{
	uint32_t n = leg->bearer[0].rlc.queue->sdus.n;

	for (uint8_t k = 1; k < leg->n_bearers; k++)
		n += leg->bearer[k].rlc.queue->sdus.n;
	return n;
}

/** leg_head_ns() - since when the first SDU at the start of @leg waits, CELL_NEVER when none does
 */
static inline int64_t leg_head_ns(const struct leg *leg)
{
	int64_t first_ns = CELL_NEVER;

	for (uint8_t k = 0; k < leg->n_bearers; k++) {
		const struct pkt *head = leg->bearer[k].rlc.queue->sdus.head;

		if (head && head->queued_ns < first_ns)
			first_ns = head->queued_ns;
	}
	return first_ns;
}

/** leg_fits() - all of leg_bytes() fits @room bytes of a MAC PDU */
bool leg_fits(const struct leg *leg, uint32_t room);

/**
 * leg_fill() - build RLC PDUs for a MAC PDU of @tbs bytes into lte->rlc_buf
 * @mac: has its control elements; its SDUs are set
 * @pdu: gets the packets that end in it, and of which bearers its SDUs are
 */
void leg_fill(struct lte *lte, struct leg *leg, struct mac_pdu *mac, uint32_t tbs, struct pdu *pdu);

/** leg_bearer_of() - the bearer of @leg with that LCID */
struct bearer *leg_bearer_of(const struct leg *leg, uint8_t lcid);

/** leg_filter() - leg_classify() by the filters of several bearers */
struct bearer *leg_filter(const struct leg *leg, struct pkt *p);

/** leg_classify() - the bearer of @leg that takes @p */
static inline struct bearer *leg_classify(const struct leg *leg, struct pkt *p)
{
	return leg->n_bearers == 1 ? leg->bearer : leg_filter(leg, p);
}

/** leg_least() - bytes that a block has at least to hold any SDU beside what grants allow for
 * headers */
static inline uint32_t leg_least(void)
{
	return CELL_UE_MTU_MAX + grant_overhead(CELL_UE_MTU_MAX);
}

/** leg_set_order() - work out leg->order */
void leg_set_order(struct leg *leg);

/** leg_send() - a datagram enters @leg, by the bearer that takes it */
void leg_send(struct lte *lte, struct leg *leg, struct pkt *p);

/** leg_first_timer() - whose timer expires first, and of several the first in their order */
static inline struct bearer *leg_first_timer(const struct leg *leg)
{
	struct bearer *first = &leg->bearer[0];

	for (uint8_t k = 1; k < leg->n_bearers; k++)
		if (bearer_next_ns(&leg->bearer[k]) < bearer_next_ns(first))
			first = &leg->bearer[k];
	return first;
}

/** leg_discard_expired() - bearer_discard_expired() of all bearers */
static inline void leg_discard_expired(struct lte *lte, const struct leg *leg)
{
	for (uint8_t k = 0; k < leg->n_bearers; k++)
		if (leg->bearer[k].cfg.discard_timer_ms > 0)
			bearer_discard_expired(lte, &leg->bearer[k]);
}

/** leg_record_buffers() - add rows that tell what waits at the start of @leg */
void leg_record_buffers(struct lte *lte, const struct leg *leg);

/** leg_take_blocks() - packets of blocks of @leg on the air or in HARQ, to @ret */
void leg_take_blocks(struct lte *lte, const struct leg *leg, struct pkt_queue *ret);

/** leg_empty() - bearer_empty() of all bearers; with @air also what is on the air */
void leg_empty(struct lte *lte, struct leg *leg, bool air, struct pkt_queue *ret);

#endif
