/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um.c - NR's RLC unacknowledged mode as a mode of rlc.h.
 *
 * Each direction is on its own. A MAC PDU takes as many PDUs as fit, and carries the packets that
 * end in it: the transmitter forgets what it has sent. The only timer is t-Reassembly.
 * Source: TS 38.322 5.2.2
 */
#include "rlc/nr/um.h"

#include "rlc/common/digest.h"
#include "rlc/nr/nr.h"

struct nr_um {
	struct nr_um_tx tx;
	struct nr_um_rx rx;
};

static struct nr_um *um_of(const struct rlc *rlc)
{
	return rlc->state;
}

static uint32_t um_slots(const struct cell_rlc_cfg *cfg)
{
	return (uint32_t)(bits_words(nr_window_size(cfg->um.sn_bits)) * sizeof(uint64_t) /
	                  sizeof(struct rlc_pdu *));
}

static void um_init(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window)
{
	struct nr_um *um = um_of(rlc);

	rlc->queue = &um->tx.queue;
	nr_um_tx_init(&um->tx, cfg->um.sn_bits, cfg->queue_pkts);
	nr_um_rx_init(&um->rx, cfg->um.sn_bits, cfg->t_reassembly_ms * RLC_NS_PER_MS,
	              (uint64_t *)(void *)window, rlc->shared->nr);
	rlc->expiry_ns = CELL_NEVER;
}

static uint32_t um_bytes_waiting(const struct rlc *rlc)
{
	return um_of(rlc)->tx.queue.bytes;
}

static uint32_t um_build(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends)
{
	struct cell_record r = rlc_row_at_start(rlc, CELL_EV_RLC_TX);
	struct nr_um_tx *tx = &um_of(rlc)->tx;
	struct nr_um_built b;
	struct pkt *fresh;

	do
		fresh = nr_um_tx_fresh(tx, room);
	while (fresh && !rlc->take(rlc, fresh));
	b = nr_um_tx_build(tx, room, buf, ret_ends);
	if (b.size == 0)
		return 0;
	rlc->cell->stats.rlc_pdus_tx++;
	r.sn = b.sn;
	r.bytes = b.size;
	r.pkt = b.pkt;
	r.tag = b.tag;
	r.value = b.data;
	r.aux = b.ends;
	out_record(rlc->cell, rlc->at, r);
	return b.size;
}

static void um_receive(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                       struct rlc_out *out)
{
	struct nr_um_rx *rx = &um_of(rlc)->rx;
	uint32_t sn;

	if (nr_um_rx_receive(rx, buf, len, ends, rlc->cell->event_ns, out, &sn) == 0)
		rlc_record_received(rlc, sn, len);
	rlc->expiry_ns = rx->expiry_ns;
	rlc_record_discarded(rlc, out, rx->rx_next_reassembly);
}

static void um_expire(struct rlc *rlc, struct rlc_out *out)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_T_REORDERING);
	struct nr_um_rx *rx = &um_of(rlc)->rx;

	nr_um_rx_expire(rx, rlc->cell->event_ns, out);
	rlc->expiry_ns = rx->expiry_ns;
	r.sn = rx->rx_next_reassembly;
	out_record(rlc->cell, rlc->at, r);
	rlc_record_discarded(rlc, out, rx->rx_next_reassembly);
}

/* What is complete was delivered when it was. */
static void um_finish(struct rlc *rlc, struct rlc_out *out)
{
	nr_um_rx_reset(&um_of(rlc)->rx, &out->discarded);
	rlc->expiry_ns = CELL_NEVER;
}

/* The receiver has started again with finish(). An SDU that was started is sent from its first
 * byte.
 */
static void um_reset(struct rlc *rlc)
{
	struct nr_um_tx *tx = &um_of(rlc)->tx;

	tx->queue.bytes += tx->queue.head_sent;
	tx->queue.head_sent = 0;
	tx->tx_next = 0;
}

static void um_empty(struct rlc *rlc, struct pkt_queue *ret)
{
	nr_um_rx_reset(&um_of(rlc)->rx, ret);
	um_reset(rlc);
	rlc->expiry_ns = CELL_NEVER;
}

static void um_digest(const struct rlc *rlc, uint64_t *h)
{
	const struct nr_um *um = um_of(rlc);

	digest_mix(h, (uint64_t)rlc->expiry_ns);
	rlc_digest_sdus(h, &um->tx.queue);
	digest_mix(h, um->tx.tx_next);
	digest_mix(h, um->rx.rx_next_reassembly);
	digest_mix(h, um->rx.rx_timer_trigger);
	digest_mix(h, um->rx.rx_next_highest);
	digest_mix(h, um->rx.window.n_parts);
}

const struct rlc_mode rlc_mode_nr_um = {
	.name = "um",
	.pdus_max = UINT8_MAX,
	.bytes = sizeof(struct nr_um),
	.slots = um_slots,
	.init = um_init,
	.bytes_waiting = um_bytes_waiting,
	.build = um_build,
	.receive = um_receive,
	.expire = um_expire,
	.finish = um_finish,
	.reset = um_reset,
	.empty = um_empty,
	.digest = um_digest,
};
