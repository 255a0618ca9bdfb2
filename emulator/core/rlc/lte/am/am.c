/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am.c - RLC acknowledged mode as a mode of rlc.h.
 *
 * A bearer's two directions belong together: the receiver of one has its transmitter's node in
 * common with the other's start, so that is where its STATUS PDUs leave, before retransmissions
 * and new data. A MAC PDU takes as many PDUs as fit. The transmitter keeps SDUs until they are
 * acknowledged, so MAC PDUs carry no packets.
 * Source: TS 36.322 5.1.3, 5.2
 */
#include "rlc/lte/am/am.h"

#include "rlc/common/digest.h"
#include "rlc/common/rlc.h"

struct am {
	struct rlc_am_tx tx;
	struct rlc_am_rx rx;
};

static struct am *am_of(const struct rlc *rlc)
{
	return rlc->state;
}

/* After a change of its timers. */
static void update_expiry(struct rlc *rlc)
{
	const struct am *am = am_of(rlc);
	int64_t t_ns = am->rx.reordering_expiry_ns;

	t_ns = am->tx.expiry_ns < t_ns ? am->tx.expiry_ns : t_ns;
	rlc->expiry_ns = am->rx.prohibit_expiry_ns < t_ns ? am->rx.prohibit_expiry_ns : t_ns;
}

static const struct lcids *am_lcids(const struct cell_rlc_cfg *cfg)
{
	static const struct lcids lcids = { { LCID_AM, LCID_AM + 1, LCID_AM_MORE } };

	(void)cfg;
	return &lcids;
}

static uint32_t am_slots(const struct cell_rlc_cfg *cfg)
{
	(void)cfg;
	return 2 * AM_SLOTS;
}

static void am_init(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window)
{
	const struct rlc_am_cfg am = {
		.poll_pdu = cfg->am.poll_pdu,
		.poll_byte = cfg->am.poll_byte,
		.max_retx_threshold = cfg->am.max_retx_threshold,
		.t_poll_retransmit_ns = cfg->am.t_poll_retransmit_ms * RLC_NS_PER_MS,
		.queue_limit = cfg->queue_pkts,
	};

	rlc->queue = &am_of(rlc)->tx.queue;
	rlc_am_tx_init(&am_of(rlc)->tx, &am, window, &rlc->shared->pool);
	rlc_am_rx_init(&am_of(rlc)->rx, cfg->t_reordering_ms * RLC_NS_PER_MS,
	               cfg->am.t_status_prohibit_ms * RLC_NS_PER_MS,
	               (enum cell_delivery)cfg->delivery, window + AM_SLOTS, window,
	               &rlc->shared->pool);
	rlc->expiry_ns = CELL_NEVER;
}

static uint32_t am_bytes_waiting(const struct rlc *rlc)
{
	return rlc_am_tx_bytes(&am_of(rlc)->tx) + rlc_am_rx_status_bytes(&am_of(rlc->reverse)->rx);
}

/* STATUS PDU of the opposite direction's receiver. Return: its size or 0. */
static uint32_t build_status(struct rlc *rlc, uint32_t room, uint8_t *buf)
{
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_RLC_STATUS_TX);
	struct am_status *status = rlc->shared->scratch;
	uint32_t size = rlc_am_rx_status_build(&am_of(rlc->reverse)->rx, room, rlc->cell->event_ns,
	                                       buf, status);

	if (size == 0)
		return 0;
	update_expiry(rlc->reverse);
	r.sn = status->ack_sn;
	r.bytes = size;
	r.value = status->n;
	rlc->cell->stats.rlc_status_tx++;
	out_record(rlc->cell, rlc->at, r);
	return size;
}

static uint32_t build_data(struct rlc *rlc, uint32_t room, uint8_t *buf)
{
	struct rlc_am_built b = rlc_am_tx_build(&am_of(rlc)->tx, room, rlc->cell->event_ns, buf,
	                                        &rlc->shared->tx_pdu);
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_RLC_RETX);

	if (b.size == 0)
		return 0;
	rlc->cell->stats.rlc_pdus_tx++;
	r.sn = b.sn;
	if (b.retx) {
		rlc->cell->stats.rlc_retx++;
		r.bytes = b.size;
		r.value = b.so;
		r.aux = b.retx_count;
		out_record(rlc->cell, rlc->at, r);
	} else {
		rlc_record_new(rlc, b.size);
	}
	if (b.poll) {
		update_expiry(rlc);
		r = rlc_row_at_start(rlc, CELL_EV_RLC_POLL);
		r.sn = b.sn;
		out_record(rlc->cell, rlc->at, r);
	}
	return b.size;
}

static uint32_t am_build(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends)
{
	uint32_t size = build_status(rlc, room, buf);

	(void)ret_ends;
	return size ? size : build_data(rlc, room, buf);
}

/* For the transmitter of the opposite direction, whose start is at this one's end. */
static void receive_status(struct rlc *rlc, const uint8_t *buf, uint32_t len)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_RLC_STATUS_RX);
	struct am_status *status = rlc->shared->scratch;
	struct rlc_am_tx *tx = &am_of(rlc->reverse)->tx;

	if (am_status_unpack(status, buf, len) < 0 || rlc_am_tx_status(tx, status) < 0)
		return;
	update_expiry(rlc->reverse);
	rlc->cell->stats.rlc_status_rx++;
	r.sn = status->ack_sn;
	r.bytes = len;
	r.value = status->n;
	out_record(rlc->cell, rlc->at, r);
	rlc->reverse->failed = tx->max_retx_reached;
}

static void am_receive(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                       struct rlc_out *out)
{
	struct rlc_am_rx *rx = &am_of(rlc)->rx;
	int sn;

	(void)ends;
	if (!am_is_data(buf)) {
		receive_status(rlc, buf, len);
		return;
	}
	sn = rlc_am_rx_receive(rx, buf, len, rlc->cell->event_ns, out);
	if (sn >= 0)
		rlc_record_received(rlc, (uint32_t)sn, len);
	update_expiry(rlc);
	rlc_record_discarded(rlc, out, rx->reassembly.lower);
}

static void reordering_expired(struct rlc *rlc)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_T_REORDERING);
	struct rlc_am_rx *rx = &am_of(rlc)->rx;

	rlc_am_rx_expire(rx, rlc->cell->event_ns);
	r.sn = rx->vr_ms;
	out_record(rlc->cell, rlc->at, r);
}

static void poll_expired(struct rlc *rlc)
{
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_T_POLL_RETRANSMIT);
	struct rlc_am_tx *tx = &am_of(rlc)->tx;

	r.sn = tx->poll_sn;
	out_record(rlc->cell, rlc->at, r);
	rlc_am_tx_expire(tx);
	rlc->failed = tx->max_retx_reached;
}

/* Of several at one time this is the order. */
static void am_expire(struct rlc *rlc, struct rlc_out *out)
{
	struct am *am = am_of(rlc);

	(void)out; /* timers complete no SDU */
	if (am->rx.reordering_expiry_ns == rlc->expiry_ns)
		reordering_expired(rlc);
	else if (am->tx.expiry_ns == rlc->expiry_ns)
		poll_expired(rlc);
	else /* a STATUS PDU that is due can go now */
		am->rx.prohibit_expiry_ns = CELL_NEVER;
	update_expiry(rlc);
}

static void am_finish(struct rlc *rlc, struct rlc_out *out)
{
	rlc_am_rx_finish(&am_of(rlc)->rx, out);
}

static void am_kept(struct rlc *rlc, void (*visit)(void *arg, struct rlc_kept_sdu sdu), void *arg)
{
	rlc_am_tx_unconfirmed(&am_of(rlc)->tx, visit, arg);
}

static void am_reset(struct rlc *rlc)
{
	rlc_am_rx_reset(&am_of(rlc)->rx);
	rlc_am_tx_reset(&am_of(rlc)->tx);
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
	const struct am *am = am_of(rlc);

	digest_mix(h, (uint64_t)am->rx.reordering_expiry_ns);
	digest_mix(h, (uint64_t)am->tx.expiry_ns);
	digest_mix(h, (uint64_t)am->rx.prohibit_expiry_ns);
	rlc_digest_sdus(h, &am->tx.queue);
	digest_mix(h, am->tx.vt_a);
	digest_mix(h, am->tx.vt_s);
	digest_mix(h, am->tx.poll_sn);
	digest_mix(h, am->tx.n_retx);
	digest_mix(h, am->tx.retx_bytes);
	digest_mix(h, am->tx.pdu_without_poll);
	digest_mix(h, am->tx.byte_without_poll);
	digest_mix(h, am->tx.poll_due);
	digest_mix(h, am->rx.vr_x);
	digest_mix(h, am->rx.vr_ms);
	digest_mix(h, am->rx.vr_h);
	digest_mix(h, am->rx.status_due);
	rlc_digest_reassembly(h, &am->rx.reassembly);
}

const struct rlc_mode rlc_mode_am = {
	.name = "am",
	.acknowledged = true,
	.pdus_max = UINT8_MAX,
	.bytes = sizeof(struct am),
	.scratch_bytes = sizeof(struct am_status),
	.lcids = am_lcids,
	.slots = am_slots,
	.init = am_init,
	.bytes_waiting = am_bytes_waiting,
	.build = am_build,
	.receive = am_receive,
	.expire = am_expire,
	.finish = am_finish,
	.kept = am_kept,
	.reset = am_reset,
	.empty = am_empty,
	.digest = am_digest,
};
