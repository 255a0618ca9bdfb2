/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rrc.c - handover of a UE between two eNBs: the messages, and what they do
 * when they arrive. See rrc.h.
 *
 * Messages between eNBs and to the MME take handover.signalling_us; those between
 * MME and S-GW, which are at one place, no time. Messages over the radio have
 * no bytes: the handover command takes effect when it is sent, the confirm
 * comes a grant and a transmission after the UE has synchronised. A row is
 * written where and when a message is sent, those of a UE where it is heard.
 *
 * An End Marker can be lost like any packet, so several may be sent, by the S-GW on the path that
 * ends and by a source that got the S-GW's before it forwarded. The next handover waits until none
 * of them can be under way any more.
 *
 * A handover follows a command, or a UE's report that a neighbour is better (measure.c), which is
 * heard a grant and a transmission after it was due.
 *
 * Standard: the path is switched when the handover is confirmed. Fast path
 * switch: when it is commanded. Prediction: when the target is prepared, which
 * it is long before the command.
 * Source: TS 36.300 10.1.2.1.1; Pacifico, Figures 2, 5 and 6
 */
#include "ran/lte/rrc.h"

#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/lte/entry.h"
#include "ran/lte/failure.h"
#include "ran/lte/reestablish.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/* Where a row is written: at a node and in whose cell. */
static void say(struct lte *lte, const struct ue *u, uint8_t node, uint8_t enb, uint8_t other,
                enum cell_rrc_msg msg)
{
	timeline_record(&lte->cell, u->id, node, enb, other, msg);
}

static void at_source(struct lte *lte, const struct ue *u, enum cell_rrc_msg msg)
{
	say(lte, u, CELL_NODE_ENB, u->rrc.source, u->rrc.target, msg);
}

static void at_target(struct lte *lte, const struct ue *u, enum cell_rrc_msg msg)
{
	say(lte, u, CELL_NODE_ENB, u->rrc.target, u->rrc.source, msg);
}

static void schedule(struct lte *lte, struct ue *u, enum rrc_step_kind kind, uint8_t enb,
                     int64_t after_ns)
{
	timeline_add(&u->rrc.timeline, &lte->cell, kind, enb, after_ns);
}

/* One End Marker was sent, by the S-GW or by @enb: the others follow. */
static void repeat_end_marker(struct lte *lte, struct ue *u, enum rrc_step_kind kind, uint8_t enb)
{
	timeline_repeat_marker(&u->rrc.timeline, &lte->cell, kind, enb);
}

static void prepare(struct lte *lte, struct ue *u, uint8_t enb, enum rrc_state state)
{
	u->rrc.state = state;
	u->rrc.source = u->enb;
	u->rrc.target = enb;
	u->rrc.prepared = u->rrc.commanded = u->rrc.confirmed = false;
	u->rrc.path_asked = u->rrc.path_switched = false;
	if (state == RRC_PREDICTED) {
		at_source(lte, u, CELL_RRC_PREDICTED);
		schedule(lte, u, RRC_STEP_EXPIRED, enb,
		         lte->cell.cfg.handover.prediction_timeout_ms * NS_PER_MS);
	}
	at_source(lte, u, CELL_RRC_HANDOVER_REQUEST);
	schedule(lte, u, RRC_STEP_REQUEST, enb,
	         entry_signalling_ns(lte) + times_admission_ns(&lte->cell, &u->rrc.times));
}

/* The UE leaves; the eNB forwards what it holds. */
static void command(struct lte *lte, struct ue *u)
{
	struct pkt_queue held = { 0 };
	uint8_t source = u->enb;

	at_source(lte, u, CELL_RRC_HANDOVER_COMMAND);
	say(lte, u, u->id, source, u->rrc.target, CELL_RRC_DETACH);
	u->rrc.state = RRC_EXECUTION;
	link_leave(&u->rrc.recovery.radio);
	if (link_on(&lte->cell))
		schedule(lte, u, RRC_STEP_T304, u->rrc.target,
		         lte->cell.cfg.handover.link_failure.t304_ms * NS_PER_MS);
	measure_restart(&u->measured);
	reestablish(lte, u, &held);
	at_source(lte, u, CELL_RRC_SN_STATUS_TRANSFER);
	if (tunnel_forward(&lte->epc, u->id, source, u->rrc.target, &held))
		repeat_end_marker(lte, u, RRC_STEP_X2_MARKER, source);
	if (lte->cell.cfg.handover.procedure == CELL_HO_FAST_PATH_SWITCH && !u->rrc.path_asked)
		entry_ask_for_path(lte, u, source, u->rrc.target);
	schedule(lte, u, RRC_STEP_SYNCHRONISED, u->rrc.target,
	         times_detach_ns(&lte->cell, &u->rrc.times,
	                         lte->cell.cfg.handover.detach_ms * NS_PER_MS));
}

/* Or not yet: the UE does not hear the target, and tries again. */
static void synchronised(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	if (!failure_hears(lte, u, step->enb)) {
		timeline_again(&u->rrc.timeline, &lte->cell, *step,
		               lte->cell.cfg.lte.ra.rac_timeout_tti * CELL_TTI_NS);
		return;
	}
	timeline_remove(&u->rrc.timeline, RRC_STEP_T304);
	u->rrc.state = RRC_COMPLETION;
	entry_take(lte, u, u->rrc.target);
	link_watch(&lte->cell, &u->rrc.recovery.radio);
	lte->cell.stats.handovers++;
	say(lte, u, u->id, u->enb, u->rrc.source, CELL_RRC_SYNCHRONISED);
	tunnel_arrived(&lte->epc, u->id);
	schedule(lte, u, RRC_STEP_CONFIRM, u->enb, entry_msg3_ns(lte));
}

static void complete(struct lte *lte, struct ue *u)
{
	if (!u->rrc.confirmed || !u->rrc.path_switched)
		return;
	at_target(lte, u, CELL_RRC_RELEASE_RESOURCE);
	u->rrc.recovery.admitted = 0;
	u->rrc.state = RRC_CONNECTED;
}

/* With the confirm the eNB gets a BSR. Source: TS 36.300 10.1.2.1.1, step 11 */
static void confirm(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	if (!failure_hears(lte, u, u->enb)) {
		timeline_again(&u->rrc.timeline, &lte->cell, *step,
		               lte->cell.cfg.handover.link_failure.rrc_retx_ms * NS_PER_MS);
		return;
	}
	u->rrc.confirmed = true;
	at_target(lte, u, CELL_RRC_HANDOVER_CONFIRM);
	entry_report_buffer(lte, u);
	if (!u->rrc.path_asked)
		entry_ask_for_path(lte, u, u->enb, u->enb);
	complete(lte, u);
}

/* The message of @step is not heard at @node: it comes again, or that was the last attempt. */
static bool is_lost(struct lte *lte, struct ue *u, uint8_t node, const struct rrc_step *step)
{
	const struct cell_link_cfg *cfg = &lte->cell.cfg.handover.link_failure;

	if (failure_hears(lte, u, u->enb))
		return false;
	say(lte, u, node, u->enb, step->enb, CELL_RRC_MESSAGE_LOST);
	if (step->tries < cfg->rrc_retx) {
		timeline_again(&u->rrc.timeline, &lte->cell, *step, cfg->rrc_retx_ms * NS_PER_MS);
	} else if (node == CELL_NODE_ENB) {
		u->rrc.recovery.radio.failed = LINK_RLC;
	} else { /* nobody goes there */
		at_source(lte, u, CELL_RRC_HANDOVER_CANCEL);
		u->rrc.recovery.admitted = 0;
		u->rrc.state = RRC_CONNECTED;
		tunnel_forget(&lte->epc, u->id, step->enb);
	}
	return true;
}

static void requested(struct lte *lte, struct ue *u, uint8_t enb)
{
	tunnel_expect(&lte->epc, u->id, enb);
	u->rrc.recovery.admitted |= recovery_bit(enb);
	say(lte, u, CELL_NODE_ENB, enb, u->enb, CELL_RRC_HANDOVER_REQUEST_ACK);
	schedule(lte, u, RRC_STEP_ACK, enb, entry_signalling_ns(lte));
	if (u->rrc.state == RRC_PREDICTED)
		entry_ask_for_path(lte, u, enb, enb);
}

/* A command that is about to be sent may be lost. */
static void acknowledged(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	if (u->rrc.state == RRC_PREPARATION && is_lost(lte, u, u->id, step))
		return;
	u->rrc.prepared = true;
	if (u->rrc.state == RRC_PREPARATION || (u->rrc.state == RRC_PREDICTED && u->rrc.commanded))
		command(lte, u);
}

/* At the MME and the S-GW. */
static void switch_path(struct lte *lte, struct ue *u, uint8_t enb)
{
	uint8_t old = lte->epc.path[u->id - 1];

	say(lte, u, CELL_NODE_SGW, 0, enb, CELL_RRC_USER_PLANE_UPDATE_REQUEST);
	say(lte, u, CELL_NODE_SGW, 0, enb, CELL_RRC_PATH_SWITCHED);
	gateway_switch_path(&lte->epc, u->id, enb);
	if (old != enb)
		repeat_end_marker(lte, u, RRC_STEP_S1_MARKER, old);
	say(lte, u, CELL_NODE_SGW, 0, enb, CELL_RRC_USER_PLANE_UPDATE_REPLY);
	say(lte, u, CELL_NODE_SGW, 0, enb, CELL_RRC_PATH_SWITCH_REQUEST_ACK);
	schedule(lte, u, RRC_STEP_PATH_ACK, enb, entry_signalling_ns(lte));
}

/* The path comes back, and what the predicted target got. */
static void give_up_prediction(struct lte *lte, struct ue *u)
{
	uint8_t predicted = u->rrc.target;

	at_source(lte, u, CELL_RRC_PREDICTION_EXPIRED);
	at_source(lte, u, CELL_RRC_HANDOVER_CANCEL);
	timeline_remove(&u->rrc.timeline, RRC_STEP_EXPIRED);
	u->rrc.state = RRC_CONNECTED;
	tunnel_return(&lte->epc, u->id);
	schedule(lte, u, RRC_STEP_CANCEL, predicted, entry_signalling_ns(lte));
	entry_ask_for_path(lte, u, u->enb, u->enb);
}

/* Nothing is under way any more, in the control plane or in the tunnels. */
static bool settled(const struct lte *lte, const struct ue *u)
{
	return u->rrc.state == RRC_CONNECTED && u->rrc.timeline.n == 0 &&
	       tunnel_settled(&lte->epc, u->id);
}

static void wait_for_the_end(struct ue *u, enum cell_cmd_type type, uint8_t enb)
{
	u->rrc.waits = true;
	u->rrc.waiting = (struct cell_cmd){ .type = type, .ue = u->id, .enb = enb };
}

void rrc_predict(struct lte *lte, struct ue *u, uint8_t enb)
{
	/* What was commanded meanwhile is no prediction any more. */
	bool open = u->rrc.state == RRC_PREDICTED && !u->rrc.commanded;

	if (open && u->rrc.target == enb) {
		timeline_remove(&u->rrc.timeline, RRC_STEP_EXPIRED);
		schedule(lte, u, RRC_STEP_EXPIRED, enb,
		         lte->cell.cfg.handover.prediction_timeout_ms * NS_PER_MS);
		return;
	}
	if (open)
		give_up_prediction(lte, u);
	if (!settled(lte, u))
		wait_for_the_end(u, CELL_CMD_PREDICT, enb);
	else if (u->enb != enb)
		prepare(lte, u, enb, RRC_PREDICTED);
}

void rrc_handover(struct lte *lte, struct ue *u, uint8_t enb)
{
	if (u->rrc.state == RRC_PREDICTED && u->rrc.commanded)
		return; /* waits for its acknowledgment already */
	if (u->rrc.state == RRC_PREDICTED && u->rrc.target != enb)
		give_up_prediction(lte, u);
	if (u->rrc.state != RRC_PREDICTED && !settled(lte, u)) {
		wait_for_the_end(u, CELL_CMD_HANDOVER, enb);
		return;
	}
	if (u->enb == enb)
		return;
	say(lte, u, CELL_NODE_ENB, u->enb, enb, CELL_RRC_MEASUREMENT_REPORT);
	say(lte, u, CELL_NODE_ENB, u->enb, enb, CELL_RRC_HANDOVER_DECISION);
	if (u->rrc.state != RRC_PREDICTED) {
		prepare(lte, u, enb, RRC_PREPARATION);
		return;
	}
	timeline_remove(&u->rrc.timeline, RRC_STEP_EXPIRED);
	u->rrc.commanded = true;
	if (u->rrc.prepared)
		command(lte, u);
}

/* One report of an eNB at a time is under way, and none from between two cells. */
static void report(struct lte *lte, struct ue *u)
{
	int64_t tti =
		lte->cell.cfg.lte.timing.grant_to_tx_tti + lte->cell.cfg.lte.timing.decode_tti;
	uint8_t enb = measure_due(&lte->cell, &u->measured, MEASURE_REPORT);

	for (uint8_t i = 0; i < u->rrc.timeline.n; i++)
		if (u->rrc.timeline.step[i].kind == RRC_STEP_REPORT &&
		    u->rrc.timeline.step[i].enb == enb)
			return;
	schedule(lte, u, RRC_STEP_REPORT, enb, tti * CELL_TTI_NS);
}

/* What the predicted target got comes back, or the target of a handover that failed. */
static void cancelled(struct lte *lte, struct ue *u, uint8_t enb)
{
	if (link_on(&lte->cell))
		recovery_return(&lte->epc, u->id, enb);
	else if (tunnel_forward(&lte->epc, u->id, enb, u->enb, &(struct pkt_queue){ 0 }))
		repeat_end_marker(lte, u, RRC_STEP_X2_MARKER, enb);
}

static void carry_out(struct lte *lte, struct ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_REQUEST:
		requested(lte, u, step->enb);
		break;
	case RRC_STEP_ACK:
		acknowledged(lte, u, step);
		break;
	case RRC_STEP_SYNCHRONISED:
		synchronised(lte, u, step);
		break;
	case RRC_STEP_CONFIRM:
		confirm(lte, u, step);
		break;
	case RRC_STEP_PATH_SWITCH:
		switch_path(lte, u, step->enb);
		break;
	case RRC_STEP_PATH_ACK:
		u->rrc.path_switched = true;
		if (u->rrc.state == RRC_COMPLETION)
			complete(lte, u);
		break;
	case RRC_STEP_EXPIRED:
		give_up_prediction(lte, u);
		break;
	case RRC_STEP_CANCEL:
		cancelled(lte, u, step->enb);
		break;
	case RRC_STEP_S1_MARKER:
	case RRC_STEP_X2_MARKER:
		timeline_send_marker(&u->rrc.timeline, &lte->epc, u->id, step->kind, step->enb);
		break;
	case RRC_STEP_REPORT:
		if (!u->detached && !is_lost(lte, u, CELL_NODE_ENB, step))
			rrc_handover(lte, u, step->enb);
		break;
	case RRC_STEP_LEAVE:
	case RRC_STEP_STATUS:
		break; /* of NR */
	default:
		failure_carry_out(lte, u, step);
		break;
	}
}

static int64_t next_report_ns(const struct lte *lte, const struct ue *u)
{
	return measure_next_ns(&lte->cell, &u->measured, MEASURE_REPORT);
}

int64_t rrc_next_ns(const struct lte *lte, const struct ue *u)
{
	int64_t first_ns = tunnel_next_ns(&lte->epc, u->id), measured_ns = next_report_ns(lte, u);

	int64_t failure_ns = failure_next_ns(lte, u);

	if (u->rrc.waits && settled(lte, u))
		return lte->cell.event_ns;
	first_ns = measured_ns < first_ns ? measured_ns : first_ns;
	first_ns = failure_ns < first_ns ? failure_ns : first_ns;
	return timeline_next_ns(&u->rrc.timeline) < first_ns ? timeline_next_ns(&u->rrc.timeline)
	                                                     : first_ns;
}

void rrc_process(struct lte *lte, struct ue *u)
{
	struct rrc *rrc = &u->rrc;

	ue_touch(lte, u->id);
	if (failure_next_ns(lte, u) <= lte->cell.event_ns) {
		failure_process(lte, u);
	} else if (rrc->waits && settled(lte, u)) {
		rrc->waits = false;
		if (rrc->waiting.type == CELL_CMD_PREDICT)
			rrc_predict(lte, u, rrc->waiting.enb);
		else
			rrc_handover(lte, u, rrc->waiting.enb);
	} else if (timeline_next_ns(&rrc->timeline) <= lte->cell.event_ns) {
		struct rrc_step step = timeline_take(&rrc->timeline);

		carry_out(lte, u, &step);
	} else if (next_report_ns(lte, u) <= lte->cell.event_ns) {
		report(lte, u);
	} else {
		tunnel_expire(&lte->epc, u->id);
	}
}
