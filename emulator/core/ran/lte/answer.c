/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - the eNB's half of random access: Random Access Responses, and the grants in them; see
 * answer.h.
 *
 * A preamble is answered timing.rar_delay_tti after it was sent, if nobody else in the cell sent
 * the same one in that sub-frame. The answer is a RAR on the RA-RNTI of the sub-frame, with a
 * temporary C-RNTI and a grant for message 3, timing.rar_to_msg3_tti ahead, which has room for a
 * BSR at least. Who finds no resource blocks, or has that sub-frame's HARQ process in use, gets no
 * answer and tries again. Source: TS 36.321 5.1.4, 6.1.5; TS 36.213 6.1.1, 6.2
 */
#include "ran/lte/answer.h"

#include "phy/lte/phy.h"
#include "ran/lte/control.h"

#define TEMP_CRNTI_BASE 0x1000
#define RNTI_TYPE_RA    2

/* No smaller grant in a RAR: C-RNTI and a long BSR. Source: TS 36.321 5.1.4 */
#define RAR_GRANT_MIN_BYTES 7

/* Resource indication value. Source: TS 36.213 7.1.6.3 */
static uint16_t riv(uint16_t n_total, uint16_t start, uint16_t n)
{
	if (n - 1 <= n_total / 2)
		return (uint16_t)(n_total * (n - 1) + start);
	return (uint16_t)(n_total * (n_total - n + 1) + n_total - 1 - start);
}

static void send_rar(struct lte *lte, struct ue *u, const struct grant *g, uint32_t tti)
{
	struct mac_rar rar = {
		.rapid = u->ra.rapid,
		.riv = riv(lte->cell.cfg.lte.n_rb, g->rb_start, g->n_rb),
		.mcs = phy_mcs(CELL_DIR_UL, g->itbs) > 15 ? 15 : phy_mcs(CELL_DIR_UL, g->itbs),
		.temp_crnti = (uint16_t)(TEMP_CRNTI_BASE + u->ra.rapid),
	};
	struct cell_pdu_info info = {
		.dir = CELL_DIR_DL,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_RA,
		.rnti = (uint16_t)(1 + tti % 10), /* TS 36.321 5.1.4, f_id 0 */
		.crc_ok = 1,
		.enb = u->enb,
		.subframe = tti,
	};
	struct tb *tb = tb_alloc(&lte->blocks);

	mac_rar_pack(&rar, tb->buf);
	out_pdu(&lte->cell, tb->buf, MAC_RAR_BYTES, &info);
	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_RA_RESPONSE,
	                                 .node = CELL_NODE_ENB,
	                                 .enb = u->enb,
	                                 .peer = u->id,
	                                 .dir = CELL_DIR_DL,
	                                 .sn = u->ra.rapid,
	                                 .rb = g->n_rb,
	                                 .bytes = g->bytes,
	                                 .value = (int32_t)(g->subframe - tti) });
	tb_free(&lte->blocks, tb);
}

/*
 * The UE has no room for another grant for sub-frame @tti: it has one for then or, of message 3,
 * for later; or the process holds a block that was not decoded, or that may not be, or gets one in
 * the sub-frame that starts, as message 3 may be a whole round trip ahead. Carriers beside the
 * first wait until message 3 is sent.
 */
bool answer_ul_taken(const struct lte *lte, const struct ue *u, uint8_t carrier, uint32_t tti)
{
	const struct harq_process *p = &u->harq_ul[carrier][tti % HARQ_PROCESSES];
	bool harq = lte->harq.max_attempts > 1;

	if (carrier > 0 && grant_msg3_pending(&u->ul))
		return true;
	return grant_reaches_beyond(&u->ul, tti) || grant_is_there(&u->ul, carrier, tti) || p->tb ||
	       (p->busy && harq) ||
	       (harq && tti >= HARQ_UL_RTT_TTI &&
	        grant_is_there(&u->ul, carrier, tti - HARQ_UL_RTT_TTI));
}

/* Another UE sent the same preamble in the same cell and sub-frame. */
static bool collided(const struct lte *lte, const struct ue *u)
{
	FOR_EACH_ACTIVE(lte, i)
	{
		const struct ue *v = &lte->ue[i];

		if (v != u && v->enb == u->enb && v->ra.state == RA_WAIT_RAR &&
		    v->ra.preamble_tti == u->ra.preamble_tti && v->ra.rapid == u->ra.rapid)
			return true;
	}
	return false;
}

static uint16_t rar_grant_rb(const struct lte *lte, uint8_t itbs)
{
	uint16_t least = phy_rb_needed(CELL_DIR_UL, itbs, RAR_GRANT_MIN_BYTES,
	                               control_rb(&lte->cell.cfg, CELL_DIR_UL));

	return least > lte->cell.cfg.lte.mac.bsr_grant_rb ? least
	                                                  : lte->cell.cfg.lte.mac.bsr_grant_rb;
}

/*
 * A collided preamble is not answered: the UEs run into their RAC timeout and
 * back off. Source: Nardini, section II; TS 36.321 5.1.4
 */
void answer_preambles(struct lte *lte, struct enb *enb, uint32_t tti, struct rb_budget *rb)
{
	bool responded = false; /* all answers of a sub-frame are in one block */

	FOR_EACH_ACTIVE(lte, i)
	{
		struct ue *u = &lte->ue[i];
		struct grant g = {
			.subframe = tti + lte->cell.cfg.lte.timing.rar_to_msg3_tti,
			.dir = CELL_DIR_UL,
			.itbs = u->sch[CELL_DIR_UL].itbs,
			.rb_start = rb->next,
			.msg3 = true,
		};

		if (u->enb != enb->id || u->ra.state != RA_WAIT_RAR ||
		    u->ra.preamble_tti + lte->cell.cfg.lte.timing.rar_delay_tti != tti)
			continue;
		if (collided(lte, u)) {
			lte->cell.stats.ra_collisions++;
			out_record(&lte->cell, NULL,
			           (struct cell_record){ .event = CELL_EV_RA_COLLISION,
			                                 .peer = u->id,
			                                 .node = CELL_NODE_ENB,
			                                 .enb = u->enb,
			                                 .sn = u->ra.rapid });
			continue;
		}
		g.n_rb = rar_grant_rb(lte, g.itbs);
		if (g.n_rb > rb->free || answer_ul_taken(lte, u, 0, g.subframe) ||
		    !u->sch[CELL_DIR_UL].cqi)
			continue;
		responded = responded || control_respond(enb);
		if (!responded || control_missed(lte, u, tti))
			continue;
		g.bytes = phy_tbs(g.itbs, g.n_rb);
		rb_reserve(rb, g.n_rb);
		(void)grant_issue(&u->ul, &g);
		lte->cell.stats.grants++;
		send_rar(lte, u, &g, tti);
	}
	/* The states change only now, so that collided() saw all of them. */
	FOR_EACH_ACTIVE(lte, i)
	if (lte->ue[i].ra.state == RA_WAIT_RAR && grant_msg3_pending(&lte->ue[i].ul)) {
		lte->ue[i].ra.state = RA_WAIT_GRANT;
		lte->ue[i].ra.attempt = 0;
	}
}
