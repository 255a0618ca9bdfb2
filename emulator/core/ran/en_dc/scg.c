/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scg.c - the SCG of a UE is added, released, fails; see scg.h.
 *
 * Event B1 says that the gNB is heard well enough: the eNB asks it by X2, and sends the UE there,
 * which synchronises by random access without contention until T307. Event A2 says that it is
 * heard too badly: the eNB has it release the UE. A link that fails by T310, by RLC or at T307
 * stops at once in the UE, which tells the eNB; then it is released likewise. What the SCG had of
 * the UE goes by the MCG, and the next event B1 adds it again.
 *
 * Messages over the radio of LTE have no bytes and are not lost.
 * Source: TS 37.340 7.7, 10.2.1, 10.3.1; TS 36.331 5.3.5.10, 5.5.4.7a, 5.6.13a; TS 38.331 5.3.10.3,
 * 5.5.4.3, 5.7.3
 */
#include "ran/en_dc/scg.h"

#include "base/digest.h"
#include "ran/en_dc/split.h"
#include "ran/handover/timeline.h"
#include "ran/nr/access.h"

#define ENB 0

static const struct cell_scg_cfg *cfg_of(const struct en_dc *n)
{
	return &n->cell.cfg.en_dc.scg;
}

static void at_enb(struct en_dc *n, const struct en_dc_ue *u, enum cell_rrc_msg msg)
{
	timeline_record(&n->cell, u->id, CELL_NODE_ENB, ENB, CELL_EN_DC_GNB, msg);
}

static void at_gnb(struct en_dc *n, const struct en_dc_ue *u, enum cell_rrc_msg msg)
{
	timeline_record(&n->cell, u->id, CELL_NODE_ENB, CELL_EN_DC_GNB, ENB, msg);
}

static void at_ue(struct en_dc *n, const struct en_dc_ue *u, enum cell_rrc_msg msg)
{
	timeline_record(&n->cell, u->id, u->id, CELL_EN_DC_GNB, ENB, msg);
}

static void go_to(struct en_dc *n, struct en_dc_ue *u, enum scg_state state, int64_t after_ns)
{
	u->scg.state = state;
	u->scg.step_ns = after_ns == CELL_NEVER ? CELL_NEVER : n->cell.event_ns + after_ns;
	en_dc_touch(n, u->id);
}

static void restart_events(struct en_dc_ue *u)
{
	u->scg.b1 = u->scg.a2 = (struct measure_trigger){ .t_ns = CELL_NEVER };
}

static void suspend(struct en_dc *n, const struct en_dc_ue *u, bool suspended)
{
	for (int d = 0; d < 2; d++)
		en_dc_scg(n, u, (enum cell_dir)d)->suspended = suspended;
	nr_touch(n->nr, u->id);
}

void scg_init(struct en_dc *n, struct en_dc_ue *u)
{
	bool comes_later = cfg_of(n)->on;

	u->scg = (struct en_dc_scg){
		.state = comes_later ? SCG_NONE : SCG_ACTIVE,
		.step_ns = CELL_NEVER,
		.t307_ns = CELL_NEVER,
		.quality = { .sinr_cdb = CELL_SINR_UNKNOWN,
		             .cqi = en_dc_link(n, u)->sch[CELL_DIR_DL].cqi },
	};
	restart_events(u);
	link_leave(&u->scg.radio);
	en_dc_link(n, u)->detached = comes_later;
	if (!comes_later)
		link_watch(&n->cell, &u->scg.radio);
}

/* --- it is added --- */

static void ask(struct en_dc *n, struct en_dc_ue *u)
{
	at_enb(n, u, CELL_RRC_SGNB_ADDITION_REQUEST);
	go_to(n, u, SCG_PREPARATION, en_dc_x2_ns(n));
}

static void command(struct en_dc *n, struct en_dc_ue *u)
{
	at_enb(n, u, CELL_RRC_SCG_CONFIGURATION);
	u->scg.t307_ns = n->cell.event_ns + cfg_of(n)->t307_ms * EN_DC_NS_PER_MS;
	go_to(n, u, SCG_EXECUTION, cfg_of(n)->access_ms * EN_DC_NS_PER_MS);
}

static void access(struct en_dc *n, struct en_dc_ue *u)
{
	suspend(n, u, false);
	nr_access_start(en_dc_link(n, u), nr_slot_at(n->nr, n->cell.event_ns), true);
	go_to(n, u, SCG_ACCESS, CELL_NEVER);
}

static void synchronised(struct en_dc *n, struct en_dc_ue *u)
{
	struct nr_ue *link = en_dc_link(n, u);

	link->ra.answered = false;
	link->detached = false;
	nr_touch(n->nr, u->id);
	u->scg.t307_ns = CELL_NEVER;
	restart_events(u);
	link_watch(&n->cell, &u->scg.radio);
	at_ue(n, u, CELL_RRC_SYNCHRONISED);
	go_to(n, u, SCG_ACTIVE, CELL_NEVER);
	split_feed(n, u);
}

/* --- it ends --- */

static void ask_for_release(struct en_dc *n, struct en_dc_ue *u)
{
	at_enb(n, u, CELL_RRC_SGNB_RELEASE_REQUEST);
	go_to(n, u, SCG_RELEASE, en_dc_x2_ns(n));
}

/* The UE looks after nothing of it any more. */
static void leave(struct en_dc *n, struct en_dc_ue *u)
{
	nr_access_end(n->nr, en_dc_link(n, u));
	link_leave(&u->scg.radio);
	u->scg.t307_ns = CELL_NEVER;
	u->scg.failed = LINK_OK;
}

static void release(struct en_dc *n, struct en_dc_ue *u)
{
	leave(n, u);
	restart_events(u);
	go_to(n, u, SCG_NONE, CELL_NEVER);
	split_recover(n, u);
	suspend(n, u, false);
	at_ue(n, u, CELL_RRC_SCG_RELEASE);
	split_feed(n, u);
	if (!cfg_of(n)->on) /* nothing is measured: it is tried again */
		ask(n, u);
}

static void fail(struct en_dc *n, struct en_dc_ue *u)
{
	out_record(&n->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RRC,
	                                 .node = u->id,
	                                 .enb = CELL_EN_DC_GNB,
	                                 .value = CELL_RRC_SCG_FAILURE_INFORMATION,
	                                 .aux = (uint8_t)u->scg.failed });
	n->cell.stats.radio_link_failures += u->scg.failed != LINK_RLC; /* which RLC has counted */
	leave(n, u);
	suspend(n, u, true);
	ask_for_release(n, u);
}

void scg_failed(struct cell *part, uint8_t ue)
{
	struct en_dc *n = en_dc_of(part->home);

	n->ue[ue - 1].scg.failed = LINK_RLC;
	en_dc_touch(n, ue);
}

/* --- what the UE hears --- */

void scg_measured(struct en_dc *n, struct en_dc_ue *u, int32_t rsrp_cdbm)
{
	const struct cell_scg_cfg *cfg = cfg_of(n);
	struct en_dc_scg *scg = &u->scg;

	if (!cfg->on)
		return;
	measure_filter(&scg->measured, cfg->filter_coefficient, rsrp_cdbm);
	if (scg->state == SCG_NONE)
		measure_by(&n->cell, &scg->b1, measure_beyond(&scg->measured, cfg->b1_threshold),
		           cfg->hysteresis_cdb, cfg->time_to_trigger_ms);
	else if (scg->state == SCG_ACTIVE)
		measure_by(&n->cell, &scg->a2, -measure_beyond(&scg->measured, cfg->a2_threshold),
		           cfg->hysteresis_cdb, cfg->time_to_trigger_ms);
	en_dc_touch(n, u->id);
}

void scg_channel(struct en_dc *n, struct en_dc_ue *u, struct link_quality q)
{
	u->scg.quality = q;
	link_changed(&n->cell, &u->scg.radio);
	en_dc_touch(n, u->id);
}

/* --- what is due --- */

static bool has_failed(const struct en_dc_scg *scg)
{
	return scg->failed != LINK_OK && scg->state != SCG_RELEASE && scg->state != SCG_NONE;
}

static bool is_answered(const struct en_dc *n, const struct en_dc_ue *u)
{
	return u->scg.state == SCG_ACCESS && en_dc_link(n, u)->ra.answered;
}

int64_t scg_next_ns(const struct en_dc *n, const struct en_dc_ue *u)
{
	const struct en_dc_scg *scg = &u->scg;
	int64_t t_ns = en_dc_earlier(scg->step_ns, scg->t307_ns);

	if (has_failed(scg) || is_answered(n, u))
		return n->cell.event_ns;
	t_ns = en_dc_earlier(t_ns, en_dc_earlier(scg->b1.t_ns, scg->a2.t_ns));
	return en_dc_earlier(t_ns, link_next_ns(&scg->radio));
}

static void take_step(struct en_dc *n, struct en_dc_ue *u)
{
	u->scg.step_ns = CELL_NEVER;
	switch (u->scg.state) {
	case SCG_PREPARATION:
		at_gnb(n, u, CELL_RRC_SGNB_ADDITION_REQUEST_ACK);
		go_to(n, u, SCG_ADMITTED, en_dc_x2_ns(n));
		break;
	case SCG_ADMITTED:
		command(n, u);
		break;
	case SCG_EXECUTION:
		access(n, u);
		break;
	case SCG_RELEASE:
		release(n, u);
		break;
	default:
		break;
	}
}

/* An event counts. */
static bool counts(const struct en_dc *n, struct measure_trigger *t)
{
	if (t->t_ns > n->cell.event_ns)
		return false;
	*t = (struct measure_trigger){ .t_ns = CELL_NEVER, .told = true };
	return true;
}

void scg_expire(struct en_dc *n, struct en_dc_ue *u)
{
	struct en_dc_scg *scg = &u->scg;
	int64_t now_ns = n->cell.event_ns;

	if (link_next_ns(&scg->radio) <= now_ns)
		link_process(&n->cell, &scg->radio, scg->quality);
	if (scg->radio.failed != LINK_OK && scg->failed == LINK_OK)
		scg->failed = scg->radio.failed;
	if (is_answered(n, u))
		synchronised(n, u);
	if (scg->t307_ns <= now_ns)
		scg->failed = LINK_T304; /* T307 is that of the SCG */
	if (has_failed(scg))
		fail(n, u);
	if (scg->step_ns <= now_ns)
		take_step(n, u);
	if (counts(n, &scg->b1) && scg->state == SCG_NONE) {
		at_enb(n, u, CELL_RRC_MEASUREMENT_REPORT);
		ask(n, u);
	}
	if (counts(n, &scg->a2) && scg->state == SCG_ACTIVE) {
		at_enb(n, u, CELL_RRC_MEASUREMENT_REPORT);
		ask_for_release(n, u);
	}
}

void scg_digest(const struct en_dc_ue *u, uint64_t *h)
{
	digest_mix(h, (uint64_t)u->scg.state);
	digest_mix(h, (uint64_t)u->scg.step_ns);
	digest_mix(h, (uint64_t)u->scg.measured.filtered);
	digest_mix(h, (uint64_t)u->scg.b1.t_ns);
	digest_mix(h, (uint64_t)u->scg.a2.t_ns);
	link_digest(&u->scg.radio, h);
}
