/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heard.c - what an eNB learns of its UEs: buffer status reports, grants on which nothing came,
 * Scheduling Requests, channel quality; see heard.h.
 *
 * A BSR is older than the grants that were issued since it was written; so it is reduced by those.
 * A request only says that there is something. Source: TS 36.321 5.4.4, 5.4.5
 */
#include "ran/lte/heard.h"

#include "mac/lte/bsr.h"
#include "phy/lte/phy.h"
#include "ran/lte/control.h"

void heard_absent(struct lte *lte, const struct tb *tb)
{
	if (tb->dir == CELL_DIR_UL)
		lte->ue[tb->ue - 1].enb_backlog[CELL_DIR_UL] += tb->len;
}

void heard_bsr(struct lte *lte, struct ue *u, const struct mac_bsr *bsr, uint32_t sent_tti)
{
	static const struct {
		enum cell_dir dir;
		uint8_t lcg;
	} bearers[] = { { CELL_DIR_UL, LCG_INFRASTRUCTURE }, { CELL_DIR_SL, LCG_DIRECT } };

	u->request.heard_tti = TTI_NEVER;
	/* A short BSR means that the other groups have nothing (5.4.5). */
	for (uint32_t i = 0; i < 2; i++) {
		uint8_t index = bsr->index[bearers[i].lcg];
		uint32_t bytes = bsr_bytes(index), granted;

		granted = grant_payload_after(&u->ul, bearers[i].dir, sent_tti);
		if (u->enb_backlog[bearers[i].dir] == 0)
			u->backlog_since_ns[bearers[i].dir] = lte->cell.event_ns;
		u->enb_backlog[bearers[i].dir] = bytes > granted ? bytes - granted : 0;
		if (bsr->is_long || bsr->lcg == bearers[i].lcg)
			out_record(&lte->cell, &u->sch[bearers[i].dir].at,
			           (struct cell_record){ .event = CELL_EV_BSR_RX,
			                                 .node = CELL_NODE_ENB,
			                                 .peer = u->id,
			                                 .sn = bearers[i].lcg,
			                                 .bytes = bytes,
			                                 .value = index });
	}
}

void heard_format(const struct lte *lte, struct lte_sch *sch, uint8_t cqi)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;

	sch->cqi = cqi;
	sch->itbs = phy_itbs(sch->at.dir, cqi, control_symbols(cfg));
	if (cfg->lte.outer_loop.target_bler_q32 && cqi > 0)
		sch->itbs = lte_choose_itbs(&lte->formats[sch->at.dir], &sch->loop, sch->itbs);
	sch->level = control_level(cfg, cqi);
}

void heard_first(struct lte *lte, struct lte_sch *sch, bool ack)
{
	outer_loop_feedback(&sch->loop, ack);
	heard_format(lte, sch, sch->cqi);
}

void heard_nothing(const struct lte *lte, struct lte_sch *sch)
{
	const struct cell_lte_outer_loop_cfg *cfg = &lte->cell.cfg.lte.outer_loop;

	outer_loop_init(&sch->loop, cfg->target_bler_q32, cfg->step_cdb, OUTER_LOOP_LIMIT_CDB);
}

static void record(struct lte *lte, const struct lte_sch *sch, uint8_t cqi)
{
	out_record(&lte->cell, &sch->at,
	           (struct cell_record){ .event = CELL_EV_CHANNEL,
	                                 .node = sch->at.from,
	                                 .peer = sch->at.to,
	                                 .cqi = cqi,
	                                 .value = sch->sinr_cdb });
}

static void take_reports(const struct lte *lte, struct lte_sch *sch)
{
	uint8_t cqi;

	if (reports_take(&sch->reports, lte->cell.event_ns - lte->cell.start_ns, &cqi))
		heard_format(lte, sch, cqi);
}

void heard_reports(struct lte *lte, struct ue *u)
{
	for (int d = 0; d < CELL_DIR_COUNT; d++)
		take_reports(lte, &u->sch[d]);
}

void heard_channel(struct lte *lte, struct lte_sch *sch, uint8_t cqi, int32_t sinr_cdb)
{
	sch->sinr_cdb = sinr_cdb;
	if (reports_on(&lte->cell.cfg)) {
		take_reports(lte, sch);
		reports_channel(&sch->reports, &lte->cell.cfg, sch->ue,
		                lte->cell.event_ns - lte->cell.start_ns, cqi);
	} else {
		heard_format(lte, sch, cqi);
	}
	record(lte, sch, cqi);
}

void heard_cqi(struct lte *lte, struct lte_sch *sch, uint8_t cqi, int32_t sinr_cdb)
{
	sch->sinr_cdb = sinr_cdb;
	sch->reports = (struct reports){ 0 };
	heard_nothing(lte, sch);
	heard_format(lte, sch, cqi);
	record(lte, sch, cqi);
}
