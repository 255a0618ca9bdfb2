/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um_tx.c - transmitting half of NR's RLC UM; see um.h.
 *
 * An SDU for which a grant has room goes in one PDU, which needs no SN. Otherwise it goes in
 * segments, all with one SN. Nothing is kept, as nothing is sent again.
 * Source: TS 38.322 5.2.2.1
 */
#include <string.h>

#include "rlc/nr/um.h"

void nr_um_tx_init(struct nr_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit)
{
	*tx = (struct nr_um_tx){ .sn_bits = sn_bits, .queue.limit = queue_limit };
}

/* End of what a PDU of at most @max bytes takes of the first SDU; where it starts without room. */
static uint32_t cut_to_fit(const struct nr_um_tx *tx, const struct pkt *p, uint32_t max)
{
	uint32_t from = tx->queue.head_sent, len = p->sdu_len, header;

	header = nr_um_header_bytes(tx->sn_bits, nr_si(from, len, len));
	if (max >= header + len - from)
		return len;
	header = nr_um_header_bytes(tx->sn_bits, from > 0 ? NR_SI_MIDDLE : NR_SI_FIRST);
	return max > header ? from + max - header : from;
}

struct pkt *nr_um_tx_fresh(const struct nr_um_tx *tx, uint32_t max)
{
	struct pkt *p = tx->queue.sdus.head;

	return p && tx->queue.head_sent == 0 && cut_to_fit(tx, p, max) > 0 ? p : NULL;
}

struct nr_um_built nr_um_tx_build(struct nr_um_tx *tx, uint32_t max, uint8_t *buf,
                                  struct pkt_queue *ret_ends)
{
	struct rlc_sdu_queue *q = &tx->queue;
	struct pkt *p = q->sdus.head;
	uint32_t from = q->head_sent, to = p ? cut_to_fit(tx, p, max) : from, n;
	struct nr_um_built built = { .sn = NR_SN_NONE };
	struct nr_pdu header = { .sn = tx->tx_next, .so = (uint16_t)from };

	if (to == from)
		return built;
	header.si = (uint8_t)nr_si(from, to, p->sdu_len);
	n = nr_um_pack(&header, tx->sn_bits, buf);
	memcpy(buf + n, pkt_sdu(p) + from, to - from);
	built = (struct nr_um_built){
		.size = n + to - from,
		.sn = header.si == NR_SI_ALL ? NR_SN_NONE : header.sn,
		.pkt = p->id,
		.tag = p->tag,
		.data = (uint16_t)(to - from),
		.ends = to == p->sdu_len,
	};
	q->bytes -= to - from;
	q->head_sent = (uint16_t)to;
	if (built.ends) {
		pkt_enqueue(ret_ends, pkt_dequeue(&q->sdus));
		q->head_sent = 0;
		if (header.si != NR_SI_ALL)
			tx->tx_next = (tx->tx_next + 1) & ((UINT32_C(1) << tx->sn_bits) - 1);
	}
	return built;
}
