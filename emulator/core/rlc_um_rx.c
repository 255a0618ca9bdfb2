/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc_um_rx.c - receiving half of RLC UM; see rlc_um.h.
 *
 * PDUs wait in a window by SN until all before them have come or t-Reordering
 * says that they will not. What leaves the window, in order of SN, is
 * reassembled. SNs are compared modulo 2^sn_bits with vr_uh - window size as
 * base. Source: TS 36.322 5.1.2.2, 7.1
 */
#include <errno.h>
#include <string.h>

#include "cell_assert.h"
#include "rlc_um.h"

void rlc_um_rx_init(struct rlc_um_rx *rx, uint8_t sn_bits, int64_t t_reordering_ns,
                    struct pdu **window)
{
	*rx = (struct rlc_um_rx){ .sn_bits = sn_bits,
		                  .t_reordering_ns = t_reordering_ns,
		                  .expiry_ns = CELL_NEVER,
		                  .window = window };
	memset(window, 0, rlc_um_window_slots(sn_bits) * sizeof(*window));
}

static uint16_t sn_mask(const struct rlc_um_rx *rx)
{
	return (uint16_t)((1u << rx->sn_bits) - 1);
}

static uint16_t sn_next(const struct rlc_um_rx *rx, uint16_t sn)
{
	return (uint16_t)((sn + 1u) & sn_mask(rx));
}

/* UM_Window_Size. Source: TS 36.322 7.2 */
static uint16_t window_size(const struct rlc_um_rx *rx)
{
	return (uint16_t)(1u << (rx->sn_bits - 1));
}

/* Lower edge of the reordering window. */
static uint16_t window_lower(const struct rlc_um_rx *rx)
{
	return (uint16_t)((rx->vr_uh - window_size(rx)) & sn_mask(rx));
}

static uint16_t dist(const struct rlc_um_rx *rx, uint16_t sn)
{
	return (uint16_t)((sn - window_lower(rx)) & sn_mask(rx));
}

static bool inside_window(const struct rlc_um_rx *rx, uint16_t sn)
{
	return dist(rx, sn) < window_size(rx);
}

static void sdu_begin(struct rlc_um_rx *rx)
{
	rx->partial = true;
	rx->sdu_len = 0;
}

static void sdu_append(struct rlc_um_rx *rx, const uint8_t *data, uint16_t len)
{
	if ((size_t)rx->sdu_len + len > sizeof(rx->sdu)) {
		rx->partial = false; /* no SDU of ours is that long */
		return;
	}
	memcpy(rx->sdu + rx->sdu_len, data, len);
	rx->sdu_len = (uint16_t)(rx->sdu_len + len);
}

/* The last byte of a packet came: complete, or never to be completed. */
static void sdu_end(struct rlc_um_rx *rx, struct pdu *pdu, struct rlc_um_out *out)
{
	struct pkt *p = pkt_dequeue(&pdu->ends);

	CELL_ASSERT(p);
	/* After a whole turn of SNs was lost, segments of two SDUs meet. */
	if (rx->partial && rx->sdu_len == p->sdu_len) {
		memcpy(pkt_sdu(p), rx->sdu, rx->sdu_len);
		pkt_enqueue(&out->delivered, p);
	} else {
		pkt_enqueue(&out->discarded, p);
	}
	rx->partial = false;
}

/* Source: TS 36.322 5.1.2.2.3, 5.1.2.2.4: "reassemble RLC SDUs" */
static void reassemble(struct rlc_um_rx *rx, struct pdu *pdu, struct rlc_um_out *out)
{
	const uint8_t *data = pdu->buf + pdu->rlc_off;
	struct um_pdu um;
	size_t header;

	CELL_ASSERT(um_unpack(&um, &header, rx->sn_bits, data, pdu->rlc_len) == 0);
	data += header;
	if (rx->partial && um.sn != rx->next_sn)
		rx->partial = false; /* a PDU in between is lost */
	for (uint16_t i = 0; i < um.n; i++) {
		bool continues = i == 0 && um.fi & UM_FI_FIRST_CONTINUES;
		bool ends = i + 1 < um.n || !(um.fi & UM_FI_LAST_CONTINUES);

		if (!continues)
			sdu_begin(rx);
		if (rx->partial)
			sdu_append(rx, data, um.len[i]);
		if (ends)
			sdu_end(rx, pdu, out);
		data += um.len[i];
	}
	rx->next_sn = sn_next(rx, um.sn);
	pdu_enqueue(&out->freed, pdu);
}

static void discard_pdu(struct pdu *pdu, struct rlc_um_out *out)
{
	pkt_queue_move(&out->discarded, &pdu->ends);
	pdu_enqueue(&out->freed, pdu);
	out->discarded_pdus++;
}

/* Reassemble what was received from vr_ur up to, not including, @sn; vr_ur becomes @sn. */
static void release_below(struct rlc_um_rx *rx, uint16_t sn, struct rlc_um_out *out)
{
	for (; rx->vr_ur != sn; rx->vr_ur = sn_next(rx, rx->vr_ur)) {
		if (rx->window[rx->vr_ur])
			reassemble(rx, rx->window[rx->vr_ur], out);
		rx->window[rx->vr_ur] = NULL;
	}
}

static void release_received(struct rlc_um_rx *rx, struct rlc_um_out *out)
{
	while (rx->window[rx->vr_ur])
		release_below(rx, sn_next(rx, rx->vr_ur), out);
}

static void update_timer(struct rlc_um_rx *rx, int64_t now_ns)
{
	bool running = rx->expiry_ns != CELL_NEVER;

	if (running && (dist(rx, rx->vr_ux) <= dist(rx, rx->vr_ur) ||
	                (!inside_window(rx, rx->vr_ux) && rx->vr_ux != rx->vr_uh))) {
		rx->expiry_ns = CELL_NEVER;
		running = false;
	}
	if (!running && rx->vr_uh != rx->vr_ur) {
		rx->expiry_ns = now_ns + rx->t_reordering_ns;
		rx->vr_ux = rx->vr_uh;
	}
}

int rlc_um_rx_receive(struct rlc_um_rx *rx, struct pdu *pdu, int64_t now_ns, struct rlc_um_out *out)
{
	struct um_pdu um;
	size_t header;
	uint16_t sn;

	if (um_unpack(&um, &header, rx->sn_bits, pdu->buf + pdu->rlc_off, pdu->rlc_len) < 0) {
		discard_pdu(pdu, out);
		return -EBADMSG;
	}
	sn = um.sn;
	if (rx->window[sn] || (inside_window(rx, sn) && dist(rx, sn) < dist(rx, rx->vr_ur))) {
		discard_pdu(pdu, out); /* duplicate, or given up before */
		return sn;
	}
	rx->window[sn] = pdu;
	if (!inside_window(rx, sn)) {
		rx->vr_uh = sn_next(rx, sn);
		if (!inside_window(rx, rx->vr_ur))
			release_below(rx, window_lower(rx), out);
	}
	release_received(rx, out);
	update_timer(rx, now_ns);
	return sn;
}

void rlc_um_rx_expire(struct rlc_um_rx *rx, int64_t now_ns, struct rlc_um_out *out)
{
	release_below(rx, rx->vr_ux, out);
	release_received(rx, out);
	rx->expiry_ns = CELL_NEVER;
	update_timer(rx, now_ns);
}
