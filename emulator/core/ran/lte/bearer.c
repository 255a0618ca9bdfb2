/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bearer.c - RLC and PDCP of a leg, whichever mode: what goes in at its start,
 * what comes out at its end, its timers; see bearer.h.
 *
 * PDCP numbers a datagram when it enters, RLC segments and joins datagrams when MAC has
 * room, so the size of a PDU is not known before the grant. In AM a leg also carries the
 * STATUS PDUs of the opposite one, before data. When a PDU was sent maxRetxThreshold times in
 * vain the radio link has failed: both directions give up their PDUs, and either begin
 * anew after an outage or stop. What PDCP delivers is handed up to the caller.
 * Source: TS 36.322 4.2.1, 5.1, 5.2; TS 36.323 5.1; TS 36.331 5.3.11
 */
#include "ran/lte/bearer.h"

#include "base/assert.h"
#include "rlc/um/pdu.h"

#define NS_PER_MS INT64_C(1000000)

struct rlc_sdu_queue *bearer_queue(const struct leg *leg)
{
	return leg_is_am(leg) ? (struct rlc_sdu_queue *)&leg->am.tx.queue
	                      : (struct rlc_sdu_queue *)&leg->um.tx.queue;
}

void bearer_record_buffer(struct lte *lte, const struct leg *leg)
{
	out_record(&lte->cell, &leg->at,
	           (struct cell_record){ .event = CELL_EV_BUFFER,
	                                 .node = leg->at.from,
	                                 .peer = leg->at.to,
	                                 .bytes = bearer_queue(leg)->bytes,
	                                 .value = (int32_t)bearer_queue(leg)->sdus.n });
}

void bearer_send(struct lte *lte, struct leg *leg, struct pkt *p)
{
	struct rlc_sdu_queue *q = bearer_queue(leg);

	if (leg->stopped) {
		out_drop(&lte->cell, p, &leg->at, CELL_DROP_RADIO_LINK_FAILURE);
		return;
	}
	if (rlc_sdu_queue_full(q) ||
	    (lte->cell.cfg.rlc_queue_bytes && q->bytes + p->len > lte->cell.cfg.rlc_queue_bytes)) {
		out_drop(&lte->cell, p, &leg->at, CELL_DROP_QUEUE_FULL);
		return;
	}
	leg_touch(lte, leg);
	pdcp_transmit(&leg->pdcp_tx, p, lte->cell.event_ns);
	rlc_sdu_queue_push(q, p);
	bearer_record_buffer(lte, leg);
}

/* No RLC at either end: between a radio link failure and the re-establishment, or after a stop. */
static bool silent(const struct leg *leg)
{
	return leg->stopped || leg->outage_expiry_ns != CELL_NEVER;
}

uint32_t bearer_bytes(const struct lte *lte, const struct leg *leg)
{
	if (lte->ue[leg->ue - 1].detached)
		return 0;
	if (!leg_is_am(leg))
		return leg->um.tx.queue.bytes;
	if (silent(leg))
		return 0;
	return rlc_am_tx_bytes(&leg->am.tx) + rlc_am_rx_status_bytes(&leg_reverse(lte, leg)->am.rx);
}

bool bearer_fits(const struct lte *lte, const struct leg *leg, uint32_t room)
{
	if (!leg_is_am(leg))
		return rlc_sdu_queue_fits(&leg->um.tx.queue,
		                          (uint32_t)um_fixed_bytes(leg->um.tx.sn_bits), room);
	return bearer_bytes(lte, leg) + grant_overhead(bearer_bytes(lte, leg)) <= room;
}

static void record_new(struct lte *lte, const struct leg *leg, uint32_t size)
{
	for (uint16_t i = 0; i < lte->tx_pdu.n; i++)
		out_record(&lte->cell, &leg->at,
		           (struct cell_record){ .event = CELL_EV_RLC_TX,
		                                 .node = leg->at.from,
		                                 .peer = leg->at.to,
		                                 .sn = lte->tx_pdu.sn,
		                                 .bytes = size,
		                                 .pkt = lte->tx_pdu.element[i].pkt,
		                                 .tag = lte->tx_pdu.element[i].tag,
		                                 .value = lte->tx_pdu.len[i],
		                                 .aux = lte->tx_pdu.element[i].ends });
}

static struct cell_record at_start(const struct leg *leg, uint16_t event)
{
	return (struct cell_record){ .event = event, .node = leg->at.from, .peer = leg->at.to };
}

static struct cell_record at_end(const struct leg *leg, uint16_t event)
{
	return (struct cell_record){ .event = event, .node = leg->at.to, .peer = leg->at.from };
}

/* STATUS PDU of the opposite leg's receiving end. Return: its size or 0. */
static uint32_t build_status(struct lte *lte, struct leg *leg, uint32_t room, uint8_t *buf)
{
	struct cell_record r = at_start(leg, CELL_EV_RLC_STATUS_TX);
	uint32_t size = rlc_am_rx_status_build(&leg_reverse(lte, leg)->am.rx, room,
	                                       lte->cell.event_ns, buf, &lte->am_status);

	if (size == 0)
		return 0;
	r.sn = lte->am_status.ack_sn;
	r.bytes = size;
	r.value = lte->am_status.n;
	lte->cell.stats.rlc_status_tx++;
	out_record(&lte->cell, &leg->at, r);
	return size;
}

static uint32_t build_data(struct lte *lte, struct leg *leg, uint32_t room, uint8_t *buf)
{
	struct rlc_am_built b =
		rlc_am_tx_build(&leg->am.tx, room, lte->cell.event_ns, buf, &lte->tx_pdu);
	struct cell_record r = at_start(leg, CELL_EV_RLC_RETX);

	if (b.size == 0)
		return 0;
	lte->cell.stats.rlc_pdus_tx++;
	r.sn = b.sn;
	if (b.retx) {
		lte->cell.stats.rlc_retx++;
		r.bytes = b.size;
		r.value = b.so;
		r.aux = b.retx_count;
		out_record(&lte->cell, &leg->at, r);
	} else {
		record_new(lte, leg, b.size);
	}
	if (b.poll) {
		r = at_start(leg, CELL_EV_RLC_POLL);
		r.sn = b.sn;
		out_record(&lte->cell, &leg->at, r);
	}
	return b.size;
}

static uint32_t build(struct lte *lte, struct leg *leg, uint32_t room, uint8_t *buf,
                      struct pkt_queue *ends)
{
	uint32_t size;

	if (!leg_is_am(leg)) {
		size = rlc_um_tx_build(&leg->um.tx, room, buf, ends, &lte->tx_pdu);
		if (size) {
			lte->cell.stats.rlc_pdus_tx++;
			record_new(lte, leg, size);
		}
		return size;
	}
	if (silent(leg))
		return 0;
	size = build_status(lte, leg, room, buf);
	return size ? size : build_data(lte, leg, room, buf);
}

void bearer_fill(struct lte *lte, struct leg *leg, struct mac_pdu *mac, uint32_t tbs,
                 struct pdu *pdu)
{
	/* One UM PDU takes all there is room for; `ends` belongs to it. */
	uint32_t max = leg_is_am(leg) ? MAC_SDUS_MAX : 1, used = 0, size;

	leg_touch(lte, leg);
	while (mac->n_sdus < max) {
		size = build(lte, leg, mac_sdu_room(mac, tbs), lte->rlc_buf + used, &pdu->ends);
		if (size == 0)
			break;
		mac->sdu[mac->n_sdus++] = (struct mac_sdu){
			.lcid = leg->at.lcid,
			.len = size,
		};
		used += size;
	}
	pdu->epoch = leg->epoch;
}

/* --- reception --- */

void bearer_to_pdcp(struct lte *lte, struct leg *leg, struct rlc_out *out, bool re,
                    struct pdcp_out *ret_up)
{
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	if (out->discarded_pdus) {
		struct cell_record r = at_end(leg, CELL_EV_RLC_DISCARD);

		r.sn = leg_is_am(leg) ? leg->am.rx.reassembly.lower : leg->um.rx.vr_ur;
		r.value = (int32_t)out->discarded_pdus;
		out_record(&lte->cell, &leg->at, r);
	}
	out_drop_all(&lte->cell, &out->discarded, &leg->at, CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered)))
		(void)pdcp_receive(&leg->pdcp_rx, p, re, lte->cell.event_ns, ret_up);
}

/* A bearer both of whose ends give up their PDUs. Source: TS 36.331 5.3.11, TS 36.322 5.4 */
static void fail_link(struct lte *lte, struct leg *leg)
{
	struct leg *both[2] = { leg, leg_reverse(lte, leg) };
	struct cell_record r = at_start(leg, CELL_EV_RADIO_LINK_FAILURE);

	r.value = lte->cell.cfg.am_on_max_retx;
	out_record(&lte->cell, &leg->at, r);
	lte->cell.stats.radio_link_failures++;
	for (int i = 0; i < 2; i++) {
		rlc_am_rx_reset(&both[i]->am.rx);
		rlc_am_tx_reset(&both[i]->am.tx);
		both[i]->epoch++;
		if (lte->cell.cfg.am_on_max_retx == CELL_MAX_RETX_STOP) {
			struct pkt_queue lost = { 0 };

			bearer_empty(lte, both[i], true, &lost);
			out_drop_all(&lte->cell, &lost, &both[i]->at, CELL_DROP_RADIO_LINK_FAILURE);
			both[i]->stopped = true;
		} else {
			both[i]->outage_expiry_ns =
				lte->cell.event_ns + lte->cell.cfg.am_reestablish_ms * NS_PER_MS;
		}
	}
}

static void receive_status(struct lte *lte, struct leg *leg, const uint8_t *buf, uint32_t len)
{
	struct leg *acked = leg_reverse(lte, leg);
	struct cell_record r = at_end(leg, CELL_EV_RLC_STATUS_RX);

	if (am_status_unpack(&lte->am_status, buf, len) < 0 ||
	    rlc_am_tx_status(&acked->am.tx, &lte->am_status) < 0)
		return;
	lte->cell.stats.rlc_status_rx++;
	r.sn = lte->am_status.ack_sn;
	r.bytes = len;
	r.value = lte->am_status.n;
	out_record(&lte->cell, &leg->at, r);
	if (acked->am.tx.max_retx_reached)
		fail_link(lte, acked);
}

void bearer_receive(struct lte *lte, struct leg *leg, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends, struct pdcp_out *ret_up)
{
	struct rlc_out out = { 0 };
	int sn;

	leg_touch(lte, leg);
	if (leg_is_am(leg) && !am_is_data(buf)) {
		receive_status(lte, leg, buf, len);
		return;
	}
	if (leg_is_am(leg))
		sn = rlc_am_rx_receive(&leg->am.rx, buf, len, lte->cell.event_ns, &out);
	else
		sn = rlc_um_rx_receive(&leg->um.rx, buf, len, ends, lte->cell.event_ns, &out);
	if (sn >= 0) {
		struct cell_record r = at_end(leg, CELL_EV_RLC_RX);

		lte->cell.stats.rlc_pdus_rx++;
		r.sn = (uint32_t)sn;
		r.bytes = len;
		out_record(&lte->cell, &leg->at, r);
	}
	bearer_to_pdcp(lte, leg, &out, false, ret_up);
}

/* --- timers --- */

static void reordering_expired(struct lte *lte, struct leg *leg, struct pdcp_out *ret_up)
{
	struct cell_record r = at_end(leg, CELL_EV_T_REORDERING);
	struct rlc_out out = { 0 };

	if (leg_is_am(leg))
		rlc_am_rx_expire(&leg->am.rx, lte->cell.event_ns);
	else
		rlc_um_rx_expire(&leg->um.rx, lte->cell.event_ns, &out);
	r.sn = leg_is_am(leg) ? leg->am.rx.vr_ms : leg->um.rx.vr_ur;
	out_record(&lte->cell, &leg->at, r);
	bearer_to_pdcp(lte, leg, &out, false, ret_up);
}

static void poll_expired(struct lte *lte, struct leg *leg)
{
	struct cell_record r = at_start(leg, CELL_EV_T_POLL_RETRANSMIT);

	r.sn = leg->am.tx.poll_sn;
	out_record(&lte->cell, &leg->at, r);
	rlc_am_tx_expire(&leg->am.tx);
	if (leg->am.tx.max_retx_reached)
		fail_link(lte, leg);
}

static void pdcp_expired(struct lte *lte, struct leg *leg, struct pdcp_out *ret_up)
{
	struct cell_record r = at_end(leg, CELL_EV_PDCP_T_REORDERING);

	pdcp_expire(&leg->pdcp_rx, lte->cell.event_ns, ret_up);
	r.sn = leg->pdcp_rx.rx_deliv;
	out_record(&lte->cell, &leg->at, r);
}

static void outage_over(struct lte *lte, struct leg *leg)
{
	struct cell_record r = at_start(leg, CELL_EV_REESTABLISHED);

	leg->outage_expiry_ns = CELL_NEVER;
	r.bytes = leg->am.tx.queue.bytes;
	r.value = (int32_t)leg->am.tx.queue.sdus.n;
	out_record(&lte->cell, &leg->at, r);
}

void bearer_expire(struct lte *lte, struct leg *leg, enum leg_timer timer, struct pdcp_out *ret_up)
{
	leg_touch(lte, leg);
	switch (timer) {
	case LEG_T_REORDERING:
		reordering_expired(lte, leg, ret_up);
		break;
	case LEG_T_POLL_RETRANSMIT:
		poll_expired(lte, leg);
		break;
	case LEG_T_STATUS_PROHIBIT: /* a STATUS PDU that is due can go now */
		leg->am.rx.prohibit_expiry_ns = CELL_NEVER;
		break;
	case LEG_T_PDCP_REORDERING:
		pdcp_expired(lte, leg, ret_up);
		break;
	default:
		outage_over(lte, leg);
		break;
	}
}

/* Source: TS 36.323 5.4 */
void bearer_discard_expired(struct lte *lte, struct leg *leg)
{
	int64_t limit_ns = lte->cell.cfg.discard_timer_ms * NS_PER_MS;
	struct rlc_sdu_queue *q = bearer_queue(leg);
	struct pkt *p;

	while (limit_ns && q->sdus.head &&
	       q->sdus.head->queued_ns + limit_ns <= lte->cell.event_ns) {
		p = rlc_sdu_queue_discard(q);
		if (!p)
			break; /* partly sent: the rest follows */
		out_drop(&lte->cell, p, &leg->at, CELL_DROP_PDCP_DISCARD);
	}
}

uint32_t bearer_discard_tti(const struct lte *lte, const struct leg *leg, uint32_t from)
{
	int64_t limit_ns = lte->cell.cfg.discard_timer_ms * NS_PER_MS, since;
	const struct rlc_sdu_queue *q = bearer_queue(leg);
	uint32_t tti;

	if (limit_ns == 0 || !q->sdus.head || q->head_sent > 0)
		return TTI_NEVER;
	since = q->sdus.head->queued_ns + limit_ns - lte->cell.start_ns;
	tti = (uint32_t)((since + CELL_TTI_NS - 1) / CELL_TTI_NS);
	return tti > from ? tti : from;
}

void bearer_take_blocks(struct lte *lte, const struct leg *leg, struct pkt_queue *ret)
{
	struct ue *u = &lte->ue[leg->ue - 1];

	for (int i = 0; i < 2; i++)
		for (struct pdu *p = lte->air[i].head; p; p = p->next)
			if (p->ue == leg->ue && p->dir == leg->at.dir)
				pkt_queue_move(ret, &p->ends);
	for (uint32_t i = 0; i < HARQ_PROCESSES; i++) {
		if (leg->at.dir != CELL_DIR_DL && u->harq_ul[i].pdu &&
		    u->harq_ul[i].pdu->dir == leg->at.dir)
			pkt_queue_move(ret, &u->harq_ul[i].pdu->ends);
		for (uint32_t tb = 0; leg->at.dir == CELL_DIR_DL && tb < HARQ_DL_TB_MAX; tb++)
			if (u->harq_dl[tb][i].pdu)
				pkt_queue_move(ret, &u->harq_dl[tb][i].pdu->ends);
	}
}

void bearer_empty(struct lte *lte, struct leg *leg, bool air, struct pkt_queue *ret)
{
	struct rlc_sdu_queue *q = bearer_queue(leg);

	leg_touch(lte, leg);
	if (air)
		bearer_take_blocks(lte, leg, ret);
	if (leg_is_am(leg)) {
		rlc_am_rx_reset(&leg->am.rx);
		rlc_am_tx_reset(&leg->am.tx);
		leg_reverse(lte, leg)->epoch++; /* its STATUS PDUs speak of what is gone */
	} else {
		rlc_um_rx_flush(&leg->um.rx, ret);
	}
	if (air || leg_is_am(leg))
		leg->epoch++;
	pkt_queue_move(ret, &leg->pdcp_rx.held);
	pkt_queue_move(ret, &q->sdus);
	q->bytes = 0;
	q->head_sent = 0;
}
