/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am_tx.c - transmitting half of NR's RLC AM; see am.h.
 *
 * An SDU gets its SN, TX_Next, when its first byte is sent, and is kept until it is acknowledged;
 * at most AM_Window_Size SDUs lie between TX_Next_Ack and TX_Next. It is sent in one PDU, or in as
 * many segments as the grants make of it. Those not acknowledged are a list in order of SN: a
 * STATUS PDU takes out what it acknowledges, each SDU before ACK_SN that no NACK names, so what it
 * costs is what it says, whatever the window holds. Only the receiver looks SDUs up by SN, to have
 * the packet of one that is complete.
 *
 * A NACK names SDUs or, by SOstart and SOend, parts of them. `ranges` are the bytes of an SDU to be
 * sent again, before anything new, cut again as the grants allow. RETX_COUNT counts how often an
 * SDU is considered for that, the first time as 0; when it reaches maxRetxThreshold the radio link
 * has failed.
 *
 * A PDU polls when pollPDU PDUs or pollByte bytes of new data have been sent since the last poll,
 * and when nothing can follow it: both buffers are empty, or no new SDU can be sent. POLL_SN is the
 * highest SN sent by then, and t-PollRetransmit runs until a STATUS PDU says something of POLL_SN.
 * If it expires the next PDU polls. Where there is none, the newest SDU is sent again to do so.
 * Source: TS 38.322 5.2.3.1, 5.3.2, 5.3.3, 7.1
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "rlc/common/rlc.h"
#include "rlc/nr/am.h"

void nr_am_tx_init(struct nr_am_tx *tx, const struct nr_am_cfg *cfg, uint32_t *slot,
                   struct nr_store *store)
{
	*tx = (struct nr_am_tx){
		.queue.limit = cfg->queue_limit,
		.store = store,
		.slot = slot,
		.poll_pdu = cfg->poll_pdu,
		.poll_byte = cfg->poll_byte,
		.sn_bits = cfg->sn_bits,
		.max_retx_threshold = cfg->max_retx_threshold,
		.t_poll_retransmit_ns = cfg->t_poll_retransmit_ns,
		.expiry_ns = CELL_NEVER,
	};
}

static uint32_t sn_mask(const struct nr_am_tx *tx)
{
	return (UINT32_C(1) << tx->sn_bits) - 1;
}

/* SNs are compared with TX_Next_Ack as base. Source: TS 38.322 7.1 */
static uint32_t dist(const struct nr_am_tx *tx, uint32_t sn)
{
	return (sn - nr_am_tx_next_ack(tx)) & sn_mask(tx);
}

static uint32_t *slot_of(const struct nr_am_tx *tx, uint32_t sn)
{
	return &tx->slot[sn % nr_window_size(tx->sn_bits)];
}

/* The window has no place for another SDU. */
static bool full(const struct nr_am_tx *tx)
{
	return dist(tx, tx->tx_next) >= nr_window_size(tx->sn_bits) || tx->store->n_sdus == 0;
}

/* What is left of an SDU that was started can always be sent. */
bool nr_am_tx_stalled(const struct nr_am_tx *tx)
{
	return tx->queue.head_sent == 0 && full(tx);
}

uint32_t nr_am_tx_bytes(const struct nr_am_tx *tx)
{
	const struct rlc_sdu_queue *q = &tx->queue;

	if (!full(tx))
		return tx->retx_bytes + q->bytes;
	return tx->retx_bytes +
	       (q->head_sent > 0 ? (uint32_t)(q->sdus.head->sdu_len - q->head_sent) : 0);
}

/* Both buffers are empty, or no new SDU can follow. Source: TS 38.322 5.3.3.2, 5.3.3.4 */
static bool nothing_new(const struct nr_am_tx *tx)
{
	return (tx->n_retx == 0 && tx->queue.bytes == 0) || nr_am_tx_stalled(tx);
}

static void start_poll(struct nr_am_tx *tx, int64_t now_ns)
{
	tx->pdu_without_poll = 0;
	tx->byte_without_poll = 0;
	tx->poll_due = false;
	tx->poll_sn = (tx->tx_next - 1) & sn_mask(tx);
	tx->expiry_ns = now_ns + tx->t_poll_retransmit_ns;
}

/* End of what fits @max bytes of bytes @from..@to of an SDU of @len; @from without room. */
static uint32_t cut_to_fit(const struct nr_am_tx *tx, uint32_t from, uint32_t to, uint32_t len,
                           uint32_t max)
{
	uint32_t header = nr_am_header_bytes(tx->sn_bits, nr_si(from, to, len));

	if (max <= header)
		return from;
	return to - from <= max - header ? to : from + max - header;
}

/* Bytes @from..@to of @sdu, which count as sent already. */
static struct nr_am_built emit(struct nr_am_tx *tx, const struct nr_sdu *sdu, uint32_t from,
                               uint32_t to, int64_t now_ns, uint8_t *buf)
{
	uint32_t len = sdu->p->sdu_len, n;
	struct nr_pdu header = {
		.sn = sdu->sn,
		.so = (uint16_t)from,
		.si = (uint8_t)nr_si(from, to, len),
		.poll = tx->poll_due || tx->pdu_without_poll >= tx->poll_pdu ||
		        tx->byte_without_poll >= tx->poll_byte || nothing_new(tx),
	};

	n = nr_am_pack(&header, tx->sn_bits, buf);
	memcpy(buf + n, pkt_sdu(sdu->p) + from, to - from);
	if (header.poll)
		start_poll(tx, now_ns);
	return (struct nr_am_built){
		.size = n + to - from,
		.sn = sdu->sn,
		.pkt = sdu->p->id,
		.tag = sdu->p->tag,
		.so = (uint16_t)from,
		.data = (uint16_t)(to - from),
		.ends = to == len,
		.poll = header.poll,
		.retx_count = sdu->retx_count,
	};
}

/* --- retransmissions --- */

/* Bytes of @sdu that are to be sent again. */
static uint32_t pending_bytes(const struct nr_sdu *sdu)
{
	uint32_t n = 0;

	for (uint16_t i = 0; i < sdu->ranges.n; i++)
		n += (uint32_t)(sdu->ranges.at[i].to - sdu->ranges.at[i].from);
	return n;
}

/* Bytes @from..@to of @sdu have to be sent again. Return: not all of them were pending already. */
static bool pend(struct nr_am_tx *tx, struct nr_sdu *sdu, uint32_t from, uint32_t to)
{
	uint32_t before = pending_bytes(sdu), after;

	if (!rlc_ranges_add(&sdu->ranges, (uint16_t)from, (uint16_t)to)) {
		sdu->ranges.n = 0; /* too scattered: all of it */
		(void)rlc_ranges_add(&sdu->ranges, 0, sdu->sent);
	}
	after = pending_bytes(sdu);
	tx->retx_bytes += after - before;
	tx->n_retx += before == 0;
	return after > before;
}

static void drop_retx(struct nr_am_tx *tx, struct nr_sdu *sdu)
{
	tx->retx_bytes -= pending_bytes(sdu);
	tx->n_retx -= sdu->ranges.n > 0;
	sdu->ranges.n = 0;
}

/* @sdu is considered for retransmission. Source: TS 38.322 5.3.2 */
static void count_retx(struct nr_am_tx *tx, struct nr_sdu *sdu)
{
	if (!sdu->considered)
		sdu->considered = true; /* RETX_COUNT = 0 */
	else if (sdu->retx_count < UINT8_MAX && ++sdu->retx_count >= tx->max_retx_threshold)
		tx->max_retx_reached = true;
}

static struct nr_am_built build_retx(struct nr_am_tx *tx, uint32_t max, int64_t now_ns,
                                     uint8_t *buf)
{
	struct nr_am_built built;
	struct nr_sdu *sdu;
	uint32_t from, to;

	while (tx->retx->ranges.n == 0)
		tx->retx = tx->retx->next;
	sdu = tx->retx;
	from = sdu->ranges.at[0].from;
	to = cut_to_fit(tx, from, sdu->ranges.at[0].to, sdu->p->sdu_len, max);
	if (to == from)
		return (struct nr_am_built){ 0 };
	rlc_ranges_take(&sdu->ranges, (uint16_t)to);
	tx->retx_bytes -= to - from;
	tx->n_retx -= sdu->ranges.n == 0;
	built = emit(tx, sdu, from, to, now_ns, buf);
	built.retx = true;
	return built;
}

/* --- new data --- */

/* The first SDU of the queue gets a place in the window. */
static void start(struct nr_am_tx *tx)
{
	struct nr_sdu *sdu = nr_sdu_get(tx->store);

	CELL_ASSERT(sdu);
	sdu->p = tx->queue.sdus.head;
	sdu->owner = tx;
	sdu->sn = tx->tx_next;
	sdu->named = sdu->counted = tx->n_status;
	*slot_of(tx, sdu->sn) = (uint32_t)(sdu - tx->store->sdu);
	if (tx->last)
		tx->last->next = sdu;
	else
		tx->first = tx->retx = sdu;
	tx->last = sdu;
	tx->tx_next = (tx->tx_next + 1) & sn_mask(tx);
}

struct pkt *nr_am_tx_fresh(const struct nr_am_tx *tx, uint32_t max)
{
	struct pkt *p = tx->queue.sdus.head;

	if (!p || tx->n_retx > 0 || tx->queue.head_sent > 0 || nr_am_tx_stalled(tx))
		return NULL;
	return cut_to_fit(tx, 0, p->sdu_len, p->sdu_len, max) > 0 ? p : NULL;
}

static struct nr_am_built build_new(struct nr_am_tx *tx, uint32_t max, int64_t now_ns, uint8_t *buf)
{
	struct rlc_sdu_queue *q = &tx->queue;
	const struct pkt *p = q->sdus.head;
	uint32_t from = q->head_sent, to;

	if (!p || nr_am_tx_stalled(tx))
		return (struct nr_am_built){ 0 };
	to = cut_to_fit(tx, from, p->sdu_len, p->sdu_len, max);
	if (to == from)
		return (struct nr_am_built){ 0 };
	if (from == 0)
		start(tx);
	tx->last->sent = q->head_sent = (uint16_t)to;
	q->bytes -= to - from;
	if (to == p->sdu_len) {
		(void)pkt_dequeue(&q->sdus);
		q->head_sent = 0;
	}
	tx->pdu_without_poll++;
	tx->byte_without_poll += to - from;
	return emit(tx, tx->last, from, to, now_ns, buf);
}

struct nr_am_built nr_am_tx_build(struct nr_am_tx *tx, uint32_t max, int64_t now_ns, uint8_t *buf)
{
	return tx->n_retx > 0 ? build_retx(tx, max, now_ns, buf) : build_new(tx, max, now_ns, buf);
}

/* --- acknowledgments --- */

/* Where a STATUS PDU has come to in the list: SDUs before `at` are done with. */
struct progress {
	struct nr_sdu *before; /* the last of those that remain before `at` */
	struct nr_sdu *at;
};

static void acknowledge(struct nr_am_tx *tx, struct progress *on)
{
	struct nr_sdu *sdu = on->at;

	CELL_ASSERT(!sdu->spare); /* inside the cell what is acknowledged was delivered */
	if (tx->rlc)
		tx->rlc->confirm(tx->rlc, sdu->p->count);
	drop_retx(tx, sdu);
	on->at = sdu->next;
	if (on->before)
		on->before->next = on->at;
	else
		tx->first = on->at;
	if (tx->last == sdu)
		tx->last = on->before;
	nr_sdu_put(tx->store, sdu);
}

/* SDUs before @sn that this STATUS PDU did not name have arrived. */
static void acknowledge_to(struct nr_am_tx *tx, struct progress *on, uint32_t base, uint32_t sn)
{
	uint32_t end = (sn - base) & sn_mask(tx);

	while (on->at && ((on->at->sn - base) & sn_mask(tx)) < end) {
		if (on->at->named != tx->n_status && on->at->sent == on->at->p->sdu_len) {
			acknowledge(tx, on);
		} else {
			on->before = on->at;
			on->at = on->at->next;
		}
	}
}

/* Bytes @from..@to of @sdu, as far as they were sent, are missing. What one STATUS PDU says of an
 * SDU is one consideration. */
static void name_missing(struct nr_am_tx *tx, struct nr_sdu *sdu, uint32_t from, uint32_t to)
{
	sdu->named = tx->n_status;
	to = to < sdu->sent ? to : sdu->sent;
	if (from >= to || !pend(tx, sdu, from, to) || sdu->counted == tx->n_status)
		return;
	sdu->counted = tx->n_status;
	count_retx(tx, sdu);
}

/* @base: TX_Next_Ack when the STATUS PDU came. */
static void handle_nack(struct nr_am_tx *tx, struct progress *on, uint32_t base,
                        struct nr_nack nack)
{
	uint32_t before = (base - nack.sn) & sn_mask(tx);
	uint32_t first, last;

	/* A late STATUS PDU starts with what another one acknowledged meanwhile. */
	if (before > 0 && before < nack.range) {
		nack.range = (uint16_t)(nack.range - before);
		nack.sn = base;
		nack.so_start = 0;
	}
	first = (nack.sn - base) & sn_mask(tx);
	if (first >= ((tx->tx_next - base) & sn_mask(tx)))
		return;
	last = first + nack.range - 1;
	acknowledge_to(tx, on, base, nack.sn);
	for (struct nr_sdu *sdu = on->at; sdu; sdu = sdu->next) {
		uint32_t d = (sdu->sn - base) & sn_mask(tx);

		if (d > last)
			break;
		name_missing(tx, sdu, d == first ? nack.so_start : 0,
		             d == last && nack.so_end != NR_SO_END ? nack.so_end + 1u : UINT16_MAX);
	}
}

int nr_am_tx_status(struct nr_am_tx *tx, struct nr_status_reader status)
{
	uint32_t base = nr_am_tx_next_ack(tx);
	struct progress on = { .at = tx->first };
	struct nr_nack nack;

	if (dist(tx, status.ack_sn) > dist(tx, tx->tx_next))
		return -EBADMSG;
	if (dist(tx, tx->poll_sn) < dist(tx, status.ack_sn))
		tx->expiry_ns = CELL_NEVER;
	tx->n_status++;
	while (nr_status_next(&status, &nack))
		handle_nack(tx, &on, base, nack);
	acknowledge_to(tx, &on, base, status.ack_sn);
	tx->retx = tx->first;
	/* What was to carry the poll was acknowledged after all; nothing else would ask. */
	if (tx->poll_due && tx->n_retx == 0 && nothing_new(tx))
		nr_am_tx_expire(tx);
	return 0;
}

void nr_am_tx_expire(struct nr_am_tx *tx)
{
	tx->expiry_ns = CELL_NEVER;
	if (!tx->first)
		return;
	if (nothing_new(tx) && pend(tx, tx->last, 0, tx->last->sent))
		count_retx(tx, tx->last);
	tx->poll_due = true;
}

struct pkt *nr_am_tx_deliver(struct nr_am_tx *tx, uint32_t sn)
{
	struct nr_sdu *sdu;

	if (dist(tx, sn) >= dist(tx, tx->tx_next))
		return NULL;
	sdu = &tx->store->sdu[*slot_of(tx, sn)];
	if (sdu->owner != tx || sdu->sn != sn || !sdu->spare || sdu->sent < sdu->p->sdu_len)
		return NULL;
	return nr_sdu_deliver(sdu);
}

/* --- re-establishment --- */

void nr_am_tx_reset(struct nr_am_tx *tx)
{
	struct pkt_queue waiting = { 0 };
	struct nr_sdu *sdu;

	tx->queue.bytes += tx->queue.head_sent;
	tx->queue.head_sent = 0;
	while ((sdu = tx->first)) {
		if (sdu->spare && sdu->p && sdu->p != tx->queue.sdus.head) {
			tx->queue.bytes += sdu->p->sdu_len;
			pkt_enqueue(&waiting, sdu->p);
		}
		tx->first = sdu->next;
		nr_sdu_put(tx->store, sdu);
	}
	pkt_queue_move(&waiting, &tx->queue.sdus);
	tx->queue.sdus = waiting;
	tx->last = tx->retx = NULL;
	tx->tx_next = tx->poll_sn = 0;
	tx->n_retx = tx->retx_bytes = 0;
	tx->pdu_without_poll = tx->byte_without_poll = 0;
	tx->poll_due = tx->max_retx_reached = false;
	tx->expiry_ns = CELL_NEVER;
}

void nr_am_tx_kept(struct nr_am_tx *tx, void (*visit)(void *arg, struct rlc_kept_sdu sdu),
                   void *arg)
{
	for (struct nr_sdu *sdu = tx->first; sdu; sdu = sdu->next) {
		struct pkt *p = sdu->p;

		if (sdu->sent < p->sdu_len)
			break; /* it is in the queue */
		if (sdu->spare)
			sdu->p = NULL; /* the caller takes it */
		visit(arg, (struct rlc_kept_sdu){
				   .p = sdu->p ? NULL : p, .data = pkt_sdu(p), .len = p->sdu_len });
	}
}
