/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.c - PDCP of a split bearer: which cell group a packet takes, and when; see split.h.
 *
 * In the downlink PDCP at the gNB keeps what no cell group wants yet (flow.h), and drops what its
 * queue has no room for before it has a COUNT. Packets to the eNB take X2.
 *
 * In the uplink all packets take the primary path, as ul-DataSplitThreshold is infinity: NR while
 * there is an SCG and it is the primary path, otherwise LTE, from where they take X2 to PDCP.
 * Source: TS 37.340 7.2; TS 38.323 5.2.1, 5.2.2, 5.5; TS 38.331 PDCP-Config
 */
#include "ran/en_dc/split.h"

#include "base/digest.h"
#include "ran/en_dc/flow.h"
#include "ran/lte/bearer_tx.h"
#include "ran/nr/drb_tx.h"
#include "ran/nr/reestablish.h"

static const struct cell_en_dc_cfg *cfg_of(const struct en_dc *n)
{
	return &n->cell.cfg.en_dc;
}

static bool is_scg_active(const struct en_dc_ue *u)
{
	return u->scg.state == SCG_ACTIVE;
}

size_t split_words(const struct cell_cfg *cfg)
{
	return 2 * bits_words(pdcp_nr_window(cfg->pdcp.sn_bits));
}

void split_init(const struct en_dc *n, struct en_dc_ue *u, uint64_t *words)
{
	const struct cell_pdcp_cfg *cfg = &n->cell.cfg.pdcp;
	int64_t t_reordering_ns =
		cfg->t_reordering_infinite ? CELL_NEVER : cfg->t_reordering_ms * EN_DC_NS_PER_MS;

	for (int d = 0; d < 2; d++) {
		pdcp_nr_tx_init(&u->bearer[d].tx, cfg->sn_bits);
		pdcp_nr_rx_init(&u->bearer[d].rx, cfg->sn_bits, cfg->out_of_order_delivery,
		                t_reordering_ns, words + (size_t)d * split_words(&n->cell.cfg) / 2);
	}
	for (int g = 0; g < CELL_GROUP_COUNT; g++)
		flow_init(&u->group[g]);
}

/* --- the downlink --- */

static void to_x2(struct en_dc *n, struct pkt *p, enum cell_dir dir)
{
	p->queued_ns = n->cell.event_ns + en_dc_x2_ns(n);
	pkt_enqueue(&n->x2[dir], p);
}

/* Packets outside PDCP have their COUNT, and its header. */
static void give(struct en_dc *n, struct en_dc_ue *u, enum cell_group g, struct pkt *p)
{
	flow_given(n, u, g, p->sdu_len);
	if (g == CELL_GROUP_MCG) {
		to_x2(n, p, CELL_DIR_DL);
		return;
	}
	flow_arrived(u, g, p->sdu_len);
	p->queued_ns = n->cell.event_ns;
	drb_enqueue(n->nr, en_dc_scg(n, u, CELL_DIR_DL), p);
}

void split_feed(struct en_dc *n, struct en_dc_ue *u)
{
	struct en_dc_bearer *b = &u->bearer[CELL_DIR_DL];
	enum cell_group g;

	while (b->waiting.head && (g = flow_choose(n, u, is_scg_active(u))) != CELL_GROUP_COUNT) {
		struct pkt *p = pkt_dequeue(&b->waiting);

		b->waiting_bytes -= p->len;
		pdcp_nr_number(&b->tx, p);
		give(n, u, g, p);
	}
	if (!b->waiting.head)
		ue_set_remove(&n->waits, (uint8_t)(u->id - 1));
	en_dc_touch(n, u->id);
}

static bool is_full(const struct en_dc *n, const struct pkt *p, uint32_t pkts, uint32_t bytes)
{
	const struct cell_rlc_cfg *cfg = &n->cell.cfg.rlc;

	return pkts >= cfg->queue_pkts || (cfg->queue_bytes && bytes + p->len > cfg->queue_bytes);
}

static void send_down(struct en_dc *n, struct en_dc_ue *u, struct pkt *p)
{
	struct en_dc_bearer *b = &u->bearer[CELL_DIR_DL];

	if (is_full(n, p, b->waiting.n, b->waiting_bytes)) {
		out_drop(&n->nr->cell, p, &en_dc_scg(n, u, CELL_DIR_DL)->at, CELL_DROP_QUEUE_FULL);
		return;
	}
	pdcp_nr_accept(&b->tx, p, 0, n->cell.event_ns);
	pkt_enqueue(&b->waiting, p);
	b->waiting_bytes += p->len;
	ue_set_add(&n->waits, (uint8_t)(u->id - 1));
	split_feed(n, u);
}

/* --- the uplink --- */

static bool takes_scg(const struct en_dc *n, const struct en_dc_ue *u)
{
	return is_scg_active(u) && cfg_of(n)->ul_primary_path == CELL_GROUP_SCG;
}

/* Where it starts, and in whose cell. */
static void record_entry(const struct en_dc *n, const struct en_dc_ue *u, const struct pkt *p,
                         bool scg, enum cell_dir dir)
{
	const struct out_at *at = scg ? &en_dc_scg(n, u, dir)->at : &en_dc_mcg(n, u, dir)->at;

	out_record(scg ? &n->nr->cell : &n->lte->cell, at,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = at->from,
	                                 .peer = at->to,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
}

static void send_up(struct en_dc *n, struct en_dc_ue *u, struct pkt *p)
{
	struct en_dc_bearer *b = &u->bearer[CELL_DIR_UL];
	struct bearer *mcg = en_dc_mcg(n, u, CELL_DIR_UL);
	struct drb *scg = en_dc_scg(n, u, CELL_DIR_UL);
	bool takes = takes_scg(n, u);
	const struct rlc_sdu_queue *q = takes ? scg->rlc.queue : mcg->rlc.queue;

	if (is_full(n, p, q->sdus.n, q->bytes)) {
		out_drop(takes ? &n->nr->cell : &n->lte->cell, p, takes ? &scg->at : &mcg->at,
		         CELL_DROP_QUEUE_FULL);
		return;
	}
	pdcp_nr_accept(&b->tx, p, 0, n->cell.event_ns);
	pdcp_nr_number(&b->tx, p);
	if (takes)
		drb_enqueue(n->nr, scg, p);
	else
		bearer_send(n->lte, mcg, p);
}

void split_ingress(struct en_dc *n, struct pkt *p)
{
	struct en_dc_ue *u = &n->ue[(p->port & ~CELL_PORT_NETWORK) - 1];

	if (p->port & CELL_PORT_NETWORK) {
		record_entry(n, u, p, true, CELL_DIR_DL);
		send_down(n, u, p);
	} else {
		record_entry(n, u, p, takes_scg(n, u), CELL_DIR_UL);
		send_up(n, u, p);
	}
}

/* --- what arrives --- */

static void deliver(struct en_dc *n, const struct en_dc_ue *u, enum cell_dir dir,
                    struct pdcp_nr_out *up)
{
	struct pkt *p;

	out_drop_all(&n->cell, &up->discarded, NULL, CELL_DROP_PDCP_DISCARD);
	out_drop_all(&n->cell, &up->duplicates, NULL, CELL_DROP_DUPLICATE);
	while ((p = pkt_dequeue(&up->delivered)))
		out_deliver(&n->cell, p, dir == CELL_DIR_DL ? u->id : u->id | CELL_PORT_NETWORK);
}

static void to_pdcp(struct en_dc *n, uint8_t ue, enum cell_dir dir, struct pkt *p)
{
	struct en_dc_ue *u = &n->ue[ue - 1];
	struct pdcp_nr_out up = { 0 };

	(void)pdcp_nr_receive(&u->bearer[dir].rx, p, n->cell.event_ns, &up);
	deliver(n, u, dir, &up);
	en_dc_touch(n, ue);
}

void split_receive(struct cell *part, uint8_t ue, enum cell_dir dir, struct pkt *p)
{
	struct en_dc *n = en_dc_of(part->home);

	if (part == &n->lte->cell && dir == CELL_DIR_UL)
		to_x2(n, p, CELL_DIR_UL);
	else
		to_pdcp(n, ue, dir, p);
}

/* --- X2 --- */

static int64_t due_ns(const struct pkt_queue *q)
{
	return q->head ? q->head->queued_ns : CELL_NEVER;
}

int64_t split_x2_next_ns(const struct en_dc *n)
{
	int64_t ul_ns = due_ns(&n->x2[CELL_DIR_UL]), dl_ns = due_ns(&n->x2[CELL_DIR_DL]);

	return ul_ns < dl_ns ? ul_ns : dl_ns;
}

void split_x2_arrive(struct en_dc *n)
{
	enum cell_dir dir =
		due_ns(&n->x2[CELL_DIR_UL]) == n->cell.event_ns ? CELL_DIR_UL : CELL_DIR_DL;
	struct pkt *p = pkt_dequeue(&n->x2[dir]);
	uint8_t ue = p->port & (uint8_t)~CELL_PORT_NETWORK;
	struct en_dc_ue *u = &n->ue[ue - 1];

	if (dir == CELL_DIR_UL) {
		to_pdcp(n, ue, dir, p);
		return;
	}
	flow_arrived(u, CELL_GROUP_MCG, p->sdu_len);
	bearer_send(n->lte, en_dc_mcg(n, u, dir), p);
}

/* --- timers --- */

static int64_t discard_ns(const struct en_dc *n, const struct en_dc_ue *u)
{
	const struct pkt *head = u->bearer[CELL_DIR_DL].waiting.head;
	uint16_t timer_ms = n->cell.cfg.pdcp.discard_timer_ms;

	return head && timer_ms ? head->queued_ns + timer_ms * EN_DC_NS_PER_MS : CELL_NEVER;
}

int64_t split_next_ns(const struct en_dc *n, const struct en_dc_ue *u)
{
	int64_t t_ns = discard_ns(n, u);

	for (int d = 0; d < 2; d++)
		t_ns = en_dc_earlier(t_ns, u->bearer[d].rx.expiry_ns);
	return en_dc_earlier(t_ns, flow_next_ns(u));
}

static void discard(struct en_dc *n, struct en_dc_ue *u)
{
	struct en_dc_bearer *b = &u->bearer[CELL_DIR_DL];

	while (discard_ns(n, u) <= n->cell.event_ns) {
		struct pkt *p = pkt_dequeue(&b->waiting);

		b->waiting_bytes -= p->len;
		out_drop(&n->nr->cell, p, &en_dc_scg(n, u, CELL_DIR_DL)->at,
		         CELL_DROP_PDCP_DISCARD);
	}
}

/* t-Reordering */
static void reorder(struct en_dc *n, struct en_dc_ue *u, enum cell_dir dir)
{
	struct pdcp_nr_rx *rx = &u->bearer[dir].rx;
	const struct drb *at = en_dc_scg(n, u, dir);
	struct cell_record r = rlc_row_at_end(&at->rlc, CELL_EV_PDCP_T_REORDERING);
	struct pdcp_nr_out up = { 0 };

	pdcp_nr_expire(rx, n->cell.event_ns, &up);
	r.sn = rx->rx_deliv;
	out_record(&n->nr->cell, &at->at, r);
	deliver(n, u, dir, &up);
}

void split_expire(struct en_dc *n, struct en_dc_ue *u)
{
	int64_t now_ns = n->cell.event_ns;

	for (int d = 0; d < 2; d++)
		if (u->bearer[d].rx.expiry_ns <= now_ns)
			reorder(n, u, (enum cell_dir)d);
	discard(n, u);
	flow_expire(n, u);
	split_feed(n, u);
}

/* --- the SCG ends, or all does --- */

void split_recover(struct en_dc *n, struct en_dc_ue *u)
{
	struct drb *ul = en_dc_scg(n, u, CELL_DIR_UL);
	uint16_t header = pdcp_nr_header_bytes(n->cell.cfg.pdcp.sn_bits);
	struct pkt_queue down = { 0 }, up = { 0 };
	struct pkt *p;

	nr_reestablish(n->nr, en_dc_link(n, u), &down);
	pkt_queue_move(&up, &ul->rlc.queue->sdus);
	ul->rlc.queue->bytes = 0;
	ul->rlc.queue->head_sent = 0;
	flow_init(&u->group[CELL_GROUP_SCG]);
	while ((p = pkt_dequeue(&down))) {
		p->sdu_len = (uint16_t)(p->len + header);
		give(n, u, CELL_GROUP_MCG, p);
	}
	while ((p = pkt_dequeue(&up)))
		bearer_send(n->lte, en_dc_mcg(n, u, CELL_DIR_UL), p);
	en_dc_touch(n, u->id);
}

void split_flush(struct en_dc *n, struct en_dc_ue *u)
{
	struct en_dc_bearer *b = &u->bearer[CELL_DIR_DL];

	out_drop_all(&n->nr->cell, &b->waiting, &en_dc_scg(n, u, CELL_DIR_DL)->at, CELL_DROP_FLUSH);
	b->waiting_bytes = 0;
	ue_set_remove(&n->waits, (uint8_t)(u->id - 1));
	en_dc_touch(n, u->id);
}

void split_empty(struct en_dc *n, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++)
		pkt_queue_move(ret, &n->x2[d]);
	for (uint8_t i = 0; i < n->cell.cfg.n_ue; i++)
		for (int d = 0; d < 2; d++) {
			pkt_queue_move(ret, &n->ue[i].bearer[d].waiting);
			pdcp_nr_empty(&n->ue[i].bearer[d].rx, ret);
		}
}

void split_digest(const struct en_dc_ue *u, uint64_t *h)
{
	for (int d = 0; d < 2; d++) {
		digest_mix(h, u->bearer[d].tx.tx_next);
		digest_mix(h, u->bearer[d].rx.rx_next);
		digest_mix(h, u->bearer[d].rx.rx_deliv);
		digest_mix(h, (uint64_t)u->bearer[d].rx.expiry_ns);
		digest_mix(h, u->bearer[d].rx.n_held);
		digest_mix_queue(h, &u->bearer[d].waiting);
	}
	flow_digest(u, h);
}
