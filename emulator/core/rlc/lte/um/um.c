/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um.c - RLC unacknowledged mode as a mode of rlc.h.
 *
 * Each direction is on its own. A PDU takes all that its grant has room for, so there is one for
 * each MAC PDU, which also carries the packets that end in it: the transmitter forgets what it
 * has sent. The only timer is t-Reordering.
 * Source: TS 36.322 5.1.2
 */
#include "rlc/lte/um/um.h"

#include "rlc/common/digest.h"
#include "rlc/common/rlc.h"
#include "rlc/lte/um/pdu.h"

struct um {
	struct rlc_um_tx tx;
	struct rlc_um_rx rx;
};

static struct um *um_of(const struct rlc *rlc)
{
	return rlc->state;
}

/* Wireshark has to know the length of the SNs. */
static const struct lcids *um_lcids(const struct cell_rlc_cfg *cfg)
{
	static const struct lcids with_5 = { { LCID_UM_5, LCID_UM_5 + 1 } };
	static const struct lcids with_10 = { { LCID_UM_10, LCID_UM_10 + 1, LCID_UM_10_MORE } };

	return cfg->um.sn_bits == 5 ? &with_5 : &with_10;
}

static uint32_t um_slots(const struct cell_rlc_cfg *cfg)
{
	return rlc_um_window_slots(cfg->um.sn_bits);
}

static void um_init(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window)
{
	struct um *um = um_of(rlc);

	rlc->queue = &um->tx.queue;
	rlc_um_tx_init(&um->tx, cfg->um.sn_bits, cfg->queue_pkts);
	rlc_um_rx_init(&um->rx, cfg->um.sn_bits, cfg->t_reordering_ms * RLC_NS_PER_MS,
	               (enum cell_delivery)cfg->delivery, window, &rlc->shared->pool);
	rlc->expiry_ns = um->rx.expiry_ns;
}

static uint32_t um_bytes_waiting(const struct rlc *rlc)
{
	return um_of(rlc)->tx.queue.bytes;
}

static bool um_fits(const struct rlc *rlc, uint32_t room)
{
	const struct rlc_um_tx *tx = &um_of(rlc)->tx;

	return rlc_sdu_queue_fits(&tx->queue, (uint32_t)um_fixed_bytes(tx->sn_bits), room);
}

static uint32_t um_build(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends)
{
	uint32_t size = rlc_um_tx_build(&um_of(rlc)->tx, room, buf, ret_ends, &rlc->shared->tx_pdu);

	if (size == 0)
		return 0;
	rlc->cell->stats.rlc_pdus_tx++;
	rlc_record_new(rlc, size);
	return size;
}

static void um_receive(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                       struct rlc_out *out)
{
	struct rlc_um_rx *rx = &um_of(rlc)->rx;
	int sn = rlc_um_rx_receive(rx, buf, len, ends, rlc->cell->event_ns, out);

	if (sn >= 0)
		rlc_record_received(rlc, (uint32_t)sn, len);
	rlc->expiry_ns = rx->expiry_ns;
	rlc_record_discarded(rlc, out, rx->vr_ur);
}

static void um_expire(struct rlc *rlc, struct rlc_out *out)
{
	struct cell_record r = rlc_row_at_end(rlc, CELL_EV_T_REORDERING);
	struct rlc_um_rx *rx = &um_of(rlc)->rx;

	rlc_um_rx_expire(rx, rlc->cell->event_ns, out);
	rlc->expiry_ns = rx->expiry_ns;
	r.sn = rx->vr_ur;
	out_record(rlc->cell, rlc->at, r);
}

static void um_finish(struct rlc *rlc, struct rlc_out *out)
{
	rlc_um_rx_reestablish(&um_of(rlc)->rx, out);
	rlc->expiry_ns = CELL_NEVER;
}

/* The receiver has started again with finish(). */
static void um_reset(struct rlc *rlc)
{
	um_of(rlc)->tx.vt_us = 0;
}

static void um_empty(struct rlc *rlc, struct pkt_queue *ret)
{
	rlc_um_rx_flush(&um_of(rlc)->rx, ret);
	rlc->expiry_ns = CELL_NEVER;
}

static void um_digest(const struct rlc *rlc, uint64_t *h)
{
	const struct um *um = um_of(rlc);

	digest_mix(h, (uint64_t)rlc->expiry_ns);
	rlc_digest_sdus(h, &um->tx.queue);
	digest_mix(h, um->tx.vt_us);
	digest_mix(h, um->rx.vr_ux);
	digest_mix(h, um->rx.vr_uh);
	rlc_digest_reassembly(h, &um->rx.reassembly);
}

const struct rlc_mode rlc_mode_um = {
	.name = "um",
	.pdus_max = 1,
	.bytes = sizeof(struct um),
	.lcids = um_lcids,
	.slots = um_slots,
	.init = um_init,
	.bytes_waiting = um_bytes_waiting,
	.fits = um_fits,
	.build = um_build,
	.receive = um_receive,
	.expire = um_expire,
	.finish = um_finish,
	.reset = um_reset,
	.empty = um_empty,
	.digest = um_digest,
};
