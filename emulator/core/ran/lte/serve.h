/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.h - flows get resource blocks and control channel elements. */
#ifndef SERVE_H
#define SERVE_H

#include "ran/lte/answer.h"
#include "ran/lte/state.h"

/* What a decision is about: blocks of a direction, in a sub-frame that comes later. */
struct serve_decision {
	struct enb *enb;
	struct rb_budget *rb;
	uint32_t tti;
	uint32_t lead_tti; /* from the decision to the blocks */
	uint8_t dir;       /* UL, which SL shares, or DL */
	uint8_t stream;    /* DL: carrier and codeword */
};

/** serve_assign() - room for the DCI of blocks of @u. One DCI is for both codewords of a carrier.
 */
bool serve_assign(struct lte *lte, const struct serve_decision *d, const struct ue *u);

/** serve_process() - HARQ process of the next new downlink block, or -1; without HARQ they are used
 * in turn */
int serve_process(const struct lte *lte, const struct ue *u, uint8_t stream, uint32_t tti);

/** serve_flows() - @n flows of UEs, with space behind them for those of the crowd */
void serve_flows(struct lte *lte, struct sched_flow *flows, uint32_t n,
                 const struct serve_decision *d);

#endif
