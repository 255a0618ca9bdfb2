/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx_status.c - transmitting half of RLC AM in the UTRAN: what the peer's STATUS PDUs and the
 * timers say, and the discard of SDUs; see am.h.
 *
 * A STATUS PDU is read as a whole first: its LIST and BITMAP SUFIs name PDUs that are missing, its
 * ACK acknowledges every other one before its LSN. Then VT(A) moves over all that are acknowledged
 * in sequence, and the missing ones are sent again.
 *
 * When a PDU that was sent MaxDAT times is missing, every SDU that has a byte in it or in a PDU
 * before it is discarded. An MRW SUFI tells the receiver where to go on: at PDU SN_MRW and, if an
 * SDU ends inside of that, behind its N_LENGTH first ones. The MRW is sent again whenever Timer_MRW
 * expires, until an MRW_ACK answers it or an ACK has gone beyond SN_MRW, and no other discard
 * starts before that.
 *
 * Timer_Poll runs from a poll on until the newest PDU that was sent by then is acknowledged or
 * said to be missing. If it expires, the next PDU polls. Where nothing else is to be sent, a PDU
 * that is not acknowledged is sent once more to carry the poll.
 * Source: TS 25.322 5.5.0 9.5, 9.7.1, 9.7.3, 11.5, 11.6
 */
#include <errno.h>
#include <string.h>

#include "rlc/utran/tx.h"

/* The PDU is before the place to which the receiver is told to move its window. */
static bool discarded(const struct rlc_utran_tx *tx, uint16_t sn)
{
	return tx->mrw_active && rlc_utran_tx_dist(tx, sn) < rlc_utran_tx_dist(tx, tx->sn_mrw);
}

static void consider(struct rlc_utran_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->considered)
		return;
	pdu->considered = true;
	if (rlc_utran_tx_may_send(tx, pdu))
		tx->n_retx++;
	else
		tx->exhausted = true;
}

/* A PDU that is never sent stands for the rest of the SDU that is discarded. */
static void leave_gap(struct rlc_utran_tx *tx)
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
	tx->vt_s = rlc_utran_sn_next(tx->vt_s);
}

/* Set SN_MRW and N_LENGTH to the end of the last SDU that has a byte in PDU @sn. */
static void find_end(struct rlc_utran_tx *tx, uint16_t sn)
{
	const struct rlc_pdu *pdu = tx->sent[sn];

	tx->n_length = 0;
	if (pdu->n_cuts == 0 || pdu->cut[pdu->n_cuts - 1] < pdu->len) {
		do
			sn = rlc_utran_sn_next(sn);
		while (sn != tx->vt_s && tx->sent[sn]->n_cuts == 0);
		if (sn == tx->vt_s)
			leave_gap(tx);
		else if (tx->sent[sn]->cut[0] < tx->sent[sn]->len)
			tx->n_length = 1;
	}
	tx->sn_mrw = tx->n_length > 0 ? sn : rlc_utran_sn_next(sn);
}

/*
 * Discard all SDUs with segments in PDUs from VT(A) to the last one that was
 * sent MaxDAT times; not before the discard that is going on is over.
 * Source: TS 25.322 5.5.0 11.6
 */
static void discard(struct rlc_utran_tx *tx)
{
	uint16_t sn = tx->vt_s;

	if (!tx->exhausted || tx->mrw_active)
		return;
	tx->exhausted = false;
	do {
		if (sn == tx->vt_a)
			return;
		sn = (uint16_t)((sn - 1) & RLC_UTRAN_SN_MASK);
	} while (!tx->sent[sn]->considered || rlc_utran_tx_may_send(tx, tx->sent[sn]));
	find_end(tx, sn);
	tx->length = rlc_utran_tx_dist(tx, tx->sn_mrw) > tx->vt_ws ? 0 : 1;
	for (sn = tx->vt_a; sn != tx->sn_mrw; sn = rlc_utran_sn_next(sn))
		rlc_utran_tx_forget(tx, tx->sent[sn]);
	tx->mrw_active = tx->mrw_due = true;
	tx->n_discards++;
	tx->vt_mrw = 0;
}

uint32_t rlc_utran_tx_mrw_build(struct rlc_utran_tx *tx, uint32_t max, int64_t now_ns, uint8_t *buf)
{
	const struct rlc_utran_status status = { .n = 1,
		                                 .sufi = { { .type = RLC_UTRAN_SUFI_MRW,
		                                             .n = tx->length,
		                                             .n_li = tx->n_length,
		                                             .sn = { tx->sn_mrw } } } };

	if (!tx->mrw_due || max < RLC_UTRAN_MRW_BYTES)
		return 0;
	tx->mrw_due = false;
	tx->vt_mrw++;
	tx->mrw_expiry_ns = now_ns + tx->timer_mrw_ns;
	return (uint32_t)rlc_utran_status_pack(&status, buf);
}

static void acknowledge(struct rlc_utran_tx *tx, uint16_t sn)
{
	rlc_utran_tx_forget(tx, tx->sent[sn]);
	tx->sent[sn]->acked = true;
}

/* Return: PDUs by which VT(A) moved. */
static uint16_t release_acked(struct rlc_utran_tx *tx, struct rlc_out *out)
{
	uint16_t n = 0;

	for (; tx->vt_a != tx->vt_s && tx->sent[tx->vt_a]->acked; n++) {
		struct rlc_pdu *pdu = tx->sent[tx->vt_a];

		pkt_queue_move(&out->discarded, &pdu->ends);
		rlc_pool_put(tx->pool, pdu);
		tx->sent[tx->vt_a] = NULL;
		tx->vt_a = rlc_utran_sn_next(tx->vt_a);
	}
	return n;
}

static void end_discard(struct rlc_utran_tx *tx)
{
	tx->mrw_active = tx->mrw_due = false;
	tx->mrw_expiry_ns = CELL_NEVER;
}

static void mark_missing(struct rlc_utran_tx *tx, uint16_t sn)
{
	tx->missing[sn / 8] |= (uint8_t)(1u << sn % 8);
}

static bool is_missing(const struct rlc_utran_tx *tx, uint16_t sn)
{
	return tx->missing[sn / 8] >> sn % 8 & 1;
}

static void read_missing(struct rlc_utran_tx *tx, const struct rlc_utran_sufi *sufi)
{
	for (uint16_t i = 0; sufi->type == RLC_UTRAN_SUFI_LIST && i < sufi->n; i++)
		for (uint16_t k = 0; k <= sufi->l[i]; k++)
			mark_missing(tx, (uint16_t)((sufi->sn[i] + k) & RLC_UTRAN_SN_MASK));
	for (uint16_t i = 0; sufi->type == RLC_UTRAN_SUFI_BITMAP && i < 8 * sufi->n; i++)
		if (!(sufi->bitmap[i / 8] & 0x80 >> i % 8))
			mark_missing(tx, (uint16_t)((sufi->sn[0] + i) & RLC_UTRAN_SN_MASK));
}

static void handle_ack(struct rlc_utran_tx *tx, uint16_t lsn, struct rlc_out *out)
{
	uint16_t to_mrw = rlc_utran_tx_dist(tx, tx->sn_mrw);

	for (uint16_t sn = tx->vt_a; sn != lsn; sn = rlc_utran_sn_next(sn))
		if (!is_missing(tx, sn))
			acknowledge(tx, sn);
	if (release_acked(tx, out) > to_mrw && tx->mrw_active)
		end_discard(tx);
}

/* An MRW_ACK counts only if it answers the MRW that was sent. */
static void handle_mrw_ack(struct rlc_utran_tx *tx, const struct rlc_utran_sufi *sufi,
                           struct rlc_out *out)
{
	uint16_t sn_ack = sufi->sn[0];

	if (!tx->mrw_active || rlc_utran_tx_dist(tx, sn_ack) > rlc_utran_tx_dist(tx, tx->vt_s) ||
	    rlc_utran_tx_dist(tx, sn_ack) < rlc_utran_tx_dist(tx, tx->sn_mrw) ||
	    sufi->n_li != (sn_ack == tx->sn_mrw ? tx->n_length : 0))
		return;
	for (uint16_t sn = tx->vt_a; sn != sn_ack; sn = rlc_utran_sn_next(sn))
		acknowledge(tx, sn);
	(void)release_acked(tx, out);
	end_discard(tx);
}

static void retransmit_missing(struct rlc_utran_tx *tx)
{
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = rlc_utran_sn_next(sn))
		if (is_missing(tx, sn) && !tx->sent[sn]->acked && !discarded(tx, sn))
			consider(tx, tx->sent[sn]);
}

static bool something_to_send(const struct rlc_utran_tx *tx)
{
	return tx->n_retx > 0 || (rlc_utran_tx_new_left(tx) && !rlc_utran_tx_stalled(tx));
}

/* The first PDU that no discard takes. */
static uint16_t first_kept(const struct rlc_utran_tx *tx)
{
	return tx->mrw_active ? tx->sn_mrw : tx->vt_a;
}

/* One of these PDUs is not acknowledged. */
static bool unheard(const struct rlc_utran_tx *tx)
{
	for (uint16_t sn = first_kept(tx); sn != tx->vt_s; sn = rlc_utran_sn_next(sn))
		if (!tx->sent[sn]->acked)
			return true;
	return false;
}

/*
 * Where nothing would carry the poll that is due but a PDU that is not acknowledged, the last one
 * does that may be sent once more. None may: all were sent MaxDAT times and are discarded.
 */
static void carry_poll(struct rlc_utran_tx *tx)
{
	uint16_t first = first_kept(tx);

	if (!tx->poll_due || something_to_send(tx) || !unheard(tx))
		return;
	for (uint16_t sn = tx->vt_s; sn != first;) {
		sn = (uint16_t)((sn - 1) & RLC_UTRAN_SN_MASK);
		if (!tx->sent[sn]->acked && rlc_utran_tx_may_send(tx, tx->sent[sn])) {
			consider(tx, tx->sent[sn]);
			return;
		}
	}
	tx->poll_due = false;
	for (uint16_t sn = first; sn != tx->vt_s; sn = rlc_utran_sn_next(sn))
		if (!tx->sent[sn]->acked)
			consider(tx, tx->sent[sn]);
	discard(tx);
}

int rlc_utran_tx_status(struct rlc_utran_tx *tx, const struct rlc_utran_status *status,
                        struct rlc_out *out)
{
	uint16_t poll_ahead = rlc_utran_tx_dist(tx, tx->poll_sn), vt_a = tx->vt_a;

	for (uint16_t i = 0; i < status->n; i++)
		if (status->sufi[i].type == RLC_UTRAN_SUFI_ACK &&
		    rlc_utran_tx_dist(tx, status->sufi[i].sn[0]) > rlc_utran_tx_dist(tx, tx->vt_s))
			return -EBADMSG;
	memset(tx->missing, 0, sizeof(tx->missing));
	for (uint16_t i = 0; i < status->n; i++)
		read_missing(tx, &status->sufi[i]);
	for (uint16_t i = 0; i < status->n; i++) {
		if (status->sufi[i].type == RLC_UTRAN_SUFI_MRW_ACK)
			handle_mrw_ack(tx, &status->sufi[i], out);
		else if (status->sufi[i].type == RLC_UTRAN_SUFI_ACK &&
		         rlc_utran_tx_dist(tx, status->sufi[i].sn[0]) <=
		                 rlc_utran_tx_dist(tx, tx->vt_s))
			handle_ack(tx, status->sufi[i].sn[0], out);
	}
	retransmit_missing(tx);
	if (((tx->vt_a - vt_a) & RLC_UTRAN_SN_MASK) > poll_ahead ||
	    (is_missing(tx, tx->poll_sn) &&
	     rlc_utran_tx_dist(tx, tx->poll_sn) < rlc_utran_tx_dist(tx, tx->vt_s) &&
	     !tx->sent[tx->poll_sn]->acked))
		tx->poll_expiry_ns = CELL_NEVER;
	discard(tx);
	carry_poll(tx); /* what was to carry it may be acknowledged now, and not all else */
	return 0;
}

void rlc_utran_tx_poll_expire(struct rlc_utran_tx *tx)
{
	tx->poll_expiry_ns = CELL_NEVER;
	tx->poll_due = something_to_send(tx) || unheard(tx);
	carry_poll(tx);
}

void rlc_utran_tx_mrw_expire(struct rlc_utran_tx *tx)
{
	tx->mrw_expiry_ns = CELL_NEVER;
	tx->mrw_due = tx->mrw_active;
}

void rlc_utran_tx_reset(struct rlc_utran_tx *tx, struct rlc_out *out)
{
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = rlc_utran_sn_next(sn))
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
