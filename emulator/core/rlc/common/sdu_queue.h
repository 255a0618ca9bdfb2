/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdu_queue.h - the transmission buffer of an RLC entity: SDUs that wait
 * to be segmented and concatenated into PDUs.
 * Source: TS 36.322 4.2.1.2.2, 4.2.1.3.2
 */
#ifndef RLC_SDU_QUEUE_H
#define RLC_SDU_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pkt.h"
#include "rlc/common/li.h"

struct rlc_sdu_queue {
	struct pkt_queue sdus;
	uint32_t limit;     /* packets */
	uint32_t bytes;     /* not yet in any PDU */
	uint16_t head_sent; /* bytes of the first SDU already in PDUs */

	/* Which SDU goes behind @before, of which the last byte goes into the same PDU, or first
	 * for NULL: it may drop SDUs and change their order. NULL: as they are in `sdus`. */
	struct pkt *(*next)(void *arg, struct pkt *before);
	void *arg;
};

/* What went into a PDU, for the trace. */
struct rlc_tx_pdu {
	uint16_t sn;
	uint16_t n;
	uint8_t fi;
	struct {
		uint64_t tag;
		uint32_t pkt;
		bool ends; /* the last byte of the packet is among them */
	} element[RLC_ELEMENTS_MAX];
	uint16_t len[RLC_ELEMENTS_MAX]; /* SDU bytes */
};

static inline bool rlc_sdu_queue_full(const struct rlc_sdu_queue *q)
{
	return q->sdus.n >= q->limit;
}

void rlc_sdu_queue_push(struct rlc_sdu_queue *q, struct pkt *p);

/** rlc_sdu_queue_insert() - put @p behind @before, an SDU of the queue, or first for NULL, when no
 * byte of the first one was sent */
void rlc_sdu_queue_insert(struct rlc_sdu_queue *q, struct pkt *before, struct pkt *p);

/**
 * rlc_sdu_queue_plan() - choose the elements of a PDU of at most @max bytes
 * @fixed: bytes of the header's fixed part
 * @ret:   n, len and fi are set
 *
 * Another element costs a length indicator and needs room for a byte of data;
 * the last one may be a segment.
 *
 * Return: data bytes; 0 when nothing is queued or @max cannot hold a byte.
 */
uint32_t rlc_sdu_queue_plan(const struct rlc_sdu_queue *q, uint32_t fixed, uint32_t max,
                            struct rlc_tx_pdu *ret);

/**
 * rlc_sdu_queue_take() - move the planned bytes to @data
 * @ret_ends: SDUs whose last byte is among them are appended
 */
void rlc_sdu_queue_take(struct rlc_sdu_queue *q, struct rlc_tx_pdu *pdu, uint8_t *data,
                        struct pkt_queue *ret_ends);

/** rlc_sdu_queue_fits() - everything queued fits one PDU of @max bytes */
bool rlc_sdu_queue_fits(const struct rlc_sdu_queue *q, uint32_t fixed, uint32_t max);

/** rlc_sdu_queue_remove() - remove the SDU behind @before, or the first for NULL, of which no byte
 * was sent */
struct pkt *rlc_sdu_queue_remove(struct rlc_sdu_queue *q, struct pkt *before);

/** rlc_sdu_queue_discard() - remove the first SDU if no byte of it was sent, else NULL */
struct pkt *rlc_sdu_queue_discard(struct rlc_sdu_queue *q);

/** rlc_sdu_queue_flush() - move SDUs behind @before, or all for NULL, to @ret, but for control PDUs
 */
void rlc_sdu_queue_flush(struct rlc_sdu_queue *q, struct pkt *before, struct pkt_queue *ret);

/** rlc_sdu_queue_begun() - the first SDU if a byte of it was sent, else NULL */
static inline struct pkt *rlc_sdu_queue_begun(const struct rlc_sdu_queue *q)
{
	return q->head_sent > 0 ? q->sdus.head : NULL;
}

#endif
