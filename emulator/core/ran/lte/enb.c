/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * enb.c - an eNB in a sub-frame: answers preambles (answer.c), grants UL and SL from the
 * BSRs it has, schedules and sends the downlink; see enb.h.
 *
 * All decisions of a sub-frame are made at its start, for a later one: message 3
 * timing.rar_to_msg3_tti ahead, uplink and sidelink grants timing.grant_to_tx_tti, downlink blocks
 * timing.dl_sched_to_tx_tti. Uplink and sidelink share the blocks of the first uplink carrier.
 * First come messages 3 that were granted before, then retransmissions, which are synchronous there
 * and wait another round trip where too few blocks are left, then answers to preambles, then new
 * data. What UEs have to send the eNB knows from BSRs, which are older than the grants it has
 * issued since; so a BSR is reduced by those. Its own queue it knows exactly.
 * A UE belongs to the eNB that serves it; while it is between two it has nothing
 * to send.
 * Source: TS 36.321 5.1.4, 5.3, 5.4.5; TS 36.213 8.0
 */
#include "ran/lte/enb.h"

#include "phy/lte/phy.h"
#include "ran/lte/air.h"
#include "ran/lte/answer.h"
#include "ran/lte/control.h"
#include "ran/lte/crowd.h"
#include "ran/lte/d2d.h"
#include "ran/lte/lch.h"
#include "ran/lte/serve.h"

/* How long the first byte has waited that the scheduler knows of: in the eNB's own queue, or since
 * the eNB heard of it or last granted. */
static uint32_t delay_us(const struct lte *lte, const struct ue *u, enum cell_dir dir)
{
	int64_t since_ns =
		dir == CELL_DIR_DL ? lte_lch_head_ns(&u->sch[dir]) : u->backlog_since_ns[dir];

	return since_ns < lte->cell.event_ns ? (uint32_t)((lte->cell.event_ns - since_ns) / 1000)
	                                     : 0;
}

static struct sched_flow flow_of(const struct lte *lte, uint8_t ue, enum cell_dir dir,
                                 uint32_t waiting)
{
	uint8_t weight = lte->cell.cfg.ue[ue].weight, itbs = lte->ue[ue].sch[dir].itbs;

	return (struct sched_flow){ .id = (uint16_t)(2 * ue + (dir == CELL_DIR_SL)),
		                    .ue = ue,
		                    .dir = (uint8_t)dir,
		                    .backlog = waiting,
		                    .waiting = waiting,
		                    .rate = phy_tbs(itbs, lte->cell.cfg.lte.n_rb),
		                    .delay_us = delay_us(lte, &lte->ue[ue], dir),
		                    .weight = weight ? weight : 1,
		                    .level = lte->ue[ue].sch[CELL_DIR_DL].level };
}

/* A request is granted room for a BSR, as a preamble is, and for the least that headers leave. */
#define REQUEST_MIN_BYTES 9

static uint32_t request_bytes(const struct lte *lte, const struct ue *u)
{
	uint8_t itbs = u->sch[CELL_DIR_UL].itbs, least = lte->cell.cfg.lte.mac.bsr_grant_rb;
	uint16_t n_rb = phy_rb_needed(CELL_DIR_UL, itbs, REQUEST_MIN_BYTES,
	                              control_rb(&lte->cell.cfg, CELL_DIR_UL));
	uint32_t bytes = phy_tbs(itbs, n_rb > least ? n_rb : least);

	return bytes - grant_overhead(bytes);
}

/* Bytes that the eNB knows of, or room to learn of them. */
static uint32_t ul_backlog(const struct lte *lte, const struct ue *u, enum cell_dir dir,
                           uint32_t tti)
{
	bool asked = dir == CELL_DIR_UL && u->request.heard_tti <= tti;

	return u->enb_backlog[dir] || !asked ? u->enb_backlog[dir] : request_bytes(lte, u);
}

/* One carrier. The sidelink shares the first one. */
static void grant_uplink(struct lte *lte, struct enb *enb, uint32_t tti, uint8_t carrier,
                         struct rb_budget *rb)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint32_t lead = lte->cell.cfg.lte.timing.grant_to_tx_tti, n = 0;
	const struct serve_decision d = { .enb = enb,
		                          .rb = rb,
		                          .tti = tti,
		                          .lead_tti = lead,
		                          .dir = CELL_DIR_UL,
		                          .stream = carrier };
	static const enum cell_dir dirs[] = { CELL_DIR_UL, CELL_DIR_SL };

	FOR_EACH_ACTIVE(lte, i)
	{
		const struct ue *u = &lte->ue[i];

		for (uint32_t k = 0; k < (carrier ? 1 : 2) && u->enb == enb->id; k++) {
			uint32_t waiting = ul_backlog(lte, u, dirs[k], tti);

			if (waiting == 0)
				continue;
			flows[n] = flow_of(lte, i, dirs[k], waiting);
			if (answer_ul_taken(lte, u, carrier, tti + lead))
				flows[n].backlog = 0;
			n++;
		}
	}
	serve_flows(lte, flows, n, &d);
}

/* What waits for a downlink grant; the eNB knows its own queue exactly. */
static uint32_t dl_backlog(const struct lte *lte, const struct ue *u)
{
	uint32_t queued = lte_lch_bytes(lte, &u->sch[CELL_DIR_DL]), granted = grant_pending(&u->dl);

	return queued > granted ? queued - granted : 0;
}

/* Blocks that were not decoded come before new ones. Return: one was granted. */
static bool grant_retransmission(struct lte *lte, struct ue *u, const struct serve_decision *d)
{
	uint32_t subframe = d->tti + d->lead_tti;

	for (uint8_t id = 0; id < HARQ_PROCESSES; id++) {
		struct harq_process *p = &u->harq_dl[d->stream][id];
		struct grant g = p->grant;

		if (!p->tb || p->due_tti > subframe || g.n_rb > d->rb->free)
			continue;
		if (!decision_assign(lte, d, u))
			return false;
		g.subframe = subframe;
		g.wanted = 0;
		g.rb_start = d->rb->next;
		g.retx = true;
		rb_reserve(d->rb, g.n_rb);
		p->due_tti = TTI_NEVER; /* granted */
		(void)grant_issue(&u->dl, &g);
		return true;
	}
	return false;
}

/* One carrier and codeword; the codewords of a carrier are layers on the same RBs. */
static void schedule_block(struct lte *lte, struct enb *enb, uint32_t tti, uint8_t stream)
{
	struct rb_budget rb = { .free = lte->cell.cfg.lte.n_rb };
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint32_t lead = lte->cell.cfg.lte.timing.dl_sched_to_tx_tti, n = 0;
	const struct serve_decision d = { .enb = enb,
		                          .rb = &rb,
		                          .tti = tti,
		                          .lead_tti = lead,
		                          .dir = CELL_DIR_DL,
		                          .stream = stream };

	FOR_EACH_ACTIVE(lte, i)
	{
		struct ue *u = &lte->ue[i];
		uint32_t waiting;
		bool again;

		if (u->enb != enb->id)
			continue;
		waiting = dl_backlog(lte, u);
		again = grant_retransmission(lte, u, &d);
		if (waiting == 0)
			continue;
		flows[n] = flow_of(lte, i, CELL_DIR_DL, waiting);
		if (again)
			flows[n].backlog = 0;
		n++;
	}
	if (enb->crowd[CELL_DIR_DL].again_rb > 0)
		lte_crowd_retransmit(lte, &enb->crowd[CELL_DIR_DL], tti + lead, stream, &rb);
	serve_flows(lte, flows, n, &d);
}

/* Messages 3 whose answers went out in an earlier sub-frame than grants for @subframe do. */
static void reserve_answers(const struct lte *lte, const struct enb *enb, uint32_t subframe,
                            struct rb_budget *rb)
{
	FOR_EACH_ACTIVE(lte, i)
	{
		const struct grant *g = grant_last(&lte->ue[i].ul);

		if (lte->ue[i].enb == enb->id && g && g->msg3 && g->subframe == subframe)
			rb_reserve(rb, g->n_rb);
	}
}

/*
 * Synchronous retransmissions take their blocks without being asked; with configured grants each
 * UE's own. One that finds too few is acknowledged and asked for a round trip later.
 * Source: TS 36.321 5.4.2.1
 */
static void reserve_retransmissions(struct lte *lte, const struct enb *enb, uint32_t subframe,
                                    uint8_t carrier, struct rb_budget *rb)
{
	if (lte->cell.cfg.lte.mac.ul_always_scheduled)
		return;
	FOR_EACH_ACTIVE(lte, i)
	{
		struct harq_process *p = &lte->ue[i].harq_ul[carrier][subframe % HARQ_PROCESSES];

		if (lte->ue[i].enb != enb->id || !p->tb || p->due_tti != subframe)
			continue;
		if (p->grant.n_rb > rb->free) {
			p->due_tti += HARQ_UL_RTT_TTI;
			continue;
		}
		p->grant.rb_start = rb->next;
		rb_reserve(rb, p->grant.n_rb);
	}
}

/* Carriers beside the first, which have no PUCCH and no random access. */
static void grant_further(struct lte *lte, struct enb *enb, uint32_t tti)
{
	uint32_t subframe = tti + lte->cell.cfg.lte.timing.grant_to_tx_tti;

	for (uint8_t k = 1; k < lte->cell.cfg.lte.ul_carriers; k++) {
		struct rb_budget rb = { .free = lte->cell.cfg.lte.n_rb };

		reserve_retransmissions(lte, enb, subframe, k, &rb);
		if (enb->crowd[CELL_DIR_UL].again_rb > 0)
			lte_crowd_retransmit(lte, &enb->crowd[CELL_DIR_UL], subframe, k, &rb);
		grant_uplink(lte, enb, tti, k, &rb);
	}
}

static void schedule_downlink(struct lte *lte, struct enb *enb, uint32_t tti)
{
	for (uint32_t stream = 0; stream < lte_tbs_dl(&lte->cell.cfg); stream++)
		schedule_block(lte, enb, tti, (uint8_t)stream);
}

void enb_subframe(struct lte *lte, uint32_t tti)
{
	/* Where grants and assignments share elements they come first in turn. */
	bool downlink_first = lte->cell.cfg.lte.control.cfi && tti % 2;

	if (lte->cell.cfg.lte.mode_switch.select_ms &&
	    tti % lte->cell.cfg.lte.mode_switch.select_ms == 0)
		d2d_select_modes(lte);
	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++) {
		uint32_t lead = lte->cell.cfg.lte.timing.grant_to_tx_tti,
			 msg3 = lte->cell.cfg.lte.timing.rar_to_msg3_tti;
		struct rb_budget ul = { .next = control_rb_first(&lte->cell.cfg, CELL_DIR_UL),
			                .free = control_rb(&lte->cell.cfg, CELL_DIR_UL) },
				 later = ul;
		struct enb *enb = &lte->enb[k];

		control_start(lte, enb);
		reserve_answers(lte, enb, tti + lead, &ul);
		reserve_retransmissions(lte, enb, tti + lead, 0, &ul);
		if (lte->cell.cfg.crowd.count)
			lte_crowd_arrive(lte, enb);
		if (enb->crowd[CELL_DIR_UL].again_rb > 0)
			lte_crowd_retransmit(lte, &enb->crowd[CELL_DIR_UL], tti + lead, 0, &ul);
		answer_preambles(lte, enb, tti, msg3 == lead ? &ul : &later);
		if (downlink_first)
			schedule_downlink(lte, enb, tti);
		grant_uplink(lte, enb, tti, 0, &ul);
		grant_further(lte, enb, tti);
		if (!downlink_first)
			schedule_downlink(lte, enb, tti);
	}
}

static void transmit_new(struct lte *lte, struct lte_sch *sch, const struct grant *g)
{
	struct tb *tb = air_block_start(lte);
	struct mac_pdu mac = { 0 };

	lte_lch_fill(lte, sch, &mac, g->bytes, tb);
	mac_pack(&mac, lte->rlc_buf, tb->buf, g->bytes);
	air_transmit(lte, sch, g, tb, &mac);
}

void enb_transmit(struct lte *lte, uint32_t tti)
{
	FOR_EACH_ACTIVE(lte, i)
	{
		struct ue *u = &lte->ue[i];
		const struct grant *g;

		while ((g = grant_take(&u->dl, tti)))
			if (g->retx)
				air_retransmit(lte, &u->harq_dl[g->stream][g->harq_id], g);
			else
				transmit_new(lte, &u->sch[CELL_DIR_DL], g);
	}
}

/* Sub-frame in which a downlink retransmission has to be scheduled, if before @next. */
static uint32_t earlier_retransmission(const struct lte *lte, const struct ue *u, uint32_t from,
                                       uint32_t next)
{
	uint32_t n = lte_tbs_dl(&lte->cell.cfg) * HARQ_PROCESSES;
	uint32_t due = harq_next_tti(u->harq_dl[0], n);
	uint32_t lead = lte->cell.cfg.lte.timing.dl_sched_to_tx_tti;

	if (due == TTI_NEVER)
		return next;
	due = due > from + lead ? due - lead : from;
	return due < next ? due : next;
}

/* Sub-frame in which message 3 takes blocks from retransmissions, if before @next. */
static uint32_t earlier_answer(const struct lte *lte, const struct ue *u, uint32_t from,
                               uint32_t next)
{
	const struct grant *g = grant_last(&u->ul);
	uint32_t due = g && g->msg3 ? g->subframe - lte->cell.cfg.lte.timing.grant_to_tx_tti : 0;

	return due >= from && due < next && due > 0 ? due : next;
}

/*
 * Sub-frame in which a retransmission that was moved gets blocks, if before @next. Those that were
 * not have their own still, beside all that were sent with them.
 */
static uint32_t earlier_moved(const struct lte *lte, const struct ue *u, uint32_t from,
                              uint32_t next)
{
	const struct harq_process *p = u->harq_ul[0], *end = p + lte_processes_ul(&lte->cell.cfg);

	for (; p < end; p++) {
		uint32_t due = p->due_tti - lte->cell.cfg.lte.timing.grant_to_tx_tti;

		if (p->tb && p->due_tti != p->tb->subframe + HARQ_UL_RTT_TTI && due >= from &&
		    due < next)
			next = due;
	}
	return next;
}

uint32_t enb_next_tti(const struct lte *lte, const struct ue *u, uint32_t from)
{
	uint32_t rar_tti = u->ra.preamble_tti + lte->cell.cfg.lte.timing.rar_delay_tti;
	uint32_t next = grant_next_tti(&u->dl);

	if (u->enb_backlog[CELL_DIR_UL] || u->enb_backlog[CELL_DIR_SL] || dl_backlog(lte, u))
		return from;
	if (u->ra.state == RA_WAIT_RAR && rar_tti >= from && rar_tti < next)
		next = rar_tti;
	if (u->request.heard_tti < next)
		next = u->request.heard_tti > from ? u->request.heard_tti : from;
	if (lte->harq.max_attempts > 1) {
		next = earlier_retransmission(lte, u, from, next);
		next = earlier_answer(lte, u, from, next);
		next = earlier_moved(lte, u, from, next);
	}
	return next;
}
