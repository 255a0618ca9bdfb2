/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drb_tx.c - what enters at the start of a data radio bearer; see drb_tx.h.
 *
 * A datagram that enters waits in RLC's buffer, where the discardTimer can take it away as long as
 * no byte of it was sent. Queue management says where in the buffer it waits, and when its turn has
 * come whether it is marked or dropped; only then PDCP numbers it.
 *
 * A bearer with PDCP duplication has two RLC entities, on carriers of their own. Each packet has a
 * copy for each, with the same COUNT, which it gets when the first of them starts to send it. When
 * one RLC knows that a copy has arrived the other one does not start with its own any more.
 * Source: TS 38.321 5.4.3.1; TS 38.323 5.2.1, 5.3, 5.11
 */
#include "ran/nr/drb_tx.h"

#include <string.h>

#include "rlc/nr/nr.h"
#include "sdap/nr/sdap.h"

static struct drb *drb_of(struct rlc *rlc)
{
	return (struct drb *)((char *)rlc - offsetof(struct drb, rlc));
}

static bool has_aqm(const struct drb *b)
{
	return b->aqm.cfg.kind != CELL_AQM_NONE;
}

void drb_record_buffer(struct nr *nr, const struct drb *b)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_BUFFER);

	r.bytes = b->rlc.queue->bytes;
	r.value = (int32_t)b->rlc.queue->sdus.n;
	out_record(&nr->cell, &b->at, r);
}

/* RLC is about to start with @p, which has been decided on if it was started before. Return: it
 * may.
 */
static bool pass(struct drb *b, struct pkt *p)
{
	struct nr *nr = nr_of(b->rlc.cell);
	struct rlc_sdu_queue *q = b->rlc.queue;

	if (!has_aqm(b) || p->has_pdcp_sn)
		return true;
	switch (aqm_decide(&b->aqm, &q->sdus, p, nr->cell.event_ns)) {
	case AQM_DROP:
		out_drop(&nr->cell, nr_discard(q), &b->at, CELL_DROP_AQM);
		return false;
	case AQM_MARK:
		aqm_mark(&nr->cell, &b->at, p, false);
		return true;
	case AQM_MARK_COUPLED:
		aqm_mark(&nr->cell, &b->at, p, true);
		return true;
	case AQM_TURN:
		return false;
	default:
		return true;
	}
}

/* RLC starts to send @p. Source: TS 38.323 5.2.1 */
static bool take(struct rlc *rlc, struct pkt *p)
{
	struct drb *b = drb_of(rlc);

	if (p->control || rlc->cell->above)
		return true;
	if (!pass(b, p))
		return false;
	pdcp_nr_number(&b->pdcp->pdcp_tx, p);
	if (p->twin) {
		p->twin->count = p->count;
		p->twin->has_pdcp_sn = true;
	}
	return true;
}

/* The other RLC need not send what this one has. Source: TS 38.323 5.11.2 */
static void confirm(struct rlc *rlc, uint32_t count)
{
	struct drb *other = drb_of(rlc)->twin;
	struct nr *nr = nr_of(rlc->cell);
	struct pkt *p = nr_discard_count(other->rlc.queue, count);

	if (!p)
		return;
	nr_touch(nr, other->sch->ue);
	out_drop(&nr->cell, p, &other->at, CELL_DROP_PDCP_DISCARD);
}

/* That of its queue discipline, or that of all bearers. Copies of PDCP duplication are not decided
 * on. */
static struct aqm_cfg aqm_of(const struct cell_nr_aqm_cfg *cfg, const struct drb *b)
{
	bool here = (b->at.dir == CELL_DIR_DL || cfg->uplink) && !b->cfg.pdcp.duplication;
	const struct cell_qdisc *qdisc = aqm_qdisc(&b->cfg.rlc, b->at.dir);

	if (qdisc->kind != CELL_QDISC_PFIFO)
		return aqm_cfg_of(qdisc);
	return (struct aqm_cfg){
		.kind = here ? cfg->mode : (uint8_t)CELL_AQM_NONE,
		.l4s_id = cfg->l4s_id,
		.mark_from_us = cfg->mark_from_us,
		.mark_range_us = cfg->mark_range_us,
		.target_ms = cfg->target_ms,
		.tupdate_ms = cfg->tupdate_ms,
		.rtt_max_ms = cfg->rtt_max_ms,
		.coupling = cfg->coupling,
		.shift_ms = cfg->shift_ms,
	};
}

void drb_tx_init(struct nr *nr, struct drb *b, struct fq_flow *flow)
{
	struct aqm_cfg aqm = aqm_of(&nr->cell.cfg.nr.aqm, b);
	bool dl = b->at.dir == CELL_DIR_DL;

	aqm.flow = flow;
	b->rlc.take = take;
	b->rlc.confirm = b->cfg.pdcp.duplication ? confirm : NULL;
	rng_init(&b->aqm.pie.rng, nr->cell.cfg.seed, dl ? "pie-dl" : "pie-ul",
	         b->sch->ue | (uint32_t)b->at.lcid << 8);
	aqm_init(&b->aqm, &aqm, nr->cell.start_ns);
}

/* The header of SDAP, where there is one, with the QoS flow. Return: its size. */
static uint16_t put_sdap(const struct nr *nr, const struct drb *b, struct pkt *p)
{
	struct sdap_header h = { .data = true, .qfi = drb_qfi(b) };

	if (!nr->cell.cfg.nr.sdap_header)
		return 0;
	pkt_data(p)[-1] = b->at.dir == CELL_DIR_DL ? sdap_dl_pack(h) : sdap_ul_pack(h);
	return SDAP_HEADER_BYTES;
}

uint64_t drb_channel_bytes(const struct nr *nr, const struct drb *b, int64_t time_ns)
{
	uint64_t pattern = (uint64_t)b->sch->rate * nr->frame.symbols[b->at.dir] / NR_SYMBOLS;

	return pattern * (uint64_t)time_ns / (uint64_t)(nr->frame.n * nr->frame.slot_ns);
}

/* Bytes that may wait. */
static uint32_t queue_bytes_max(const struct nr *nr, const struct drb *b)
{
	const struct cell_rlc_cfg *cfg = &b->cfg.rlc;
	uint32_t fixed = cfg->queue_bytes ? cfg->queue_bytes : UINT32_MAX;
	uint64_t timed;

	if (cfg->queue_ms == 0)
		return fixed;
	timed = drb_channel_bytes(nr, b, cfg->queue_ms * NR_NS_PER_MS);
	return timed < fixed ? (uint32_t)timed : fixed;
}

/* Why @b does not take @p, or CELL_DROP_NONE. A copy of DAPS had its place in the source's queue.
 */
static enum cell_drop refusal(const struct nr *nr, const struct drb *b, const struct pkt *p)
{
	const struct rlc_sdu_queue *q = b->rlc.queue;

	if (b->stopped)
		return CELL_DROP_RADIO_LINK_FAILURE;
	if (p->has_pdcp_sn && nr_has_daps(&nr->cell.cfg))
		return CELL_DROP_NONE;
	if (rlc_sdu_queue_full(q) || q->bytes + p->len > queue_bytes_max(nr, b))
		return CELL_DROP_QUEUE_FULL;
	return CELL_DROP_NONE;
}

/* With DAPS what is forwarded at last comes before the copies that were forwarded early: the packet
 * that @p goes behind is that with the COUNT before. */
static struct pkt *place(const struct rlc_sdu_queue *q, const struct pkt *p)
{
	struct pkt *before = q->head_sent > 0 ? q->sdus.head : NULL, *next;

	if (!q->sdus.tail || (q->sdus.tail->has_pdcp_sn && q->sdus.tail->count < p->count))
		return q->sdus.tail;
	for (next = before ? before->next : q->sdus.head;
	     next && (next->control || (next->has_pdcp_sn && next->count < p->count));
	     next = next->next)
		before = next;
	return before;
}

/* With FQ-CoDel the longest of its queues makes room for what comes. */
static void make_room(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before, *p;

	for (uint32_t n = aqm_overflow(&b->aqm, &q->sdus, &before); n > 0; n--) {
		p = rlc_sdu_queue_remove(q, before);
		aqm_left(&b->aqm, p);
		out_drop(&nr->cell, p, &b->at, CELL_DROP_QUEUE_FULL);
	}
}

/* Queue management lets @p in, perhaps marked; otherwise it is dropped. */
static bool let_in(struct nr *nr, struct drb *b, struct pkt *p)
{
	switch (aqm_arrive(&b->aqm, &b->rlc.queue->sdus, p, nr->cell.event_ns)) {
	case AQM_DROP:
		out_drop(&nr->cell, p, &b->at, CELL_DROP_AQM);
		return false;
	case AQM_MARK_COUPLED:
		aqm_mark(&nr->cell, &b->at, p, true);
		return true;
	default:
		return true;
	}
}

void drb_enqueue(struct nr *nr, struct drb *b, struct pkt *p)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before =
		p->has_pdcp_sn && nr_has_daps(&nr->cell.cfg) ? place(q, p) : q->sdus.tail;

	nr_touch(nr, b->sch->ue);
	if (b->rlc.mode->whole)
		(void)take(&b->rlc, p); /* it is sent as it is */
	if (has_aqm(b) && !p->has_pdcp_sn && !p->control)
		before = aqm_accept(&b->aqm, &q->sdus, p, nr->cell.event_ns);
	rlc_sdu_queue_insert(q, before, p);
	drb_record_buffer(nr, b);
}

struct pkt *drb_copy(struct nr *nr, struct pkt *p)
{
	struct pkt *copy = base_pkt_originate(&nr->cell);
	uint32_t id = copy ? copy->id : 0;

	if (!copy)
		return NULL;
	memcpy(copy, p, offsetof(struct pkt, buf));
	memcpy(pkt_sdu(copy), pkt_sdu(p), p->sdu_len);
	copy->id = id;
	copy->next = copy->twin = NULL;
	return copy;
}

/* A copy of @p, which has its headers; NULL when there is no memory for it. */
static struct pkt *twin_of(struct nr *nr, struct pkt *p)
{
	struct pkt *twin = drb_copy(nr, p);

	if (!twin)
		return NULL;
	twin->id = p->id;
	twin->twin = p;
	p->twin = twin;
	return twin;
}

void drb_send(struct nr *nr, struct drb *b, struct pkt *p)
{
	enum cell_drop refused = refusal(nr, b, p);
	bool second = b->twin && refusal(nr, b->twin, p) == CELL_DROP_NONE;
	struct pkt *twin = NULL;

	if (refused == CELL_DROP_QUEUE_FULL) {
		make_room(nr, b);
		refused = refusal(nr, b, p);
	}
	if (refused != CELL_DROP_NONE && !second) {
		out_drop(&nr->cell, p, &b->at, refused);
		return;
	}
	if (p->has_pdcp_sn)
		p->count = pdcp_nr_count(&b->pdcp->pdcp_tx, p->pdcp_sn);
	if (p->has_pdcp_sn && pdcp_nr_status_has(&b->pdcp->heard, p->count)) {
		out_drop(&nr->cell, p, &b->at, CELL_DROP_DUPLICATE);
		return;
	}
	pdcp_nr_accept(&b->pdcp->pdcp_tx, p, put_sdap(nr, b, p), nr->cell.event_ns);
	if (!p->has_pdcp_sn && !let_in(nr, b, p))
		return;
	if (refused == CELL_DROP_NONE && second)
		twin = twin_of(nr, p);
	drb_enqueue(nr, refused == CELL_DROP_NONE ? b : b->twin, p);
	if (twin)
		drb_enqueue(nr, b->twin, twin);
}

struct pkt *drb_send_early(struct nr *nr, struct drb *b, struct pkt *p)
{
	enum cell_drop refused = refusal(nr, b, p);
	struct pkt *copy = NULL;

	pdcp_nr_accept(&b->pdcp->pdcp_tx, p, put_sdap(nr, b, p), nr->cell.event_ns);
	if (refused == CELL_DROP_NONE) {
		copy = drb_copy(nr, p);
		refused = copy ? CELL_DROP_NONE : CELL_DROP_QUEUE_FULL;
	}
	if (refused != CELL_DROP_NONE) {
		out_drop(&nr->cell, p, &b->at, refused);
		return NULL;
	}
	pdcp_nr_number(&b->pdcp->pdcp_tx, p);
	copy->count = p->count;
	drb_hand_out(b, copy);
	drb_enqueue(nr, b, p);
	return copy;
}

void drb_hand_out(const struct drb *b, struct pkt *p)
{
	p->pdcp_sn = p->count & ((UINT32_C(1) << b->pdcp->pdcp_tx.sn_bits) - 1);
	p->has_pdcp_sn = true;
	p->sdu_len = 0;
}

void drb_drop_confirmed(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before = rlc_sdu_queue_begun(q), *p;

	nr_touch(nr, b->sch->ue);
	while ((p = before ? before->next : q->sdus.head)) {
		if (!p->has_pdcp_sn || !pdcp_nr_status_has(&b->pdcp->heard, p->count)) {
			before = p;
			continue;
		}
		out_drop(&nr->cell, rlc_sdu_queue_remove(q, before), &b->at, CELL_DROP_DUPLICATE);
	}
	drb_record_buffer(nr, b);
}

void drb_flush(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt_queue waiting = { 0 };

	nr_touch(nr, b->sch->ue);
	aqm_leave(&b->aqm, &q->sdus, nr->cell.event_ns);
	rlc_sdu_queue_flush(q, rlc_sdu_queue_begun(q), &waiting);
	out_drop_all(&nr->cell, &waiting, &b->at, CELL_DROP_FLUSH);
	drb_record_buffer(nr, b);
}

/* Source: TS 38.323 5.3 */
void drb_discard_expired(struct nr *nr, struct drb *b)
{
	aqm_update(&b->aqm, &b->rlc.queue->sdus, nr->cell.event_ns);
	while (drb_discard_ns(b) <= nr->cell.event_ns) {
		struct pkt *p = nr_discard(b->rlc.queue);

		if (has_aqm(b))
			aqm_left(&b->aqm, p);
		out_drop(&nr->cell, p, &b->at, CELL_DROP_PDCP_DISCARD);
	}
}

int64_t drb_discard_ns(const struct drb *b)
{
	int64_t since_ns = b->cfg.pdcp.discard_timer_ms ? nr_discard_ns(b->rlc.queue) : CELL_NEVER;

	return since_ns == CELL_NEVER ? CELL_NEVER
	                              : since_ns + b->cfg.pdcp.discard_timer_ms * NR_NS_PER_MS;
}
