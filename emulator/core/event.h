/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what happens next in a cell.
 *
 * Events are arrivals, commands, and what happens in the radio access network
 * (ran/ran.h). The earliest one is next; of several at one time the order is
 * the one of this sentence.
 */
#ifndef EVENT_H
#define EVENT_H

#include "base/cell.h"

enum event_kind {
	EVENT_NONE,
	EVENT_ARRIVAL,
	EVENT_COMMAND,
	EVENT_RAN,
};

struct event {
	enum event_kind kind;
	int64_t t_ns;
};

/** event_next() - the earliest event; EVENT_NONE at CELL_NEVER when there is none */
struct event event_next(const struct cell *c);

#endif
