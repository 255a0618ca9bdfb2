/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reestablish.c - a UE leaves its cell: MAC is reset, RLC and PDCP are
 * re-established at both ends of its bearers. See reestablish.h.
 *
 * In an acknowledged mode nothing is lost: what the UE has complete goes up to its PDCP, which
 * waits for the gaps; what the eNB's RLC has no acknowledgment for is handed
 * out with its SN, also when the UE has it; the UE itself will send again all
 * from the first SDU on that was not acknowledged. With a status report it starts by telling
 * the target what it has, which then sends no more of that. Otherwise what was sent is
 * lost unless it is complete, and SNs start again. Bearers follow each other in what is
 * handed out; the filters of the target tell them apart again.
 * Source: TS 36.300 10.1.2.3; TS 36.321 5.9; TS 36.322 5.4; TS 36.323 5.2
 */
#include "ran/lte/reestablish.h"

#include <string.h>

#include "base/assert.h"
#include "ran/lte/d2d.h"
#include "ran/lte/lch.h"
#include "ran/lte/request.h"

static void free_blocks(struct lte *lte, struct harq_process *process, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (process[i].tb)
			tb_free(&lte->blocks, process[i].tb);
		process[i] = (struct harq_process){ 0 };
	}
}

/* Nothing of it is known in the new cell: blocks, grants, BSRs, requests. */
static void reset_mac(struct lte *lte, struct ue *u)
{
	free_blocks(lte, u->harq_ul[0], lte_processes_ul(&lte->cell.cfg));
	for (uint32_t stream = 0; stream < HARQ_DL_TB_MAX; stream++)
		free_blocks(lte, u->harq_dl[stream], HARQ_PROCESSES);
	u->ul = u->dl = (struct grant_ring){ 0 };
	memset(u->enb_backlog, 0, sizeof(u->enb_backlog));
	u->ra.state = RA_IDLE;
	u->ra.attempt = 0;
	request_reset(u);
}

/* Where the SDUs go that a transmitter still has. */
struct retained {
	struct lte *lte;
	struct bearer *bearer;
	struct pkt_queue *to;
	bool all;     /* from the first unconfirmed one on, otherwise those alone */
	bool started; /* there was one */
};

/* What the receiver has is handed out once more: the transmitter cannot know. */
static struct pkt *copy(struct retained *r, const struct rlc_kept_sdu *sdu)
{
	uint16_t header = pdcp_header_bytes(r->bearer->cfg.pdcp.sn_bits);
	struct pkt *p = base_pkt_originate(&r->lte->cell);

	if (!p)
		return NULL;
	CELL_ASSERT(sdu->len > header);
	p->len = (uint16_t)(sdu->len - header);
	p->sdu_len = sdu->len;
	p->queued_ns = r->lte->cell.event_ns;
	p->port = r->bearer->sch->ue;
	p->decided = true;
	memcpy(pkt_sdu(p), sdu->data, sdu->len);
	return p;
}

static void retain(void *arg, struct rlc_kept_sdu sdu)
{
	struct retained *r = arg;
	struct pkt *p = sdu.p;

	if (!pdcp_is_data(sdu.data)) { /* of an earlier handover */
		if (p)
			base_pkt_terminate(&r->lte->cell, p);
		return;
	}
	r->started |= !sdu.confirmed;
	if (!p && r->started && (r->all || !sdu.confirmed))
		p = copy(r, &sdu);
	if (p)
		pkt_enqueue(r->to, p);
}

static void visit_kept(struct retained *r)
{
	const struct rlc *rlc = &r->bearer->rlc;

	if (rlc->mode->kept)
		rlc->mode->kept(&r->bearer->rlc, retain, r);
}

static void number(const struct bearer *b, struct pkt *p)
{
	p->has_pdcp_sn = true;
	p->pdcp_sn = pdcp_sn(pkt_sdu(p), b->cfg.pdcp.sn_bits);
}

/* The eNB's transmitter: SDUs of which nothing was sent lose the SN they were given here. */
static void take_downlink(struct lte *lte, struct bearer *b, struct pkt_queue *ret)
{
	struct pkt_queue taken = { 0 };
	struct retained r = { .lte = lte, .bearer = b, .to = &taken };
	struct rlc_sdu_queue *q = b->rlc.queue;
	bool started = q->head_sent > 0, fresh = false;
	struct pkt *p;

	aqm_leave(&b->aqm, &q->sdus, lte->cell.event_ns);
	visit_kept(&r);
	for (p = taken.head; p; p = p->next)
		number(b, p);
	for (; (p = pkt_dequeue(&q->sdus)); started = false) {
		if (started && b->rlc.mode->acknowledged) {
			number(b, p);
		} else if (started) {
			out_drop(&lte->cell, p, &b->at, CELL_DROP_HANDOVER);
			continue;
		} else if (!bearer_numbers_at_once(b)) {
			if (p->decided) /* and sent before RLC started again */
				number(b, p);
		} else if (!p->has_pdcp_sn && !fresh) {
			fresh = true;
			b->pdcp_tx.next_sn = pdcp_sn(pkt_sdu(p), b->cfg.pdcp.sn_bits);
		}
		pkt_enqueue(&taken, p);
	}
	for (p = taken.head; p; p = p->next)
		p->sdu_len = 0;
	pkt_queue_move(ret, &taken);
	q->bytes = q->head_sent = 0;
}

/* The UE's transmitter in UM: the rest of an SDU that was started is of no use. */
static void renumber_uplink(struct lte *lte, struct bearer *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;

	if (q->head_sent > 0)
		out_drop(&lte->cell, pkt_dequeue(&q->sdus), &b->at, CELL_DROP_HANDOVER);
	q->bytes = q->head_sent = 0;
	pdcp_tx_init(&b->pdcp_tx, b->cfg.pdcp.sn_bits);
	for (struct pkt *p = q->sdus.head; p; p = p->next) {
		if (bearer_numbers_at_once(b))
			pdcp_number(&b->pdcp_tx, p);
		q->bytes += p->sdu_len;
	}
}

/* The receiver delivers what is complete. */
static void finish(struct lte *lte, struct bearer *b)
{
	struct rlc_out out = { 0 };
	struct pdcp_out up = { 0 };

	b->rlc.mode->finish(&b->rlc, &out);
	bearer_to_pdcp(lte, b, &out, true, &up);
	d2d_forward(lte, b->sch, &up);
}

static void reestablish_unacknowledged(struct lte *lte, struct bearer *ul, struct bearer *dl,
                                       struct pkt_queue *ret)
{
	finish(lte, ul);
	finish(lte, dl);
	ul->rlc.mode->reset(&ul->rlc);
	dl->rlc.mode->reset(&dl->rlc);
	renumber_uplink(lte, ul);
	take_downlink(lte, dl, ret);
	pdcp_tx_init(&dl->pdcp_tx, dl->cfg.pdcp.sn_bits);
}

/* What the UE has of the downlink, before anything else on the uplink. Source: TS 36.323 5.3.1 */
static void report(struct lte *lte, const struct bearer *dl, struct pkt_queue *ret)
{
	struct pkt *p = dl->cfg.pdcp.status_report ? base_pkt_originate(&lte->cell) : NULL;

	if (!p)
		return;
	p->control = true;
	p->port = dl->sch->ue;
	p->queued_ns = lte->cell.event_ns;
	p->len = p->sdu_len = pdcp_status_pack(&dl->pdcp_rx, pkt_data(p));
	pkt_enqueue(ret, p);
}

/*
 * The source eNB gives up uplink SDUs that came out of sequence: without
 * uplink forwarding the UE sends them to the target once more.
 */
static void reestablish_acknowledged(struct lte *lte, struct bearer *ul, struct bearer *dl,
                                     struct pkt_queue *ret)
{
	struct pkt_queue again = { 0 };
	struct retained r = { .lte = lte, .bearer = ul, .to = &again, .all = true };
	struct pkt *p;

	finish(lte, dl);
	take_downlink(lte, dl, ret);
	dl->heard.known = false;
	report(lte, dl, &again);
	visit_kept(&r);
	while ((p = pkt_dequeue(&ul->rlc.queue->sdus)))
		if (p->control)
			base_pkt_terminate(&lte->cell, p);
		else
			pkt_enqueue(&again, p);
	ul->rlc.queue->sdus = again;
	for (int i = 0; i < 2; i++) {
		struct bearer *b = i ? dl : ul;

		b->rlc.mode->reset(&b->rlc);
		b->outage_expiry_ns = CELL_NEVER;
	}
}

static void reestablish_bearer(struct lte *lte, struct bearer *ul, struct bearer *dl,
                               struct pkt_queue *ret)
{
	ul->epoch++;
	dl->epoch++;
	if (ul->rlc.mode->acknowledged)
		reestablish_acknowledged(lte, ul, dl, ret);
	else
		reestablish_unacknowledged(lte, ul, dl, ret);
}

void reestablish(struct lte *lte, struct ue *u, struct pkt_queue *ret)
{
	struct lte_sch *ul = &u->sch[CELL_DIR_UL], *dl = &u->sch[CELL_DIR_DL];
	struct pkt_queue air = { 0 };

	lte_lch_take_blocks(lte, ul, &air);
	out_drop_all(&lte->cell, &air, &ul->at, CELL_DROP_HANDOVER);
	lte_lch_take_blocks(lte, dl, &air);
	out_drop_all(&lte->cell, &air, &dl->at, CELL_DROP_HANDOVER);
	reset_mac(lte, u);
	u->cell_changes++;
	for (uint8_t k = 0; k < ul->n_bearers; k++)
		reestablish_bearer(lte, &ul->bearer[k], &dl->bearer[k], ret);
	u->detached = true;
}
