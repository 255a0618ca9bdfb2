/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.c - bearers that go ahead of the scheduler's order, by their QoS; see ahead.h.
 *
 * They claim resource blocks by priority level, and of one level the one first whose delay budget
 * ends first. A claim is kept for its UE, which sends a block in the slot whatever the scheduler
 * decides on the rest, and may get more of that. What UEs have in the uplink the gNB knows from
 * BSRs, and how long it has waited from when it heard of it. A Scheduling Request is for the first
 * bearer that may go ahead: each may have a configuration of its own.
 * Source: TS 23.501 5.7.3.3, 5.7.3.4; TS 38.321 5.4.4
 */
#include "ran/nr/ahead.h"

#include "ran/nr/air.h"
#include "ran/nr/control.h"
#include "ran/nr/lch.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What bearers of flow @f have in the gNB's own queues, less what was granted before and leaves by
 * priority. */
static void ask_downlink(const struct nr *nr, const struct nr_ue *u, uint32_t f,
                         struct qos_claim *claims, uint32_t *n)
{
	const struct nr_sch *sch = &u->sch[CELL_DIR_DL];
	uint32_t granted = nr_grant_pending(&sch->grants);

	for (uint8_t i = 0; i < sch->n_drbs; i++) {
		const struct drb *b = &sch->drb[sch->order[i]];
		const struct rlc_sdu_queue *q = b->rlc.queue;
		uint32_t bytes = drb_bytes(b), need = nr_lch_need_of(b, bytes);
		uint32_t before = smaller(granted, need);
		uint32_t ahead = qos_ahead(&b->qos, bytes, qos_first(q), nr->cell.event_ns);

		granted -= before;
		ahead = ahead < bytes ? nr_lch_need_of(b, ahead) : need;
		if (ahead > before)
			qos_claim_add(claims, n,
			              qos_claim(&b->qos, q, nr->cell.event_ns, ahead - before, f));
	}
}

static void ask_uplink(const struct nr *nr, const struct nr_ue *u, uint32_t f, uint32_t slot,
                       struct qos_claim *claims, uint32_t *n)
{
	const struct nr_sch *sch = &u->sch[CELL_DIR_UL];
	bool requests = u->requested <= slot;

	for (uint8_t i = 0; i < sch->n_drbs; i++) {
		const struct drb *b = &sch->drb[sch->order[i]];
		uint32_t bytes = u->backlog_of[sch->order[i]], ahead;

		if (bytes == 0 && requests && b->qos.goes_ahead) {
			bytes = NR_SR_GRANT_BYTES;
			requests = false;
		}
		ahead = qos_ahead(&b->qos, bytes, smaller(bytes, CELL_UE_MTU_MAX),
		                  nr->cell.event_ns);
		if (ahead > 0)
			qos_claim_add(claims, n,
			              (struct qos_claim){ .deadline_ns = u->backlog_since_ns +
			                                                 b->qos.budget_ns,
			                                  .bytes = ahead,
			                                  .flow = f,
			                                  .level = b->qos.level });
	}
}

/* @bytes more of flow @f, as far as there are resource blocks for them, and a DCI. */
static void claim(struct nr *nr, struct sched_flow *f, uint32_t bytes, struct nr_decision *d)
{
	const struct nr_sch *sch = &nr->ue[f->ue].sch[f->dir];
	const struct nr_format *format = nr_mcs(nr_table_of(nr, d->dir), sch->mcs);
	uint32_t claimed = f->claimed + bytes, want = nr_serve_wanted(d->dir, claimed), fits;
	uint16_t n_rb;

	if (want < sch->least)
		want = sch->least;
	n_rb = nr_prb_needed(want, d->re, format, nr_layers(nr, d->dir),
	                     (uint16_t)(d->rb.free + f->claimed_rb));
	fits = nr_tbs(d->re * n_rb, format, nr_layers(nr, d->dir));
	if (fits <= NR_HEADERS_OF_BLOCK || fits < sch->least)
		return;
	if (!f->claimed_rb &&
	    (nr_air_next_process(nr, sch, d->carrier) < 0 || sch->cqi == 0 ||
	     !nr_control_assign(nr, nr_pdcch(nr, d), nr->ue[f->ue].rnti, f->level, d->slot)))
		return;
	d->rb.free = (uint16_t)(d->rb.free + f->claimed_rb - n_rb);
	f->claimed_rb = n_rb;
	f->claimed = claimed;
}

void nr_ahead_claim(struct nr *nr, struct sched_flow *flows, uint32_t n, struct nr_decision *d)
{
	struct qos_claim claims[QOS_CLAIMS_MAX];
	uint32_t n_claims = 0;

	for (uint32_t f = 0; f < n; f++) {
		const struct nr_ue *u = &nr->ue[flows[f].ue];

		if (d->dir == CELL_DIR_DL)
			ask_downlink(nr, u, f, claims, &n_claims);
		else
			ask_uplink(nr, u, f, d->slot, claims, &n_claims);
	}
	for (uint32_t i = 0; i < n_claims && d->rb.free > 0; i++)
		claim(nr, &flows[claims[i].flow], claims[i].bytes, d);
}
