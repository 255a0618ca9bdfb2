/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um_rx.c - receiving half of NR's RLC UM; see um.h.
 *
 * An SDU in one piece is delivered as it comes. Segments wait until their SDU is complete, until
 * t-Reassembly says that the rest will not come, or until the window, which ends with the highest
 * SN received, has left it behind. SNs are compared modulo 2^sn_bits with RX_Next_Highest - window
 * size as base.
 * Source: TS 38.322 5.2.2.2, 7.1
 */
#include <errno.h>
#include <string.h>

#include "rlc/nr/um.h"

void nr_um_rx_init(struct nr_um_rx *rx, uint8_t sn_bits, int64_t t_reassembly_ns, uint64_t *bits,
                   struct nr_store *store)
{
	uint32_t size = nr_window_size(sn_bits);

	*rx = (struct nr_um_rx){
		.window = { .done = { .word = bits, .size = size }, .size = size, .store = store },
		.sn_bits = sn_bits,
		.t_reassembly_ns = t_reassembly_ns,
		.expiry_ns = CELL_NEVER,
	};
}

static uint32_t window_lower(const struct nr_um_rx *rx)
{
	return nr_window_next(&rx->window, rx->rx_next_highest, rx->window.size);
}

static uint32_t dist(const struct nr_um_rx *rx, uint32_t sn)
{
	return nr_window_dist(&rx->window, window_lower(rx), sn);
}

static bool inside_window(const struct nr_um_rx *rx, uint32_t sn)
{
	return dist(rx, sn) < rx->window.size;
}

/* The first SDU from @sn on that is not complete, at most RX_Next_Highest. */
static uint32_t first_missing(const struct nr_um_rx *rx, uint32_t sn)
{
	return nr_window_find(&rx->window, rx->window.done, false, sn, rx->rx_next_highest);
}

/* Nothing before @sn is waited for any more. */
static void give_up_below(struct nr_um_rx *rx, uint32_t sn, struct rlc_out *out)
{
	struct nr_window *w = &rx->window;

	for (; rx->rx_next_reassembly != sn;
	     rx->rx_next_reassembly = nr_window_next(w, rx->rx_next_reassembly, 1)) {
		struct pkt *p;

		if (!nr_window_part(w, rx->rx_next_reassembly))
			continue;
		p = nr_window_drop(w, rx->rx_next_reassembly);
		out->discarded_pdus++;
		if (p)
			pkt_enqueue(&out->discarded, p);
	}
}

/* Something is missing that has been sent: of an SDU before the last, or between segments. */
static bool gap(const struct nr_um_rx *rx)
{
	uint32_t beyond = nr_window_dist(&rx->window, rx->rx_next_reassembly, rx->rx_next_highest);
	const struct nr_part *part;

	if (beyond != 1)
		return beyond > 1;
	part = nr_window_part(&rx->window, rx->rx_next_reassembly);
	return part && nr_part_has_gap(part);
}

static void start_timer(struct nr_um_rx *rx, int64_t now_ns)
{
	rx->expiry_ns = now_ns + rx->t_reassembly_ns;
	rx->rx_timer_trigger = rx->rx_next_highest;
}

/* Source: TS 38.322 5.2.2.2.3, the end */
static void update_timer(struct nr_um_rx *rx, int64_t now_ns)
{
	uint32_t trigger = rx->rx_timer_trigger;

	if (rx->expiry_ns != CELL_NEVER &&
	    (dist(rx, trigger) <= dist(rx, rx->rx_next_reassembly) ||
	     (!inside_window(rx, trigger) && trigger != rx->rx_next_highest) || !gap(rx)))
		rx->expiry_ns = CELL_NEVER;
	if (rx->expiry_ns == CELL_NEVER && gap(rx))
		start_timer(rx, now_ns);
}

static void discard(struct pkt_queue *ends, struct rlc_out *out)
{
	pkt_queue_move(&out->discarded, ends);
	out->discarded_pdus++;
}

/* The window comes to SDU @sn, if it has not yet, and leaves what it does not hold any more. */
static void reach(struct nr_um_rx *rx, uint32_t sn, struct rlc_out *out)
{
	const struct nr_window *w = &rx->window;
	uint32_t next = nr_window_next(w, sn, 1);
	uint32_t n = nr_window_dist(w, rx->rx_next_highest, next), held;

	if (inside_window(rx, sn))
		return;
	held = nr_window_dist(w, rx->rx_next_reassembly, rx->rx_next_highest) + n;
	bits_clear(w->done, rx->rx_next_highest, n);
	if (held > w->size)
		give_up_below(rx, nr_window_next(w, rx->rx_next_reassembly, held - w->size), out);
	rx->rx_next_highest = next;
	rx->rx_next_reassembly = first_missing(rx, rx->rx_next_reassembly);
}

/* A segment of an SDU that is not complete yet. Return: false when it is discarded. */
static bool place(struct nr_um_rx *rx, const struct nr_pdu *pdu, const uint8_t *data, uint32_t len,
                  struct pkt_queue *ends, struct rlc_out *out)
{
	struct nr_window *w = &rx->window;
	struct nr_part *part;

	if (inside_window(rx, pdu->sn) &&
	    (dist(rx, pdu->sn) < dist(rx, rx->rx_next_reassembly) || bits_get(w->done, pdu->sn)))
		return false;
	part = nr_window_add(w, pdu, data, len);
	if (!part)
		return false;
	if (!part->p)
		part->p = pkt_dequeue(ends);
	reach(rx, pdu->sn, out);
	if (nr_part_complete(part)) {
		nr_window_deliver(part->p, part->data, part->len, out);
		part->p = NULL;
		(void)nr_window_drop(w, pdu->sn);
		bits_set(w->done, pdu->sn);
		if (pdu->sn == rx->rx_next_reassembly)
			rx->rx_next_reassembly = first_missing(rx, pdu->sn);
	}
	return true;
}

int nr_um_rx_receive(struct nr_um_rx *rx, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                     int64_t now_ns, struct rlc_out *out, uint32_t *ret_sn)
{
	struct nr_pdu pdu;
	int header = nr_um_unpack(&pdu, rx->sn_bits, buf, len);

	if (header < 0 || pdu.so + len - (uint32_t)header > NR_SDU_MAX) {
		discard(ends, out);
		return -EBADMSG;
	}
	*ret_sn = pdu.si == NR_SI_ALL ? NR_SN_NONE : pdu.sn;
	if (pdu.si == NR_SI_ALL)
		nr_window_deliver(pkt_dequeue(ends), buf + header, len - (uint32_t)header, out);
	else if (place(rx, &pdu, buf + header, len - (uint32_t)header, ends, out))
		update_timer(rx, now_ns);
	else
		discard(ends, out);
	return 0;
}

void nr_um_rx_expire(struct nr_um_rx *rx, int64_t now_ns, struct rlc_out *out)
{
	rx->expiry_ns = CELL_NEVER;
	give_up_below(rx, first_missing(rx, rx->rx_timer_trigger), out);
	if (gap(rx))
		start_timer(rx, now_ns);
}

void nr_um_rx_reset(struct nr_um_rx *rx, struct pkt_queue *ret)
{
	nr_window_clear(&rx->window, ret);
	rx->rx_next_reassembly = rx->rx_timer_trigger = rx->rx_next_highest = 0;
	rx->expiry_ns = CELL_NEVER;
}
