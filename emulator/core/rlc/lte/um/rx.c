/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rx.c - receiving half of RLC UM; see um.h.
 *
 * PDUs wait in a window by SN until all before them have come or t-Reordering
 * says that they will not. SNs are compared modulo 2^sn_bits with vr_uh -
 * window size as base. Source: TS 36.322 5.1.2.2, 7.1
 */
#include <errno.h>
#include <string.h>

#include "rlc/lte/um/pdu.h"
#include "rlc/lte/um/um.h"

void rlc_um_rx_init(struct rlc_um_rx *rx, uint8_t sn_bits, int64_t t_reordering_ns,
                    enum cell_delivery delivery, struct rlc_pdu **window, struct rlc_pool *pool)
{
	rx->sn_bits = sn_bits;
	rx->t_reordering_ns = t_reordering_ns;
	rx->expiry_ns = CELL_NEVER;
	rx->vr_ur = rx->vr_ux = rx->vr_uh = 0;
	rlc_reassembly_init(&rx->reassembly, (uint16_t)((1u << sn_bits) - 1), delivery, window,
	                    NULL, pool);
}

static uint16_t sn_mask(const struct rlc_um_rx *rx)
{
	return rx->reassembly.mask;
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

/* Release everything before @sn; vr_ur becomes @sn. */
static void release_below(struct rlc_um_rx *rx, uint16_t sn, struct rlc_out *out)
{
	while (rx->vr_ur != sn) {
		rlc_reassembly_release(&rx->reassembly, out);
		rx->vr_ur = rx->reassembly.lower;
	}
}

static void release_received(struct rlc_um_rx *rx, struct rlc_out *out)
{
	while (rx->reassembly.window[rx->vr_ur])
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

static void discard(struct pkt_queue *ends, struct rlc_out *out)
{
	pkt_queue_move(&out->discarded, ends);
	out->discarded_pdus++;
}

/* Keep the PDU in the window. Return: its data bytes. */
static uint16_t store(struct rlc_um_rx *rx, const struct um_pdu *um, const uint8_t *data,
                      uint32_t len, struct pkt_queue *ends)
{
	struct rlc_pdu *pdu = rlc_pool_get(rx->reassembly.pool);

	pdu->len = (uint16_t)len;
	memcpy(pdu->data, data, len);
	(void)rlc_ranges_add(&pdu->ranges, 0, pdu->len);
	(void)rlc_pdu_add_elements(pdu, 0, um->fi, um->n, um->len);
	pkt_queue_move(&pdu->ends, ends);
	rx->reassembly.window[um->sn] = pdu;
	return pdu->len;
}

int rlc_um_rx_receive(struct rlc_um_rx *rx, const uint8_t *buf, uint32_t len,
                      struct pkt_queue *ends, int64_t now_ns, struct rlc_out *out)
{
	static const struct rlc_ranges nothing = { 0 };
	struct um_pdu um;
	size_t header;
	uint16_t sn, data_len;

	if (um_unpack(&um, &header, rx->sn_bits, buf, len) < 0 ||
	    len - header > rx->reassembly.pool->data_max) {
		discard(ends, out);
		return -EBADMSG;
	}
	sn = um.sn;
	if (rx->reassembly.window[sn] ||
	    (inside_window(rx, sn) && dist(rx, sn) < dist(rx, rx->vr_ur))) {
		discard(ends, out); /* duplicate, or given up before */
		return sn;
	}
	data_len = store(rx, &um, buf + header, len - (uint32_t)header, ends);
	rlc_reassembly_arrived(&rx->reassembly, sn, 0, data_len, &nothing, out);
	if (!inside_window(rx, sn)) {
		rx->vr_uh = sn_next(rx, sn);
		if (!inside_window(rx, rx->vr_ur))
			release_below(rx, window_lower(rx), out);
	}
	release_received(rx, out);
	update_timer(rx, now_ns);
	return sn;
}

void rlc_um_rx_expire(struct rlc_um_rx *rx, int64_t now_ns, struct rlc_out *out)
{
	release_below(rx, rx->vr_ux, out);
	release_received(rx, out);
	rx->expiry_ns = CELL_NEVER;
	update_timer(rx, now_ns);
}

void rlc_um_rx_flush(struct rlc_um_rx *rx, struct pkt_queue *ret_ends)
{
	struct rlc_reassembly *r = &rx->reassembly;

	for (uint32_t sn = 0; sn <= r->mask; sn++) {
		if (!r->window[sn])
			continue;
		pkt_queue_move(ret_ends, &r->window[sn]->ends);
		rlc_pool_put(r->pool, r->window[sn]);
		r->window[sn] = NULL;
	}
	r->lower = rx->vr_ur = rx->vr_uh;
	r->tail.open = false;
	rx->expiry_ns = CELL_NEVER;
}

void rlc_um_rx_reestablish(struct rlc_um_rx *rx, struct rlc_out *out)
{
	release_below(rx, rx->vr_uh, out);
	rx->vr_ur = rx->vr_ux = rx->vr_uh = 0;
	rx->reassembly.lower = 0;
	rx->reassembly.tail.open = false;
	rx->expiry_ns = CELL_NEVER;
}
