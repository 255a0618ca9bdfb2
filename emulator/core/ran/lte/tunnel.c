/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tunnel.c - GTP-U tunnels of UEs: their ends at the eNBs, and forwarding
 * between eNBs during a handover. See tunnel.h.
 *
 * What arrives for a UE goes through two stages. The first brings it into
 * order: packets that come straight from the S-GW wait behind those that
 * another eNB still forwards, until its End Marker (with ho_reordering). The
 * second sends it to where the UE is: over the radio, to another eNB, or
 * nowhere yet, and then it waits. An End Marker goes through both like a
 * packet, so it comes out where the last packet before it did.
 * Source: TS 36.300 10.1.2.2, 10.1.2.3; TS 36.323 5.2; Pacifico, section III.B
 */
#include "ran/lte/tunnel.h"

#include "base/assert.h"
#include "epc/gtpu.h"
#include "ran/lte/leg.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/* TEIDs: end (0 S-GW, else eNB + 1), UE, kind + 1; a byte each. */
static uint32_t teid_of(const struct ue *u, uint8_t end, enum cell_tunnel kind)
{
	uint32_t place = end == ENB_NONE ? 0 : end + 1u;

	return place << 16 | (uint32_t)u->id << 8 | ((uint32_t)kind + 1);
}

static uint32_t addr_of(const struct lte *lte, uint8_t end)
{
	return end == ENB_NONE ? lte->cell.cfg.sgw_gtpu_addr : lte->cell.cfg.enb_gtpu_addr[end];
}

static struct tunnel_end *end_of(struct lte *lte, const struct ue *u, uint8_t enb)
{
	return &lte->enb[enb].end[u->id - 1];
}

static struct cell_record row(enum cell_event event, const struct ue *u, uint8_t end,
                              enum cell_dir dir, uint32_t teid, enum cell_tunnel kind)
{
	return (struct cell_record){ .event = (uint16_t)event,
		                     .node = end == ENB_NONE ? CELL_NODE_SGW : CELL_NODE_ENB,
		                     .enb = end == ENB_NONE ? 0 : end,
		                     .peer = u->id,
		                     .dir = (uint8_t)dir,
		                     .sn = teid,
		                     .value = (int32_t)kind };
}

/* Complete and add the row @r of @p, which enters or leaves a tunnel. */
static void record(struct lte *lte, const struct pkt *p, struct cell_record r)
{
	if (r.event == CELL_EV_GTPU_TX)
		lte->cell.stats.gtpu_tx[r.value]++;
	else
		lte->cell.stats.gtpu_rx[r.value]++;
	r.bytes = p->len;
	r.pkt = p->id;
	r.tag = p->tag;
	out_record(&lte->cell, NULL, r);
}

void tunnel_send(struct lte *lte, struct ue *u, struct pkt *p, uint8_t from, uint8_t to,
                 enum cell_tunnel kind)
{
	uint8_t port = from == ENB_NONE ? CELL_PORT_SGW : (uint8_t)CELL_PORT_ENB(from);
	struct gtpu h = {
		.src = addr_of(lte, from),
		.dst = addr_of(lte, to),
		.teid = teid_of(u, to, kind),
		.type = p->end_marker ? GTPU_END_MARKER : GTPU_G_PDU,
		.has_pdcp_sn = kind == CELL_TUNNEL_X2 && p->has_pdcp_sn,
		.pdcp_sn = p->pdcp_sn,
	};
	uint8_t *inner = pkt_data(p);
	uint32_t inner_len = p->len, bytes = gtpu_header_bytes(&h);

	if (!p->end_marker)
		h.tos = gtpu_tos_out((enum gtpu_ecn)lte->cell.cfg.gtpu_ecn, inner, inner_len);
	record(lte, p,
	       row(CELL_EV_GTPU_TX, u, from, to == ENB_NONE ? CELL_DIR_UL : CELL_DIR_DL, h.teid,
	           p->end_marker ? CELL_TUNNEL_END_MARKER : kind));
	p->shift = (int16_t)(p->shift - (int16_t)bytes);
	CELL_ASSERT(p->shift >= -PKT_HEADROOM);
	p->len = (uint16_t)(p->len + bytes);
	gtpu_pack(&h, lte->next_ip_id++, inner, inner_len, pkt_data(p));
	out_deliver(&lte->cell, p, port);
}

/* UE and kind of @teid at @end, or NULL. */
static struct ue *ue_of(struct lte *lte, uint32_t teid, uint8_t end, enum cell_tunnel *ret_kind)
{
	uint8_t id = (uint8_t)(teid >> 8);

	for (int k = CELL_TUNNEL_S1; k <= CELL_TUNNEL_X2; k++)
		if (id >= 1 && id <= lte->cell.cfg.n_ue && lte->cell.cfg.ue[id - 1].addr &&
		    teid == teid_of(&lte->ue[id - 1], end, (enum cell_tunnel)k)) {
			*ret_kind = (enum cell_tunnel)k;
			return &lte->ue[id - 1];
		}
	return NULL;
}

/* The bearer that takes @p goes on with the SNs of the eNB that forwarded it. */
static bool keeps_sn(const struct ue *u, struct pkt *p, uint16_t pdcp_sn)
{
	const struct bearer *b = leg_classify(&u->leg[CELL_DIR_DL], p);

	return b->rlc.mode->acknowledged && pdcp_sn < 1u << b->cfg.pdcp_sn_bits;
}

struct ue *tunnel_receive(struct lte *lte, struct pkt *p, uint8_t at, enum cell_tunnel *ret_kind)
{
	struct ue *u = NULL;
	uint32_t offset = 0;
	struct gtpu h;

	if (gtpu_unpack(&h, pkt_data(p), p->len, &offset) == 0 && h.dst == addr_of(lte, at))
		u = ue_of(lte, h.teid, at, ret_kind);
	if (!u || p->len - offset > CELL_UE_MTU_MAX ||
	    (h.type == GTPU_G_PDU && p->len - offset < 20)) {
		out_drop(&lte->cell, p, NULL, CELL_DROP_NO_ROUTE);
		return NULL;
	}
	p->shift = (int16_t)(p->shift + (int16_t)offset);
	p->len = (uint16_t)(p->len - offset);
	p->end_marker = h.type == GTPU_END_MARKER;
	p->has_pdcp_sn = h.has_pdcp_sn && keeps_sn(u, p, h.pdcp_sn);
	p->pdcp_sn = h.pdcp_sn;
	record(lte, p,
	       row(CELL_EV_GTPU_RX, u, at, at == ENB_NONE ? CELL_DIR_UL : CELL_DIR_DL, h.teid,
	           p->end_marker ? CELL_TUNNEL_END_MARKER : *ret_kind));
	if (!p->end_marker &&
	    gtpu_ecn_in((enum gtpu_ecn)lte->cell.cfg.gtpu_ecn, h.tos, pkt_data(p), p->len) < 0) {
		out_drop(&lte->cell, p, NULL, CELL_DROP_ECN);
		return NULL;
	}
	return u;
}

void tunnel_uplink(struct lte *lte, struct ue *u, struct pkt *p)
{
	p->has_pdcp_sn = false;
	tunnel_send(lte, u, p, u->enb, ENB_NONE, CELL_TUNNEL_S1);
}

/* --- an eNB's end --- */

static bool forwards(const struct tunnel_end *end)
{
	return end->forward_to != ENB_NONE;
}

/* From when the UE leaves until it comes, its source forwards. */
static bool is_here(const struct ue *u, uint8_t enb)
{
	return u->enb == enb;
}

static void forward(struct lte *lte, struct ue *u, uint8_t from, struct pkt *p)
{
	uint8_t to = end_of(lte, u, from)->forward_to;

	if (!lte->cell.cfg.ho_forwarding && p->end_marker) {
		cell_pkt_terminate(&lte->cell, p);
		return;
	}
	if (!lte->cell.cfg.ho_forwarding) {
		out_drop(&lte->cell, p, &u->leg[CELL_DIR_DL].at, CELL_DROP_HANDOVER);
		return;
	}
	if (!p->end_marker)
		out_record(&lte->cell, NULL,
		           (struct cell_record){ .event = CELL_EV_HO_FORWARD,
		                                 .node = CELL_NODE_ENB,
		                                 .enb = from,
		                                 .peer = u->id,
		                                 .dir = CELL_DIR_DL,
		                                 .aux = to,
		                                 .bytes = p->len,
		                                 .pkt = p->id,
		                                 .tag = p->tag,
		                                 .sn = p->has_pdcp_sn ? p->pdcp_sn : 0,
		                                 .value = p->has_pdcp_sn });
	tunnel_send(lte, u, p, from, to, CELL_TUNNEL_X2);
}

static void record_hold(struct lte *lte, const struct ue *u, uint8_t enb)
{
	const struct tunnel_end *end = end_of(lte, u, enb);
	struct cell_record r = { .event = CELL_EV_HO_HOLD,
		                 .node = CELL_NODE_ENB,
		                 .enb = enb,
		                 .peer = u->id,
		                 .dir = CELL_DIR_DL,
		                 .value = (int32_t)(end->held.n + end->direct.n) };

	for (const struct pkt *p = end->held.head; p; p = p->next)
		r.bytes += p->len;
	for (const struct pkt *p = end->direct.head; p; p = p->next)
		r.bytes += p->len;
	out_record(&lte->cell, NULL, r);
}

/* The second stage. */
static void go_on(struct lte *lte, struct ue *u, uint8_t enb, struct pkt *p)
{
	struct tunnel_end *end = end_of(lte, u, enb);

	if (forwards(end)) {
		forward(lte, u, enb, p);
	} else if (!is_here(u, enb)) {
		pkt_enqueue(&end->held, p);
		record_hold(lte, u, enb);
	} else if (!p->end_marker) {
		leg_send(lte, &u->leg[CELL_DIR_DL], p);
	} else {
		end->awaiting = end->returning;
		end->ended = !end->returning;
		end->returning = false;
		cell_pkt_terminate(&lte->cell, p);
	}
}

static void go_on_all(struct lte *lte, struct ue *u, uint8_t enb, struct pkt_queue *q)
{
	struct pkt *p;

	while ((p = pkt_dequeue(q)))
		go_on(lte, u, enb, p);
}

/* The other eNB's End Marker came, or will not. */
static void stop_awaiting(struct lte *lte, struct ue *u, uint8_t enb)
{
	struct tunnel_end *end = end_of(lte, u, enb);
	bool held = end->direct.n > 0;

	end->awaiting = false;
	end->expiry_ns = CELL_NEVER;
	go_on_all(lte, u, enb, &end->direct);
	if (held)
		record_hold(lte, u, enb);
}

/* What may wait for a UE at an eNB is one queue, wherever in it. */
static bool is_full(struct lte *lte, const struct ue *u, uint8_t enb, struct pkt *p)
{
	const struct bearer *b = leg_classify(&u->leg[CELL_DIR_DL], p);
	const struct tunnel_end *end = end_of(lte, u, enb);
	uint32_t n = end->held.n + end->direct.n;

	if (is_here(u, enb))
		n += b->rlc.queue->sdus.n;
	return !forwards(end) && n >= b->cfg.rlc_queue_pkts;
}

static void wait_for_end_marker(const struct lte *lte, struct tunnel_end *end, int64_t more_ns)
{
	end->expiry_ns = lte->cell.event_ns + lte->cell.cfg.ho_end_marker_ms * NS_PER_MS + more_ns;
}

void tunnel_ingress(struct lte *lte, uint8_t enb, struct pkt *p)
{
	enum cell_tunnel kind;
	struct tunnel_end *end;
	struct ue *u;

	out_record(&lte->cell, NULL,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = CELL_NODE_ENB,
	                                 .enb = enb,
	                                 .dir = CELL_DIR_DL,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	u = tunnel_receive(lte, p, enb, &kind);
	if (!u)
		return;
	ue_touch(lte, u->id);
	end = end_of(lte, u, enb);
	if (kind == CELL_TUNNEL_X2 && end->expiry_ns != CELL_NEVER && !p->end_marker)
		wait_for_end_marker(lte, end, 0);
	if (!end->known) {
		out_drop(&lte->cell, p, NULL, CELL_DROP_NO_ROUTE);
	} else if (kind == CELL_TUNNEL_X2 && p->end_marker) {
		cell_pkt_terminate(&lte->cell, p);
		if (end->awaiting)
			stop_awaiting(lte, u, enb);
	} else if (p->end_marker && end->awaiting && is_here(u, enb)) {
		cell_pkt_terminate(&lte->cell, p); /* of before the path came back */
	} else if (!p->end_marker && is_full(lte, u, enb, p)) {
		out_drop(&lte->cell, p, &u->leg[CELL_DIR_DL].at, CELL_DROP_QUEUE_FULL);
	} else if (kind == CELL_TUNNEL_S1 && end->awaiting) {
		pkt_enqueue(&end->direct, p);
		record_hold(lte, u, enb);
	} else {
		go_on(lte, u, enb, p);
	}
}

/* --- handover --- */

static bool reorders(const struct lte *lte)
{
	return lte->cell.cfg.ho_reordering && lte->cell.cfg.ho_forwarding;
}

void tunnel_expect(struct lte *lte, struct ue *u, uint8_t enb)
{
	struct tunnel_end *end = end_of(lte, u, enb);

	end->known = true;
	end->forward_to = ENB_NONE;
	end->ended = end->returning = false;
	end->awaiting = reorders(lte);
	end->expiry_ns = CELL_NEVER;
}

void tunnel_end_marker(struct lte *lte, struct ue *u, uint8_t from)
{
	struct pkt *p = forwards(end_of(lte, u, from)) && lte->cell.cfg.ho_forwarding
	                        ? cell_pkt_originate(&lte->cell)
	                        : NULL;

	if (!p)
		return;
	p->end_marker = true;
	forward(lte, u, from, p);
}

bool tunnel_forward(struct lte *lte, struct ue *u, uint8_t from, uint8_t to, struct pkt_queue *held)
{
	struct tunnel_end *end = end_of(lte, u, from);
	bool ended;

	end->forward_to = to;
	end->awaiting = end->returning = false;
	end->expiry_ns = CELL_NEVER;
	go_on_all(lte, u, from, held);
	go_on_all(lte, u, from, &end->held);
	go_on_all(lte, u, from, &end->direct);
	/* The S-GW has nothing more for here: what was forwarded now was the last. */
	ended = end->ended;
	end->ended = false;
	if (ended)
		tunnel_end_marker(lte, u, from);
	return ended;
}

void tunnel_arrived(struct lte *lte, struct ue *u)
{
	struct tunnel_end *end = end_of(lte, u, u->enb);
	struct pkt_queue held = { 0 };

	pkt_queue_move(&held, &end->held);
	if (held.n)
		record_hold(lte, u, u->enb);
	go_on_all(lte, u, u->enb, &held);
	if (end->awaiting)
		wait_for_end_marker(lte, end, 0);
}

void tunnel_return(struct lte *lte, struct ue *u)
{
	struct tunnel_end *end = end_of(lte, u, u->enb);

	if (!reorders(lte))
		return;
	end->awaiting = end->ended;
	end->returning = !end->ended;
	end->ended = false;
	wait_for_end_marker(lte, end, 2 * lte->cell.cfg.ho_signalling_us * NS_PER_US);
}

bool tunnel_settled(const struct lte *lte, const struct ue *u)
{
	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		if (lte->enb[k].end[u->id - 1].awaiting || lte->enb[k].end[u->id - 1].returning)
			return false;
	return true;
}

int64_t tunnel_next_ns(const struct lte *lte, const struct ue *u)
{
	int64_t next = CELL_NEVER;

	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		if (lte->enb[k].end[u->id - 1].expiry_ns < next)
			next = lte->enb[k].end[u->id - 1].expiry_ns;
	return next;
}

void tunnel_expire(struct lte *lte, struct ue *u)
{
	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		if (end_of(lte, u, k)->expiry_ns <= lte->cell.event_ns) {
			end_of(lte, u, k)->returning = false;
			stop_awaiting(lte, u, k);
		}
}

void tunnel_empty(struct lte *lte, struct ue *u, struct pkt_queue *ret)
{
	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++) {
		pkt_queue_move(ret, &end_of(lte, u, k)->held);
		pkt_queue_move(ret, &end_of(lte, u, k)->direct);
	}
}
