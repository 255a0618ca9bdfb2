/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scheduler.c - schedulers; see scheduler.h. */
#include "mac/common/scheduler.h"

/* Round robin: the first flow with backlog after the one served last; after the last one the first.
 */
static int rr_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	int first = -1;

	for (uint32_t f = 0; f < n; f++) {
		if (flows[f].backlog == 0)
			continue;
		if (flows[f].id > s->last) {
			first = (int)f;
			break;
		}
		if (first < 0)
			first = (int)f;
	}
	if (first >= 0)
		s->last = flows[first].id;
	return first;
}

static void nothing_served(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
                           uint32_t bytes)
{
	(void)s, (void)flows, (void)f, (void)bytes;
}

/* The smallest start tag. A flow that had nothing to send starts where the others are. */
static int wfq_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	uint64_t before = s->n_picks++, least = 0;
	int best = -1;

	for (uint32_t f = 0; f < n; f++) {
		uint64_t *tag = &s->of[flows[f].id].start_tag;
		uint64_t *waited = &s->of[flows[f].id].waited;

		if (flows[f].waiting > 0) {
			if ((*waited == 0 || *waited != before) && *tag < s->virtual_time)
				*tag = s->virtual_time;
			*waited = s->n_picks;
		}
		if (flows[f].backlog > 0 && (best < 0 || *tag < least)) {
			best = (int)f;
			least = *tag;
		}
	}
	if (best >= 0)
		s->virtual_time = least;
	return best;
}

static void wfq_served(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
                       uint32_t bytes)
{
	s->of[flows[f].id].start_tag += ((uint64_t)bytes << 16) / flows[f].weight;
}

/* The best channel; of several, round robin. */
static int max_ci_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	int best = -1;

	for (uint32_t f = 0; f < n; f++) {
		bool turn = best >= 0 && flows[f].rate == flows[best].rate &&
		            flows[f].id > s->last && flows[best].id <= s->last;

		if (flows[f].backlog > 0 && (best < 0 || flows[f].rate > flows[best].rate || turn))
			best = (int)f;
	}
	if (best >= 0)
		s->last = flows[best].id;
	return best;
}

/* @value after @n sub-frames in which the flow got nothing: times (1 - 1 / @average_tti)^@n. */
static uint64_t pf_decayed(uint64_t value, uint32_t average_tti, uint32_t n)
{
	uint64_t keeps = (((uint64_t)average_tti - 1) << 32) / average_tti;

	for (; n > 0 && value > 0; n >>= 1) {
		if (n & 1)
			value = value * keeps >> 32;
		keeps = keeps * keeps >> 32;
	}
	return value;
}

/* Average of a flow up to the sub-frame that is scheduled. It goes on in silence. */
static uint64_t pf_average(struct sched_state *s, uint16_t id)
{
	struct sched_memory *m = &s->of[id];
	uint32_t ended = s->tti - m->since;

	if (ended > 0) {
		m->average = pf_decayed(m->average, s->average_tti, 1) +
		             ((uint64_t)m->got << 16) / s->average_tti;
		m->average = pf_decayed(m->average, s->average_tti, ended - 1);
		m->since = s->tti;
		m->got = 0;
	}
	return m->average;
}

/* The largest rate over average; a flow that never got anything comes first. */
static int pf_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	uint64_t least = 0;
	int best = -1;

	for (uint32_t f = 0; f < n; f++) {
		uint64_t average;

		if (flows[f].backlog == 0)
			continue;
		average = pf_average(s, flows[f].id) + 1;
		if (best < 0 || flows[f].rate * least > flows[best].rate * average) {
			best = (int)f;
			least = average;
		}
	}
	return best;
}

static void pf_served(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
                      uint32_t bytes)
{
	s->of[flows[f].id].got += bytes;
}

#define DELAY_MAX_US ((UINT32_C(1) << 24) - 1)

/* Delay, weight and rate over average, so that it fits 64 bits: 24 + 8 + 18 bits, and 13. */
static uint64_t mlwdf_urgency(struct sched_state *s, const struct sched_flow *flow)
{
	uint32_t delay_us = flow->delay_us < DELAY_MAX_US ? flow->delay_us : DELAY_MAX_US;
	uint64_t product = (uint64_t)(delay_us + 1) * flow->weight * flow->rate;

	return (product << 13) / (pf_average(s, flow->id) + 1);
}

static int mlwdf_pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	uint64_t most = 0;
	int best = -1;

	for (uint32_t f = 0; f < n; f++) {
		uint64_t urgency;

		if (flows[f].backlog == 0)
			continue;
		urgency = mlwdf_urgency(s, &flows[f]);
		if (best < 0 || urgency > most) {
			best = (int)f;
			most = urgency;
		}
	}
	return best;
}

static const struct sched scheds[] = {
	[CELL_SCHED_RR] = { .pick = rr_pick, .served = nothing_served },
	[CELL_SCHED_WFQ] = { .pick = wfq_pick, .served = wfq_served },
	[CELL_SCHED_MAX_CI] = { .pick = max_ci_pick, .served = nothing_served },
	[CELL_SCHED_PF] = { .pick = pf_pick, .served = pf_served },
	[CELL_SCHED_MLWDF] = { .pick = mlwdf_pick, .served = pf_served },
};
_Static_assert(sizeof(scheds) / sizeof(scheds[0]) == CELL_SCHED_COUNT,
               "every scheduler has an entry");

const struct sched *scheduler_by_id(enum cell_sched id)
{
	return &scheds[id];
}
