/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - what a MAC PDU holds goes to the eNB and to RLC; see decode.h.
 *
 * A block that was not decoded waits in its HARQ process for the next attempt, or is
 * lost, and with it the packets whose last bytes it carries. One that was is taken apart:
 * its BSR goes to the eNB, which also hears those in direct mode if
 * enb_overhears_dm says so, and its RLC PDUs to the receiver of their shared channel. Blocks of a
 * cell that the UE has left, and RLC PDUs from before a re-establishment, are void. Source:
 * TS 36.321 5.3.2.2, 5.4.5
 */
#include "ran/lte/decode.h"

#include "base/assert.h"
#include "ran/lte/air.h"
#include "ran/lte/d2d.h"
#include "ran/lte/enb.h"
#include "ran/lte/lch.h"

#define AUX_DTX 2

static void record_outcome(struct lte *lte, const struct lte_sch *sch, const struct pdu *pdu)
{
	static const uint16_t events[] = { [PDU_DECODED] = CELL_EV_MAC_RX,
		                           [PDU_NACK] = CELL_EV_HARQ_NACK,
		                           [PDU_LOST] = CELL_EV_MAC_LOST };
	struct cell_record r = { .event = events[pdu->outcome],
		                 .node = sch->at.to,
		                 .peer = sch->at.from,
		                 .sn = pdu->subframe,
		                 .bytes = pdu->len };

	if (pdu->outcome == PDU_LOST && lte->harq.max_attempts > 1) {
		struct cell_record failure = r;

		lte->cell.stats.harq_failures[sch->at.dir]++;
		failure.event = CELL_EV_HARQ_FAILURE;
		failure.value = pdu->attempt;
		failure.aux = pdu->dtx ? AUX_DTX : pdu->nack_to_ack;
		out_record(&lte->cell, &sch->at, failure);
	}
	if (pdu->outcome == PDU_NACK) {
		r.value = pdu->attempt;
		r.aux = pdu->dtx ? AUX_DTX : 0;
	}
	out_record(&lte->cell, &sch->at, r);
}

/* The first @n of @from. */
static struct pkt_queue take(struct pkt_queue *from, uint32_t n)
{
	struct pkt_queue taken = { 0 };

	if (n == from->n)
		pkt_queue_move(&taken, from);
	while (taken.n < n && from->n > 0)
		pkt_enqueue(&taken, pkt_dequeue(from));
	return taken;
}

/* What a decoded MAC PDU holds goes to the eNB and to the receiving RLC. */
static void deliver(struct lte *lte, struct lte_sch *sch, struct pdu *pdu)
{
	struct mac_pdu mac;

	CELL_ASSERT(mac_unpack(&mac, pdu->buf, pdu->len) == 0);
	if (mac.bsr.present && (sch->at.dir == CELL_DIR_UL ||
	                        (sch->at.dir == CELL_DIR_SL && lte->cell.cfg.enb_overhears_dm)))
		enb_bsr(lte, &lte->ue[pdu->ue - 1], &mac.bsr, pdu->first_tti);
	for (uint32_t i = 0; i < mac.n_sdus; i++) {
		struct bearer *b = lte_lch_bearer_of(sch, mac.sdu[i].lcid);
		struct pkt_queue ends = take(&pdu->ends, pdu->sdu[i].n_ends);
		struct pdcp_out up = { 0 };

		if (pdu->sdu[i].epoch != b->epoch) {
			CELL_ASSERT(ends.n == 0); /* taken when it started again */
			continue;
		}
		bearer_receive(lte, b, pdu->buf + mac.sdu[i].off, mac.sdu[i].len, &ends, &up);
		d2d_forward(lte, sch, &up);
	}
}

static void decode(struct lte *lte, struct pdu *pdu)
{
	struct lte_sch *sch = &lte->ue[pdu->ue - 1].sch[pdu->dir];
	struct harq_process *process = air_process(lte, pdu);

	if (pdu->cell_change != lte->ue[pdu->ue - 1].cell_changes) {
		pdu_free(&lte->pdus, pdu); /* the UE left the cell before */
		return;
	}
	if (pdu->outcome == PDU_ABSENT) {
		enb_absent(lte, pdu);
		pdu_free(&lte->pdus, pdu);
		return;
	}
	record_outcome(lte, sch, pdu);
	if (pdu->outcome == PDU_NACK) {
		harq_wait(process, pdu,
		          pdu->dir == CELL_DIR_DL ? lte->harq.dl_rtt_tti : HARQ_UL_RTT_TTI);
		return;
	}
	harq_end(process);
	if (pdu->outcome == PDU_LOST) {
		lte->cell.stats.mac_lost[sch->at.dir]++;
		out_drop_all(&lte->cell, &pdu->ends, &sch->at, CELL_DROP_RADIO_LOSS);
	} else {
		deliver(lte, sch, pdu);
	}
	pdu_free(&lte->pdus, pdu);
}

void decode_block(struct lte *lte, struct pdu *pdu)
{
	lte->cell.block = pdu->block;
	ue_touch(lte, pdu->ue);
	decode(lte, pdu);
	lte->cell.block = 0;
}
