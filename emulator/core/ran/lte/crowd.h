/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crowd.h - modelled UEs that only load the scheduler, beside those with packets. */
#ifndef CROWD_H
#define CROWD_H

#include "ran/lte/answer.h"
#include "ran/lte/state.h"

/** crowd_take() - memory for the crowds of all cells, NULLs without memory, or without a crowd */
struct crowd_memory crowd_take(struct arena *a, const struct cell_cfg *cfg);

/** crowd_init() - those of the cell of @enb, whose memory is the one of its number */
void crowd_init(struct lte *lte, struct enb *enb);

/** crowd_arrive() - the bursts that came up to now wait in the cell of @enb */
void crowd_arrive(struct lte *lte, struct enb *enb);

/**
 * crowd_retransmit() - blocks of @crowd that were not decoded take what is left of @rb
 * @subframe: in which they are sent again
 * @stream:       carrier and codeword, 0 in the uplink
 */
void crowd_retransmit(struct lte *lte, struct crowd *crowd, uint32_t subframe, uint8_t stream,
                      struct rb_budget *rb);

/** crowd_flows() - members that have something to send in sub-frame @tti, to @ret. Return: how many
 */
uint32_t crowd_flows(struct lte *lte, struct crowd *crowd, uint32_t tti, struct sched_flow *ret);

/** crowd_issue() - give @f, one of crowd_flows(), what it needs of @rb. Return: bytes of it */
uint32_t crowd_issue(struct lte *lte, struct crowd *crowd, const struct sched_flow *f,
                     struct rb_budget *rb, uint32_t subframe, uint8_t stream);

/** crowd_next_tti() - first sub-frame from @from with something to do for a crowd, or TTI_NEVER */
uint32_t crowd_next_tti(const struct lte *lte, uint32_t from);

/** crowd_digest() - add the state of the crowds of @enb to @h */
void crowd_digest(const struct lte *lte, const struct enb *enb, uint64_t *h);

#endif
