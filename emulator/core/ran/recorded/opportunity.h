/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opportunity.h - UEs behind recorded links, each behind one of its own, in place of a cell of LTE:
 * a packet-delivery trace each way.
 *
 * A trace is a list of times at which some bytes may leave. At each of
 * them the packets that wait leave in order until the bytes are used up; one that is not
 * through goes on with the next opportunity. What nobody needs is lost, and so is
 * an opportunity for a packet that comes in the same instant. After its last time a trace starts
 * again. Packets that left are there after a delay (netem.h). In front of it there may be what
 * packets meet that come after a pause (train.h). Source: Mahimahi, mm-link
 */
#ifndef OPPORTUNITY_H
#define OPPORTUNITY_H

#include "base/out.h"
#include "ran/independent/independent.h"
#include "ran/independent/netem.h"
#include "ran/recorded/train.h"
#include "rlc/common/sdu_queue.h"

/* An opportunity: the @at-th of the turn that starts @base_ns after sub-frame 0. */
struct opportunity {
	int64_t base_ns;
	uint32_t at;
};

struct opportunity_way {
	struct out_at at;   /* as rows name it */
	const uint32_t *ms; /* the caller's, since the trace starts */
	uint32_t n;
	struct opportunity next; /* the first that was not processed */
	struct train train;
	struct rlc_sdu_queue queue;
	struct netem netem; /* what becomes of packets that left */
};

/* A UE's link. */
struct opportunity_link {
	struct independent_link link;     /* first */
	const struct cell_recorded *kept; /* what was recorded of it */
	int64_t outage_ns;                /* opportunities before that are not used */
	struct opportunity_way way[2];    /* CELL_DIR_UL, CELL_DIR_DL */
};

/** opportunity_check() - Return: the field of @link that is wrong, or NULL; @ret_range: allowed */
const char *opportunity_check(const struct cell_recorded *link, const char **ret_range);

/** opportunity_init(), opportunity_ingress(), opportunity_allows(), opportunity_apply(),
 * opportunity_next(), opportunity_process(), opportunity_next_output(), opportunity_empty() - see
 * struct independent_kind. Events are packets that are there, and opportunities with something to
 * send, at one time in that order. */
void opportunity_init(struct independent_link *link);
void opportunity_ingress(struct independent_link *link, struct pkt *p);
bool opportunity_allows(const struct independent_link *link, const struct cell_cmd *cmd);
void opportunity_apply(struct independent_link *link, const struct cell_cmd *cmd);
int64_t opportunity_next(const struct independent_link *link);
void opportunity_process(struct independent_link *link);
int64_t opportunity_next_output(const struct independent_link *link);
void opportunity_empty(struct independent_link *link, struct pkt_queue *ret);

#endif
