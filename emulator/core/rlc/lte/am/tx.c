/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx.c - transmitting half of RLC AM; see am.h.
 *
 * VT(S) is the SN of the next new PDU and VT(A) that of the oldest one without an acknowledgment;
 * at most AM_Window_Size PDUs lie between them. Every PDU is kept, with the boundaries of its
 * SDUs, until it is acknowledged. A STATUS PDU acknowledges each PDU before ACK_SN that no NACK
 * names. A NACK names a PDU or, by SOstart and SOend, a part of one. `ranges` are the bytes of a
 * PDU that are to be sent again, whole or in segments as the grants allow, and before anything
 * new. RETX_COUNT counts how often a PDU is considered for that, the first time as 0; when it
 * reaches maxRetxThreshold the radio link has failed.
 *
 * A PDU polls when pollPDU PDUs or pollByte bytes of new data have been sent since the last poll,
 * and when no other PDU can follow: both buffers are empty, or the window is full. POLL_SN is
 * VT(S) - 1 at that time, and t-PollRetransmit runs until a STATUS PDU says something of POLL_SN.
 * If it expires the next PDU polls. Where there is none, the newest PDU is sent again to do so.
 * Source: TS 36.322 5.1.3.1, 5.2.1, 5.2.2, 7.1
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "rlc/lte/am/am.h"

void rlc_am_tx_init(struct rlc_am_tx *tx, const struct rlc_am_cfg *cfg, struct rlc_pdu **sent,
                    struct rlc_pool *pool)
{
	*tx = (struct rlc_am_tx){
		.queue.limit = cfg->queue_limit,
		.sent = sent,
		.pool = pool,
		.poll_pdu = cfg->poll_pdu,
		.poll_byte = cfg->poll_byte,
		.max_retx_threshold = cfg->max_retx_threshold,
		.t_poll_retransmit_ns = cfg->t_poll_retransmit_ns,
		.expiry_ns = CELL_NEVER,
	};
	memset(sent, 0, AM_SLOTS * sizeof(*sent));
}

static uint16_t sn_next(uint16_t sn)
{
	return (uint16_t)((sn + 1) & AM_SN_MASK);
}

/* SNs are compared with vt_a as base. Source: TS 36.322 7.1 */
static uint16_t dist(const struct rlc_am_tx *tx, uint16_t sn)
{
	return (uint16_t)((sn - tx->vt_a) & AM_SN_MASK);
}

bool rlc_am_tx_stalled(const struct rlc_am_tx *tx)
{
	return dist(tx, tx->vt_s) >= AM_WINDOW;
}

uint32_t rlc_am_tx_bytes(const struct rlc_am_tx *tx)
{
	return tx->retx_bytes + (rlc_am_tx_stalled(tx) ? 0 : tx->queue.bytes);
}

/* Both buffers are empty, or no new PDU can follow. Source: TS 36.322 5.2.2.1, 5.2.2.3 */
static bool nothing_new(const struct rlc_am_tx *tx)
{
	return (tx->n_retx == 0 && tx->queue.bytes == 0) || rlc_am_tx_stalled(tx);
}

static void start_poll(struct rlc_am_tx *tx, int64_t now_ns)
{
	tx->pdu_without_poll = 0;
	tx->byte_without_poll = 0;
	tx->poll_due = false;
	tx->poll_sn = (uint16_t)((tx->vt_s - 1) & AM_SN_MASK);
	tx->expiry_ns = now_ns + tx->t_poll_retransmit_ns;
}

/* Lengths of the elements of @from..@to of @pdu, and how its edges continue. */
static void describe(const struct rlc_pdu *pdu, uint16_t from, uint16_t to, struct am_pdu *ret)
{
	uint16_t at = from;

	ret->n = 0;
	ret->fi = rlc_pdu_has_cut(pdu, from) ? 0 : RLC_FI_FIRST_CONTINUES;
	for (uint16_t i = 0; i < pdu->n_cuts && pdu->cut[i] < to; i++) {
		if (pdu->cut[i] <= from)
			continue;
		ret->len[ret->n++] = (uint16_t)(pdu->cut[i] - at);
		at = pdu->cut[i];
	}
	ret->len[ret->n++] = (uint16_t)(to - at);
	if (!rlc_pdu_has_cut(pdu, to))
		ret->fi |= RLC_FI_LAST_CONTINUES;
}

/* End of the longest segment of at most @max bytes from @from of @pdu on, not beyond @to. */
static uint16_t segment_end(const struct rlc_pdu *pdu, uint16_t from, uint16_t to, uint32_t max)
{
	uint16_t n = 1, i = 0;

	while (i < pdu->n_cuts && pdu->cut[i] <= from)
		i++;
	for (;; i++, n++) {
		uint32_t end = from + max - (uint32_t)am_header_bytes(true, n);
		uint32_t cut = i < pdu->n_cuts ? pdu->cut[i] : to;

		if (cut >= to || end <= cut)
			return end < to ? (uint16_t)end : to;
		/* One more element costs an indicator and needs a byte. */
		if (from + max <= cut + am_header_bytes(true, (uint16_t)(n + 1)))
			return (uint16_t)cut;
	}
}

/*
 * The longest AMD PDU or segment of at most @max bytes that starts with @from
 * of @pdu and does not go beyond @to. Return: its end, or @from without room.
 */
static uint16_t cut_to_fit(const struct rlc_pdu *pdu, uint16_t from, uint16_t to, uint32_t max,
                           struct am_pdu *ret)
{
	describe(pdu, from, to, ret);
	ret->rf = from > 0 || to < pdu->len;
	if (am_header_bytes(ret->rf, ret->n) + to - from > max) {
		if (max <= am_header_bytes(true, 1))
			return from;
		to = segment_end(pdu, from, to, max);
		describe(pdu, from, to, ret);
		ret->rf = true;
	}
	ret->so = from;
	ret->lsf = to == pdu->len;
	return to;
}

static struct rlc_am_built emit(struct rlc_am_tx *tx, const struct rlc_pdu *pdu,
                                struct am_pdu *header, uint16_t from, uint16_t to, int64_t now_ns,
                                uint8_t *buf)
{
	struct rlc_am_built built = { .sn = header->sn, .so = from, .data = (uint16_t)(to - from) };
	size_t n;

	header->poll = tx->poll_due || tx->pdu_without_poll >= tx->poll_pdu ||
	               tx->byte_without_poll >= tx->poll_byte || nothing_new(tx);
	n = am_pack(header, buf);
	memcpy(buf + n, pdu->data + from, built.data);
	built.size = (uint32_t)n + built.data;
	built.poll = header->poll;
	built.retx_count = pdu->retx_count;
	if (header->poll)
		start_poll(tx, now_ns);
	return built;
}

static struct rlc_am_built build_retx(struct rlc_am_tx *tx, uint32_t max, int64_t now_ns,
                                      uint8_t *buf)
{
	struct am_pdu header = { .sn = tx->vt_a };
	struct rlc_am_built built;
	struct rlc_pdu *pdu;
	uint16_t from, to;

	while (tx->sent[header.sn]->ranges.n == 0)
		header.sn = sn_next(header.sn);
	pdu = tx->sent[header.sn];
	from = pdu->ranges.at[0].from;
	to = cut_to_fit(pdu, from, pdu->ranges.at[0].to, max, &header);
	if (to == from)
		return (struct rlc_am_built){ 0 };
	rlc_ranges_take(&pdu->ranges, to);
	tx->retx_bytes -= (uint32_t)(to - from);
	if (pdu->ranges.n == 0)
		tx->n_retx--;
	built = emit(tx, pdu, &header, from, to, now_ns, buf);
	built.retx = true;
	return built;
}

static struct rlc_am_built build_new(struct rlc_am_tx *tx, uint32_t max, int64_t now_ns,
                                     uint8_t *buf, struct rlc_tx_pdu *elements)
{
	struct am_pdu header = { .sn = tx->vt_s };
	uint32_t data =
		rlc_sdu_queue_plan(&tx->queue, (uint32_t)am_fixed_bytes(false), max, elements);
	struct rlc_pdu *pdu;

	elements->sn = tx->vt_s;
	if (data == 0)
		return (struct rlc_am_built){ 0 };
	pdu = rlc_pool_get(tx->pool);
	pdu->len = (uint16_t)data;
	rlc_sdu_queue_take(&tx->queue, elements, pdu->data, &pdu->ends);
	(void)rlc_pdu_add_elements(pdu, 0, elements->fi, elements->n, elements->len);
	tx->sent[tx->vt_s] = pdu;
	tx->vt_s = sn_next(tx->vt_s);
	tx->pdu_without_poll++;
	tx->byte_without_poll += data;
	describe(pdu, 0, pdu->len, &header);
	return emit(tx, pdu, &header, 0, pdu->len, now_ns, buf);
}

struct rlc_am_built rlc_am_tx_build(struct rlc_am_tx *tx, uint32_t max, int64_t now_ns,
                                    uint8_t *buf, struct rlc_tx_pdu *elements)
{
	elements->n = 0;
	if (tx->n_retx > 0)
		return build_retx(tx, max, now_ns, buf);
	if (rlc_am_tx_stalled(tx))
		return (struct rlc_am_built){ 0 };
	return build_new(tx, max, now_ns, buf, elements);
}

/* Bytes @from..@to of @pdu have to be sent again. Return: not all of them were pending already. */
static bool pend(struct rlc_am_tx *tx, struct rlc_pdu *pdu, uint16_t from, uint16_t to)
{
	bool pending = pdu->ranges.n > 0;
	uint32_t before = 0, after = 0;

	for (uint16_t i = 0; i < pdu->ranges.n; i++)
		before += (uint32_t)(pdu->ranges.at[i].to - pdu->ranges.at[i].from);
	if (!rlc_ranges_add(&pdu->ranges, from, to)) {
		pdu->ranges.n = 0; /* too scattered: all of it */
		(void)rlc_ranges_add(&pdu->ranges, 0, pdu->len);
	}
	for (uint16_t i = 0; i < pdu->ranges.n; i++)
		after += (uint32_t)(pdu->ranges.at[i].to - pdu->ranges.at[i].from);
	tx->retx_bytes += after - before;
	tx->n_retx = (uint16_t)(tx->n_retx + !pending);
	return after > before;
}

/* @pdu is considered for retransmission. Source: TS 36.322 5.2.1 */
static void count_retx(struct rlc_am_tx *tx, struct rlc_pdu *pdu)
{
	if (!pdu->considered)
		pdu->considered = true; /* RETX_COUNT = 0 */
	else if (pdu->retx_count < UINT8_MAX && ++pdu->retx_count >= tx->max_retx_threshold)
		tx->max_retx_reached = true;
}

static void drop_retx(struct rlc_am_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->ranges.n == 0)
		return;
	for (uint16_t i = 0; i < pdu->ranges.n; i++)
		tx->retx_bytes -= (uint32_t)(pdu->ranges.at[i].to - pdu->ranges.at[i].from);
	pdu->ranges.n = 0;
	tx->n_retx--;
}

/* @pdu is forgotten, but not the start of an SDU that goes on in the next one. */
static void keep_begun(struct rlc_am_tx *tx, const struct rlc_pdu *pdu)
{
	uint16_t from = pdu->n_cuts ? pdu->cut[pdu->n_cuts - 1] : 0;

	if (pdu->n_cuts)
		rlc_sdu_start(&tx->started);
	rlc_sdu_append(&tx->started, pdu->data + from, (uint32_t)(pdu->len - from));
	if (from == pdu->len)
		tx->started.open = false;
}

static void release_acked(struct rlc_am_tx *tx)
{
	while (tx->vt_a != tx->vt_s && tx->sent[tx->vt_a]->acked) {
		keep_begun(tx, tx->sent[tx->vt_a]);
		rlc_pool_put(tx->pool, tx->sent[tx->vt_a]);
		tx->sent[tx->vt_a] = NULL;
		tx->vt_a = sn_next(tx->vt_a);
	}
}

static bool pend_nack(struct rlc_am_tx *tx, const struct am_nack *nack)
{
	struct rlc_pdu *pdu = tx->sent[nack->sn];
	uint16_t to = nack->so_end == AM_SO_END ? pdu->len : (uint16_t)(nack->so_end + 1);

	if (to > pdu->len)
		to = pdu->len;
	return nack->so_start < to && pend(tx, pdu, nack->so_start, to);
}

/*
 * What @n NACKs say of PDU @sn; without one it has arrived. The portions of
 * a PDU in one STATUS PDU are one consideration, as TS 38.322 5.3.2 spells out.
 */
static void handle_pdu_status(struct rlc_am_tx *tx, uint16_t sn, const struct am_nack *nack,
                              uint16_t n)
{
	struct rlc_pdu *pdu = tx->sent[sn];
	bool again = false;

	if (pdu->acked)
		return;
	if (n == 0) {
		pdu->acked = true;
		drop_retx(tx, pdu);
	}
	for (uint16_t i = 0; i < n; i++)
		again |= pend_nack(tx, &nack[i]);
	if (again)
		count_retx(tx, pdu);
}

int rlc_am_tx_status(struct rlc_am_tx *tx, const struct am_status *status)
{
	uint16_t sn = tx->vt_a, i = 0, n;
	bool polled;

	if (dist(tx, status->ack_sn) > dist(tx, tx->vt_s))
		return -EBADMSG;
	polled = dist(tx, tx->poll_sn) < dist(tx, status->ack_sn);
	/* A late STATUS PDU starts with what another one acknowledged meanwhile. */
	while (i < status->n && dist(tx, status->nack[i].sn) >= dist(tx, tx->vt_s))
		i++;
	for (; sn != status->ack_sn; sn = sn_next(sn), i = (uint16_t)(i + n)) {
		for (n = 0; i + n < status->n && status->nack[i + n].sn == sn; n++)
			;
		handle_pdu_status(tx, sn, &status->nack[i], n);
	}
	if (polled)
		tx->expiry_ns = CELL_NEVER;
	release_acked(tx);
	/* What was to carry the poll was acknowledged after all; nothing else would ask. */
	if (tx->poll_due && tx->n_retx == 0 && nothing_new(tx))
		rlc_am_tx_expire(tx);
	return 0;
}

void rlc_am_tx_expire(struct rlc_am_tx *tx)
{
	uint16_t last = (uint16_t)((tx->vt_s - 1) & AM_SN_MASK);

	tx->expiry_ns = CELL_NEVER;
	if (tx->vt_a == tx->vt_s)
		return;
	if (nothing_new(tx)) {
		/* All of it acknowledged out of order: then any other one. */
		if (tx->sent[last]->acked)
			last = tx->vt_a;
		if (pend(tx, tx->sent[last], 0, tx->sent[last]->len))
			count_retx(tx, tx->sent[last]);
	}
	tx->poll_due = true;
}

void rlc_am_tx_reset(struct rlc_am_tx *tx)
{
	struct pkt_queue waiting = { 0 };

	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = sn_next(sn)) {
		pkt_queue_move(&waiting, &tx->sent[sn]->ends);
		rlc_pool_put(tx->pool, tx->sent[sn]);
		tx->sent[sn] = NULL;
	}
	pkt_queue_move(&waiting, &tx->queue.sdus);
	tx->queue.sdus = waiting;
	tx->queue.bytes = 0;
	tx->queue.head_sent = 0;
	for (const struct pkt *p = waiting.head; p; p = p->next)
		tx->queue.bytes += p->sdu_len;
	tx->started.open = false;
	tx->vt_a = tx->vt_s = tx->poll_sn = 0;
	tx->n_retx = 0;
	tx->retx_bytes = 0;
	tx->pdu_without_poll = tx->byte_without_poll = 0;
	tx->poll_due = tx->max_retx_reached = false;
	tx->expiry_ns = CELL_NEVER;
}

void rlc_am_tx_unconfirmed(struct rlc_am_tx *tx, void (*visit)(void *arg, struct rlc_kept_sdu sdu),
                           void *arg)
{
	struct rlc_sdu *sdu = &tx->started;
	bool confirmed = true;

	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = sn_next(sn)) {
		struct rlc_pdu *pdu = tx->sent[sn];

		for (uint16_t from = 0, to; from < pdu->len; from = to) {
			uint16_t cut = rlc_pdu_cut_after(pdu, from);

			to = cut < pdu->len ? cut : pdu->len;
			if (rlc_pdu_has_cut(pdu, from)) {
				rlc_sdu_start(sdu);
				confirmed = true;
			}
			rlc_sdu_append(sdu, pdu->data + from, (uint32_t)(to - from));
			confirmed = confirmed && pdu->acked;
			if (rlc_pdu_has_cut(pdu, to))
				visit(arg, (struct rlc_kept_sdu){ .p = rlc_pdu_take(pdu, to),
				                                  .data = sdu->data,
				                                  .len = sdu->len,
				                                  .confirmed = confirmed });
		}
	}
}
