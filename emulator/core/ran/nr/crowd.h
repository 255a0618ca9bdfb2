/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crowd.h - modelled UEs of NR that only load a scheduler, beside those with packets.
 */
#ifndef NR_CROWD_H
#define NR_CROWD_H

#include "ran/nr/serve.h"

/** nr_crowd_take() - memory for those of all cells */
struct crowd_memory nr_crowd_take(struct arena *a, const struct cell_cfg *cfg);

/** nr_crowd_init() - those of all cells */
void nr_crowd_init(struct nr *nr);

/**
 * nr_crowd_slot() - what came up to now waits in @crowd, and blocks that were not decoded are sent
 * again
 *
 * Return: how many of the resource blocks that UEs left are taken.
 */
uint16_t nr_crowd_slot(struct nr *nr, struct crowd *crowd, const struct nr_decision *d);

/** nr_crowd_flows() - members with something to send, to @ret. Return: how many */
uint32_t nr_crowd_flows(struct nr *nr, struct crowd *crowd, uint32_t for_slot,
                        struct sched_flow *ret);

/**
 * nr_crowd_issue() - give @f, one of nr_crowd_flows(), what it needs of what is left
 * @ret_rb: how many resource blocks are taken
 *
 * Return: bytes of it.
 */
uint32_t nr_crowd_issue(struct nr *nr, struct crowd *crowd, const struct sched_flow *f,
                        const struct nr_decision *d, uint16_t *ret_rb);

/** nr_crowd_next_slot() - first one from @from on that decides on blocks of a crowd, or never */
uint32_t nr_crowd_next_slot(const struct nr *nr, uint32_t from);

#endif
