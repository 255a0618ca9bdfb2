/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.c - hash of the state that decides what happens next; see digest.h. */
#include "ran/lte/digest.h"

#include "base/digest.h"
#include "ran/lte/crowd.h"

static void mix_bearer(uint64_t *h, const struct bearer *b)
{
	digest_mix(h, b->pdcp_tx.next_sn);
	digest_mix(h, b->heard.known ? (uint64_t)b->heard.fms << 16 | b->heard.n : 0);
	digest_mix(h, b->pdcp_rx.rx_deliv);
	digest_mix(h, b->pdcp_rx.rx_next);
	for (uint32_t i = 0; b->pdcp_rx.order == PDCP_ORDER_AM &&
	                     i < sizeof(b->pdcp_rx.delivered) / sizeof(uint64_t);
	     i++)
		digest_mix(h, b->pdcp_rx.delivered[i]);
	digest_mix_queue(h, &b->pdcp_rx.held);
	digest_mix(h, (uint64_t)b->pdcp_rx.expiry_ns);
	digest_mix(h, b->epoch);
	digest_mix(h, b->stopped);
	digest_mix(h, (uint64_t)b->outage_expiry_ns);
	digest_mix(h, (uint64_t)b->bucket.tokens_mbit);
	qos_digest(&b->qos, h);
	if (b->aqm.cfg.kind != CELL_AQM_NONE)
		aqm_digest(&b->aqm, h);
	b->rlc.mode->digest(&b->rlc, h);
}

static void mix_sch(uint64_t *h, const struct lte_sch *sch)
{
	digest_mix(h, (uint32_t)sch->sinr_cdb);
	digest_mix(h, sch->loss_rng.state);
	digest_mix(h, sch->harq_rng.state);
	digest_mix(h, sch->feedback_rng.state);
	reports_digest(&sch->reports, h);
	for (uint8_t k = 0; k < sch->n_bearers; k++)
		mix_bearer(h, &sch->bearer[k]);
}

static void mix_harq(uint64_t *h, const struct harq_process *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		digest_mix(h, p[i].busy);
		digest_mix(h, p[i].free_tti);
		digest_mix(h, p[i].tb ? p[i].due_tti : TTI_NEVER);
	}
}

static void mix_grants(uint64_t *h, const struct grant_ring *r)
{
	digest_mix(h, r->used);
	digest_mix(h, r->issued);
	for (uint32_t i = r->used; i != r->issued; i++) {
		digest_mix(h, r->grant[i % GRANTS_KEPT].subframe);
		digest_mix(h, r->grant[i % GRANTS_KEPT].bytes);
	}
}

static void mix_handover(uint64_t *h, const struct lte *lte, const struct ue *u)
{
	digest_mix(h, u->enb);
	digest_mix(h, u->detached);
	digest_mix(h, u->rnti);
	digest_mix(h, (uint64_t)u->rrc.state);
	digest_mix(h, u->rrc.waits);
	timeline_digest(&u->rrc.timeline, h);
	epc_digest_ue(&lte->epc, u->id, h);
	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		for (int d = 0; d < CELL_DIR_COUNT; d++)
			digest_mix(h, (uint64_t)(uint32_t)u->channel[k][d].sinr_cdb << 8 |
			                      u->channel[k][d].cqi);
	recovery_digest(&u->rrc.recovery, h);
	digest_mix_queue(h, &u->rrc.kept);
	measure_digest(&lte->cell, &u->measured, h);
}

void lte_digest(const struct lte *lte, uint64_t *h)
{
	digest_mix(h, lte->tti_next);
	for (int i = 0; i < 2; i++)
		for (const struct tb *p = lte->air[i].head; p; p = p->next) {
			digest_mix(h, (uint64_t)p->decode_ns);
			digest_mix(h, p->len);
			digest_mix(h, p->soft.information_q20);
			digest_mix_queue(h, &p->ends);
		}
	for (uint8_t k = 0; lte->cell.cfg.crowd.count && k < lte->cell.cfg.n_enb; k++)
		for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++)
			crowd_digest(&lte->enb[k].crowd[dir], &lte->cell.cfg, h);
	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++) {
		const struct ue *u = &lte->ue[i];

		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			mix_sch(h, &u->sch[d]);
			digest_mix(h, u->enb_backlog[d]);
		}
		mix_grants(h, &u->ul);
		mix_grants(h, &u->dl);
		mix_harq(h, u->harq_ul[0], lte_processes_ul(&lte->cell.cfg));
		mix_harq(h, u->harq_dl[0], lte_tbs_dl(&lte->cell.cfg) * HARQ_PROCESSES);
		digest_mix(h, u->mode);
		if (lte->cell.cfg.n_enb > 1)
			mix_handover(h, lte, u);
		digest_mix(h, (uint64_t)u->ra.state);
		digest_mix(h, u->ra.preamble_tti);
		digest_mix(h, u->ra.blocked_until);
		digest_mix(h, u->ra.preamble_rng.state);
		digest_mix(h, u->ra.backoff_rng.state);
		if (lte->cell.cfg.lte.sr.period_ms) {
			digest_mix(h, u->request.prohibited_until);
			digest_mix(h, u->request.heard_tti);
			digest_mix(h, u->request_rng.state);
			digest_mix(h, (uint64_t)u->request.count << 1 | u->request.failed);
		}
		digest_mix(h, u->control.rng.state);
		digest_mix(h, u->control.drawn ? u->control.tti : TTI_NEVER);
		digest_mix(h, u->control.missed);
	}
}
