/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daps.c - a handover with dual active protocol stack: a UE has RLC and MAC in two cells, and one
 * PDCP above both; see daps.h.
 *
 * From the command on the source numbers a packet of the downlink when it comes, sends it, and
 * forwards a copy with the SN to the target, at the command also of those that wait. When the
 * target has answered the UE's preamble it sends what it has; the UE's PDCP delivers in order and
 * once what both send. The uplink goes to the source until then. Now it goes to the target: a
 * status report, what was not acknowledged, in AM, and what was not started. The source's RLC goes
 * on with what it has started.
 *
 * The target cannot deliver before it knows from which COUNT on, so what it gets waits. When the
 * source has heard of the success it starts with nothing any more, forwards what is not
 * acknowledged and was not forwarded yet, and tells the COUNTs; with these the target delivers, and
 * has the UE release the source. COUNTs go on, with RLC UM as well. Source:
 * TS 38.300 9.2.3.1, 9.2.3.2.1 to 9.2.3.2.3; TS 38.321 5.12; TS 38.322 5.1.3;
 * TS 38.323 5.1.4, 5.4.1, 5.13; TS 38.331 5.3.5.5
 */
#include "ran/nr/daps.h"

#include "epc/tunnel.h"
#include "ran/nr/air.h"
#include "ran/nr/drb_tx.h"
#include "ran/nr/init.h"
#include "ran/nr/lch.h"

/* The other MAC entity of @u. */
static struct nr_ue *spare_of(struct nr *nr, struct nr_ue *u)
{
	return u->rrc.link == u ? &nr->ue[nr->cell.cfg.n_ue + u->id - 1] : u;
}

/* The first SDU of which nothing was sent comes behind this one. */
static struct pkt *started(const struct rlc_sdu_queue *q)
{
	return q->head_sent > 0 ? q->sdus.head : NULL;
}

/* --- the start --- */

/* All that waits in the downlink gets its COUNT now, before what is still to come. */
static void number_waiting(struct nr *nr, struct drb *dl)
{
	struct rlc_sdu_queue *q = dl->rlc.queue;

	aqm_leave(&dl->aqm, &q->sdus, nr->cell.event_ns);
	for (struct pkt *p = q->sdus.head; p; p = p->next)
		pdcp_nr_number(&dl->pdcp->pdcp_tx, p);
	dl->pdcp->heard.known = false;
}

/* The target gets copies of what waits and was not started, where there is memory for all of them,
 * and of what is still to come. */
static void copy_waiting(struct nr *nr, struct nr_ue *u, struct drb *dl)
{
	const struct rlc_sdu_queue *q = dl->rlc.queue;
	struct pkt *p = started(q) ? started(q)->next : q->sdus.head;

	dl->pdcp->first_early = dl->pdcp->pdcp_tx.tx_next;
	if (!p || nr->cell.free_pkts.n + nr->cell.n_fresh_pkts < q->sdus.n)
		return;
	dl->pdcp->first_early = p->count;
	for (; p; p = p->next) {
		struct pkt *copy = drb_copy(nr, p);

		drb_hand_out(dl, copy);
		tunnel_copy(&nr->epc, u->id, u->rrc.source, copy);
	}
}

/* RLC entities and queues of the target, which is a gNB that the UE has not met. */
static void establish(const struct nr *nr, struct nr_ue *link)
{
	for (uint8_t k = 0; k < link->sch[CELL_DIR_UL].n_drbs; k++) {
		for (int d = 0; d < 2; d++) {
			struct drb *b = &link->sch[d].drb[k];
			struct aqm_cfg aqm = b->aqm.cfg;

			aqm_init(&b->aqm, &aqm, nr->cell.start_ns);
			b->stopped = b->reported = false;
			b->outage_expiry_ns = CELL_NEVER;
		}
		link->sch[CELL_DIR_UL].drb[k].awaits_status = true;
	}
}

void daps_start(struct nr *nr, struct nr_ue *u)
{
	struct nr_rrc *rrc = &u->rrc;
	struct nr_ue *next = spare_of(nr, u);

	rrc->source_link = rrc->link;
	rrc->link = next;
	establish(nr, next);
	tunnel_expect(&nr->epc, u->id, rrc->target);
	tunnel_forward_early(&nr->epc, u->id, rrc->source, rrc->target);
	for (uint8_t k = 0; k < next->sch[CELL_DIR_DL].n_drbs; k++) {
		struct drb *dl = &rrc->source_link->sch[CELL_DIR_DL].drb[k];

		number_waiting(nr, dl);
		copy_waiting(nr, u, dl);
	}
}

void daps_send(struct nr *nr, struct nr_ue *u, struct pkt *p)
{
	struct drb *b = nr_lch_classify(&u->rrc.source_link->sch[CELL_DIR_DL], p);
	struct pkt *copy = drb_send_early(nr, b, p);

	if (copy)
		tunnel_copy(&nr->epc, u->id, u->rrc.source, copy);
}

/* --- the uplink --- */

/* SDUs that RLC keeps, as packets. */
struct copies {
	struct nr *nr;
	uint32_t until; /* COUNT */
	struct pkt_queue of;
};

static void copy_outstanding(void *arg, struct pkt *p)
{
	struct copies *c = arg;
	struct pkt *copy = NULL;

	if (!p->control && (int32_t)(p->count - c->until) < 0)
		copy = drb_copy(c->nr, p);
	if (copy)
		pkt_enqueue(&c->of, copy);
}

static struct pkt_queue outstanding(struct nr *nr, const struct drb *b, uint32_t until)
{
	struct copies c = { .nr = nr, .until = until };

	if (b->rlc.mode->outstanding)
		b->rlc.mode->outstanding(&b->rlc, copy_outstanding, &c);
	return c.of;
}

/* What waits at the start of @b and was not started leaves it. */
static struct pkt_queue take_waiting(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before = rlc_sdu_queue_begun(q);
	struct pkt_queue all = { 0 };

	aqm_leave(&b->aqm, &q->sdus, nr->cell.event_ns);
	while (before ? before->next : q->sdus.head)
		pkt_enqueue(&all, rlc_sdu_queue_remove(q, before));
	drb_record_buffer(nr, b);
	return all;
}

/* Source: TS 38.323 5.4.1, 5.13 */
static void switch_bearer(struct nr *nr, struct drb *from, struct drb *to)
{
	struct pkt *report = drb_report(nr, to->reverse), *p;
	struct pkt_queue all = outstanding(nr, from, UINT32_MAX / 2), waiting;

	waiting = take_waiting(nr, from);
	pkt_queue_move(&all, &waiting);
	if (report)
		drb_enqueue(nr, to, report);
	while ((p = pkt_dequeue(&all)))
		drb_enqueue(nr, to, p);
}

void daps_switch_uplink(struct nr *nr, struct nr_ue *u)
{
	struct nr_sch *from = &u->rrc.source_link->sch[CELL_DIR_UL];
	struct nr_sch *to = &u->rrc.link->sch[CELL_DIR_UL];

	for (uint8_t k = 0; k < to->n_drbs; k++)
		switch_bearer(nr, &from->drb[k], &to->drb[k]);
}

/* --- the end --- */

/* What the target has no copy of, in order, goes to @ret. */
static void stop_bearer(struct nr *nr, struct drb *dl, struct pkt_queue *ret)
{
	uint32_t first = dl->pdcp->first_early;
	struct pkt_queue old = outstanding(nr, dl, first), waiting = take_waiting(nr, dl);
	struct pkt *p;

	while ((p = pkt_dequeue(&waiting)))
		if ((int32_t)(p->count - first) < 0)
			pkt_enqueue(&old, p);
		else
			out_drop(&nr->cell, p, &dl->at, CELL_DROP_DUPLICATE);
	for (p = old.head; p; p = p->next)
		drb_hand_out(dl, p);
	pkt_queue_move(ret, &old);
	dl->stopped = true;
}

void daps_stop_source(struct nr *nr, struct nr_ue *u)
{
	struct nr_sch *dl = &u->rrc.source_link->sch[CELL_DIR_DL];

	for (uint8_t k = 0; k < dl->n_drbs; k++)
		stop_bearer(nr, &dl->drb[k], &u->rrc.kept);
}

/* Of what the source had started there is a copy, unless it is of UM and from before the copies. */
static void drop(struct nr *nr, const struct nr_sch *sch, struct pkt_queue *held)
{
	struct pkt *p;

	while ((p = pkt_dequeue(held))) {
		const struct drb *b = p->control ? &sch->drb[0] : nr_lch_classify(sch, p);
		bool copied = b->rlc.mode->acknowledged ||
		              (b->at.dir == CELL_DIR_DL &&
		               (int32_t)(p->count - b->pdcp->first_early) >= 0);

		if (p->control)
			base_pkt_terminate(&nr->cell, p);
		else
			out_drop(&nr->cell, p, &b->at,
			         copied ? CELL_DROP_DUPLICATE : CELL_DROP_HANDOVER);
	}
}

static void release_sch(struct nr *nr, struct nr_sch *sch)
{
	struct pkt_queue held = { 0 };

	nr_air_reset(nr, sch, &held);
	for (uint8_t k = 0; k < sch->n_drbs; k++)
		drb_empty_rlc(nr, &sch->drb[k], &held);
	drop(nr, sch, &held);
}

/* What the UE has is said once more. Source: TS 38.323 5.4.1 */
static void report_again(struct nr *nr, struct drb *ul)
{
	struct pkt *report = ul->rlc.mode->acknowledged ? drb_report(nr, ul->reverse) : NULL;

	if (!report)
		return;
	rlc_sdu_queue_insert(ul->rlc.queue, started(ul->rlc.queue), report);
	drb_record_buffer(nr, ul);
}

void daps_release(struct nr *nr, struct nr_ue *u)
{
	struct nr_ue *source = u->rrc.source_link;
	struct nr_sch *ul = &u->rrc.link->sch[CELL_DIR_UL];

	u->rrc.source_link = NULL;
	release_sch(nr, &source->sch[CELL_DIR_UL]);
	release_sch(nr, &source->sch[CELL_DIR_DL]);
	nr_init_spare(nr, source);
	for (uint8_t k = 0; k < ul->n_drbs; k++) {
		drb_know_status(nr, &ul->drb[k]);
		report_again(nr, &ul->drb[k]);
	}
}
