/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lch.h - the bearers of one direction as MAC sees them: logical channels that share its blocks. */
#ifndef NR_LCH_H
#define NR_LCH_H

#include "ran/nr/drb.h"

/** lch_bytes() - what the start of @leg could send now */
static inline uint32_t lch_bytes(const struct nr_leg *leg)
{
	uint32_t bytes = drb_bytes(&leg->drb[0]);

	for (uint8_t k = 1; k < leg->n_drbs; k++)
		bytes += drb_bytes(&leg->drb[k]);
	return bytes;
}

/** lch_packets() - SDUs that wait at the start of @leg */
static inline uint32_t lch_packets(const struct nr_leg *leg)
{
	uint32_t n = 0;

	for (uint8_t k = 0; k < leg->n_drbs; k++)
		n += leg->drb[k].rlc.queue->sdus.n;
	return n;
}

/** lch_head_ns() - since when the first SDU of @leg waits, CELL_NEVER when none does */
int64_t lch_head_ns(const struct nr_leg *leg);

/** lch_need() - bytes of a block that would take all that waits at the start of @leg */
uint32_t lch_need(const struct nr_leg *leg);

/** lch_fill() - RLC PDUs of @leg into the block that @b writes, which is @tb */
void lch_fill(struct nr *nr, struct nr_leg *leg, struct nr_pdu_builder *b, struct nr_tb *tb);

/** lch_classify() - the bearer of @leg that takes @p */
struct drb *lch_classify(const struct nr_leg *leg, struct pkt *p);

/** lch_set_order() - work out leg->order */
void lch_set_order(struct nr_leg *leg);

/** lch_first_timer() - whose timer expires first, and of several the first in their order */
struct drb *lch_first_timer(const struct nr_leg *leg);

/** lch_record_buffers() - add rows that tell what waits at the start of @leg */
void lch_record_buffers(struct nr *nr, const struct nr_leg *leg);

#endif
