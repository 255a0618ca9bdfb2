/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - what a block holds goes to the gNB and to RLC; see decode.h.
 *
 * A block that was not decoded waits in its HARQ process for the next attempt, or is lost, and
 * with it the packets whose last bytes it carries. One that was is taken apart: control elements
 * go to the gNB, and RLC PDUs to the receiver of their bearer; those from before a re-establishment
 * are void. A process of the uplink is the gNB's to use again at once; one of the downlink when the
 * feedback has come.
 * Source: TS 38.321 5.3.2.2, 5.3.3, 5.4.5
 */
#include "ran/nr/decode.h"

#include "base/assert.h"
#include "ran/nr/access.h"
#include "ran/nr/air.h"
#include "ran/nr/lch.h"
#include "ran/nr/report.h"
#include "ran/nr/scell.h"
#include "ran/nr/ue.h"

static void record_outcome(struct nr *nr, const struct nr_sch *sch, const struct nr_tb *tb)
{
	static const uint16_t events[] = { [NR_DECODED] = CELL_EV_MAC_RX,
		                           [NR_NACK] = CELL_EV_HARQ_NACK,
		                           [NR_LOST] = CELL_EV_MAC_LOST };
	struct cell_record r = { .event = events[tb->outcome],
		                 .node = sch->at.to,
		                 .peer = sch->at.from,
		                 .sn = tb->slot,
		                 .bytes = tb->bytes };

	if (tb->outcome == NR_LOST && nr->harq.max_attempts > 1) {
		struct cell_record failure = r;

		nr->cell.stats.harq_failures[sch->at.dir]++;
		failure.event = CELL_EV_HARQ_FAILURE;
		failure.value = tb->attempt;
		failure.aux = tb->nack_to_ack;
		out_record(&nr->cell, &sch->at, failure);
	}
	if (tb->outcome == NR_NACK)
		r.value = tb->attempt;
	out_record(&nr->cell, &sch->at, r);
}

static void read_ce(struct nr *nr, struct nr_ue *u, const struct nr_tb *tb,
                    const struct nr_pdu_reader *r, const struct nr_subpdu *s)
{
	struct nr_ce ce;

	if (s->lcid < NR_LCID_UL_SHORT_TRUNCATED || s->lcid > NR_LCID_UL_LONG_BSR)
		return;
	CELL_ASSERT(nr_ce_unpack(&ce, r, s) == 0);
	nr_report_heard(nr, u, &ce.bsr, tb->first_slot);
	nr_ue_activate(nr, u, nr_slot_at(nr, nr->cell.event_ns));
}

static void read_sdu(struct nr *nr, struct nr_sch *sch, struct nr_tb *tb, uint32_t i,
                     const struct nr_subpdu *s)
{
	uint8_t k = (uint8_t)(drb_of_lcid(s->lcid) - sch->lcs_before);
	struct drb *b = &sch->drb[k];
	struct pkt_queue ends = { 0 };

	CELL_ASSERT(k < sch->n_drbs && b->at.lcid == s->lcid && i < tb->n_sdus);
	if (nr_tb_sdu_ends(tb, i) && tb->ends.n > 0)
		pkt_enqueue(&ends, pkt_dequeue(&tb->ends));
	if (tb->epoch[k] == b->epoch)
		drb_receive(nr, b, tb->buf + s->off, s->len, &ends);
	else
		out_drop_all(&nr->cell, &ends, &b->at, CELL_DROP_RADIO_LINK_FAILURE);
}

static void deliver(struct nr *nr, struct nr_sch *sch, struct nr_tb *tb)
{
	struct nr_ue *u = nr_ue_of(nr, sch);
	bool dl = sch->at.dir == CELL_DIR_DL;
	struct nr_pdu_reader reader;
	struct nr_subpdu s;
	uint32_t n = 0;

	nr_pdu_read(&reader, dl ? NR_DL : NR_UL, tb->buf, tb->bytes);
	for (int r = nr_pdu_next(&reader, &s); r != 0; r = nr_pdu_next(&reader, &s)) {
		CELL_ASSERT(r == 1);
		if (s.is_sdu)
			read_sdu(nr, sch, tb, n++, &s);
		else if (!dl)
			read_ce(nr, u, tb, &reader, &s);
		else if (s.lcid == NR_LCID_DL_SCELLS)
			nr_scells_heard(nr, u, tb->harq_id);
	}
	CELL_ASSERT(tb->ends.n == 0);
}

/* What the gNB learns of a block of the uplink. Return: it has it in hand no more. */
static void settle_uplink(struct nr *nr, struct nr_sch *sch, const struct nr_tb *tb)
{
	struct nr_process *p = &sch->process[tb->harq_id];
	struct nr_ue *u = nr_ue_of(nr, sch);

	p->state = tb->outcome == NR_NACK ? NR_PROCESS_RETX : NR_PROCESS_FREE;
	if (tb->attempt == 1 && nr->cell.cfg.nr.link_adaptation.outer_loop &&
	    tb->harq_id != NR_HARQ_RA) {
		outer_loop_feedback(&sch->loop, tb->outcome == NR_DECODED);
		nr_air_adapt(nr, sch);
	}
	if (tb->harq_id != NR_HARQ_RA)
		return;
	if (tb->outcome == NR_NACK && (u->ra.state == NR_RA_SENT || u->ra.state == NR_RA_WAITING))
		p->state = NR_PROCESS_BUSY; /* until its answer, or the next attempt */
}

void nr_decode(struct nr *nr, struct nr_tb *tb)
{
	struct nr_sch *sch = &nr->ue[tb->ue - 1].sch[tb->dir];
	bool collided;

	nr->cell.block = tb->block;
	nr_touch(nr, tb->ue);
	collided = tb->kind == NR_TB_MSGA && nr->ue[tb->ue - 1].ra.state == NR_RA_SENT &&
	           tb->outcome == NR_DECODED && nr_access_collided(nr, &nr->ue[tb->ue - 1]);
	if (collided)
		tb->outcome = NR_NACK;
	if (tb->outcome != NR_DECODED || !tb->delivered)
		record_outcome(nr, sch, tb);
	tb->attempt -= collided; /* two at once leave nothing that could be combined */
	sch->process[tb->harq_id].on_air = false;
	if (tb->outcome == NR_NACK || tb->ack_to_nack)
		sch->process[tb->harq_id].tb = tb;
	if (tb->dir == CELL_DIR_UL)
		settle_uplink(nr, sch, tb);
	if (tb->outcome == NR_DECODED && !tb->delivered) {
		deliver(nr, sch, tb);
		tb->delivered = true;
	} else if (tb->outcome == NR_LOST) {
		nr->cell.stats.mac_lost[sch->at.dir]++;
		if (tb->dir == CELL_DIR_DL)
			nr_scells_lost(nr_ue_of(nr, sch), tb->harq_id);
		out_drop_all(&nr->cell, &tb->ends, &sch->at, CELL_DROP_RADIO_LOSS);
	}
	if (tb->dir == CELL_DIR_UL && tb->harq_id == NR_HARQ_RA)
		nr_access_heard(nr, nr_ue_of(nr, sch), tb); /* after its BSR */
	if (sch->process[tb->harq_id].tb != tb)
		nr_tb_free(&nr->tbs, tb);
	nr->cell.block = 0;
}
