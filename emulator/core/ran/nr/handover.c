/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handover.c - the steps of a UE's handover between two gNBs: messages, and what they do when they
 * arrive. See handover.h.
 *
 * Messages between gNBs and to the AMF take handover.signalling_us. Those over the radio have no
 * bytes: a command takes effect when it is sent, and a confirm is what message 3 of random access
 * carries. A row is written where and when a message is sent, those of a UE where it is heard.
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
 * DAPS: as standard, but that the source goes on to serve the UE until the target tells of the
 * success; see daps.c. The target has the UE release the source when the source has told it how to
 * go on.
 * Source: TS 38.300 9.2.3.2, 9.2.3.4; TS 38.133 6.1.1.2, 6.1.3, 6.1.4; TS 38.331 5.3.5.5, 5.3.5.13
 */
#include "ran/nr/handover.h"

#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/nr/access.h"
#include "ran/nr/air.h"
#include "ran/nr/daps.h"
#include "ran/nr/reestablish.h"

#define NS_PER_US INT64_C(1000)
#define RNTI_MAX  65519 /* Source: TS 38.321 7.1 */

/* Where a row is written: at a node and in whose cell. */
void handover_say(struct nr *nr, const struct nr_ue *u, uint8_t node, uint8_t gnb, uint8_t other,
                  enum cell_rrc_msg msg)
{
	timeline_record(&nr->cell, u->id, node, gnb, other, msg);
}

static void at_source(struct nr *nr, const struct nr_ue *u, enum cell_rrc_msg msg)
{
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.source, u->rrc.target, msg);
}

static void at_target(struct nr *nr, const struct nr_ue *u, enum cell_rrc_msg msg)
{
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.target, u->rrc.source, msg);
}

static void schedule(struct nr *nr, struct nr_ue *u, enum rrc_step_kind kind, uint8_t gnb,
                     int64_t after_ns)
{
	timeline_add(&u->rrc.timeline, &nr->cell, kind, gnb, after_ns);
}

static int64_t signalling_ns(const struct nr *nr)
{
	return nr->cell.cfg.handover.signalling_us * NS_PER_US;
}

/* A C-RNTI that nobody has in any cell. */
static uint16_t new_rnti(struct nr *nr)
{
	bool taken;

	do {
		nr->next_rnti = nr->next_rnti < RNTI_MAX ? (uint16_t)(nr->next_rnti + 1) : 1;
		taken = false;
		for (uint8_t i = 0; i < nr->n_ue; i++)
			taken |= nr->ue[i].rnti == nr->next_rnti;
	} while (taken);
	return nr->next_rnti;
}

/* --- preparation --- */

void handover_ask(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	u->rrc.source = u->rrc.link->cell;
	u->rrc.target = gnb;
	u->rrc.asked |= handover_bit(gnb);
	at_source(nr, u, CELL_RRC_HANDOVER_REQUEST);
	schedule(nr, u, RRC_STEP_REQUEST, gnb,
	         signalling_ns(nr) + times_admission_ns(&nr->cell, &u->rrc.times));
}

static void requested(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	u->rrc.recovery.admitted |= recovery_bit(gnb);
	handover_say(nr, u, CELL_NODE_ENB, gnb, u->rrc.link->cell, CELL_RRC_HANDOVER_REQUEST_ACK);
	schedule(nr, u, RRC_STEP_ACK, gnb, signalling_ns(nr));
}

/* From now on the UE may go there by itself, and looks at the condition. */
static void configure(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, gnb,
	             CELL_RRC_CONDITIONAL_RECONFIGURATION);
	u->rrc.prepared |= handover_bit(gnb);
	u->measured.of[gnb].trigger[MEASURE_CONDITION] =
		(struct measure_trigger){ .t_ns = CELL_NEVER };
}

/* --- execution --- */

/* From a command, or from a UE's decision, until it can send a preamble. It waits for an SSB of the
 * target, which is sent at multiples of its period. Source: TS 38.133 6.1.1.2.2, 6.1.4.2.2 */
static int64_t access_after_ns(const struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	int64_t start_ns = nr->cell.event_ns - nr->cell.start_ns, ssb_ns;
	int64_t busy_ms = cfg->handover.processing_ms;
	int64_t period_ns = cfg->handover.ssb_period_ms * NR_NS_PER_MS;

	if (!handover_is_conditional(nr))
		busy_ms += cfg->handover.rrc_processing_ms + cfg->handover.search_ms;
	ssb_ns = start_ns + busy_ms * NR_NS_PER_MS;
	if (period_ns > 0)
		ssb_ns = (ssb_ns + period_ns - 1) / period_ns * period_ns;
	return ssb_ns + cfg->handover.margin_ms * NR_NS_PER_MS - start_ns;
}

void handover_forward(struct nr *nr, struct nr_ue *u)
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
		if (u->rrc.asked & handover_bit(k) && k != u->rrc.target)
			handover_say(nr, u, CELL_NODE_ENB, u->rrc.source, k,
			             CELL_RRC_HANDOVER_CANCEL);
	timeline_remove(&u->rrc.timeline, RRC_STEP_REQUEST);
	timeline_remove(&u->rrc.timeline, RRC_STEP_ACK);
	u->rrc.asked = u->rrc.prepared = 0;
}

/* The UE leaves its cell, or with DAPS starts to. */
static void leave(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	struct nr_rrc *rrc = &u->rrc;

	rrc->state = NR_RRC_EXECUTION;
	rrc->source = u->rrc.link->cell;
	rrc->target = gnb;
	rrc->confirmed = rrc->path_switched = rrc->source_knows = false;
	cancel_others(nr, u);
	measure_restart(&u->measured);
	if (nr_has_daps(&nr->cell.cfg)) {
		at_source(nr, u, CELL_RRC_EARLY_STATUS_TRANSFER);
		daps_start(nr, u);
	} else {
		handover_say(nr, u, u->id, rrc->source, gnb, CELL_RRC_DETACH);
		nr_reestablish(nr, u, &rrc->kept);
		tunnel_expect(&nr->epc, u->id, gnb);
		if (!handover_is_conditional(nr))
			handover_forward(nr, u);
	}
	link_leave(&rrc->recovery.radio);
	if (link_on(&nr->cell))
		schedule(nr, u, RRC_STEP_T304, gnb,
		         nr->cell.cfg.handover.link_failure.t304_ms * NR_NS_PER_MS);
	schedule(nr, u, RRC_STEP_ACCESS, gnb,
	         times_detach_ns(&nr->cell, &rrc->times, access_after_ns(nr)));
}

/* Nobody goes to @gnb: the UE did not hear of it. */
static void give_up(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, gnb, CELL_RRC_HANDOVER_CANCEL);
	u->rrc.asked &= (uint8_t)~handover_bit(gnb);
	u->rrc.recovery.admitted &= (uint8_t)~recovery_bit(gnb);
	if (!handover_is_conditional(nr))
		u->rrc.state = NR_RRC_CONNECTED;
}

struct link_quality handover_quality(const struct nr_ue *u, uint8_t gnb)
{
	const struct nr_channel *c = &u->channel[gnb][CELL_DIR_DL];

	return (struct link_quality){ .sinr_cdb = c->sinr_cdb, .cqi = c->cqi };
}

bool handover_lost(struct nr *nr, struct nr_ue *u, uint8_t node, const struct rrc_step *step)
{
	const struct cell_link_cfg *cfg = &nr->cell.cfg.handover.link_failure;
	const struct nr_ue *link = u->rrc.link;

	if (link_hears(&nr->cell, handover_quality(u, link->cell)))
		return false;
	handover_say(nr, u, node, link->cell, step->enb, CELL_RRC_MESSAGE_LOST);
	if (step->tries < cfg->rrc_retx)
		timeline_again(&u->rrc.timeline, &nr->cell, *step, cfg->rrc_retx_ms * NR_NS_PER_MS);
	else if (node == CELL_NODE_ENB)
		u->rrc.recovery.radio.failed = LINK_RLC;
	else
		give_up(nr, u, step->enb);
	return true;
}

static void acknowledged(struct nr *nr, struct nr_ue *u, const struct rrc_step *step)
{
	if (handover_lost(nr, u, u->id, step))
		return;
	if (handover_is_conditional(nr)) {
		configure(nr, u, step->enb);
		return;
	}
	at_source(nr, u, CELL_RRC_HANDOVER_COMMAND);
	leave(nr, u, step->enb);
}

/* The condition holds. The UE is still served while it makes itself ready. TS 38.133 6.1.4.2.1 */
void handover_execute(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	u->rrc.state = NR_RRC_PREPARATION;
	handover_say(nr, u, u->id, u->rrc.link->cell, gnb, CELL_RRC_CONDITION_MET);
	schedule(nr, u, RRC_STEP_LEAVE, gnb, nr->cell.cfg.handover.execution_ms * NR_NS_PER_MS);
}

static void take_channel(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++) {
		const struct nr_channel *there = &u->channel[u->cell][d];

		nr_air_set_channel(nr, &u->sch[d], there->cqi, there->sinr_cdb);
	}
}

void handover_enter(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	nr_serve(u, gnb);
	take_channel(nr, u);
	u->rnti = new_rnti(nr);
}

static void access_target(struct nr *nr, struct nr_ue *u)
{
	struct nr_ue *link = u->rrc.link;

	u->rrc.state = NR_RRC_ACCESS;
	handover_enter(nr, link, u->rrc.target);
	nr_access_start(link, nr_slot_at(nr, nr->cell.event_ns), true);
}

/* --- completion --- */

void handover_synchronised(struct nr *nr, struct nr_ue *u)
{
	u->rrc.state = NR_RRC_COMPLETION;
	u->rrc.link->ra.answered = false;
	u->rrc.link->detached = false;
	nr->cell.serving[u->id - 1] = u->rrc.link->cell;
	timeline_remove(&u->rrc.timeline, RRC_STEP_T304);
	link_watch(&nr->cell, &u->rrc.recovery.radio);
	nr->cell.stats.handovers++;
	handover_say(nr, u, u->id, u->rrc.link->cell, u->rrc.source, CELL_RRC_SYNCHRONISED);
	if (u->rrc.source_link)
		daps_switch_uplink(nr, u);
	tunnel_arrived(&nr->epc, u->id);
}

static void complete(struct nr *nr, struct nr_ue *u)
{
	if (!u->rrc.path_switched || !u->rrc.source_knows || u->rrc.source_link)
		return;
	at_target(nr, u, CELL_RRC_RELEASE_RESOURCE);
	u->rrc.recovery.admitted = 0;
	u->rrc.state = NR_RRC_CONNECTED;
}

void handover_ask_for_path(struct nr *nr, struct nr_ue *u)
{
	handover_say(nr, u, CELL_NODE_ENB, u->rrc.link->cell, u->rrc.link->cell,
	             CELL_RRC_PATH_SWITCH_REQUEST);
	schedule(nr, u, RRC_STEP_PATH_SWITCH, u->rrc.link->cell, signalling_ns(nr));
}

void handover_confirm(struct nr *nr, struct nr_ue *u)
{
	u->rrc.confirmed = true;
	at_target(nr, u, CELL_RRC_HANDOVER_CONFIRM);
	if (!u->rrc.source_knows) {
		at_target(nr, u, CELL_RRC_HANDOVER_SUCCESS);
		schedule(nr, u, RRC_STEP_SUCCESS, u->rrc.source, signalling_ns(nr));
	}
	handover_ask_for_path(nr, u);
}

/* At the AMF and the UPF. */
static void switch_path(struct nr *nr, struct nr_ue *u, uint8_t gnb)
{
	uint8_t old = nr->epc.path[u->id - 1];

	handover_say(nr, u, CELL_NODE_SGW, 0, gnb, CELL_RRC_PATH_SWITCHED);
	gateway_switch_path(&nr->epc, u->id, gnb);
	if (old != gnb)
		timeline_repeat_marker(&u->rrc.timeline, &nr->cell, RRC_STEP_S1_MARKER, old);
	handover_say(nr, u, CELL_NODE_SGW, 0, gnb, CELL_RRC_PATH_SWITCH_REQUEST_ACK);
	schedule(nr, u, RRC_STEP_PATH_ACK, gnb, signalling_ns(nr));
}

/* --- steps --- */

/* At the source. */
static void succeeded(struct nr *nr, struct nr_ue *u)
{
	if (u->rrc.source_link) {
		daps_stop_source(nr, u);
		schedule(nr, u, RRC_STEP_STATUS, u->rrc.target, signalling_ns(nr));
	}
	handover_forward(nr, u);
	complete(nr, u);
}

/* The target, which knows now with which COUNTs to go on, has the UE leave the source. */
static void release_source(struct nr *nr, struct nr_ue *u)
{
	at_target(nr, u, CELL_RRC_DAPS_SOURCE_RELEASE);
	daps_release(nr, u);
	complete(nr, u);
}

void handover_carry_out(struct nr *nr, struct nr_ue *u, const struct rrc_step *step)
{
	switch (step->kind) {
	case RRC_STEP_REQUEST:
		requested(nr, u, step->enb);
		break;
	case RRC_STEP_ACK:
		acknowledged(nr, u, step);
		break;
	case RRC_STEP_LEAVE:
		leave(nr, u, step->enb);
		break;
	case RRC_STEP_ACCESS:
		access_target(nr, u);
		break;
	case RRC_STEP_SUCCESS:
		succeeded(nr, u);
		break;
	case RRC_STEP_STATUS:
		release_source(nr, u);
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
	default:
		break; /* of LTE, a report, or a failure */
	}
}
