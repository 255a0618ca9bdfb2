/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.c - rows of radio.trace from a dedicated channel; see trace.h. */
#include "ran/utran/trace.h"

void utran_record(struct utran_link *u, int dir, bool at_end, struct cell_record r)
{
	bool at_ue = (dir == CELL_DIR_DL) == at_end;

	r.node = at_ue ? u->link.ue : CELL_NODE_ENB;
	r.peer = at_ue ? CELL_NODE_ENB : u->link.ue;
	out_record(u->link.cell, &u->at[dir], r);
}

void utran_record_buffer(struct utran_link *u, int dir)
{
	const struct rlc_sdu_queue *q = &u->dch[dir].tx.queue;

	utran_record(u, dir, false,
	             (struct cell_record){ .event = CELL_EV_BUFFER,
	                                   .bytes = q->bytes,
	                                   .value = (int32_t)q->sdus.n });
}

/* The first @n SDUs that end in PDU @sn. */
static void record_discarded(struct utran_link *u, int dir, uint16_t sn, uint32_t n)
{
	const struct rlc_pdu *pdu = u->dch[dir].tx.sent[sn];

	for (const struct pkt *p = pdu ? pdu->ends.head : NULL; p && n > 0; p = p->next, n--)
		utran_record(u, dir, false,
		             (struct cell_record){ .event = CELL_EV_RLC_DISCARD,
		                                   .sn = sn,
		                                   .bytes = p->len,
		                                   .pkt = p->id,
		                                   .tag = p->tag,
		                                   .value = 1,
		                                   .aux = 1 });
}

void utran_record_discard(struct utran_link *u, int dir)
{
	const struct rlc_utran_tx *tx = &u->dch[dir].tx;

	for (uint16_t sn = tx->vt_a; sn != tx->sn_mrw; sn = (sn + 1) & RLC_UTRAN_SN_MASK)
		record_discarded(u, dir, sn, UINT32_MAX);
	record_discarded(u, dir, tx->sn_mrw, tx->n_length);
}

void utran_record_status(struct utran_link *u, int dir, bool at_end, uint32_t len, bool piggybacked)
{
	const struct rlc_utran_status *s = &utran_of(u)->status;
	struct cell_record r = { .event = at_end ? CELL_EV_RLC_STATUS_RX : CELL_EV_RLC_STATUS_TX,
		                 .bytes = len,
		                 .aux = piggybacked ? 2 : 0 };

	for (uint16_t i = 0; i < s->n; i++) {
		const struct rlc_utran_sufi *sufi = &s->sufi[i];

		if (sufi->type == RLC_UTRAN_SUFI_ACK || sufi->type == RLC_UTRAN_SUFI_MRW)
			r.sn = sufi->sn[0];
		r.aux |= sufi->type == RLC_UTRAN_SUFI_MRW;
		for (uint16_t k = 0; sufi->type == RLC_UTRAN_SUFI_LIST && k < sufi->n; k++)
			r.value += sufi->l[k] + 1;
		for (uint16_t k = 0; sufi->type == RLC_UTRAN_SUFI_BITMAP && k < 8 * sufi->n; k++)
			r.value += !(sufi->bitmap[k / 8] & 0x80 >> k % 8);
	}
	utran_record(u, dir, at_end, r);
}

void utran_record_data(struct utran_link *u, int dir, const struct rlc_utran_built *b)
{
	const struct rlc_tx_pdu *pdu = &utran_of(u)->tx_pdu;

	if (b->retx)
		utran_record(u, dir, false,
		             (struct cell_record){ .event = CELL_EV_RLC_RETX,
		                                   .sn = b->sn,
		                                   .bytes = b->size,
		                                   .aux = b->vt_dat });
	for (uint16_t i = 0; !b->retx && i < pdu->n; i++)
		utran_record(u, dir, false,
		             (struct cell_record){ .event = CELL_EV_RLC_TX,
		                                   .sn = b->sn,
		                                   .bytes = b->size,
		                                   .pkt = pdu->element[i].pkt,
		                                   .tag = pdu->element[i].tag,
		                                   .value = pdu->len[i],
		                                   .aux = pdu->element[i].ends });
	if (b->poll)
		utran_record(u, dir, false,
		             (struct cell_record){ .event = CELL_EV_RLC_POLL, .sn = b->sn });
}
