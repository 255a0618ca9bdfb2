/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rrc.c - handover of a UE between two eNBs: the messages, and what they do
 * when they arrive. See cell.h.
 *
 * Messages between eNBs and to the MME take ho_signalling_us; those between
 * MME and S-GW, which are at one place, no time. Messages over the radio have
 * no bytes: the handover command takes effect when it is sent, the confirm
 * comes a grant and a transmission after the UE has synchronised. A row is
 * written where and when a message is sent, those of a UE where it is heard.
 *
 * Standard: the path is switched when the handover is confirmed. Fast path
 * switch: when it is commanded. Prediction: when the target is prepared, which
 * it is long before the command.
 * Source: TS 36.300 10.1.2.1.1; Pacifico, Figures 2, 5 and 6
 */
#include "base/assert.h"
#include "cell.h"
#include "mac/bsr.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)
#define RNTI_MAX  65523 /* Source: TS 36.321 7.1 */

/* Where a row is written: at a node and in whose cell. */
static void say(struct cell *c, const struct ue *u, uint8_t node, uint8_t enb, uint8_t other,
                enum cell_rrc_msg msg)
{
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_RRC,
	                                 .node = node,
	                                 .enb = enb,
	                                 .peer = u->id,
	                                 .sn = other,
	                                 .value = (int32_t)msg });
}

static void at_source(struct cell *c, const struct ue *u, enum cell_rrc_msg msg)
{
	say(c, u, CELL_NODE_ENB, u->rrc.source, u->rrc.target, msg);
}

static void at_target(struct cell *c, const struct ue *u, enum cell_rrc_msg msg)
{
	say(c, u, CELL_NODE_ENB, u->rrc.target, u->rrc.source, msg);
}

/* Steps stay in order of time; those of one time in the order of their causes. */
static void schedule(struct cell *c, struct ue *u, enum rrc_step_kind kind, uint8_t enb,
                     int64_t after_ns)
{
	struct rrc *rrc = &u->rrc;
	struct rrc_step step = { .t_ns = c->event_ns + after_ns, .kind = kind, .enb = enb };
	uint8_t at = rrc->n_steps++;

	CELL_ASSERT(at < RRC_STEPS_MAX);
	for (; at > 0 && rrc->step[at - 1].t_ns > step.t_ns; at--)
		rrc->step[at] = rrc->step[at - 1];
	rrc->step[at] = step;
}

static void unschedule(struct rrc *rrc, enum rrc_step_kind kind)
{
	uint8_t n = 0;

	for (uint8_t i = 0; i < rrc->n_steps; i++)
		if (rrc->step[i].kind != kind)
			rrc->step[n++] = rrc->step[i];
	rrc->n_steps = n;
}

static int64_t signalling_ns(const struct cell *c)
{
	return c->cfg.ho_signalling_us * NS_PER_US;
}

static void ask_for_path(struct cell *c, struct ue *u, uint8_t from, uint8_t to)
{
	u->rrc.path_asked = true;
	say(c, u, CELL_NODE_ENB, from, to, CELL_RRC_PATH_SWITCH_REQUEST);
	schedule(c, u, RRC_STEP_PATH_SWITCH, to, signalling_ns(c));
}

/* A C-RNTI that nobody has in any cell. */
static uint16_t new_rnti(struct cell *c)
{
	bool taken;

	do {
		c->next_rnti = c->next_rnti < RNTI_MAX ? (uint16_t)(c->next_rnti + 1) : 1;
		taken = false;
		for (uint8_t i = 0; i < c->cfg.n_ue; i++)
			taken |= c->ue[i].rnti == c->next_rnti;
	} while (taken);
	return c->next_rnti;
}

static void prepare(struct cell *c, struct ue *u, uint8_t enb, enum rrc_state state)
{
	u->rrc.state = state;
	u->rrc.source = u->enb;
	u->rrc.target = enb;
	u->rrc.prepared = u->rrc.commanded = u->rrc.confirmed = false;
	u->rrc.path_asked = u->rrc.path_switched = false;
	if (state == RRC_PREDICTED) {
		at_source(c, u, CELL_RRC_PREDICTED);
		schedule(c, u, RRC_STEP_EXPIRED, enb, c->cfg.ho_prediction_timeout_ms * NS_PER_MS);
	}
	at_source(c, u, CELL_RRC_HANDOVER_REQUEST);
	schedule(c, u, RRC_STEP_REQUEST, enb, signalling_ns(c));
}

/* The UE leaves; the eNB forwards what it holds. */
static void command(struct cell *c, struct ue *u)
{
	struct pkt_queue held = { 0 };
	uint8_t source = u->enb;

	at_source(c, u, CELL_RRC_HANDOVER_COMMAND);
	say(c, u, u->id, source, u->rrc.target, CELL_RRC_DETACH);
	u->rrc.state = RRC_EXECUTION;
	reestablish(c, u, &held);
	at_source(c, u, CELL_RRC_SN_STATUS_TRANSFER);
	tunnel_forward(c, u, source, u->rrc.target, &held);
	if (c->cfg.ho_procedure == CELL_HO_FAST_PATH_SWITCH && !u->rrc.path_asked)
		ask_for_path(c, u, source, u->rrc.target);
	schedule(c, u, RRC_STEP_SYNCHRONISED, u->rrc.target, c->cfg.ho_detach_ms * NS_PER_MS);
}

static void synchronised(struct cell *c, struct ue *u)
{
	int64_t tti_ns = (c->cfg.grant_to_tx_tti + c->cfg.decode_tti) * CELL_TTI_NS;
	int64_t since_ns = c->event_ns - c->start_ns;

	u->rrc.state = RRC_COMPLETION;
	u->enb = u->rrc.target;
	u->rnti = new_rnti(c);
	u->detached = false;
	/* The eNB that answered the preamble allocates the uplink for what the UE has. */
	u->ra.state = RA_WAIT_GRANT;
	u->ra.blocked_until =
		(uint32_t)((since_ns + tti_ns) / CELL_TTI_NS) + c->cfg.rac_timeout_tti;
	c->stats.handovers++;
	say(c, u, u->id, u->enb, u->rrc.source, CELL_RRC_SYNCHRONISED);
	tunnel_arrived(c, u);
	schedule(c, u, RRC_STEP_CONFIRM, u->enb, tti_ns);
}

static void complete(struct cell *c, struct ue *u)
{
	if (!u->rrc.confirmed || !u->rrc.path_switched)
		return;
	at_target(c, u, CELL_RRC_RELEASE_RESOURCE);
	u->rrc.state = RRC_CONNECTED;
}

/* With the confirm the eNB gets a BSR. Source: TS 36.300 10.1.2.1.1, step 11 */
static void confirm(struct cell *c, struct ue *u)
{
	uint32_t bytes = bearer_bytes(c, &u->leg[CELL_DIR_UL]);

	u->rrc.confirmed = true;
	at_target(c, u, CELL_RRC_HANDOVER_CONFIRM);
	if (bytes && u->leg[CELL_DIR_UL].cqi)
		u->enb_backlog[CELL_DIR_UL] = bsr_bytes(bsr_index(bytes));
	if (!u->rrc.path_asked)
		ask_for_path(c, u, u->enb, u->enb);
	complete(c, u);
}

static void requested(struct cell *c, struct ue *u, uint8_t enb)
{
	tunnel_expect(c, u, enb);
	say(c, u, CELL_NODE_ENB, enb, u->enb, CELL_RRC_HANDOVER_REQUEST_ACK);
	schedule(c, u, RRC_STEP_ACK, enb, signalling_ns(c));
	if (u->rrc.state == RRC_PREDICTED)
		ask_for_path(c, u, enb, enb);
}

static void acknowledged(struct cell *c, struct ue *u)
{
	u->rrc.prepared = true;
	if (u->rrc.state == RRC_PREPARATION || (u->rrc.state == RRC_PREDICTED && u->rrc.commanded))
		command(c, u);
}

/* At the MME and the S-GW. */
static void switch_path(struct cell *c, struct ue *u, uint8_t enb)
{
	say(c, u, CELL_NODE_SGW, 0, enb, CELL_RRC_USER_PLANE_UPDATE_REQUEST);
	say(c, u, CELL_NODE_SGW, 0, enb, CELL_RRC_PATH_SWITCHED);
	epc_switch_path(c, u, enb);
	say(c, u, CELL_NODE_SGW, 0, enb, CELL_RRC_USER_PLANE_UPDATE_REPLY);
	say(c, u, CELL_NODE_SGW, 0, enb, CELL_RRC_PATH_SWITCH_REQUEST_ACK);
	schedule(c, u, RRC_STEP_PATH_ACK, enb, signalling_ns(c));
}

/* The path comes back, and what the predicted target got. */
static void give_up_prediction(struct cell *c, struct ue *u)
{
	uint8_t predicted = u->rrc.target;

	at_source(c, u, CELL_RRC_PREDICTION_EXPIRED);
	at_source(c, u, CELL_RRC_HANDOVER_CANCEL);
	unschedule(&u->rrc, RRC_STEP_EXPIRED);
	u->rrc.state = RRC_CONNECTED;
	tunnel_return(c, u);
	schedule(c, u, RRC_STEP_CANCEL, predicted, signalling_ns(c));
	ask_for_path(c, u, u->enb, u->enb);
}

/* Nothing is under way any more, in the control plane or in the tunnels. */
static bool settled(const struct cell *c, const struct ue *u)
{
	return u->rrc.state == RRC_CONNECTED && u->rrc.n_steps == 0 && tunnel_settled(c, u);
}

static void wait_for_the_end(struct ue *u, enum cell_cmd_type type, uint8_t enb)
{
	u->rrc.waits = true;
	u->rrc.waiting = (struct cell_cmd){ .type = type, .ue = u->id, .enb = enb };
}

void rrc_predict(struct cell *c, struct ue *u, uint8_t enb)
{
	/* What was commanded meanwhile is no prediction any more. */
	bool open = u->rrc.state == RRC_PREDICTED && !u->rrc.commanded;

	if (open && u->rrc.target == enb) {
		unschedule(&u->rrc, RRC_STEP_EXPIRED);
		schedule(c, u, RRC_STEP_EXPIRED, enb, c->cfg.ho_prediction_timeout_ms * NS_PER_MS);
		return;
	}
	if (open)
		give_up_prediction(c, u);
	if (!settled(c, u))
		wait_for_the_end(u, CELL_CMD_PREDICT, enb);
	else if (u->enb != enb)
		prepare(c, u, enb, RRC_PREDICTED);
}

void rrc_handover(struct cell *c, struct ue *u, uint8_t enb)
{
	if (u->rrc.state == RRC_PREDICTED && u->rrc.commanded)
		return; /* waits for its acknowledgment already */
	if (u->rrc.state == RRC_PREDICTED && u->rrc.target != enb)
		give_up_prediction(c, u);
	if (u->rrc.state != RRC_PREDICTED && !settled(c, u)) {
		wait_for_the_end(u, CELL_CMD_HANDOVER, enb);
		return;
	}
	if (u->enb == enb)
		return;
	say(c, u, CELL_NODE_ENB, u->enb, enb, CELL_RRC_MEASUREMENT_REPORT);
	say(c, u, CELL_NODE_ENB, u->enb, enb, CELL_RRC_HANDOVER_DECISION);
	if (u->rrc.state != RRC_PREDICTED) {
		prepare(c, u, enb, RRC_PREPARATION);
		return;
	}
	unschedule(&u->rrc, RRC_STEP_EXPIRED);
	u->rrc.commanded = true;
	if (u->rrc.prepared)
		command(c, u);
}

static void carry_out(struct cell *c, struct ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_REQUEST:
		requested(c, u, step->enb);
		break;
	case RRC_STEP_ACK:
		acknowledged(c, u);
		break;
	case RRC_STEP_SYNCHRONISED:
		synchronised(c, u);
		break;
	case RRC_STEP_CONFIRM:
		confirm(c, u);
		break;
	case RRC_STEP_PATH_SWITCH:
		switch_path(c, u, step->enb);
		break;
	case RRC_STEP_PATH_ACK:
		u->rrc.path_switched = true;
		if (u->rrc.state == RRC_COMPLETION)
			complete(c, u);
		break;
	case RRC_STEP_EXPIRED:
		give_up_prediction(c, u);
		break;
	case RRC_STEP_CANCEL:
		tunnel_forward(c, u, step->enb, u->enb, &(struct pkt_queue){ 0 });
		break;
	}
}

int64_t rrc_next_ns(const struct cell *c, const struct ue *u)
{
	int64_t tunnel_ns = tunnel_next_ns(c, u);

	if (u->rrc.waits && settled(c, u))
		return c->event_ns;
	return u->rrc.n_steps && u->rrc.step[0].t_ns < tunnel_ns ? u->rrc.step[0].t_ns : tunnel_ns;
}

void rrc_process(struct cell *c, struct ue *u)
{
	struct rrc *rrc = &u->rrc;

	if (rrc->waits && settled(c, u)) {
		rrc->waits = false;
		if (rrc->waiting.type == CELL_CMD_PREDICT)
			rrc_predict(c, u, rrc->waiting.enb);
		else
			rrc_handover(c, u, rrc->waiting.enb);
	} else if (rrc->n_steps && rrc->step[0].t_ns <= c->event_ns) {
		struct rrc_step step = rrc->step[0];

		rrc->n_steps--;
		for (uint8_t i = 0; i < rrc->n_steps; i++)
			rrc->step[i] = rrc->step[i + 1];
		carry_out(c, u, &step);
	} else {
		tunnel_expire(c, u);
	}
}
