/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - what a MAC PDU holds goes to the eNB and to RLC; see decode.h.
 *
 * A block that was not decoded waits in its HARQ process for the next attempt, or is
 * lost, and with it the packets whose last bytes it carries. One that was is taken apart:
 * its BSR goes to the eNB, which also hears those in direct mode if
 * mac.enb_overhears_dm says so, and its RLC PDUs to the receiver of their shared channel. Blocks of
 * a cell that the UE has left, and RLC PDUs from before a re-establishment, are void. Source:
 * TS 36.321 5.3.2.2, 5.4.5
 */
#include "ran/lte/decode.h"

#include "base/assert.h"
#include "ran/lte/air.h"
#include "ran/lte/d2d.h"
#include "ran/lte/heard.h"
#include "ran/lte/lch.h"

#define AUX_DTX 2

static void record_outcome(struct lte *lte, const struct lte_sch *sch, const struct tb *tb)
{
	static const uint16_t events[] = { [TB_DECODED] = CELL_EV_MAC_RX,
		                           [TB_NACK] = CELL_EV_HARQ_NACK,
		                           [TB_LOST] = CELL_EV_MAC_LOST };
	struct cell_record r = { .event = events[tb->outcome],
		                 .node = sch->at.to,
		                 .peer = sch->at.from,
		                 .sn = tb->subframe,
		                 .bytes = tb->len };

	if (tb->outcome == TB_LOST && lte->harq.max_attempts > 1) {
		struct cell_record failure = r;

		lte->cell.stats.harq_failures[sch->at.dir]++;
		failure.event = CELL_EV_HARQ_FAILURE;
		failure.value = tb->attempt;
		failure.aux = tb->dtx ? AUX_DTX : tb->nack_to_ack;
		out_record(&lte->cell, &sch->at, failure);
	}
	if (tb->outcome == TB_NACK) {
		r.value = tb->attempt;
		r.aux = tb->dtx ? AUX_DTX : 0;
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
static void deliver(struct lte *lte, struct lte_sch *sch, struct tb *tb)
{
	struct mac_pdu mac;

	CELL_ASSERT(mac_unpack(&mac, tb->buf, tb->len) == 0);
	if (mac.bsr.present &&
	    (sch->at.dir == CELL_DIR_UL ||
	     (sch->at.dir == CELL_DIR_SL && lte->cell.cfg.lte.mac.enb_overhears_dm)))
		heard_bsr(lte, &lte->ue[tb->ue - 1], &mac.bsr, tb->first_tti);
	for (uint32_t i = 0; i < mac.n_sdus; i++) {
		struct bearer *b = lte_lch_bearer_of(sch, mac.sdu[i].lcid);
		struct pkt_queue ends = take(&tb->ends, tb->sdu[i].n_ends);
		struct pdcp_out up = { 0 };

		if (tb->sdu[i].epoch != b->epoch) {
			CELL_ASSERT(ends.n == 0); /* taken when it started again */
			continue;
		}
		bearer_receive(lte, b, tb->buf + mac.sdu[i].off, mac.sdu[i].len, &ends, &up);
		d2d_forward(lte, sch, &up);
	}
}

static void decode(struct lte *lte, struct tb *tb)
{
	struct lte_sch *sch = &lte->ue[tb->ue - 1].sch[tb->dir];
	struct harq_process *process = air_process(lte, tb);

	if (tb->cell_change != lte->ue[tb->ue - 1].cell_changes) {
		tb_free(&lte->blocks, tb); /* the UE left the cell before */
		return;
	}
	if (tb->outcome == TB_ABSENT) {
		heard_absent(lte, tb);
		tb_free(&lte->blocks, tb);
		return;
	}
	if (tb->attempt == 1 && !tb->dtx && lte->cell.cfg.lte.outer_loop.target_bler_q32)
		heard_first(lte, sch, tb->acked && !tb->ack_to_nack);
	if (tb->outcome != TB_DECODED || !tb->delivered)
		record_outcome(lte, sch, tb);
	if (tb->outcome == TB_NACK) {
		harq_wait(process, tb,
		          tb->dir == CELL_DIR_DL ? lte->harq.dl_rtt_tti : HARQ_UL_RTT_TTI);
		return;
	}
	if (!tb->ack_to_nack)
		harq_end(process);
	if (tb->outcome == TB_LOST) {
		lte->cell.stats.mac_lost[sch->at.dir]++;
		out_drop_all(&lte->cell, &tb->ends, &sch->at, CELL_DROP_RADIO_LOSS);
	} else if (!tb->delivered) {
		deliver(lte, sch, tb);
	}
	if (tb->ack_to_nack) {
		tb->delivered = true;
		harq_wait(process, tb, lte->harq.dl_rtt_tti);
		return;
	}
	tb_free(&lte->blocks, tb);
}

void decode_block(struct lte *lte, struct tb *tb)
{
	lte->cell.block = tb->block;
	ue_touch(lte, tb->ue);
	decode(lte, tb);
	lte->cell.block = 0;
}
