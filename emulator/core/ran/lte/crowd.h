/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crowd.h - modelled UEs of LTE that only load the scheduler, beside those with packets. */
#ifndef LTE_CROWD_H
#define LTE_CROWD_H

#include "ran/lte/answer.h"
#include "ran/lte/state.h"

/** lte_crowd_take() - memory for the crowds of all cells, NULLs without memory, or without a crowd
 */
struct crowd_memory lte_crowd_take(struct arena *a, const struct cell_cfg *cfg);

/** lte_crowd_init() - those of the cell of @enb, whose memory is the one of its number */
void lte_crowd_init(struct lte *lte, struct enb *enb);

/** lte_crowd_arrive() - the bursts that came up to now wait in the cell of @enb */
void lte_crowd_arrive(struct lte *lte, struct enb *enb);

/**
 * lte_crowd_retransmit() - blocks of @crowd that were not decoded take what is left of @rb
 * @subframe: in which they are sent again
 * @stream:       carrier and codeword, 0 in the uplink
 */
void lte_crowd_retransmit(struct lte *lte, struct crowd *crowd, uint32_t subframe, uint8_t stream,
                          struct rb_budget *rb);

/** lte_crowd_flows() - members that have something to send in sub-frame @tti, to @ret. Return: how
 * many */
uint32_t lte_crowd_flows(struct lte *lte, struct crowd *crowd, uint32_t tti,
                         struct sched_flow *ret);

/** lte_crowd_issue() - give @f, one of lte_crowd_flows(), what it needs of @rb. Return: bytes of it
 */
uint32_t lte_crowd_issue(struct lte *lte, struct crowd *crowd, const struct sched_flow *f,
                         struct rb_budget *rb, uint32_t subframe, uint8_t stream);

/** lte_crowd_next_tti() - first sub-frame from @from with something to do for a crowd, or TTI_NEVER
 */
uint32_t lte_crowd_next_tti(const struct lte *lte, uint32_t from);

#endif
