/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.c - UEs get resource blocks and control channel elements of a slot, one after the other;
 * see serve.h.
 * Source: TS 38.214 5.1, 6.1; TS 38.321 5.3, 5.4.1
 */
#include "ran/nr/serve.h"

#include "ran/nr/access.h"
#include "ran/nr/ahead.h"
#include "ran/nr/air.h"
#include "ran/nr/block.h"
#include "ran/nr/control.h"
#include "ran/nr/crowd.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"
#include "ran/nr/scell.h"

#define CROWD_RNTI 0x8000 /* of its first member's flow, for its place in search spaces */

static void take(struct nr_budget *rb, uint16_t n_rb)
{
	rb->next = (uint16_t)(rb->next + n_rb);
	rb->free = (uint16_t)(rb->free - n_rb);
}

static void issue(struct nr *nr, struct nr_sch *sch, struct nr_decision *d, struct nr_grant *g)
{
	struct nr_ue *u = nr_ue_of(nr, sch);
	bool dl = d->dir == CELL_DIR_DL;

	g->slot = d->for_slot;
	g->rb_start = d->rb.next;
	take(&d->rb, g->n_rb);
	sch->process[g->harq_id].state = NR_PROCESS_BUSY;
	(void)nr_grant_issue(&sch->grants, g);
	nr->cell.stats.grants++;
	nr->promised += !g->retx;
	if (!g->retx)
		nr_drx_new_data(&u->drx, d->slot);
	if (dl && d->carrier > 0)
		nr_scells_assigned(nr, u, d->slot);
	if (dl)
		nr_drx_dl_assigned(&u->drx, g->harq_id);
	else if (g->harq_id < NR_HARQ_MAX)
		nr_drx_ul_granted(&u->drx, g->harq_id);
	if (!dl && !g->retx && u->ra.state == NR_RA_MSG3 && u->ra.decoded)
		nr_access_end(nr, u); /* to its C-RNTI. Source: TS 38.321 5.1.5 */
	out_record(&nr->cell, &sch->at,
	           (struct cell_record){ .event = CELL_EV_GRANT,
	                                 .node = CELL_NODE_ENB,
	                                 .peer = u->id,
	                                 .rb = g->n_rb,
	                                 .bytes = g->bytes,
	                                 .value = (int32_t)(d->for_slot - d->slot),
	                                 .mcs = g->mcs,
	                                 .cqi = sch->cqi });
}

bool nr_serve_again(struct nr *nr, struct nr_sch *sch, struct nr_decision *d)
{
	const struct nr_ue *u = nr_ue_of(nr, sch);
	int id = nr_air_retx_process(sch, d->carrier);
	struct nr_grant g;

	if (id < 0)
		return false;
	g = sch->process[id].grant;
	g.retx = true;
	if (g.n_rb > d->rb.free ||
	    !nr_control_assign(nr, nr_pdcch(nr, d), u->rnti, u->sch[CELL_DIR_DL].level, d->slot))
		return false;
	issue(nr, sch, d, &g);
	return true;
}

/*
 * Give @f what it needs of what it has claimed and what is left, or nothing where no data would
 * fit. What does not segment gets room for a packet, or all of the carrier.
 * Return: bytes of what waits that fit.
 */
static uint32_t issue_new(struct nr *nr, const struct sched_flow *f, struct nr_decision *d)
{
	struct nr_sch *sch = &nr->ue[f->ue].sch[f->dir];
	const struct nr_format *format = nr_mcs(nr_table_of(nr, d->dir), sch->mcs);
	uint8_t layers = nr_layers(nr, d->dir);
	uint32_t want = nr_serve_wanted(d->dir, f->backlog);
	int id = nr_air_next_process(nr, sch, d->carrier);
	struct nr_grant g = { .mcs = sch->mcs };

	d->rb.free = (uint16_t)(d->rb.free + f->claimed_rb);
	if (id < 0 || sch->cqi == 0 || !nr_block_room(nr, 1))
		return 0;
	if (want < sch->least)
		want = sch->least;
	g.n_rb = nr_prb_needed(want, d->re, format, layers, d->rb.free);
	g.bytes = nr_tbs(d->re * g.n_rb, format, layers);
	if (g.bytes <= NR_HEADERS_OF_BLOCK || (g.bytes < sch->least && d->rb.next > d->rb.first) ||
	    (!f->claimed_rb &&
	     !nr_control_assign(nr, nr_pdcch(nr, d), nr->ue[f->ue].rnti, f->level, d->slot)))
		return 0;
	g.harq_id = (uint8_t)id;
	g.payload = g.bytes >= want ? f->backlog : g.bytes - NR_HEADERS_OF_BLOCK;
	issue(nr, sch, d, &g);
	return g.payload;
}

/* The member of a crowd at @f of @flows gets what it needs. */
static uint32_t issue_crowd(struct nr *nr, struct sched_flow *flows, uint32_t n, uint32_t f,
                            struct nr_decision *d)
{
	bool assigned = nr_control_assign(nr, nr_pdcch(nr, d), (uint16_t)(CROWD_RNTI + flows[f].id),
	                                  flows[f].level, d->slot);
	uint32_t served = 0;
	uint16_t n_rb = 0;

	if (assigned)
		served = nr_crowd_issue(nr, &nr->crowd[d->cell][d->dir], &flows[f], d, &n_rb);
	take(&d->rb, n_rb);
	crowd_asked(flows, n, f, served > 0 || !assigned);
	return served;
}

/* Of what UE @u told of, @served bytes are granted, by priority: so it will fill the block. */
static void granted(struct nr *nr, struct nr_ue *u, uint32_t served)
{
	u->backlog = u->backlog > served ? u->backlog - served : 0;
	nr_lch_granted(u, served);
	u->requested = NR_SLOT_NEVER;
	u->backlog_since_ns = nr->cell.event_ns;
}

/* The UE at @f of @flows has its one block of the slot. Return: bytes of it. */
static uint32_t serve_ue(struct nr *nr, struct sched_flow *flows, uint32_t f, struct nr_decision *d)
{
	const struct sched *sched = scheduler_by_id(nr->cell.cfg.scheduler);
	uint32_t served = issue_new(nr, &flows[f], d);

	sched->served(&nr->sched[d->cell][d->dir], flows, f, served);
	flows[f].backlog = 0;
	flows[f].claimed_rb = 0;
	if (served > 0 && d->dir == CELL_DIR_UL)
		granted(nr, &nr->ue[flows[f].ue], served);
	return served;
}

/* UEs get what they have claimed: all of them, or those that have nothing else to send. */
static void serve_claims(struct nr *nr, struct sched_flow *flows, uint32_t n, bool all,
                         struct nr_decision *d)
{
	for (uint32_t f = 0; f < n; f++) {
		if (!flows[f].claimed_rb || (!all && flows[f].claimed < flows[f].backlog))
			continue;
		if (flows[f].claimed < flows[f].backlog)
			flows[f].backlog = flows[f].claimed;
		(void)serve_ue(nr, flows, f, d);
	}
}

static void share(struct nr *nr, struct sched_flow *flows, uint32_t n, struct nr_decision *d)
{
	const struct sched *sched = scheduler_by_id(nr->cell.cfg.scheduler);
	struct sched_state *state = &nr->sched[d->cell][d->dir];
	uint32_t turn = state->last;
	int f;

	state->tti = d->for_slot;
	state->average_tti = nr->cell.cfg.pf_average_tti;
	for (; d->rb.free > 0 && (f = sched->pick(state, flows, n)) >= 0; turn = state->last) {
		uint32_t served;

		if (flows[f].ue == SCHED_CROWD) {
			served = issue_crowd(nr, flows, n, (uint32_t)f, d);
			sched->served(state, flows, (uint32_t)f, served);
		} else {
			served = serve_ue(nr, flows, (uint32_t)f, d);
			if (served == 0 && nr->ue[flows[f].ue].sch[d->dir].least)
				state->last = turn; /* what others leave may never be enough */
		}
		if (served == 0)
			nr_control_drop(nr, nr_pdcch(nr, d), flows, n);
	}
}

void nr_serve_flows(struct nr *nr, struct sched_flow *flows, uint32_t n, struct nr_decision *d)
{
	struct crowd *crowd = &nr->crowd[d->cell][d->dir];
	uint32_t n_ue = n;

	if (crowd->member)
		take(&d->rb, nr_crowd_slot(nr, crowd, d));
	if (nr->goes_ahead) {
		nr_ahead_claim(nr, flows, n, d);
		serve_claims(nr, flows, n, false, d);
	}
	if (crowd->member)
		n += nr_crowd_flows(nr, crowd, d->for_slot, &flows[n]);
	share(nr, flows, n, d);
	if (nr->goes_ahead)
		serve_claims(nr, flows, n_ue, true, d);
}
