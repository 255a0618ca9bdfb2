/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc_um.h - RLC unacknowledged mode: a transmitting and a receiving entity.
 *
 * The MAC pulls: it asks the transmitter for a PDU of at most so many bytes.
 * State variables are spelled as in the standard.
 * Source: TS 36.322 v10.0.0 5.1.2
 */
#ifndef RLC_UM_H
#define RLC_UM_H

#include <stdbool.h>

#include "pdu.h"
#include "pkt.h"
#include "rlc_um_pdu.h"

struct rlc_um_tx {
	struct pkt_queue queue;
	uint32_t queue_limit; /* packets */
	uint32_t bytes;       /* not yet in any PDU */
	uint16_t head_sent;   /* bytes of the first SDU already in PDUs */
	uint16_t vt_us;       /* SN of the next PDU */
	uint8_t sn_bits;
};

void rlc_um_tx_init(struct rlc_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit);

/* What went into a PDU, for the trace. */
struct rlc_um_tx_pdu {
	uint16_t sn;
	uint16_t n;
	struct {
		uint64_t tag;
		uint32_t pkt;
		uint16_t len; /* SDU bytes */
		bool ends;    /* the last byte of the packet is among them */
	} element[UM_ELEMENTS_MAX];
};

/** rlc_um_tx_push() - queue an SDU. Return: false when the queue is full. */
bool rlc_um_tx_push(struct rlc_um_tx *tx, struct pkt *p);

/**
 * rlc_um_tx_build() - one UMD PDU of at most @max bytes
 * @buf:      where it is written
 * @ret_ends: packets whose last byte went out with it are appended
 * @ret:      its SN and elements
 *
 * Segments and concatenates SDUs to fill the PDU.
 *
 * Return: size, 0 when nothing is queued or @max cannot hold a byte of data.
 */
uint32_t rlc_um_tx_build(struct rlc_um_tx *tx, uint32_t max, uint8_t *buf,
                         struct pkt_queue *ret_ends, struct rlc_um_tx_pdu *ret);

/** rlc_um_tx_discard() - remove the first SDU if no byte of it was sent, else NULL */
struct pkt *rlc_um_tx_discard(struct rlc_um_tx *tx);

struct rlc_um_rx {
	struct pdu **window; /* 2^sn_bits slots, by SN */
	uint16_t vr_ur;      /* earliest SN still considered for reordering */
	uint16_t vr_ux;      /* SN after the PDU that started t-Reordering */
	uint16_t vr_uh;      /* SN after the highest received */
	int64_t t_reordering_ns;
	int64_t expiry_ns; /* of t-Reordering, CELL_NEVER when stopped */
	uint8_t sn_bits;

	/* Reassembly of the SDU whose end has not come yet. */
	bool partial;     /* sdu holds its beginning */
	uint16_t next_sn; /* that has to follow */
	uint16_t sdu_len;
	uint8_t sdu[PKT_HEADROOM + CELL_MTU_MAX];
};

/* What a receiving entity gave up or finished, for the caller to handle. */
struct rlc_um_out {
	struct pkt_queue delivered; /* reassembled SDUs, in order */
	struct pkt_queue discarded; /* packets that cannot be completed */
	struct pdu_queue freed;     /* PDUs no longer needed */
	uint32_t discarded_pdus;
};

/** rlc_um_window_slots() - entries of rx->window for @sn_bits */
static inline uint32_t rlc_um_window_slots(uint8_t sn_bits)
{
	return UINT32_C(1) << sn_bits;
}

void rlc_um_rx_init(struct rlc_um_rx *rx, uint8_t sn_bits, int64_t t_reordering_ns,
                    struct pdu **window);

/**
 * rlc_um_rx_receive() - a PDU arrived; the entity owns @pdu until it is in @out->freed
 * Source: TS 36.322 5.1.2.2.2, 5.1.2.2.3
 *
 * Return: its SN, or -EBADMSG (the PDU is in @out->freed all the same).
 */
int rlc_um_rx_receive(struct rlc_um_rx *rx, struct pdu *pdu, int64_t now_ns,
                      struct rlc_um_out *out);

/** rlc_um_rx_expire() - t-Reordering expired. Source: TS 36.322 5.1.2.2.4 */
void rlc_um_rx_expire(struct rlc_um_rx *rx, int64_t now_ns, struct rlc_um_out *out);

#endif
