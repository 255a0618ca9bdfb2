/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx.c - transmitting half of RLC UM; see um.h.
 *
 * A PDU takes all that its grant has room for: the rest of the SDU that was started, further ones
 * whole, and the start of the last. Framing info says which of its ends are ends of SDUs, length
 * indicators where those between are. Nothing is kept, as nothing is sent again.
 * Source: TS 36.322 5.1.2.1, 6.2.2.3
 */
#include <string.h>

#include "rlc/lte/um/pdu.h"
#include "rlc/lte/um/um.h"

void rlc_um_tx_init(struct rlc_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit)
{
	*tx = (struct rlc_um_tx){ .sn_bits = sn_bits, .queue.limit = queue_limit };
}

uint32_t rlc_um_tx_build(struct rlc_um_tx *tx, uint32_t max, uint8_t *buf,
                         struct pkt_queue *ret_ends, struct rlc_tx_pdu *ret)
{
	uint32_t data =
		rlc_sdu_queue_plan(&tx->queue, (uint32_t)um_fixed_bytes(tx->sn_bits), max, ret);
	struct um_pdu pdu = { .sn = tx->vt_us, .fi = ret->fi, .n = ret->n };
	size_t header;

	ret->sn = tx->vt_us;
	if (data == 0)
		return 0;
	memcpy(pdu.len, ret->len, ret->n * sizeof(ret->len[0]));
	header = um_pack(&pdu, tx->sn_bits, buf);
	rlc_sdu_queue_take(&tx->queue, ret, buf + header, ret_ends);
	tx->vt_us = (uint16_t)((tx->vt_us + 1) & ((1 << tx->sn_bits) - 1));
	return (uint32_t)header + data;
}
