/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am.h - RLC acknowledged mode: a transmitting and a receiving half.
 *
 * The MAC pulls: it asks for PDUs of at most so many bytes, STATUS PDUs first
 * (from the receiving half at the same end), then retransmissions, then new
 * data. State variables are spelled as in the standard.
 * Source: TS 36.322 v10.0.0 5.1.3, 5.2, 7.1
 */
#ifndef RLC_AM_H
#define RLC_AM_H

#include <stdbool.h>

#include "rlc/common/pdu.h"
#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"
#include "rlc/lte/am/pdu.h"

#define AM_SLOTS (AM_SN_MASK + 1) /* entries of a window, by SN */

struct rlc_am_tx {
	struct rlc_sdu_queue queue;
	struct rlc_sdu started; /* SDU that started in PDUs before vt_a and goes on */
	struct rlc_pdu **sent;  /* PDUs vt_a..vt_s - 1, AM_SLOTS slots */
	struct rlc_pool *pool;
	uint16_t vt_a;       /* oldest SN not acknowledged */
	uint16_t vt_s;       /* SN of the next new PDU */
	uint16_t poll_sn;    /* POLL_SN */
	uint16_t n_retx;     /* PDUs with bytes to be sent again */
	uint32_t retx_bytes; /* data bytes of them */
	uint32_t pdu_without_poll;
	uint32_t byte_without_poll;
	uint32_t poll_pdu;
	uint32_t poll_byte;
	uint8_t max_retx_threshold;
	bool poll_due;         /* t-PollRetransmit expired: the next PDU polls */
	bool max_retx_reached; /* for the caller, who re-establishes or stops */
	int64_t t_poll_retransmit_ns;
	int64_t expiry_ns; /* of t-PollRetransmit, CELL_NEVER when stopped */
};

/* One PDU as it was built, for the trace. */
struct rlc_am_built {
	uint32_t size; /* 0: nothing to send, or no room */
	bool retx;
	bool poll;
	uint16_t sn;
	uint16_t so;   /* first byte of its data field within the PDU */
	uint16_t data; /* bytes of its data field */
	uint8_t retx_count;
};

struct rlc_am_cfg {
	uint32_t poll_pdu;
	uint32_t poll_byte;
	uint8_t max_retx_threshold;
	int64_t t_poll_retransmit_ns;
	uint32_t queue_limit;
};

/** rlc_am_tx_init() - @sent has AM_SLOTS entries */
void rlc_am_tx_init(struct rlc_am_tx *tx, const struct rlc_am_cfg *cfg, struct rlc_pdu **sent,
                    struct rlc_pool *pool);

/** rlc_am_tx_stalled() - the window is full: no new PDU before an acknowledgment */
bool rlc_am_tx_stalled(const struct rlc_am_tx *tx);

/** rlc_am_tx_bytes() - data bytes that could be sent now. Source: TS 36.322 4.5 */
uint32_t rlc_am_tx_bytes(const struct rlc_am_tx *tx);

/**
 * rlc_am_tx_build() - an AMD PDU or segment of at most @max bytes
 * @buf:      where it is written
 * @elements: SN and elements of a new PDU
 * Source: TS 36.322 5.1.3.1, 5.2.1, 5.2.2.1
 */
struct rlc_am_built rlc_am_tx_build(struct rlc_am_tx *tx, uint32_t max, int64_t now_ns,
                                    uint8_t *buf, struct rlc_tx_pdu *elements);

/**
 * rlc_am_tx_status() - the peer's STATUS PDU
 * Source: TS 36.322 5.2.1, 5.2.2.2
 *
 * Return: 0, or -EBADMSG when it acknowledges what was never sent.
 */
int rlc_am_tx_status(struct rlc_am_tx *tx, const struct am_status *status);

/** rlc_am_tx_expire() - t-PollRetransmit expired. Source: TS 36.322 5.2.2.3 */
void rlc_am_tx_expire(struct rlc_am_tx *tx);

/**
 * rlc_am_tx_reset() - forget all PDUs
 *
 * Packets not delivered yet are queued again, in their order: what PDCP does
 * after re-establishment with a status report. Source: TS 36.323 5.2.1.1
 */
void rlc_am_tx_reset(struct rlc_am_tx *tx);

/**
 * rlc_am_tx_unconfirmed() - call @visit for every SDU whose last byte was sent and whose first PDUs
 * are not all forgotten, in order
 *
 * Only rlc_am_tx_reset() may follow.
 */
void rlc_am_tx_unconfirmed(struct rlc_am_tx *tx, void (*visit)(void *arg, struct rlc_kept_sdu sdu),
                           void *arg);

struct rlc_am_rx {
	struct rlc_reassembly reassembly; /* its `lower` is vr_r */
	uint16_t vr_x;                    /* SN after the PDU that started t-Reordering */
	uint16_t vr_ms;                   /* highest value for ACK_SN */
	uint16_t vr_h;                    /* SN after the highest received */
	bool status_due;                  /* triggered, not sent yet */
	int64_t t_reordering_ns;
	int64_t t_status_prohibit_ns;
	int64_t reordering_expiry_ns; /* CELL_NEVER when stopped */
	int64_t prohibit_expiry_ns;   /* of t-StatusProhibit */
};

/** rlc_am_rx_init() - @window has AM_SLOTS entries; @sent is the transmitter's */
void rlc_am_rx_init(struct rlc_am_rx *rx, int64_t t_reordering_ns, int64_t t_status_prohibit_ns,
                    enum cell_delivery delivery, struct rlc_pdu **window, struct rlc_pdu **sent,
                    struct rlc_pool *pool);

/**
 * rlc_am_rx_receive() - an AMD PDU or segment arrived
 * Source: TS 36.322 5.1.3.2.2, 5.1.3.2.3, 5.2.3
 *
 * Return: its SN, or -EBADMSG.
 */
int rlc_am_rx_receive(struct rlc_am_rx *rx, const uint8_t *buf, uint32_t len, int64_t now_ns,
                      struct rlc_out *out);

/** rlc_am_rx_expire() - t-Reordering expired. Source: TS 36.322 5.1.3.2.4 */
void rlc_am_rx_expire(struct rlc_am_rx *rx, int64_t now_ns);

/** rlc_am_rx_status_ready() - a STATUS PDU is due and not prohibited */
static inline bool rlc_am_rx_status_ready(const struct rlc_am_rx *rx)
{
	return rx->status_due && rx->prohibit_expiry_ns == CELL_NEVER;
}

/** rlc_am_rx_status_bytes() - size of the STATUS PDU that is due; 0 when none is */
uint32_t rlc_am_rx_status_bytes(const struct rlc_am_rx *rx);

/**
 * rlc_am_rx_status_build() - the STATUS PDU that is due, in at most @max bytes
 * @ret: what it says
 * Source: TS 36.322 5.2.3
 *
 * Starts t-StatusProhibit. Return: size, 0 when none is due or @max is too small.
 */
uint32_t rlc_am_rx_status_build(struct rlc_am_rx *rx, uint32_t max, int64_t now_ns, uint8_t *buf,
                                struct am_status *ret);

/** rlc_am_rx_finish() - deliver the SDUs that are complete, before a reset. Source: TS 36.322 5.4
 */
void rlc_am_rx_finish(struct rlc_am_rx *rx, struct rlc_out *out);

/** rlc_am_rx_reset() - forget all PDUs */
void rlc_am_rx_reset(struct rlc_am_rx *rx);

#endif
