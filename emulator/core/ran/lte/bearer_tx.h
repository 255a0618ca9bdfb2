/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bearer_tx.h - what enters at the start of a radio bearer, and waits there. */
#ifndef LTE_BEARER_TX_H
#define LTE_BEARER_TX_H

#include "ran/lte/state.h"

/** bearer_init_queue() - queue management of @b, whose RLC is there, with its @flow entries */
void bearer_init_queue(struct lte *lte, struct bearer *b, struct fq_flow *flow);

/** bearer_send() - a datagram enters @b; one that has a PDCP SN keeps it */
void bearer_send(struct lte *lte, struct bearer *b, struct pkt *p);

/** bearer_has_pdcp() - its PDCP is here, and not in a network that this is a part of */
static inline bool bearer_has_pdcp(const struct bearer *b)
{
	return !b->rlc.cell->above;
}

/** bearer_numbers_at_once() - PDCP numbers what enters; otherwise what RLC begins to send */
static inline bool bearer_numbers_at_once(const struct bearer *b)
{
	return b->aqm.cfg.kind == CELL_AQM_NONE;
}

/** bearer_record_buffer() - add a row that tells what waits at the start of @b */
void bearer_record_buffer(struct lte *lte, const struct bearer *b);

/** bearer_flush() - drop SDUs of @b of which no byte was sent */
void bearer_flush(struct lte *lte, struct bearer *b);

/** bearer_discard_expired() - drop SDUs of @b, which has a discardTimer, older than that */
void bearer_discard_expired(struct lte *lte, struct bearer *b);

/** bearer_discard_tti() - first sub-frame from @from in which it has something to drop */
uint32_t bearer_discard_tti(const struct lte *lte, const struct bearer *b, uint32_t from);

#endif
