/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bearer.c - RLC and PDCP of a leg, whichever mode: what goes in at its start,
 * what comes out at its end, its timers. See cell.h.
 */
#include "base/assert.h"
#include "cell.h"
#include "rlc/um/pdu.h"

#define NS_PER_MS INT64_C(1000000)

static bool is_am(const struct cell *c)
{
	return c->cfg.rlc_mode == CELL_RLC_AM;
}

struct rlc_sdu_queue *bearer_queue(const struct cell *c, const struct leg *leg)
{
	return is_am(c) ? (struct rlc_sdu_queue *)&leg->am_tx.queue
	                : (struct rlc_sdu_queue *)&leg->um_tx.queue;
}

void bearer_send(struct cell *c, struct leg *leg, struct pkt *p)
{
	struct rlc_sdu_queue *q = bearer_queue(c, leg);

	if (leg->stopped) {
		out_drop(c, p, leg, CELL_DROP_RADIO_LINK_FAILURE);
		return;
	}
	if (rlc_sdu_queue_full(q) ||
	    (c->cfg.rlc_queue_bytes && q->bytes + p->len > c->cfg.rlc_queue_bytes)) {
		out_drop(c, p, leg, CELL_DROP_QUEUE_FULL);
		return;
	}
	pdcp_transmit(&leg->pdcp_tx, p, c->event_ns);
	rlc_sdu_queue_push(q, p);
	out_buffer(c, leg);
}

/* No RLC at either end: between a radio link failure and the re-establishment, or after a stop. */
static bool silent(const struct leg *leg)
{
	return leg->stopped || leg->outage_expiry_ns != CELL_NEVER;
}

uint32_t bearer_bytes(const struct cell *c, const struct leg *leg)
{
	if (c->ue[leg->ue - 1].detached)
		return 0;
	if (!is_am(c))
		return leg->um_tx.queue.bytes;
	if (silent(leg))
		return 0;
	return rlc_am_tx_bytes(&leg->am_tx) + rlc_am_rx_status_bytes(&leg_reverse(c, leg)->am_rx);
}

bool bearer_fits(const struct cell *c, const struct leg *leg, uint32_t room)
{
	if (!is_am(c))
		return rlc_sdu_queue_fits(&leg->um_tx.queue,
		                          (uint32_t)um_fixed_bytes(leg->um_tx.sn_bits), room);
	return bearer_bytes(c, leg) + grant_overhead(bearer_bytes(c, leg)) <= room;
}

static void record_new(struct cell *c, const struct leg *leg, uint32_t size)
{
	for (uint16_t i = 0; i < c->tx_pdu.n; i++)
		out_record(c, leg,
		           (struct cell_record){ .event = CELL_EV_RLC_TX,
		                                 .node = leg_from(leg),
		                                 .peer = leg_to(c, leg),
		                                 .sn = c->tx_pdu.sn,
		                                 .bytes = size,
		                                 .pkt = c->tx_pdu.element[i].pkt,
		                                 .tag = c->tx_pdu.element[i].tag,
		                                 .value = c->tx_pdu.len[i],
		                                 .aux = c->tx_pdu.element[i].ends });
}

static struct cell_record at_start(const struct cell *c, const struct leg *leg, uint16_t event)
{
	return (struct cell_record){ .event = event,
		                     .node = leg_from(leg),
		                     .peer = leg_to(c, leg) };
}

static struct cell_record at_end(const struct cell *c, const struct leg *leg, uint16_t event)
{
	return (struct cell_record){ .event = event,
		                     .node = leg_to(c, leg),
		                     .peer = leg_from(leg) };
}

/* STATUS PDU of the opposite leg's receiving end. Return: its size or 0. */
static uint32_t build_status(struct cell *c, struct leg *leg, uint32_t room, uint8_t *buf)
{
	struct cell_record r = at_start(c, leg, CELL_EV_RLC_STATUS_TX);
	uint32_t size = rlc_am_rx_status_build(&leg_reverse(c, leg)->am_rx, room, c->event_ns, buf,
	                                       &c->am_status);

	if (size == 0)
		return 0;
	r.sn = c->am_status.ack_sn;
	r.bytes = size;
	r.value = c->am_status.n;
	c->stats.rlc_status_tx++;
	out_record(c, leg, r);
	return size;
}

static uint32_t build_data(struct cell *c, struct leg *leg, uint32_t room, uint8_t *buf)
{
	struct rlc_am_built b = rlc_am_tx_build(&leg->am_tx, room, c->event_ns, buf, &c->tx_pdu);
	struct cell_record r = at_start(c, leg, CELL_EV_RLC_RETX);

	if (b.size == 0)
		return 0;
	c->stats.rlc_pdus_tx++;
	r.sn = b.sn;
	if (b.retx) {
		c->stats.rlc_retx++;
		r.bytes = b.size;
		r.value = b.so;
		r.aux = b.retx_count;
		out_record(c, leg, r);
	} else {
		record_new(c, leg, b.size);
	}
	if (b.poll) {
		r = at_start(c, leg, CELL_EV_RLC_POLL);
		r.sn = b.sn;
		out_record(c, leg, r);
	}
	return b.size;
}

static uint32_t build(struct cell *c, struct leg *leg, uint32_t room, uint8_t *buf,
                      struct pkt_queue *ends)
{
	uint32_t size;

	if (!is_am(c)) {
		size = rlc_um_tx_build(&leg->um_tx, room, buf, ends, &c->tx_pdu);
		if (size) {
			c->stats.rlc_pdus_tx++;
			record_new(c, leg, size);
		}
		return size;
	}
	if (silent(leg))
		return 0;
	size = build_status(c, leg, room, buf);
	return size ? size : build_data(c, leg, room, buf);
}

void bearer_fill(struct cell *c, struct leg *leg, struct mac_pdu *mac, uint32_t tbs,
                 struct pdu *pdu)
{
	/* One UM PDU takes all there is room for; `ends` belongs to it. */
	uint32_t max = is_am(c) ? MAC_SDUS_MAX : 1, used = 0, size;

	while (mac->n_sdus < max) {
		size = build(c, leg, mac_sdu_room(mac, tbs), c->rlc_buf + used, &pdu->ends);
		if (size == 0)
			break;
		mac->sdu[mac->n_sdus++] = (struct mac_sdu){
			.lcid = leg->lcid,
			.len = size,
		};
		used += size;
	}
	pdu->epoch = leg->epoch;
}

/* --- reception --- */

void bearer_to_pdcp(struct cell *c, struct leg *leg, struct rlc_out *out, bool re)
{
	struct pdcp_out up = { 0 };
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	if (out->discarded_pdus) {
		struct cell_record r = at_end(c, leg, CELL_EV_RLC_DISCARD);

		r.sn = is_am(c) ? leg->am_rx.reassembly.lower : leg->um_rx.vr_ur;
		r.value = (int32_t)out->discarded_pdus;
		out_record(c, leg, r);
	}
	out_drop_all(c, &out->discarded, leg, CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered)))
		(void)pdcp_receive(&leg->pdcp_rx, p, re, c->event_ns, &up);
	d2d_forward(c, leg, &up);
}

/* A bearer both of whose ends give up their PDUs. Source: TS 36.331 5.3.11, TS 36.322 5.4 */
static void fail_link(struct cell *c, struct leg *leg)
{
	struct leg *both[2] = { leg, leg_reverse(c, leg) };
	struct cell_record r = at_start(c, leg, CELL_EV_RADIO_LINK_FAILURE);

	r.value = c->cfg.am_on_max_retx;
	out_record(c, leg, r);
	c->stats.radio_link_failures++;
	for (int i = 0; i < 2; i++) {
		rlc_am_rx_reset(&both[i]->am_rx);
		rlc_am_tx_reset(&both[i]->am_tx);
		both[i]->epoch++;
		if (c->cfg.am_on_max_retx == CELL_MAX_RETX_STOP) {
			struct pkt_queue lost = { 0 };

			bearer_empty(c, both[i], true, &lost);
			out_drop_all(c, &lost, both[i], CELL_DROP_RADIO_LINK_FAILURE);
			both[i]->stopped = true;
		} else {
			both[i]->outage_expiry_ns =
				c->event_ns + c->cfg.am_reestablish_ms * NS_PER_MS;
		}
	}
}

static void receive_status(struct cell *c, struct leg *leg, const uint8_t *buf, uint32_t len)
{
	struct leg *acked = leg_reverse(c, leg);
	struct cell_record r = at_end(c, leg, CELL_EV_RLC_STATUS_RX);

	if (am_status_unpack(&c->am_status, buf, len) < 0 ||
	    rlc_am_tx_status(&acked->am_tx, &c->am_status) < 0)
		return;
	c->stats.rlc_status_rx++;
	r.sn = c->am_status.ack_sn;
	r.bytes = len;
	r.value = c->am_status.n;
	out_record(c, leg, r);
	if (acked->am_tx.max_retx_reached)
		fail_link(c, acked);
}

void bearer_receive(struct cell *c, struct leg *leg, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends)
{
	struct rlc_out out = { 0 };
	int sn;

	if (is_am(c) && !am_is_data(buf)) {
		receive_status(c, leg, buf, len);
		return;
	}
	if (is_am(c))
		sn = rlc_am_rx_receive(&leg->am_rx, buf, len, c->event_ns, &out);
	else
		sn = rlc_um_rx_receive(&leg->um_rx, buf, len, ends, c->event_ns, &out);
	if (sn >= 0) {
		struct cell_record r = at_end(c, leg, CELL_EV_RLC_RX);

		c->stats.rlc_pdus_rx++;
		r.sn = (uint32_t)sn;
		r.bytes = len;
		out_record(c, leg, r);
	}
	bearer_to_pdcp(c, leg, &out, false);
}

/* --- timers --- */

static void reordering_expired(struct cell *c, struct leg *leg)
{
	struct cell_record r = at_end(c, leg, CELL_EV_T_REORDERING);
	struct rlc_out out = { 0 };

	if (is_am(c))
		rlc_am_rx_expire(&leg->am_rx, c->event_ns);
	else
		rlc_um_rx_expire(&leg->um_rx, c->event_ns, &out);
	r.sn = is_am(c) ? leg->am_rx.vr_ms : leg->um_rx.vr_ur;
	out_record(c, leg, r);
	bearer_to_pdcp(c, leg, &out, false);
}

static void poll_expired(struct cell *c, struct leg *leg)
{
	struct cell_record r = at_start(c, leg, CELL_EV_T_POLL_RETRANSMIT);

	r.sn = leg->am_tx.poll_sn;
	out_record(c, leg, r);
	rlc_am_tx_expire(&leg->am_tx);
	if (leg->am_tx.max_retx_reached)
		fail_link(c, leg);
}

static void pdcp_expired(struct cell *c, struct leg *leg)
{
	struct cell_record r = at_end(c, leg, CELL_EV_PDCP_T_REORDERING);
	struct pdcp_out up = { 0 };

	pdcp_expire(&leg->pdcp_rx, c->event_ns, &up);
	r.sn = leg->pdcp_rx.rx_deliv;
	out_record(c, leg, r);
	d2d_forward(c, leg, &up);
}

static void outage_over(struct cell *c, struct leg *leg)
{
	struct cell_record r = at_start(c, leg, CELL_EV_REESTABLISHED);

	leg->outage_expiry_ns = CELL_NEVER;
	r.bytes = leg->am_tx.queue.bytes;
	r.value = (int32_t)leg->am_tx.queue.sdus.n;
	out_record(c, leg, r);
}

void bearer_expire(struct cell *c, struct leg *leg, enum leg_timer timer)
{
	switch (timer) {
	case LEG_T_REORDERING:
		reordering_expired(c, leg);
		break;
	case LEG_T_POLL_RETRANSMIT:
		poll_expired(c, leg);
		break;
	case LEG_T_STATUS_PROHIBIT: /* a STATUS PDU that is due can go now */
		leg->am_rx.prohibit_expiry_ns = CELL_NEVER;
		break;
	case LEG_T_PDCP_REORDERING:
		pdcp_expired(c, leg);
		break;
	default:
		outage_over(c, leg);
		break;
	}
}

/* Source: TS 36.323 5.4 */
void bearer_discard_expired(struct cell *c, struct leg *leg)
{
	int64_t limit_ns = c->cfg.discard_timer_ms * NS_PER_MS;
	struct rlc_sdu_queue *q = bearer_queue(c, leg);
	struct pkt *p;

	while (limit_ns && q->sdus.head && q->sdus.head->queued_ns + limit_ns <= c->event_ns) {
		p = rlc_sdu_queue_discard(q);
		if (!p)
			break; /* partly sent: the rest follows */
		out_drop(c, p, leg, CELL_DROP_PDCP_DISCARD);
	}
}

uint32_t bearer_discard_tti(const struct cell *c, const struct leg *leg, uint32_t from)
{
	int64_t limit_ns = c->cfg.discard_timer_ms * NS_PER_MS, since;
	const struct rlc_sdu_queue *q = bearer_queue(c, leg);
	uint32_t tti;

	if (limit_ns == 0 || !q->sdus.head || q->head_sent > 0)
		return TTI_NEVER;
	since = q->sdus.head->queued_ns + limit_ns - c->start_ns;
	tti = (uint32_t)((since + CELL_TTI_NS - 1) / CELL_TTI_NS);
	return tti > from ? tti : from;
}

void bearer_take_blocks(struct cell *c, const struct leg *leg, struct pkt_queue *ret)
{
	struct ue *u = &c->ue[leg->ue - 1];

	for (int i = 0; i < 2; i++)
		for (struct pdu *p = c->air[i].head; p; p = p->next)
			if (p->ue == leg->ue && p->dir == leg->dir)
				pkt_queue_move(ret, &p->ends);
	for (uint32_t i = 0; i < HARQ_PROCESSES; i++) {
		if (leg->dir != CELL_DIR_DL && u->harq_ul[i].pdu &&
		    u->harq_ul[i].pdu->dir == leg->dir)
			pkt_queue_move(ret, &u->harq_ul[i].pdu->ends);
		for (uint32_t tb = 0; leg->dir == CELL_DIR_DL && tb < HARQ_DL_TB_MAX; tb++)
			if (u->harq_dl[tb][i].pdu)
				pkt_queue_move(ret, &u->harq_dl[tb][i].pdu->ends);
	}
}

void bearer_empty(struct cell *c, struct leg *leg, bool air, struct pkt_queue *ret)
{
	struct rlc_sdu_queue *q = bearer_queue(c, leg);

	if (air)
		bearer_take_blocks(c, leg, ret);
	if (is_am(c)) {
		rlc_am_rx_reset(&leg->am_rx);
		rlc_am_tx_reset(&leg->am_tx);
		leg_reverse(c, leg)->epoch++; /* its STATUS PDUs speak of what is gone */
	} else {
		rlc_um_rx_flush(&leg->um_rx, ret);
	}
	if (air || is_am(c))
		leg->epoch++;
	pkt_queue_move(ret, &leg->pdcp_rx.held);
	pkt_queue_move(ret, &q->sdus);
	q->bytes = 0;
	q->head_sent = 0;
}
