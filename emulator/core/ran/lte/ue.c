/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ue.c - a UE in a sub-frame: transmits on its grants, reports its buffer,
 * starts random access; see ue.h.
 *
 * A UE with data and no grant sends a Scheduling Request (request.c) or, where it has no occasions
 * for them, a preamble in the next random access occasion. The
 * answer (RAR) grants a block that has room for a BSR, and for data beside it where
 * mac.bandwidth_stealing says so. An unanswered preamble is sent again after a
 * backoff. Later blocks carry a BSR while data remain that their grant does not cover, so
 * that a flow that goes on asks only once.
 * Source: TS 36.321 5.1, 5.4.1, 5.4.5; Nardini, sections II and III
 */
#include "ran/lte/ue.h"

#include "mac/lte/bsr.h"
#include "phy/lte/phy.h"
#include "ran/lte/air.h"
#include "ran/lte/control.h"
#include "ran/lte/lch.h"
#include "ran/lte/request.h"

#define RNTI_TYPE_C 3

static uint32_t buffered(const struct lte *lte, const struct ue *u, enum cell_dir dir)
{
	return lte_lch_bytes(lte, &u->sch[dir]);
}

/* BSR of what is buffered now. Source: TS 36.321 5.4.5 */
static void fill_bsr(const struct lte *lte, struct mac_bsr *bsr, const struct ue *u)
{
	bsr->index[LCG_INFRASTRUCTURE] = bsr_index(buffered(lte, u, CELL_DIR_UL));
	bsr->index[LCG_DIRECT] = bsr_index(buffered(lte, u, CELL_DIR_SL));
}

static struct mac_bsr bsr_form(const struct lte *lte, const struct ue *u)
{
	bool infrastructure = buffered(lte, u, CELL_DIR_UL) > 0;
	bool direct = buffered(lte, u, CELL_DIR_SL) > 0;

	return (struct mac_bsr){
		.present = true,
		.is_long = infrastructure && direct,
		.lcg = direct ? LCG_DIRECT : LCG_INFRASTRUCTURE,
	};
}

/* What is buffered after all PDUs of a sub-frame, the last one tells. Source: TS 36.321 5.4.5 */
static bool is_last(const struct ue *u, const struct grant *g)
{
	return grant_next_tti(&u->ul) != g->subframe;
}

/*
 * Whether a PDU on grant @g carries a BSR: always in answer to a RAR; in answer to a request, and
 * after that a trailing one, while data remain that the grant does not cover.
 */
static bool wants_bsr(const struct lte *lte, const struct ue *u, const struct grant *g)
{
	const struct lte_sch *sch = &u->sch[g->dir];
	const struct mac_pdu bare = { 0 };
	enum cell_dir other = g->dir == CELL_DIR_UL ? CELL_DIR_SL : CELL_DIR_UL;

	if (g->msg3)
		return true;
	if (lte->cell.cfg.lte.mac.ul_always_scheduled || !is_last(u, g))
		return false;
	return (lte->cell.cfg.lte.mac.trailing_bsr || g->asked) &&
	       (buffered(lte, u, other) > 0 ||
	        !lte_lch_fits(sch, mac_sdu_room(&bare, g->bytes, sch->at.lcid)));
}

static void record_bsr(struct lte *lte, const struct ue *u, const struct lte_sch *sch,
                       const struct mac_bsr *bsr)
{
	for (uint8_t lcg = LCG_INFRASTRUCTURE; lcg <= LCG_DIRECT; lcg++) {
		enum cell_dir dir = lcg == LCG_DIRECT ? CELL_DIR_SL : CELL_DIR_UL;

		if (!bsr->is_long && bsr->lcg != lcg)
			continue;
		out_record(&lte->cell, &sch->at,
		           (struct cell_record){ .event = CELL_EV_BSR_TX,
		                                 .node = u->id,
		                                 .peer = sch->at.to,
		                                 .sn = lcg,
		                                 .bytes = buffered(lte, u, dir),
		                                 .value = bsr->index[lcg] });
	}
	lte->cell.stats.bsrs++;
}

/* A BSR that the eNB hears asks for a grant: no new request meanwhile. */
static void wait_for_grant(const struct lte *lte, struct ue *u, uint32_t tti)
{
	if (u->ra.state == RA_WAIT_RAR)
		return;
	u->ra.state = RA_WAIT_GRANT;
	u->ra.blocked_until = tti + request_wait_tti(lte);
}

/* The block that @g has of at most @share resource blocks. Return: it holds more than headers. */
static bool holds_data(struct grant *g, uint32_t want, uint16_t share)
{
	g->n_rb = phy_rb_needed((enum cell_dir)g->dir, g->itbs, want, share);
	g->bytes = phy_tbs(g->itbs, g->n_rb);
	return g->bytes > grant_overhead(g->bytes);
}

/*
 * The resource blocks that a UE has in every sub-frame where it need not ask. Where its outer loop
 * has come down so far that no block of these holds data, it would get no feedback any more: then
 * the CQI decides.
 */
static bool standing_grant(const struct lte *lte, const struct ue *u, uint32_t tti,
                           struct grant *ret)
{
	enum cell_dir dir = buffered(lte, u, CELL_DIR_UL) ? CELL_DIR_UL : CELL_DIR_SL;
	uint32_t bytes = buffered(lte, u, dir), want = grant_wanted(bytes, false);
	uint16_t share = (uint16_t)(control_rb(&lte->cell.cfg, dir) / lte->cell.cfg.n_ue);

	if (!lte->cell.cfg.lte.mac.ul_always_scheduled || bytes == 0 || !u->sch[dir].cqi)
		return false;
	*ret = (struct grant){ .subframe = tti, .dir = (uint8_t)dir, .itbs = u->sch[dir].itbs };
	if (want < u->sch[dir].least)
		want = u->sch[dir].least;
	ret->rb_start = (uint16_t)(control_rb_first(&lte->cell.cfg, dir) + share * (u->id - 1));
	if (holds_data(ret, want, share))
		return true;
	ret->itbs = phy_itbs(dir, u->sch[dir].cqi, control_symbols(&lte->cell.cfg));
	return holds_data(ret, want, share);
}

static void transmit_new(struct lte *lte, struct ue *u, const struct grant *g)
{
	struct lte_sch *sch = &u->sch[g->dir];
	struct tb *tb = air_block_start(lte);
	struct mac_pdu mac = { 0 };

	mac.has_crnti = g->msg3; /* contention resolution, TS 36.321 5.1.4 */
	mac.crnti = u->rnti;
	if (wants_bsr(lte, u, g))
		mac.bsr = bsr_form(lte, u);
	if (!g->msg3 || lte->cell.cfg.lte.mac.bandwidth_stealing)
		lte_lch_fill(lte, sch, &mac, g->bytes, tb);
	/* Padding BSR: two spare bytes tell the eNB that all has been sent. */
	if (!mac.bsr.present && !lte->cell.cfg.lte.mac.ul_always_scheduled && is_last(u, g) &&
	    g->dir == CELL_DIR_UL && !buffered(lte, u, CELL_DIR_SL) &&
	    mac_padding(&mac, g->bytes) >= 2)
		mac.bsr = bsr_form(lte, u);
	if (mac.bsr.present) {
		fill_bsr(lte, &mac.bsr, u);
		record_bsr(lte, u, sch, &mac.bsr);
		request_told(u);
		if (!g->msg3 && (g->dir == CELL_DIR_UL || lte->cell.cfg.lte.mac.enb_overhears_dm) &&
		    buffered(lte, u, CELL_DIR_UL) + buffered(lte, u, CELL_DIR_SL) > 0)
			wait_for_grant(lte, u, g->subframe);
	}
	mac_pack(&mac, lte->rlc_buf, tb->buf, g->bytes);
	air_transmit(lte, sch, g, tb, &mac);
}

/* Return: carriers on which a block was sent again, as bits. */
static uint32_t retransmit(struct lte *lte, struct ue *u, uint32_t tti)
{
	uint32_t sent = 0;

	for (uint32_t k = 0; k < lte->cell.cfg.lte.ul_carriers; k++) {
		struct harq_process *p = &u->harq_ul[k][tti % HARQ_PROCESSES];
		struct grant again = p->grant;

		if (!p->tb || p->due_tti != tti)
			continue;
		again.subframe = tti;
		air_retransmit(lte, p, &again);
		sent |= 1u << k;
	}
	return sent;
}

void ue_transmit(struct lte *lte, struct ue *u, uint32_t tti)
{
	uint32_t sent = retransmit(lte, u, tti);
	const struct grant *g;
	struct grant standing;

	while ((g = grant_take(&u->ul, tti))) {
		if (sent & 1u << g->stream)
			continue;
		sent |= 1u << g->stream;
		if (g->missed)
			air_absent(lte, u, g);
		else
			transmit_new(lte, u, g);
	}
	if (!sent && standing_grant(lte, u, tti, &standing))
		transmit_new(lte, u, &standing);
}

/* Data that no grant known to the UE will take. */
static bool needs_grant(const struct lte *lte, const struct ue *u, uint32_t tti)
{
	static const enum cell_dir dirs[] = { CELL_DIR_UL, CELL_DIR_SL };

	if (lte->cell.cfg.lte.mac.ul_always_scheduled)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (buffered(lte, u, dirs[i]) > grant_heard_after(&u->ul, dirs[i], tti))
			return true;
	return false;
}

static void send_preamble(struct lte *lte, struct ue *u, uint32_t tti)
{
	struct random_access *ra = &u->ra;
	struct cell_pdu_info info = {
		.dir = CELL_DIR_UL,
		.ue = u->id,
		.rnti = u->rnti,
		.rnti_type = RNTI_TYPE_C,
		.preamble = 1,
		.enb = u->enb,
		.subframe = tti,
	};

	ra->state = RA_WAIT_RAR;
	ra->preamble_tti = tti;
	ra->blocked_until = tti + lte->cell.cfg.lte.ra.rac_timeout_tti;
	ra->rapid = (uint8_t)rng_below(&ra->preamble_rng, lte->cell.cfg.lte.ra.n_preambles);
	if (ra->attempt < UINT8_MAX)
		ra->attempt++;
	info.rapid = ra->rapid;
	info.ra_attempt = ra->attempt;
	lte->cell.stats.ra_preambles++;
	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_PREAMBLE,
	                                 .node = u->id,
	                                 .enb = u->enb,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = ra->rapid,
	                                 .value = ra->attempt });
	out_pdu(&lte->cell, NULL, 0, &info);
}

static void back_off(struct lte *lte, struct ue *u, uint32_t tti)
{
	uint32_t backoff_ms =
		rng_below(&u->ra.backoff_rng, lte->cell.cfg.lte.ra.backoff_max_ms + 1u);

	u->ra.state = RA_IDLE;
	u->ra.blocked_until = tti + backoff_ms;
	if (link_on(&lte->cell) &&
	    u->ra.attempt >= lte->cell.cfg.handover.link_failure.preamble_trans_max)
		u->rrc.recovery.radio.failed = LINK_RANDOM_ACCESS;
	lte->cell.stats.ra_timeouts++;
	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_TIMEOUT,
	                                 .node = u->id,
	                                 .enb = u->enb,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = u->ra.rapid,
	                                 .value = (int32_t)backoff_ms });
}

/*
 * A UE that waits for a data grant does not request again before the RAC
 * timeout; one whose data are all granted or sent is free to.
 * Source: Nardini, section III
 */
void ue_random_access(struct lte *lte, struct ue *u, uint32_t tti)
{
	struct random_access *ra = &u->ra;
	bool need = needs_grant(lte, u, tti);

	if (!need)
		request_told(u);
	if (ra->state == RA_WAIT_RAR && tti >= ra->blocked_until)
		back_off(lte, u, tti);
	if (ra->state == RA_WAIT_GRANT && !grant_msg3_pending(&u->ul)) {
		if (!need) {
			ra->state = RA_IDLE;
			ra->blocked_until = tti;
		} else if (tti >= ra->blocked_until) {
			ra->state = RA_IDLE;
		}
	}
	if (need && ra->state == RA_IDLE && tti >= ra->blocked_until && request_send(lte, u, tti) &&
	    tti % lte->cell.cfg.lte.ra.prach_period_tti == 0)
		send_preamble(lte, u, tti);
}

static uint32_t next_prach(const struct lte *lte, uint32_t tti)
{
	uint32_t period = lte->cell.cfg.lte.ra.prach_period_tti;

	return (tti + period - 1) / period * period;
}

uint32_t ue_next_tti(const struct lte *lte, const struct ue *u, uint32_t from)
{
	const struct random_access *ra = &u->ra;
	uint32_t next = grant_next_tti(&u->ul), request = TTI_NEVER;
	uint32_t again = harq_next_tti(u->harq_ul[0], lte_processes_ul(&lte->cell.cfg));
	uint32_t earliest = ra->blocked_until > from ? ra->blocked_until : from;

	if (lte->cell.cfg.lte.mac.ul_always_scheduled &&
	    buffered(lte, u, CELL_DIR_UL) + buffered(lte, u, CELL_DIR_SL) > 0)
		return from;
	if (again < next)
		next = again;
	if (ra->state == RA_WAIT_RAR)
		request = earliest;
	else if (needs_grant(lte, u, from - 1) && !grant_msg3_pending(&u->ul))
		request = request_by_preamble(lte, u) ? next_prach(lte, earliest)
		                                      : request_next_tti(lte, u, earliest);
	return request < next ? request : next;
}
