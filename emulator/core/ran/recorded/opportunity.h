/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opportunity.h - one UE behind a recorded link, in place of a cell of LTE: a packet-delivery trace
 * each way.
 *
 * A trace is a list of times at which some bytes may leave. At each of
 * them the packets that wait leave in order until the bytes are used up; one that is not
 * through goes on with the next opportunity. What nobody needs is lost, and so is
 * an opportunity for a packet that comes in the same instant. After its last time a trace begins
 * anew. Packets that left are there after a delay. In front of it there may be what packets meet
 * that come after a pause (train.h).
 * Source: Mahimahi, mm-link
 */
#ifndef OPPORTUNITY_H
#define OPPORTUNITY_H

#include "base/cell.h"
#include "base/out.h"
#include "ran/recorded/train.h"
#include "rlc/sdu_queue.h"

/* An opportunity: the @at-th of the turn that begins @base_ns after sub-frame 0. */
struct opportunity {
	int64_t base_ns;
	uint32_t at;
};

struct opportunity_leg {
	const uint32_t *ms; /* the caller's, since the trace begins */
	uint32_t n;
	struct opportunity next; /* the first that was not processed */
	struct train train;
	struct rlc_sdu_queue queue;
	struct pkt_queue way; /* they left; queued_ns is when they are there */
};

struct opportunity_link {
	struct cell cell;              /* first */
	struct out_leg at[2];          /* as rows name them */
	struct opportunity_leg leg[2]; /* CELL_DIR_UL, CELL_DIR_DL */
};

/** opportunity_check() - Return: the field that is wrong, or NULL; @ret_range: allowed */
const char *opportunity_check(const struct cell_cfg *cfg, const char **ret_range);

/** opportunity_init() - the state of both directions */
void opportunity_init(struct opportunity_link *link);

/** opportunity_out_min() - outputs that one event may produce */
size_t opportunity_out_min(const struct cell_cfg *cfg);

/** opportunity_ingress() - a packet arrived at its port */
void opportunity_ingress(struct opportunity_link *link, struct pkt *p);

/** opportunity_next() - time of the next packet that is there, or of an opportunity with something
 * to send */
int64_t opportunity_next(const struct opportunity_link *link);

/** opportunity_process() - the event of opportunity_next(); of several at one time one, in that
 * order */
void opportunity_process(struct opportunity_link *link);

/** opportunity_next_output() - see cell_next_output() */
int64_t opportunity_next_output(const struct opportunity_link *link);

/** opportunity_empty() - all packets that are held, in no order */
void opportunity_empty(struct opportunity_link *link, struct pkt_queue *ret);

#endif
