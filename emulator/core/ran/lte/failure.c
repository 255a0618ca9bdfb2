/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure.c - a UE whose radio link has failed; see failure.h.
 *
 * The link fails by T310, by RLC, by random access, or as a handover does not reach its target
 * until T304. The UE looks for a cell until T311 expires. It selects the one that it hears best,
 * and asks there for re-establishment until T301 expires; as in a handover that takes a fixed time
 * and no resources. Where that eNB has the UE's context, or gets it, RLC starts again, PDCP goes
 * on, and nothing is lost in AM: it is like a handover that the UE has started by itself.
 * Otherwise, and when a timer has expired, the UE sets up a new connection: all that both ends hold
 * is lost, SNs start again, and the core network switches the path. What comes for the UE meanwhile
 * the old eNB keeps; it forwards that where it knows of the new one. Source: TS 36.300 10.1.6;
 * TS 36.331 5.3.3, 5.3.5.6, 5.3.7, 5.3.11, 7.3; TS 36.323 5.2
 */
#include "ran/lte/failure.h"

#include "epc/tunnel.h"
#include "ran/lte/entry.h"
#include "ran/lte/lch.h"
#include "ran/lte/reestablish.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

static const struct cell_link_cfg *cfg_of(const struct lte *lte)
{
	return &lte->cell.cfg.handover.link_failure;
}

static void schedule(struct lte *lte, struct ue *u, enum rrc_step_kind kind, int64_t after_ns)
{
	timeline_add(&u->rrc.timeline, &lte->cell, kind, u->rrc.target, after_ns);
}

/* In the cell that the UE has selected, or where it was. */
static void say(struct lte *lte, const struct ue *u, uint8_t node, enum cell_rrc_msg msg)
{
	timeline_record(&lte->cell, u->id, node, u->rrc.target, u->rrc.recovery.home, msg);
}

static struct link_quality quality(const struct ue *u, uint8_t enb)
{
	const struct cell_channel *c = &u->channel[enb][CELL_DIR_DL];

	return (struct link_quality){ .sinr_cdb = c->sinr_cdb, .cqi = c->cqi };
}

bool failure_hears(const struct lte *lte, const struct ue *u, uint8_t enb)
{
	return link_hears(&lte->cell, quality(u, enb));
}

/* --- the link fails --- */

static void fail(struct lte *lte, struct ue *u, enum link_cause cause)
{
	struct rrc *rrc = &u->rrc;
	bool between = rrc->state == RRC_EXECUTION;

	recovery_lose(&lte->cell, &rrc->recovery, &rrc->timeline, u->id, cause, u->enb,
	              between ? rrc->target : RECOVERY_NO_CELL);
	measure_restart(&u->measured);
	if (!between)
		reestablish(lte, u, &rrc->kept);
	rrc->target = u->enb;
	rrc->state = RRC_SEARCH;
}

/* --- another cell --- */

static uint8_t best_cell(const struct lte *lte, const struct ue *u)
{
	struct link_quality q[CELL_MAX_ENB];

	for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
		q[k] = quality(u, k);
	return recovery_select(&lte->cell, q);
}

/* From a preamble until the eNB has message 3. */
static int64_t access_ns(const struct lte *lte)
{
	const struct cell_lte_timing_cfg *t = &lte->cell.cfg.lte.timing;

	return (t->rar_delay_tti + t->rar_to_msg3_tti + t->decode_tti) * CELL_TTI_NS;
}

static void select_cell(struct lte *lte, struct ue *u)
{
	uint8_t best = best_cell(lte, u);

	if (best == RECOVERY_NO_CELL)
		return; /* until a channel changes */
	timeline_remove(&u->rrc.timeline, RRC_STEP_T311);
	u->rrc.state = RRC_REQUEST;
	u->rrc.target = best;
	say(lte, u, u->id, CELL_RRC_CELL_SELECTED);
	schedule(lte, u, RRC_STEP_ACCESS, access_ns(lte));
	schedule(lte, u, RRC_STEP_T301, cfg_of(lte)->t301_ms * NS_PER_MS);
}

void failure_channel_changed(struct lte *lte, struct ue *u)
{
	link_changed(&lte->cell, &u->rrc.recovery.radio);
	if (u->rrc.state == RRC_SEARCH && !timeline_has(&u->rrc.timeline, RRC_STEP_SELECT) &&
	    best_cell(lte, u) != RECOVERY_NO_CELL)
		schedule(lte, u, RRC_STEP_SELECT, 0);
}

/* No cell was found, or the one that was does not answer. */
static void become_idle(struct lte *lte, struct ue *u)
{
	bool asked = u->rrc.state == RRC_REQUEST;

	u->rrc.recovery.idle = true;
	say(lte, u, u->id, CELL_RRC_IDLE);
	if (!asked)
		return;
	timeline_remove(&u->rrc.timeline, RRC_STEP_ACCESS);
	u->rrc.state = RRC_SEARCH;
	schedule(lte, u, RRC_STEP_SELECT, cfg_of(lte)->selection_ms * NS_PER_MS);
}

/* --- the eNB hears of the UE --- */

static void access_cell(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	struct rrc *rrc = &u->rrc;

	if (!failure_hears(lte, u, step->enb) || u->channel[step->enb][CELL_DIR_UL].cqi == 0) {
		timeline_again(&rrc->timeline, &lte->cell, *step,
		               lte->cell.cfg.lte.ra.rac_timeout_tti * CELL_TTI_NS);
		return;
	}
	timeline_remove(&rrc->timeline, RRC_STEP_T301);
	rrc->state = RRC_RESUME;
	say(lte, u, CELL_NODE_ENB,
	    rrc->recovery.idle ? CELL_RRC_SETUP_REQUEST : CELL_RRC_REESTABLISHMENT_REQUEST);
	schedule(lte, u, RRC_STEP_RESUME, recovery_answer(&lte->cell, &rrc->recovery, step->enb));
}

/* --- the bearers are there again --- */

/* Prepared targets that the UE did not come to. What was @forwarded is still to come back. */
static void release_others(struct lte *lte, struct ue *u, bool forwarded)
{
	struct recovery *r = &u->rrc.recovery;

	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		if (r->admitted & recovery_bit(k) && k != u->enb && k != r->home &&
		    !(forwarded && k == r->tried))
			tunnel_forget(&lte->epc, u->id, k);
	r->admitted = 0;
}

/* In the cell where it was. */
static void go_on(struct lte *lte, struct ue *u, bool forwarded)
{
	struct rrc *rrc = &u->rrc;
	struct pkt *p;

	recovery_cancel(&lte->epc, &rrc->recovery, &rrc->timeline, u->id, u->enb, forwarded);
	if (forwarded)
		tunnel_expect(&lte->epc, u->id, u->enb);
	release_others(lte, u, forwarded);
	tunnel_arrived(&lte->epc, u->id);
	while ((p = pkt_dequeue(&rrc->kept)))
		lte_lch_send(lte, &u->sch[CELL_DIR_DL], p);
	rrc->state = RRC_CONNECTED;
}

/* In another one, which has the context: as if it had been handed over. */
static void move(struct lte *lte, struct ue *u, bool forwarded)
{
	struct rrc *rrc = &u->rrc;
	bool at_tried = forwarded && rrc->recovery.tried == u->enb;

	recovery_cancel(&lte->epc, &rrc->recovery, &rrc->timeline, u->id, u->enb, forwarded);
	release_others(lte, u, forwarded);
	if (!at_tried)
		tunnel_expect(&lte->epc, u->id, u->enb);
	rrc->source = rrc->recovery.home;
	rrc->confirmed = true;
	rrc->path_switched = false;
	rrc->state = RRC_COMPLETION;
	tunnel_arrived(&lte->epc, u->id);
	if (!at_tried)
		timeline_add(&rrc->timeline, &lte->cell, RRC_STEP_SUCCESS, rrc->source,
		             lte->cell.cfg.handover.signalling_us * NS_PER_US);
	entry_ask_for_path(lte, u, u->enb, u->enb);
}

/* Both ends of a bearer start again, without what they had. */
static void renew(struct lte *lte, struct bearer *b)
{
	struct pkt_queue lost = { 0 }, data = { 0 };
	struct pkt *p;

	bearer_empty(lte, b, true, &lost);
	while ((p = pkt_dequeue(&lost)))
		if (p->control)
			base_pkt_terminate(&lte->cell, p);
		else
			pkt_enqueue(&data, p);
	out_drop_all(&lte->cell, &data, &b->at, CELL_DROP_RADIO_LINK_FAILURE);
	bearer_init_pdcp(lte, b);
}

static void start_again(struct lte *lte, struct ue *u)
{
	struct rrc *rrc = &u->rrc;

	out_drop_all(&lte->cell, &rrc->kept, &u->sch[CELL_DIR_DL].at, CELL_DROP_RADIO_LINK_FAILURE);
	for (int d = 0; d <= CELL_DIR_DL; d++)
		for (uint8_t k = 0; k < u->sch[d].n_bearers; k++)
			renew(lte, &u->sch[d].bearer[k]);
	recovery_set_up(&lte->epc, &rrc->recovery, &rrc->timeline, u->id, u->enb);
	rrc->state = RRC_CONNECTED;
}

static void resume(struct lte *lte, struct ue *u)
{
	struct recovery *r = &u->rrc.recovery;
	bool forwarded = r->tried != RECOVERY_NO_CELL; /* from the command on */

	entry_take(lte, u, u->rrc.target);
	link_watch(&lte->cell, &r->radio);
	say(lte, u, u->id, r->idle ? CELL_RRC_SETUP_COMPLETE : CELL_RRC_REESTABLISHED);
	if (r->idle)
		start_again(lte, u);
	else if (u->enb == r->home)
		go_on(lte, u, forwarded);
	else
		move(lte, u, forwarded);
	entry_report_buffer(lte, u);
}

/* The old eNB hears where the UE is. */
static void forward(struct lte *lte, struct ue *u)
{
	timeline_record(&lte->cell, u->id, CELL_NODE_ENB, u->rrc.source, u->enb,
	                CELL_RRC_SN_STATUS_TRANSFER);
	if (tunnel_forward(&lte->epc, u->id, u->rrc.source, u->enb, &u->rrc.kept))
		timeline_repeat_marker(&u->rrc.timeline, &lte->cell, RRC_STEP_X2_MARKER,
		                       u->rrc.source);
}

/* --- what is due --- */

static bool can_fail(const struct rrc *rrc)
{
	return rrc->state == RRC_CONNECTED || rrc->state == RRC_PREPARATION ||
	       (rrc->state == RRC_COMPLETION && !rrc->confirmed);
}

int64_t failure_next_ns(const struct lte *lte, const struct ue *u)
{
	const struct radio_link *radio = &u->rrc.recovery.radio;

	if (radio->failed != LINK_OK && can_fail(&u->rrc))
		return lte->cell.event_ns;
	return link_next_ns(radio);
}

void failure_process(struct lte *lte, struct ue *u)
{
	struct radio_link *radio = &u->rrc.recovery.radio;

	if (radio->failed != LINK_OK && can_fail(&u->rrc))
		fail(lte, u, radio->failed);
	else
		link_process(&lte->cell, radio, quality(u, u->enb));
}

void failure_carry_out(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_T304:
		fail(lte, u, LINK_T304);
		break;
	case RRC_STEP_SELECT:
		select_cell(lte, u);
		break;
	case RRC_STEP_T311:
	case RRC_STEP_T301:
		become_idle(lte, u);
		break;
	case RRC_STEP_ACCESS:
		access_cell(lte, u, step);
		break;
	case RRC_STEP_RESUME:
		resume(lte, u);
		break;
	case RRC_STEP_SUCCESS:
		forward(lte, u);
		break;
	default:
		break;
	}
}
