/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reestablish.c - a UE leaves its cell: MAC is reset, RLC and PDCP are
 * re-established at both ends of its bearers. See reestablish.h.
 *
 * In AM nothing is lost: what the UE has complete goes up to its PDCP, which
 * waits for the gaps; what the eNB's RLC has no acknowledgment for is handed
 * out with its SN, also when the UE has it; the UE itself will send again all
 * from the first SDU on that was not acknowledged. In UM what was sent is
 * lost unless it is complete, and SNs begin anew.
 * Source: TS 36.300 10.1.2.3; TS 36.321 5.9; TS 36.322 5.4; TS 36.323 5.2
 */
#include "ran/lte/reestablish.h"

#include <string.h>

#include "base/assert.h"
#include "ran/lte/bearer.h"
#include "ran/lte/d2d.h"

static void free_blocks(struct lte *lte, struct harq_process *process, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (process[i].pdu)
			pdu_free(&lte->pdus, process[i].pdu);
		process[i] = (struct harq_process){ 0 };
	}
}

/* Nothing of it is known in the new cell: blocks, grants, BSRs, requests. */
static void reset_mac(struct lte *lte, struct ue *u)
{
	free_blocks(lte, u->harq_ul, HARQ_PROCESSES);
	for (uint32_t tb = 0; tb < HARQ_DL_TB_MAX; tb++)
		free_blocks(lte, u->harq_dl[tb], HARQ_PROCESSES);
	u->ul = u->dl = (struct grant_ring){ 0 };
	memset(u->enb_backlog, 0, sizeof(u->enb_backlog));
	u->ra.state = RA_IDLE;
	u->ra.attempt = 0;
}

/* Where the SDUs go that a transmitter still has. */
struct retained {
	struct lte *lte;
	struct leg *leg;
	struct pkt_queue *to;
	bool all;   /* from the first unconfirmed one on, otherwise those alone */
	bool begun; /* there was one */
};

/* What the receiver has is handed out once more: the transmitter cannot know. */
static struct pkt *copy(struct retained *r, const struct rlc_am_sdu *sdu)
{
	uint16_t header = pdcp_header_bytes(r->lte->cell.cfg.pdcp_sn_bits);
	struct pkt *p = cell_pkt_originate(&r->lte->cell);

	if (!p)
		return NULL;
	CELL_ASSERT(sdu->len > header);
	p->len = (uint16_t)(sdu->len - header);
	p->sdu_len = sdu->len;
	p->queued_ns = r->lte->cell.event_ns;
	p->port = r->leg->ue;
	memcpy(pkt_sdu(p), sdu->data, sdu->len);
	return p;
}

static void retain(void *arg, struct rlc_am_sdu sdu)
{
	struct retained *r = arg;
	struct pkt *p = sdu.p;

	r->begun |= !sdu.confirmed;
	if (!p && r->begun && (r->all || !sdu.confirmed))
		p = copy(r, &sdu);
	if (p)
		pkt_enqueue(r->to, p);
}

static void number(const struct lte *lte, struct pkt *p)
{
	p->has_pdcp_sn = true;
	p->pdcp_sn = pdcp_sn(pkt_sdu(p), lte->cell.cfg.pdcp_sn_bits);
}

/* The eNB's transmitter: SDUs of which nothing was sent lose the SN they were given here. */
static void take_downlink(struct lte *lte, struct leg *leg, struct pkt_queue *ret)
{
	struct retained r = { .lte = lte, .leg = leg, .to = ret };
	struct rlc_sdu_queue *q = bearer_queue(leg);
	bool begun = q->head_sent > 0, fresh = false;
	struct pkt *p;

	if (leg_is_am(leg))
		rlc_am_tx_unconfirmed(&leg->am.tx, retain, &r);
	for (p = ret->head; p; p = p->next)
		number(lte, p);
	for (; (p = pkt_dequeue(&q->sdus)); begun = false) {
		if (begun && leg_is_am(leg)) {
			number(lte, p);
		} else if (begun) {
			out_drop(&lte->cell, p, &leg->at, CELL_DROP_HANDOVER);
			continue;
		} else if (!p->has_pdcp_sn && !fresh) {
			fresh = true;
			leg->pdcp_tx.next_sn = pdcp_sn(pkt_sdu(p), lte->cell.cfg.pdcp_sn_bits);
		}
		pkt_enqueue(ret, p);
	}
	for (p = ret->head; p; p = p->next)
		p->sdu_len = 0;
	q->bytes = q->head_sent = 0;
}

/* The UE's transmitter in UM: the rest of an SDU that was begun is of no use. */
static void renumber_uplink(struct lte *lte, struct leg *leg)
{
	struct rlc_sdu_queue *q = &leg->um.tx.queue;

	if (q->head_sent > 0)
		out_drop(&lte->cell, pkt_dequeue(&q->sdus), &leg->at, CELL_DROP_HANDOVER);
	q->bytes = q->head_sent = 0;
	pdcp_tx_init(&leg->pdcp_tx, lte->cell.cfg.pdcp_sn_bits);
	for (struct pkt *p = q->sdus.head; p; p = p->next) {
		pdcp_transmit(&leg->pdcp_tx, p, p->queued_ns);
		q->bytes += p->sdu_len;
	}
}

static void hand_up(struct lte *lte, struct leg *leg, struct rlc_out *out)
{
	struct pdcp_out up = { 0 };

	bearer_to_pdcp(lte, leg, out, true, &up);
	d2d_forward(lte, leg, &up);
}

static void reestablish_um(struct lte *lte, struct ue *u, struct pkt_queue *ret)
{
	static const enum cell_dir dirs[] = { CELL_DIR_UL, CELL_DIR_DL };

	for (uint32_t i = 0; i < 2; i++) {
		struct leg *leg = &u->leg[dirs[i]];
		struct rlc_out out = { 0 };

		rlc_um_rx_reestablish(&leg->um.rx, &out);
		hand_up(lte, leg, &out);
		leg->um.tx.vt_us = 0;
	}
	renumber_uplink(lte, &u->leg[CELL_DIR_UL]);
	take_downlink(lte, &u->leg[CELL_DIR_DL], ret);
	pdcp_tx_init(&u->leg[CELL_DIR_DL].pdcp_tx, lte->cell.cfg.pdcp_sn_bits);
}

/*
 * The source eNB gives up uplink SDUs that came out of sequence: without
 * uplink forwarding the UE sends them to the target once more.
 */
static void reestablish_am(struct lte *lte, struct ue *u, struct pkt_queue *ret)
{
	struct leg *ul = &u->leg[CELL_DIR_UL], *dl = &u->leg[CELL_DIR_DL];
	struct pkt_queue again = { 0 };
	struct retained r = { .lte = lte, .leg = ul, .to = &again, .all = true };
	struct rlc_out out = { 0 };

	rlc_am_rx_finish(&dl->am.rx, &out);
	hand_up(lte, dl, &out);
	take_downlink(lte, dl, ret);
	rlc_am_tx_unconfirmed(&ul->am.tx, retain, &r);
	pkt_queue_move(&again, &ul->am.tx.queue.sdus);
	ul->am.tx.queue.sdus = again;
	for (int i = 0; i < 2; i++) {
		struct leg *leg = i ? dl : ul;

		rlc_am_rx_reset(&leg->am.rx);
		rlc_am_tx_reset(&leg->am.tx);
		leg->outage_expiry_ns = CELL_NEVER;
	}
}

void reestablish(struct lte *lte, struct ue *u, struct pkt_queue *ret)
{
	struct leg *ul = &u->leg[CELL_DIR_UL], *dl = &u->leg[CELL_DIR_DL];
	struct pkt_queue air = { 0 };

	bearer_take_blocks(lte, ul, &air);
	out_drop_all(&lte->cell, &air, &ul->at, CELL_DROP_HANDOVER);
	bearer_take_blocks(lte, dl, &air);
	out_drop_all(&lte->cell, &air, &dl->at, CELL_DROP_HANDOVER);
	reset_mac(lte, u);
	u->cell_changes++;
	ul->epoch++;
	dl->epoch++;
	if (leg_is_am(ul))
		reestablish_am(lte, u, ret);
	else
		reestablish_um(lte, u, ret);
	u->detached = true;
}
