/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decision.h - what the eNB decides on in a sub-frame, and what each of its blocks needs. */
#ifndef DECISION_H
#define DECISION_H

#include "ran/lte/answer.h"
#include "ran/lte/state.h"

/* What a decision is about: blocks of a direction, in a sub-frame that comes later. */
struct serve_decision {
	struct enb *enb;
	struct rb_budget *rb;
	uint32_t tti;
	uint32_t lead_tti; /* from the decision to the blocks */
	uint8_t dir;       /* UL, which SL shares, or DL */
	uint8_t stream;    /* DL: carrier and codeword; UL: carrier */
};

/** decision_carrier() - of a stream of blocks in direction @dir */
uint8_t decision_carrier(const struct lte *lte, enum cell_dir dir, uint8_t stream);

/** decision_codeword() - of a stream of blocks in direction @dir; the uplink has one */
uint8_t decision_codeword(const struct lte *lte, enum cell_dir dir, uint8_t stream);

/** decision_assign() - room for the DCI of blocks of @u. One DCI is for both codewords of a
 * carrier.
 */
bool decision_assign(struct lte *lte, const struct serve_decision *d, const struct ue *u);

/** decision_process() - HARQ process of the next new downlink block, or -1; without HARQ they are
 * used in turn */
int decision_process(const struct lte *lte, const struct ue *u, uint8_t stream, uint32_t tti);

#endif
