/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am_rx.c - receiving half of NR's RLC AM; see am.h.
 *
 * The window starts at RX_Next, the first SDU that is not complete. An SDU is delivered as soon as
 * it is complete, whatever is missing before it. When a gap shows, t-Reassembly starts; once it
 * expires, what is missing below RX_Next_Status_Trigger counts as lost, RX_Highest_Status goes
 * beyond it and a STATUS PDU names it. A poll is answered as soon as its SN is below
 * RX_Highest_Status, as until then HARQ may still bring what is missing. STATUS PDUs are no more
 * frequent than t-StatusProhibit. SNs are compared with RX_Next as base.
 * Source: TS 38.322 5.2.3.2, 5.3.4, 7.1
 */
#include <errno.h>
#include <string.h>

#include "rlc/nr/am.h"

void nr_am_rx_init(struct nr_am_rx *rx, uint8_t sn_bits, int64_t t_reassembly_ns,
                   int64_t t_status_prohibit_ns, uint64_t *bits, struct nr_am_tx *sender,
                   struct nr_store *store)
{
	uint32_t size = nr_window_size(sn_bits);

	*rx = (struct nr_am_rx){
		.window = { .done = { .word = bits, .size = size }, .size = size, .store = store },
		.polled = { .word = bits + bits_words(size), .size = size },
		.sender = sender,
		.sn_bits = sn_bits,
		.t_reassembly_ns = t_reassembly_ns,
		.t_status_prohibit_ns = t_status_prohibit_ns,
	};
	nr_am_rx_reset(rx);
}

static uint32_t dist(const struct nr_am_rx *rx, uint32_t sn)
{
	return nr_window_dist(&rx->window, rx->rx_next, sn);
}

/* The first SDU from @sn on that is not complete, at most RX_Next_Highest. */
static uint32_t first_missing(const struct nr_am_rx *rx, uint32_t sn)
{
	return nr_window_find(&rx->window, rx->window.done, false, sn, rx->rx_next_highest);
}

/* A poll is answered at once unless HARQ may still bring what is missing before it. */
static void note_poll(struct nr_am_rx *rx, uint32_t sn, bool discarded)
{
	if (discarded || dist(rx, sn) < dist(rx, rx->rx_highest_status))
		rx->status_due = true;
	else
		bits_set(rx->polled, sn);
}

/* RX_Highest_Status moves to @to, which answers each poll that it passes. */
static void advance_highest_status(struct nr_am_rx *rx, uint32_t to)
{
	if (nr_window_find(&rx->window, rx->polled, true, rx->rx_highest_status, to) != to)
		rx->status_due = true;
	rx->rx_highest_status = to;
}

/* Beyond @sn something came, or behind a gap of it. */
static bool gap_from(const struct nr_am_rx *rx, uint32_t sn)
{
	uint32_t beyond = nr_window_dist(&rx->window, sn, rx->rx_next_highest);
	const struct nr_part *part;

	if (beyond != 1)
		return beyond > 1;
	part = nr_window_part(&rx->window, sn);
	return part && nr_part_has_gap(part);
}

static void start_timer(struct nr_am_rx *rx, int64_t now_ns)
{
	rx->reassembly_expiry_ns = now_ns + rx->t_reassembly_ns;
	rx->rx_next_status_trigger = rx->rx_next_highest;
}

/* Source: TS 38.322 5.2.3.2.3, the end */
static void update_timer(struct nr_am_rx *rx, int64_t now_ns)
{
	uint32_t trigger = dist(rx, rx->rx_next_status_trigger);

	if (rx->reassembly_expiry_ns != CELL_NEVER) {
		const struct nr_part *part = nr_window_part(&rx->window, rx->rx_next);

		if (trigger == 0 || trigger > rx->window.size ||
		    (trigger == 1 && !(part && nr_part_has_gap(part))))
			rx->reassembly_expiry_ns = CELL_NEVER;
	}
	if (rx->reassembly_expiry_ns == CELL_NEVER && gap_from(rx, rx->rx_next))
		start_timer(rx, now_ns);
}

static void deliver(struct nr_am_rx *rx, uint32_t sn, const uint8_t *data, uint32_t len,
                    struct rlc_out *out)
{
	bits_set(rx->window.done, sn);
	nr_window_deliver(nr_am_tx_deliver(rx->sender, sn), data, len, out);
}

/* The window comes to SDU @sn, if it has not yet. */
static void reach(struct nr_am_rx *rx, uint32_t sn)
{
	uint32_t next = nr_window_next(&rx->window, sn, 1), n;

	if (dist(rx, sn) < dist(rx, rx->rx_next_highest))
		return;
	n = nr_window_dist(&rx->window, rx->rx_next_highest, next);
	bits_clear(rx->window.done, rx->rx_next_highest, n);
	bits_clear(rx->polled, rx->rx_next_highest, n);
	rx->rx_next_highest = next;
}

/*
 * Put the bytes into the reception buffer, and deliver what is complete with them.
 *
 * Return: false when they are discarded. Source: TS 38.322 5.2.3.2.2
 */
static bool place(struct nr_am_rx *rx, const struct nr_pdu *pdu, const uint8_t *data, uint32_t len,
                  struct rlc_out *out)
{
	struct nr_window *w = &rx->window;
	const struct nr_part *part;

	if (dist(rx, pdu->sn) >= w->size ||
	    (dist(rx, pdu->sn) < dist(rx, rx->rx_next_highest) && bits_get(w->done, pdu->sn)))
		return false;
	if (pdu->si == NR_SI_ALL) {
		reach(rx, pdu->sn);
		(void)nr_window_drop(w, pdu->sn);
		deliver(rx, pdu->sn, data, len, out);
		return true;
	}
	part = nr_window_add(w, pdu, data, len);
	if (!part)
		return false;
	reach(rx, pdu->sn);
	if (nr_part_complete(part)) {
		deliver(rx, pdu->sn, part->data, part->len, out);
		(void)nr_window_drop(w, pdu->sn);
	}
	return true;
}

int nr_am_rx_receive(struct nr_am_rx *rx, const uint8_t *buf, uint32_t len, int64_t now_ns,
                     struct rlc_out *out)
{
	struct nr_pdu pdu;
	int header = nr_am_unpack(&pdu, rx->sn_bits, buf, len);

	if (header < 0 || pdu.so + len - (uint32_t)header > NR_SDU_MAX) {
		out->discarded_pdus++;
		return -EBADMSG;
	}
	if (!place(rx, &pdu, buf + header, len - (uint32_t)header, out)) {
		out->discarded_pdus++;
		if (pdu.poll)
			note_poll(rx, pdu.sn, true);
		return (int)pdu.sn;
	}
	rx->status_bytes = 0;
	if (pdu.sn == rx->rx_highest_status)
		advance_highest_status(rx, first_missing(rx, pdu.sn));
	if (pdu.poll)
		note_poll(rx, pdu.sn, false);
	if (pdu.sn == rx->rx_next)
		rx->rx_next = first_missing(rx, pdu.sn);
	update_timer(rx, now_ns);
	return (int)pdu.sn;
}

void nr_am_rx_expire(struct nr_am_rx *rx, int64_t now_ns)
{
	rx->reassembly_expiry_ns = CELL_NEVER;
	advance_highest_status(rx, first_missing(rx, rx->rx_next_status_trigger));
	rx->status_due = true;
	rx->status_bytes = 0;
	if (gap_from(rx, rx->rx_highest_status))
		start_timer(rx, now_ns);
}

/* --- STATUS PDUs --- */

/* A STATUS PDU under construction: what is missing, from RX_Next on. */
struct report {
	const struct nr_am_rx *rx;
	struct nr_status_writer *writer; /* NULL: only its size is of interest */
	uint32_t max;
	uint32_t size; /* with `nack` */
	struct nr_nack nack;
	bool open; /* there is one in `nack` that may yet grow */
};

static void close_nack(struct report *r)
{
	if (r->open && r->writer)
		nr_status_add(r->writer, &r->nack);
	r->open = false;
}

/* Bytes @from..@to of SDU @sn are missing; NR_SO_END for @to: to the end. Return: false, and no
 * change, when that does not fit. */
static bool add_missing(struct report *r, uint32_t sn, uint16_t from, uint16_t to)
{
	uint16_t so_end = to == NR_SO_END ? to : (uint16_t)(to - 1);
	struct nr_nack nack = { .sn = sn, .range = 1, .so_start = from, .so_end = so_end };
	uint8_t sn_bits = r->rx->sn_bits;
	uint32_t size = r->size;
	bool grows = r->open && r->nack.so_end == NR_SO_END && from == 0 &&
	             r->nack.range < NR_NACK_RANGE_MAX &&
	             nr_window_next(&r->rx->window, r->nack.sn, r->nack.range) == sn;

	if (grows) {
		size -= nr_nack_bytes(&r->nack, sn_bits);
		nack = r->nack;
		nack.range++;
		nack.so_end = so_end;
	}
	nack.has_so = nack.so_start > 0 || nack.so_end != NR_SO_END;
	size += nr_nack_bytes(&nack, sn_bits);
	if (size > r->max)
		return false;
	if (!grows)
		close_nack(r);
	r->nack = nack;
	r->open = true;
	r->size = size;
	return true;
}

/* What is missing of SDU @sn. Return: portions of it that fitted, as a negative number when
 * another one did not. */
static int add_sdu(struct report *r, uint32_t sn)
{
	const struct nr_part *part = nr_window_part(&r->rx->window, sn);
	uint16_t from = 0;
	int n = 0;

	for (uint16_t i = 0; part && i < part->ranges.n; i++) {
		if (part->ranges.at[i].from > from &&
		    !add_missing(r, sn, from, part->ranges.at[i].from))
			return -n - 1;
		n += part->ranges.at[i].from > from;
		from = part->ranges.at[i].to;
	}
	if (part && from == part->len)
		return n;
	return add_missing(r, sn, from, NR_SO_END) ? n + 1 : -n - 1;
}

/* Return: ACK_SN, the next SDU missing that is not named. */
static uint32_t add_all(struct report *r)
{
	const struct nr_am_rx *rx = r->rx;
	const struct nr_window *w = &rx->window;
	uint32_t end = rx->rx_highest_status;

	for (uint32_t sn = rx->rx_next; sn != end;) {
		int n = add_sdu(r, sn);

		if (n == -1)
			return sn;
		sn = nr_window_find(w, w->done, false, nr_window_next(w, sn, 1), end);
		if (n < 0)
			return sn;
	}
	return end;
}

uint32_t nr_am_rx_status_bytes(struct nr_am_rx *rx)
{
	struct report r = { .rx = rx, .max = UINT32_MAX, .size = NR_STATUS_HEADER };

	if (!nr_am_rx_status_ready(rx))
		return 0;
	if (rx->status_bytes == 0) {
		(void)add_all(&r);
		rx->status_bytes = r.size;
	}
	return rx->status_bytes;
}

uint32_t nr_am_rx_status_build(struct nr_am_rx *rx, uint32_t max, int64_t now_ns, uint8_t *buf,
                               uint32_t *ret_ack_sn, uint32_t *ret_n)
{
	struct nr_status_writer writer;
	struct report r = { .rx = rx, .writer = &writer, .max = max, .size = NR_STATUS_HEADER };

	if (!nr_am_rx_status_ready(rx) || max < NR_STATUS_HEADER)
		return 0;
	nr_status_start(&writer, rx->sn_bits, buf);
	*ret_ack_sn = add_all(&r);
	close_nack(&r);
	*ret_n = writer.n;
	rx->status_due = false;
	if (rx->t_status_prohibit_ns > 0)
		rx->prohibit_expiry_ns = now_ns + rx->t_status_prohibit_ns;
	return nr_status_end(&writer, *ret_ack_sn);
}

void nr_am_rx_reset(struct nr_am_rx *rx)
{
	struct pkt_queue none = { 0 };

	nr_window_clear(&rx->window, &none);
	rx->rx_next = rx->rx_next_status_trigger = 0;
	rx->rx_highest_status = rx->rx_next_highest = 0;
	rx->status_bytes = 0;
	rx->status_due = false;
	rx->reassembly_expiry_ns = rx->prohibit_expiry_ns = CELL_NEVER;
}
