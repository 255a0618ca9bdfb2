/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * air.c - MAC PDUs from transmission to decoding; see air.h.
 *
 * Whether an attempt will be decoded is drawn when it is sent, from streams of its direction: first
 * whether the UE hears of it (downlink), then HARQ's errors, then a loss beyond HARQ. The block
 * is then on the air until it is decoded, timing.decode_tti sub-frames later less the
 * processing lead. Both lists of the air are in order of decoding, as all blocks are
 * equally long under way.
 * Source: TS 36.321 5.3.2, 5.4.2
 */
#include "ran/lte/air.h"

#include "phy/lte/bler.h"
#include "phy/lte/phy.h"
#include "ran/lte/control.h"
#include "ran/lte/decision.h"
#include "ran/lte/lch.h"

#define RNTI_TYPE_C 3

struct tb *air_block_start(struct lte *lte)
{
	struct tb *tb = tb_alloc(&lte->blocks);

	lte->cell.block = tb->block = lte->next_block++;
	return tb;
}

struct harq_process *air_process(struct lte *lte, const struct tb *tb)
{
	struct ue *u = &lte->ue[tb->ue - 1];

	return tb->dir == CELL_DIR_DL ? &u->harq_dl[tb->stream][tb->harq_id]
	                              : &u->harq_ul[tb->stream][tb->harq_id];
}

static struct cell_pdu_info describe(struct lte *lte, const struct tb *tb, const struct grant *g)
{
	const struct ue *u = &lte->ue[tb->ue - 1];

	return (struct cell_pdu_info){
		.dir = tb->dir,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_C,
		.rnti = u->rnti,
		.crc_ok = tb->outcome == TB_DECODED,
		.enb = u->enb,
		.subframe = g->subframe,
		.itbs = g->itbs,
		.mcs = phy_mcs(tb->dir, g->itbs),
		.n_rb = g->n_rb,
		.rb_start = g->rb_start,
		.harq_id = tb->harq_id,
		.ndi = air_process(lte, tb)->ndi,
		.attempt = tb->attempt,
		.carrier = decision_carrier(lte, (enum cell_dir)tb->dir, tb->stream),
		.codeword = decision_codeword(lte, (enum cell_dir)tb->dir, tb->stream),
	};
}

/* Chance that this attempt at @tb fails, given that those before did. */
static uint32_t fail_q32(const struct lte *lte, const struct lte_sch *sch, const struct grant *g,
                         struct tb *tb)
{
	if (!lte->harq.by_sinr || sch->sinr_cdb == CELL_SINR_UNKNOWN)
		return harq_ladder(&lte->harq, tb);
	return bler_attempt(
		&tb->soft, phy_bits(sch->at.dir, g->itbs), tb->len * 8,
		phy_coded_bits(sch->at.dir, g->itbs, g->n_rb, control_symbols(&lte->cell.cfg)),
		sch->sinr_cdb);
}

/* What a UE has it has, whatever becomes of another attempt; the eNB may take its ACK for a NACK.
 */
static void misread(const struct lte *lte, struct lte_sch *sch, struct tb *tb)
{
	if (tb->delivered && tb->outcome != TB_NACK)
		tb->outcome = TB_DECODED;
	tb->ack_to_nack = sch->at.dir == CELL_DIR_DL && tb->outcome == TB_DECODED &&
	                  lte->harq.ack_to_nack_q32 && tb->attempt < lte->harq.max_attempts &&
	                  rng_hit(&sch->feedback_rng, lte->harq.ack_to_nack_q32);
}

/* One attempt at sending @tb: decide how it ends and put it on the air. */
static void attempt(struct lte *lte, struct lte_sch *sch, const struct grant *g, struct tb *tb)
{
	struct cell_pdu_info info;

	tb->attempt++;
	tb->subframe = g->subframe;
	tb->decode_ns = cell_tti_ns(&lte->cell, g->subframe + lte->cell.cfg.lte.timing.decode_tti) -
	                lte->cell.cfg.lte.timing.processing_lead_ns;
	tb->dtx = false;
	if (sch->at.dir == CELL_DIR_DL && control_missed(lte, &lte->ue[sch->ue - 1], g->subframe))
		tb->outcome = (uint8_t)harq_dtx(&lte->harq, tb);
	else if (tb->delivered)
		tb->outcome = TB_DECODED;
	else
		tb->outcome = (uint8_t)harq_draw(&lte->harq, tb, fail_q32(lte, sch, g, tb),
		                                 &sch->harq_rng, &sch->feedback_rng);
	tb->acked = tb->outcome == TB_DECODED || tb->nack_to_ack;
	if (tb->attempt == 1 && rng_hit(&sch->loss_rng, sch->bler_q32))
		tb->outcome = TB_LOST; /* and nobody notices */
	misread(lte, sch, tb);
	air_process(lte, tb)->grant = *g;
	info = describe(lte, tb, g);
	out_pdu(&lte->cell, tb->buf, tb->len, &info);
	tb_enqueue(&lte->air[sch->at.dir == CELL_DIR_DL], tb);
}

static struct cell_record transmission(const struct lte_sch *sch, const struct grant *g,
                                       uint16_t event)
{
	return (struct cell_record){ .event = event,
		                     .node = sch->at.from,
		                     .peer = sch->at.to,
		                     .sn = g->subframe,
		                     .bytes = g->bytes,
		                     .rb = g->n_rb,
		                     .mcs = phy_mcs(sch->at.dir, g->itbs) };
}

void air_transmit(struct lte *lte, struct lte_sch *sch, const struct grant *g, struct tb *tb,
                  const struct mac_pdu *mac)
{
	struct cell_record r = transmission(sch, g, CELL_EV_MAC_TX);

	tb->first_tti = g->subframe;
	tb->len = g->bytes;
	tb->dir = sch->at.dir;
	tb->ue = sch->ue;
	tb->stream = g->stream;
	tb->cell_change = lte->ue[sch->ue - 1].cell_changes;
	/* Synchronous in the uplink: the process follows from the sub-frame. */
	tb->harq_id =
		sch->at.dir == CELL_DIR_DL ? g->harq_id : (uint8_t)(g->subframe % HARQ_PROCESSES);
	if (sch->at.dir != CELL_DIR_DL)
		harq_start(air_process(lte, tb), g->subframe);
	harq_send_new(air_process(lte, tb));
	lte->cell.stats.mac_pdus[sch->at.dir]++;
	lte->cell.stats.mac_bytes[sch->at.dir] += g->bytes;
	lte->cell.stats.mac_padding_bytes[sch->at.dir] += mac->padding;
	r.value = (int32_t)mac->padding;
	r.aux = g->msg3;
	out_record(&lte->cell, &sch->at, r);
	lte_lch_record_buffers(lte, sch);
	attempt(lte, sch, g, tb);
	lte->cell.block = 0;
}

void air_retransmit(struct lte *lte, struct harq_process *process, const struct grant *g)
{
	struct tb *tb = process->tb;
	struct lte_sch *sch = &lte->ue[tb->ue - 1].sch[tb->dir];
	struct cell_record r = transmission(sch, g, CELL_EV_HARQ_TX);

	lte->cell.block = tb->block;
	process->tb = NULL;
	process->free_tti = g->subframe + HARQ_UL_RTT_TTI;
	lte->cell.stats.harq_retx[sch->at.dir]++;
	r.value = tb->attempt + 1;
	out_record(&lte->cell, &sch->at, r);
	attempt(lte, sch, g, tb);
	lte->cell.block = 0;
}

void air_absent(struct lte *lte, struct ue *u, const struct grant *g)
{
	struct tb *tb = tb_alloc(&lte->blocks);

	tb->dir = g->dir;
	tb->stream = g->stream;
	tb->ue = u->id;
	tb->cell_change = u->cell_changes;
	tb->subframe = g->subframe;
	tb->len = g->wanted;
	tb->outcome = TB_ABSENT;
	tb->decode_ns = cell_tti_ns(&lte->cell, g->subframe + lte->cell.cfg.lte.timing.decode_tti) -
	                lte->cell.cfg.lte.timing.processing_lead_ns;
	tb_enqueue(&lte->air[0], tb);
}
