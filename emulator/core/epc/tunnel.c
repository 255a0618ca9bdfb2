/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tunnel.c - GTP-U tunnels of UEs: their ends at the base stations, and forwarding
 * between these during a handover. See tunnel.h.
 *
 * What arrives for a UE goes through two stages. The first brings it into
 * order: packets that come straight from the S-GW wait behind those that
 * another eNB still forwards, until its End Marker (with handover.reordering). The
 * second sends it to where the UE is: over the radio, to another eNB, or
 * nowhere yet, and then it waits. An End Marker goes through both like a
 * packet, so it comes out where the last packet before it did.
 * Source: TS 36.300 10.1.2.2, 10.1.2.3; TS 36.323 5.2; TS 38.300 9.2.3.2; Pacifico, section III.B
 */
#include "epc/tunnel.h"

#include <string.h>

#include "base/assert.h"
#include "epc/gtpu.h"

#define NS_PER_MS     INT64_C(1000000)
#define NS_PER_US     INT64_C(1000)
#define SHORT_SN_BITS 15 /* of a PDCP PDU Number */

/* TEIDs: end (0 S-GW, else eNB + 1), UE, kind + 1; a byte each. */
static uint32_t teid_of(uint8_t ue, uint8_t end, enum cell_tunnel kind)
{
	uint32_t place = end == ENB_NONE ? 0 : end + 1u;

	return place << 16 | (uint32_t)ue << 8 | ((uint32_t)kind + 1);
}

_Static_assert(sizeof(((struct cell_gtpu_cfg *)0)->prefix) == GTPU_PREFIX_BYTES,
               "addresses of IPv6 are a prefix and 32 bits");

static uint32_t addr_of(const struct epc *epc, uint8_t end)
{
	return end == ENB_NONE ? epc->cell->cfg.gtpu.sgw_addr : epc->cell->cfg.gtpu.enb_addr[end];
}

/* Whether the outer header @h leads to @end. */
static bool leads_to(const struct epc *epc, const struct gtpu *h, uint8_t end)
{
	const struct cell_gtpu_cfg *cfg = &epc->cell->cfg.gtpu;

	return h->dst == addr_of(epc, end) && h->ipv6 == (cfg->ipv6 != 0) &&
	       (!h->ipv6 || memcmp(h->prefix, cfg->prefix, GTPU_PREFIX_BYTES) == 0);
}

static uint8_t serving(const struct epc *epc, uint8_t ue)
{
	return epc->cell->serving[ue - 1];
}

static struct tunnel_end *end_of(struct epc *epc, uint8_t ue, uint8_t enb)
{
	return &epc->end[enb][ue - 1];
}

static struct cell_record row(enum cell_event event, uint8_t ue, uint8_t end, enum cell_dir dir,
                              uint32_t teid, enum cell_tunnel kind)
{
	return (struct cell_record){ .event = (uint16_t)event,
		                     .node = end == ENB_NONE ? CELL_NODE_SGW : CELL_NODE_ENB,
		                     .enb = end == ENB_NONE ? 0 : end,
		                     .peer = ue,
		                     .dir = (uint8_t)dir,
		                     .sn = teid,
		                     .value = (int32_t)kind };
}

/* Complete and add the row @r of @p, which enters or leaves a tunnel. */
static void record(struct epc *epc, const struct pkt *p, struct cell_record r)
{
	if (r.event == CELL_EV_GTPU_TX)
		epc->cell->stats.gtpu_tx[r.value]++;
	else
		epc->cell->stats.gtpu_rx[r.value]++;
	r.bytes = p->len;
	r.pkt = p->id;
	r.tag = p->tag;
	out_record(epc->cell, NULL, r);
}

/* The header of @p between @from and @to. A packet with an SN is one of its bearer, which the SN
 * is about; others are of their QoS flow. Source: TS 38.300 9.2.3.2.3 */
static struct gtpu header_of(const struct epc *epc, uint8_t ue, struct pkt *p, uint8_t from,
                             uint8_t to, enum cell_tunnel kind)
{
	struct gtpu h = {
		.src = addr_of(epc, from),
		.dst = addr_of(epc, to),
		.teid = teid_of(ue, to, kind),
		.type = p->end_marker ? GTPU_END_MARKER : GTPU_G_PDU,
		.has_pdcp_sn = kind == CELL_TUNNEL_X2 && p->has_pdcp_sn,
		.pdcp_sn = p->pdcp_sn,
		.uplink = to == ENB_NONE,
		.ipv6 = epc->cell->cfg.gtpu.ipv6,
	};
	struct epc_bearer b;

	memcpy(h.prefix, epc->cell->cfg.gtpu.prefix, GTPU_PREFIX_BYTES);
	if (p->end_marker)
		return h;
	h.tos = gtpu_tos_out((enum gtpu_ecn)epc->cell->cfg.gtpu.ecn, pkt_data(p), p->len);
	if (!epc->radio->has_flows)
		return h;
	b = epc->radio->bearer(epc->cell, ue, from, h.uplink ? CELL_DIR_UL : CELL_DIR_DL, p);
	h.has_long_sn = h.has_pdcp_sn && b.sn_bits > SHORT_SN_BITS;
	h.has_qfi = !h.has_pdcp_sn;
	h.qfi = h.has_qfi ? b.qfi : 0;
	return h;
}

void tunnel_send(struct epc *epc, uint8_t ue, struct pkt *p, uint8_t from, uint8_t to,
                 enum cell_tunnel kind)
{
	uint8_t port = from == ENB_NONE ? CELL_PORT_SGW : (uint8_t)CELL_PORT_ENB(from);
	struct gtpu h = header_of(epc, ue, p, from, to, kind);
	uint8_t *inner = pkt_data(p);
	uint32_t inner_len = p->len, bytes = gtpu_header_bytes(&h);

	record(epc, p,
	       row(CELL_EV_GTPU_TX, ue, from, to == ENB_NONE ? CELL_DIR_UL : CELL_DIR_DL, h.teid,
	           p->end_marker ? CELL_TUNNEL_END_MARKER : kind));
	p->shift = (int16_t)(p->shift - (int16_t)bytes);
	CELL_ASSERT(p->shift >= -PKT_HEADROOM);
	p->len = (uint16_t)(p->len + bytes);
	gtpu_pack(&h, epc->next_ip_id++, inner, inner_len, pkt_data(p));
	out_deliver(epc->cell, p, port);
}

/* UE and kind of @teid at @end, or 0. */
static uint8_t ue_of(const struct epc *epc, uint32_t teid, uint8_t end, enum cell_tunnel *ret_kind)
{
	const struct cell_cfg *cfg = &epc->cell->cfg;
	uint8_t id = (uint8_t)(teid >> 8);

	for (int k = CELL_TUNNEL_S1; k <= CELL_TUNNEL_X2; k++)
		if (id >= 1 && id <= cfg->n_ue && epc_has_address(&cfg->ue[id - 1]) &&
		    teid == teid_of(id, end, (enum cell_tunnel)k)) {
			*ret_kind = (enum cell_tunnel)k;
			return id;
		}
	return 0;
}

static struct epc_bearer bearer_of(const struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p)
{
	return epc->radio->bearer(epc->cell, ue, enb, CELL_DIR_DL, p);
}

/* The bearer that takes @p goes on with the SNs of the base station that forwarded it. */
static bool keeps_sn(const struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p,
                     uint32_t pdcp_sn)
{
	uint8_t sn_bits = bearer_of(epc, ue, enb, p).sn_bits;

	return sn_bits > 0 && pdcp_sn < UINT32_C(1) << sn_bits;
}

uint8_t tunnel_receive(struct epc *epc, struct pkt *p, uint8_t at, enum cell_tunnel *ret_kind)
{
	uint32_t offset = 0;
	uint8_t ue = 0;
	struct gtpu h;

	if (gtpu_unpack(&h, pkt_data(p), p->len, &offset) == 0 && leads_to(epc, &h, at))
		ue = ue_of(epc, h.teid, at, ret_kind);
	if (!ue || p->len - offset > CELL_UE_MTU_MAX ||
	    (h.type == GTPU_G_PDU && p->len - offset < 20)) {
		out_drop(epc->cell, p, NULL, CELL_DROP_NO_ROUTE);
		return 0;
	}
	p->shift = (int16_t)(p->shift + (int16_t)offset);
	p->len = (uint16_t)(p->len - offset);
	p->end_marker = h.type == GTPU_END_MARKER;
	p->has_pdcp_sn = h.has_pdcp_sn && keeps_sn(epc, ue, at, p, h.pdcp_sn);
	p->pdcp_sn = h.pdcp_sn;
	record(epc, p,
	       row(CELL_EV_GTPU_RX, ue, at, at == ENB_NONE ? CELL_DIR_UL : CELL_DIR_DL, h.teid,
	           p->end_marker ? CELL_TUNNEL_END_MARKER : *ret_kind));
	if (!p->end_marker &&
	    gtpu_ecn_in((enum gtpu_ecn)epc->cell->cfg.gtpu.ecn, h.tos, pkt_data(p), p->len) < 0) {
		out_drop(epc->cell, p, NULL, CELL_DROP_ECN);
		return 0;
	}
	return ue;
}

void tunnel_uplink(struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p)
{
	p->has_pdcp_sn = false;
	tunnel_send(epc, ue, p, enb, ENB_NONE, CELL_TUNNEL_S1);
}

/* --- a base station's end --- */

static bool forwards(const struct tunnel_end *end)
{
	return end->forward_to != ENB_NONE && !end->early;
}

/* From when the UE leaves until it comes, its source forwards; with DAPS it may be at two. */
static bool is_here(const struct epc *epc, uint8_t ue, uint8_t enb)
{
	return serving(epc, ue) == enb || epc->end[enb][ue - 1].early;
}

static void forward(struct epc *epc, uint8_t ue, uint8_t from, struct pkt *p)
{
	uint8_t to = end_of(epc, ue, from)->forward_to;

	if (!epc->cell->cfg.handover.forwarding && p->end_marker) {
		base_pkt_terminate(epc->cell, p);
		return;
	}
	if (!epc->cell->cfg.handover.forwarding) {
		out_drop(epc->cell, p, bearer_of(epc, ue, from, p).at, CELL_DROP_HANDOVER);
		return;
	}
	if (!p->end_marker)
		out_record(epc->cell, NULL,
		           (struct cell_record){ .event = CELL_EV_HO_FORWARD,
		                                 .node = CELL_NODE_ENB,
		                                 .enb = from,
		                                 .peer = ue,
		                                 .dir = CELL_DIR_DL,
		                                 .aux = to,
		                                 .bytes = p->len,
		                                 .pkt = p->id,
		                                 .tag = p->tag,
		                                 .sn = p->has_pdcp_sn ? p->pdcp_sn : 0,
		                                 .value = p->has_pdcp_sn });
	tunnel_send(epc, ue, p, from, to, CELL_TUNNEL_X2);
}

static void record_hold(struct epc *epc, uint8_t ue, uint8_t enb)
{
	const struct tunnel_end *end = end_of(epc, ue, enb);
	struct cell_record r = { .event = CELL_EV_HO_HOLD,
		                 .node = CELL_NODE_ENB,
		                 .enb = enb,
		                 .peer = ue,
		                 .dir = CELL_DIR_DL,
		                 .value = (int32_t)(end->held.n + end->direct.n) };

	for (const struct pkt *p = end->held.head; p; p = p->next)
		r.bytes += p->len;
	for (const struct pkt *p = end->direct.head; p; p = p->next)
		r.bytes += p->len;
	out_record(epc->cell, NULL, r);
}

/* The second stage. */
static void go_on(struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p)
{
	struct tunnel_end *end = end_of(epc, ue, enb);

	if (forwards(end)) {
		forward(epc, ue, enb, p);
	} else if (!is_here(epc, ue, enb)) {
		pkt_enqueue(&end->held, p);
		record_hold(epc, ue, enb);
	} else if (!p->end_marker) {
		epc->radio->send(epc->cell, ue, enb, p);
	} else {
		end->awaiting = end->returning;
		end->ended = !end->returning;
		end->returning = false;
		base_pkt_terminate(epc->cell, p);
	}
}

static void go_on_all(struct epc *epc, uint8_t ue, uint8_t enb, struct pkt_queue *q)
{
	struct pkt *p;

	while ((p = pkt_dequeue(q)))
		go_on(epc, ue, enb, p);
}

/* The other eNB's End Marker came, or will not. */
static void stop_awaiting(struct epc *epc, uint8_t ue, uint8_t enb)
{
	struct tunnel_end *end = end_of(epc, ue, enb);
	bool held = end->direct.n > 0;

	end->awaiting = false;
	end->expiry_ns = CELL_NEVER;
	go_on_all(epc, ue, enb, &end->direct);
	if (held)
		record_hold(epc, ue, enb);
}

/* What may wait for a UE at an eNB is one queue, wherever in it. Of copies that DAPS makes the
 * source's queue was the limit, and one that is missing would be a gap. */
static bool is_full(struct epc *epc, uint8_t ue, uint8_t enb, struct pkt *p)
{
	struct epc_bearer b = bearer_of(epc, ue, enb, p);
	const struct tunnel_end *end = end_of(epc, ue, enb);
	uint32_t n = end->held.n + end->direct.n;

	if (p->has_pdcp_sn && epc->cell->cfg.handover.procedure == CELL_HO_DAPS)
		return false;
	if (is_here(epc, ue, enb))
		n += b.queued;
	return !forwards(end) && n >= b.queue_pkts;
}

static void wait_for_end_marker(const struct epc *epc, struct tunnel_end *end, int64_t more_ns)
{
	end->expiry_ns =
		epc->cell->event_ns + epc->cell->cfg.handover.end_marker_ms * NS_PER_MS + more_ns;
}

void tunnel_ingress(struct epc *epc, uint8_t enb, struct pkt *p)
{
	enum cell_tunnel kind;
	struct tunnel_end *end;
	uint8_t ue;

	CELL_ASSERT(enb < CELL_MAX_ENB);
	out_record(epc->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = CELL_NODE_ENB,
	                                 .enb = enb,
	                                 .dir = CELL_DIR_DL,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	ue = tunnel_receive(epc, p, enb, &kind);
	if (!ue)
		return;
	epc->radio->touch(epc->cell, ue);
	end = end_of(epc, ue, enb);
	if (kind == CELL_TUNNEL_X2 && end->expiry_ns != CELL_NEVER && !p->end_marker)
		wait_for_end_marker(epc, end, 0);
	if (!end->known || (kind == CELL_TUNNEL_X2 && end->fresh)) {
		out_drop(epc->cell, p, NULL, CELL_DROP_NO_ROUTE);
	} else if (kind == CELL_TUNNEL_X2 && p->end_marker) {
		base_pkt_terminate(epc->cell, p);
		if (end->awaiting)
			stop_awaiting(epc, ue, enb);
	} else if (p->end_marker && end->awaiting && is_here(epc, ue, enb)) {
		base_pkt_terminate(epc->cell, p); /* of before the path came back */
	} else if (!p->end_marker && is_full(epc, ue, enb, p)) {
		out_drop(epc->cell, p, bearer_of(epc, ue, enb, p).at, CELL_DROP_QUEUE_FULL);
	} else if (kind == CELL_TUNNEL_S1 && end->awaiting) {
		pkt_enqueue(&end->direct, p);
		record_hold(epc, ue, enb);
	} else {
		go_on(epc, ue, enb, p);
	}
}

/* --- handover --- */

static bool reorders(const struct epc *epc)
{
	return epc->cell->cfg.handover.reordering && epc->cell->cfg.handover.forwarding;
}

void tunnel_expect(struct epc *epc, uint8_t ue, uint8_t enb)
{
	struct tunnel_end *end = end_of(epc, ue, enb);

	end->known = true;
	end->forward_to = ENB_NONE;
	end->ended = end->returning = end->fresh = false;
	end->awaiting = reorders(epc);
	end->expiry_ns = CELL_NEVER;
}

void tunnel_set_up(struct epc *epc, uint8_t ue, uint8_t enb)
{
	tunnel_forget(epc, ue, enb);
	end_of(epc, ue, enb)->known = end_of(epc, ue, enb)->fresh = true;
}

void tunnel_forget(struct epc *epc, uint8_t ue, uint8_t enb)
{
	struct tunnel_end *end = end_of(epc, ue, enb);
	struct pkt *p;

	pkt_queue_move(&end->held, &end->direct);
	while ((p = pkt_dequeue(&end->held)))
		if (p->end_marker)
			base_pkt_terminate(epc->cell, p);
		else
			out_drop(epc->cell, p, NULL, CELL_DROP_RADIO_LINK_FAILURE);
	*end = (struct tunnel_end){ .expiry_ns = CELL_NEVER, .forward_to = ENB_NONE };
}

void tunnel_end_marker(struct epc *epc, uint8_t ue, uint8_t from)
{
	struct pkt *p = forwards(end_of(epc, ue, from)) && epc->cell->cfg.handover.forwarding
	                        ? base_pkt_originate(epc->cell)
	                        : NULL;

	if (!p)
		return;
	p->end_marker = true;
	forward(epc, ue, from, p);
}

bool tunnel_forward(struct epc *epc, uint8_t ue, uint8_t from, uint8_t to, struct pkt_queue *held)
{
	struct tunnel_end *end = end_of(epc, ue, from);
	bool ended;

	end->forward_to = to;
	end->early = end->awaiting = end->returning = false;
	end->expiry_ns = CELL_NEVER;
	go_on_all(epc, ue, from, held);
	go_on_all(epc, ue, from, &end->held);
	go_on_all(epc, ue, from, &end->direct);
	/* The S-GW has nothing more for here: what was forwarded now was the last. */
	ended = end->ended;
	end->ended = false;
	if (ended)
		tunnel_end_marker(epc, ue, from);
	return ended;
}

void tunnel_forward_early(struct epc *epc, uint8_t ue, uint8_t from, uint8_t to)
{
	end_of(epc, ue, from)->forward_to = to;
	end_of(epc, ue, from)->early = true;
}

void tunnel_copy(struct epc *epc, uint8_t ue, uint8_t from, struct pkt *p)
{
	forward(epc, ue, from, p);
}

void tunnel_arrived(struct epc *epc, uint8_t ue)
{
	struct tunnel_end *end = end_of(epc, ue, serving(epc, ue));
	struct pkt_queue held = { 0 };

	pkt_queue_move(&held, &end->held);
	if (held.n)
		record_hold(epc, ue, serving(epc, ue));
	go_on_all(epc, ue, serving(epc, ue), &held);
	if (end->awaiting)
		wait_for_end_marker(epc, end, 0);
}

void tunnel_return(struct epc *epc, uint8_t ue)
{
	struct tunnel_end *end = end_of(epc, ue, serving(epc, ue));

	if (!reorders(epc))
		return;
	end->awaiting = end->ended;
	end->returning = !end->ended;
	end->ended = false;
	wait_for_end_marker(epc, end, 2 * epc->cell->cfg.handover.signalling_us * NS_PER_US);
}

bool tunnel_settled(const struct epc *epc, uint8_t ue)
{
	for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++)
		if (epc->end[k][ue - 1].awaiting || epc->end[k][ue - 1].returning)
			return false;
	return true;
}

int64_t tunnel_next_ns(const struct epc *epc, uint8_t ue)
{
	int64_t next = CELL_NEVER;

	for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++)
		if (epc->end[k][ue - 1].expiry_ns < next)
			next = epc->end[k][ue - 1].expiry_ns;
	return next;
}

void tunnel_expire(struct epc *epc, uint8_t ue)
{
	for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++)
		if (end_of(epc, ue, k)->expiry_ns <= epc->cell->event_ns) {
			end_of(epc, ue, k)->returning = false;
			stop_awaiting(epc, ue, k);
		}
}
