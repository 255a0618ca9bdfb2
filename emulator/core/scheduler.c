/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched.c - schedulers; see scheduler.h. */
#include "scheduler.h"

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

static const struct sched scheds[] = {
	[CELL_SCHED_RR] = { .name = "rr", .pick = rr_pick },
};
_Static_assert(sizeof(scheds) / sizeof(scheds[0]) == CELL_SCHED_COUNT,
               "every scheduler has an entry");

const struct sched *sched_by_id(enum cell_sched id)
{
	return &scheds[id];
}
