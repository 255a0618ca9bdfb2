/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reassembly.c - SDUs out of received PDUs; see reassembly.h.
 *
 * An element is what one PDU holds of one SDU: the bytes between two
 * neighbouring cuts, or between a cut and the PDU's edge.
 */
#include "rlc/common/reassembly.h"

#include <string.h>

void rlc_reassembly_init(struct rlc_reassembly *r, uint16_t mask, enum cell_delivery delivery,
                         struct rlc_pdu **window, struct rlc_pdu **sent, struct rlc_pool *pool)
{
	r->window = window;
	r->sent = sent;
	r->pool = pool;
	r->mask = mask;
	r->lower = r->lower_from = 0;
	r->out_of_sequence = delivery == CELL_DELIVERY_OUT_OF_SEQUENCE;
	r->tail.open = r->whole.open = false;
	memset(window, 0, (mask + 1u) * sizeof(*window));
}

void rlc_sdu_start(struct rlc_sdu *sdu)
{
	sdu->open = true;
	sdu->len = 0;
}

void rlc_sdu_append(struct rlc_sdu *sdu, const uint8_t *data, uint32_t len)
{
	if (!sdu->open)
		return;
	if (len > sizeof(sdu->data) - sdu->len) {
		sdu->open = false; /* no SDU of ours is that long */
		return;
	}
	memcpy(sdu->data + sdu->len, data, len);
	sdu->len = (uint16_t)(sdu->len + len);
}

/* @sdu ended at @offset of PDU @sn: it goes up, if it is whole. */
static void sdu_end(struct rlc_reassembly *r, struct rlc_sdu *sdu, uint16_t sn, uint16_t offset,
                    struct rlc_out *out)
{
	struct rlc_pdu *owner = r->sent ? r->sent[sn] : r->window[sn];
	struct pkt *p;

	if (!sdu->open)
		return;
	sdu->open = false;
	p = owner ? rlc_pdu_take(owner, offset) : NULL;
	if (!p) {
		out->foreign_sdus++;
		return;
	}
	/* After a whole turn of SNs was lost, segments of two SDUs meet. */
	if (sdu->len != p->sdu_len) {
		pkt_enqueue(&out->discarded, p);
		return;
	}
	memcpy(pkt_sdu(p), sdu->data, sdu->len);
	pkt_enqueue(&out->delivered, p);
}

/* Put the start of the SDU that goes on in PDU @sn into `whole`. */
static bool collect_before(struct rlc_reassembly *r, uint16_t sn)
{
	uint16_t first = sn, from = 0;

	for (;;) { /* find where it starts */
		const struct rlc_pdu *pdu;
		uint16_t last_cut = 0;

		if (first == r->lower) {
			r->whole = r->tail;
			break;
		}
		first = (uint16_t)((first - 1) & r->mask);
		pdu = r->window[first];
		if (!pdu || pdu->len == 0 || rlc_pdu_has_cut(pdu, pdu->len))
			return false;
		if (pdu->n_cuts > 0)
			last_cut = pdu->cut[pdu->n_cuts - 1];
		if (!rlc_ranges_cover(&pdu->ranges, last_cut, pdu->len))
			return false;
		if (pdu->n_cuts > 0) {
			rlc_sdu_start(&r->whole);
			from = last_cut;
			break;
		}
	}
	for (; first != sn; first = (uint16_t)((first + 1) & r->mask), from = 0) {
		const struct rlc_pdu *pdu = r->window[first];

		rlc_sdu_append(&r->whole, pdu->data + from, (uint32_t)(pdu->len - from));
	}
	return r->whole.open;
}

/* Append what follows PDU @sn of the SDU in `whole`, and deliver it when all is there. */
static void finish_after(struct rlc_reassembly *r, uint16_t sn, struct rlc_out *out)
{
	for (;;) {
		const struct rlc_pdu *pdu;
		uint16_t end;

		sn = (uint16_t)((sn + 1) & r->mask);
		pdu = r->window[sn];
		if (sn == r->lower || !pdu || rlc_pdu_has_cut(pdu, 0))
			return;
		end = rlc_pdu_cut_after(pdu, 0);
		if (!rlc_ranges_cover(&pdu->ranges, 0, end == UINT16_MAX ? pdu->len : end) ||
		    (end == UINT16_MAX && pdu->len == 0))
			return;
		rlc_sdu_append(&r->whole, pdu->data, end == UINT16_MAX ? pdu->len : end);
		if (end != UINT16_MAX) {
			sdu_end(r, &r->whole, sn, end, out);
			return;
		}
	}
}

/* The element @from..@to of PDU @sn is there: deliver its SDU if the rest is, too. */
static void try_element(struct rlc_reassembly *r, uint16_t sn, uint16_t from, uint16_t to,
                        struct rlc_out *out)
{
	struct rlc_pdu *pdu = r->window[sn];

	r->whole.open = false;
	if (rlc_pdu_has_cut(pdu, from))
		rlc_sdu_start(&r->whole);
	else if (from > 0 || !collect_before(r, sn))
		return;
	rlc_sdu_append(&r->whole, pdu->data + from, (uint32_t)(to - from));
	if (rlc_pdu_has_cut(pdu, to))
		sdu_end(r, &r->whole, sn, to, out);
	else if (to == pdu->len)
		finish_after(r, sn, out);
}

void rlc_reassembly_arrived(struct rlc_reassembly *r, uint16_t sn, uint16_t from, uint16_t to,
                            const struct rlc_ranges *before, struct rlc_out *out)
{
	const struct rlc_pdu *pdu = r->window[sn];
	uint16_t start = 0, end = 0, next;

	if (!r->out_of_sequence)
		return;
	for (uint16_t i = 0; i < pdu->ranges.n; i++)
		if (pdu->ranges.at[i].from <= from && to <= pdu->ranges.at[i].to) {
			start = pdu->ranges.at[i].from;
			end = pdu->ranges.at[i].to;
		}
	for (; start < end; start = next) {
		uint16_t cut = rlc_pdu_cut_after(pdu, start);
		uint16_t new_from, new_to;

		next = cut < end ? cut : end;
		new_from = start > from ? start : from;
		new_to = next < to ? next : to;
		if (new_from < new_to && !rlc_ranges_cover(before, new_from, new_to))
			try_element(r, sn, start, next, out);
	}
}

/* Go through the elements of PDU `lower` up to @end, carrying the last one on. */
static void go_through(struct rlc_reassembly *r, uint16_t end, struct rlc_out *out)
{
	const struct rlc_pdu *pdu = r->window[r->lower];
	uint16_t from = r->lower_from, to;

	for (; from < end; from = to) {
		uint16_t cut = rlc_pdu_cut_after(pdu, from);

		to = cut < end ? cut : end;
		if (rlc_pdu_has_cut(pdu, from))
			rlc_sdu_start(&r->tail);
		rlc_sdu_append(&r->tail, pdu->data + from, (uint32_t)(to - from));
		if (!rlc_pdu_has_cut(pdu, to))
			continue;
		if (r->out_of_sequence)
			r->tail.open = false; /* went up when it was complete */
		else
			sdu_end(r, &r->tail, r->lower, to, out);
	}
	r->lower_from = end;
}

void rlc_reassembly_advance(struct rlc_reassembly *r, struct rlc_out *out)
{
	const struct rlc_pdu *pdu = r->window[r->lower];

	/* Out of sequence `tail` ends where `lower` starts. */
	if (!r->out_of_sequence && pdu && pdu->ranges.n > 0 && pdu->ranges.at[0].from == 0)
		go_through(r, pdu->ranges.at[0].to, out);
}

void rlc_reassembly_release(struct rlc_reassembly *r, struct rlc_out *out)
{
	uint16_t sn = r->lower;
	struct rlc_pdu *pdu = r->window[sn];

	if (pdu) {
		go_through(r, pdu->len, out);
		pkt_queue_move(&out->discarded, &pdu->ends);
		r->window[sn] = NULL;
		rlc_pool_put(r->pool, pdu);
	} else {
		r->tail.open = false;
	}
	r->lower = (uint16_t)((sn + 1) & r->mask);
	r->lower_from = 0;
}

void rlc_reassembly_finish(struct rlc_reassembly *r, struct rlc_out *out)
{
	for (uint32_t n = 0; n <= r->mask / 2u; n++) {
		const struct rlc_pdu *pdu = r->window[r->lower];
		uint16_t end = r->lower_from;

		for (uint16_t i = 0; pdu && i < pdu->ranges.n && !r->out_of_sequence; i++) {
			if (pdu->ranges.at[i].from > end) {
				r->tail.open = false; /* a gap */
				r->lower_from = pdu->ranges.at[i].from;
			}
			end = pdu->ranges.at[i].to;
			go_through(r, end, out);
		}
		if (!pdu || pdu->len == 0 || end < pdu->len)
			r->tail.open = false;
		r->lower = (uint16_t)((r->lower + 1) & r->mask);
		r->lower_from = 0;
	}
}
