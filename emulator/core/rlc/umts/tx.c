/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx.c - transmitting half of RLC AM in the UTRAN; see umts.h.
 *
 * Of a PDU kept here `retx_count` is VT(DAT), and `considered` that it is
 * missing since it was sent last: it is to be sent again or, after MaxDAT
 * transmissions, waits for its discard.
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "rlc/umts/umts.h"

void rlc_umts_tx_init(struct rlc_umts_tx *tx, const struct rlc_umts_cfg *cfg, struct rlc_pdu **sent,
                      struct rlc_pool *pool)
{
	CELL_ASSERT(cfg->pdu_size >= UMTS_AMD_MIN && cfg->pdu_size <= UMTS_AMD_MAX);
	CELL_ASSERT(cfg->window >= 1 && cfg->window <= UMTS_WINDOW_MAX);
	CELL_ASSERT(cfg->poll_window >= 1 && cfg->poll_window <= 100);
	*tx = (struct rlc_umts_tx){
		.queue.limit = cfg->queue_limit,
		.sent = sent,
		.pool = pool,
		.vt_ws = cfg->window,
		.pdu_size = cfg->pdu_size,
		.poll_pdu = cfg->poll_pdu,
		.poll_window = cfg->poll_window,
		.max_dat = cfg->max_dat,
		.timer_poll_ns = cfg->timer_poll_ns,
		.timer_mrw_ns = cfg->timer_mrw_ns,
		.poll_expiry_ns = CELL_NEVER,
		.mrw_expiry_ns = CELL_NEVER,
	};
	memset(sent, 0, UMTS_SLOTS * sizeof(*sent));
}

static uint16_t sn_next(uint16_t sn)
{
	return (uint16_t)((sn + 1) & UMTS_SN_MASK);
}

/* SNs are compared with vt_a as base. */
static uint16_t dist(const struct rlc_umts_tx *tx, uint16_t sn)
{
	return (uint16_t)((sn - tx->vt_a) & UMTS_SN_MASK);
}

bool rlc_umts_tx_stalled(const struct rlc_umts_tx *tx)
{
	return dist(tx, tx->vt_s) >= tx->vt_ws;
}

static bool new_left(const struct rlc_umts_tx *tx)
{
	return tx->queue.bytes > 0 || tx->unmarked;
}

uint32_t rlc_umts_tx_pdus(const struct rlc_umts_tx *tx)
{
	uint32_t data = tx->pdu_size - UMTS_AMD_FIXED, n, room;

	if (rlc_umts_tx_stalled(tx) || !new_left(tx))
		return tx->n_retx;
	n = (tx->queue.bytes + (tx->unmarked ? 1 : 0) + data - 1) / data;
	room = (uint32_t)tx->vt_ws - dist(tx, tx->vt_s);
	return tx->n_retx + (n < room ? n : room);
}

static bool may_be_sent(const struct rlc_umts_tx *tx, const struct rlc_pdu *pdu)
{
	return tx->max_dat == 0 || pdu->retx_count < tx->max_dat;
}

/* The PDU is before the place to which the receiver is told to move its window. */
static bool discarded(const struct rlc_umts_tx *tx, uint16_t sn)
{
	return tx->mrw_active && dist(tx, sn) < dist(tx, tx->sn_mrw);
}

static void consider(struct rlc_umts_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->considered)
		return;
	pdu->considered = true;
	if (may_be_sent(tx, pdu))
		tx->n_retx++;
	else
		tx->exhausted = true;
}

static void forget(struct rlc_umts_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->considered && may_be_sent(tx, pdu))
		tx->n_retx--;
	pdu->considered = false;
}

/* Count the transmission of @pdu and decide whether it polls. */
static struct rlc_umts_built emit(struct rlc_umts_tx *tx, uint16_t sn, bool retx, int64_t now_ns,
                                  uint8_t *buf)
{
	struct rlc_pdu *pdu = tx->sent[sn];
	struct umts_amd amd = { .sn = sn, .n_cuts = pdu->n_cuts, .len = pdu->len };
	bool every = tx->poll_pdu > 0 && ++tx->vt_pdu >= tx->poll_pdu;
	size_t n;

	if (pdu->retx_count < UINT8_MAX)
		pdu->retx_count++;
	if (every)
		tx->vt_pdu = 0;
	amd.poll = every || tx->poll_due || (retx && tx->n_retx == 0) || (!retx && !new_left(tx)) ||
	           (!retx && 100u * dist(tx, tx->vt_s) >= (uint32_t)tx->poll_window * tx->vt_ws);
	memcpy(amd.cut, pdu->cut, pdu->n_cuts * sizeof(amd.cut[0]));
	n = umts_amd_pack(&amd, tx->pdu_size, buf);
	memcpy(buf + n, pdu->data, pdu->len);
	if (amd.poll) {
		tx->poll_due = false;
		tx->poll_sn = (uint16_t)((tx->vt_s - 1) & UMTS_SN_MASK);
		tx->poll_expiry_ns = now_ns + tx->timer_poll_ns;
	}
	return (struct rlc_umts_built){ .size = tx->pdu_size,
		                        .retx = retx,
		                        .poll = amd.poll,
		                        .sn = sn,
		                        .data = pdu->len,
		                        .vt_dat = pdu->retx_count };
}

static struct rlc_umts_built build_retx(struct rlc_umts_tx *tx, int64_t now_ns, uint8_t *buf)
{
	uint16_t sn = tx->vt_a;

	while (!tx->sent[sn]->considered || !may_be_sent(tx, tx->sent[sn]))
		sn = sn_next(sn);
	forget(tx, tx->sent[sn]);
	return emit(tx, sn, true, now_ns, buf);
}

/*
 * Choose the elements of a PDU whose header is not written yet. An SDU that
 * ends in it needs room for an indicator, unless it ends with the PDU: then
 * the next PDU has to say so.
 *
 * Return: the last SDU did so.
 */
static bool plan(const struct rlc_umts_tx *tx, struct rlc_pdu *pdu, struct rlc_tx_pdu *elements)
{
	uint32_t room = (uint32_t)tx->pdu_size - UMTS_AMD_FIXED - pdu->n_cuts;
	uint32_t sent = tx->queue.head_sent;

	for (const struct pkt *p = tx->queue.sdus.head; p && room > 0; p = p->next, sent = 0) {
		uint32_t left = p->sdu_len - sent, take = left < room ? left : room;

		elements->len[elements->n++] = (uint16_t)take;
		pdu->len = (uint16_t)(pdu->len + take);
		if (left >= room)
			return left == room;
		(void)rlc_pdu_add_cut(pdu, pdu->len);
		room -= left + 1;
	}
	return false;
}

/* What is at hand for new PDUs, while one looks ahead. */
struct ahead {
	const struct pkt *sdu;
	uint32_t sent; /* octets of it */
	bool unmarked;
};

/* Octets that the next new PDU leaves, with the indicator of its padding; as plan() fills it. */
static uint32_t left_by_next(uint32_t pdu_size, struct ahead *a)
{
	uint32_t room = pdu_size - UMTS_AMD_FIXED - a->unmarked;

	a->unmarked = false;
	for (; a->sdu && room > 0; a->sdu = a->sdu->next, a->sent = 0) {
		uint32_t left = a->sdu->sdu_len - a->sent;

		if (left > room) {
			a->sent += room;
			return 0;
		}
		a->unmarked = left == room;
		room -= left + !a->unmarked;
	}
	return room;
}

uint32_t rlc_umts_tx_room_ahead(const struct rlc_umts_tx *tx, uint32_t need, uint32_t most)
{
	struct ahead a = { .sdu = tx->queue.sdus.head,
		           .sent = tx->queue.head_sent,
		           .unmarked = tx->unmarked };
	uint32_t n = 0, window = (uint32_t)tx->vt_ws - dist(tx, tx->vt_s);

	for (uint16_t sn = tx->vt_a; sn != tx->vt_s && n < most && n < tx->n_retx;
	     sn = sn_next(sn)) {
		const struct rlc_pdu *pdu = tx->sent[sn];

		if (!pdu->considered || !may_be_sent(tx, pdu))
			continue;
		n++;
		if (UMTS_AMD_FIXED + 1u + pdu->n_cuts + pdu->len + need <= tx->pdu_size)
			return n;
	}
	if (rlc_umts_tx_stalled(tx))
		return 0;
	for (; (a.sdu || a.unmarked) && n < most && window > 0; window--) {
		n++;
		if (left_by_next(tx->pdu_size, &a) >= 1 + need)
			return n;
	}
	return 0;
}

static struct pkt *take_last(struct pkt_queue *q)
{
	struct pkt *before = NULL;

	for (struct pkt *p = q->head; p && p->next; p = p->next)
		before = p;
	return pkt_queue_remove(q, before);
}

static struct rlc_umts_built build_new(struct rlc_umts_tx *tx, int64_t now_ns, uint8_t *buf,
                                       struct rlc_tx_pdu *elements)
{
	struct rlc_pdu *pdu = rlc_pool_get(tx->pool);
	uint16_t sn = tx->vt_s;
	bool exact;

	elements->sn = sn;
	elements->fi = 0;
	if (tx->unmarked) {
		(void)rlc_pdu_add_cut(pdu, 0);
		tx->unmarked->end_offset = 0;
		pkt_enqueue(&pdu->ends, tx->unmarked);
		tx->unmarked = NULL;
	}
	exact = plan(tx, pdu, elements);
	rlc_sdu_queue_take(&tx->queue, elements, pdu->data, &pdu->ends);
	if (exact)
		tx->unmarked = take_last(&pdu->ends);
	tx->sent[sn] = pdu;
	tx->vt_s = sn_next(sn);
	return emit(tx, sn, false, now_ns, buf);
}

struct rlc_umts_built rlc_umts_tx_build(struct rlc_umts_tx *tx, int64_t now_ns, uint8_t *buf,
                                        struct rlc_tx_pdu *elements)
{
	elements->n = 0;
	if (tx->n_retx > 0)
		return build_retx(tx, now_ns, buf);
	if (rlc_umts_tx_stalled(tx) || !new_left(tx))
		return (struct rlc_umts_built){ 0 };
	return build_new(tx, now_ns, buf, elements);
}

/* A PDU that is never sent stands for the rest of the SDU that is discarded. */
static void leave_gap(struct rlc_umts_tx *tx)
{
	struct rlc_pdu *pdu = rlc_pool_get(tx->pool);
	struct rlc_sdu_queue *q = &tx->queue;

	if (tx->unmarked) {
		pkt_enqueue(&pdu->ends, tx->unmarked);
		tx->unmarked = NULL;
	} else {
		q->bytes -= (uint32_t)(q->sdus.head->sdu_len - q->head_sent);
		q->head_sent = 0;
		pkt_enqueue(&pdu->ends, pkt_dequeue(&q->sdus));
	}
	tx->sent[tx->vt_s] = pdu;
	tx->vt_s = sn_next(tx->vt_s);
}

/* Set SN_MRW and N_LENGTH to the end of the last SDU that has a byte in PDU @sn. */
static void find_end(struct rlc_umts_tx *tx, uint16_t sn)
{
	const struct rlc_pdu *pdu = tx->sent[sn];

	tx->n_length = 0;
	if (pdu->n_cuts == 0 || pdu->cut[pdu->n_cuts - 1] < pdu->len) {
		do
			sn = sn_next(sn);
		while (sn != tx->vt_s && tx->sent[sn]->n_cuts == 0);
		if (sn == tx->vt_s)
			leave_gap(tx);
		else if (tx->sent[sn]->cut[0] < tx->sent[sn]->len)
			tx->n_length = 1;
	}
	tx->sn_mrw = tx->n_length > 0 ? sn : sn_next(sn);
}

/*
 * Discard all SDUs with segments in PDUs from VT(A) to the last one that was
 * sent MaxDAT times; not before the discard that is going on is over.
 * Source: TS 25.322 5.5.0 11.6
 */
static void discard(struct rlc_umts_tx *tx)
{
	uint16_t sn = tx->vt_s;

	if (!tx->exhausted || tx->mrw_active)
		return;
	tx->exhausted = false;
	do {
		if (sn == tx->vt_a)
			return;
		sn = (uint16_t)((sn - 1) & UMTS_SN_MASK);
	} while (!tx->sent[sn]->considered || may_be_sent(tx, tx->sent[sn]));
	find_end(tx, sn);
	tx->length = dist(tx, tx->sn_mrw) > tx->vt_ws ? 0 : 1;
	for (sn = tx->vt_a; sn != tx->sn_mrw; sn = sn_next(sn))
		forget(tx, tx->sent[sn]);
	tx->mrw_active = tx->mrw_due = true;
	tx->n_discards++;
	tx->vt_mrw = 0;
}

uint32_t rlc_umts_tx_mrw_build(struct rlc_umts_tx *tx, uint32_t max, int64_t now_ns, uint8_t *buf)
{
	const struct umts_status status = { .n = 1,
		                            .sufi = { { .type = UMTS_SUFI_MRW,
		                                        .n = tx->length,
		                                        .n_li = tx->n_length,
		                                        .sn = { tx->sn_mrw } } } };

	if (!tx->mrw_due || max < UMTS_MRW_BYTES)
		return 0;
	tx->mrw_due = false;
	tx->vt_mrw++;
	tx->mrw_expiry_ns = now_ns + tx->timer_mrw_ns;
	return (uint32_t)umts_status_pack(&status, buf);
}

static void acknowledge(struct rlc_umts_tx *tx, uint16_t sn)
{
	forget(tx, tx->sent[sn]);
	tx->sent[sn]->acked = true;
}

/* Return: PDUs by which VT(A) moved. */
static uint16_t release_acked(struct rlc_umts_tx *tx, struct rlc_out *out)
{
	uint16_t n = 0;

	for (; tx->vt_a != tx->vt_s && tx->sent[tx->vt_a]->acked; n++) {
		struct rlc_pdu *pdu = tx->sent[tx->vt_a];

		pkt_queue_move(&out->discarded, &pdu->ends);
		rlc_pool_put(tx->pool, pdu);
		tx->sent[tx->vt_a] = NULL;
		tx->vt_a = sn_next(tx->vt_a);
	}
	return n;
}

static void end_discard(struct rlc_umts_tx *tx)
{
	tx->mrw_active = tx->mrw_due = false;
	tx->mrw_expiry_ns = CELL_NEVER;
}

static void mark_missing(struct rlc_umts_tx *tx, uint16_t sn)
{
	tx->missing[sn / 8] |= (uint8_t)(1u << sn % 8);
}

static bool is_missing(const struct rlc_umts_tx *tx, uint16_t sn)
{
	return tx->missing[sn / 8] >> sn % 8 & 1;
}

static void read_missing(struct rlc_umts_tx *tx, const struct umts_sufi *sufi)
{
	for (uint16_t i = 0; sufi->type == UMTS_SUFI_LIST && i < sufi->n; i++)
		for (uint16_t k = 0; k <= sufi->l[i]; k++)
			mark_missing(tx, (uint16_t)((sufi->sn[i] + k) & UMTS_SN_MASK));
	for (uint16_t i = 0; sufi->type == UMTS_SUFI_BITMAP && i < 8 * sufi->n; i++)
		if (!(sufi->bitmap[i / 8] & 0x80 >> i % 8))
			mark_missing(tx, (uint16_t)((sufi->sn[0] + i) & UMTS_SN_MASK));
}

static void handle_ack(struct rlc_umts_tx *tx, uint16_t lsn, struct rlc_out *out)
{
	uint16_t to_mrw = dist(tx, tx->sn_mrw);

	for (uint16_t sn = tx->vt_a; sn != lsn; sn = sn_next(sn))
		if (!is_missing(tx, sn))
			acknowledge(tx, sn);
	if (release_acked(tx, out) > to_mrw && tx->mrw_active)
		end_discard(tx);
}

/* An MRW_ACK counts only if it answers the MRW that was sent. */
static void handle_mrw_ack(struct rlc_umts_tx *tx, const struct umts_sufi *sufi,
                           struct rlc_out *out)
{
	uint16_t sn_ack = sufi->sn[0];

	if (!tx->mrw_active || dist(tx, sn_ack) > dist(tx, tx->vt_s) ||
	    dist(tx, sn_ack) < dist(tx, tx->sn_mrw) ||
	    sufi->n_li != (sn_ack == tx->sn_mrw ? tx->n_length : 0))
		return;
	for (uint16_t sn = tx->vt_a; sn != sn_ack; sn = sn_next(sn))
		acknowledge(tx, sn);
	(void)release_acked(tx, out);
	end_discard(tx);
}

static void retransmit_missing(struct rlc_umts_tx *tx)
{
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = sn_next(sn))
		if (is_missing(tx, sn) && !tx->sent[sn]->acked && !discarded(tx, sn))
			consider(tx, tx->sent[sn]);
}

static bool something_to_send(const struct rlc_umts_tx *tx)
{
	return tx->n_retx > 0 || (new_left(tx) && !rlc_umts_tx_stalled(tx));
}

/* The first PDU that no discard takes. */
static uint16_t first_kept(const struct rlc_umts_tx *tx)
{
	return tx->mrw_active ? tx->sn_mrw : tx->vt_a;
}

/* One of these PDUs is not acknowledged. */
static bool unheard(const struct rlc_umts_tx *tx)
{
	for (uint16_t sn = first_kept(tx); sn != tx->vt_s; sn = sn_next(sn))
		if (!tx->sent[sn]->acked)
			return true;
	return false;
}

/*
 * Where nothing would carry the poll that is due but a PDU that is not acknowledged, the last one
 * does that may be sent once more. None may: all were sent MaxDAT times and are discarded.
 */
static void carry_poll(struct rlc_umts_tx *tx)
{
	uint16_t first = first_kept(tx);

	if (!tx->poll_due || something_to_send(tx) || !unheard(tx))
		return;
	for (uint16_t sn = tx->vt_s; sn != first;) {
		sn = (uint16_t)((sn - 1) & UMTS_SN_MASK);
		if (!tx->sent[sn]->acked && may_be_sent(tx, tx->sent[sn])) {
			consider(tx, tx->sent[sn]);
			return;
		}
	}
	tx->poll_due = false;
	for (uint16_t sn = first; sn != tx->vt_s; sn = sn_next(sn))
		if (!tx->sent[sn]->acked)
			consider(tx, tx->sent[sn]);
	discard(tx);
}

int rlc_umts_tx_status(struct rlc_umts_tx *tx, const struct umts_status *status,
                       struct rlc_out *out)
{
	uint16_t poll_ahead = dist(tx, tx->poll_sn), vt_a = tx->vt_a;

	for (uint16_t i = 0; i < status->n; i++)
		if (status->sufi[i].type == UMTS_SUFI_ACK &&
		    dist(tx, status->sufi[i].sn[0]) > dist(tx, tx->vt_s))
			return -EBADMSG;
	memset(tx->missing, 0, sizeof(tx->missing));
	for (uint16_t i = 0; i < status->n; i++)
		read_missing(tx, &status->sufi[i]);
	for (uint16_t i = 0; i < status->n; i++) {
		if (status->sufi[i].type == UMTS_SUFI_MRW_ACK)
			handle_mrw_ack(tx, &status->sufi[i], out);
		else if (status->sufi[i].type == UMTS_SUFI_ACK &&
		         dist(tx, status->sufi[i].sn[0]) <= dist(tx, tx->vt_s))
			handle_ack(tx, status->sufi[i].sn[0], out);
	}
	retransmit_missing(tx);
	if (((tx->vt_a - vt_a) & UMTS_SN_MASK) > poll_ahead ||
	    (is_missing(tx, tx->poll_sn) && dist(tx, tx->poll_sn) < dist(tx, tx->vt_s) &&
	     !tx->sent[tx->poll_sn]->acked))
		tx->poll_expiry_ns = CELL_NEVER;
	discard(tx);
	carry_poll(tx); /* what was to carry it may be acknowledged now, and not all else */
	return 0;
}

void rlc_umts_tx_poll_expire(struct rlc_umts_tx *tx)
{
	tx->poll_expiry_ns = CELL_NEVER;
	tx->poll_due = something_to_send(tx) || unheard(tx);
	carry_poll(tx);
}

void rlc_umts_tx_mrw_expire(struct rlc_umts_tx *tx)
{
	tx->mrw_expiry_ns = CELL_NEVER;
	tx->mrw_due = tx->mrw_active;
}

void rlc_umts_tx_reset(struct rlc_umts_tx *tx, struct rlc_out *out)
{
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = sn_next(sn))
		acknowledge(tx, sn);
	(void)release_acked(tx, out);
	if (tx->unmarked)
		pkt_enqueue(&out->discarded, tx->unmarked);
	pkt_queue_move(&out->discarded, &tx->queue.sdus);
	tx->unmarked = NULL;
	tx->queue.bytes = 0;
	tx->queue.head_sent = 0;
	tx->vt_s = tx->vt_a = tx->vt_pdu = tx->poll_sn = 0;
	tx->poll_due = tx->exhausted = false;
	tx->poll_expiry_ns = CELL_NEVER;
	end_discard(tx);
}
