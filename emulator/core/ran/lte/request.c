/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c - Scheduling Requests: how a UE asks for a grant on PUCCH; see request.h.
 *
 * Each UE has an occasion of its own in every period. A UE with data and no grant sends a request
 * there, and again in the next occasion that sr-ProhibitTimer allows, until a BSR has left. After
 * dsr-TransMax requests it uses random access, and has its occasions again when that has succeeded,
 * as if RRC had configured them again. The eNB hears a request when it would have decoded data of
 * that sub-frame; out of range, and for a share of them, it does not. It takes those from before
 * its grant as answered. Occasions take nothing from the uplink carrier.
 * Source: TS 36.321 5.4.4; TS 36.213 10.1.5
 */
#include "ran/lte/request.h"

static uint32_t offset(const struct lte *lte, const struct ue *u)
{
	return (u->id - 1u) % lte->cell.cfg.lte.sr.period_ms;
}

void request_reset(struct ue *u)
{
	u->request = (struct scheduling_request){ .heard_tti = TTI_NEVER };
}

bool request_by_preamble(const struct lte *lte, const struct ue *u)
{
	return lte->cell.cfg.lte.sr.period_ms == 0 || u->request.failed;
}

static void record(struct lte *lte, const struct ue *u, uint32_t tti)
{
	out_record(&lte->cell, &u->sch[CELL_DIR_UL].at,
	           (struct cell_record){ .event = CELL_EV_SR,
	                                 .node = u->id,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = tti,
	                                 .value = u->request.count });
}

bool request_send(struct lte *lte, struct ue *u, uint32_t tti)
{
	const struct cell_lte_sr_cfg *sr = &lte->cell.cfg.lte.sr;
	struct scheduling_request *r = &u->request;

	if (request_by_preamble(lte, u))
		return true;
	if (tti % sr->period_ms != offset(lte, u) || tti < r->prohibited_until ||
	    grant_heard(&u->ul))
		return false;
	r->failed = r->count >= sr->trans_max;
	if (r->failed)
		return true;
	r->count++;
	r->prohibited_until = tti + sr->prohibit_periods * sr->period_ms;
	if (!rng_hit(&u->request_rng, sr->missed_q32) && r->heard_tti == TTI_NEVER &&
	    u->channel[u->enb][CELL_DIR_UL].cqi > 0)
		r->heard_tti = tti + lte->cell.cfg.lte.timing.decode_tti;
	record(lte, u, tti);
	return false;
}

void request_told(struct ue *u)
{
	u->request.count = 0;
	u->request.failed = false;
}

uint32_t request_next_tti(const struct lte *lte, const struct ue *u, uint32_t from)
{
	uint32_t period = lte->cell.cfg.lte.sr.period_ms, until = u->request.prohibited_until;
	uint32_t earliest = until > from ? until : from;

	if (grant_heard(&u->ul))
		return TTI_NEVER;
	return earliest + (offset(lte, u) + period - earliest % period) % period;
}

uint32_t request_wait_tti(const struct lte *lte)
{
	const struct cell_lte_cfg *cfg = &lte->cell.cfg.lte;

	return cfg->sr.period_ms ? cfg->sr.bsr_retx_ms : cfg->ra.rac_timeout_tti;
}
