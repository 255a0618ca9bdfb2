/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdcp.c - PDCP numbering, header, reordering and status reports; see pdcp.h. */
#include "pdcp/lte/pdcp.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PDCP_DC_DATA 0x80
#define SN_MASK      4095 /* of 12 bits */

void pdcp_tx_init(struct pdcp_tx *pdcp, uint8_t sn_bits)
{
	*pdcp = (struct pdcp_tx){ .sn_bits = sn_bits };
}

void pdcp_rx_init(struct pdcp_rx *pdcp, uint8_t sn_bits, enum pdcp_order order,
                  int64_t t_reordering_ns)
{
	*pdcp = (struct pdcp_rx){ .sn_bits = sn_bits,
		                  .order = (uint8_t)order,
		                  .t_reordering_ns = t_reordering_ns,
		                  .expiry_ns = CELL_NEVER };
}

bool pdcp_is_data(const uint8_t *buf)
{
	return buf[0] & PDCP_DC_DATA;
}

void pdcp_accept(const struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns)
{
	p->queued_ns = now_ns;
	p->sdu_len = (uint16_t)(p->len + pdcp_header_bytes(pdcp->sn_bits));
}

void pdcp_number(struct pdcp_tx *pdcp, struct pkt *p)
{
	uint16_t sn = p->has_pdcp_sn ? (uint16_t)p->pdcp_sn : pdcp->next_sn;
	uint8_t *header = pkt_sdu(p);

	if (pdcp->sn_bits == 12) {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn >> 8);
		header[1] = (uint8_t)sn;
	} else {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn);
	}
	if (!p->has_pdcp_sn)
		pdcp->next_sn = (uint16_t)((sn + 1) & ((1 << pdcp->sn_bits) - 1));
}

void pdcp_transmit(struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns)
{
	pdcp_accept(pdcp, p, now_ns);
	pdcp_number(pdcp, p);
}

uint16_t pdcp_sn(const uint8_t *header, uint8_t sn_bits)
{
	return sn_bits == 12 ? (uint16_t)((header[0] & 0x0f) << 8 | header[1]) : header[0] & 0x7f;
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

static uint64_t *delivered_word(struct pdcp_rx *pdcp, uint32_t count)
{
	return &pdcp->delivered[count % (2 * PDCP_REORDERING_WINDOW) / 64];
}

/* Move the window to @count: what falls out of it may come with that SN again. */
static void move_window(struct pdcp_rx *pdcp, uint32_t count)
{
	for (; pdcp->rx_deliv < count; pdcp->rx_deliv++) {
		uint32_t next = pdcp->rx_deliv + PDCP_REORDERING_WINDOW;

		*delivered_word(pdcp, next) &= ~(UINT64_C(1) << next % 64);
	}
}

/*
 * RLC delivers in order, so what is missing before @p was given up; but at
 * re-establishment it will be sent again. Source: TS 36.323 5.1.2.1.4
 */
static void receive_am(struct pdcp_rx *pdcp, struct pkt *p, uint16_t sn, bool re,
                       struct pdcp_out *out)
{
	p->count = count_of(pdcp, sn);
	if (p->count < pdcp->rx_deliv || !hold(pdcp, p)) {
		bool again = p->count >= pdcp->rx_deliv ||
		             *delivered_word(pdcp, p->count) >> p->count % 64 & 1;

		pkt_enqueue(again ? &out->duplicates : &out->discarded, p);
		return;
	}
	if (!re)
		move_window(pdcp, p->count);
	while (pdcp->held.head && pdcp->held.head->count <= pdcp->rx_deliv) {
		p = pkt_dequeue(&pdcp->held);
		*delivered_word(pdcp, p->count) |= UINT64_C(1) << p->count % 64;
		if (p->count == pdcp->rx_deliv)
			move_window(pdcp, p->count + 1);
		pkt_enqueue(&out->delivered, p);
	}
}

int pdcp_receive(struct pdcp_rx *pdcp, struct pkt *p, bool re, int64_t now_ns, struct pdcp_out *out)
{
	const uint8_t *header = pkt_sdu(p);
	uint16_t sn;

	if (p->sdu_len <= pdcp_header_bytes(pdcp->sn_bits) || !pdcp_is_data(header)) {
		pkt_enqueue(&out->discarded, p);
		return -EBADMSG;
	}
	sn = pdcp_sn(header, pdcp->sn_bits);
	p->sdu_len = 0;
	if (pdcp->order == PDCP_ORDER_AM)
		receive_am(pdcp, p, sn, re, out);
	else if (pdcp->order == PDCP_ORDER_TIMER)
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

uint16_t pdcp_status_pack(const struct pdcp_rx *pdcp, uint8_t *buf)
{
	uint16_t bytes = 0;

	/* D/C 0, PDU type 000 */
	buf[0] = (uint8_t)((pdcp->rx_deliv & SN_MASK) >> 8);
	buf[1] = (uint8_t)pdcp->rx_deliv;
	memset(buf + 2, 0, PDCP_STATUS_MAX - 2);
	for (const struct pkt *p = pdcp->held.head; p; p = p->next) {
		uint32_t i = p->count - pdcp->rx_deliv - 1;

		buf[2 + i / 8] |= (uint8_t)(0x80 >> i % 8);
		bytes = (uint16_t)(i / 8 + 1);
	}
	return (uint16_t)(2 + bytes);
}

int pdcp_status_unpack(struct pdcp_status *ret, const uint8_t *buf, uint32_t len)
{
	if (len < 2 || len > PDCP_STATUS_MAX || buf[0] & 0xf0)
		return -EBADMSG;
	ret->known = true;
	ret->fms = (uint16_t)(buf[0] << 8 | buf[1]);
	ret->n = (uint16_t)(8 * (len - 2));
	if (ret->n > PDCP_STATUS_SNS)
		ret->n = PDCP_STATUS_SNS;
	memcpy(ret->bitmap, buf + 2, len - 2);
	return 0;
}

bool pdcp_status_has(const struct pdcp_status *status, uint16_t sn)
{
	uint16_t i = (uint16_t)((sn - status->fms - 1) & SN_MASK);

	if (!status->known)
		return false;
	if (i < status->n)
		return status->bitmap[i / 8] & 0x80 >> i % 8;
	return i >= PDCP_STATUS_SNS && i < SN_MASK;
}
