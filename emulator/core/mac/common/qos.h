/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qos.h - what a bearer's QoS characteristics allow it, and owe it, in one direction.
 *
 * A bearer with a guaranteed bit rate goes ahead of the scheduler's order as long as it stays below
 * that rate, one without it if its priority level is better than that of bearers that say nothing.
 * No bearer sends more than its maximum bit rate: what exceeds it waits. Both rates are averages
 * over the averaging window, so each has a bucket of tokens that holds what the rate gives in that
 * time, at least a packet, and is full at first. A packet of which the first byte may leave leaves
 * whole: at most so much the maximum is exceeded, and the next packet waits until that is paid for.
 * Rates count bytes of RLC SDUs, once.
 * Source: TS 23.501 5.7.2.5, 5.7.3.3, 5.7.3.4, 5.7.3.6; TS 23.203 6.1.7.2
 */
#ifndef QOS_H
#define QOS_H

#include <stdbool.h>
#include <stdint.h>

#include "cell_cfg.h"
#include "rlc/common/sdu_queue.h"

struct qos_bucket {
	uint32_t rate_bps; /* 0: there is none */
	int64_t most_ubit; /* tokens that it holds, in millionths of a bit */
	int64_t tokens_ubit;
	int64_t since_us; /* it was filled up to then */
};

struct qos {
	bool goes_ahead; /* at times */
	bool gbr;
	uint8_t level;
	int64_t budget_ns; /* of a packet's delay */
	struct qos_bucket guaranteed;
	struct qos_bucket most;
	int64_t opens_ns; /* what waits because of its maximum may leave again, or CELL_NEVER */
};

/** qos_init() - of a bearer in direction @dir; the sidelink has none */
void qos_init(struct qos *q, const struct cell_bearer_cfg *cfg, enum cell_dir dir, int64_t now_ns);

/** qos_held() - bytes of @queue that wait because of its maximum bit rate */
uint32_t qos_held(const struct qos *q, const struct rlc_sdu_queue *queue, int64_t now_ns);

/** qos_allowed() - what may leave now of @bytes, @queue among them */
static inline uint32_t qos_allowed(const struct qos *q, uint32_t bytes,
                                   const struct rlc_sdu_queue *queue, int64_t now_ns)
{
	uint32_t held = q->most.rate_bps ? qos_held(q, queue, now_ns) : 0;

	return bytes > held ? bytes - held : 0;
}

/** qos_packets() - SDUs of @queue that may leave, about */
uint32_t qos_packets(const struct qos *q, const struct rlc_sdu_queue *queue, int64_t now_ns);

/**
 * qos_ahead() - how many of @bytes that wait go ahead of the scheduler's order
 * @first: of them, those of the first packet
 */
uint32_t qos_ahead(const struct qos *q, uint32_t bytes, uint32_t first, int64_t now_ns);

/** qos_sent() - @bytes of SDUs have left */
void qos_sent(struct qos *q, uint32_t bytes, int64_t now_ns);

/** qos_first() - bytes of the first SDU of @queue that have not left yet */
static inline uint32_t qos_first(const struct rlc_sdu_queue *queue)
{
	const struct pkt *head = queue->sdus.head;

	return head ? (uint32_t)(head->sdu_len - queue->head_sent) : 0;
}

/* What a bearer of a UE asks for ahead of the scheduler's order. */
struct qos_claim {
	int64_t deadline_ns; /* of the first packet, by its delay budget */
	uint32_t bytes;
	uint32_t flow; /* of its UE, among those that are scheduled */
	uint8_t level;
};

#define QOS_CLAIMS_MAX (CELL_MAX_UE * CELL_MAX_BEARERS)

/** qos_claim() - of a bearer whose SDUs wait in @queue, for @bytes */
static inline struct qos_claim qos_claim(const struct qos *q, const struct rlc_sdu_queue *queue,
                                         int64_t now_ns, uint32_t bytes, uint32_t flow)
{
	int64_t since_ns = queue->sdus.head ? queue->sdus.head->queued_ns : now_ns;

	return (struct qos_claim){ .deadline_ns = since_ns + q->budget_ns,
		                   .bytes = bytes,
		                   .flow = flow,
		                   .level = q->level };
}

/** qos_claim_add() - add @one to the @n @claims, which are in the order in which they are served:
 * by priority level, then by deadline, then as they came */
void qos_claim_add(struct qos_claim *claims, uint32_t *n, struct qos_claim one);

/** qos_digest() - add the state of @q to @h, if it has any */
void qos_digest(const struct qos *q, uint64_t *h);

#endif
