/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlc.c - rows of radio.trace that all modes have; see rlc.h. */
#include "rlc/common/rlc.h"

void rlc_record_new(struct rlc *rlc, uint32_t size)
{
	const struct rlc_tx_pdu *pdu = &rlc->shared->tx_pdu;

	for (uint16_t i = 0; i < pdu->n; i++) {
		struct cell_record r = rlc_row_at_start(rlc, CELL_EV_RLC_TX);

		r.sn = pdu->sn;
		r.bytes = size;
		r.pkt = pdu->element[i].pkt;
		r.tag = pdu->element[i].tag;
		r.value = pdu->len[i];
		r.aux = pdu->element[i].ends;
		out_record(rlc->cell, rlc->at, r);
	}
}

void rlc_record_received(struct rlc *rlc, uint32_t sn, uint32_t len)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_RLC_RX);

	rlc->cell->stats.rlc_pdus_rx++;
	r.sn = sn;
	r.bytes = len;
	out_record(rlc->cell, rlc->at, r);
}

void rlc_record_discarded(struct rlc *rlc, const struct rlc_out *out, uint32_t sn)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_RLC_DISCARD);

	if (out->discarded_pdus == 0)
		return;
	r.sn = sn;
	r.value = (int32_t)out->discarded_pdus;
	out_record(rlc->cell, rlc->at, r);
}
