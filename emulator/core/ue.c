/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ue.c - a UE in a sub-frame: transmits on its grants, reports its buffer,
 * starts random access. See cell.h.
 */
#include "bsr.h"
#include "cell.h"

#define RNTI_TYPE_C 3

static uint32_t buffered(const struct ue *u, enum cell_dir dir)
{
	return u->leg[dir].tx.bytes;
}

/* BSR of what is buffered now. Source: TS 36.321 5.4.5 */
static void fill_bsr(struct mac_bsr *bsr, const struct ue *u)
{
	bsr->index[LCG_INFRASTRUCTURE] = bsr_index(buffered(u, CELL_DIR_UL));
	bsr->index[LCG_DIRECT] = bsr_index(buffered(u, CELL_DIR_SL));
}

static struct mac_bsr bsr_form(const struct ue *u)
{
	bool infrastructure = buffered(u, CELL_DIR_UL) > 0;
	bool direct = buffered(u, CELL_DIR_SL) > 0;

	return (struct mac_bsr){
		.present = true,
		.is_long = infrastructure && direct,
		.lcg = direct ? LCG_DIRECT : LCG_INFRASTRUCTURE,
	};
}

/* Everything @leg holds fits one RLC PDU of at most @room bytes. */
static bool fits(const struct leg *leg, uint32_t room)
{
	uint32_t n = leg->tx.queue.n;

	return n == 0 || (n <= UM_ELEMENTS_MAX &&
	                  um_header_bytes(leg->tx.sn_bits, (uint16_t)n) + leg->tx.bytes <= room);
}

/*
 * Whether a PDU on grant @g carries a BSR: always in answer to a RAR; after
 * that a trailing one while data remain that the grant does not cover.
 */
static bool wants_bsr(const struct cell *c, const struct ue *u, const struct grant *g)
{
	const struct mac_pdu bare = { 0 };
	enum cell_dir other = g->dir == CELL_DIR_UL ? CELL_DIR_SL : CELL_DIR_UL;

	if (g->msg3)
		return true;
	return c->cfg.trailing_bsr &&
	       (buffered(u, other) > 0 || !fits(&u->leg[g->dir], mac_sdu_room(&bare, g->bytes)));
}

static void record_bsr(struct cell *c, const struct ue *u, const struct leg *leg,
                       const struct mac_bsr *bsr)
{
	for (uint8_t lcg = LCG_INFRASTRUCTURE; lcg <= LCG_DIRECT; lcg++) {
		enum cell_dir dir = lcg == LCG_DIRECT ? CELL_DIR_SL : CELL_DIR_UL;

		if (!bsr->is_long && bsr->lcg != lcg)
			continue;
		out_record(c, leg,
		           (struct cell_record){ .event = CELL_EV_BSR_TX,
		                                 .node = u->id,
		                                 .peer = leg_to(c, leg),
		                                 .sn = lcg,
		                                 .bytes = buffered(u, dir),
		                                 .value = bsr->index[lcg] });
	}
	c->stats.bsrs++;
}

/* A BSR that the eNB hears asks for a grant: no new request meanwhile. */
static void wait_for_grant(const struct cell *c, struct ue *u, uint32_t tti)
{
	if (u->ra.state == RA_WAIT_RAR)
		return;
	u->ra.state = RA_WAIT_GRANT;
	u->ra.blocked_until = tti + c->cfg.rac_timeout_tti;
}

void ue_transmit(struct cell *c, struct ue *u, uint32_t tti)
{
	const struct grant *g = grant_take(&u->ul, tti);
	struct mac_pdu mac = { 0 };
	struct leg *leg;
	struct pdu *pdu;

	if (!g)
		return;
	leg = &u->leg[g->dir];
	pdu = cell_pdu_alloc(c);
	mac.has_crnti = g->msg3; /* contention resolution, TS 36.321 5.1.4 */
	mac.crnti = u->rnti;
	mac.lcid = g->dir == CELL_DIR_SL ? LCID_DIRECT : LCID_INFRASTRUCTURE;
	if (wants_bsr(c, u, g))
		mac.bsr = bsr_form(u);
	if (!g->msg3 || c->cfg.bandwidth_stealing)
		mac.sdu_len = rlc_um_tx_build(&leg->tx, mac_sdu_room(&mac, g->bytes), pdu->buf,
		                              &pdu->ends, &c->tx_pdu);
	/* Padding BSR: two spare bytes tell the eNB that all has been sent. */
	if (!mac.bsr.present && g->dir == CELL_DIR_UL && !buffered(u, CELL_DIR_SL) &&
	    mac_sdu_room(&mac, g->bytes) >= mac.sdu_len + 2)
		mac.bsr = bsr_form(u);
	if (mac.bsr.present) {
		fill_bsr(&mac.bsr, u);
		record_bsr(c, u, leg, &mac.bsr);
		if (!g->msg3 && (g->dir == CELL_DIR_UL || c->cfg.enb_overhears_dm) &&
		    buffered(u, CELL_DIR_UL) + buffered(u, CELL_DIR_SL) > 0)
			wait_for_grant(c, u, tti);
	}
	mac_pack(&mac, pdu->buf, pdu->buf, g->bytes);
	cell_transmit(c, leg, g, pdu, &mac);
}

/* Data that no grant known to the UE will take. */
static bool needs_grant(const struct ue *u, uint32_t tti)
{
	static const enum cell_dir dirs[] = { CELL_DIR_UL, CELL_DIR_SL };

	for (uint32_t i = 0; i < 2; i++)
		if (buffered(u, dirs[i]) > grant_payload_after(&u->ul, dirs[i], tti))
			return true;
	return false;
}

static void send_preamble(struct cell *c, struct ue *u, uint32_t tti)
{
	struct random_access *ra = &u->ra;
	struct cell_pdu_info info = {
		.dir = CELL_DIR_UL,
		.ue = u->id,
		.rnti = u->rnti,
		.rnti_type = RNTI_TYPE_C,
		.preamble = 1,
		.subframe = tti,
	};

	ra->state = RA_WAIT_RAR;
	ra->preamble_tti = tti;
	ra->blocked_until = tti + c->cfg.rac_timeout_tti;
	ra->rapid = (uint8_t)rng_below(&ra->preamble_rng, c->cfg.n_preambles);
	if (ra->attempt < UINT8_MAX)
		ra->attempt++;
	info.rapid = ra->rapid;
	info.attempt = ra->attempt;
	c->stats.ra_preambles++;
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_PREAMBLE,
	                                 .node = u->id,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = ra->rapid,
	                                 .value = ra->attempt });
	out_pdu(c, NULL, 0, &info);
}

static void back_off(struct cell *c, struct ue *u, uint32_t tti)
{
	uint32_t backoff_ms = rng_below(&u->ra.backoff_rng, c->cfg.backoff_max_ms + 1u);

	u->ra.state = RA_IDLE;
	u->ra.blocked_until = tti + backoff_ms;
	c->stats.ra_timeouts++;
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_TIMEOUT,
	                                 .node = u->id,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = u->ra.rapid,
	                                 .value = (int32_t)backoff_ms });
}

/*
 * A UE that waits for a data grant does not request again before the RAC
 * timeout; one whose data are all granted or sent is free to.
 * Source: Nardini, section III
 */
void ue_random_access(struct cell *c, struct ue *u, uint32_t tti)
{
	struct random_access *ra = &u->ra;
	bool need = needs_grant(u, tti);

	if (ra->state == RA_WAIT_RAR && tti >= ra->blocked_until)
		back_off(c, u, tti);
	if (ra->state == RA_WAIT_GRANT && !grant_msg3_pending(&u->ul)) {
		if (!need) {
			ra->state = RA_IDLE;
			ra->blocked_until = tti;
		} else if (tti >= ra->blocked_until) {
			ra->state = RA_IDLE;
		}
	}
	if (need && ra->state == RA_IDLE && tti >= ra->blocked_until &&
	    tti % c->cfg.prach_period_tti == 0)
		send_preamble(c, u, tti);
}

static uint32_t next_prach(const struct cell *c, uint32_t tti)
{
	uint32_t period = c->cfg.prach_period_tti;

	return (tti + period - 1) / period * period;
}

uint32_t ue_next_tti(const struct cell *c, const struct ue *u, uint32_t from)
{
	const struct random_access *ra = &u->ra;
	uint32_t next = grant_next_tti(&u->ul), request = TTI_NEVER;
	uint32_t earliest = ra->blocked_until > from ? ra->blocked_until : from;

	if (ra->state == RA_WAIT_RAR)
		request = earliest;
	else if (needs_grant(u, from - 1) && !grant_msg3_pending(&u->ul))
		request = next_prach(c, earliest);
	return request < next ? request : next;
}
