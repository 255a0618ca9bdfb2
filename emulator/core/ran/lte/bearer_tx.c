/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bearer_tx.c - what enters at the start of a radio bearer; see bearer_tx.h.
 *
 * A datagram that enters waits in RLC's buffer, where the discardTimer can take it away as long as
 * no byte of it was sent. With queue management that says where in the buffer it waits, and when
 * RLC is about to begin it whether it is marked or dropped; only then PDCP numbers it, so that a
 * drop leaves no gap. Source: TS 36.322 4.2.1; TS 36.323 5.1.1, 5.4
 */
#include "ran/lte/bearer_tx.h"

#define NS_PER_MS INT64_C(1000000)

void bearer_record_buffer(struct lte *lte, const struct bearer *b)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_BUFFER);

	r.bytes = b->rlc.queue->bytes;
	r.value = (int32_t)b->rlc.queue->sdus.n;
	out_record(&lte->cell, &b->at, r);
}

/* @p, behind @before, leaves the queue without being sent. */
static void drop(struct bearer *b, struct pkt *before, enum cell_drop reason)
{
	out_drop(b->rlc.cell, rlc_sdu_queue_remove(b->rlc.queue, before), &b->at, reason);
}

/* --- what is sent --- */

/* Which SDU RLC begins behind @before. Return: NULL when there is none. */
static struct pkt *next(void *arg, struct pkt *before)
{
	struct bearer *b = arg;
	struct cell *c = b->rlc.cell;
	struct pkt_queue *q = &b->rlc.queue->sdus;
	struct pkt *p;

	while ((p = before ? before->next : q->head) && !aqm_is_past(p)) {
		enum aqm_verdict verdict = aqm_decide(&b->aqm, q, p, c->event_ns);

		if (verdict == AQM_TURN)
			continue;
		if (verdict == AQM_DROP) {
			drop(b, before, CELL_DROP_AQM);
			continue;
		}
		if (verdict != AQM_PASS)
			aqm_mark(c, &b->at, p, verdict == AQM_MARK_COUPLED);
		pdcp_number(&b->pdcp_tx, p);
		p->decided = true;
	}
	return p;
}

void bearer_init_queue(struct lte *lte, struct bearer *b, struct fq_flow *flow)
{
	const struct cell_qdisc *qdisc = aqm_qdisc(&b->cfg.rlc, b->at.dir);
	static const char *const streams[CELL_DIR_COUNT] = {
		[CELL_DIR_UL] = "pie-ul",
		[CELL_DIR_DL] = "pie-dl",
		[CELL_DIR_SL] = "pie-sl",
	};
	struct aqm_cfg cfg = aqm_cfg_of(qdisc);

	cfg.flow = flow;
	rng_init(&b->aqm.pie.rng, lte->cell.cfg.seed, streams[b->at.dir],
	         b->sch->ue | (uint32_t)b->at.lcid << 8);
	aqm_init(&b->aqm, &cfg, lte->cell.start_ns);
	if (qdisc->limit)
		b->rlc.queue->limit = qdisc->limit;
	if (bearer_numbers_at_once(b))
		return;
	b->rlc.queue->next = next;
	b->rlc.queue->arg = b;
}

/* --- what enters --- */

static bool is_full(const struct bearer *b, const struct pkt *p)
{
	const struct rlc_sdu_queue *q = b->rlc.queue;

	return rlc_sdu_queue_full(q) ||
	       (b->cfg.rlc.queue_bytes && q->bytes + p->len > b->cfg.rlc.queue_bytes);
}

/* With FQ-CoDel the longest of its queues makes room for what comes. */
static void make_room(struct bearer *b)
{
	struct pkt_queue *q = &b->rlc.queue->sdus;
	struct pkt *before;

	for (uint32_t n = aqm_overflow(&b->aqm, q, &before); n > 0; n--) {
		aqm_left(&b->aqm, before ? before->next : q->head);
		drop(b, before, CELL_DROP_QUEUE_FULL);
	}
}

/* Why @b does not take @p, or CELL_DROP_NONE. */
static enum cell_drop refusal(struct bearer *b, const struct pkt *p)
{
	if (b->stopped)
		return CELL_DROP_RADIO_LINK_FAILURE;
	if (is_full(b, p))
		make_room(b);
	if (is_full(b, p))
		return CELL_DROP_QUEUE_FULL;
	if (bearer_has_pdcp(b) && p->has_pdcp_sn &&
	    pdcp_status_has(&b->heard, (uint16_t)p->pdcp_sn))
		return CELL_DROP_DUPLICATE;
	return CELL_DROP_NONE;
}

/* Queue management has @p, which has no SN, at its place. Return: false when it was dropped. */
static bool manage(struct bearer *b, struct pkt *p)
{
	struct cell *c = b->rlc.cell;
	struct rlc_sdu_queue *q = b->rlc.queue;
	enum aqm_verdict verdict;

	p->decided = false;
	pdcp_accept(&b->pdcp_tx, p, c->event_ns);
	verdict = aqm_arrive(&b->aqm, &q->sdus, p, c->event_ns);
	if (verdict == AQM_DROP) {
		out_drop(c, p, &b->at, CELL_DROP_AQM);
		return false;
	}
	if (verdict == AQM_MARK_COUPLED)
		aqm_mark(c, &b->at, p, true);
	rlc_sdu_queue_insert(q, aqm_accept(&b->aqm, &q->sdus, p, c->event_ns), p);
	return true;
}

void bearer_send(struct lte *lte, struct bearer *b, struct pkt *p)
{
	enum cell_drop refused = refusal(b, p);

	if (refused != CELL_DROP_NONE) {
		out_drop(&lte->cell, p, &b->at, refused);
		return;
	}
	lte_sch_touch(lte, b->sch);
	if (!bearer_has_pdcp(b)) {
		rlc_sdu_queue_push(b->rlc.queue, p);
	} else if (bearer_numbers_at_once(b) || p->has_pdcp_sn) {
		pdcp_transmit(&b->pdcp_tx, p, lte->cell.event_ns);
		rlc_sdu_queue_push(b->rlc.queue, p);
	} else if (!manage(b, p)) {
		return;
	}
	bearer_record_buffer(lte, b);
}

void bearer_flush(struct lte *lte, struct bearer *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt_queue waiting = { 0 };

	lte_sch_touch(lte, b->sch);
	aqm_leave(&b->aqm, &q->sdus, lte->cell.event_ns);
	rlc_sdu_queue_flush(q, rlc_sdu_queue_begun(q), &waiting);
	out_drop_all(&lte->cell, &waiting, &b->at, CELL_DROP_FLUSH);
	bearer_record_buffer(lte, b);
}

/* --- what has waited too long --- */

void bearer_discard_expired(struct lte *lte, struct bearer *b)
{
	int64_t limit_ns = b->cfg.pdcp.discard_timer_ms * NS_PER_MS;
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *p;

	aqm_update(&b->aqm, &q->sdus, lte->cell.event_ns);
	while (q->sdus.head && !q->sdus.head->control &&
	       q->sdus.head->queued_ns + limit_ns <= lte->cell.event_ns) {
		p = rlc_sdu_queue_discard(q);
		if (!p)
			break; /* partly sent: the rest follows */
		if (!bearer_numbers_at_once(b))
			aqm_left(&b->aqm, p);
		out_drop(&lte->cell, p, &b->at, CELL_DROP_PDCP_DISCARD);
	}
}

uint32_t bearer_discard_tti(const struct lte *lte, const struct bearer *b, uint32_t from)
{
	int64_t limit_ns = b->cfg.pdcp.discard_timer_ms * NS_PER_MS, since;
	const struct rlc_sdu_queue *q = b->rlc.queue;
	uint32_t tti;

	if (!q->sdus.head || q->sdus.head->control || q->head_sent > 0)
		return TTI_NEVER;
	since = q->sdus.head->queued_ns + limit_ns - lte->cell.start_ns;
	tti = (uint32_t)((since + CELL_TTI_NS - 1) / CELL_TTI_NS);
	return tti > from ? tti : from;
}
