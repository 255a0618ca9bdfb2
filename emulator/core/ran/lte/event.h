/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what happens next in an LTE network.
 *
 * Events are steps of handovers, decoded PDUs, timers of RLC and PDCP, and
 * sub-frames. The earliest one is next; of several at one time the order is
 * the one of this sentence. Arrivals and commands come before all of them, so that
 * what arrives with a sub-frame boundary counts in it.
 */
#ifndef LTE_EVENT_H
#define LTE_EVENT_H

#include "ran/lte/bearer.h"
#include "ran/lte/state.h"

enum lte_event_kind {
	LTE_EVENT_NONE,
	LTE_EVENT_RRC,
	LTE_EVENT_DECODE,
	LTE_EVENT_TIMER,
	LTE_EVENT_TTI,
};

struct lte_event {
	enum lte_event_kind kind;
	int64_t t_ns;
	struct pdu_queue *air;
	struct leg *leg;
	struct ue *ue;
	enum leg_timer timer;
	uint32_t tti;
};

/** lte_event_next() - the earliest event; LTE_EVENT_NONE at CELL_NEVER when there is none */
struct lte_event lte_event_next(const struct lte *lte);

/** lte_next_output() - see cell_next_output(); of what is in the network already */
int64_t lte_next_output(const struct lte *lte);

#endif
