/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.c - bearers that go ahead of the scheduler's order, by their QoS; see ahead.h.
 *
 * As in NR (ran/nr/ahead.c), but in the downlink alone: all bearers of a UE are one group of
 * logical channels, so of the uplink the eNB does not know to which of them the bytes of a BSR
 * belong. Source: TS 23.203 6.1.7.2; TS 36.321 5.4.5
 */
#include "ran/lte/ahead.h"

#include "phy/lte/phy.h"
#include "ran/lte/lch.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What bearers of flow @f have to send, less what was granted before and leaves by priority. */
static void ask(const struct lte *lte, const struct ue *u, uint32_t f, struct qos_claim *claims,
                uint32_t *n)
{
	const struct lte_sch *sch = &u->sch[CELL_DIR_DL];
	uint32_t granted = grant_pending(&u->dl);

	for (uint8_t i = 0; i < sch->n_bearers; i++) {
		const struct bearer *b = &sch->bearer[sch->order[i]];
		const struct rlc_sdu_queue *q = b->rlc.queue;
		uint32_t bytes = bearer_bytes(b), before = smaller(granted, bytes);
		uint32_t ahead = qos_ahead(&b->qos, bytes, qos_first(q), lte->cell.event_ns);

		granted -= before;
		if (ahead > before)
			qos_claim_add(claims, n,
			              qos_claim(&b->qos, q, lte->cell.event_ns, ahead - before, f));
	}
}

/* @bytes more of flow @f, as far as there are resource blocks for them, and a DCI. */
static void claim(struct lte *lte, struct sched_flow *f, uint32_t bytes,
                  const struct serve_decision *d)
{
	const struct ue *u = &lte->ue[f->ue];
	const struct lte_sch *sch = &u->sch[CELL_DIR_DL];
	uint32_t claimed = f->claimed + bytes, fits;
	uint32_t want = grant_wanted(claimed, lte->cell.cfg.lte.mac.grants_ignore_headers);
	uint16_t n_rb;

	if (want < sch->least)
		want = sch->least;
	n_rb = phy_rb_needed(CELL_DIR_DL, sch->itbs, want, d->rb->free + f->claimed_rb);
	fits = phy_tbs(sch->itbs, n_rb);
	if (fits <= grant_overhead(fits) || fits < sch->least)
		return;
	if (!f->claimed_rb &&
	    (sch->cqi == 0 || decision_process(lte, u, d->stream, d->tti + d->lead_tti) < 0 ||
	     !decision_assign(lte, d, u)))
		return;
	d->rb->free = (uint16_t)(d->rb->free + f->claimed_rb - n_rb);
	f->claimed_rb = n_rb;
	f->claimed = claimed;
}

void lte_ahead_claim(struct lte *lte, struct sched_flow *flows, uint32_t n,
                     const struct serve_decision *d)
{
	struct qos_claim claims[QOS_CLAIMS_MAX];
	uint32_t n_claims = 0;

	for (uint32_t f = 0; f < n; f++)
		if (flows[f].backlog > 0)
			ask(lte, &lte->ue[flows[f].ue], f, claims, &n_claims);
	for (uint32_t i = 0; i < n_claims && d->rb->free > 0; i++)
		claim(lte, &flows[claims[i].flow], claims[i].bytes, d);
}
