/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.c - hash of the state that decides what happens next; see digest.h. */
#include "ran/nr/digest.h"

#include "base/digest.h"

static void mix_drb(uint64_t *h, const struct drb *b)
{
	digest_mix(h, b->pdcp_tx.tx_next);
	digest_mix(h, b->pdcp_rx.rx_deliv);
	digest_mix(h, b->pdcp_rx.rx_next);
	digest_mix(h, b->pdcp_rx.n_held);
	digest_mix(h, (uint64_t)b->pdcp_rx.expiry_ns);
	digest_mix(h, b->epoch);
	digest_mix(h, b->stopped);
	digest_mix(h, b->reported);
	digest_mix(h, (uint64_t)b->outage_expiry_ns);
	digest_mix(h, (uint64_t)b->bucket.tokens_mbit);
	qos_digest(&b->qos, h);
	if (b->aqm.cfg.kind != CELL_AQM_NONE)
		aqm_digest(&b->aqm, h);
	if (b->awaits_status)
		digest_mix_queue(h, &b->early);
	b->rlc.mode->digest(&b->rlc, h);
}

static void mix_process(uint64_t *h, const struct nr_process *p)
{
	digest_mix(h, (uint64_t)p->known_slot << 8 | p->state);
}

static void mix_sch(uint64_t *h, const struct nr_sch *sch, uint8_t carriers)
{
	digest_mix(h, (uint64_t)(uint32_t)sch->sinr_cdb << 16 | (uint32_t)sch->cqi << 8 | sch->mcs);
	digest_mix(h, sch->loss_rng.state);
	digest_mix(h, sch->harq_rng.state);
	digest_mix(h, sch->feedback_rng.state);
	digest_mix(h, (uint32_t)sch->loop.offset_udb);
	for (uint32_t i = 0; i < (uint32_t)NR_HARQ_MAX * carriers; i++)
		mix_process(h, &sch->process[i]);
	mix_process(h, &sch->process[NR_HARQ_RA]);
	for (uint32_t i = sch->grants.used; i != sch->grants.issued; i++) {
		digest_mix(h, sch->grants.of[i % NR_GRANTS_KEPT].slot);
		digest_mix(h, sch->grants.of[i % NR_GRANTS_KEPT].bytes);
	}
	for (uint8_t k = 0; k < sch->n_drbs; k++)
		mix_drb(h, &sch->drb[k]);
}

static void mix_ue(uint64_t *h, const struct nr_ue *u, uint8_t carriers)
{
	const struct nr_report *r = &u->report;

	mix_sch(h, &u->sch[CELL_DIR_UL], 1);
	mix_sch(h, &u->sch[CELL_DIR_DL], carriers);
	digest_mix(h, (uint64_t)(r->pending << 2 | r->sr_pending << 1 | r->confirm_cg));
	digest_mix(h, r->sr_count);
	digest_mix(h, r->sr_from);
	digest_mix(h, u->request_rng.state);
	digest_mix(h, r->periodic_slot);
	digest_mix(h, r->retx_slot);
	digest_mix(h, (uint64_t)u->ra.state);
	digest_mix(h, u->ra.preamble_slot);
	digest_mix(h, u->ra.until);
	digest_mix(h, u->ra.preamble_rng.state);
	digest_mix(h, u->ra.backoff_rng.state);
	digest_mix(h, u->cg.at.period);
	digest_mix(h, u->drx.inactivity_until);
	digest_mix(h, u->dl_waiting);
	digest_mix(h, u->backlog);
	digest_mix(h, u->requested);
	if (carriers > 1)
		digest_mix(h, (uint64_t)u->scells.from << 32 | u->scells.until);
}

static void mix_handover(uint64_t *h, const struct nr *nr, const struct nr_ue *u)
{
	const struct nr_rrc *rrc = &u->rrc;

	digest_mix(h, (uint64_t)u->rnti << 16 | (uint64_t)u->cell << 8 | u->detached);
	digest_mix(h, (uint64_t)rrc->state);
	digest_mix(h, (uint64_t)rrc->asked << 8 | rrc->prepared);
	digest_mix(h, (uint64_t)(rrc->confirmed << 3 | rrc->path_switched << 2 |
	                         rrc->source_knows << 1 | rrc->waits));
	if (rrc->source_link)
		digest_mix(h, rrc->source_link->sch[0].ue);
	digest_mix_queue(h, &rrc->kept);
	timeline_digest(&rrc->timeline, h);
	epc_digest_ue(&nr->epc, u->id, h);
	recovery_digest(&rrc->recovery, h);
	measure_digest(&nr->cell, &u->measured, h);
	for (uint8_t k = 0; k < nr->cell.cfg.n_enb; k++)
		for (int d = 0; d < 2; d++)
			digest_mix(h, (uint64_t)(uint32_t)u->channel[k][d].sinr_cdb << 8 |
			                      u->channel[k][d].cqi);
}

void nr_digest(const struct nr *nr, uint64_t *h)
{
	digest_mix(h, nr->slot_next);
	digest_mix(h, nr->promised);
	for (uint8_t k = 0; nr->cell.cfg.crowd.count && k < nr->cell.cfg.n_enb; k++)
		for (uint8_t dir = 0; dir < 2; dir++)
			crowd_digest(&nr->crowd[k][dir], &nr->cell.cfg, h);
	for (int d = 0; d < 2; d++)
		for (const struct nr_tb *tb = nr->air[d].head; tb; tb = tb->next) {
			digest_mix(h, (uint64_t)tb->decode_ns);
			digest_mix(h, tb->bytes);
			digest_mix(h, tb->soft.information_q20);
			digest_mix_queue(h, &tb->ends);
		}
	for (uint8_t i = 0; i < nr->n_ue; i++) {
		mix_ue(h, &nr->ue[i], nr->cell.cfg.nr.phy.dl_carriers);
		if (nr->cell.cfg.n_enb > 1)
			mix_handover(h, nr, &nr->ue[i]);
	}
}
