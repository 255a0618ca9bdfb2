/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdcp.c - PDCP numbering, header and reordering; see pdcp.h. */
#include "pdcp.h"

#include <errno.h>
#include <stddef.h>

#define PDCP_DC_DATA 0x80

static uint16_t header_bytes(uint8_t sn_bits)
{
	return sn_bits == 12 ? 2 : 1;
}

void pdcp_tx_init(struct pdcp_tx *pdcp, uint8_t sn_bits)
{
	*pdcp = (struct pdcp_tx){ .sn_bits = sn_bits };
}

void pdcp_rx_init(struct pdcp_rx *pdcp, uint8_t sn_bits, bool reordering, int64_t t_reordering_ns)
{
	*pdcp = (struct pdcp_rx){ .sn_bits = sn_bits,
		                  .reordering = reordering,
		                  .t_reordering_ns = t_reordering_ns,
		                  .expiry_ns = CELL_NEVER };
}

void pdcp_transmit(struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns)
{
	uint16_t sn = pdcp->next_sn;
	uint8_t *header;

	p->queued_ns = now_ns;
	p->sdu_len = (uint16_t)(p->len + header_bytes(pdcp->sn_bits));
	header = pkt_sdu(p);
	if (pdcp->sn_bits == 12) {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn >> 8);
		header[1] = (uint8_t)sn;
	} else {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn);
	}
	pdcp->next_sn = (uint16_t)((sn + 1) & ((1 << pdcp->sn_bits) - 1));
}

/* COUNT of a received SN: the one nearest to rx_deliv. Source: TS 38.323 5.2.2.1 */
static uint32_t count_of(const struct pdcp_rx *pdcp, uint16_t sn)
{
	uint32_t turn = UINT32_C(1) << pdcp->sn_bits, half = turn / 2;
	uint32_t count = pdcp->rx_deliv - pdcp->rx_deliv % turn + sn;

	if (count + half < pdcp->rx_deliv)
		return count + turn;
	if (count >= pdcp->rx_deliv + half && count >= turn)
		return count - turn;
	return count;
}

/* Deliver what is held up to, not including, @count, and what follows on it. */
static void deliver_to(struct pdcp_rx *pdcp, uint32_t count, struct pdcp_out *out)
{
	if (pdcp->rx_deliv < count)
		pdcp->rx_deliv = count;
	while (pdcp->held.head && pdcp->held.head->count <= pdcp->rx_deliv) {
		if (pdcp->held.head->count == pdcp->rx_deliv)
			pdcp->rx_deliv++;
		pkt_enqueue(&out->delivered, pkt_dequeue(&pdcp->held));
	}
}

/* Source: TS 38.323 5.2.2.2, the end; 5.2.2.3 */
static void update_timer(struct pdcp_rx *pdcp, int64_t now_ns)
{
	if (pdcp->expiry_ns != CELL_NEVER && pdcp->rx_deliv >= pdcp->rx_reord)
		pdcp->expiry_ns = CELL_NEVER;
	if (pdcp->expiry_ns == CELL_NEVER && pdcp->rx_deliv < pdcp->rx_next) {
		pdcp->rx_reord = pdcp->rx_next;
		pdcp->expiry_ns = now_ns + pdcp->t_reordering_ns;
	}
}

/* Return: false when that COUNT is held already. */
static bool hold(struct pdcp_rx *pdcp, struct pkt *p)
{
	struct pkt *before = NULL;

	if (pdcp->held.tail && pdcp->held.tail->count < p->count) {
		pkt_enqueue(&pdcp->held, p);
		return true;
	}
	for (struct pkt *q = pdcp->held.head; q && q->count <= p->count; q = q->next) {
		if (q->count == p->count)
			return false;
		before = q;
	}
	pkt_queue_insert(&pdcp->held, before, p);
	return true;
}

static void reorder(struct pdcp_rx *pdcp, struct pkt *p, uint16_t sn, int64_t now_ns,
                    struct pdcp_out *out)
{
	p->count = count_of(pdcp, sn);
	if (p->count < pdcp->rx_deliv || !hold(pdcp, p)) {
		pkt_enqueue(&out->discarded, p);
		return;
	}
	if (p->count >= pdcp->rx_next)
		pdcp->rx_next = p->count + 1;
	deliver_to(pdcp, pdcp->rx_deliv, out);
	update_timer(pdcp, now_ns);
}

int pdcp_receive(struct pdcp_rx *pdcp, struct pkt *p, int64_t now_ns, struct pdcp_out *out)
{
	const uint8_t *header = pkt_sdu(p);
	uint16_t sn;

	if (p->sdu_len <= header_bytes(pdcp->sn_bits) || !(header[0] & PDCP_DC_DATA)) {
		pkt_enqueue(&out->discarded, p);
		return -EBADMSG;
	}
	if (pdcp->sn_bits == 12)
		sn = (uint16_t)((header[0] & 0x0f) << 8 | header[1]);
	else
		sn = header[0] & 0x7f;
	p->sdu_len = 0;
	if (pdcp->reordering)
		reorder(pdcp, p, sn, now_ns, out);
	else
		pkt_enqueue(&out->delivered, p);
	return sn;
}

void pdcp_expire(struct pdcp_rx *pdcp, int64_t now_ns, struct pdcp_out *out)
{
	deliver_to(pdcp, pdcp->rx_reord, out);
	pdcp->expiry_ns = CELL_NEVER;
	update_timer(pdcp, now_ns);
}
