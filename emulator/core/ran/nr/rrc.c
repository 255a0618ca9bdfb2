/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rrc.c - when a handover of a UE starts, and what is due of it; see rrc.h. Its steps are
 * handover.c's.
 *
 * A handover follows a command, or a UE's report that a neighbour is better, which is heard a grant
 * and a transmission after it was due. The next one starts when nothing is under way any more.
 * Source: TS 38.300 9.2.3.2, 9.2.3.4; TS 38.331 5.3.5.13, 5.5.4
 */
#include "ran/nr/rrc.h"

#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/nr/daps.h"
#include "ran/nr/drb_tx.h"
#include "ran/nr/failure.h"
#include "ran/nr/handover.h"
#include "ran/nr/lch.h"

/* --- when a handover starts --- */

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
static bool can_start(const struct nr *nr, const struct nr_ue *u, const struct cell_cmd *cmd)
{
	return settled(nr, u) &&
	       (cmd->type != CELL_CMD_HANDOVER || !handover_is_conditional(nr) ||
	        cmd->enb == u->rrc.link->cell || u->rrc.prepared & handover_bit(cmd->enb));
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
	else if (gnb != u->rrc.link->cell && !(u->rrc.asked & handover_bit(gnb)))
		handover_ask(nr, u, gnb);
}

static void start(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	if (u->rrc.link->cell == gnb)
		return;
	if (handover_is_conditional(nr)) {
		handover_execute(nr, u, gnb);
		return;
	}
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, gnb, CELL_RRC_MEASUREMENT_REPORT);
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, gnb, CELL_RRC_HANDOVER_DECISION);
	u->rrc.state = NR_RRC_PREPARATION;
	handover_ask(nr, u, gnb);
}

void nr_rrc_handover(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	struct cell_cmd cmd = { .type = CELL_CMD_HANDOVER, .enb = gnb };

	if (can_start(nr, u, &cmd)) {
		start(nr, u, gnb);
		return;
	}
	if (handover_is_conditional(nr))
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
	timeline_add(&u->rrc.timeline, &nr->cell, RRC_STEP_REPORT, gnb,
	             (nr->cell.cfg.nr.mac.k2_min + 1) * nr->frame.slot_ns + nr->frame.ul_decode_ns);
}

/* A report comes, or is lost; none is from between two cells. */
static void reported(struct nr *nr, struct nr_ue *u, const struct rrc_step *step)
{
	uint8_t gnb = step->enb;

	if (u->rrc.link->detached || handover_lost(nr, u, CELL_NODE_ENB, step))
		return;
	if (!handover_is_conditional(nr)) {
		nr_rrc_handover(nr, u, gnb);
		return;
	}
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, gnb, CELL_RRC_MEASUREMENT_REPORT);
	nr_rrc_prepare(nr, u, gnb);
}

/* The UE sees that a condition holds. It matters for what is prepared. */
static void condition(struct nr *nr, struct nr_ue *u)
{
	uint8_t gnb = measure_due(&nr->cell, &u->measured, MEASURE_CONDITION);

	if (handover_is_conditional(nr) && u->rrc.prepared & handover_bit(gnb) && settled(nr, u))
		handover_execute(nr, u, gnb);
}

/* What random access has brought about. */
static bool has_answer(const struct nr_ue *u)
{
	return u->rrc.state == NR_RRC_ACCESS && u->rrc.link->ra.answered;
}

static bool has_confirm(const struct nr_ue *u)
{
	return u->rrc.state == NR_RRC_COMPLETION && !u->rrc.confirmed && u->rrc.link->ra.decoded;
}

int64_t nr_rrc_next_ns(const struct nr *nr, const struct nr_ue *u)
{
	int64_t first_ns = timeline_next_ns(&u->rrc.timeline);
	int64_t others_ns[] = { tunnel_next_ns(&nr->epc, u->id),
		                measure_next_ns(&nr->cell, &u->measured, MEASURE_REPORT),
		                measure_next_ns(&nr->cell, &u->measured, MEASURE_CONDITION),
		                link_next_ns(&u->rrc.recovery.radio) };

	if (has_answer(u) || has_confirm(u) || nr_failure_is_due(u) ||
	    (u->rrc.waits && can_start(nr, u, &u->rrc.waiting)))
		return nr->cell.event_ns;
	for (size_t i = 0; i < sizeof(others_ns) / sizeof(*others_ns); i++)
		first_ns = others_ns[i] < first_ns ? others_ns[i] : first_ns;
	return first_ns;
}

static void touch_links(struct nr *nr, const struct nr_ue *u)
{
	nr_touch(nr, u->id);
	nr_touch(nr, u->rrc.link->sch[CELL_DIR_UL].ue);
	if (u->rrc.source_link)
		nr_touch(nr, u->rrc.source_link->sch[CELL_DIR_UL].ue);
}

void nr_rrc_process(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	int64_t now_ns = nr->cell.event_ns;

	touch_links(nr, u);
	if (has_answer(u)) {
		handover_synchronised(nr, u);
	} else if (has_confirm(u)) {
		handover_confirm(nr, u);
	} else if (nr_failure_is_due(u)) {
		nr_failure_process(nr, u);
	} else if (link_next_ns(&rrc->recovery.radio) <= now_ns) {
		link_process(&nr->cell, &rrc->recovery.radio, handover_quality(u, rrc->link->cell));
	} else if (rrc->waits && can_start(nr, u, &rrc->waiting)) {
		rrc->waits = false;
		if (rrc->waiting.type == CELL_CMD_PREDICT)
			nr_rrc_prepare(nr, u, rrc->waiting.enb);
		else
			start(nr, u, rrc->waiting.enb);
	} else if (timeline_next_ns(&rrc->timeline) <= now_ns) {
		struct rrc_step step = timeline_take(&rrc->timeline);

		if (step.kind == RRC_STEP_REPORT)
			reported(nr, u, &step);
		else if (!nr_failure_carry_out(nr, u, &step))
			handover_carry_out(nr, u, &step);
	} else if (measure_next_ns(&nr->cell, &u->measured, MEASURE_REPORT) <= now_ns) {
		report(nr, u);
	} else if (measure_next_ns(&nr->cell, &u->measured, MEASURE_CONDITION) <= now_ns) {
		condition(nr, u);
	} else {
		tunnel_expire(&nr->epc, u->id);
	}
}

/* --- what tunnels need of the radio --- */

static struct epc_bearer bearer_of(struct cell *c, uint8_t ue, uint8_t gnb, enum cell_dir dir,
                                   struct pkt *p)
{
	const struct nr_ue *u = &nr_of(c)->ue[ue - 1], *link = nr_link_at(u, gnb);
	const struct drb *b = nr_lch_classify(&link->sch[dir], p);
	bool goes_on = b->rlc.mode->acknowledged || nr_has_daps(&c->cfg);

	return (struct epc_bearer){
		.at = &b->at,
		.queue_pkts = b->cfg.rlc.queue_pkts,
		.queued = link->detached ? u->rrc.kept.n : b->rlc.queue->sdus.n,
		.sn_bits = goes_on ? b->cfg.pdcp.sn_bits : 0,
		.qfi = drb_qfi(b),
	};
}

/* To a UE that left, and the source does not know of it, nothing is sent. */
static void send(struct cell *c, uint8_t ue, uint8_t gnb, struct pkt *p)
{
	struct nr *nr = nr_of(c);
	struct nr_ue *u = &nr->ue[ue - 1], *link = nr_link_at(u, gnb);

	if (link == u->rrc.source_link)
		daps_send(nr, u, p);
	else if (link->detached)
		pkt_enqueue(&u->rrc.kept, p);
	else
		drb_send(nr, nr_lch_classify(&link->sch[CELL_DIR_DL], p), p);
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
	for (uint8_t i = 0; i < nr->cell.cfg.n_ue; i++) {
		link_watch(&nr->cell, &nr->ue[i].rrc.recovery.radio);
		if (link_on(&nr->cell))
			nr_touch(nr, nr->ue[i].id);
	}
}
