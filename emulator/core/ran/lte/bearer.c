/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bearer.c - PDCP and RLC of one direction of a radio bearer: what goes in at its start, what
 * comes out at its end, its timers; see bearer.h.
 *
 * PDCP numbers a datagram in bearer_tx.c, RLC segments and joins datagrams when
 * MAC has room, so the size of a PDU is not known before the grant. When a PDU was sent
 * maxRetxThreshold times without success the radio link has failed: both directions give up their
 * PDUs, and either start again after an outage or stop. What PDCP delivers is handed up to the
 * caller. Source: TS 36.322 4.2.1, 5.1, 5.2; TS 36.323 5.1; TS 36.331 5.3.11
 */
#include "ran/lte/bearer.h"

#include "base/assert.h"

#define NS_PER_MS INT64_C(1000000)

bool bearer_fits(const struct bearer *b, uint32_t room)
{
	uint32_t bytes;

	if (b->rlc.mode->fits && !b->qos.most.rate_bps)
		return b->rlc.mode->fits(&b->rlc, room);
	bytes = bearer_bytes(b);
	return bytes + grant_overhead(bytes) <= room;
}

/* --- reception --- */

/* What waits at the start of @b and was forwarded, but by its report the receiver has. */
static void drop_confirmed(struct lte *lte, struct bearer *b)
{
	struct rlc_sdu_queue *q = b->rlc.queue;
	struct pkt *before = rlc_sdu_queue_begun(q), *p;

	lte_sch_touch(lte, b->sch);
	while ((p = before ? before->next : q->sdus.head)) {
		if (!p->has_pdcp_sn || !pdcp_status_has(&b->heard, (uint16_t)p->pdcp_sn)) {
			before = p;
			continue;
		}
		out_drop(&lte->cell, rlc_sdu_queue_remove(q, before), &b->at, CELL_DROP_DUPLICATE);
	}
	bearer_record_buffer(lte, b);
}

/* A PDCP PDU without data, at the end of @b: a report on what came the other way. */
static void receive_control(struct lte *lte, struct bearer *b, struct pkt *p)
{
	CELL_ASSERT(pdcp_status_unpack(&b->reverse->heard, pkt_sdu(p), p->sdu_len) == 0);
	base_pkt_terminate(&lte->cell, p);
	drop_confirmed(lte, b->reverse);
}

void bearer_to_pdcp(struct lte *lte, struct bearer *b, struct rlc_out *out, bool re,
                    struct pdcp_out *ret_up)
{
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	out_drop_all(&lte->cell, &out->discarded, &b->at, CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered)))
		if (!bearer_has_pdcp(b))
			lte->cell.above->receive(&lte->cell, b->sch->ue, (enum cell_dir)b->at.dir,
			                         p);
		else if (p->control)
			receive_control(lte, b, p);
		else
			(void)pdcp_receive(&b->pdcp_rx, p, re, lte->cell.event_ns, ret_up);
}

/* A bearer both of whose ends give up their PDUs. What the UE finds out is RRC's matter where links
 * can fail. Source: TS 36.331 5.3.11, TS 36.322 5.4 */
static void fail_link(struct lte *lte, struct bearer *b)
{
	struct bearer *both[2] = { b, b->reverse };
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_RADIO_LINK_FAILURE);
	bool by_rrc = link_on(&lte->cell) && b->at.dir == CELL_DIR_UL;

	r.value = b->cfg.rlc.am.on_max_retx;
	out_record(&lte->cell, &b->at, r);
	lte->cell.stats.radio_link_failures++;
	if (by_rrc)
		lte->ue[b->sch->ue - 1].rrc.recovery.radio.failed = LINK_RLC;
	for (int i = 0; i < 2; i++) {
		both[i]->rlc.mode->reset(&both[i]->rlc);
		both[i]->epoch++;
		if (by_rrc)
			continue;
		if (b->cfg.rlc.am.on_max_retx == CELL_MAX_RETX_STOP) {
			struct pkt_queue lost = { 0 };

			bearer_empty(lte, both[i], true, &lost);
			out_drop_all(&lte->cell, &lost, &both[i]->at, CELL_DROP_RADIO_LINK_FAILURE);
			both[i]->stopped = true;
		} else {
			both[i]->outage_expiry_ns =
				lte->cell.event_ns + b->cfg.rlc.am.reestablish_ms * NS_PER_MS;
		}
	}
}

void bearer_receive(struct lte *lte, struct bearer *b, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends, struct pdcp_out *ret_up)
{
	struct rlc_out out = { 0 };

	lte_sch_touch(lte, b->sch);
	b->rlc.mode->receive(&b->rlc, buf, len, ends, &out);
	bearer_to_pdcp(lte, b, &out, false, ret_up);
	if (b->rlc.reverse && b->rlc.reverse->failed)
		fail_link(lte, b->reverse);
}

/* --- timers --- */

static void pdcp_expired(struct lte *lte, struct bearer *b, struct pdcp_out *ret_up)
{
	struct cell_record r = rlc_row_at_end(&b->rlc, CELL_EV_PDCP_T_REORDERING);

	pdcp_expire(&b->pdcp_rx, lte->cell.event_ns, ret_up);
	r.sn = b->pdcp_rx.rx_deliv;
	out_record(&lte->cell, &b->at, r);
}

static void outage_over(struct lte *lte, struct bearer *b)
{
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_REESTABLISHED);

	b->outage_expiry_ns = CELL_NEVER;
	r.bytes = b->rlc.queue->bytes;
	r.value = (int32_t)b->rlc.queue->sdus.n;
	out_record(&lte->cell, &b->at, r);
}

static void rlc_expired(struct lte *lte, struct bearer *b, struct pdcp_out *ret_up)
{
	struct rlc_out out = { 0 };

	b->rlc.mode->expire(&b->rlc, &out);
	bearer_to_pdcp(lte, b, &out, false, ret_up);
	if (b->rlc.failed)
		fail_link(lte, b);
}

/* Of several at one time this is the order. */
void bearer_expire(struct lte *lte, struct bearer *b, struct pdcp_out *ret_up)
{
	int64_t t_ns = bearer_next_ns(b);

	lte_sch_touch(lte, b->sch);
	if (b->rlc.expiry_ns == t_ns)
		rlc_expired(lte, b, ret_up);
	else if (b->pdcp_rx.expiry_ns == t_ns)
		pdcp_expired(lte, b, ret_up);
	else if (b->qos.opens_ns == t_ns)
		b->qos.opens_ns = CELL_NEVER;
	else
		outage_over(lte, b);
}

/* --- starting --- */

/* Only handovers make RLC deliver out of order, or twice. */
static enum pdcp_order order_of(const struct cell_cfg *cfg, const struct bearer *b)
{
	if (cfg->n_enb > 1 && b->rlc.mode->acknowledged)
		return PDCP_ORDER_AM;
	return b->cfg.pdcp.reordering ? PDCP_ORDER_TIMER : PDCP_ORDER_NONE;
}

void bearer_init_pdcp(const struct lte *lte, struct bearer *b)
{
	pdcp_tx_init(&b->pdcp_tx, b->cfg.pdcp.sn_bits);
	pdcp_rx_init(&b->pdcp_rx, b->cfg.pdcp.sn_bits, order_of(&lte->cell.cfg, b),
	             b->cfg.pdcp.t_reordering_ms * NS_PER_MS);
	b->heard.known = false;
}

/* --- giving up --- */

void bearer_empty(struct lte *lte, struct bearer *b, bool air, struct pkt_queue *ret)
{
	struct rlc_sdu_queue *q = b->rlc.queue;

	lte_sch_touch(lte, b->sch);
	b->rlc.mode->empty(&b->rlc, ret);
	if (b->rlc.mode->acknowledged)
		b->reverse->epoch++; /* its STATUS PDUs speak of what is gone */
	if (air || b->rlc.mode->acknowledged)
		b->epoch++;
	pkt_queue_move(ret, &b->pdcp_rx.held);
	aqm_leave(&b->aqm, &q->sdus, lte->cell.event_ns);
	pkt_queue_move(ret, &q->sdus);
	q->bytes = 0;
	q->head_sent = 0;
}
