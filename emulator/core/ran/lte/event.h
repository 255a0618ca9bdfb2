/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what happens next in an LTE network.
 *
 * Events are steps of handovers, decoded PDUs, timers of RLC and PDCP, and
 * sub-frames. The earliest one is next; of several at one time the order is
 * the one of this sentence. Arrivals and commands come before all of them, so that
 * what arrives with a sub-frame boundary counts in it. Of several timers, or handovers, of
 * one time that of the first UE is next, of its directions that of the first.
 */
#ifndef LTE_EVENT_H
#define LTE_EVENT_H

#include "ran/lte/state.h"

/** lte_event_update() - an event is over: what is due follows what was touched in it */
void lte_event_update(struct lte *lte);

/** lte_event_wake() - UEs that have something to do in sub-frame @tti are active */
void lte_event_wake(struct lte *lte, uint32_t tti);

/** lte_next_decoded() - the PDU of LTE_EVENT_DECODE, taken from the air */
struct tb *lte_next_decoded(struct lte *lte);

/** lte_next_timer() - the bearer of LTE_EVENT_TIMER */
struct bearer *lte_next_timer(const struct lte *lte);

/** lte_next_rrc() - the UE of LTE_EVENT_RRC */
struct ue *lte_next_rrc(const struct lte *lte);

/** lte_next_output() - see cell_next_output(); of what is in the network already */
int64_t lte_next_output(const struct lte *lte);

#endif
