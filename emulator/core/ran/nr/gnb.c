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
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"
#include "ran/nr/scell.h"
#include "ran/nr/serve.h"

#define LISTENS_TRIED 16

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
	for (uint64_t rest = u->dl_waiting; rest; rest &= rest - 1) {
		uint32_t id = (uint32_t)__builtin_ctzll(rest);
		struct nr_process *p = &dl->process[id];

		if (p->known_slot <= slot) {
			u->dl_waiting &= ~(UINT64_C(1) << id);
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
	struct nr_decision d = {
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
		    !nr_drx_active(&u->drx, slot) || nr_serve_again(nr, &u->sch[CELL_DIR_UL], &d) ||
		    waiting == 0)
			continue;
		flows[n++] = flow_of(nr, i, CELL_DIR_UL, waiting, u->backlog_since_ns);
	}
	nr_serve_flows(nr, flows, n, &d);
}

/* --- the downlink --- */

/* Bytes that wait for an assignment, with headers. */
static uint32_t dl_backlog(const struct nr_ue *u)
{
	uint32_t queued = nr_lch_need(&u->sch[CELL_DIR_DL]);
	uint32_t granted = nr_grant_pending(&u->sch[CELL_DIR_DL].grants);

	return queued > granted ? queued - granted : 0;
}

static void decide_downlink(struct nr *nr, uint8_t cell, uint8_t carrier, uint32_t slot,
                            uint32_t for_slot)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint16_t others = nr_broadcast_rb(nr, for_slot);
	struct nr_decision d = {
		.rb = { .first = others,
		        .next = others,
		        .free = (uint16_t)(nr->frame.n_rb - others) },
		.dir = CELL_DIR_DL,
		.cell = cell,
		.carrier = carrier,
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
		    nr_serve_again(nr, &u->sch[CELL_DIR_DL], &d) ||
		    (carrier > 0 && !nr_scells_active(u, slot)))
			continue;
		waiting = dl_backlog(u);
		if (waiting > 0)
			flows[n++] = flow_of(nr, i, CELL_DIR_DL, waiting,
			                     nr_lch_head_ns(&u->sch[CELL_DIR_DL]));
	}
	nr_serve_flows(nr, flows, n, &d);
}

/* What the first carrier left. */
static void want_scells(struct nr *nr, uint8_t cell, uint32_t slot)
{
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		struct nr_ue *u = &nr->ue[i];

		if (nr_is_in(u, cell) && dl_backlog(u) > 0)
			nr_scells_want(u, slot);
	}
}

static void decide_carriers(struct nr *nr, uint8_t cell, uint32_t slot, uint32_t for_slot)
{
	decide_downlink(nr, cell, 0, slot, for_slot);
	if (nr->cell.cfg.nr.phy.dl_carriers == 1)
		return;
	want_scells(nr, cell, slot);
	for (uint8_t k = 1; k < nr->cell.cfg.nr.phy.dl_carriers; k++)
		decide_downlink(nr, cell, k, slot, for_slot);
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
			decide_carriers(nr, cell, slot, slot + k0);
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
		const struct nr_grant *g;

		while ((g = nr_grant_take(&u->sch[CELL_DIR_DL].grants, slot))) {
			nr->promised -= !g->retx;
			if (g->retx)
				nr_air_retransmit(nr, &u->sch[CELL_DIR_DL], g);
			else
				nr_block_downlink(nr, u, g);
		}
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

/* Some carrier has a block to send again, or a process for what waits. */
static bool may_assign(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	const struct nr_sch *dl = &u->sch[CELL_DIR_DL];
	bool waits = dl_backlog(u) > 0;

	for (uint8_t k = 0; k < nr->cell.cfg.nr.phy.dl_carriers; k++)
		if (nr_air_retx_process(dl, k) >= 0 ||
		    (waits && (k == 0 || nr_scells_may_serve(u, from)) &&
		     nr_air_next_process(nr, dl, k) >= 0))
			return true;
	return false;
}

uint32_t nr_gnb_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	const struct nr_sch *dl = &u->sch[CELL_DIR_DL], *ul = &u->sch[CELL_DIR_UL];
	uint32_t next = earlier(u->feedback_slot, nr_grant_next(&dl->grants));
	bool up = u->backlog > 0 && nr_air_next_process(nr, ul, 0) >= 0;

	if (u->detached)
		return NR_SLOT_NEVER;
	if (may_assign(nr, u, from))
		next = earlier(next, decides(nr, u, from));
	if (up || nr_air_retx_process(ul, 0) >= 0)
		next = earlier(next, listens(nr, u, from, false));
	else if (u->requested != NR_SLOT_NEVER)
		next = earlier(next,
		               listens(nr, u, u->requested > from ? u->requested : from, false));
	return next;
}
