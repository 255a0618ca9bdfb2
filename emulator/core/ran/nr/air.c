/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * air.c - blocks from transmission to decoding, and their HARQ processes; see air.h.
 *
 * HARQ is asynchronous in both directions: the gNB names the process, and says when a block is sent
 * again. Whether an attempt will be decoded is drawn when it is sent, from streams of its
 * direction: HARQ's errors, then a loss beyond HARQ. The receiver has the block at the end of its
 * slot and the time that decoding takes. What a UE found out the gNB hears in the uplink slot that
 * K1 names; what the gNB found out it knows at once. Source: TS 38.321 5.3.2, 5.4.2;
 * TS 38.213 9.2.3
 */
#include "ran/nr/air.h"

#include "phy/nr/cqi.h"
#include "ran/nr/control.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"

#define RNTI_TYPE_C  3
#define RNTI_TYPE_CS 5

struct nr_tb *nr_air_start(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g)
{
	struct nr_tb *tb = nr_tb_alloc(&nr->tbs);

	nr->cell.block = tb->block = nr->next_block++;
	tb->bytes = g->bytes;
	tb->dir = sch->at.dir;
	tb->ue = sch->ue;
	tb->kind = g->kind;
	tb->harq_id = g->harq_id;
	return tb;
}

static struct cell_pdu_info describe(const struct nr *nr, const struct nr_sch *sch,
                                     const struct nr_grant *g, const struct nr_tb *tb)
{
	return (struct cell_pdu_info){
		.dir = tb->dir,
		.ue = nr->ue[tb->ue - 1].id,
		.enb = sch->at.enb,
		.rnti_type = tb->kind == NR_TB_CONFIGURED && tb->attempt == 1 ? RNTI_TYPE_CS
		                                                              : RNTI_TYPE_C,
		.rnti = nr->ue[tb->ue - 1].rnti,
		.crc_ok = tb->outcome == NR_DECODED,
		.subframe = g->slot,
		.mcs = g->mcs,
		.n_rb = g->n_rb,
		.rb_start = g->rb_start,
		.carrier = g->harq_id == NR_HARQ_RA ? 0 : nr_carrier_of(g),
		.harq_id = g->harq_id % NR_HARQ_MAX, /* 0 of random access */
		.ndi = sch->process[g->harq_id].ndi,
		.attempt = tb->attempt,
	};
}

/* Chance that this attempt at @tb fails, given that those before did. */
static uint32_t fail_q32(const struct nr *nr, const struct nr_sch *sch, const struct nr_grant *g,
                         struct nr_tb *tb)
{
	enum cell_dir dir = (enum cell_dir)sch->at.dir;
	const struct nr_slot *slot = nr_frame_slot(&nr->frame, g->slot);
	bool access = g->harq_id == NR_HARQ_RA; /* one layer, Table 1 */
	const struct nr_format *format =
		nr_mcs(access ? NR_TABLE_64QAM : nr_table_of(nr, dir), g->mcs);
	uint32_t n_re;

	if (!nr->harq.by_sinr || sch->sinr_cdb == CELL_SINR_UNKNOWN)
		return nr->harq.max_attempts == 1 ? 0 : nr->harq.fail_q32[tb->attempt - 1];
	n_re = nr_frame_re(&nr->cell.cfg.nr.phy, dir == CELL_DIR_DL ? slot->pdsch : slot->pusch,
	                   g->n_rb);
	return nr_bler_attempt(&tb->soft, format, tb->bytes * 8,
	                       nr_coded_bits(n_re, format, access ? 1 : nr_layers(nr, dir)),
	                       sch->sinr_cdb);
}

static enum nr_outcome draw(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g,
                            struct nr_tb *tb)
{
	if (tb->delivered || !rng_hit(&sch->harq_rng, fail_q32(nr, sch, g, tb)))
		return NR_DECODED;
	if (tb->attempt >= nr->harq.max_attempts)
		return NR_LOST;
	/* What is to be sent again in the uplink the gNB says itself. */
	tb->nack_to_ack =
		sch->at.dir == CELL_DIR_DL && rng_hit(&sch->feedback_rng, nr->harq.nack_to_ack_q32);
	return tb->nack_to_ack ? NR_LOST : NR_NACK;
}

/* When the gNB has the feedback for a downlink block. */
static void await_feedback(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g,
                           const struct nr_tb *tb)
{
	struct nr_ue *u = &nr->ue[sch->ue - 1];
	struct nr_process *p = &sch->process[g->harq_id];
	uint32_t slot = nr_feedback_slot(&nr->frame.tdd, g->slot, nr->cell.cfg.nr.mac.k1_min);

	p->known_slot = nr_slot_at(nr, nr_slot_start(nr, slot + 1) + nr->frame.ul_decode_ns);
	p->ack = (tb->outcome == NR_DECODED && !tb->ack_to_nack) || tb->nack_to_ack;
	p->attempt = tb->attempt;
	u->dl_waiting |= UINT64_C(1) << g->harq_id;
	if (p->known_slot < u->feedback_slot)
		u->feedback_slot = p->known_slot;
	nr_drx_dl_feedback(&u->drx, g->harq_id, slot, tb->outcome == NR_DECODED);
}

/* One attempt at sending @tb: decide how it ends and put it on the air. */
static void attempt(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g, struct nr_tb *tb)
{
	bool dl = tb->dir == CELL_DIR_DL;
	struct nr_process *p = &sch->process[g->harq_id];
	struct cell_pdu_info info;

	tb->attempt++;
	tb->slot = g->slot;
	tb->decode_ns = nr_slot_start(nr, g->slot + 1) +
	                (dl ? nr->frame.dl_decode_ns : nr->frame.ul_decode_ns);
	tb->outcome = (uint8_t)draw(nr, sch, g, tb);
	if (tb->attempt == 1 && rng_hit(&sch->loss_rng, sch->bler_q32)) {
		tb->outcome = NR_LOST;
		tb->nack_to_ack = false;
	}
	tb->ack_to_nack = dl && tb->outcome == NR_DECODED && nr->harq.ack_to_nack_q32 &&
	                  tb->attempt < nr->harq.max_attempts &&
	                  rng_hit(&sch->feedback_rng, nr->harq.ack_to_nack_q32);
	p->grant = *g;
	p->on_air = true;
	if (dl)
		await_feedback(nr, sch, g, tb);
	else if (g->harq_id < NR_HARQ_MAX)
		nr_drx_ul_sent(&nr->ue[sch->ue - 1].drx, g->harq_id, g->slot);
	info = describe(nr, sch, g, tb);
	out_pdu(&nr->cell, tb->buf, tb->bytes, &info);
	nr_tb_enqueue(&nr->air[tb->dir], tb);
}

static struct cell_record transmission(const struct nr_sch *sch, const struct nr_grant *g,
                                       uint16_t event)
{
	return (struct cell_record){ .event = event,
		                     .node = sch->at.from,
		                     .peer = sch->at.to,
		                     .sn = g->slot,
		                     .bytes = g->bytes,
		                     .rb = g->n_rb,
		                     .mcs = g->mcs };
}

void nr_air_transmit(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g, struct nr_tb *tb,
                     uint32_t padding)
{
	struct cell_record r = transmission(sch, g, CELL_EV_MAC_TX);

	tb->first_slot = g->slot;
	sch->process[g->harq_id].ndi ^= 1;
	nr->cell.stats.mac_pdus[sch->at.dir]++;
	nr->cell.stats.mac_bytes[sch->at.dir] += g->bytes;
	nr->cell.stats.mac_padding_bytes[sch->at.dir] += padding;
	r.value = (int32_t)padding;
	r.aux = tb->kind;
	out_record(&nr->cell, &sch->at, r);
	nr_lch_record_buffers(nr, sch);
	attempt(nr, sch, g, tb);
	nr->cell.block = 0;
}

void nr_air_retransmit(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g)
{
	struct nr_process *p = &sch->process[g->harq_id];
	struct nr_tb *tb = p->tb;
	struct cell_record r = transmission(sch, g, CELL_EV_HARQ_TX);

	nr->cell.block = tb->block;
	p->tb = NULL;
	nr->cell.stats.harq_retx[sch->at.dir]++;
	r.value = tb->attempt + 1;
	out_record(&nr->cell, &sch->at, r);
	attempt(nr, sch, g, tb);
	nr->cell.block = 0;
}

/* Blocks of @sch that are on the air, out of the queue. */
static void take_from_air(struct nr *nr, const struct nr_sch *sch, struct pkt_queue *ret)
{
	struct nr_tb_queue *air = &nr->air[sch->at.dir], left = { 0 };
	struct nr_tb *tb;

	while ((tb = nr_tb_dequeue(air))) {
		if (tb->ue != sch->ue) {
			nr_tb_enqueue(&left, tb);
			continue;
		}
		pkt_queue_move(ret, &tb->ends);
		nr_tb_free(&nr->tbs, tb);
	}
	*air = left;
}

void nr_air_reset(struct nr *nr, struct nr_sch *sch, struct pkt_queue *ret)
{
	take_from_air(nr, sch, ret);
	for (uint32_t i = sch->grants.used; i != sch->grants.issued; i++)
		nr->promised -= !sch->grants.of[i % NR_GRANTS_KEPT].retx;
	sch->grants = (struct nr_grants){ 0 };
	for (uint32_t i = 0; i < NR_HARQ_ALL + 1; i++) {
		struct nr_process *p = &sch->process[i];

		if (p->tb) {
			pkt_queue_move(ret, &p->tb->ends);
			nr_tb_free(&nr->tbs, p->tb);
		}
		*p = (struct nr_process){ .known_slot = NR_SLOT_NEVER, .ndi = p->ndi };
	}
}

int nr_air_free_process(const struct nr_sch *sch, uint8_t first, uint8_t end)
{
	for (uint8_t i = first; i < end; i++)
		if (sch->process[i].state == NR_PROCESS_FREE)
			return i;
	return -1;
}

int nr_air_next_process(const struct nr *nr, const struct nr_sch *sch, uint8_t carrier)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	bool reserved = sch->at.dir == CELL_DIR_UL && cfg->nr.mac.configured_grant != CELL_CG_NONE;
	uint8_t first = (uint8_t)(carrier * NR_HARQ_MAX);

	return nr_air_free_process(sch, reserved ? cfg->nr.mac.cg_processes : first,
	                           (uint8_t)(first + cfg->nr.mac.harq_processes));
}

int nr_air_retx_process(const struct nr_sch *sch, uint8_t carrier)
{
	uint8_t first = (uint8_t)(carrier * NR_HARQ_MAX);

	for (uint8_t i = first; i < first + NR_HARQ_MAX; i++)
		if (sch->process[i].state == NR_PROCESS_RETX)
			return i;
	return carrier == 0 && sch->process[NR_HARQ_RA].state == NR_PROCESS_RETX ? NR_HARQ_RA : -1;
}

void nr_air_adapt(struct nr *nr, struct nr_sch *sch)
{
	enum nr_table table = nr_table_of(nr, (enum cell_dir)sch->at.dir);

	sch->mcs = nr->cell.cfg.nr.link_adaptation.outer_loop
	                   ? nr_choose_mcs(&sch->loop, table, table, sch->cqi)
	                   : nr_cqi_to_mcs(table, table, sch->cqi);
	sch->level = nr_control_level(nr, sch->cqi);
	sch->rate = nr_tbs(nr_frame_re(&nr->cell.cfg.nr.phy, NR_SYMBOLS, nr->frame.n_rb),
	                   nr_mcs(table, sch->mcs), nr_layers(nr, (enum cell_dir)sch->at.dir));
}

void nr_air_set_channel(struct nr *nr, struct nr_sch *sch, uint8_t cqi, int32_t sinr_cdb)
{
	sch->reports = (struct reports){ 0 };
	sch->cqi = cqi;
	sch->sinr_cdb = sinr_cdb;
	nr_air_adapt(nr, sch);
}

void nr_air_reports(struct nr *nr, struct nr_sch *sch)
{
	if (reports_take(&sch->reports, nr->cell.event_ns - nr->cell.start_ns, &sch->cqi))
		nr_air_adapt(nr, sch);
}

void nr_air_change_channel(struct nr *nr, struct nr_sch *sch, uint8_t cqi, int32_t sinr_cdb)
{
	if (!reports_on(&nr->cell.cfg)) {
		nr_air_set_channel(nr, sch, cqi, sinr_cdb);
		return;
	}
	sch->sinr_cdb = sinr_cdb;
	nr_air_reports(nr, sch);
	reports_channel(&sch->reports, &nr->cell.cfg, sch->ue,
	                nr->cell.event_ns - nr->cell.start_ns, cqi);
}
