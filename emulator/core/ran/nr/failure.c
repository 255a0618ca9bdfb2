/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure.c - a UE whose radio link has failed; see failure.h.
 *
 * The link fails by T310, by RLC, by random access, or as a handover does not reach its target
 * until T304. The UE suspends its bearers and looks for a cell until T311 expires. It selects the
 * one that it hears best, and asks there for re-establishment until T301 expires, by random access
 * without contention. Where that gNB has the UE's context, or gets it, RLC starts again, PDCP goes
 * on, and nothing is lost in AM: it is like a handover that the UE has started by itself.
 * Otherwise, and when a timer has expired, the UE sets up a new connection: all that both ends hold
 * is lost, COUNTs start again, and the core network switches the path. What comes for the UE
 * meanwhile the old gNB keeps; it forwards that where it knows of the new one. Source:
 * TS 38.300 9.2.3.3; TS 38.331 5.3.3, 5.3.5.8.3, 5.3.7, 5.3.10.3, 7.1.1; TS 38.323 5.1.2, 5.1.3
 */
#include "ran/nr/failure.h"

#include "epc/tunnel.h"
#include "ran/nr/access.h"
#include "ran/nr/drb.h"
#include "ran/nr/handover.h"
#include "ran/nr/lch.h"
#include "ran/nr/reestablish.h"

static const struct cell_link_cfg *cfg_of(const struct nr *nr)
{
	return &nr->cell.cfg.handover.link_failure;
}

static void schedule(struct nr *nr, struct nr_ue *u, enum rrc_step_kind kind, int64_t after_ns)
{
	timeline_add(&u->rrc.timeline, &nr->cell, kind, u->rrc.link->cell, after_ns);
}

static void say(struct nr *nr, const struct nr_ue *u, uint8_t node, enum cell_rrc_msg msg)
{
	handover_say(nr, u, node, u->rrc.link->cell, u->rrc.recovery.home, msg);
}

static void suspend(const struct nr_ue *u, bool suspended)
{
	for (int d = 0; d < 2; d++)
		for (uint8_t k = 0; k < u->sch[d].n_drbs; k++)
			u->sch[d].drb[k].suspended = suspended;
}

/* --- the link fails --- */

static bool is_between_cells(const struct nr_rrc *rrc)
{
	return rrc->state == NR_RRC_EXECUTION || rrc->state == NR_RRC_ACCESS;
}

static void fail(struct nr *nr, struct nr_ue *u, enum link_cause cause)
{
	struct nr_rrc *rrc = &u->rrc;
	bool between = is_between_cells(rrc);

	/* A source that does not know yet that the UE had arrived hears of it now. */
	if (rrc->state == NR_RRC_COMPLETION && !rrc->source_knows)
		handover_forward(nr, u);
	recovery_lose(&nr->cell, &rrc->recovery, &rrc->timeline, u->id, cause,
	              between ? rrc->source : rrc->link->cell,
	              between ? rrc->target : RECOVERY_NO_CELL);
	rrc->asked = rrc->prepared = 0;
	measure_restart(&u->measured);
	nr_access_end(nr, rrc->link);
	if (!between)
		nr_reestablish(nr, rrc->link, &rrc->kept);
	suspend(rrc->link, true);
	rrc->state = NR_RRC_SEARCH;
}

/* --- another cell --- */

static uint8_t best_cell(const struct nr *nr, const struct nr_ue *u)
{
	struct link_quality q[CELL_MAX_ENB];

	for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
		q[k] = handover_quality(u, k);
	return recovery_select(&nr->cell, q);
}

static void select_cell(struct nr *nr, struct nr_ue *u)
{
	uint8_t best = best_cell(nr, u);

	if (best == RECOVERY_NO_CELL)
		return; /* until a channel changes */
	timeline_remove(&u->rrc.timeline, RRC_STEP_T311);
	u->rrc.state = NR_RRC_REQUEST;
	handover_enter(nr, u->rrc.link, best);
	say(nr, u, u->id, CELL_RRC_CELL_SELECTED);
	u->rrc.link->ra.decoded = false;
	nr_access_start(u->rrc.link, nr_slot_at(nr, nr->cell.event_ns), true);
	schedule(nr, u, RRC_STEP_T301, cfg_of(nr)->t301_ms * NR_NS_PER_MS);
}

void nr_failure_channel_changed(struct nr *nr, struct nr_ue *u)
{
	link_changed(&nr->cell, &u->rrc.recovery.radio);
	if (u->rrc.state == NR_RRC_SEARCH && !timeline_has(&u->rrc.timeline, RRC_STEP_SELECT) &&
	    best_cell(nr, u) != RECOVERY_NO_CELL)
		schedule(nr, u, RRC_STEP_SELECT, 0);
}

/* No cell was found, or the one that was does not answer. */
static void become_idle(struct nr *nr, struct nr_ue *u)
{
	bool asked = u->rrc.state == NR_RRC_REQUEST;

	u->rrc.recovery.idle = true;
	say(nr, u, u->id, CELL_RRC_IDLE);
	if (!asked)
		return;
	nr_access_end(nr, u->rrc.link);
	u->rrc.state = NR_RRC_SEARCH;
	schedule(nr, u, RRC_STEP_SELECT, cfg_of(nr)->selection_ms * NR_NS_PER_MS);
}

/* --- the gNB hears of the UE --- */

static void heard(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;

	nr_access_end(nr, rrc->link);
	timeline_remove(&rrc->timeline, RRC_STEP_T301);
	rrc->state = NR_RRC_RESUME;
	say(nr, u, CELL_NODE_ENB,
	    rrc->recovery.idle ? CELL_RRC_SETUP_REQUEST : CELL_RRC_REESTABLISHMENT_REQUEST);
	schedule(nr, u, RRC_STEP_RESUME,
	         recovery_answer(&nr->cell, &rrc->recovery, rrc->link->cell));
}

/* --- the bearers are there again --- */

/* In the cell where it was. */
static void go_on(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	bool forwarded = rrc->recovery.tried != RECOVERY_NO_CELL && rrc->source_knows;
	struct pkt *p;

	recovery_cancel(&nr->epc, &rrc->recovery, &rrc->timeline, u->id, rrc->link->cell,
	                forwarded);
	if (forwarded)
		tunnel_expect(&nr->epc, u->id, rrc->link->cell);
	tunnel_arrived(&nr->epc, u->id);
	while ((p = pkt_dequeue(&rrc->kept)))
		drb_send(nr, nr_lch_classify(&rrc->link->sch[CELL_DIR_DL], p), p);
	rrc->recovery.admitted = 0;
	rrc->state = NR_RRC_CONNECTED;
}

/* In another one, which has the context: as if it had been handed over. */
static void move(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	const struct recovery *r = &rrc->recovery;
	bool forwarded = r->tried == rrc->link->cell && rrc->source_knows;

	recovery_cancel(&nr->epc, r, &rrc->timeline, u->id, rrc->link->cell, rrc->source_knows);
	if (r->tried != rrc->link->cell)
		tunnel_expect(&nr->epc, u->id, rrc->link->cell);
	rrc->source = r->home;
	rrc->target = rrc->link->cell;
	rrc->source_knows = forwarded;
	rrc->confirmed = true;
	rrc->path_switched = false;
	rrc->state = NR_RRC_COMPLETION;
	tunnel_arrived(&nr->epc, u->id);
	if (!forwarded)
		timeline_add(&rrc->timeline, &nr->cell, RRC_STEP_SUCCESS, r->home,
		             nr->cell.cfg.handover.signalling_us * INT64_C(1000));
	handover_ask_for_path(nr, u);
}

/* Both ends of a bearer start again, without what they had. Source: TS 38.323 5.1.3 */
static void renew(struct nr *nr, struct drb *b)
{
	struct pkt_queue lost = { 0 }, data = { 0 };
	struct pdcp_nr_out up = { 0 };
	struct pkt *p;

	drb_empty_rlc(nr, b, &lost);
	while ((p = pkt_dequeue(&lost)))
		if (p->control)
			base_pkt_terminate(&nr->cell, p);
		else
			pkt_enqueue(&data, p);
	out_drop_all(&nr->cell, &data, &b->at, CELL_DROP_RADIO_LINK_FAILURE);
	pdcp_nr_finish(&b->pdcp_rx, &up);
	drb_deliver(nr, b, &up);
	pdcp_nr_tx_init(&b->pdcp_tx, b->cfg.pdcp.sn_bits);
	b->heard.known = false;
}

static void start_again(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;

	out_drop_all(&nr->cell, &rrc->kept, &rrc->link->sch[CELL_DIR_DL].at,
	             CELL_DROP_RADIO_LINK_FAILURE);
	for (int d = 0; d < 2; d++)
		for (uint8_t k = 0; k < rrc->link->sch[d].n_drbs; k++)
			renew(nr, &rrc->link->sch[d].drb[k]);
	recovery_set_up(&nr->epc, &rrc->recovery, &rrc->timeline, u->id, rrc->link->cell);
	rrc->state = NR_RRC_CONNECTED;
}

static void resume(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	struct nr_ue *link = rrc->link;

	link->detached = false;
	suspend(link, false);
	nr->cell.serving[u->id - 1] = link->cell;
	link_watch(&nr->cell, &rrc->recovery.radio);
	say(nr, u, u->id, rrc->recovery.idle ? CELL_RRC_SETUP_COMPLETE : CELL_RRC_REESTABLISHED);
	if (rrc->recovery.idle)
		start_again(nr, u);
	else if (link->cell == rrc->recovery.home)
		go_on(nr, u);
	else
		move(nr, u);
}

/* --- what is due --- */

static bool can_fail(const struct nr_rrc *rrc)
{
	return rrc->state == NR_RRC_CONNECTED || rrc->state == NR_RRC_PREPARATION ||
	       (rrc->state == NR_RRC_COMPLETION && !rrc->confirmed);
}

bool nr_failure_is_due(const struct nr_ue *u)
{
	const struct nr_rrc *rrc = &u->rrc;

	return (rrc->recovery.radio.failed != LINK_OK && can_fail(rrc)) ||
	       (rrc->state == NR_RRC_REQUEST && rrc->link->ra.decoded);
}

void nr_failure_process(struct nr *nr, struct nr_ue *u)
{
	if (u->rrc.state == NR_RRC_REQUEST)
		heard(nr, u);
	else
		fail(nr, u, u->rrc.recovery.radio.failed);
}

bool nr_failure_carry_out(struct nr *nr, struct nr_ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_T304:
		fail(nr, u, LINK_T304);
		break;
	case RRC_STEP_SELECT:
		select_cell(nr, u);
		break;
	case RRC_STEP_T311:
	case RRC_STEP_T301:
		become_idle(nr, u);
		break;
	case RRC_STEP_RESUME:
		resume(nr, u);
		break;
	case RRC_STEP_CANCEL:
		recovery_return(&nr->epc, u->id, step->enb);
		break;
	default:
		return false;
	}
	return true;
}
