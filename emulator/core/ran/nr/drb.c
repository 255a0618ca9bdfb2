/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drb.c - SDAP, PDCP and RLC of one direction of a data radio bearer; see drb.h.
 *
 * A datagram that enters waits in RLC's buffer, where the discardTimer can take it away as long as
 * no byte of it was sent. Queue management says where in the buffer it waits, and when its turn has
 * come whether it is marked or dropped; only then PDCP numbers it. RLC neither joins SDUs nor puts
 * them in order, so PDCP at the end does. When a PDU was sent maxRetxThreshold times in vain the
 * radio link has failed: both directions give up their PDUs, and either begin anew after an outage
 * or stop.
 *
 * A bearer with PDCP duplication has two RLC entities, on carriers of their own. Each packet has a
 * copy for each, with the same COUNT, which it gets when the first of them begins to send it. The
 * receiver delivers what comes first. When one RLC knows that a copy has arrived the other one does
 * not begin with its own any more. A leg whose link has failed leaves the other one alone.
 * Source: TS 38.321 5.4.3.1; TS 38.322 5.1, 5.3.2; TS 38.323 5.1, 5.2, 5.3, 5.11; TS 38.331 5.3.10
 */
#include "ran/nr/drb.h"

#include <stdalign.h>
#include <string.h>

#include "base/assert.h"
#include "base/ecn.h"
#include "epc/tunnel.h"
#include "ran/channel/channel.h"
#include "rlc/nr/nr.h"
#include "sdap/sdap.h"

const struct rlc_mode *drb_mode(const struct cell_bearer_cfg *cfg)
{
	switch (cfg->rlc_mode) {
	case CELL_RLC_UM:
		return &rlc_mode_nr_um;
	case CELL_RLC_AM:
		return &rlc_mode_nr_am;
	default:
		return &rlc_mode_tm;
	}
}

/* Kinds of bearers whose logical channels have numbers of their own. */
static uint8_t kind_of(const struct cell_bearer_cfg *cfg)
{
	switch (cfg->rlc_mode) {
	case CELL_RLC_AM:
		return cfg->am_sn_bits == 18 ? 0 : 2;
	case CELL_RLC_UM:
		return cfg->um_sn_bits == 12 ? 1 : 3;
	default:
		return 3;
	}
}

/*
 * An LCID says which RLC its channel has, so that a capture explains itself without RRC messages.
 * Each kind has eight, whatever a UE's other bearers are; the last one has five and those of
 * signalling, which this network does without. Source: TS 38.321 Table 6.2.1-1
 */
static uint8_t lcid_of(const struct cell_bearer_cfg *cfg, uint8_t k)
{
	uint8_t lcid = (uint8_t)(NR_LCID_DRB + kind_of(cfg) * CELL_MAX_BEARERS + k);

	return lcid <= NR_LCID_LAST ? lcid : (uint8_t)(lcid - NR_LCID_LAST);
}

uint8_t drb_of_lcid(uint8_t lcid)
{
	uint8_t place = lcid < NR_LCID_DRB ? (uint8_t)(lcid + NR_LCID_LAST) : lcid;

	return (uint8_t)((place - NR_LCID_DRB) % CELL_MAX_BEARERS);
}

static struct drb *drb_of(struct rlc *rlc)
{
	return (struct drb *)((char *)rlc - offsetof(struct drb, rlc));
}

static bool has_aqm(const struct drb *b)
{
	return b->aqm.cfg.kind != CELL_AQM_NONE;
}

/* CE: congestion was experienced. Source: RFC 3168 5; RFC 9331 2 */
static void mark(struct nr *nr, struct drb *b, struct pkt *p, bool coupled)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_ECN_MARK);

	if (ecn_of(pkt_data(p), p->len) == ECN_CE)
		return;
	ecn_set(pkt_data(p), ECN_CE);
	r.pkt = p->id;
	r.tag = p->tag;
	r.bytes = p->len;
	r.value = (int32_t)((nr->cell.event_ns - p->queued_ns) / 1000);
	r.aux = coupled;
	nr->cell.stats.ecn_marks++;
	out_record(&nr->cell, &b->at, r);
}

/* RLC is about to begin with @p, which has been decided on if it was begun before. Return: it may.
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
		mark(nr, b, p, false);
		return true;
	case AQM_MARK_COUPLED:
		mark(nr, b, p, true);
		return true;
	default:
		return true;
	}
}

/* RLC begins to send @p. Source: TS 38.323 5.2.1 */
static bool take(struct rlc *rlc, struct pkt *p)
{
	struct drb *b = drb_of(rlc);

	if (p->control)
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

/* The other leg need not send what this one has. Source: TS 38.323 5.11.2 */
static void confirm(struct rlc *rlc, uint32_t count)
{
	struct drb *other = drb_of(rlc)->twin;
	struct nr *nr = nr_of(rlc->cell);
	struct pkt *p = nr_discard_count(other->rlc.queue, count);

	if (!p)
		return;
	nr_touch(nr, other->leg->ue);
	out_drop(&nr->cell, p, &other->at, CELL_DROP_PDCP_DISCARD);
}

void drb_needs(const struct cell_bearer_cfg *cfg, size_t *ret_state, size_t *ret_window,
               size_t *ret_words)
{
	size_t align = alignof(max_align_t);

	*ret_state = (drb_mode(cfg)->bytes + align - 1) / align * align;
	*ret_window = drb_mode(cfg)->slots(cfg);
	*ret_words = bits_words(pdcp_nr_window(cfg->pdcp_sn_bits));
}

static void init_pdcp(struct drb *b, uint64_t *words)
{
	const struct cell_bearer_cfg *cfg = &b->cfg;

	b->pdcp = b;
	pdcp_nr_tx_init(&b->pdcp_tx, cfg->pdcp_sn_bits);
	pdcp_nr_rx_init(&b->pdcp_rx, cfg->pdcp_sn_bits, cfg->pdcp_out_of_order_delivery,
	                cfg->pdcp_t_reordering_infinite ? CELL_NEVER
	                                                : cfg->pdcp_t_reordering_ms * NR_NS_PER_MS,
	                words);
}

/* Copies of PDCP duplication are not decided on. */
static struct aqm_cfg aqm_cfg_of(const struct cell_cfg *cfg, const struct drb *b)
{
	bool here = (b->at.dir == CELL_DIR_DL || cfg->nr_aqm_uplink) && !b->cfg.pdcp_duplication;

	return (struct aqm_cfg){
		.kind = here ? cfg->nr_aqm : (uint8_t)CELL_AQM_NONE,
		.l4s_id = cfg->nr_aqm_l4s_id,
		.mark_from_us = cfg->nr_aqm_mark_from_us,
		.mark_range_us = cfg->nr_aqm_mark_range_us,
		.target_ms = cfg->nr_aqm_target_ms,
		.tupdate_ms = cfg->nr_aqm_tupdate_ms,
		.rtt_max_ms = cfg->nr_aqm_rtt_max_ms,
		.coupling = cfg->nr_aqm_coupling,
		.shift_ms = cfg->nr_aqm_shift_ms,
	};
}

void drb_init(struct drb *b, struct nr *nr, struct nr_leg *leg, uint8_t k,
              struct drb_memory *memory)
{
	uint8_t at = (uint8_t)(b - leg->drb);
	struct aqm_cfg aqm;
	size_t state, window, words;

	*b = (struct drb){
		.cfg = channel_cfg(&nr->cell.cfg, nr_ue_of(nr, leg)->id, k),
		.leg = leg,
		.outage_expiry_ns = CELL_NEVER,
		.at = leg->at,
	};
	b->at.lcid = lcid_of(&b->cfg, (uint8_t)(leg->lcs_before + at));
	if (at == 0)
		leg->at.lcid = b->at.lcid;
	b->rlc = (struct rlc){
		.mode = drb_mode(&b->cfg),
		.state = memory->rlc_state,
		.shared = &nr->rlc,
		.cell = &nr->cell,
		.at = &b->at,
		.take = take,
		.confirm = b->cfg.pdcp_duplication ? confirm : NULL,
	};
	b->rlc.mode->init(&b->rlc, &b->cfg, memory->window);
	aqm = aqm_cfg_of(&nr->cell.cfg, b);
	aqm_init(&b->aqm, &aqm, nr->cell.start_ns);
	b->pdcp_rx.expiry_ns = CELL_NEVER;
	drb_needs(&b->cfg, &state, &window, &words);
	memory->rlc_state += state;
	memory->window += window;
	if (nr_ue_of(nr, leg)->cell > 0)
		return;
	init_pdcp(b, memory->pdcp_words);
	memory->pdcp_words += words;
}

void drb_record_buffer(struct nr *nr, const struct drb *b)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_BUFFER);

	r.bytes = b->rlc.queue->bytes;
	r.value = (int32_t)b->rlc.queue->sdus.n;
	out_record(&nr->cell, &b->at, r);
}

/* The header of SDAP, where there is one, with the QoS flow. Return: its size. */
static uint16_t put_sdap(const struct nr *nr, const struct drb *b, struct pkt *p)
{
	struct sdap_header h = { .data = true, .qfi = (uint8_t)(drb_of_lcid(b->at.lcid) + 1) };

	if (!nr->cell.cfg.nr_sdap_header)
		return 0;
	pkt_data(p)[-1] = b->at.dir == CELL_DIR_DL ? sdap_dl_pack(h) : sdap_ul_pack(h);
	return SDAP_HEADER_BYTES;
}

/* Why @b does not take another packet of @len bytes, or CELL_DROP_NONE. */
static enum cell_drop refusal(const struct drb *b, uint32_t len)
{
	const struct rlc_sdu_queue *q = b->rlc.queue;

	if (b->stopped)
		return CELL_DROP_RADIO_LINK_FAILURE;
	if (rlc_sdu_queue_full(q) ||
	    (b->cfg.rlc_queue_bytes && q->bytes + len > b->cfg.rlc_queue_bytes))
		return CELL_DROP_QUEUE_FULL;
	return CELL_DROP_NONE;
}

static void queue(struct nr *nr, struct drb *b, struct pkt *p)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before = q->sdus.tail;

	nr_touch(nr, b->leg->ue);
	if (b->rlc.mode->whole)
		(void)take(&b->rlc, p); /* it is sent as it is */
	if (has_aqm(b) && !p->has_pdcp_sn)
		before = aqm_accept(&b->aqm, &q->sdus, p, nr->cell.event_ns);
	rlc_sdu_queue_insert(q, before, p);
	drb_record_buffer(nr, b);
}

/* A copy of @p, which has its headers; NULL when there is no memory for it. */
static struct pkt *copy_of(struct nr *nr, struct pkt *p)
{
	struct pkt *twin = cell_pkt_originate(&nr->cell);

	if (!twin)
		return NULL;
	memcpy(twin, p, offsetof(struct pkt, buf));
	memcpy(pkt_sdu(twin), pkt_sdu(p), p->sdu_len);
	twin->next = NULL;
	twin->twin = p;
	p->twin = twin;
	return twin;
}

void drb_send(struct nr *nr, struct drb *b, struct pkt *p)
{
	enum cell_drop refused = refusal(b, p->len);
	bool second = b->twin && refusal(b->twin, p->len) == CELL_DROP_NONE;
	struct pkt *twin = NULL;

	if (refused != CELL_DROP_NONE && !second) {
		out_drop(&nr->cell, p, &b->at, refused);
		return;
	}
	if (p->has_pdcp_sn)
		p->count = pdcp_nr_count(&b->pdcp_tx, p->pdcp_sn);
	if (p->has_pdcp_sn && pdcp_nr_status_has(&b->heard, p->count)) {
		out_drop(&nr->cell, p, &b->at, CELL_DROP_DUPLICATE);
		return;
	}
	pdcp_nr_accept(&b->pdcp_tx, p, put_sdap(nr, b, p), nr->cell.event_ns);
	if (refused == CELL_DROP_NONE && second)
		twin = copy_of(nr, p);
	queue(nr, refused == CELL_DROP_NONE ? b : b->twin, p);
	if (twin)
		queue(nr, b->twin, twin);
}

/* --- reception --- */

void drb_deliver(struct nr *nr, struct drb *b, struct pdcp_nr_out *up)
{
	uint8_t ue = nr_ue_of(nr, b->leg)->id;
	struct pkt *p;

	while ((p = pkt_dequeue(&up->discarded)))
		out_drop(&nr->cell, p, &b->at,
		         p->twin || p->spent ? CELL_DROP_DUPLICATE : CELL_DROP_PDCP_DISCARD);
	out_drop_all(&nr->cell, &up->duplicates, &b->at, CELL_DROP_DUPLICATE);
	while ((p = pkt_dequeue(&up->delivered)))
		if (b->at.dir == CELL_DIR_DL)
			out_deliver(&nr->cell, p, ue);
		else if (nr->cell.cfg.sgw_gtpu_addr)
			tunnel_uplink(&nr->epc, ue, p);
		else
			out_deliver(&nr->cell, p, ue | CELL_PORT_NETWORK);
}

/* What waits at the start of @b and was forwarded, but by its report the receiver has. */
static void drop_confirmed(struct nr *nr, struct drb *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before = q->head_sent > 0 ? q->sdus.head : NULL, *p;

	nr_touch(nr, b->leg->ue);
	while ((p = before ? before->next : q->sdus.head)) {
		if (!p->has_pdcp_sn || !pdcp_nr_status_has(&b->heard, p->count)) {
			before = p;
			continue;
		}
		q->bytes -= p->sdu_len;
		out_drop(&nr->cell, pkt_queue_remove(&q->sdus, before), &b->at,
		         CELL_DROP_DUPLICATE);
	}
	drb_record_buffer(nr, b);
}

/* A PDCP PDU without data, at the end of @b: a report on what came the other way. */
static void receive_control(struct nr *nr, struct drb *b, struct pkt *p)
{
	struct drb *reverse = b->reverse;

	memcpy(reverse->heard_pdu, pkt_sdu(p), p->sdu_len);
	CELL_ASSERT(pdcp_nr_status_open(&reverse->heard, reverse->heard_pdu, p->sdu_len) == 0);
	cell_pkt_terminate(&nr->cell, p);
	drop_confirmed(nr, reverse);
}

void drb_to_pdcp(struct nr *nr, struct drb *b, struct rlc_out *out)
{
	struct pdcp_nr_out up = { 0 };
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	out_drop_all(&nr->cell, &out->discarded, &b->at, CELL_DROP_RLC_DISCARD);
	if (out->delivered.head && b->pdcp != b)
		nr_touch(nr, b->pdcp->leg->ue);
	while ((p = pkt_dequeue(&out->delivered)))
		if (p->control)
			receive_control(nr, b, p);
		else
			(void)pdcp_nr_receive(&b->pdcp->pdcp_rx, p, nr->cell.event_ns, &up);
	drb_deliver(nr, b, &up);
}

static void empty_rlc(struct nr *nr, struct drb *b, struct pkt_queue *ret)
{
	struct rlc_sdu_queue *q = b->rlc.queue;

	nr_touch(nr, b->leg->ue);
	aqm_update(&b->aqm, &q->sdus, nr->cell.event_ns);
	aqm_empty(&b->aqm);
	b->rlc.mode->empty(&b->rlc, ret);
	b->epoch++;
	pkt_queue_move(ret, &q->sdus);
	q->bytes = 0;
	q->head_sent = 0;
}

/* What PDCP holds is delivered in its time as long as there is another leg. */
static void stop(struct nr *nr, struct drb *b)
{
	struct pkt_queue lost = { 0 };

	empty_rlc(nr, b, &lost);
	if (!b->twin)
		pdcp_nr_empty(&b->pdcp_rx, &lost);
	out_drop_all(&nr->cell, &lost, &b->at, CELL_DROP_RADIO_LINK_FAILURE);
	b->stopped = true;
}

/* A bearer both of whose ends give up their PDUs. Source: TS 38.331 5.3.10.3; TS 38.322 5.1.3 */
static void fail_link(struct nr *nr, struct drb *b)
{
	struct drb *both[2] = { b, b->reverse };
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_RADIO_LINK_FAILURE);

	r.value = b->cfg.am_on_max_retx;
	out_record(&nr->cell, &b->at, r);
	nr->cell.stats.radio_link_failures++;
	for (int i = 0; i < 2; i++) {
		both[i]->rlc.mode->reset(&both[i]->rlc);
		both[i]->epoch++;
		if (b->cfg.am_on_max_retx == CELL_MAX_RETX_STOP)
			stop(nr, both[i]);
		else
			both[i]->outage_expiry_ns =
				nr->cell.event_ns + b->cfg.am_reestablish_ms * NR_NS_PER_MS;
	}
}

void drb_receive(struct nr *nr, struct drb *b, const uint8_t *buf, uint32_t len,
                 struct pkt_queue *ends)
{
	struct rlc_out out = { 0 };

	b->rlc.mode->receive(&b->rlc, buf, len, ends, &out);
	drb_to_pdcp(nr, b, &out);
	if (b->rlc.reverse->failed)
		fail_link(nr, b->reverse);
}

/* --- timers --- */

static void pdcp_expired(struct nr *nr, struct drb *b)
{
	struct cell_record r = rlc_row_at_end(&b->rlc, CELL_EV_PDCP_T_REORDERING);
	struct pdcp_nr_out up = { 0 };

	pdcp_nr_expire(&b->pdcp_rx, nr->cell.event_ns, &up);
	r.sn = b->pdcp_rx.rx_deliv;
	out_record(&nr->cell, &b->at, r);
	drb_deliver(nr, b, &up);
}

static void outage_over(struct nr *nr, struct drb *b)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_REESTABLISHED);

	b->outage_expiry_ns = CELL_NEVER;
	r.bytes = b->rlc.queue->bytes;
	r.value = (int32_t)b->rlc.queue->sdus.n;
	out_record(&nr->cell, &b->at, r);
}

static void rlc_expired(struct nr *nr, struct drb *b)
{
	struct rlc_out out = { 0 };

	b->rlc.mode->expire(&b->rlc, &out);
	drb_to_pdcp(nr, b, &out);
	if (b->rlc.failed)
		fail_link(nr, b);
}

/* Of several at one time this is the order. */
void drb_expire(struct nr *nr, struct drb *b)
{
	int64_t t_ns = drb_next_ns(b);

	nr_touch(nr, b->leg->ue);
	if (b->rlc.expiry_ns == t_ns)
		rlc_expired(nr, b);
	else if (b->pdcp_rx.expiry_ns == t_ns)
		pdcp_expired(nr, b);
	else
		outage_over(nr, b);
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
	int64_t since_ns = b->cfg.discard_timer_ms ? nr_discard_ns(b->rlc.queue) : CELL_NEVER;

	return since_ns == CELL_NEVER ? CELL_NEVER
	                              : since_ns + b->cfg.discard_timer_ms * NR_NS_PER_MS;
}

/* --- giving up --- */

void drb_empty(struct nr *nr, struct drb *b, struct pkt_queue *ret)
{
	empty_rlc(nr, b, ret);
	pdcp_nr_empty(&b->pdcp_rx, ret);
}
