/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - what a UE tells of its buffer: BSRs, and Scheduling Requests for grants for them; see
 * report.h.
 *
 * Each bearer is a group of its own. Data for one that has none trigger a regular BSR, and so does
 * retxBSR-Timer while there are data. A UE that has no grant for it sends a Scheduling Request on
 * one of its occasions, again and again until a BSR has left; after sr-TransMax of them, or when it
 * has no occasions, it starts random access. The periodic BSR waits for a block; what a block has
 * too much of room carries a BSR as padding. A configured grant carries BSRs, so there is no
 * request where there is one (logicalChannelSR-Mask).
 * Source: TS 38.321 5.4.4, 5.4.5
 */
#include "ran/nr/report.h"

#include <string.h>

#include "mac/nr/grant.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"

_Static_assert(NR_LCGS == CELL_MAX_BEARERS, "a group for each bearer");

/* SR occasions of UEs are on different uplink slots as far as there are some. */
void nr_report_init(struct nr_report *r, const struct nr *nr, uint8_t place)
{
	uint32_t slot = 0;

	*r = (struct nr_report){
		.periodic_slot = NR_SLOT_NEVER,
		.retx_slot = NR_SLOT_NEVER,
		.sr = { .period = nr->cell.cfg.nr.mac.sr_period_slots, .symbols = NR_SYMBOLS },
	};
	if (r->sr.period == 0)
		return;
	for (uint8_t i = 0; i < place; i++) {
		slot = nr_next_ul(&nr->frame.tdd, i ? slot + 1 : 0, NR_SYMBOLS);
		if (slot >= r->sr.period && slot > nr_next_ul(&nr->frame.tdd, 0, NR_SYMBOLS))
			slot = nr_next_ul(&nr->frame.tdd, 0, NR_SYMBOLS);
	}
	r->sr.offset = slot;
}

/* A block that a BSR can go in. */
static bool has_block(const struct nr_ue *u)
{
	const struct nr_grants *g = &u->sch[CELL_DIR_UL].grants;

	for (uint32_t i = g->used; i != g->issued; i++)
		if (!g->of[i % NR_GRANTS_KEPT].retx)
			return true;
	return u->ra.state != NR_RA_IDLE || u->cg.at.period > 0;
}

void nr_report_notice(struct nr *nr, struct nr_ue *u)
{
	struct nr_sch *ul = &u->sch[CELL_DIR_UL];
	bool fresh = false;

	(void)nr;
	for (uint8_t k = 0; k < ul->n_drbs; k++) {
		bool waits = drb_bytes(&ul->drb[k]) > 0;

		fresh = fresh || (waits && !ul->drb[k].reported);
		ul->drb[k].reported = waits;
	}
	u->report.pending = u->report.pending || fresh;
	/* All that was to be asked for has left. Source: TS 38.321 5.4.5 */
	if (nr_lch_bytes(ul) == 0)
		u->report.pending = false;
	u->report.sr_pending = u->report.pending && !u->detached && !has_block(u);
}

void nr_report_timers(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct nr_report *r = &u->report;

	(void)nr;
	if (r->retx_slot > slot)
		return;
	r->retx_slot = NR_SLOT_NEVER;
	u->report.pending = nr_lch_bytes(&u->sch[CELL_DIR_UL]) > 0;
}

bool nr_report_wants(const struct nr_ue *u, uint32_t slot)
{
	return u->report.pending || u->report.periodic_slot <= slot;
}

static void buffers(const struct nr_ue *u, uint32_t ret[NR_LCGS])
{
	const struct nr_sch *ul = &u->sch[CELL_DIR_UL];

	for (uint8_t k = 0; k < NR_LCGS; k++)
		ret[k] = k < ul->n_drbs ? drb_bytes(&ul->drb[k]) : 0;
}

struct nr_bsr nr_report_make(const struct nr_ue *u)
{
	uint32_t bytes[NR_LCGS];

	buffers(u, bytes);
	return nr_bsr_make(bytes);
}

/* Groups by the priority of their bearer; those without one come last. */
static void set_order(const struct nr_ue *u, uint8_t ret[NR_LCGS])
{
	const struct nr_sch *ul = &u->sch[CELL_DIR_UL];

	for (uint8_t k = 0; k < NR_LCGS; k++)
		ret[k] = k < ul->n_drbs ? ul->order[k] : k;
}

bool nr_report_padding(const struct nr_ue *u, uint32_t left, struct nr_bsr *ret)
{
	uint32_t bytes[NR_LCGS];
	uint8_t order[NR_LCGS];

	buffers(u, bytes);
	set_order(u, order);
	return nr_bsr_make_padding(ret, bytes, order, left);
}

static void record(struct nr *nr, const struct nr_ue *u, const struct nr_bsr *bsr,
                   enum cell_event event, const uint32_t bytes[NR_LCGS])
{
	const struct out_at *at = &u->sch[CELL_DIR_UL].at;
	bool rx = event == CELL_EV_BSR_RX;
	uint8_t i = 0;

	for (uint8_t lcg = 0; lcg < NR_LCGS && i < bsr->n; lcg++)
		if (bsr->lcgs >> lcg & 1)
			out_record(&nr->cell, at,
			           (struct cell_record){ .event = (uint16_t)event,
			                                 .node = rx ? at->to : at->from,
			                                 .peer = rx ? at->from : at->to,
			                                 .sn = lcg,
			                                 .bytes = bytes[lcg],
			                                 .value = bsr->level[i++] });
}

void nr_report_sent(struct nr *nr, struct nr_ue *u, uint32_t slot, const struct nr_bsr *bsr,
                    bool padding)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	struct nr_report *r = &u->report;
	bool truncated =
		bsr->format == NR_BSR_SHORT_TRUNCATED || bsr->format == NR_BSR_LONG_TRUNCATED;
	uint32_t bytes[NR_LCGS];

	buffers(u, bytes);
	record(nr, u, bsr, CELL_EV_BSR_TX, bytes);
	nr->cell.stats.bsrs++;
	r->retx_slot = slot + nr_slots(nr, cfg->nr.mac.bsr_retx_ms);
	if (!truncated && cfg->nr.mac.bsr_periodic_ms)
		r->periodic_slot = slot + nr_slots(nr, cfg->nr.mac.bsr_periodic_ms);
	if (padding && truncated)
		return;
	r->pending = false;
	r->sr_pending = false;
	r->sr_count = 0;
}

bool nr_report_request(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct nr_report *r = &u->report;

	if (!r->sr_pending || u->ra.state != NR_RA_IDLE)
		return false;
	if (r->sr.period == 0)
		return true;
	if (slot < r->sr_from || !nr_occasion_is(&r->sr, &nr->frame.tdd, slot))
		return false;
	if (r->sr_count >= nr->cell.cfg.nr.mac.sr_trans_max)
		return true;
	r->sr_count++;
	r->sr_from = slot + 1 + nr_slots(nr, nr->cell.cfg.nr.mac.sr_prohibit_timer_ms);
	/* Out of range it is not heard. */
	if (!rng_hit(&u->request_rng, nr->cell.cfg.nr.mac.sr_missed_q32) &&
	    u->requested == NR_SLOT_NEVER && u->sch[CELL_DIR_UL].cqi > 0)
		u->requested = nr_slot_at(nr, nr_slot_start(nr, slot + 1) + nr->frame.ul_decode_ns);
	out_record(&nr->cell, &u->sch[CELL_DIR_UL].at,
	           (struct cell_record){ .event = CELL_EV_SR,
	                                 .node = u->id,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = slot,
	                                 .value = r->sr_count });
	return false;
}

uint32_t nr_report_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	const struct nr_report *r = &u->report;
	uint32_t next = NR_SLOT_NEVER, sr;

	if (r->retx_slot != NR_SLOT_NEVER && nr_lch_bytes(&u->sch[CELL_DIR_UL]) > 0)
		next = r->retx_slot > from ? r->retx_slot : from;
	if (!r->sr_pending || u->ra.state != NR_RA_IDLE)
		return next;
	if (r->sr.period == 0)
		return from;
	sr = nr_occasion_next(&r->sr, &nr->frame.tdd, r->sr_from > from ? r->sr_from : from);
	return sr < next ? sr : next;
}

void nr_report_heard(struct nr *nr, struct nr_ue *u, const struct nr_bsr *bsr, uint32_t slot)
{
	uint32_t bytes[NR_LCGS] = { 0 }, all = 0, granted;
	uint8_t order[NR_LCGS];

	set_order(u, order);
	nr_bsr_read(bsr, order, bytes);
	record(nr, u, bsr, CELL_EV_BSR_RX, bytes);
	for (uint8_t k = 0; k < NR_LCGS; k++)
		all += bytes[k];
	/* It was written before grants that were issued since. */
	granted = nr_grant_after(&u->sch[CELL_DIR_UL].grants, slot);
	if (u->backlog == 0)
		u->backlog_since_ns = nr->cell.event_ns;
	u->backlog = all > granted ? all - granted : 0;
	memcpy(u->backlog_of, bytes, sizeof(u->backlog_of));
	nr_lch_granted(u, granted);
	u->requested = NR_SLOT_NEVER;
}
