/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grant.c - grants on their way from the gNB's decision to a block; see grant.h. */
#include "mac/nr/grant.h"

#include <stddef.h>

#include "base/assert.h"

struct nr_grant *nr_grant_issue(struct nr_grants *g, const struct nr_grant *grant)
{
	struct nr_grant *place = &g->of[g->issued % NR_GRANTS_KEPT];

	CELL_ASSERT(g->issued - g->used < NR_GRANTS_KEPT);
	*place = *grant;
	g->issued++;
	return place;
}

const struct nr_grant *nr_grant_take(struct nr_grants *g, uint32_t slot)
{
	if (nr_grant_next(g) != slot)
		return NULL;
	return &g->of[g->used++ % NR_GRANTS_KEPT];
}

uint32_t nr_grant_after(const struct nr_grants *g, uint32_t slot)
{
	uint32_t first = g->issued > NR_GRANTS_KEPT ? g->issued - NR_GRANTS_KEPT : 0, sum = 0;

	for (uint32_t i = g->issued; i > first; i--) {
		const struct nr_grant *grant = &g->of[(i - 1) % NR_GRANTS_KEPT];

		if (grant->slot <= slot)
			break; /* issued in order of slots */
		sum += grant->retx ? 0 : grant->payload;
	}
	return sum;
}

uint32_t nr_grant_pending(const struct nr_grants *g)
{
	uint32_t sum = 0;

	for (uint32_t i = g->used; i != g->issued; i++)
		sum += g->of[i % NR_GRANTS_KEPT].retx ? 0 : g->of[i % NR_GRANTS_KEPT].payload;
	return sum;
}
