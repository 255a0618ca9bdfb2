/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am.c - NR's RLC acknowledged mode as a mode of rlc.h.
 *
 * A bearer's two directions belong together: the receiver of one has its transmitter's node in
 * common with the other's start, so that is where its STATUS PDUs leave, before retransmissions
 * and new data. The transmitter keeps SDUs until they are acknowledged, so MAC PDUs carry no
 * packets.
 * Source: TS 38.322 5.2.3, 5.3
 */
#include "rlc/nr/am.h"

#include "rlc/common/digest.h"
#include "rlc/nr/nr.h"

struct nr_am {
	struct nr_am_tx tx;
	struct nr_am_rx rx;
};

static struct nr_am *am_of(const struct rlc *rlc)
{
	return rlc->state;
}

/* After a change of its timers. */
static void update_expiry(struct rlc *rlc)
{
	const struct nr_am *am = am_of(rlc);
	int64_t t_ns = am->rx.reassembly_expiry_ns;

	t_ns = am->tx.expiry_ns < t_ns ? am->tx.expiry_ns : t_ns;
	rlc->expiry_ns = am->rx.prohibit_expiry_ns < t_ns ? am->rx.prohibit_expiry_ns : t_ns;
}

/* The bits of the receiver, two for each SN, and then the slots of the transmitter. */
static uint32_t am_slots(const struct cell_rlc_cfg *cfg)
{
	uint32_t size = nr_window_size(cfg->am.sn_bits);
	size_t bytes = 2 * bits_words(size) * sizeof(uint64_t) + size * sizeof(uint32_t);

	return (uint32_t)((bytes + sizeof(struct rlc_pdu *) - 1) / sizeof(struct rlc_pdu *));
}

static void am_init(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window)
{
	const struct nr_am_cfg tx = {
		.sn_bits = cfg->am.sn_bits,
		.poll_pdu = cfg->am.poll_pdu,
		.poll_byte = cfg->am.poll_byte,
		.max_retx_threshold = cfg->am.max_retx_threshold,
		.t_poll_retransmit_ns = cfg->am.t_poll_retransmit_ms * RLC_NS_PER_MS,
		.queue_limit = cfg->queue_pkts,
	};
	uint64_t *bits = (uint64_t *)(void *)window;
	uint32_t *slot = (uint32_t *)(bits + 2 * bits_words(nr_window_size(cfg->am.sn_bits)));
	struct nr_am *am = am_of(rlc);

	rlc->queue = &am->tx.queue;
	nr_am_tx_init(&am->tx, &tx, slot, rlc->shared->nr);
	am->tx.rlc = rlc->confirm ? rlc : NULL;
	nr_am_rx_init(&am->rx, cfg->am.sn_bits, cfg->t_reassembly_ms * RLC_NS_PER_MS,
	              cfg->am.t_status_prohibit_ms * RLC_NS_PER_MS, bits, &am->tx, rlc->shared->nr);
	rlc->expiry_ns = CELL_NEVER;
}

static uint32_t am_bytes_waiting(const struct rlc *rlc)
{
	return nr_am_tx_bytes(&am_of(rlc)->tx) + nr_am_rx_status_bytes(&am_of(rlc->reverse)->rx);
}

/* STATUS PDU of the opposite direction's receiver. Return: its size or 0. */
static uint32_t build_status(struct rlc *rlc, uint32_t room, uint8_t *buf)
{
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_RLC_STATUS_TX);
	uint32_t n;

	r.bytes = nr_am_rx_status_build(&am_of(rlc->reverse)->rx, room, rlc->cell->event_ns, buf,
	                                &r.sn, &n);
	if (r.bytes == 0)
		return 0;
	update_expiry(rlc->reverse);
	r.value = (int32_t)n;
	rlc->cell->stats.rlc_status_tx++;
	out_record(rlc->cell, rlc->at, r);
	return r.bytes;
}

static void record_data(struct rlc *rlc, const struct nr_am_built *b)
{
	struct cell_record r = rlc_row_at_start(rlc, b->retx ? CELL_EV_RLC_RETX : CELL_EV_RLC_TX);

	rlc->cell->stats.rlc_pdus_tx++;
	r.sn = b->sn;
	r.bytes = b->size;
	if (b->retx) {
		rlc->cell->stats.rlc_retx++;
		r.value = b->so;
		r.aux = b->retx_count;
	} else {
		r.pkt = b->pkt;
		r.tag = b->tag;
		r.value = b->data;
		r.aux = b->ends;
	}
	out_record(rlc->cell, rlc->at, r);
	if (!b->poll)
		return;
	update_expiry(rlc);
	r = rlc_row_at_start(rlc, CELL_EV_RLC_POLL);
	r.sn = b->sn;
	out_record(rlc->cell, rlc->at, r);
}

static uint32_t am_build(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends)
{
	struct nr_am_tx *tx = &am_of(rlc)->tx;
	uint32_t size = build_status(rlc, room, buf);
	struct nr_am_built b;
	struct pkt *fresh;

	(void)ret_ends;
	if (size)
		return size;
	do
		fresh = nr_am_tx_fresh(tx, room);
	while (fresh && !rlc->take(rlc, fresh));
	b = nr_am_tx_build(tx, room, rlc->cell->event_ns, buf);
	if (b.size)
		record_data(rlc, &b);
	return b.size;
}

/* For the transmitter of the opposite direction, whose start is at this one's end. */
static void receive_status(struct rlc *rlc, const uint8_t *buf, uint32_t len)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_RLC_STATUS_RX);
	struct nr_am_tx *tx = &am_of(rlc->reverse)->tx;
	struct nr_status_reader status;

	if (nr_status_open(&status, tx->sn_bits, buf, len) < 0 || nr_am_tx_status(tx, status) < 0)
		return;
	update_expiry(rlc->reverse);
	rlc->cell->stats.rlc_status_rx++;
	r.sn = status.ack_sn;
	r.bytes = len;
	r.value = (int32_t)status.n;
	out_record(rlc->cell, rlc->at, r);
	rlc->reverse->failed = tx->max_retx_reached;
}

static void am_receive(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                       struct rlc_out *out)
{
	struct nr_am_rx *rx = &am_of(rlc)->rx;
	int sn;

	(void)ends;
	if (!nr_am_is_data(buf)) {
		receive_status(rlc, buf, len);
		return;
	}
	sn = nr_am_rx_receive(rx, buf, len, rlc->cell->event_ns, out);
	if (sn >= 0)
		rlc_record_received(rlc, (uint32_t)sn, len);
	update_expiry(rlc);
	rlc_record_discarded(rlc, out, rx->rx_next);
}

static void reassembly_expired(struct rlc *rlc)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_T_REORDERING);
	struct nr_am_rx *rx = &am_of(rlc)->rx;

	nr_am_rx_expire(rx, rlc->cell->event_ns);
	r.sn = rx->rx_highest_status;
	out_record(rlc->cell, rlc->at, r);
}

static void poll_expired(struct rlc *rlc)
{
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_T_POLL_RETRANSMIT);
	struct nr_am_tx *tx = &am_of(rlc)->tx;

	r.sn = tx->poll_sn;
	out_record(rlc->cell, rlc->at, r);
	nr_am_tx_expire(tx);
	rlc->failed = tx->max_retx_reached;
}

/* Of several at one time this is the order. */
static void am_expire(struct rlc *rlc, struct rlc_out *out)
{
	struct nr_am *am = am_of(rlc);

	(void)out;
	if (am->rx.reassembly_expiry_ns == rlc->expiry_ns)
		reassembly_expired(rlc);
	else if (am->tx.expiry_ns == rlc->expiry_ns)
		poll_expired(rlc);
	else /* a STATUS PDU that is due can go now */
		am->rx.prohibit_expiry_ns = CELL_NEVER;
	update_expiry(rlc);
}

/* What is complete was delivered when it was. */
static void am_finish(struct rlc *rlc, struct rlc_out *out)
{
	(void)rlc, (void)out;
}

static void am_kept(struct rlc *rlc, void (*visit)(void *arg, struct rlc_kept_sdu sdu), void *arg)
{
	nr_am_tx_kept(&am_of(rlc)->tx, visit, arg);
}

static void am_outstanding(const struct rlc *rlc, void (*visit)(void *arg, struct pkt *p),
                           void *arg)
{
	for (const struct nr_sdu *sdu = am_of(rlc)->tx.first; sdu; sdu = sdu->next)
		visit(arg, sdu->p);
}

static void am_reset(struct rlc *rlc)
{
	nr_am_rx_reset(&am_of(rlc)->rx);
	nr_am_tx_reset(&am_of(rlc)->tx);
	rlc->expiry_ns = CELL_NEVER;
	rlc->failed = false;
}

static void am_empty(struct rlc *rlc, struct pkt_queue *ret)
{
	(void)ret; /* they are in the queue again */
	am_reset(rlc);
}

static void am_digest(const struct rlc *rlc, uint64_t *h)
{
	const struct nr_am *am = am_of(rlc);

	digest_mix(h, (uint64_t)am->rx.reassembly_expiry_ns);
	digest_mix(h, (uint64_t)am->tx.expiry_ns);
	digest_mix(h, (uint64_t)am->rx.prohibit_expiry_ns);
	rlc_digest_sdus(h, &am->tx.queue);
	digest_mix(h, nr_am_tx_next_ack(&am->tx));
	digest_mix(h, am->tx.tx_next);
	digest_mix(h, am->tx.poll_sn);
	digest_mix(h, am->tx.n_retx);
	digest_mix(h, am->tx.retx_bytes);
	digest_mix(h, am->tx.pdu_without_poll);
	digest_mix(h, am->tx.byte_without_poll);
	digest_mix(h, am->tx.poll_due);
	digest_mix(h, am->rx.rx_next);
	digest_mix(h, am->rx.rx_next_status_trigger);
	digest_mix(h, am->rx.rx_highest_status);
	digest_mix(h, am->rx.rx_next_highest);
	digest_mix(h, am->rx.status_due);
	digest_mix(h, am->rx.window.n_parts);
}

const struct rlc_mode rlc_mode_nr_am = {
	.name = "am",
	.acknowledged = true,
	.pdus_max = UINT8_MAX,
	.bytes = sizeof(struct nr_am),
	.slots = am_slots,
	.init = am_init,
	.bytes_waiting = am_bytes_waiting,
	.build = am_build,
	.receive = am_receive,
	.expire = am_expire,
	.finish = am_finish,
	.kept = am_kept,
	.reset = am_reset,
	.outstanding = am_outstanding,
	.empty = am_empty,
	.digest = am_digest,
};
