/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - RLC entities in the hash of a state (base/digest.h). */
#ifndef RLC_DIGEST_H
#define RLC_DIGEST_H

#include "base/digest.h"
#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"

static inline void rlc_digest_sdus(uint64_t *h, const struct rlc_sdu_queue *q)
{
	digest_mix(h, q->head_sent);
	digest_mix(h, q->bytes);
	digest_mix_queue(h, &q->sdus);
}

static inline void rlc_digest_reassembly(uint64_t *h, const struct rlc_reassembly *r)
{
	digest_mix(h, r->lower);
	digest_mix(h, r->tail.open);
	digest_mix(h, r->tail.open ? r->tail.len : 0);
}

#endif
