/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reestablish.c - a UE leaves its cell: MAC is reset, RLC and PDCP are re-established at both ends
 * of its bearers. See reestablish.h.
 *
 * In AM nothing is lost, and COUNTs go on: what the gNB's RLC has no acknowledgment for is handed
 * out with its SN, also when the UE has it; the UE itself will send again what was not
 * acknowledged. With a status report it starts by telling the target what it has, which then sends
 * no more of that. What the source's PDCP holds of the uplink, behind a gap, is the target's.
 * Otherwise what was sent is lost unless it is complete, what PDCP holds goes up, and COUNTs start
 * again. Source: TS 38.300 9.2.3.2.2, 9.2.3.2.3; TS 38.321 5.12; TS 38.322 5.1.2;
 * TS 38.323 5.1.2, 5.4.1
 */
#include "ran/nr/reestablish.h"

#include <string.h>

#include "base/assert.h"
#include "ran/nr/air.h"
#include "ran/nr/drb.h"
#include "ran/nr/init.h"

/* Where the SDUs go that a transmitter keeps. */
struct retained {
	struct nr *nr;
	struct drb *drb;
	struct pkt_queue *to;
};

/* What the receiver has is handed out once more: the transmitter cannot know. */
static struct pkt *copy(struct retained *r, const struct rlc_kept_sdu *sdu)
{
	const struct pdcp_nr_tx *pdcp = &r->drb->pdcp_tx;
	uint16_t header = pdcp_nr_header_bytes(pdcp->sn_bits);
	struct pkt *p = base_pkt_originate(&r->nr->cell);

	if (!p)
		return NULL;
	header = (uint16_t)(header + (r->nr->cell.cfg.nr.sdap_header ? 1 : 0));
	CELL_ASSERT(sdu->len > header);
	p->len = (uint16_t)(sdu->len - header);
	p->sdu_len = sdu->len;
	p->queued_ns = r->nr->cell.event_ns;
	p->port = r->drb->sch->ue;
	p->has_pdcp_sn = true;
	p->count = pdcp_nr_count(pdcp, pdcp_nr_sn(sdu->data, pdcp->sn_bits));
	memcpy(pkt_sdu(p), sdu->data, sdu->len);
	return p;
}

static void retain(void *arg, struct rlc_kept_sdu sdu)
{
	struct retained *r = arg;
	struct pkt *p = sdu.p;

	if (!pdcp_nr_is_data(sdu.data)) { /* of an earlier handover */
		if (p)
			base_pkt_terminate(&r->nr->cell, p);
		return;
	}
	if (!p)
		p = copy(r, &sdu);
	if (p)
		pkt_enqueue(r->to, p);
}

/* What was not acknowledged, then what waits, out of @b, whose RLC starts again. */
static void take_all(struct nr *nr, struct drb *b, struct pkt_queue *ret)
{
	struct retained r = { .nr = nr, .drb = b, .to = ret };
	struct pkt *p;

	if (b->rlc.mode->kept)
		b->rlc.mode->kept(&b->rlc, retain, &r);
	b->rlc.mode->reset(&b->rlc);
	while ((p = pkt_dequeue(&b->rlc.queue->sdus)))
		if (p->control)
			base_pkt_terminate(&nr->cell, p);
		else
			pkt_enqueue(ret, p);
	b->rlc.queue->bytes = 0;
}

/* For the target: packets outside a bearer, with the SNs that they have. */
static void hand_out(const struct drb *b, struct pkt_queue *taken, struct pkt_queue *ret)
{
	uint32_t mask = (UINT32_C(1) << b->pdcp_tx.sn_bits) - 1;

	for (struct pkt *p = taken->head; p; p = p->next) {
		p->sdu_len = 0;
		p->pdcp_sn = p->has_pdcp_sn ? p->count & mask : 0;
	}
	pkt_queue_move(ret, taken);
}

/* Nothing waits in the downlink of the source any more; the target decides again. */
static void leave_queue(struct nr *nr, struct drb *dl)
{
	aqm_leave(&dl->aqm, &dl->rlc.queue->sdus, nr->cell.event_ns);
}

static void reestablish_acknowledged(struct nr *nr, struct drb *ul, struct drb *dl,
                                     struct pkt_queue *ret)
{
	struct pkt_queue again = { 0 }, taken = { 0 };
	struct pkt *report = drb_report(nr, dl);

	dl->heard.known = false;
	leave_queue(nr, dl);
	take_all(nr, dl, &taken);
	hand_out(dl, &taken, ret);
	if (report) /* before anything else */
		pkt_enqueue(&again, report);
	take_all(nr, ul, &again);
	ul->outage_expiry_ns = dl->outage_expiry_ns = CELL_NEVER;
	ul->rlc.queue->sdus = again;
	for (const struct pkt *p = again.head; p; p = p->next)
		ul->rlc.queue->bytes += p->sdu_len;
}

/* The receiver gives up what is not complete, and PDCP delivers what it holds. */
static void finish(struct nr *nr, struct drb *b)
{
	struct pdcp_nr_out up = { 0 };
	struct rlc_out out = { 0 };

	b->rlc.mode->finish(&b->rlc, &out);
	drb_to_pdcp(nr, b, &out);
	pdcp_nr_finish(&b->pdcp_rx, &up);
	drb_deliver(nr, b, &up);
}

/* The rest of an SDU that was started is of no use, and its COUNT is not used again. */
static void restart(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *started = q->head_sent > 0 ? pkt_dequeue(&q->sdus) : NULL;

	if (started) {
		q->bytes -= (uint32_t)started->sdu_len - q->head_sent;
		q->head_sent = 0;
		out_drop(&nr->cell, started, &b->at, CELL_DROP_HANDOVER);
	}
	pdcp_nr_tx_init(&b->pdcp_tx, b->cfg.pdcp.sn_bits);
}

static void reestablish_unacknowledged(struct nr *nr, struct drb *ul, struct drb *dl,
                                       struct pkt_queue *ret)
{
	struct pkt_queue taken = { 0 };

	finish(nr, ul);
	finish(nr, dl);
	restart(nr, ul);
	restart(nr, dl);
	ul->rlc.mode->reset(&ul->rlc);
	leave_queue(nr, dl);
	take_all(nr, dl, &taken);
	hand_out(dl, &taken, ret);
}

/* Nothing of it is known in the new cell: blocks, grants, BSRs, requests. */
static void reset_mac(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++) {
		struct pkt_queue air = { 0 };

		nr_air_reset(nr, &u->sch[d], &air);
		out_drop_all(&nr->cell, &air, &u->sch[d].at, CELL_DROP_HANDOVER);
		for (uint8_t k = 0; k < u->sch[d].n_drbs; k++)
			u->sch[d].drb[k].reported = false;
	}
	nr_init_mac(nr, u);
}

void nr_reestablish(struct nr *nr, struct nr_ue *u, struct pkt_queue *ret)
{
	reset_mac(nr, u);
	u->detached = true;
	for (uint8_t k = 0; k < u->sch[CELL_DIR_UL].n_drbs; k++) {
		struct drb *ul = &u->sch[CELL_DIR_UL].drb[k], *dl = &u->sch[CELL_DIR_DL].drb[k];

		ul->epoch++;
		dl->epoch++;
		if (ul->rlc.mode->acknowledged)
			reestablish_acknowledged(nr, ul, dl, ret);
		else
			reestablish_unacknowledged(nr, ul, dl, ret);
	}
}
