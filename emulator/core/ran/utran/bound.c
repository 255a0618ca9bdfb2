/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bound.c - when a packet can leave next, so that a shell may sleep until then; see bound.h.
 *
 * A lower bound. An SDU leaves with the last of its PDUs to arrive, and of
 * the ones before. What is on the air arrives at a known time. What is not
 * goes on the air in a later TTI; if it was sent before, the transmitter has to learn that
 * it is missing, from a STATUS PDU or by Timer_Poll.
 */
#include "ran/utran/bound.h"

#include "ran/utran/link.h"

/* Arrival of what goes on the air in the first TTI from @t_ns on. */
static int64_t arrival_from(const struct utran_link *u, int64_t t_ns)
{
	return utran_tti_from(u, t_ns) + u->tti_ns + u->delay_ns;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* When the transmitter of direction @dir may hear of a PDU that is missing and that it does not
 * resend.
 */
static int64_t learn_ns(const struct utran_link *u, int dir, int64_t next_ns)
{
	const struct utran_dch *l = &u->dch[dir];
	int64_t prohibited_ns = l->rx.prohibit_expiry_ns, t_ns;

	if (prohibited_ns == CELL_NEVER)
		prohibited_ns = next_ns;
	t_ns = earlier(arrival_from(u, prohibited_ns), l->tx.poll_expiry_ns);
	/* Timer_Poll of the next poll. */
	t_ns = earlier(t_ns, utran_tti_from(u, next_ns) + l->tx.timer_poll_ns);
	for (const struct tb *p = u->air[!dir].head; p; p = p->next)
		if (p->outcome == TB_DECODED && rlc_utran_status_at(p->buf, p->len) >= 0)
			return earlier(t_ns, p->decode_ns);
	return t_ns;
}

/* Arrival of the last of @bytes that go on the air from @t_ns on. */
static int64_t end_from(const struct utran_link *u, const struct utran_dch *l, uint32_t bytes,
                        int64_t t_ns)
{
	uint32_t tti_bytes = (l->tx.pdu_size - RLC_UTRAN_AMD_FIXED) * (uint32_t)l->tti_pdus;

	return arrival_from(u, t_ns) + (int64_t)((bytes - 1) / tti_bytes) * u->tti_ns;
}

/*
 * The earliest discard. It takes one more PDU that was sent MaxDAT times and of which the
 * transmitter hears; each further transmission of a PDU takes a TTI at least.
 */
static int64_t discard_ns(const struct utran_link *u, const struct utran_dch *l, int64_t learnt_ns)
{
	const struct rlc_utran_tx *tx = &l->tx;
	uint32_t sent = 1, max = u->link.cell->cfg.utran.max_dat;

	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = (sn + 1) & RLC_UTRAN_SN_MASK) {
		const struct rlc_pdu *pdu = tx->sent[sn];
		uint32_t n = pdu->retx_count + (uint32_t)pdu->considered;

		if (!pdu->acked && n > sent)
			sent = n;
	}
	return learnt_ns + (sent < max ? max - sent : 0) * u->tti_ns;
}

/* Arrival of the end of the SDU that is next at the transmitter; after a discard, of any other. */
static int64_t queued_ns(const struct utran_link *u, const struct utran_dch *l, int64_t next_ns,
                         int64_t discarded_ns)
{
	const struct rlc_sdu_queue *q = &l->tx.queue;
	uint32_t shortest = UINT32_MAX;
	int64_t t_ns;

	if (l->tx.unmarked || !q->sdus.head)
		return arrival_from(u, next_ns);
	t_ns = end_from(u, l, (uint32_t)q->sdus.head->sdu_len - q->head_sent, next_ns);
	for (const struct pkt *p = q->sdus.head->next; p; p = p->next)
		if (p->sdu_len < shortest)
			shortest = p->sdu_len;
	if (shortest == UINT32_MAX)
		return t_ns;
	return earlier(t_ns, end_from(u, l, shortest, discarded_ns));
}

/* When PDU @sn, which is missing, can be there. */
static int64_t missing_ns(const struct utran_link *u, const struct utran_dch *l, uint16_t sn,
                          int64_t next_ns, int64_t learnt_ns)
{
	if (l->arrival_ns[sn] >= u->link.cell->event_ns)
		return l->arrival_ns[sn];
	return arrival_from(u, l->tx.sent[sn]->considered ? next_ns : learnt_ns);
}

static int64_t lte_lch_output_ns(const struct utran_link *u, int dir, int64_t next_ns)
{
	const struct utran_dch *l = &u->dch[dir];
	const struct rlc_utran_tx *tx = &l->tx;
	int64_t t_ns = u->link.cell->event_ns, learnt_ns, discarded_ns, at_ns;

	if (tx->mrw_active)
		return earlier(u->air[dir].head ? u->air[dir].head->decode_ns : CELL_NEVER,
		               arrival_from(u, next_ns));
	if (l->rx.vr_r == tx->vt_s && !tx->queue.sdus.head && !tx->unmarked)
		return CELL_NEVER;
	learnt_ns = learn_ns(u, dir, next_ns);
	discarded_ns = discard_ns(u, l, learnt_ns);
	for (uint16_t sn = l->rx.vr_r; sn != tx->vt_s; sn = (sn + 1) & RLC_UTRAN_SN_MASK) {
		if (!l->rx.window[sn]) {
			at_ns = missing_ns(u, l, sn, next_ns, learnt_ns);
			t_ns = at_ns > t_ns ? at_ns : t_ns;
		}
		if (tx->sent[sn]->n_cuts > 0)
			return earlier(t_ns, arrival_from(u, discarded_ns));
	}
	at_ns = queued_ns(u, l, next_ns, discarded_ns);
	t_ns = at_ns > t_ns ? at_ns : t_ns;
	return t_ns;
}

int64_t utran_next_output(const struct independent_link *link)
{
	const struct utran_link *u = (const struct utran_link *)link;
	int64_t next_ns = utran_next(link), ul_ns, dl_ns;

	if (next_ns == CELL_NEVER)
		return CELL_NEVER;
	ul_ns = lte_lch_output_ns(u, CELL_DIR_UL, next_ns);
	dl_ns = lte_lch_output_ns(u, CELL_DIR_DL, next_ns);
	ul_ns = earlier(ul_ns, dl_ns);
	return ul_ns > next_ns ? ul_ns : next_ns;
}
