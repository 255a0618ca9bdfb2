/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um.h - RLC unacknowledged mode: a transmitting and a receiving entity.
 *
 * The MAC pulls: it asks the transmitter for a PDU of at most so many bytes.
 * State variables are spelled as in the standard.
 * Source: TS 36.322 v10.0.0 5.1.2
 */
#ifndef RLC_UM_H
#define RLC_UM_H

#include <stdbool.h>

#include "rlc/common/pdu.h"
#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"

struct rlc_um_tx {
	struct rlc_sdu_queue queue;
	uint16_t vt_us; /* SN of the next PDU */
	uint8_t sn_bits;
};

void rlc_um_tx_init(struct rlc_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit);

/**
 * rlc_um_tx_build() - one UMD PDU of at most @max bytes
 * @buf:      where it is written
 * @ret_ends: packets whose last byte went out with it are appended
 * @ret:      its SN and elements
 *
 * Return: size, 0 when nothing is queued or @max cannot hold a byte of data.
 */
uint32_t rlc_um_tx_build(struct rlc_um_tx *tx, uint32_t max, uint8_t *buf,
                         struct pkt_queue *ret_ends, struct rlc_tx_pdu *ret);

struct rlc_um_rx {
	struct rlc_reassembly reassembly; /* its window: 2^sn_bits slots, by SN */
	uint16_t vr_ur;                   /* earliest SN still considered for reordering */
	uint16_t vr_ux;                   /* SN after the PDU that started t-Reordering */
	uint16_t vr_uh;                   /* SN after the highest received */
	int64_t t_reordering_ns;
	int64_t expiry_ns; /* of t-Reordering, CELL_NEVER when stopped */
	uint8_t sn_bits;
};

/** rlc_um_window_slots() - entries of a receiver's window for @sn_bits */
static inline uint32_t rlc_um_window_slots(uint8_t sn_bits)
{
	return UINT32_C(1) << sn_bits;
}

/** rlc_um_rx_init() - @window has rlc_um_window_slots() entries */
void rlc_um_rx_init(struct rlc_um_rx *rx, uint8_t sn_bits, int64_t t_reordering_ns,
                    enum cell_delivery delivery, struct rlc_pdu **window, struct rlc_pool *pool);

/**
 * rlc_um_rx_receive() - a PDU arrived
 * @ends: packets whose last byte is in it, taken over
 * Source: TS 36.322 5.1.2.2.2, 5.1.2.2.3
 *
 * Return: its SN, or -EBADMSG.
 */
int rlc_um_rx_receive(struct rlc_um_rx *rx, const uint8_t *buf, uint32_t len,
                      struct pkt_queue *ends, int64_t now_ns, struct rlc_out *out);

/**
 * rlc_um_rx_flush() - give up all PDUs and partly received SDUs
 * @ret_ends: their packets are appended
 *
 * SNs go on: PDUs still on the air are received as if nothing had been before.
 */
void rlc_um_rx_flush(struct rlc_um_rx *rx, struct pkt_queue *ret_ends);

/**
 * rlc_um_rx_reestablish() - deliver what is complete, forget the rest, start with SN 0
 * Source: TS 36.322 5.4
 */
void rlc_um_rx_reestablish(struct rlc_um_rx *rx, struct rlc_out *out);

/** rlc_um_rx_expire() - t-Reordering expired. Source: TS 36.322 5.1.2.2.4 */
void rlc_um_rx_expire(struct rlc_um_rx *rx, int64_t now_ns, struct rlc_out *out);

#endif
