/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lcp.h - logical channel prioritisation: which bearers get how much of a transport block.
 *
 * A block goes to the channels in order of their priorities. To keep the first from starving the
 * others, each has a bucket that its prioritised bit rate fills: as long as there is something in
 * it, that much of a block is kept for the channel, in order of priority again; and only what
 * is left then goes to the first one. The standard says so for a UE; the base station does it
 * likewise in the downlink. LTE and NR have the same rule, in sub-frames and in slots.
 * Source: TS 36.321 5.4.3.1; TS 38.321 5.4.3.1
 */
#ifndef LCP_H
#define LCP_H

#include <stdint.h>

#include "cell_cfg.h"

/* The bucket of a channel; all 0 at first. */
struct lcp_bucket {
	int64_t tokens_mbit; /* Bj, in thousandths of a bit */
	uint32_t slot;       /* sub-frame or slot up to which it is filled */
};

/**
 * lcp_order() - channels in the order in which they are served
 * @n:        of them, at least 1
 * @priority: of each, 1 is the first
 * @ret:      their indices. Of one priority in the order of the indices, but the default bearer,
 *            index 0, comes last.
 */
void lcp_order(uint8_t n, const uint8_t *priority, uint8_t *ret);

/**
 * lcp_keep() - bytes of a block that are kept for a channel, after its bucket was filled up to
 * @slot
 * @mu:   slots are 1 ms / 2^mu
 * @need: bytes that it could send, with headers
 * @room: bytes of the block that are not kept for those before it
 */
uint32_t lcp_keep(struct lcp_bucket *b, const struct cell_bearer_cfg *cfg, uint32_t slot,
                  uint8_t mu, uint32_t need, uint32_t room);

/** lcp_spend() - the channel sends @bytes; the bucket has never less than nothing */
void lcp_spend(struct lcp_bucket *b, uint32_t bytes);

#endif
