/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tx.c - transmitting half of RLC AM in the UTRAN: AMD PDUs, for the first time and again; see
 * am.h.
 *
 * A new PDU takes SDUs from the queue until its fixed size is used up, and length indicators say
 * where SDUs end in it. An SDU that fills its PDU to the last octet leaves no room for its
 * indicator, so the next PDU starts with one that says so; until that one is built the SDU is
 * `unmarked`. VT(S) is the SN of the next new PDU. PDUs from VT(A) on are kept until the peer has
 * acknowledged them or they are discarded, and once VT(WS) of them wait for that, no new one is
 * sent. Those that the peer misses come before new ones, the oldest first, with the same SN and
 * the same bytes. Of a PDU kept here `retx_count` is VT(DAT), the times that it was sent, and
 * `considered` says that it is missing since it was sent last: it is to be sent again or, after
 * MaxDAT transmissions, waits for its discard (tx_status.c).
 *
 * A PDU asks for a STATUS PDU by its polling bit when it is the last new one or the last one to be
 * sent again, when it completes Poll_PDU of them, when the window is used to Poll_Window percent,
 * and when Timer_Poll has expired since the last poll.
 * Source: TS 25.322 5.5.0 9.4, 9.7.1, 11.3
 */
#include <string.h>

#include "base/assert.h"
#include "rlc/utran/tx.h"

void rlc_utran_tx_init(struct rlc_utran_tx *tx, const struct rlc_utran_cfg *cfg,
                       struct rlc_pdu **sent, struct rlc_pool *pool)
{
	CELL_ASSERT(cfg->pdu_size >= RLC_UTRAN_AMD_MIN && cfg->pdu_size <= RLC_UTRAN_AMD_MAX);
	CELL_ASSERT(cfg->window >= 1 && cfg->window <= RLC_UTRAN_WINDOW_MAX);
	CELL_ASSERT(cfg->poll_window >= 1 && cfg->poll_window <= 100);
	*tx = (struct rlc_utran_tx){
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
	memset(sent, 0, RLC_UTRAN_SLOTS * sizeof(*sent));
}

bool rlc_utran_tx_stalled(const struct rlc_utran_tx *tx)
{
	return rlc_utran_tx_dist(tx, tx->vt_s) >= tx->vt_ws;
}

uint32_t rlc_utran_tx_pdus(const struct rlc_utran_tx *tx)
{
	uint32_t data = tx->pdu_size - RLC_UTRAN_AMD_FIXED, n, room;

	if (rlc_utran_tx_stalled(tx) || !rlc_utran_tx_new_left(tx))
		return tx->n_retx;
	n = (tx->queue.bytes + (tx->unmarked ? 1 : 0) + data - 1) / data;
	room = (uint32_t)tx->vt_ws - rlc_utran_tx_dist(tx, tx->vt_s);
	return tx->n_retx + (n < room ? n : room);
}

/* Count the transmission of @pdu and decide whether it polls. */
static struct rlc_utran_built emit(struct rlc_utran_tx *tx, uint16_t sn, bool retx, int64_t now_ns,
                                   uint8_t *buf)
{
	struct rlc_pdu *pdu = tx->sent[sn];
	struct rlc_utran_amd amd = { .sn = sn, .n_cuts = pdu->n_cuts, .len = pdu->len };
	bool every = tx->poll_pdu > 0 && ++tx->vt_pdu >= tx->poll_pdu;
	size_t n;

	if (pdu->retx_count < UINT8_MAX)
		pdu->retx_count++;
	if (every)
		tx->vt_pdu = 0;
	amd.poll = every || tx->poll_due || (retx && tx->n_retx == 0) ||
	           (!retx && !rlc_utran_tx_new_left(tx)) ||
	           (!retx && 100u * rlc_utran_tx_dist(tx, tx->vt_s) >=
	                             (uint32_t)tx->poll_window * tx->vt_ws);
	memcpy(amd.cut, pdu->cut, pdu->n_cuts * sizeof(amd.cut[0]));
	n = rlc_utran_amd_pack(&amd, tx->pdu_size, buf);
	memcpy(buf + n, pdu->data, pdu->len);
	if (amd.poll) {
		tx->poll_due = false;
		tx->poll_sn = (uint16_t)((tx->vt_s - 1) & RLC_UTRAN_SN_MASK);
		tx->poll_expiry_ns = now_ns + tx->timer_poll_ns;
	}
	return (struct rlc_utran_built){ .size = tx->pdu_size,
		                         .retx = retx,
		                         .poll = amd.poll,
		                         .sn = sn,
		                         .data = pdu->len,
		                         .vt_dat = pdu->retx_count };
}

static struct rlc_utran_built build_retx(struct rlc_utran_tx *tx, int64_t now_ns, uint8_t *buf)
{
	uint16_t sn = tx->vt_a;

	while (!tx->sent[sn]->considered || !rlc_utran_tx_may_send(tx, tx->sent[sn]))
		sn = rlc_utran_sn_next(sn);
	rlc_utran_tx_forget(tx, tx->sent[sn]);
	return emit(tx, sn, true, now_ns, buf);
}

/*
 * Choose the elements of a PDU whose header is not written yet. An SDU that
 * ends in it needs room for an indicator, unless it ends with the PDU: then
 * the next PDU has to say so.
 *
 * Return: the last SDU did so.
 */
static bool plan(const struct rlc_utran_tx *tx, struct rlc_pdu *pdu, struct rlc_tx_pdu *elements)
{
	uint32_t room = (uint32_t)tx->pdu_size - RLC_UTRAN_AMD_FIXED - pdu->n_cuts;
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
	uint32_t room = pdu_size - RLC_UTRAN_AMD_FIXED - a->unmarked;

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

uint32_t rlc_utran_tx_room_ahead(const struct rlc_utran_tx *tx, uint32_t need, uint32_t most)
{
	struct ahead a = { .sdu = tx->queue.sdus.head,
		           .sent = tx->queue.head_sent,
		           .unmarked = tx->unmarked };
	uint32_t n = 0, window = (uint32_t)tx->vt_ws - rlc_utran_tx_dist(tx, tx->vt_s);

	for (uint16_t sn = tx->vt_a; sn != tx->vt_s && n < most && n < tx->n_retx;
	     sn = rlc_utran_sn_next(sn)) {
		const struct rlc_pdu *pdu = tx->sent[sn];

		if (!pdu->considered || !rlc_utran_tx_may_send(tx, pdu))
			continue;
		n++;
		if (RLC_UTRAN_AMD_FIXED + 1u + pdu->n_cuts + pdu->len + need <= tx->pdu_size)
			return n;
	}
	if (rlc_utran_tx_stalled(tx))
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

static struct rlc_utran_built build_new(struct rlc_utran_tx *tx, int64_t now_ns, uint8_t *buf,
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
	tx->vt_s = rlc_utran_sn_next(sn);
	return emit(tx, sn, false, now_ns, buf);
}

struct rlc_utran_built rlc_utran_tx_build(struct rlc_utran_tx *tx, int64_t now_ns, uint8_t *buf,
                                          struct rlc_tx_pdu *elements)
{
	elements->n = 0;
	if (tx->n_retx > 0)
		return build_retx(tx, now_ns, buf);
	if (rlc_utran_tx_stalled(tx) || !rlc_utran_tx_new_left(tx))
		return (struct rlc_utran_built){ 0 };
	return build_new(tx, now_ns, buf, elements);
}
