/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.c - flows get resource blocks and control channel elements, one after the other as the
 * scheduler says, until nothing is left that anybody could use; see serve.h.
 * Source: TS 36.213 7.1.6, 8.0; TS 36.321 5.3, 5.4.1
 */
#include "ran/lte/serve.h"

#include "phy/lte/phy.h"
#include "ran/lte/ahead.h"
#include "ran/lte/control.h"
#include "ran/lte/crowd.h"

#define CROWD_RNTI 0x8000 /* of its first member's flow, for its place in search spaces */

/*
 * Give @f what it needs of what it has claimed and what is left, or nothing where no data or no DCI
 * would fit. What does not segment gets room for a packet, or all of the carrier: a grant for a
 * part of one would carry nothing. Return: bytes of RLC SDUs that fit.
 */
static uint32_t issue(struct lte *lte, const struct sched_flow *f, const struct serve_decision *d)
{
	struct ue *u = &lte->ue[f->ue];
	struct lte_sch *sch = &u->sch[f->dir];
	bool asked = f->dir == CELL_DIR_UL && u->enb_backlog[CELL_DIR_UL] == 0;
	uint32_t want, overhead;
	int id = 0;
	struct grant g = {
		.subframe = d->tti + d->lead_tti,
		.dir = f->dir,
		.itbs = sch->itbs,
		.rb_start = d->rb->next,
		.stream = d->stream,
		.asked = asked,
	};

	d->rb->free = (uint16_t)(d->rb->free + f->claimed_rb);
	want = grant_wanted(f->backlog, lte->cell.cfg.lte.mac.grants_ignore_headers && !asked);
	if (want < sch->least)
		want = sch->least;
	g.n_rb = phy_rb_needed(f->dir, g.itbs, want, d->rb->free);
	g.bytes = phy_tbs(g.itbs, g.n_rb);
	overhead = grant_overhead(g.bytes);
	if (g.bytes <= overhead || sch->cqi == 0)
		return 0;
	if (g.bytes < sch->least &&
	    g.n_rb < phy_rb_needed(f->dir, g.itbs, want, control_rb(&lte->cell.cfg, f->dir)))
		return 0; /* more another time */
	if (f->dir == CELL_DIR_DL)
		id = decision_process(lte, u, d->stream, g.subframe);
	if (id < 0 || (!f->claimed_rb && !decision_assign(lte, d, u)))
		return 0;
	if (f->dir == CELL_DIR_DL) {
		g.harq_id = (uint8_t)id;
		harq_start(&u->harq_dl[d->stream][id], g.subframe);
	} else {
		g.missed = control_missed(lte, u, d->tti);
	}
	g.wanted = g.bytes >= want ? f->backlog : g.bytes - overhead;
	rb_reserve(d->rb, g.n_rb);
	(void)grant_issue(f->dir == CELL_DIR_DL ? &u->dl : &u->ul, &g);
	lte->cell.stats.grants++;
	out_record(&lte->cell, &sch->at,
	           (struct cell_record){ .event = CELL_EV_GRANT,
	                                 .node = CELL_NODE_ENB,
	                                 .peer = u->id,
	                                 .rb = g.n_rb,
	                                 .bytes = g.bytes,
	                                 .value = (int32_t)d->lead_tti,
	                                 .mcs = phy_mcs(f->dir, g.itbs),
	                                 .cqi = sch->cqi });
	return g.wanted;
}

/* issue() to the member of the crowd at @f of @flows. */
static uint32_t issue_crowd(struct lte *lte, struct sched_flow *flows, uint32_t n, uint32_t f,
                            const struct serve_decision *d)
{
	uint32_t served = 0;
	bool assigned =
		control_assign(d->enb, decision_carrier(lte, (enum cell_dir)d->dir, d->stream),
	                       (uint16_t)(CROWD_RNTI + flows[f].id), flows[f].level, d->tti);

	if (assigned)
		served = lte_crowd_issue(lte, &d->enb->crowd[d->dir], &flows[f], d->rb,
		                         d->tti + d->lead_tti, d->stream);
	crowd_asked(flows, n, f, served > 0 || !assigned);
	return served;
}

/* @served bytes of what @u has to send, or of what it asked for. */
static void granted(const struct lte *lte, struct ue *u, enum cell_dir dir, uint32_t served)
{
	uint32_t *waiting = &u->enb_backlog[dir];

	/* A grant may hold more than the UE has told of, and a request tells of no number. */
	*waiting -= served < *waiting ? served : *waiting;
	u->backlog_since_ns[dir] = lte->cell.event_ns;
	if (dir == CELL_DIR_UL && served > 0)
		u->request.heard_tti = TTI_NEVER;
}

/* A DCI has found no room: nor will those that are as long, so nobody need be asked about them. A
 * second codeword needs none. */
static void drop_too_long(const struct lte *lte, const struct serve_decision *d,
                          struct sched_flow *flows, uint32_t n)
{
	enum cell_dir dir = (enum cell_dir)d->dir;
	const struct cce_set *pdcch = &d->enb->pdcch[decision_carrier(lte, dir, d->stream)];

	if (pdcch->n == 0 || decision_codeword(lte, dir, d->stream) > 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!flows[i].claimed_rb && !cce_fits(pdcch, flows[i].level))
			flows[i].backlog = 0;
}

/* The UE at @f of @flows has its one transmission of the sub-frame. Return: bytes of it. */
static uint32_t serve_ue(struct lte *lte, struct sched_flow *flows, uint32_t n, uint32_t f,
                         const struct serve_decision *d)
{
	struct sched_state *state = d->dir == CELL_DIR_DL ? &d->enb->sched_dl : &d->enb->sched_ul;
	struct sched_flow *flow = &flows[f];
	uint32_t served = issue(lte, flow, d);

	if (flow->dir != CELL_DIR_DL)
		granted(lte, &lte->ue[flow->ue], (enum cell_dir)flow->dir, served);
	scheduler_by_id(lte->cell.cfg.scheduler)->served(state, flows, f, served);
	flow->claimed_rb = 0;
	for (uint32_t i = 0; i < n; i++)
		if (flows[i].ue == flow->ue)
			flows[i].backlog = 0;
	return served;
}

/* UEs get what they have claimed: all of them, or those that have nothing else to send. */
static void serve_claims(struct lte *lte, struct sched_flow *flows, uint32_t n, bool all,
                         const struct serve_decision *d)
{
	for (uint32_t f = 0; f < n; f++) {
		if (!flows[f].claimed_rb || (!all && flows[f].claimed < flows[f].backlog))
			continue;
		if (flows[f].claimed < flows[f].backlog)
			flows[f].backlog = flows[f].claimed;
		(void)serve_ue(lte, flows, n, f, d);
	}
}

static void share(struct lte *lte, struct sched_flow *flows, uint32_t n,
                  const struct serve_decision *d)
{
	struct sched_state *state = d->dir == CELL_DIR_DL ? &d->enb->sched_dl : &d->enb->sched_ul;
	const struct sched *sched = scheduler_by_id(lte->cell.cfg.scheduler);
	uint32_t turn = state->last;
	int f;

	state->tti = d->tti;
	state->average_tti = lte->cell.cfg.pf_average_tti;
	for (; d->rb->free > 0 && (f = sched->pick(state, flows, n)) >= 0; turn = state->last) {
		uint32_t served;

		if (flows[f].ue == SCHED_CROWD) {
			served = issue_crowd(lte, flows, n, (uint32_t)f, d);
			sched->served(state, flows, (uint32_t)f, served);
		} else {
			served = serve_ue(lte, flows, n, (uint32_t)f, d);
			if (served == 0 && lte->ue[flows[f].ue].sch[flows[f].dir].least)
				state->last = turn; /* what others leave may never be enough */
		}
		if (served == 0)
			drop_too_long(lte, d, flows, n);
	}
}

void serve_flows(struct lte *lte, struct sched_flow *flows, uint32_t n,
                 const struct serve_decision *d)
{
	struct crowd *crowd = &d->enb->crowd[d->dir];
	bool claims = lte->goes_ahead && d->dir == CELL_DIR_DL;
	uint32_t n_ue = n;

	if (claims) {
		lte_ahead_claim(lte, flows, n, d);
		serve_claims(lte, flows, n, false, d);
	}
	if (crowd->n_waiting > 0)
		n += lte_crowd_flows(lte, crowd, d->tti, &flows[n]);
	share(lte, flows, n, d);
	if (claims)
		serve_claims(lte, flows, n_ue, true, d);
}
