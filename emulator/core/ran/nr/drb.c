/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drb.c - SDAP, PDCP and RLC of one direction of a data radio bearer; see drb.h.
 *
 * What enters at its start is drb_tx.c's. RLC neither joins SDUs nor puts them in order, so PDCP at
 * the end does. When a PDU was sent maxRetxThreshold times without success the radio link has
 * failed: both directions give up their PDUs, and either start again after an outage or stop.
 *
 * Of a bearer with PDCP duplication, which has two RLC entities, the receiver delivers what comes
 * first. A cell whose link has failed leaves the other one alone.
 * Source: TS 38.322 5.1, 5.3.2; TS 38.323 5.1, 5.2.2, 5.11; TS 38.331 5.3.10
 */
#include "ran/nr/drb.h"

#include <stdalign.h>
#include <string.h>

#include "base/assert.h"
#include "epc/tunnel.h"
#include "ran/channel/channel.h"
#include "ran/nr/drb_tx.h"
#include "rlc/nr/nr.h"

const struct rlc_mode *drb_mode(const struct cell_bearer_cfg *cfg)
{
	switch (cfg->rlc.mode) {
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
	switch (cfg->rlc.mode) {
	case CELL_RLC_AM:
		return cfg->rlc.am.sn_bits == 18 ? 0 : 2;
	case CELL_RLC_UM:
		return cfg->rlc.um.sn_bits == 12 ? 1 : 3;
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

void drb_needs(const struct cell_bearer_cfg *cfg, size_t *ret_state, size_t *ret_window,
               size_t *ret_words)
{
	size_t align = alignof(max_align_t);

	*ret_state = (drb_mode(cfg)->bytes + align - 1) / align * align;
	*ret_window = drb_mode(cfg)->slots(&cfg->rlc);
	*ret_words = bits_words(pdcp_nr_window(cfg->pdcp.sn_bits));
}

static void init_pdcp(struct drb *b, uint64_t *words)
{
	const struct cell_bearer_cfg *cfg = &b->cfg;

	b->pdcp = b;
	pdcp_nr_tx_init(&b->pdcp_tx, cfg->pdcp.sn_bits);
	pdcp_nr_rx_init(&b->pdcp_rx, cfg->pdcp.sn_bits, cfg->pdcp.out_of_order_delivery,
	                cfg->pdcp.t_reordering_infinite ? CELL_NEVER
	                                                : cfg->pdcp.t_reordering_ms * NR_NS_PER_MS,
	                words);
}

void drb_init(struct drb *b, struct nr *nr, struct nr_sch *sch, uint8_t k,
              struct drb_memory *memory)
{
	uint8_t at = (uint8_t)(b - sch->drb);
	const struct cell_qdisc *qdisc = aqm_qdisc(&b->cfg.rlc, sch->at.dir);
	size_t state, window, words;

	*b = (struct drb){
		.cfg = channel_cfg(&nr->cell.cfg, nr_ue_of(nr, sch)->id, k),
		.sch = sch,
		.outage_expiry_ns = CELL_NEVER,
		.at = sch->at,
	};
	b->at.lcid = lcid_of(&b->cfg, (uint8_t)(sch->lcs_before + at));
	if (at == 0)
		sch->at.lcid = b->at.lcid;
	b->rlc = (struct rlc){
		.mode = drb_mode(&b->cfg),
		.state = memory->rlc_state,
		.shared = &nr->rlc,
		.cell = &nr->cell,
		.at = &b->at,
	};
	qos_init(&b->qos, &b->cfg, sch->at.dir, nr->cell.start_ns);
	nr->goes_ahead = nr->goes_ahead || b->qos.goes_ahead;
	drb_tx_init(nr, b, memory->flow);
	memory->flow += aqm_flows(qdisc);
	b->rlc.mode->init(&b->rlc, &b->cfg.rlc, memory->window);
	if (qdisc->limit)
		b->rlc.queue->limit = qdisc->limit;
	b->pdcp_rx.expiry_ns = CELL_NEVER;
	drb_needs(&b->cfg, &state, &window, &words);
	memory->rlc_state += state;
	memory->window += window;
	if (nr_ue_of(nr, sch)->cell > 0)
		return;
	init_pdcp(b, memory->pdcp_words);
	memory->pdcp_words += words;
}

/* --- reception --- */

/* Whose PDCP delivers the uplink: the source's, until the target knows with which COUNT to start.
 */
static uint8_t gnb_of(const struct nr *nr, uint8_t ue)
{
	const struct nr_ue *u = &nr->ue[ue - 1];

	return u->rrc.source_link ? u->rrc.source : nr->cell.serving[ue - 1];
}

void drb_deliver(struct nr *nr, struct drb *b, struct pdcp_nr_out *up)
{
	uint8_t ue = nr_ue_of(nr, b->sch)->id;
	struct pkt *p;

	while ((p = pkt_dequeue(&up->discarded)))
		out_drop(&nr->cell, p, &b->at,
		         p->twin || p->spent ? CELL_DROP_DUPLICATE : CELL_DROP_PDCP_DISCARD);
	out_drop_all(&nr->cell, &up->duplicates, &b->at, CELL_DROP_DUPLICATE);
	while ((p = pkt_dequeue(&up->delivered)))
		if (b->at.dir == CELL_DIR_DL)
			out_deliver(&nr->cell, p, ue);
		else if (nr->cell.cfg.gtpu.sgw_addr)
			tunnel_uplink(&nr->epc, ue, gnb_of(nr, ue), p);
		else
			out_deliver(&nr->cell, p, ue | CELL_PORT_NETWORK);
}

/* A PDCP PDU without data, at the end of @b: a report on what came the other way. */
static void receive_control(struct nr *nr, struct drb *b, struct pkt *p)
{
	struct drb *reverse = b->reverse;

	memcpy(reverse->pdcp->heard_pdu, pkt_sdu(p), p->sdu_len);
	CELL_ASSERT(pdcp_nr_status_open(&reverse->pdcp->heard, reverse->pdcp->heard_pdu,
	                                p->sdu_len) == 0);
	base_pkt_terminate(&nr->cell, p);
	drb_drop_confirmed(nr, reverse);
}

void drb_to_pdcp(struct nr *nr, struct drb *b, struct rlc_out *out)
{
	struct pdcp_nr_out up = { 0 };
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	out_drop_all(&nr->cell, &out->discarded, &b->at, CELL_DROP_RLC_DISCARD);
	if (out->delivered.head && b->pdcp != b)
		nr_touch(nr, b->pdcp->sch->ue);
	while ((p = pkt_dequeue(&out->delivered)))
		if (nr->cell.above)
			nr->cell.above->receive(&nr->cell, nr_ue_of(nr, b->sch)->id,
			                        (enum cell_dir)b->at.dir, p);
		else if (p->control)
			receive_control(nr, b, p);
		else if (b->awaits_status)
			pkt_enqueue(&b->early, p);
		else
			(void)pdcp_nr_receive(&b->pdcp->pdcp_rx, p, nr->cell.event_ns, &up);
	drb_deliver(nr, b, &up);
}

struct pkt *drb_report(struct nr *nr, const struct drb *dl)
{
	const struct drb *pdcp = dl->pdcp;
	struct pkt *p = dl->cfg.pdcp.status_report ? base_pkt_originate(&nr->cell) : NULL;

	if (!p)
		return NULL;
	p->control = true;
	p->port = nr_ue_of(nr, dl->sch)->id;
	p->queued_ns = nr->cell.event_ns;
	p->len = p->sdu_len =
		pdcp_nr_status_pack(&pdcp->pdcp_rx, (uint16_t)sizeof(pdcp->heard_pdu), pkt_data(p));
	return p;
}

void drb_know_status(struct nr *nr, struct drb *b)
{
	struct rlc_out out = { .delivered = b->early };

	b->early = (struct pkt_queue){ 0 };
	b->awaits_status = false;
	drb_to_pdcp(nr, b, &out);
}

void drb_empty_rlc(struct nr *nr, struct drb *b, struct pkt_queue *ret)
{
	struct rlc_sdu_queue *q = b->rlc.queue;

	aqm_leave(&b->aqm, &q->sdus, nr->cell.event_ns);
	b->rlc.mode->empty(&b->rlc, ret);
	b->epoch++;
	pkt_queue_move(ret, &q->sdus);
	q->bytes = 0;
	q->head_sent = 0;
}

/* What PDCP holds is delivered in its time as long as there is another cell. */
static void stop(struct nr *nr, struct drb *b)
{
	struct pkt_queue lost = { 0 };

	drb_empty_rlc(nr, b, &lost);
	if (!b->twin && !nr_has_daps(&nr->cell.cfg))
		pdcp_nr_empty(&b->pdcp_rx, &lost);
	out_drop_all(&nr->cell, &lost, &b->at, CELL_DROP_RADIO_LINK_FAILURE);
	b->stopped = true;
}

static struct nr_rrc *rrc_of(struct nr *nr, const struct drb *b)
{
	return &nr->ue[nr_ue_of(nr, b->sch)->id - 1].rrc;
}

/* A bearer both of whose ends give up their PDUs. What the UE finds out is RRC's matter where links
 * can fail. Source: TS 38.331 5.3.10.3; TS 38.322 5.1.3 */
static void fail_link(struct nr *nr, struct drb *b)
{
	struct drb *both[2] = { b, b->reverse };
	struct cell_record r = rlc_row_at_start(&b->rlc, CELL_EV_RADIO_LINK_FAILURE);
	bool by_rrc = link_on(&nr->cell) && b->at.dir == CELL_DIR_UL;

	r.value = b->cfg.rlc.am.on_max_retx;
	out_record(&nr->cell, &b->at, r);
	nr->cell.stats.radio_link_failures++;
	if (by_rrc)
		rrc_of(nr, b)->recovery.radio.failed = LINK_RLC;
	for (int i = 0; i < 2; i++) {
		both[i]->rlc.mode->reset(&both[i]->rlc);
		both[i]->epoch++;
		if (by_rrc || nr->cell.above)
			both[i]->suspended = true;
		else if (b->cfg.rlc.am.on_max_retx == CELL_MAX_RETX_STOP)
			stop(nr, both[i]);
		else
			both[i]->outage_expiry_ns =
				nr->cell.event_ns + b->cfg.rlc.am.reestablish_ms * NR_NS_PER_MS;
	}
	if (nr->cell.above)
		nr->cell.above->failed(&nr->cell, nr_ue_of(nr, b->sch)->id);
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
	const struct nr_ue *u = &nr->ue[nr_ue_of(nr, b->sch)->id - 1];
	struct drb *here = &u->rrc.link->sch[b->at.dir].drb[b - b->sch->drb];
	struct cell_record r = rlc_row_at_end(&here->rlc, CELL_EV_PDCP_T_REORDERING);
	struct pdcp_nr_out up = { 0 };

	pdcp_nr_expire(&b->pdcp_rx, nr->cell.event_ns, &up);
	r.sn = b->pdcp_rx.rx_deliv;
	out_record(&nr->cell, &here->at, r);
	drb_deliver(nr, here, &up);
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

	nr_touch(nr, b->sch->ue);
	if (b->rlc.expiry_ns == t_ns)
		rlc_expired(nr, b);
	else if (b->pdcp_rx.expiry_ns == t_ns)
		pdcp_expired(nr, b);
	else if (b->qos.opens_ns == t_ns)
		b->qos.opens_ns = CELL_NEVER;
	else
		outage_over(nr, b);
}

/* --- giving up --- */

void drb_empty(struct nr *nr, struct drb *b, struct pkt_queue *ret)
{
	drb_empty_rlc(nr, b, ret);
	pdcp_nr_empty(&b->pdcp_rx, ret);
	pkt_queue_move(ret, &b->early);
}
