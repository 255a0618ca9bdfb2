/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gnb.c - what a gNB does in a slot: feedback, grants, the downlink; see gnb.h.
 *
 * All decisions of a slot are made at its start: first answers to preambles, then grants for all
 * uplink slots that no later slot with PDCCH could still grant, then downlink assignments. UEs are
 * told of these `gnb_ahead_slots` later, and have the blocks k0 slots after that. In each of them
 * blocks that were not decoded come before new ones. What UEs have to send the gNB knows from BSRs,
 * less what it granted since they were written; a Scheduling Request only tells it that there is
 * something. Its own queues it knows exactly. A UE that does not listen gets nothing until it does.
 * Source: TS 38.214 5.1, 6.1; TS 38.321 5.3, 5.4, 5.7
 */
#include "ran/nr/gnb.h"

#include "mac/nr/grant.h"
#include "ran/nr/access.h"
#include "ran/nr/air.h"
#include "ran/nr/block.h"
#include "ran/nr/broadcast.h"
#include "ran/nr/control.h"
#include "ran/nr/crowd.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"

#define HEADERS_OF_BLOCK 12
#define LISTENS_TRIED    16
#define CROWD_RNTI       0x8000 /* of its first member's flow, for its place in search spaces */

/* Resource blocks of a slot. */
struct budget {
	uint16_t free;
	uint16_t next;
	uint16_t first; /* that was free at the start */
};

/* What a decision is about. */
struct decision {
	struct budget rb;
	enum cell_dir dir;
	uint8_t cell;
	uint32_t slot;     /* in which UEs are told */
	uint32_t for_slot; /* of the blocks */
	uint32_t re;       /* of a PRB there */
};

static void take(struct budget *rb, uint16_t n_rb)
{
	rb->next = (uint16_t)(rb->next + n_rb);
	rb->free = (uint16_t)(rb->free - n_rb);
}

/* --- feedback --- */

static void hear(struct nr *nr, struct nr_ue *u, struct nr_process *p, uint32_t n_of[2])
{
	struct nr_sch *dl = &u->sch[CELL_DIR_DL];

	n_of[p->ack]++;
	p->known_slot = NR_SLOT_NEVER;
	p->state = p->tb ? NR_PROCESS_RETX : NR_PROCESS_FREE;
	if (p->attempt == 1 && nr->cell.cfg.nr.link_adaptation.outer_loop) {
		outer_loop_feedback(&dl->loop, p->ack);
		nr_air_adapt(nr, dl);
	}
}

static void take_feedback(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct nr_sch *dl = &u->sch[CELL_DIR_DL];
	uint32_t n_of[2] = { 0, 0 };

	if (u->feedback_slot > slot)
		return;
	u->feedback_slot = NR_SLOT_NEVER;
	for (uint32_t rest = u->dl_waiting; rest; rest &= rest - 1) {
		uint32_t id = (uint32_t)__builtin_ctz(rest);
		struct nr_process *p = &dl->process[id];

		if (p->known_slot <= slot) {
			u->dl_waiting &= ~(UINT32_C(1) << id);
			hear(nr, u, p, n_of);
		} else if (p->known_slot < u->feedback_slot) {
			u->feedback_slot = p->known_slot;
		}
	}
	out_record(&nr->cell, &dl->at,
	           (struct cell_record){ .event = CELL_EV_HARQ_FEEDBACK,
	                                 .node = CELL_NODE_ENB,
	                                 .peer = u->id,
	                                 .sn = slot,
	                                 .value = (int32_t)n_of[1],
	                                 .aux = (uint8_t)n_of[0] });
}

/* --- grants of one decision --- */

static void issue(struct nr *nr, struct nr_sch *sch, struct decision *d, struct nr_grant *g)
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

/* A block that was not decoded is sent again, with as many resource blocks. Return: it is. */
static bool issue_again(struct nr *nr, struct nr_sch *sch, struct decision *d)
{
	const struct nr_ue *u = nr_ue_of(nr, sch);
	int id = nr_air_retx_process(sch);
	struct nr_grant g;

	if (id < 0)
		return false;
	g = sch->process[id].grant;
	g.retx = true;
	if (g.n_rb > d->rb.free ||
	    !nr_control_assign(nr, d->cell, u->rnti, u->sch[CELL_DIR_DL].level, d->slot))
		return false;
	issue(nr, sch, d, &g);
	return true;
}

/* Processes that the gNB may use: the first ones are those of configured grants. */
static int free_process(const struct nr *nr, const struct nr_sch *sch)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	bool reserved = sch->at.dir == CELL_DIR_UL && cfg->nr.mac.configured_grant != CELL_CG_NONE;

	return nr_air_free_process(sch, reserved ? cfg->nr.mac.cg_processes : 0,
	                           cfg->nr.mac.harq_processes);
}

/*
 * Give @f what it needs of what is left, or nothing where no data would fit. What does not segment
 * gets room for a packet, or all of the carrier.
 * Return: bytes of what waits that fit.
 */
static uint32_t issue_new(struct nr *nr, const struct sched_flow *f, struct decision *d)
{
	struct nr_sch *sch = &nr->ue[f->ue].sch[f->dir];
	const struct nr_format *format = nr_mcs(nr_table_of(nr, d->dir), sch->mcs);
	uint8_t layers = nr_layers(nr, d->dir);
	uint32_t want =
		f->backlog + (d->dir == CELL_DIR_UL ? HEADERS_OF_BLOCK + f->backlog / 50 : 0);
	int id = free_process(nr, sch);
	struct nr_grant g = { .mcs = sch->mcs };

	if (id < 0 || sch->cqi == 0 || !nr_block_room(nr, 1))
		return 0;
	if (want < sch->least)
		want = sch->least;
	g.n_rb = nr_prb_needed(want, d->re, format, layers, d->rb.free);
	g.bytes = nr_tbs(d->re * g.n_rb, format, layers);
	if (g.bytes <= HEADERS_OF_BLOCK || (g.bytes < sch->least && d->rb.next > d->rb.first) ||
	    !nr_control_assign(nr, d->cell, nr->ue[f->ue].rnti, f->level, d->slot))
		return 0;
	g.harq_id = (uint8_t)id;
	g.payload = g.bytes >= want ? f->backlog : g.bytes - HEADERS_OF_BLOCK;
	issue(nr, sch, d, &g);
	return g.payload;
}

/* The member of a crowd at @f of @flows gets what it needs. */
static uint32_t issue_crowd(struct nr *nr, struct sched_flow *flows, uint32_t n, uint32_t f,
                            struct decision *d)
{
	bool assigned = nr_control_assign(nr, d->cell, (uint16_t)(CROWD_RNTI + flows[f].id),
	                                  flows[f].level, d->slot);
	uint32_t served = 0;
	uint16_t n_rb = 0;

	if (assigned)
		served = nr_crowd_issue(nr, &nr->crowd[d->cell][d->dir], &flows[f], d->for_slot,
		                        d->re, d->rb.free, &n_rb);
	take(&d->rb, n_rb);
	crowd_asked(flows, n, f, served > 0 || !assigned);
	return served;
}

static void serve(struct nr *nr, struct sched_flow *flows, uint32_t n, struct decision *d)
{
	const struct sched *sched = scheduler_by_id(nr->cell.cfg.scheduler);
	struct sched_state *state = &nr->sched[d->cell][d->dir];
	uint32_t turn = state->last;
	int f;

	state->tti = d->for_slot;
	state->average_tti = nr->cell.cfg.pf_average_tti;
	for (; d->rb.free > 0 && (f = sched->pick(state, flows, n)) >= 0; turn = state->last) {
		struct nr_ue *u;
		uint32_t served;

		if (flows[f].ue == SCHED_CROWD) {
			served = issue_crowd(nr, flows, n, (uint32_t)f, d);
			sched->served(state, flows, (uint32_t)f, served);
			if (served == 0)
				nr_control_drop(nr, d->cell, flows, n);
			continue;
		}
		u = &nr->ue[flows[f].ue];
		served = issue_new(nr, &flows[f], d);
		sched->served(state, flows, (uint32_t)f, served);
		flows[f].backlog = 0; /* one block of a UE in a slot */
		if (served == 0 && u->sch[d->dir].least)
			state->last = turn; /* what others leave may never be enough */
		if (served == 0)
			nr_control_drop(nr, d->cell, flows, n);
		if (served == 0 || d->dir == CELL_DIR_DL)
			continue;
		u->backlog = u->backlog > served ? u->backlog - served : 0;
		u->requested = NR_SLOT_NEVER;
		u->backlog_since_ns = nr->cell.event_ns;
	}
}

/* Members of the crowd follow the @n UEs of @flows. */
static void serve_with_crowd(struct nr *nr, struct sched_flow *flows, uint32_t n,
                             struct decision *d)
{
	struct crowd *crowd = &nr->crowd[d->cell][d->dir];

	if (crowd->member) {
		take(&d->rb, nr_crowd_slot(nr, crowd, d->for_slot, d->rb.free));
		n += nr_crowd_flows(nr, crowd, d->for_slot, &flows[n]);
	}
	serve(nr, flows, n, d);
}

static struct sched_flow flow_of(const struct nr *nr, uint8_t ue, enum cell_dir dir,
                                 uint32_t waiting, int64_t since_ns)
{
	uint8_t weight = nr->cell.cfg.ue[nr->ue[ue].id - 1].weight;
	int64_t waited_ns = since_ns < nr->cell.event_ns ? nr->cell.event_ns - since_ns : 0;

	return (struct sched_flow){ .id = ue,
		                    .ue = ue,
		                    .dir = (uint8_t)dir,
		                    .backlog = waiting,
		                    .waiting = waiting,
		                    .rate = nr->ue[ue].sch[dir].rate,
		                    .delay_us = (uint32_t)(waited_ns / 1000),
		                    .weight = weight ? weight : 1,
		                    .level = nr->ue[ue].sch[CELL_DIR_DL].level };
}

/* --- the uplink of one slot --- */

/* Bytes that the gNB knows of, or grants to learn more. */
static uint32_t ul_backlog(const struct nr_ue *u, uint32_t slot)
{
	if (u->requested <= slot && u->backlog < NR_SR_GRANT_BYTES)
		return NR_SR_GRANT_BYTES;
	return u->backlog;
}

static void decide_uplink(struct nr *nr, uint8_t cell, uint32_t slot, uint32_t for_slot)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint16_t access = nr_access_until(nr, cell, for_slot);
	uint16_t others = (uint16_t)(access + nr_access_configured(nr, cell, for_slot));
	struct decision d = {
		.rb = { .first = access,
		        .next = access,
		        .free = (uint16_t)(others < nr->frame.ul_end ? nr->frame.ul_end - others
		                                                     : 0) },
		.dir = CELL_DIR_UL,
		.cell = cell,
		.slot = slot,
		.for_slot = for_slot,
		.re = nr_frame_re(&nr->cell.cfg.nr.phy, nr_frame_slot(&nr->frame, for_slot)->pusch,
		                  1),
	};
	uint32_t n = 0;

	NR_FOR_EACH_ACTIVE(nr, i)
	{
		struct nr_ue *u = &nr->ue[i];
		uint32_t waiting = ul_backlog(u, slot);

		if (!nr_is_in(u, cell) || (u->ra.granted && u->ra.msg3.slot == for_slot) ||
		    !nr_drx_active(&u->drx, slot) || issue_again(nr, &u->sch[CELL_DIR_UL], &d) ||
		    waiting == 0)
			continue;
		flows[n++] = flow_of(nr, i, CELL_DIR_UL, waiting, u->backlog_since_ns);
	}
	serve_with_crowd(nr, flows, n, &d);
}

/* --- the downlink --- */

/* Bytes that wait for an assignment, with headers. */
static uint32_t dl_backlog(const struct nr_ue *u)
{
	uint32_t queued = nr_lch_need(&u->sch[CELL_DIR_DL]);
	uint32_t granted = nr_grant_pending(&u->sch[CELL_DIR_DL].grants);

	return queued > granted ? queued - granted : 0;
}

static void decide_downlink(struct nr *nr, uint8_t cell, uint32_t slot, uint32_t for_slot)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint16_t others = nr_broadcast_rb(nr, for_slot);
	struct decision d = {
		.rb = { .first = others,
		        .next = others,
		        .free = (uint16_t)(nr->frame.n_rb - others) },
		.dir = CELL_DIR_DL,
		.cell = cell,
		.slot = slot,
		.for_slot = for_slot,
		.re = nr_frame_re(&nr->cell.cfg.nr.phy, nr_frame_slot(&nr->frame, for_slot)->pdsch,
		                  1),
	};
	uint32_t n = 0;

	NR_FOR_EACH_ACTIVE(nr, i)
	{
		struct nr_ue *u = &nr->ue[i];
		uint32_t waiting;

		if (!nr_is_in(u, cell) || !nr_drx_active(&u->drx, slot) ||
		    issue_again(nr, &u->sch[CELL_DIR_DL], &d))
			continue;
		waiting = dl_backlog(u);
		if (waiting > 0)
			flows[n++] = flow_of(nr, i, CELL_DIR_DL, waiting,
			                     nr_lch_head_ns(&u->sch[CELL_DIR_DL]));
	}
	serve_with_crowd(nr, flows, n, &d);
}

/* --- a slot --- */

static void grant_uplink(struct nr *nr, uint32_t slot)
{
	uint8_t k2_min = nr->cell.cfg.nr.mac.k2_min;

	for (uint32_t at = slot + k2_min; nr_frame_slot(&nr->frame, slot)->decides &&
	                                  at < nr_frame_decided_until(&nr->frame, slot, k2_min);
	     at++)
		if (nr_frame_slot(&nr->frame, at)->pusch)
			for (uint8_t cell = 0; cell < nr->n_cells; cell++)
				decide_uplink(nr, cell, slot, at);
}

static void assign_downlink(struct nr *nr, uint32_t slot)
{
	uint8_t k0 = nr->cell.cfg.nr.mac.k0;

	if (nr_frame_slot(&nr->frame, slot)->pdcch && nr_frame_slot(&nr->frame, slot + k0)->pdsch)
		for (uint8_t cell = 0; cell < nr->n_cells; cell++)
			decide_downlink(nr, cell, slot, slot + k0);
}

/* Where grants and assignments share control channel elements they come first in turn. */
void nr_gnb_slot(struct nr *nr, uint32_t slot)
{
	bool downlink_first = nr->cces && slot % 2;
	uint32_t assigned_slot = slot + nr->cell.cfg.nr.mac.gnb_ahead_slots;

	NR_FOR_EACH_ACTIVE(nr, i)
	take_feedback(nr, &nr->ue[i], slot);
	nr_control_start(nr);
	if (nr_frame_slot(&nr->frame, slot)->pdcch)
		nr_access_answer(nr, slot);
	if (downlink_first)
		assign_downlink(nr, assigned_slot);
	grant_uplink(nr, slot);
	if (!downlink_first)
		assign_downlink(nr, assigned_slot);
}

void nr_gnb_transmit(struct nr *nr, uint32_t slot)
{
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		struct nr_ue *u = &nr->ue[i];
		const struct nr_grant *g = nr_grant_take(&u->sch[CELL_DIR_DL].grants, slot);

		if (!g)
			continue;
		nr->promised -= !g->retx;
		if (g->retx)
			nr_air_retransmit(nr, &u->sch[CELL_DIR_DL], g);
		else
			nr_block_downlink(nr, u, g);
	}
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * First slot from @from on for decisions on one direction in which @u listens; or an earlier one in
 * which there is nothing to do after all, as on durations may fall into uplink slots for long.
 */
static uint32_t listens(const struct nr *nr, const struct nr_ue *u, uint32_t from, bool downlink)
{
	uint32_t at = from;

	for (int i = 0; i < LISTENS_TRIED; i++) {
		at = downlink ? nr_frame_next_assignment(&nr->frame, from, nr->cell.cfg.nr.mac.k0)
		              : nr_frame_next_decision(&nr->frame, from);
		from = nr_drx_next_active(&u->drx, at);
		if (from == at || from == NR_SLOT_NEVER)
			return from;
	}
	return at;
}

/* Likewise when an assignment in such a slot is decided on. */
static uint32_t decides(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	uint8_t ahead = nr->cell.cfg.nr.mac.gnb_ahead_slots;
	uint32_t at = listens(nr, u, from + ahead, true);

	return at == NR_SLOT_NEVER ? at : at - ahead;
}

uint32_t nr_gnb_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	const struct nr_sch *dl = &u->sch[CELL_DIR_DL], *ul = &u->sch[CELL_DIR_UL];
	uint32_t next = earlier(u->feedback_slot, nr_grant_next(&dl->grants));
	bool up = u->backlog > 0 && free_process(nr, ul) >= 0;

	if (u->detached)
		return NR_SLOT_NEVER;
	if (nr_air_retx_process(dl) >= 0 || (dl_backlog(u) > 0 && free_process(nr, dl) >= 0))
		next = earlier(next, decides(nr, u, from));
	if (up || nr_air_retx_process(ul) >= 0)
		next = earlier(next, listens(nr, u, from, false));
	else if (u->requested != NR_SLOT_NEVER)
		next = earlier(next,
		               listens(nr, u, u->requested > from ? u->requested : from, false));
	return next;
}
