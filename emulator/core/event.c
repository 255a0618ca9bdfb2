/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.c - which event is next, and when a packet can leave next; see event.h and cellcore.h.
 *
 * The first question is for cell_advance(), which has to process every event at its own time. The
 * second one is for a shell, which may sleep through events that put nothing out: the network gives
 * a lower bound for the time of its next packet, and whatever comes from outside ends the sleep,
 * since it may change that.
 */
#include "event.h"

#include "ran/ran.h"

static void earlier(struct event *e, enum event_kind kind, int64_t t_ns)
{
	if (t_ns < e->t_ns)
		*e = (struct event){ .kind = kind, .t_ns = t_ns };
}

/* What comes from outside, of one time an arrival first. */
static struct event next_from_outside(const struct cell *c)
{
	struct event e = { .kind = EVENT_NONE, .t_ns = CELL_NEVER };

	if (c->arrivals.head)
		earlier(&e, EVENT_ARRIVAL, c->arrivals.head->arrival_ns);
	if (c->n_cmds > 0)
		earlier(&e, EVENT_COMMAND, c->cmd[c->cmd_first].t_ns);
	return e;
}

struct event event_next(const struct cell *c)
{
	struct event e = next_from_outside(c);

	earlier(&e, EVENT_RAN, c->ran->next(c));
	return e;
}

int64_t cell_next(const struct cell *c)
{
	return event_next(c).t_ns;
}

int64_t cell_next_output(const struct cell *c)
{
	int64_t outside_ns = next_from_outside(c).t_ns, bound_ns;

	if (c->ran->next(c) >= outside_ns)
		return outside_ns;
	bound_ns = c->ran->next_output(c);
	return bound_ns < outside_ns ? bound_ns : outside_ns; /* it may change what comes next */
}

int64_t cell_slot_ns(const struct cell *c)
{
	return c->ran->slot_ns ? c->ran->slot_ns(c) : CELL_TTI_NS;
}

int64_t cell_transit_min(const struct cell *c)
{
	return c->ran->transit_min(c);
}
