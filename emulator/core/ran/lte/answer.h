/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.h - an eNB's answers to preambles. */
#ifndef ANSWER_H
#define ANSWER_H

#include "ran/lte/state.h"

/* RBs of one direction and sub-frame while they are being given away. */
struct rb_budget {
	uint16_t next;
	uint16_t free;
};

/** rb_reserve() - the next @n_rb of @rb are taken */
static inline void rb_reserve(struct rb_budget *rb, uint16_t n_rb)
{
	rb->next = (uint16_t)(rb->next + n_rb);
	rb->free = (uint16_t)(rb->free - n_rb);
}

/** answer_ul_taken() - UE @u may not get another grant on @carrier for sub-frame @tti */
bool answer_ul_taken(const struct lte *lte, const struct ue *u, uint8_t carrier, uint32_t tti);

/** answer_preambles() - those that are due in sub-frame @tti in the cell of @enb; @rb: of message 3
 */
void answer_preambles(struct lte *lte, struct enb *enb, uint32_t tti, struct rb_budget *rb);

#endif
