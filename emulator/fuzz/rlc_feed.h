/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlc_feed.h - what a fuzzed RLC transmitter lives on: its PDUs, and packets to send. */
#ifndef CELLBED_FUZZ_RLC_FEED_H
#define CELLBED_FUZZ_RLC_FEED_H

#include "rlc/common/pdu.h"
#include "rlc/common/sdu_queue.h"

#define FEED_PKTS 24

struct rlc_feed {
	struct pkt pkt[FEED_PKTS];
	uint32_t queued;
};

/* @n PDUs of @data_max bytes each, all of them free. */
static inline void feed_pool(struct rlc_pool *pool, struct rlc_pdu *pdus, uint8_t *data, uint32_t n,
                             uint32_t data_max)
{
	*pool = (struct rlc_pool){ .data_max = data_max };
	for (uint32_t i = 0; i < n; i++) {
		pdus[i] = (struct rlc_pdu){ .data = data + i * data_max };
		rlc_pool_put(pool, &pdus[i]);
	}
}

/* Queue the next packet, of @len bytes, while there is one. */
static inline void feed_packet(struct rlc_feed *feed, struct rlc_sdu_queue *queue, uint32_t len)
{
	struct pkt *p;

	if (feed->queued == FEED_PKTS)
		return;
	p = &feed->pkt[feed->queued++];
	pkt_reset(p);
	p->len = p->sdu_len = (uint16_t)len;
	rlc_sdu_queue_push(queue, p);
}

#endif
