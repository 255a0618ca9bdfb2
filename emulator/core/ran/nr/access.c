/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.c - random access, at the UE and at the gNB; see access.h.
 *
 * In four steps: a preamble on an occasion, its answer with a grant, message 3 on that grant with
 * the UE's C-RNTI and its BSR, and a grant to that C-RNTI, by which the UE knows that it was heard.
 * In two steps the preamble and the message, MsgA, leave together; where the gNB could not decode
 * the message its answer is that of four steps, and grants another attempt at the same block. A
 * preamble that two UEs chose in one occasion is not answered; what is not answered is tried again
 * after a backoff.
 * Source: TS 38.321 5.1; TS 38.213 8.1 to 8.3; TS 38.214 6.1.2.1.1
 */
#include "ran/nr/access.h"

#include "mac/nr/grant.h"
#include "mac/nr/rar.h"
#include "ran/nr/block.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"

#define RNTI_TYPE_RA    2
#define TEMP_CRNTI_BASE 0x1000
#define MSG3_MCS        0
#define RAPID_DEDICATED 63 /* the last one */

/* Slots that message 3 has beside K2. Source: TS 38.214 Table 6.1.2.1.1-5 */
static const uint8_t msg3_delta[NR_MU_MAX + 1] = { 2, 3, 4, 6 };

static struct nr_occasions occasions(const struct nr *nr)
{
	return (struct nr_occasions){ .period = nr->cell.cfg.nr.ra.prach_period_slots,
		                      .offset = nr_next_ul(&nr->frame.tdd, 0, NR_SYMBOLS),
		                      .symbols = NR_SYMBOLS };
}

struct nr_grant nr_access_grant(const struct nr *nr, uint32_t slot, enum nr_tb_kind kind)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct nr_format *format = nr_mcs(NR_TABLE_64QAM, MSG3_MCS);
	uint8_t symbols = nr_frame_slot(&nr->frame, slot)->pusch;

	return (struct nr_grant){
		.slot = slot,
		.bytes = nr_tbs(nr_frame_re(&cfg->nr.phy, symbols, cfg->nr.ra.rb), format, 1),
		.n_rb = cfg->nr.ra.rb,
		.rb_start = nr->frame.ul_first,
		.mcs = MSG3_MCS,
		.harq_id = NR_HARQ_RA,
		.kind = (uint8_t)kind,
	};
}

/* --- the UE --- */

void nr_access_start(struct nr_ue *u, uint32_t slot, bool dedicated)
{
	u->ra.state = NR_RA_WAITING;
	u->ra.from = slot;
	u->ra.attempt = 0;
	u->ra.dedicated = dedicated;
	u->ra.answered = false;
}

/* MsgA is with preambles for contention only. */
static bool two_steps(const struct nr *nr, const struct nr_ra *ra)
{
	return nr->cell.cfg.nr.ra.procedure == CELL_RA_TWO_STEP && !ra->dedicated;
}

/* A message that nobody waits for any more is not sent again. */
static void flush(struct nr *nr, struct nr_sch *ul)
{
	struct nr_process *p = &ul->process[NR_HARQ_RA];

	if (!p->tb || p->state == NR_PROCESS_RETX)
		return;
	nr->cell.stats.mac_lost[CELL_DIR_UL]++;
	out_drop_all(&nr->cell, &p->tb->ends, &ul->at, CELL_DROP_RADIO_LOSS);
	nr_tb_free(&nr->tbs, p->tb);
	p->tb = NULL;
	p->state = NR_PROCESS_FREE;
}

void nr_access_end(struct nr *nr, struct nr_ue *u)
{
	if (u->ra.state == NR_RA_IDLE)
		return;
	flush(nr, &u->sch[CELL_DIR_UL]);
	u->ra.state = NR_RA_IDLE;
	u->ra.granted = u->ra.dedicated = false;
	u->report.sr_count = 0;
	nr_drx_contention(&u->drx, false);
	out_record(&nr->cell, &u->sch[CELL_DIR_UL].at,
	           (struct cell_record){ .event = CELL_EV_RA_END,
	                                 .node = u->id,
	                                 .enb = u->cell,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = u->ra.rapid,
	                                 .value = u->ra.attempt });
}

static void back_off(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	uint32_t backoff_ms = rng_below(&u->ra.backoff_rng, cfg->nr.ra.backoff_max_ms + 1u);

	if (u->ra.attempt >= cfg->nr.ra.preamble_trans_max) { /* it has failed, and starts again */
		backoff_ms = cfg->nr.ra.backoff_max_ms;
		u->ra.attempt = 0;
		if (link_on(&nr->cell) && !u->ra.dedicated)
			u->rrc.recovery.radio.failed = LINK_RANDOM_ACCESS;
	}
	u->ra.state = NR_RA_WAITING;
	u->ra.granted = false;
	u->ra.from = slot + nr_slots(nr, backoff_ms);
	nr_drx_contention(&u->drx, false);
	nr->cell.stats.ra_timeouts++;
	out_record(&nr->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_TIMEOUT,
	                                 .node = u->id,
	                                 .enb = u->cell,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = u->ra.rapid,
	                                 .value = (int32_t)backoff_ms });
}

static void send_preamble(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct nr_ra *ra = &u->ra;

	ra->state = NR_RA_SENT;
	ra->preamble_slot = slot;
	ra->until = slot + 1 + nr->cell.cfg.nr.ra.response_window_slots;
	ra->heard_slot = NR_SLOT_NEVER;
	ra->decoded = false;
	ra->collided = false;
	ra->rapid = ra->dedicated
	                    ? RAPID_DEDICATED
	                    : (uint8_t)rng_below(&ra->preamble_rng, nr->cell.cfg.nr.ra.n_preambles);
	ra->attempt++;
	nr->cell.stats.ra_preambles++;
	out_record(&nr->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_PREAMBLE,
	                                 .node = u->id,
	                                 .enb = u->cell,
	                                 .peer = CELL_NODE_ENB,
	                                 .sn = ra->rapid,
	                                 .value = ra->attempt });
	if (two_steps(nr, ra)) {
		struct nr_grant g = nr_access_grant(nr, slot, NR_TB_MSGA);

		nr_drx_contention(&u->drx, true);
		nr_block_uplink(nr, u, &g);
	}
}

/* Its block of before is not on the air. */
static bool process_is_ready(const struct nr_ue *u)
{
	return !u->sch[CELL_DIR_UL].process[NR_HARQ_RA].on_air;
}

/* There is something to be said, or to be said again. */
static bool has_message(const struct nr_ue *u)
{
	return u->ra.dedicated || nr_lch_bytes(&u->sch[CELL_DIR_UL]) > 0 ||
	       u->sch[CELL_DIR_UL].process[NR_HARQ_RA].tb;
}

void nr_access_slot(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct nr_occasions at = occasions(nr);
	struct nr_ra *ra = &u->ra;

	if ((ra->state == NR_RA_SENT || ra->state == NR_RA_MSG3) && slot >= ra->until)
		back_off(nr, u, slot);
	if (ra->state != NR_RA_WAITING || slot < ra->from)
		return;
	if (!has_message(u))
		nr_access_end(nr, u);
	else if (nr_occasion_is(&at, &nr->frame.tdd, slot) && process_is_ready(u) &&
	         u->sch[CELL_DIR_UL].cqi > 0)
		send_preamble(nr, u, slot);
}

/* --- the gNB --- */

bool nr_access_collided(const struct nr *nr, const struct nr_ue *u)
{
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		const struct nr_ue *v = &nr->ue[i];

		if (v != u && v->cell == u->cell && v->ra.state == NR_RA_SENT && !u->ra.dedicated &&
		    !v->ra.dedicated && v->ra.preamble_slot == u->ra.preamble_slot &&
		    v->ra.rapid == u->ra.rapid)
			return true;
	}
	return false;
}

/* MsgA has the first ones, and messages 3 those behind. */
uint16_t nr_access_until(const struct nr *nr, uint8_t cell, uint32_t slot)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	struct nr_occasions at = occasions(nr);
	uint16_t until = nr->frame.ul_first;

	if (cfg->nr.ra.procedure == CELL_RA_TWO_STEP && nr_occasion_is(&at, &nr->frame.tdd, slot))
		until = (uint16_t)(until + cfg->nr.ra.rb);
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		const struct nr_grant *g = &nr->ue[i].ra.msg3;

		if (nr->ue[i].cell == cell && nr->ue[i].ra.granted && g->slot == slot &&
		    g->rb_start + g->n_rb > until)
			until = (uint16_t)(g->rb_start + g->n_rb);
	}
	return until;
}

uint16_t nr_access_configured(const struct nr *nr, uint8_t cell, uint32_t slot)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;

	if (cfg->nr.mac.configured_grant == CELL_CG_NONE)
		return 0;
	return (uint16_t)(nr->cg_ues[cell][slot % cfg->nr.mac.cg_period_slots] * cfg->nr.mac.cg_rb);
}

static void write_answer(struct nr *nr, const struct nr_ue *u, uint32_t slot)
{
	uint8_t mu = nr->frame.mu;
	struct nr_ra_response answer = {
		.backoff = NR_BACKOFF_NONE,
		.n_rars = 1,
		.rar[0] = { .rapid = u->ra.rapid,
		            .frequency = nr_rar_frequency(nr->frame.n_rb, u->ra.msg3.rb_start,
		                                          u->ra.msg3.n_rb),
		            .mcs = MSG3_MCS,
		            .temp_crnti = (uint16_t)(TEMP_CRNTI_BASE + u->ra.rapid) },
	};
	struct cell_pdu_info info = {
		.dir = CELL_DIR_DL,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_RA,
		.rnti = nr_ra_rnti(0, (uint8_t)nr_slot_in_frame(mu, u->ra.preamble_slot), 0),
		.crc_ok = 1,
		.subframe = slot,
		.enb = u->cell,
	};
	struct nr_tb *tb = nr_tb_alloc(&nr->tbs);
	uint32_t bytes = nr_rar_bytes(&answer);

	nr_rar_pack(&answer, tb->buf, bytes);
	out_pdu(&nr->cell, tb->buf, bytes, &info);
	nr_tb_free(&nr->tbs, tb);
}

static void record_answer(struct nr *nr, const struct nr_ue *u, uint32_t slot)
{
	const struct nr_grant *g = &u->ra.msg3;

	out_record(&nr->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_RESPONSE,
	                                 .node = CELL_NODE_ENB,
	                                 .enb = u->cell,
	                                 .peer = u->id,
	                                 .dir = CELL_DIR_DL,
	                                 .sn = u->ra.rapid,
	                                 .rb = u->ra.granted ? g->n_rb : 0,
	                                 .bytes = u->ra.granted ? g->bytes : 0,
	                                 .value = u->ra.granted ? (int32_t)(g->slot - slot) : 0 });
}

/* An answer with a grant of message 3. Where no RBs are left there is none. */
static void grant_msg3(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	uint32_t at = nr_next_ul(&nr->frame.tdd,
	                         slot + cfg->nr.mac.k2_min + msg3_delta[nr->frame.mu], NR_SYMBOLS);

	uint16_t from = nr_access_until(nr, u->cell, at);

	if (from + cfg->nr.ra.rb + nr_access_configured(nr, u->cell, at) > nr->frame.ul_end ||
	    nr_grant_reaches(&u->sch[CELL_DIR_UL].grants, at))
		return;
	u->ra.msg3 = nr_access_grant(nr, at, NR_TB_MSG3);
	u->ra.msg3.rb_start = from;
	u->ra.granted = true;
	u->ra.state = NR_RA_MSG3;
	u->ra.answered = u->ra.dedicated;
	u->ra.until = at + 1 + nr_slots(nr, cfg->nr.ra.contention_resolution_ms);
	nr_drx_contention(&u->drx, true);
	nr->cell.stats.grants++;
	write_answer(nr, u, slot);
	record_answer(nr, u, slot);
}

static void answer(struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	struct link_quality q = { u->sch[CELL_DIR_DL].sinr_cdb, u->sch[CELL_DIR_DL].cqi };

	if (!link_hears(&nr->cell, q))
		return;
	if (nr_access_collided(nr, u)) {
		u->ra.collided = true;
		nr->cell.stats.ra_collisions++;
		out_record(&nr->cell, NULL,
		           (struct cell_record){ .event = CELL_EV_RA_COLLISION,
		                                 .node = CELL_NODE_ENB,
		                                 .enb = u->cell,
		                                 .peer = u->id,
		                                 .sn = u->ra.rapid });
	} else if (two_steps(nr, &u->ra) && u->ra.decoded) {
		record_answer(nr, u, slot);
		nr_access_end(nr, u);
	} else {
		grant_msg3(nr, u, slot);
	}
}

void nr_access_answer(struct nr *nr, uint32_t slot)
{
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		struct nr_ue *u = &nr->ue[i];

		if (u->ra.state == NR_RA_SENT && !u->ra.collided && slot < u->ra.until &&
		    slot >= u->ra.preamble_slot + nr->cell.cfg.nr.ra.rar_delay_slots &&
		    (!two_steps(nr, &u->ra) || slot >= u->ra.heard_slot))
			answer(nr, u, slot);
	}
}

void nr_access_heard(struct nr *nr, struct nr_ue *u, const struct nr_tb *tb)
{
	uint32_t slot = nr_slot_at(nr, nr->cell.event_ns);

	u->ra.decoded = tb->outcome == NR_DECODED;
	if (tb->kind == NR_TB_MSGA && u->ra.state == NR_RA_SENT)
		u->ra.heard_slot = slot;
	else if (u->ra.decoded)
		u->requested = slot; /* a grant is the answer, even when nothing waits */
}

uint32_t nr_access_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct nr_ra *ra = &u->ra;
	struct nr_occasions at = occasions(nr);
	uint32_t next, answer_slot;

	if (ra->state == NR_RA_IDLE)
		return NR_SLOT_NEVER;
	if (ra->state == NR_RA_WAITING) {
		next = ra->from > from ? ra->from : from;
		return has_message(u) ? nr_occasion_next(&at, &nr->frame.tdd, next) : next;
	}
	next = ra->until > from ? ra->until : from;
	if (ra->granted && ra->msg3.slot < next)
		next = ra->msg3.slot;
	if (ra->state != NR_RA_SENT || ra->collided)
		return next;
	answer_slot = ra->preamble_slot + cfg->nr.ra.rar_delay_slots;
	if (two_steps(nr, ra)) {
		if (ra->heard_slot == NR_SLOT_NEVER)
			return next; /* until its decoding */
		answer_slot = ra->heard_slot > answer_slot ? ra->heard_slot : answer_slot;
	}
	answer_slot = nr_frame_next_pdcch(&nr->frame, answer_slot > from ? answer_slot : from);
	return answer_slot < next ? answer_slot : next;
}
