/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aqm.c - active queue management, whichever it is; see aqm.h. */
#include "aqm/aqm.h"

#include "aqm/dualpi2.h"
#include "base/digest.h"
#include "base/ecn.h"

#define NS_PER_US     INT64_C(1000)
#define US_PER_MS     1000
#define SHIFT_TARGETS 2 /* the time shift of DualPI2, as the keys of radio.nr have it */

static bool is_dual(const struct aqm *aqm)
{
	return aqm->cfg.kind == CELL_AQM_MARK || aqm->cfg.kind == CELL_AQM_DUALPI2;
}

struct aqm_cfg aqm_cfg_of(const struct cell_qdisc *qdisc)
{
	static const uint8_t kinds[CELL_QDISC_COUNT] = {
		[CELL_QDISC_PFIFO] = CELL_AQM_NONE,        [CELL_QDISC_CODEL] = CELL_AQM_CODEL,
		[CELL_QDISC_FQ_CODEL] = CELL_AQM_FQ_CODEL, [CELL_QDISC_PIE] = CELL_AQM_PIE,
		[CELL_QDISC_DUALPI2] = CELL_AQM_DUALPI2,
	};
	uint16_t target_ms = (uint16_t)(qdisc->target_us / US_PER_MS);

	return (struct aqm_cfg){
		.kind = kinds[qdisc->kind],
		.l4s_id = qdisc->l4s_id,
		.mark_from_us = qdisc->step_thresh_us,
		.target_ms = target_ms,
		.tupdate_ms = (uint16_t)(qdisc->tupdate_us / US_PER_MS),
		.rtt_max_ms = (uint16_t)(qdisc->max_rtt_us / US_PER_MS),
		.coupling = qdisc->coupling_factor,
		.shift_ms = (uint16_t)(SHIFT_TARGETS * target_ms),
		.codel = { .target_ns = qdisc->target_us * NS_PER_US,
		           .interval_ns = qdisc->interval_us * NS_PER_US,
		           .ecn = qdisc->ecn },
		.n_flows = qdisc->flows,
		.quantum = (int32_t)qdisc->quantum,
		.pie = { .target_us = qdisc->target_us,
		         .tupdate_us = qdisc->tupdate_us,
		         .alpha = qdisc->alpha,
		         .beta = qdisc->beta,
		         .ecn = qdisc->ecn },
	};
}

void aqm_init(struct aqm *aqm, const struct aqm_cfg *cfg, int64_t start_ns)
{
	struct rng rng = aqm->pie.rng;

	*aqm = (struct aqm){ .cfg = *cfg, .pie.rng = rng };
	if (is_dual(aqm))
		dualpi2_init(aqm, start_ns);
	else if (cfg->kind == CELL_AQM_FQ_CODEL)
		fq_codel_init(&aqm->fq, cfg->flow, cfg->n_flows, cfg->quantum);
	else if (cfg->kind == CELL_AQM_PIE)
		pie_init(&aqm->pie, &cfg->pie, start_ns);
}

void aqm_update(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns)
{
	if (is_dual(aqm))
		dualpi2_update(aqm, q, now_ns);
	else if (aqm->cfg.kind == CELL_AQM_PIE)
		pie_update(&aqm->pie, &aqm->cfg.pie, aqm->n == 0, now_ns);
}

/* --- what comes --- */

static bool is_ect(struct pkt *p)
{
	return ecn_of(pkt_data(p), p->len) != ECN_NOT_ECT;
}

enum aqm_verdict aqm_arrive(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                            int64_t now_ns)
{
	if (aqm->cfg.kind != CELL_AQM_PIE)
		return AQM_PASS;
	aqm_update(aqm, q, now_ns);
	return pie_arrive(&aqm->pie, &aqm->cfg.pie, aqm->bytes, is_ect(p));
}

uint32_t aqm_overflow(const struct aqm *aqm, const struct pkt_queue *q, struct pkt **ret_before)
{
	uint16_t flow;
	uint32_t n;

	if (aqm->cfg.kind != CELL_AQM_FQ_CODEL || aqm->n == 0)
		return 0;
	n = fq_codel_fattest(&aqm->fq, &flow);
	*ret_before = NULL;
	for (struct pkt *p = q->head; aqm_is_past(p) || p->flow != flow; p = p->next)
		*ret_before = p;
	return n;
}

/* The packet before the first one on which it has yet to decide. */
static struct pkt *last_past(const struct pkt_queue *q)
{
	struct pkt *before = NULL;

	for (struct pkt *p = q->head; p && aqm_is_past(p); p = p->next)
		before = p;
	return before;
}

struct pkt *aqm_accept(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p, int64_t now_ns)
{
	if (is_dual(aqm))
		return dualpi2_accept(aqm, q, p, now_ns);
	aqm_update(aqm, q, now_ns);
	if (aqm->cfg.kind == CELL_AQM_FQ_CODEL && aqm->n == 0)
		fq_codel_idle(&aqm->fq);
	aqm->n++;
	aqm->bytes += p->len;
	if (aqm->cfg.kind == CELL_AQM_FQ_CODEL)
		return fq_codel_accept(&aqm->fq, p, last_past(q));
	return q->tail;
}

/* --- what goes --- */

static void count_off(struct aqm *aqm, const struct pkt *p)
{
	aqm->n--;
	aqm->bytes -= p->len;
}

enum aqm_verdict aqm_decide(struct aqm *aqm, struct pkt_queue *q, struct pkt *p, int64_t now_ns)
{
	int64_t waited_ns = now_ns - p->queued_ns;
	enum aqm_verdict verdict = AQM_PASS;

	if (is_dual(aqm))
		return dualpi2_decide(aqm, q, p, now_ns);
	if (aqm->cfg.kind == CELL_AQM_FQ_CODEL)
		verdict = fq_codel_decide(&aqm->fq, &aqm->cfg.codel, q, last_past(q), p, now_ns);
	if (verdict == AQM_TURN)
		return verdict;
	aqm_update(aqm, q, now_ns);
	count_off(aqm, p);
	if (aqm->cfg.kind == CELL_AQM_CODEL)
		verdict = codel_decide(&aqm->codel, &aqm->cfg.codel, waited_ns, aqm->bytes,
		                       is_ect(p), now_ns);
	if (aqm->cfg.kind == CELL_AQM_PIE)
		pie_sent(&aqm->pie, waited_ns);
	return verdict;
}

void aqm_left(struct aqm *aqm, const struct pkt *p)
{
	if (aqm_is_past(p))
		return;
	if (is_dual(aqm)) {
		dualpi2_left(aqm, p);
		return;
	}
	count_off(aqm, p);
	if (aqm->cfg.kind == CELL_AQM_FQ_CODEL)
		fq_codel_left(&aqm->fq, p);
}

void aqm_leave(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns)
{
	aqm_update(aqm, q, now_ns);
	dualpi2_empty(aqm);
	aqm->n = aqm->bytes = 0;
	codel_empty(&aqm->codel);
	fq_codel_empty(&aqm->fq);
}

/* Source: RFC 3168 5; RFC 9331 2 */
void aqm_mark(struct cell *c, const struct out_at *at, struct pkt *p, bool coupled)
{
	struct cell_record r = { .event = CELL_EV_ECN_MARK, .node = at->from, .peer = at->to };

	if (ecn_of(pkt_data(p), p->len) == ECN_CE)
		return;
	ecn_set(pkt_data(p), ECN_CE);
	r.pkt = p->id;
	r.tag = p->tag;
	r.bytes = p->len;
	r.value = (int32_t)((c->event_ns - p->queued_ns) / NS_PER_US);
	r.aux = coupled;
	c->stats.ecn_marks++;
	out_record(c, at, r);
}

void aqm_digest(const struct aqm *aqm, uint64_t *h)
{
	if (is_dual(aqm))
		dualpi2_digest(aqm, h);
	else if (aqm->cfg.kind == CELL_AQM_CODEL)
		codel_digest(&aqm->codel, h);
	else if (aqm->cfg.kind == CELL_AQM_FQ_CODEL)
		fq_codel_digest(&aqm->fq, h);
	else if (aqm->cfg.kind == CELL_AQM_PIE)
		pie_digest(&aqm->pie, h);
}
