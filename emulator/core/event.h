/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what happens next in a cell.
 *
 * Events are arrivals, commands, steps of handovers, decoded PDUs, timers of
 * RLC and PDCP, and sub-frames. The earliest one is next; of several at one time the order is
 * the one of this sentence, so that what arrives with a sub-frame boundary
 * counts in it. A bearer of the UTRAN and a recorded link have events of their own in
 * place of all but arrivals and commands.
 */
#ifndef EVENT_H
#define EVENT_H

#include "cell.h"

enum event_kind {
	EVENT_NONE,
	EVENT_ARRIVAL,
	EVENT_COMMAND,
	EVENT_RRC,
	EVENT_DECODE,
	EVENT_TIMER,
	EVENT_TTI,
	EVENT_UTRAN,
	EVENT_LINK,
};

struct event {
	enum event_kind kind;
	int64_t t_ns;
	struct pdu_queue *air;
	struct leg *leg;
	struct ue *ue;
	enum leg_timer timer;
	uint32_t tti;
};

/** event_next() - the earliest event; EVENT_NONE at CELL_NEVER when there is none */
struct event event_next(const struct cell *c);

#endif
