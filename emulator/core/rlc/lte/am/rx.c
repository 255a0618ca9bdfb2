/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rx.c - receiving half of RLC AM; see am.h.
 *
 * The window starts at vr_r, the first PDU that is not complete, and does not move before it
 * is. When a gap shows, t-Reordering starts; once it expires, what is missing below vr_x counts
 * as lost, vr_ms goes beyond it and a STATUS PDU names it. A poll is answered as soon as
 * its SN is below vr_ms, as until then HARQ may still bring what is missing. STATUS PDUs are no
 * more frequent than t-StatusProhibit. SNs are compared with vr_r (reassembly.lower) as base.
 * Source: TS 36.322 5.1.3.2, 5.2.3, 7.1
 */
#include <errno.h>
#include <string.h>

#include "rlc/lte/am/am.h"

void rlc_am_rx_init(struct rlc_am_rx *rx, int64_t t_reordering_ns, int64_t t_status_prohibit_ns,
                    enum cell_delivery delivery, struct rlc_pdu **window, struct rlc_pdu **sent,
                    struct rlc_pool *pool)
{
	rx->t_reordering_ns = t_reordering_ns;
	rx->t_status_prohibit_ns = t_status_prohibit_ns;
	rlc_reassembly_init(&rx->reassembly, AM_SN_MASK, delivery, window, sent, pool);
	rlc_am_rx_reset(rx);
}

static uint16_t sn_next(uint16_t sn)
{
	return (uint16_t)((sn + 1) & AM_SN_MASK);
}

static uint16_t dist(const struct rlc_am_rx *rx, uint16_t sn)
{
	return (uint16_t)((sn - rx->reassembly.lower) & AM_SN_MASK);
}

static bool received(const struct rlc_am_rx *rx, uint16_t sn)
{
	const struct rlc_pdu *pdu = rx->reassembly.window[sn];

	return pdu && rlc_pdu_complete(pdu);
}

static uint16_t first_missing(const struct rlc_am_rx *rx, uint16_t sn)
{
	while (received(rx, sn))
		sn = sn_next(sn);
	return sn;
}

/* A poll is answered at once unless reordering may still be going on. */
static void note_poll(struct rlc_am_rx *rx, uint16_t sn, bool discarded)
{
	if (discarded || dist(rx, sn) < dist(rx, rx->vr_ms))
		rx->status_due = true;
	else
		rx->reassembly.window[sn]->polled = true;
}

/* vr_ms moves to @to, which answers each poll that it passes. */
static void advance_vr_ms(struct rlc_am_rx *rx, uint16_t to)
{
	for (; rx->vr_ms != to; rx->vr_ms = sn_next(rx->vr_ms)) {
		const struct rlc_pdu *pdu = rx->reassembly.window[rx->vr_ms];

		if (pdu && pdu->polled)
			rx->status_due = true;
	}
}

/* A PDU has one end: where a segment with LSF says, and nothing lies behind it. */
static bool fits_end(const struct rlc_pdu *pdu, bool lsf, uint16_t to)
{
	if (pdu->len > 0)
		return lsf ? to == pdu->len : to <= pdu->len;
	return !lsf || pdu->ranges.at[pdu->ranges.n - 1].to <= to;
}

/*
 * Put the bytes into the PDU's place in the window.
 *
 * Return: false when they are not new, or cannot be of the same PDU as what came before.
 * Source: TS 36.322 5.1.3.2.2, 5.5.1
 */
static bool store(struct rlc_am_rx *rx, const struct am_pdu *am, const uint8_t *data, uint32_t len,
                  struct rlc_ranges *ret_before)
{
	struct rlc_pdu *pdu = rx->reassembly.window[am->sn];
	uint16_t from = am->so, to = (uint16_t)(am->so + len);

	if (pdu && (rlc_ranges_cover(&pdu->ranges, from, to) || !fits_end(pdu, am->lsf, to)))
		return false;
	if (!pdu)
		pdu = rx->reassembly.window[am->sn] = rlc_pool_get(rx->reassembly.pool);
	*ret_before = pdu->ranges;
	if (!rlc_ranges_add(&pdu->ranges, from, to))
		return false;
	memcpy(pdu->data + from, data, len);
	/* A PDU from here has room for them; in another one's SDUs then meet, and fit no packet. */
	(void)rlc_pdu_add_elements(pdu, from, am->fi, am->n, am->len);
	if (am->lsf)
		pdu->len = to;
	return true;
}

static void update_reordering_timer(struct rlc_am_rx *rx, int64_t now_ns)
{
	uint16_t lower = rx->reassembly.lower;

	if (rx->reordering_expiry_ns != CELL_NEVER &&
	    (rx->vr_x == lower || dist(rx, rx->vr_x) > AM_WINDOW))
		rx->reordering_expiry_ns = CELL_NEVER;
	if (rx->reordering_expiry_ns == CELL_NEVER && rx->vr_h != lower) {
		rx->reordering_expiry_ns = now_ns + rx->t_reordering_ns;
		rx->vr_x = rx->vr_h;
	}
}

int rlc_am_rx_receive(struct rlc_am_rx *rx, const uint8_t *buf, uint32_t len, int64_t now_ns,
                      struct rlc_out *out)
{
	struct rlc_ranges before;
	struct am_pdu am;
	size_t header;

	if (am_unpack(&am, &header, buf, len) < 0 ||
	    am.so + len - header > rx->reassembly.pool->data_max) {
		out->discarded_pdus++;
		return -EBADMSG;
	}
	len -= (uint32_t)header;
	if (dist(rx, am.sn) >= AM_WINDOW || !store(rx, &am, buf + header, len, &before)) {
		out->discarded_pdus++;
		if (am.poll)
			note_poll(rx, am.sn, true);
		return am.sn;
	}
	rlc_reassembly_arrived(&rx->reassembly, am.sn, am.so, (uint16_t)(am.so + len), &before,
	                       out);
	if (dist(rx, am.sn) >= dist(rx, rx->vr_h))
		rx->vr_h = sn_next(am.sn);
	if (am.sn == rx->vr_ms)
		advance_vr_ms(rx, first_missing(rx, rx->vr_ms));
	if (am.poll)
		note_poll(rx, am.sn, false);
	/* vr_ms >= vr_r: both move over what is complete. */
	while (received(rx, rx->reassembly.lower))
		rlc_reassembly_release(&rx->reassembly, out);
	rlc_reassembly_advance(&rx->reassembly, out);
	update_reordering_timer(rx, now_ns);
	return am.sn;
}

void rlc_am_rx_expire(struct rlc_am_rx *rx, int64_t now_ns)
{
	advance_vr_ms(rx, first_missing(rx, rx->vr_x));
	rx->reordering_expiry_ns = CELL_NEVER;
	if (dist(rx, rx->vr_h) > dist(rx, rx->vr_ms)) {
		rx->reordering_expiry_ns = now_ns + rx->t_reordering_ns;
		rx->vr_x = rx->vr_h;
	}
	rx->status_due = true; /* 5.2.3: detection of a reception failure */
}

/* NACKs of PDU @sn: all of it, or the bytes between and after those received. */
static uint16_t nacks_of(const struct rlc_am_rx *rx, uint16_t sn, struct am_nack *ret, uint16_t max)
{
	const struct rlc_pdu *pdu = rx->reassembly.window[sn];
	uint16_t n = 0, from = 0;

	if (!pdu) {
		ret[0] = (struct am_nack){ .sn = sn, .so_end = AM_SO_END };
		return 1;
	}
	for (uint16_t i = 0; i <= pdu->ranges.n && n < max; i++) {
		bool last = i == pdu->ranges.n;
		uint16_t to = last ? AM_SO_END : pdu->ranges.at[i].from;

		if (from < to && !(last && pdu->len > 0 && from >= pdu->len))
			ret[n++] =
				(struct am_nack){ .sn = sn,
				                  .has_so = true,
				                  .so_start = from,
				                  .so_end = last ? AM_SO_END : (uint16_t)(to - 1) };
		if (!last)
			from = pdu->ranges.at[i].to;
	}
	return n;
}

/* How many of @n NACKs, with SO or without, fit behind those in @status. */
static uint16_t nacks_fitting(const struct am_status *status, uint16_t n_so, uint16_t n, bool so,
                              uint32_t max)
{
	while (n > 0 &&
	       (status->n + n > AM_NACKS_MAX ||
	        am_status_bytes((uint16_t)(status->n + n), (uint16_t)(n_so + (so ? n : 0))) > max))
		n--;
	return n;
}

/*
 * What a STATUS PDU of at most @max bytes says: in order of SN and of bytes as
 * far as it fits. ACK_SN is the next PDU missing that it says nothing of.
 * Return: there is room for one.
 */
static bool fill_status(const struct rlc_am_rx *rx, uint32_t max, struct am_status *ret)
{
	uint16_t n_so = 0, sn = rx->reassembly.lower;
	struct am_nack nack[RLC_RANGES_MAX + 1];
	bool full = false;

	ret->n = 0;
	if (am_status_bytes(0, 0) > max)
		return false;
	for (; sn != rx->vr_ms; sn = sn_next(sn)) {
		uint16_t n, fit;
		bool so;

		if (received(rx, sn))
			continue;
		if (full)
			break;
		n = nacks_of(rx, sn, nack, RLC_RANGES_MAX + 1);
		so = n > 0 && nack[0].has_so;
		fit = nacks_fitting(ret, n_so, n, so, max);
		if (fit == 0)
			break;
		full = fit < n;
		memcpy(&ret->nack[ret->n], nack, fit * sizeof(*nack));
		ret->n = (uint16_t)(ret->n + fit);
		n_so = (uint16_t)(n_so + (so ? fit : 0));
	}
	ret->ack_sn = sn;
	return true;
}

uint32_t rlc_am_rx_status_bytes(const struct rlc_am_rx *rx)
{
	uint32_t n = 0, n_so = 0;

	if (!rlc_am_rx_status_ready(rx))
		return 0;
	for (uint16_t sn = rx->reassembly.lower; sn != rx->vr_ms; sn = sn_next(sn)) {
		struct am_nack nack[RLC_RANGES_MAX + 1];
		uint16_t k;

		if (received(rx, sn))
			continue;
		k = nacks_of(rx, sn, nack, RLC_RANGES_MAX + 1);
		n += k;
		n_so += nack[0].has_so ? k : 0;
	}
	return (uint32_t)am_status_bytes((uint16_t)n, (uint16_t)n_so);
}

uint32_t rlc_am_rx_status_build(struct rlc_am_rx *rx, uint32_t max, int64_t now_ns, uint8_t *buf,
                                struct am_status *ret)
{
	if (!rlc_am_rx_status_ready(rx) || !fill_status(rx, max, ret))
		return 0;
	rx->status_due = false;
	if (rx->t_status_prohibit_ns > 0)
		rx->prohibit_expiry_ns = now_ns + rx->t_status_prohibit_ns;
	return (uint32_t)am_status_pack(ret, buf);
}

void rlc_am_rx_finish(struct rlc_am_rx *rx, struct rlc_out *out)
{
	rlc_reassembly_finish(&rx->reassembly, out);
}

void rlc_am_rx_reset(struct rlc_am_rx *rx)
{
	struct rlc_reassembly *r = &rx->reassembly;

	for (uint32_t sn = 0; sn < AM_SLOTS; sn++) {
		if (r->window[sn])
			rlc_pool_put(r->pool, r->window[sn]);
		r->window[sn] = NULL;
	}
	r->lower = r->lower_from = 0;
	r->tail.open = false;
	rx->vr_x = rx->vr_ms = rx->vr_h = 0;
	rx->status_due = false;
	rx->reordering_expiry_ns = rx->prohibit_expiry_ns = CELL_NEVER;
}
