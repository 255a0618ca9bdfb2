/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * air.c - MAC PDUs from transmission to decoding; see air.h.
 *
 * Whether an attempt will be decoded is drawn when it is sent, from streams of its direction: first
 * whether the UE hears of it (downlink), then HARQ's errors, then a loss beyond HARQ. The block
 * is then on the air until it is decoded, decode_tti sub-frames later less the
 * processing lead. Both lists of the air are in order of decoding, as all blocks are
 * equally long under way.
 * Source: TS 36.321 5.3.2, 5.4.2
 */
#include "ran/lte/air.h"

#include "phy/phy.h"
#include "ran/lte/control.h"
#include "ran/lte/lch.h"

#define RNTI_TYPE_C 3

struct pdu *air_block_start(struct lte *lte)
{
	struct pdu *pdu = pdu_alloc(&lte->pdus);

	lte->cell.block = pdu->block = lte->next_block++;
	return pdu;
}

struct harq_process *air_process(struct lte *lte, const struct pdu *pdu)
{
	struct ue *u = &lte->ue[pdu->ue - 1];

	return pdu->dir == CELL_DIR_DL ? &u->harq_dl[pdu->tb][pdu->harq_id]
	                               : &u->harq_ul[pdu->harq_id];
}

static struct cell_pdu_info describe(struct lte *lte, const struct pdu *pdu, const struct grant *g)
{
	const struct ue *u = &lte->ue[pdu->ue - 1];

	return (struct cell_pdu_info){
		.dir = pdu->dir,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_C,
		.rnti = u->rnti,
		.crc_ok = pdu->outcome == PDU_DECODED,
		.enb = u->enb,
		.subframe = g->subframe,
		.itbs = g->itbs,
		.mcs = phy_mcs(pdu->dir, g->itbs),
		.n_rb = g->n_rb,
		.rb_start = g->rb_start,
		.harq_id = pdu->harq_id,
		.ndi = air_process(lte, pdu)->ndi,
		.attempt = pdu->attempt,
		.carrier = (uint8_t)(pdu->tb / lte->cell.cfg.dl_codewords),
		.codeword = pdu->tb % lte->cell.cfg.dl_codewords,
	};
}

/* Chance that this attempt at @pdu fails, given that those before did. */
static uint32_t fail_q32(const struct lte *lte, const struct lte_sch *sch, const struct grant *g,
                         struct pdu *pdu)
{
	if (!lte->harq.by_sinr || sch->sinr_cdb == CELL_SINR_UNKNOWN)
		return harq_ladder(&lte->harq, pdu);
	return bler_attempt(&pdu->soft, phy_bits(sch->at.dir, g->itbs), pdu->len * 8,
	                    phy_coded_bits(sch->at.dir, g->itbs, g->n_rb), sch->sinr_cdb);
}

/* One attempt at sending @pdu: decide how it ends and put it on the air. */
static void attempt(struct lte *lte, struct lte_sch *sch, const struct grant *g, struct pdu *pdu)
{
	struct cell_pdu_info info;

	pdu->attempt++;
	pdu->subframe = g->subframe;
	pdu->decode_ns = cell_tti_ns(&lte->cell, g->subframe + lte->cell.cfg.decode_tti) -
	                 lte->cell.cfg.processing_lead_ns;
	pdu->dtx = false;
	if (sch->at.dir == CELL_DIR_DL && control_missed(lte, &lte->ue[sch->ue - 1], g->subframe))
		pdu->outcome = (uint8_t)harq_dtx(&lte->harq, pdu);
	else
		pdu->outcome = (uint8_t)harq_draw(&lte->harq, pdu, fail_q32(lte, sch, g, pdu),
		                                  &sch->harq_rng, &sch->feedback_rng);
	if (pdu->attempt == 1 && rng_hit(&sch->loss_rng, sch->bler_q32))
		pdu->outcome = PDU_LOST;
	air_process(lte, pdu)->grant = *g;
	info = describe(lte, pdu, g);
	out_pdu(&lte->cell, pdu->buf, pdu->len, &info);
	pdu_enqueue(&lte->air[sch->at.dir == CELL_DIR_DL], pdu);
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

void air_transmit(struct lte *lte, struct lte_sch *sch, const struct grant *g, struct pdu *pdu,
                  const struct mac_pdu *mac)
{
	struct cell_record r = transmission(sch, g, CELL_EV_MAC_TX);

	pdu->first_tti = g->subframe;
	pdu->len = g->bytes;
	pdu->dir = sch->at.dir;
	pdu->ue = sch->ue;
	pdu->tb = g->tb;
	pdu->cell_change = lte->ue[sch->ue - 1].cell_changes;
	/* Synchronous in the uplink: the process follows from the sub-frame. */
	pdu->harq_id =
		sch->at.dir == CELL_DIR_DL ? g->harq_id : (uint8_t)(g->subframe % HARQ_PROCESSES);
	if (sch->at.dir != CELL_DIR_DL)
		harq_start(air_process(lte, pdu), g->subframe);
	harq_send_new(air_process(lte, pdu));
	lte->cell.stats.mac_pdus[sch->at.dir]++;
	lte->cell.stats.mac_bytes[sch->at.dir] += g->bytes;
	lte->cell.stats.mac_padding_bytes[sch->at.dir] += mac->padding;
	r.value = (int32_t)mac->padding;
	r.aux = g->msg3;
	out_record(&lte->cell, &sch->at, r);
	lte_lch_record_buffers(lte, sch);
	attempt(lte, sch, g, pdu);
	lte->cell.block = 0;
}

void air_retransmit(struct lte *lte, struct harq_process *process, const struct grant *g)
{
	struct pdu *pdu = process->pdu;
	struct lte_sch *sch = &lte->ue[pdu->ue - 1].sch[pdu->dir];
	struct cell_record r = transmission(sch, g, CELL_EV_HARQ_TX);

	lte->cell.block = pdu->block;
	process->pdu = NULL;
	process->free_tti = g->subframe + HARQ_UL_RTT_TTI;
	lte->cell.stats.harq_retx[sch->at.dir]++;
	r.value = pdu->attempt + 1;
	out_record(&lte->cell, &sch->at, r);
	attempt(lte, sch, g, pdu);
	lte->cell.block = 0;
}

void air_absent(struct lte *lte, struct ue *u, const struct grant *g)
{
	struct pdu *pdu = pdu_alloc(&lte->pdus);

	pdu->dir = g->dir;
	pdu->ue = u->id;
	pdu->cell_change = u->cell_changes;
	pdu->subframe = g->subframe;
	pdu->len = g->wanted;
	pdu->outcome = PDU_ABSENT;
	pdu->decode_ns = cell_tti_ns(&lte->cell, g->subframe + lte->cell.cfg.decode_tti) -
	                 lte->cell.cfg.processing_lead_ns;
	pdu_enqueue(&lte->air[0], pdu);
}
