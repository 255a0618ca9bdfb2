/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rrc.c - handover of a UE between two gNBs: the messages, and what they do when they arrive. See
 * rrc.h.
 *
 * Messages between gNBs and to the AMF take ho_signalling_us. Those over the radio have no bytes:
 * a command takes effect when it is sent, and a confirm is what message 3 of random access carries.
 * A row is written where and when a message is sent, those of a UE where it is heard.
 *
 * Standard: the source asks the target, commands the UE, and forwards what it holds. The UE cannot
 * be reached from the command on until it has processed it, has synchronised with the target at an
 * SSB of it, and its preamble, which nobody else has, was answered. The path is switched when the
 * UE has confirmed.
 *
 * Conditional: targets are asked long before, and the UE is told of each with a condition. When
 * that holds the UE leaves by itself. The source does not know: it keeps what it has until the
 * target tells of the handover's success, and forwards it then (late data forwarding).
 *
 * A handover follows a command, or a UE's report that a neighbour is better, which is heard a grant
 * and a transmission after it was due. The next one begins when nothing is under way any more.
 * Source: TS 38.300 9.2.3.2, 9.2.3.4; TS 38.133 6.1.1.2, 6.1.4; TS 38.331 5.3.5.5, 5.3.5.13
 */
#include "ran/nr/rrc.h"

#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/nr/access.h"
#include "ran/nr/air.h"
#include "ran/nr/lch.h"
#include "ran/nr/reestablish.h"

#define NS_PER_US INT64_C(1000)
#define RNTI_MAX  65519 /* Source: TS 38.321 7.1 */

/* Where a row is written: at a node and in whose cell. */
static void say(struct nr *nr, const struct nr_ue *u, uint8_t node, uint8_t gnb, uint8_t other,
                enum cell_rrc_msg msg)
{
	out_record(&nr->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RRC,
	                                 .node = node,
	                                 .enb = gnb,
	                                 .peer = u->id,
	                                 .sn = other,
	                                 .value = (int32_t)msg });
}

static void at_source(struct nr *nr, const struct nr_ue *u, enum cell_rrc_msg msg)
{
	say(nr, u, CELL_NODE_ENB, u->rrc.source, u->rrc.target, msg);
}

static void at_target(struct nr *nr, const struct nr_ue *u, enum cell_rrc_msg msg)
{
	say(nr, u, CELL_NODE_ENB, u->rrc.target, u->rrc.source, msg);
}

static void schedule(struct nr *nr, struct nr_ue *u, enum rrc_step_kind kind, uint8_t gnb,
                     int64_t after_ns)
{
	timeline_add(&u->rrc.timeline, &nr->cell, kind, gnb, after_ns);
}

static int64_t signalling_ns(const struct nr *nr)
{
	return nr->cell.cfg.ho_signalling_us * NS_PER_US;
}

static bool is_conditional(const struct nr *nr)
{
	return nr->cell.cfg.ho_procedure == CELL_HO_CONDITIONAL;
}

static uint8_t bit(uint8_t gnb)
{
	return (uint8_t)(1u << gnb);
}

/* A C-RNTI that nobody has in any cell. */
static uint16_t new_rnti(struct nr *nr)
{
	bool taken;

	do {
		nr->next_rnti = nr->next_rnti < RNTI_MAX ? (uint16_t)(nr->next_rnti + 1) : 1;
		taken = false;
		for (uint8_t i = 0; i < nr->cell.cfg.n_ue; i++)
			taken |= nr->ue[i].rnti == nr->next_rnti;
	} while (taken);
	return nr->next_rnti;
}

/* --- preparation --- */

static void ask(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	u->rrc.source = u->cell;
	u->rrc.target = gnb;
	u->rrc.asked |= bit(gnb);
	at_source(nr, u, CELL_RRC_HANDOVER_REQUEST);
	schedule(nr, u, RRC_STEP_REQUEST, gnb, signalling_ns(nr));
}

static void requested(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	say(nr, u, CELL_NODE_ENB, gnb, u->cell, CELL_RRC_HANDOVER_REQUEST_ACK);
	schedule(nr, u, RRC_STEP_ACK, gnb, signalling_ns(nr));
}

/* From now on the UE may go there by itself, and looks at the condition. */
static void configure(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	say(nr, u, CELL_NODE_ENB, u->cell, gnb, CELL_RRC_CONDITIONAL_RECONFIGURATION);
	u->rrc.prepared |= bit(gnb);
	u->measured.of[gnb].trigger[MEASURE_CONDITION] =
		(struct measure_trigger){ .t_ns = CELL_NEVER };
}

/* --- execution --- */

/* From a command, or from a UE's decision, until it can send a preamble. It waits for an SSB of the
 * target, which is sent at multiples of its period. Source: TS 38.133 6.1.1.2.2, 6.1.4.2.2 */
static int64_t access_after_ns(const struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	int64_t begin_ns = nr->cell.event_ns - nr->cell.start_ns, ssb_ns;
	int64_t busy_ms = cfg->ho_processing_ms;
	int64_t period_ns = cfg->ho_ssb_period_ms * NR_NS_PER_MS;

	if (!is_conditional(nr))
		busy_ms += cfg->ho_rrc_processing_ms + cfg->ho_search_ms;
	ssb_ns = begin_ns + busy_ms * NR_NS_PER_MS;
	if (period_ns > 0)
		ssb_ns = (ssb_ns + period_ns - 1) / period_ns * period_ns;
	return ssb_ns + cfg->ho_margin_ms * NR_NS_PER_MS - begin_ns;
}

static void forward(struct nr *nr, struct nr_ue *u)
{
	u->rrc.source_knows = true;
	at_source(nr, u, CELL_RRC_SN_STATUS_TRANSFER);
	if (tunnel_forward(&nr->epc, u->id, u->rrc.source, u->rrc.target, &u->rrc.kept))
		timeline_repeat_marker(&u->rrc.timeline, &nr->cell, RRC_STEP_X2_MARKER,
		                       u->rrc.source);
}

/* Candidates that the UE does not go to are told so. */
static void cancel_others(struct nr *nr, struct nr_ue *u)
{
	for (uint8_t k = 0; k < nr->cell.cfg.n_enb; k++)
		if (u->rrc.asked & bit(k) && k != u->rrc.target)
			say(nr, u, CELL_NODE_ENB, u->rrc.source, k, CELL_RRC_HANDOVER_CANCEL);
	timeline_remove(&u->rrc.timeline, RRC_STEP_REQUEST);
	timeline_remove(&u->rrc.timeline, RRC_STEP_ACK);
	u->rrc.asked = u->rrc.prepared = 0;
}

/* The UE leaves its cell. */
static void leave(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	struct nr_rrc *rrc = &u->rrc;

	rrc->state = NR_RRC_EXECUTION;
	rrc->source = u->cell;
	rrc->target = gnb;
	rrc->confirmed = rrc->path_switched = rrc->source_knows = false;
	cancel_others(nr, u);
	say(nr, u, u->id, rrc->source, gnb, CELL_RRC_DETACH);
	measure_restart(&u->measured);
	nr_reestablish(nr, u, &rrc->kept);
	tunnel_expect(&nr->epc, u->id, gnb);
	if (!is_conditional(nr))
		forward(nr, u);
	schedule(nr, u, RRC_STEP_ACCESS, gnb, access_after_ns(nr));
}

static void acknowledged(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	if (is_conditional(nr)) {
		configure(nr, u, gnb);
		return;
	}
	at_source(nr, u, CELL_RRC_HANDOVER_COMMAND);
	leave(nr, u, gnb);
}

/* The condition holds. The UE is still served while it makes itself ready. TS 38.133 6.1.4.2.1 */
static void execute(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	u->rrc.state = NR_RRC_PREPARATION;
	say(nr, u, u->id, u->cell, gnb, CELL_RRC_CONDITION_MET);
	schedule(nr, u, RRC_STEP_LEAVE, gnb, nr->cell.cfg.ho_execution_ms * NR_NS_PER_MS);
}

void nr_rrc_take_channel(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++) {
		const struct nr_channel *there = &u->channel[u->cell][d];

		nr_air_set_channel(nr, &u->leg[d], there->cqi, there->sinr_cdb);
	}
}

static void access_target(struct nr *nr, struct nr_ue *u)
{
	u->rrc.state = NR_RRC_ACCESS;
	nr_serve(u, u->rrc.target);
	nr_rrc_take_channel(nr, u);
	u->rnti = new_rnti(nr);
	nr_access_begin(u, nr_slot_at(nr, nr->cell.event_ns), true);
}

/* --- completion --- */

static void synchronised(struct nr *nr, struct nr_ue *u)
{
	u->rrc.state = NR_RRC_COMPLETION;
	u->ra.answered = false;
	u->detached = false;
	nr->cell.serving[u->id - 1] = u->cell;
	nr->cell.stats.handovers++;
	say(nr, u, u->id, u->cell, u->rrc.source, CELL_RRC_SYNCHRONISED);
	tunnel_arrived(&nr->epc, u->id);
}

static void complete(struct nr *nr, struct nr_ue *u)
{
	if (!u->rrc.path_switched || !u->rrc.source_knows)
		return;
	at_target(nr, u, CELL_RRC_RELEASE_RESOURCE);
	u->rrc.state = NR_RRC_CONNECTED;
}

static void confirm(struct nr *nr, struct nr_ue *u)
{
	u->rrc.confirmed = true;
	at_target(nr, u, CELL_RRC_HANDOVER_CONFIRM);
	if (is_conditional(nr)) {
		at_target(nr, u, CELL_RRC_HANDOVER_SUCCESS);
		schedule(nr, u, RRC_STEP_SUCCESS, u->rrc.source, signalling_ns(nr));
	}
	say(nr, u, CELL_NODE_ENB, u->cell, u->cell, CELL_RRC_PATH_SWITCH_REQUEST);
	schedule(nr, u, RRC_STEP_PATH_SWITCH, u->cell, signalling_ns(nr));
}

/* At the AMF and the UPF. */
static void switch_path(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	uint8_t old = nr->epc.path[u->id - 1];

	say(nr, u, CELL_NODE_SGW, 0, gnb, CELL_RRC_PATH_SWITCHED);
	gateway_switch_path(&nr->epc, u->id, gnb);
	if (old != gnb)
		timeline_repeat_marker(&u->rrc.timeline, &nr->cell, RRC_STEP_S1_MARKER, old);
	say(nr, u, CELL_NODE_SGW, 0, gnb, CELL_RRC_PATH_SWITCH_REQUEST_ACK);
	schedule(nr, u, RRC_STEP_PATH_ACK, gnb, signalling_ns(nr));
}

/* --- when a handover begins --- */

/* Nothing of the last one is under way any more, in the control plane or in the tunnels. */
static bool settled(const struct nr *nr, const struct nr_ue *u)
{
	const struct timeline *t = &u->rrc.timeline;

	if (u->rrc.state != NR_RRC_CONNECTED || !tunnel_settled(&nr->epc, u->id))
		return false;
	for (uint8_t i = 0; i < t->n; i++)
		if (t->step[i].kind == RRC_STEP_S1_MARKER || t->step[i].kind == RRC_STEP_X2_MARKER)
			return false;
	return true;
}

/* A command can be carried out: of a conditional handover when its target is prepared. */
static bool can_begin(const struct nr *nr, const struct nr_ue *u, const struct cell_cmd *cmd)
{
	return settled(nr, u) && (cmd->type != CELL_CMD_HANDOVER || !is_conditional(nr) ||
	                          cmd->enb == u->cell || u->rrc.prepared & bit(cmd->enb));
}

static void wait_for_the_end(struct nr_ue *u, enum cell_cmd_type type, uint8_t gnb)
{
	u->rrc.waits = true;
	u->rrc.waiting = (struct cell_cmd){ .type = type, .ue = u->id, .enb = gnb };
}

void nr_rrc_prepare(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	if (!settled(nr, u))
		wait_for_the_end(u, CELL_CMD_PREDICT, gnb);
	else if (gnb != u->cell && !(u->rrc.asked & bit(gnb)))
		ask(nr, u, gnb);
}

static void begin(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	if (u->cell == gnb)
		return;
	if (is_conditional(nr)) {
		execute(nr, u, gnb);
		return;
	}
	say(nr, u, CELL_NODE_ENB, u->cell, gnb, CELL_RRC_MEASUREMENT_REPORT);
	say(nr, u, CELL_NODE_ENB, u->cell, gnb, CELL_RRC_HANDOVER_DECISION);
	u->rrc.state = NR_RRC_PREPARATION;
	ask(nr, u, gnb);
}

void nr_rrc_handover(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	struct cell_cmd cmd = { .type = CELL_CMD_HANDOVER, .enb = gnb };

	if (can_begin(nr, u, &cmd)) {
		begin(nr, u, gnb);
		return;
	}
	if (is_conditional(nr))
		nr_rrc_prepare(nr, u, gnb);
	wait_for_the_end(u, CELL_CMD_HANDOVER, gnb);
}

/* One report of a gNB at a time is under way. */
static void report(struct nr *nr, struct nr_ue *u)
{
	const struct timeline *t = &u->rrc.timeline;
	uint8_t gnb = measure_due(&nr->cell, &u->measured, MEASURE_REPORT);

	for (uint8_t i = 0; i < t->n; i++)
		if (t->step[i].kind == RRC_STEP_REPORT && t->step[i].enb == gnb)
			return;
	schedule(nr, u, RRC_STEP_REPORT, gnb,
	         (nr->cell.cfg.nr_k2_min + 1) * nr->frame.slot_ns + nr->frame.ul_decode_ns);
}

/* A report is heard; none is from between two cells. */
static void reported(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	if (u->detached)
		return;
	if (!is_conditional(nr)) {
		nr_rrc_handover(nr, u, gnb);
		return;
	}
	say(nr, u, CELL_NODE_ENB, u->cell, gnb, CELL_RRC_MEASUREMENT_REPORT);
	nr_rrc_prepare(nr, u, gnb);
}

/* The UE sees that a condition holds. It matters for what is prepared. */
static void condition(struct nr *nr, struct nr_ue *u)
{
	uint8_t gnb = measure_due(&nr->cell, &u->measured, MEASURE_CONDITION);

	if (is_conditional(nr) && u->rrc.prepared & bit(gnb) && settled(nr, u))
		execute(nr, u, gnb);
}

/* --- steps --- */

static void carry_out(struct nr *nr, struct nr_ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_REQUEST:
		requested(nr, u, step->enb);
		break;
	case RRC_STEP_ACK:
		acknowledged(nr, u, step->enb);
		break;
	case RRC_STEP_LEAVE:
		leave(nr, u, step->enb);
		break;
	case RRC_STEP_ACCESS:
		access_target(nr, u);
		break;
	case RRC_STEP_SUCCESS:
		forward(nr, u);
		complete(nr, u);
		break;
	case RRC_STEP_PATH_SWITCH:
		switch_path(nr, u, step->enb);
		break;
	case RRC_STEP_PATH_ACK:
		u->rrc.path_switched = true;
		complete(nr, u);
		break;
	case RRC_STEP_S1_MARKER:
	case RRC_STEP_X2_MARKER:
		timeline_send_marker(&u->rrc.timeline, &nr->epc, u->id, step->kind, step->enb);
		break;
	case RRC_STEP_REPORT:
		reported(nr, u, step->enb);
		break;
	default:
		break; /* of LTE */
	}
}

/* What random access has brought about. */
static bool has_answer(const struct nr_ue *u)
{
	return u->rrc.state == NR_RRC_ACCESS && u->ra.answered;
}

static bool has_confirm(const struct nr_ue *u)
{
	return u->rrc.state == NR_RRC_COMPLETION && !u->rrc.confirmed && u->ra.decoded;
}

int64_t nr_rrc_next_ns(const struct nr *nr, const struct nr_ue *u)
{
	int64_t first_ns = timeline_next_ns(&u->rrc.timeline);
	int64_t others_ns[] = { tunnel_next_ns(&nr->epc, u->id),
		                measure_next_ns(&nr->cell, &u->measured, MEASURE_REPORT),
		                measure_next_ns(&nr->cell, &u->measured, MEASURE_CONDITION) };

	if (has_answer(u) || has_confirm(u) || (u->rrc.waits && can_begin(nr, u, &u->rrc.waiting)))
		return nr->cell.event_ns;
	for (size_t i = 0; i < sizeof(others_ns) / sizeof(*others_ns); i++)
		first_ns = others_ns[i] < first_ns ? others_ns[i] : first_ns;
	return first_ns;
}

void nr_rrc_process(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	int64_t now_ns = nr->cell.event_ns;

	nr_touch(nr, u->id);
	if (has_answer(u)) {
		synchronised(nr, u);
	} else if (has_confirm(u)) {
		confirm(nr, u);
	} else if (rrc->waits && can_begin(nr, u, &rrc->waiting)) {
		rrc->waits = false;
		if (rrc->waiting.type == CELL_CMD_PREDICT)
			nr_rrc_prepare(nr, u, rrc->waiting.enb);
		else
			begin(nr, u, rrc->waiting.enb);
	} else if (timeline_next_ns(&rrc->timeline) <= now_ns) {
		struct rrc_step step = timeline_take(&rrc->timeline);

		carry_out(nr, u, &step);
	} else if (measure_next_ns(&nr->cell, &u->measured, MEASURE_REPORT) <= now_ns) {
		report(nr, u);
	} else if (measure_next_ns(&nr->cell, &u->measured, MEASURE_CONDITION) <= now_ns) {
		condition(nr, u);
	} else {
		tunnel_expire(&nr->epc, u->id);
	}
}

/* --- what tunnels need of the radio --- */

static struct epc_bearer bearer_of(struct cell *c, uint8_t ue, enum cell_dir dir, struct pkt *p)
{
	const struct nr_ue *u = &nr_of(c)->ue[ue - 1];
	const struct drb *b = lch_classify(&u->leg[dir], p);

	return (struct epc_bearer){
		.at = &b->at,
		.queue_pkts = b->cfg.rlc_queue_pkts,
		.queued = u->detached ? u->rrc.kept.n : b->rlc.queue->sdus.n,
		.sn_bits = b->rlc.mode->acknowledged ? b->cfg.pdcp_sn_bits : 0,
		.qfi = (uint8_t)(drb_of_lcid(b->at.lcid) + 1),
	};
}

/* To a UE that left, and the source does not know of it, nothing is sent. */
static void send(struct cell *c, uint8_t ue, struct pkt *p)
{
	struct nr *nr = nr_of(c);
	struct nr_ue *u = &nr->ue[ue - 1];

	if (u->detached)
		pkt_enqueue(&u->rrc.kept, p);
	else
		drb_send(nr, lch_classify(&u->leg[CELL_DIR_DL], p), p);
}

static void touch(struct cell *c, uint8_t ue)
{
	nr_touch(nr_of(c), ue);
}

void nr_rrc_init(struct nr *nr)
{
	static const struct epc_radio radio = {
		.has_flows = true, .bearer = bearer_of, .send = send, .touch = touch
	};

	epc_init(&nr->epc, &nr->cell, &radio);
	gateway_init(&nr->epc);
}
