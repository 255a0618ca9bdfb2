/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlc_um_tx.c - transmitting half of RLC UM; see rlc_um.h. */
#include <string.h>

#include "rlc_um.h"

void rlc_um_tx_init(struct rlc_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit)
{
	*tx = (struct rlc_um_tx){ .sn_bits = sn_bits, .queue_limit = queue_limit };
}

bool rlc_um_tx_push(struct rlc_um_tx *tx, struct pkt *p)
{
	if (tx->queue.n >= tx->queue_limit)
		return false;
	pkt_enqueue(&tx->queue, p);
	tx->bytes += p->sdu_len;
	return true;
}

/*
 * Choose the elements of a PDU of at most @max bytes. Another element costs a
 * length indicator and needs room for a byte of data; the last one may be a
 * segment.
 */
static uint32_t plan(const struct rlc_um_tx *tx, uint32_t max, struct um_pdu *ret)
{
	const struct pkt *p = tx->queue.head;
	uint32_t left = p ? (uint32_t)p->sdu_len - tx->head_sent : 0;
	uint32_t data = 0;

	ret->n = 0;
	while (p && ret->n < UM_ELEMENTS_MAX) {
		size_t header = um_header_bytes(tx->sn_bits, (uint16_t)(ret->n + 1));
		uint32_t room, take;

		if (header + data >= max)
			break;
		room = max - (uint32_t)header - data;
		take = left < room ? left : room;
		ret->len[ret->n++] = (uint16_t)take;
		data += take;
		if (take < left) {
			ret->fi |= UM_FI_LAST_CONTINUES;
			break;
		}
		p = p->next;
		left = p ? p->sdu_len : 0;
	}
	return data;
}

/* Move @n bytes of the first SDU to @dst; a finished SDU goes to @ret_ends. */
static void take_bytes(struct rlc_um_tx *tx, uint8_t *dst, uint16_t n, struct pkt_queue *ret_ends)
{
	struct pkt *p = tx->queue.head;

	memcpy(dst, pkt_sdu(p) + tx->head_sent, n);
	tx->head_sent = (uint16_t)(tx->head_sent + n);
	if (tx->head_sent == p->sdu_len) {
		pkt_enqueue(ret_ends, pkt_dequeue(&tx->queue));
		tx->head_sent = 0;
	}
}

uint32_t rlc_um_tx_build(struct rlc_um_tx *tx, uint32_t max, uint8_t *buf,
                         struct pkt_queue *ret_ends, struct rlc_um_tx_pdu *ret)
{
	struct um_pdu pdu;
	uint32_t data;
	uint8_t *dst;

	pdu.sn = tx->vt_us;
	pdu.fi = 0;
	data = plan(tx, max, &pdu);
	ret->sn = pdu.sn;
	ret->n = 0;
	if (data == 0)
		return 0;
	if (tx->head_sent > 0)
		pdu.fi |= UM_FI_FIRST_CONTINUES;
	dst = buf + um_pack(&pdu, tx->sn_bits, buf);
	for (; ret->n < pdu.n; ret->n++) {
		uint16_t i = ret->n, len = pdu.len[i];
		const struct pkt *p = tx->queue.head;

		ret->element[i].pkt = p->id;
		ret->element[i].tag = p->tag;
		ret->element[i].len = len;
		ret->element[i].ends = tx->head_sent + len == p->sdu_len;
		take_bytes(tx, dst, len, ret_ends);
		dst += len;
	}
	tx->bytes -= data;
	tx->vt_us = (uint16_t)((tx->vt_us + 1) & ((1 << tx->sn_bits) - 1));
	return (uint32_t)(dst - buf);
}

struct pkt *rlc_um_tx_discard(struct rlc_um_tx *tx)
{
	if (!tx->queue.head || tx->head_sent > 0)
		return NULL;
	tx->bytes -= tx->queue.head->sdu_len;
	return pkt_dequeue(&tx->queue);
}
