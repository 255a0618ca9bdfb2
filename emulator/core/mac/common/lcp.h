/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lcp.h - logical channel prioritisation: which bearers get how much of a transport block.
 *
 * A block goes to the channels in order of their priorities. To keep the first from starving the
 * others, each has a bucket that its prioritised bit rate fills: as long as there is something in
 * it, SDUs of that size are kept room for, in order of priority again; and only what is left then
 * goes to the first one. An SDU that the block has room for is not cut: the bucket is overdrawn
 * instead, and the channel waits until it is full enough. The standard says so for a UE; the base
 * station does it likewise in the downlink. LTE and NR have the same rule, in sub-frames and in
 * slots. Source: TS 36.321 5.4.3.1; TS 38.321 5.4.3.1
 */
#ifndef LCP_H
#define LCP_H

#include <stdint.h>

#include "cell_cfg.h"
#include "rlc/common/sdu_queue.h"

/* The bucket of a channel; all 0 at first. */
struct lcp_bucket {
	int64_t tokens_mbit; /* Bj, in thousandths of a bit; below 0 after an SDU that was larger */
	uint32_t slot;       /* sub-frame or slot up to which it is filled */
};

/** lcp_priority() - of a channel whose QoS has priority level @level: the less, the earlier */
static inline uint16_t lcp_priority(const struct cell_bearer_cfg *cfg, uint8_t level)
{
	return (uint16_t)(cfg->priority << 8 | level);
}

/**
 * lcp_order() - channels in the order in which they are served
 * @n:        of them, at least 1
 * @priority: of each, lcp_priority()
 * @ret:      their indices. Of one priority in the order of the indices, but the default bearer,
 *            index 0, comes last.
 */
void lcp_order(uint8_t n, const uint16_t *priority, uint8_t *ret);

/* What a channel has to send. */
struct lcp_waiting {
	const struct rlc_sdu_queue *queue;
	uint32_t bytes;      /* those of the queue that may leave, and what is sent before them */
	uint32_t headers;    /* of MAC and RLC, at most: once, */
	uint32_t sdu_header; /* and for each SDU */
};

/**
 * lcp_keep() - bytes of a block that are kept for a channel, after its bucket was filled up to
 * @slot: of whole SDUs where there is room for them
 * @mu:   slots are 1 ms / 2^mu
 * @room: bytes of the block that are not kept for those before it
 */
uint32_t lcp_keep(struct lcp_bucket *b, const struct cell_bearer_cfg *cfg, uint32_t slot,
                  uint8_t mu, struct lcp_waiting w, uint32_t room);

/** lcp_spend() - of what was kept for the channel it sends @bytes in MAC SDUs */
void lcp_spend(struct lcp_bucket *b, uint32_t bytes);

#endif
