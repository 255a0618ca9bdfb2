/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.c - hash of the state that decides what happens next; see cellcore.h.
 * Two cells with one digest and the same calls to come behave alike.
 */
#include "cell.h"
#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

static void mix(uint64_t *h, uint64_t v)
{
	for (int i = 0; i < 8; i++) /* FNV-1a, byte by byte */
		*h = (*h ^ (v >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
}

static void mix_queue(uint64_t *h, const struct pkt_queue *q)
{
	mix(h, q->n);
	for (const struct pkt *p = q->head; p; p = p->next)
		mix(h, p->id);
}

static void mix_sdus(uint64_t *h, const struct rlc_sdu_queue *q)
{
	mix(h, q->head_sent);
	mix(h, q->bytes);
	mix_queue(h, &q->sdus);
}

static void mix_reassembly(uint64_t *h, const struct rlc_reassembly *r)
{
	mix(h, r->lower);
	mix(h, r->tail.open);
	mix(h, r->tail.open ? r->tail.len : 0);
}

static void mix_um(uint64_t *h, const struct leg *leg)
{
	mix(h, leg->um_tx.vt_us);
	mix(h, leg->um_rx.vr_ux);
	mix(h, leg->um_rx.vr_uh);
	mix_reassembly(h, &leg->um_rx.reassembly);
}

static void mix_am(uint64_t *h, const struct leg *leg)
{
	mix(h, leg->am_tx.vt_a);
	mix(h, leg->am_tx.vt_s);
	mix(h, leg->am_tx.poll_sn);
	mix(h, leg->am_tx.n_retx);
	mix(h, leg->am_tx.retx_bytes);
	mix(h, leg->am_tx.pdu_without_poll);
	mix(h, leg->am_tx.byte_without_poll);
	mix(h, leg->am_tx.poll_due);
	mix(h, leg->am_rx.vr_x);
	mix(h, leg->am_rx.vr_ms);
	mix(h, leg->am_rx.vr_h);
	mix(h, leg->am_rx.status_due);
	mix_reassembly(h, &leg->am_rx.reassembly);
}

static void mix_leg(uint64_t *h, const struct cell *c, const struct leg *leg)
{
	mix(h, leg->pdcp_tx.next_sn);
	mix(h, leg->pdcp_rx.rx_deliv);
	mix(h, leg->pdcp_rx.rx_next);
	for (uint32_t i = 0; leg->pdcp_rx.order == PDCP_ORDER_AM &&
	                     i < sizeof(leg->pdcp_rx.delivered) / sizeof(uint64_t);
	     i++)
		mix(h, leg->pdcp_rx.delivered[i]);
	mix_queue(h, &leg->pdcp_rx.held);
	mix(h, leg->epoch);
	mix(h, leg->stopped);
	mix(h, (uint32_t)leg->sinr_cdb);
	mix(h, leg->loss_rng.state);
	mix(h, leg->harq_rng.state);
	mix(h, leg->feedback_rng.state);
	for (int t = 0; t < LEG_TIMER_COUNT; t++)
		mix(h, (uint64_t)bearer_expiry_ns(c, leg, (enum leg_timer)t));
	mix_sdus(h, bearer_queue(c, leg));
	if (c->cfg.rlc_mode == CELL_RLC_AM)
		mix_am(h, leg);
	else
		mix_um(h, leg);
}

static void mix_harq(uint64_t *h, const struct harq_process *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		mix(h, p[i].busy);
		mix(h, p[i].free_tti);
		mix(h, p[i].pdu ? p[i].due_tti : TTI_NEVER);
	}
}

static void mix_grants(uint64_t *h, const struct grant_ring *r)
{
	mix(h, r->used);
	mix(h, r->issued);
	for (uint32_t i = r->used; i != r->issued; i++) {
		mix(h, r->grant[i % GRANTS_KEPT].subframe);
		mix(h, r->grant[i % GRANTS_KEPT].bytes);
	}
}

static void mix_handover(uint64_t *h, const struct cell *c, const struct ue *u)
{
	mix(h, u->enb);
	mix(h, u->detached);
	mix(h, u->rnti);
	mix(h, c->path[u->id - 1]);
	mix(h, (uint64_t)u->rrc.state);
	mix(h, u->rrc.waits);
	for (uint8_t i = 0; i < u->rrc.n_steps; i++) {
		mix(h, (uint64_t)u->rrc.step[i].t_ns);
		mix(h, (uint64_t)u->rrc.step[i].kind);
	}
	for (uint8_t k = 0; k < c->cfg.n_enb; k++) {
		const struct tunnel_end *end = &c->enb[k].end[u->id - 1];

		mix_queue(h, &end->held);
		mix_queue(h, &end->direct);
		mix(h, (uint64_t)end->expiry_ns);
		mix(h, end->forward_to);
		mix(h, end->awaiting);
		mix(h, end->ended);
		mix(h, end->returning);
	}
}

static void mix_utran_leg(uint64_t *h, const struct utran_leg *l)
{
	const struct rlc_umts_tx *tx = &l->tx;
	const struct rlc_umts_rx *rx = &l->rx;

	mix(h, l->loss_rng.state);
	mix(h, l->status_next);
	mix(h, tx->queue.bytes);
	mix(h, tx->queue.head_sent);
	mix_queue(h, &tx->queue.sdus);
	mix(h, tx->unmarked ? tx->unmarked->id : 0);
	mix(h, tx->vt_a);
	mix(h, tx->vt_s);
	mix(h, tx->vt_pdu);
	mix(h, tx->n_retx);
	mix(h, tx->poll_sn);
	mix(h, tx->poll_due);
	mix(h, tx->mrw_active);
	mix(h, tx->mrw_due);
	mix(h, tx->sn_mrw);
	mix(h, (uint64_t)tx->poll_expiry_ns);
	mix(h, (uint64_t)tx->mrw_expiry_ns);
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = (sn + 1) & UMTS_SN_MASK)
		mix(h, (uint64_t)(tx->sent[sn]->retx_count << 2 | tx->sent[sn]->considered << 1 |
		                  tx->sent[sn]->acked));
	mix(h, rx->vr_r);
	mix(h, rx->vr_h);
	mix(h, rx->skip);
	mix(h, rx->tail.open ? rx->tail.len : UINT64_MAX);
	mix(h, rx->status_due);
	mix(h, rx->mrw_ack_due);
	mix(h, (uint64_t)rx->prohibit_expiry_ns);
}

static void mix_utran(uint64_t *h, const struct utran *u)
{
	mix(h, (uint64_t)u->next_tti_ns);
	for (int d = 0; d < 2; d++)
		mix_utran_leg(h, &u->leg[d]);
}

static void mix_train(uint64_t *h, const struct train *t)
{
	mix(h, t->begun);
	mix(h, t->at);
	mix(h, t->next);
	mix(h, t->left);
	mix(h, (uint64_t)t->start_ns);
	mix(h, (uint64_t)t->delay_ns);
	mix(h, (uint64_t)t->leaves_ns);
	mix(h, (uint64_t)t->last_ns);
	mix_queue(h, &t->way);
}

static void mix_link(uint64_t *h, const struct opportunity_link *link)
{
	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &link->leg[d];

		mix(h, (uint64_t)l->next.base_ns);
		mix(h, l->next.at);
		mix_sdus(h, &l->queue);
		mix_queue(h, &l->way);
		mix(h, l->way.head ? (uint64_t)l->way.head->queued_ns : 0);
		mix_train(h, &l->train);
	}
}

uint64_t cell_digest(const struct cell *c)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	mix(&h, c->tti_next);
	mix(&h, c->stats.pkts_in);
	mix(&h, c->stats.pkts_delivered);
	mix(&h, c->n_pkts);
	mix_queue(&h, &c->arrivals);
	for (int i = 0; i < 2; i++)
		for (const struct pdu *p = c->air[i].head; p; p = p->next) {
			mix(&h, (uint64_t)p->decode_ns);
			mix(&h, p->len);
			mix(&h, p->soft.information_q20);
			mix_queue(&h, &p->ends);
		}
	if (c->utran) {
		mix_utran(&h, c->utran);
		return h;
	}
	if (c->link) {
		mix_link(&h, c->link);
		return h;
	}
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		const struct ue *u = &c->ue[i];

		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			mix_leg(&h, c, &u->leg[d]);
			mix(&h, u->enb_backlog[d]);
		}
		mix_grants(&h, &u->ul);
		mix_grants(&h, &u->dl);
		mix_harq(&h, u->harq_ul, HARQ_PROCESSES);
		mix_harq(&h, u->harq_dl[0], cell_tbs_dl(&c->cfg) * HARQ_PROCESSES);
		mix(&h, u->mode);
		if (c->cfg.n_enb > 1)
			mix_handover(&h, c, u);
		mix(&h, (uint64_t)u->ra.state);
		mix(&h, u->ra.preamble_tti);
		mix(&h, u->ra.blocked_until);
		mix(&h, u->ra.preamble_rng.state);
		mix(&h, u->ra.backoff_rng.state);
		mix(&h, u->control.rng.state);
		mix(&h, u->control.drawn ? u->control.tti : TTI_NEVER);
		mix(&h, u->control.missed);
	}
	return h;
}
