/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scheduler.c - schedulers; see scheduler.h. */
#include "mac/scheduler.h"

/* Round robin: the first flow with backlog after the one served last. */
static int rr_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t f = (s->last + i) % n;

		if (flows[f].backlog > 0) {
			s->last = f;
			return (int)f;
		}
	}
	return -1;
}

static void rr_served(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
                      uint32_t bytes)
{
	(void)s, (void)flows, (void)f, (void)bytes;
}

/* The smallest start tag. A flow that had nothing to send starts where the others are. */
static int wfq_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	int best = -1;

	for (uint32_t f = 0; f < n; f++) {
		bool waits = flows[f].waiting > 0;

		if (waits && !s->active[f] && s->start_tag[f] < s->virtual_time)
			s->start_tag[f] = s->virtual_time;
		s->active[f] = waits;
		if (flows[f].backlog > 0 && (best < 0 || s->start_tag[f] < s->start_tag[best]))
			best = (int)f;
	}
	if (best >= 0)
		s->virtual_time = s->start_tag[best];
	return best;
}

static void wfq_served(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
                       uint32_t bytes)
{
	s->start_tag[f] += ((uint64_t)bytes << 16) / flows[f].weight;
}

static const struct sched scheds[] = {
	[CELL_SCHED_RR] = { .name = "rr", .pick = rr_pick, .served = rr_served },
	[CELL_SCHED_WFQ] = { .name = "wfq", .pick = wfq_pick, .served = wfq_served },
};
_Static_assert(sizeof(scheds) / sizeof(scheds[0]) == CELL_SCHED_COUNT,
               "every scheduler has an entry");

const struct sched *sched_by_id(enum cell_sched id)
{
	return &scheds[id];
}
