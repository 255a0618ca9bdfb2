/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lch.h - the bearers of one direction as MAC sees them: logical channels that share its blocks. */
#ifndef NR_LCH_H
#define NR_LCH_H

#include "ran/nr/drb.h"

/** nr_lch_bytes() - what the start of @sch could send now */
static inline uint32_t nr_lch_bytes(const struct nr_sch *sch)
{
	uint32_t bytes = drb_bytes(&sch->drb[0]);

	for (uint8_t k = 1; k < sch->n_drbs; k++)
		bytes += drb_bytes(&sch->drb[k]);
	return bytes;
}

/** nr_lch_packets() - SDUs that wait at the start of @sch */
static inline uint32_t nr_lch_packets(const struct nr_sch *sch)
{
	uint32_t n = 0;

	for (uint8_t k = 0; k < sch->n_drbs; k++)
		n += drb_packets(&sch->drb[k]);
	return n;
}

/** nr_lch_head_ns() - since when the first SDU of @sch waits, CELL_NEVER when none does */
int64_t nr_lch_head_ns(const struct nr_sch *sch);

/** nr_lch_need() - bytes of a block that would take all that waits at the start of @sch */
uint32_t nr_lch_need(const struct nr_sch *sch);

/** nr_lch_need_of() - the same of @bytes of what waits of @b */
uint32_t nr_lch_need_of(const struct drb *b, uint32_t bytes);

/** nr_lch_fill() - RLC PDUs of @sch into the block that @b writes, which is @tb */
void nr_lch_fill(struct nr *nr, struct nr_sch *sch, struct nr_pdu_builder *b, struct nr_tb *tb);

/** nr_lch_classify() - the bearer of @sch that takes @p */
struct drb *nr_lch_classify(const struct nr_sch *sch, struct pkt *p);

/** nr_lch_set_order() - work out sch->order */
void nr_lch_set_order(struct nr_sch *sch);

/** nr_lch_first_timer() - whose timer expires first, and of several the first in their order */
struct drb *nr_lch_first_timer(const struct nr_sch *sch);

/** nr_lch_record_buffers() - add rows that tell what waits at the start of @sch */
void nr_lch_record_buffers(struct nr *nr, const struct nr_sch *sch);

/** nr_lch_granted() - of what UE @u told of each bearer, the gNB has granted @bytes */
void nr_lch_granted(struct nr_ue *u, uint32_t bytes);

#endif
