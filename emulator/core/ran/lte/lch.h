/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lch.h - logical channels: the bearers of one direction as MAC sees them. */
#ifndef LTE_LCH_H
#define LTE_LCH_H

#include "ran/lte/bearer.h"

/** lte_lch_bytes() - what the start of @sch could send now */
static inline uint32_t lte_lch_bytes(const struct lte *lte, const struct lte_sch *sch)
{
	uint32_t bytes;

	if (lte->ue[sch->ue - 1].detached)
		return 0;
	bytes = bearer_bytes(&sch->bearer[0]);
	for (uint8_t k = 1; k < sch->n_bearers; k++)
		bytes += bearer_bytes(&sch->bearer[k]);
	return bytes;
}

/** lte_lch_packets() - SDUs that wait at the start of @sch */
static inline uint32_t lte_lch_packets(const struct lte_sch *sch)
{
	uint32_t n = sch->bearer[0].rlc.queue->sdus.n;

	for (uint8_t k = 1; k < sch->n_bearers; k++)
		n += sch->bearer[k].rlc.queue->sdus.n;
	return n;
}

/** lte_lch_head_ns() - since when the first SDU at the start of @sch waits, CELL_NEVER when none
 * does
 */
static inline int64_t lte_lch_head_ns(const struct lte_sch *sch)
{
	int64_t first_ns = CELL_NEVER;

	for (uint8_t k = 0; k < sch->n_bearers; k++) {
		const struct pkt *head = sch->bearer[k].rlc.queue->sdus.head;

		if (head && head->queued_ns < first_ns)
			first_ns = head->queued_ns;
	}
	return first_ns;
}

/** lte_lch_fits() - all of lte_lch_bytes() fits @room bytes of a MAC PDU */
bool lte_lch_fits(const struct lte_sch *sch, uint32_t room);

/**
 * lte_lch_fill() - build RLC PDUs for a MAC PDU of @tbs bytes into lte->rlc_buf
 * @mac: has its control elements; its SDUs are set
 * @tb: gets the packets that end in it, and of which bearers its SDUs are
 */
void lte_lch_fill(struct lte *lte, struct lte_sch *sch, struct mac_pdu *mac, uint32_t tbs,
                  struct tb *tb);

/** lte_lch_bearer_of() - the bearer of @sch with that LCID */
struct bearer *lte_lch_bearer_of(const struct lte_sch *sch, uint8_t lcid);

/** lte_lch_filter() - lte_lch_classify() by the filters of several bearers */
struct bearer *lte_lch_filter(const struct lte_sch *sch, struct pkt *p);

/** lte_lch_classify() - the bearer of @sch that takes @p */
static inline struct bearer *lte_lch_classify(const struct lte_sch *sch, struct pkt *p)
{
	return sch->n_bearers == 1 ? sch->bearer : lte_lch_filter(sch, p);
}

/** lte_lch_least() - bytes that a block has at least to hold any SDU beside what grants allow for
 * headers */
static inline uint32_t lte_lch_least(void)
{
	return CELL_UE_MTU_MAX + grant_overhead(CELL_UE_MTU_MAX);
}

/** lte_lch_set_order() - work out sch->order */
void lte_lch_set_order(struct lte_sch *sch);

/** lte_lch_send() - a datagram enters @sch, by the bearer that takes it */
void lte_lch_send(struct lte *lte, struct lte_sch *sch, struct pkt *p);

/** lte_lch_first_timer() - whose timer expires first, and of several the first in their order */
static inline struct bearer *lte_lch_first_timer(const struct lte_sch *sch)
{
	struct bearer *first = &sch->bearer[0];

	for (uint8_t k = 1; k < sch->n_bearers; k++)
		if (bearer_next_ns(&sch->bearer[k]) < bearer_next_ns(first))
			first = &sch->bearer[k];
	return first;
}

/** lte_lch_flush() - bearer_flush() of all bearers */
static inline void lte_lch_flush(struct lte *lte, const struct lte_sch *sch)
{
	for (uint8_t k = 0; k < sch->n_bearers; k++)
		bearer_flush(lte, &sch->bearer[k]);
}

/** lte_lch_discard_expired() - bearer_discard_expired() of all bearers */
static inline void lte_lch_discard_expired(struct lte *lte, const struct lte_sch *sch)
{
	for (uint8_t k = 0; k < sch->n_bearers; k++)
		if (sch->bearer[k].cfg.pdcp.discard_timer_ms > 0)
			bearer_discard_expired(lte, &sch->bearer[k]);
}

/** lte_lch_record_buffers() - add rows that tell what waits at the start of @sch */
void lte_lch_record_buffers(struct lte *lte, const struct lte_sch *sch);

/** lte_lch_take_blocks() - packets of blocks of @sch on the air or in HARQ, to @ret */
void lte_lch_take_blocks(struct lte *lte, const struct lte_sch *sch, struct pkt_queue *ret);

/** lte_lch_empty() - bearer_empty() of all bearers; with @air also what is on the air */
void lte_lch_empty(struct lte *lte, struct lte_sch *sch, bool air, struct pkt_queue *ret);

#endif
