/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdcp.c - PDCP of NR; see pdcp.h.
 *
 * The window starts at RX_DELIV. Which SDUs from there on have come is a bit for each; those that
 * wait are found by COUNT, in chains of which each has few. So one that comes costs the same
 * whatever is held, and a gap that ends costs what it held back.
 */
#include "pdcp/nr/pdcp.h"

#include <errno.h>
#include <string.h>

#define PDCP_DC_DATA     0x80
#define PDCP_STATUS_HEAD 5 /* D/C, type, FMC */

void pdcp_nr_tx_init(struct pdcp_nr_tx *pdcp, uint8_t sn_bits)
{
	*pdcp = (struct pdcp_nr_tx){ .sn_bits = sn_bits };
}

void pdcp_nr_accept(const struct pdcp_nr_tx *pdcp, struct pkt *p, uint16_t above, int64_t now_ns)
{
	p->queued_ns = now_ns;
	p->sdu_len = (uint16_t)(p->len + above + pdcp_nr_header_bytes(pdcp->sn_bits));
}

uint32_t pdcp_nr_count(const struct pdcp_nr_tx *pdcp, uint32_t sn)
{
	uint32_t turn = UINT32_C(1) << pdcp->sn_bits, half = turn / 2;
	uint32_t count = (pdcp->tx_next & ~(turn - 1)) | sn;

	if (count >= pdcp->tx_next + half && count >= turn)
		return count - turn;
	return count + half < pdcp->tx_next ? count + turn : count;
}

void pdcp_nr_number(struct pdcp_nr_tx *pdcp, struct pkt *p)
{
	uint8_t *header = pkt_sdu(p);
	uint32_t sn;

	if (!p->has_pdcp_sn)
		p->count = pdcp->tx_next++;
	p->has_pdcp_sn = true;
	sn = p->count & ((UINT32_C(1) << pdcp->sn_bits) - 1);
	if (pdcp->sn_bits == 18)
		*header++ = (uint8_t)(PDCP_DC_DATA | sn >> 16);
	*header++ = (uint8_t)((pdcp->sn_bits == 18 ? 0 : PDCP_DC_DATA) | (sn >> 8 & 0xff));
	*header = (uint8_t)sn;
}

uint32_t pdcp_nr_sn(const uint8_t *header, uint8_t sn_bits)
{
	if (sn_bits == 12)
		return (uint32_t)(header[0] & 0x0f) << 8 | header[1];
	return (uint32_t)(header[0] & 0x03) << 16 | (uint32_t)header[1] << 8 | header[2];
}

void pdcp_nr_rx_init(struct pdcp_nr_rx *pdcp, uint8_t sn_bits, bool out_of_order,
                     int64_t t_reordering_ns, uint64_t *words)
{
	*pdcp = (struct pdcp_nr_rx){
		.received = { .word = words, .size = pdcp_nr_window(sn_bits) },
		.sn_bits = sn_bits,
		.out_of_order = out_of_order,
		.t_reordering_ns = t_reordering_ns,
		.expiry_ns = CELL_NEVER,
	};
}

/* --- SDUs that wait --- */

static struct pkt **bucket(struct pdcp_nr_rx *pdcp, uint32_t count)
{
	return &pdcp->held[count % PDCP_NR_BUCKETS];
}

static void hold(struct pdcp_nr_rx *pdcp, struct pkt *p)
{
	p->next = *bucket(pdcp, p->count);
	*bucket(pdcp, p->count) = p;
	pdcp->n_held++;
}

/* SDU @count is delivered, unless it has been. */
static void release(struct pdcp_nr_rx *pdcp, uint32_t count, struct pdcp_nr_out *out)
{
	struct pkt **at = bucket(pdcp, count), *p;

	while (*at && (*at)->count != count)
		at = &(*at)->next;
	p = *at;
	if (!p)
		return;
	*at = p->next;
	pdcp->n_held--;
	pkt_enqueue(&out->delivered, p);
}

/* RX_DELIV goes on to @count, and over what came of those behind it. */
static void deliver_to(struct pdcp_nr_rx *pdcp, uint32_t count, struct pdcp_nr_out *out)
{
	while (pdcp->rx_deliv != count) {
		uint32_t n = count - pdcp->rx_deliv;

		pdcp->rx_deliv += bits_find(pdcp->received, true, pdcp->rx_deliv, n);
		if (pdcp->rx_deliv != count)
			release(pdcp, pdcp->rx_deliv++, out);
	}
	while (pdcp->rx_deliv != pdcp->rx_next && bits_get(pdcp->received, pdcp->rx_deliv))
		release(pdcp, pdcp->rx_deliv++, out);
}

/* --- reception --- */

/* The COUNT of a received SN that is nearest to RX_DELIV. Source: TS 38.323 5.2.2.1 */
static uint32_t count_of(const struct pdcp_nr_rx *pdcp, uint32_t sn)
{
	uint32_t turn = UINT32_C(1) << pdcp->sn_bits, window = pdcp_nr_window(pdcp->sn_bits);
	uint32_t deliv_sn = pdcp->rx_deliv & (turn - 1), base = pdcp->rx_deliv - deliv_sn;

	if (sn + window < deliv_sn)
		return base + turn + sn;
	if (sn >= deliv_sn + window)
		return base - turn + sn;
	return base + sn;
}

/* @p->count is waited for, and the window comes to it if it has not yet. */
static bool is_new(struct pdcp_nr_rx *pdcp, const struct pkt *p)
{
	uint32_t ahead = p->count - pdcp->rx_deliv, known = pdcp->rx_next - pdcp->rx_deliv;

	/* Before RX_DELIV, also in the turn of SNs before the first, is far ahead. */
	if (ahead >= pdcp_nr_window(pdcp->sn_bits) ||
	    (ahead < known && bits_get(pdcp->received, p->count)))
		return false;
	if (ahead >= known) {
		bits_clear(pdcp->received, pdcp->rx_next, ahead + 1 - known);
		pdcp->rx_next = p->count + 1;
	}
	return true;
}

/* @p, which is not waited for, came before. What is behind RX_NEXT by a window is not known. */
static bool came_before(const struct pdcp_nr_rx *pdcp, const struct pkt *p)
{
	uint32_t behind = pdcp->rx_next - p->count;

	return p->count < pdcp->rx_next && behind <= pdcp_nr_window(pdcp->sn_bits) &&
	       bits_get(pdcp->received, p->count);
}

static void start_timer(struct pdcp_nr_rx *pdcp, int64_t now_ns)
{
	pdcp->rx_reord = pdcp->rx_next;
	if (pdcp->t_reordering_ns != CELL_NEVER)
		pdcp->expiry_ns = now_ns + pdcp->t_reordering_ns;
}

int pdcp_nr_receive(struct pdcp_nr_rx *pdcp, struct pkt *p, int64_t now_ns, struct pdcp_nr_out *out)
{
	const uint8_t *header = pkt_sdu(p);

	if (p->sdu_len <= pdcp_nr_header_bytes(pdcp->sn_bits) || !pdcp_nr_is_data(header)) {
		pkt_enqueue(&out->discarded, p);
		return -EBADMSG;
	}
	p->count = count_of(pdcp, pdcp_nr_sn(header, pdcp->sn_bits));
	p->sdu_len = 0;
	p->has_pdcp_sn = false;
	if (!is_new(pdcp, p)) {
		pkt_enqueue(came_before(pdcp, p) ? &out->duplicates : &out->discarded, p);
		return 0;
	}
	bits_set(pdcp->received, p->count);
	if (pdcp->out_of_order || p->count == pdcp->rx_deliv)
		pkt_enqueue(&out->delivered, p);
	else
		hold(pdcp, p);
	if (p->count == pdcp->rx_deliv)
		deliver_to(pdcp, pdcp->rx_deliv + 1, out);
	if (pdcp->expiry_ns != CELL_NEVER && (int32_t)(pdcp->rx_deliv - pdcp->rx_reord) >= 0)
		pdcp->expiry_ns = CELL_NEVER;
	if (pdcp->expiry_ns == CELL_NEVER && pdcp->rx_deliv != pdcp->rx_next)
		start_timer(pdcp, now_ns);
	return 0;
}

void pdcp_nr_expire(struct pdcp_nr_rx *pdcp, int64_t now_ns, struct pdcp_nr_out *out)
{
	deliver_to(pdcp, pdcp->rx_reord, out);
	pdcp->expiry_ns = CELL_NEVER;
	if (pdcp->rx_deliv != pdcp->rx_next)
		start_timer(pdcp, now_ns);
}

void pdcp_nr_finish(struct pdcp_nr_rx *pdcp, struct pdcp_nr_out *out)
{
	deliver_to(pdcp, pdcp->rx_next, out);
	pdcp->rx_next = pdcp->rx_deliv = pdcp->rx_reord = 0;
	pdcp->expiry_ns = CELL_NEVER;
}

void pdcp_nr_empty(struct pdcp_nr_rx *pdcp, struct pkt_queue *ret)
{
	for (uint32_t i = 0; i < PDCP_NR_BUCKETS && pdcp->n_held > 0; i++)
		while (pdcp->held[i]) {
			struct pkt *p = pdcp->held[i];

			pdcp->held[i] = p->next;
			pdcp->n_held--;
			pkt_enqueue(ret, p);
		}
}

/* --- status reports --- */

uint16_t pdcp_nr_status_pack(const struct pdcp_nr_rx *pdcp, uint16_t max, uint8_t *buf)
{
	uint32_t first = pdcp->rx_deliv + 1, n = pdcp->rx_next - pdcp->rx_deliv;
	uint32_t bytes, room = 8u * (max - PDCP_STATUS_HEAD);

	buf[0] = 0; /* control PDU, status report */
	for (int i = 0; i < 4; i++)
		buf[1 + i] = (uint8_t)(pdcp->rx_deliv >> (24 - 8 * i));
	n = n > 0 ? n - 1 : 0;
	n = n < room ? n : room;
	bytes = (n + 7) / 8;
	memset(buf + PDCP_STATUS_HEAD, 0, bytes);
	for (uint32_t i = 0; i < n; i++)
		if (bits_get(pdcp->received, first + i))
			buf[PDCP_STATUS_HEAD + i / 8] |= (uint8_t)(0x80 >> i % 8);
	return (uint16_t)(PDCP_STATUS_HEAD + bytes);
}

int pdcp_nr_status_open(struct pdcp_nr_status *ret, const uint8_t *buf, uint32_t len)
{
	if (len < PDCP_STATUS_HEAD || buf[0] & 0xf0)
		return -EBADMSG;
	*ret = (struct pdcp_nr_status){
		.known = true,
		.fmc = (uint32_t)buf[1] << 24 | (uint32_t)buf[2] << 16 | (uint32_t)buf[3] << 8 |
		       buf[4],
		.n = 8 * (len - PDCP_STATUS_HEAD),
		.bitmap = buf + PDCP_STATUS_HEAD,
	};
	return 0;
}

bool pdcp_nr_status_has(const struct pdcp_nr_status *status, uint32_t count)
{
	uint32_t i = count - status->fmc - 1;

	if (!status->known)
		return false;
	if (count - status->fmc >= UINT32_MAX / 2)
		return true; /* before it */
	return count != status->fmc && i < status->n && status->bitmap[i / 8] & 0x80 >> i % 8;
}
