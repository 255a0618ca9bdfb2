/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ue.c - what a UE does in a slot: blocks on grants, requests; see ue.h.
 *
 * A grant of the slot comes before a configured one. On a configured grant nothing is sent when
 * there are no data. A grant without data for it carries padding and a BSR of nothing.
 * Source: TS 38.321 5.4.1, 5.4.2, 5.4.3.1.3, 5.8.2
 */
#include "ran/nr/ue.h"

#include "mac/nr/grant.h"
#include "ran/nr/access.h"
#include "ran/nr/air.h"
#include "ran/nr/block.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"
#include "ran/nr/report.h"

/* Slots of a period with uplink data, one after the other to the UEs in order. */
static uint32_t offset_of(const struct nr *nr, uint8_t place)
{
	uint32_t period = nr->cell.cfg.nr.mac.cg_period_slots, first, slot;

	first = slot = nr_next_ul(&nr->frame.tdd, 0, NR_SYMBOLS);
	for (uint8_t i = 1; i < place; i++) {
		slot = nr_next_ul(&nr->frame.tdd, slot + 1, NR_SYMBOLS);
		if (slot >= period)
			slot = first;
	}
	return slot;
}

static void make_active(struct nr *nr, struct nr_ue *u, uint32_t from)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	uint32_t period = cfg->nr.mac.cg_period_slots, offset = offset_of(nr, u->place);
	const struct nr_format *format = nr_mcs(nr_table_of(nr, CELL_DIR_UL), cfg->nr.mac.cg_mcs);
	uint32_t re = nr_frame_re(&cfg->nr.phy, NR_SYMBOLS, cfg->nr.mac.cg_rb);

	while (offset < from)
		offset += period;
	u->cg.at =
		(struct nr_occasions){ .period = period, .offset = offset, .symbols = NR_SYMBOLS };
	u->cg.grant = (struct nr_grant){
		.bytes = nr_tbs(re, format, nr_layers(nr, CELL_DIR_UL)),
		.n_rb = cfg->nr.mac.cg_rb,
		.rb_start = (uint16_t)(nr->frame.ul_end - (nr->cg_ues[u->cell][offset % period] +
		                                           1) * cfg->nr.mac.cg_rb),
		.mcs = cfg->nr.mac.cg_mcs,
		.kind = NR_TB_CONFIGURED,
	};
	nr->cg_ues[u->cell][offset % period]++;
}

void nr_ue_configure(struct nr *nr, struct nr_ue *u)
{
	if (nr->cell.cfg.nr.mac.configured_grant == CELL_CG_TYPE1)
		make_active(nr, u, 0);
}

void nr_ue_activate(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	if (nr->cell.cfg.nr.mac.configured_grant != CELL_CG_TYPE2 || u->cg.at.period > 0)
		return;
	make_active(nr, u, slot + nr->cell.cfg.nr.mac.k2_min);
	u->report.confirm_cg = true;
	out_record(&nr->cell, &u->sch[CELL_DIR_UL].at,
	           (struct cell_record){ .event = CELL_EV_CG_ACTIVE,
	                                 .node = CELL_NODE_ENB,
	                                 .peer = u->id,
	                                 .sn = u->cg.at.offset,
	                                 .rb = u->cg.grant.n_rb,
	                                 .bytes = u->cg.grant.bytes,
	                                 .mcs = u->cg.grant.mcs,
	                                 .value = (int32_t)u->cg.at.period });
}

/* The configured grant of @slot, if it is one and there are data for it. */
static bool configured(const struct nr *nr, const struct nr_ue *u, uint32_t slot,
                       struct nr_grant *ret)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct nr_sch *ul = &u->sch[CELL_DIR_UL];

	if (u->cg.at.period == 0 || ul->cqi == 0 ||
	    !nr_occasion_is(&u->cg.at, &nr->frame.tdd, slot) || nr_lch_bytes(ul) == 0 ||
	    !nr_block_room(nr, 1))
		return false;
	*ret = u->cg.grant;
	ret->slot = slot;
	ret->harq_id = nr_cg_harq_id(nr->frame.mu, slot, u->cg.at.period, cfg->nr.mac.cg_processes);
	return ul->process[ret->harq_id].state == NR_PROCESS_FREE;
}

/* A grant of new data, other than of random access. */
static void send(struct nr *nr, struct nr_ue *u, const struct nr_grant *g)
{
	nr_block_uplink(nr, u, g);
	if (u->report.retx_slot != NR_SLOT_NEVER)
		u->report.retx_slot = g->slot + nr_slots(nr, nr->cell.cfg.nr.mac.bsr_retx_ms);
	if (!u->report.pending)
		nr_access_end(nr, u); /* Source: TS 38.321 5.4.4 */
}

/* A block of random access may have been sent again meanwhile, after another preamble. */
static void send_again(struct nr *nr, struct nr_ue *u, const struct nr_grant *g)
{
	if (!u->sch[CELL_DIR_UL].process[g->harq_id].tb)
		return;
	nr_air_retransmit(nr, &u->sch[CELL_DIR_UL], g);
	if (g->harq_id == NR_HARQ_RA && u->ra.state == NR_RA_MSG3)
		u->ra.until =
			g->slot + 1 + nr_slots(nr, nr->cell.cfg.nr.ra.contention_resolution_ms);
}

void nr_ue_transmit(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	const struct nr_grant *g = nr_grant_take(&u->sch[CELL_DIR_UL].grants, slot);
	struct nr_grant own;

	if (g && g->retx) {
		send_again(nr, u, g);
	} else if (g) {
		own = *g;
		nr->promised--;
		send(nr, u, &own);
	} else if (u->ra.granted && u->ra.msg3.slot == slot) {
		u->ra.granted = false;
		if (!u->sch[CELL_DIR_UL].process[NR_HARQ_RA].on_air)
			nr_block_uplink(nr, u, &u->ra.msg3);
	} else if (configured(nr, u, slot, &own)) {
		send(nr, u, &own);
	}
}

void nr_ue_request(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	nr_report_timers(nr, u, slot);
	if (u->ra.state == NR_RA_IDLE && nr_report_request(nr, u, slot))
		nr_access_start(u, slot, false);
	nr_access_slot(nr, u, slot);
	nr_drx_request(&u->drx, u->report.sr_pending && u->report.sr_count > 0);
}

uint32_t nr_ue_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	uint32_t next = nr_grant_next(&u->sch[CELL_DIR_UL].grants), slot;

	slot = nr_report_next_slot(nr, u, from);
	next = slot < next ? slot : next;
	slot = nr_access_next_slot(nr, u, from);
	next = slot < next ? slot : next;
	if (u->cg.at.period > 0 && nr_lch_bytes(&u->sch[CELL_DIR_UL]) > 0) {
		slot = nr_occasion_next(&u->cg.at, &nr->frame.tdd, from);
		next = slot < next ? slot : next;
	}
	return next;
}
