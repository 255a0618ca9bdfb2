/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am.h - RLC acknowledged mode of the UTRAN: a transmitting and a
 * receiving half.
 *
 * PDUs have one size for ever and are sent again whole. A PDU that was sent
 * MaxDAT times without an acknowledgment takes its SDUs with it, and all SDUs
 * before them that are not acknowledged: the transmitter tells the receiver by
 * an MRW where to go on. State variables and timers are spelled as in the standard.
 * Source: TS 25.322 5.5.0 9.4, 9.5, 9.7, 11.3, 11.5, 11.6
 *
 * The MAC asks for control PDUs (MRW from the transmitting half, STATUS from the
 * receiving one) and for AMD PDUs, and puts the former into blocks of their own or
 * into the padding of the latter. Nothing pads a control PDU to a transport block.
 *
 * Packets stay with the PDU at the transmitter in which their SDU ends, until
 * the receiver takes them out, or until the PDU is released: so the receiver
 * may still complete a discarded SDU before it hears of the discard.
 *
 * Choices and limits:
 * - MaxDAT is the number of transmissions, as De Mey et al. read it and 9.7.3
 *   calls it. Discard starts when another one would be due.
 * - A discarded SDU that was not sent to its end takes one more SN, which is
 *   never sent: without that gap the receiver could go on before it knows. The
 *   standard has its PDUs numbered before they are sent and so always has it.
 * - MaxMRW and the RESET procedure are not there: an MRW repeats until it is
 *   answered, and a STATUS PDU with an erroneous SN is ignored.
 * - Not there either: Timer_Poll_Prohibit, Timer_Poll_Periodic, Poll_SDU,
 *   Timer_Discard, Send MRW, WINDOW.
 * - Not verified, as the text was read in excerpts (11.6 quoted from 5.0.0 and
 *   5.5.0, 9.4): that a PDU which holds only the indicator of an SDU's end
 *   follows at once, that VT(PDU) restarts by its own trigger only, which PDU
 *   carries the poll after Timer_Poll, LENGTH=0, what stops Timer_Poll.
 */
#ifndef RLC_UTRAN_H
#define RLC_UTRAN_H

#include <stdbool.h>

#include "rlc/common/pdu.h"
#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"
#include "rlc/utran/pdu.h"

/*
 * A value that RRC can configure. At most half of the SNs, so that an MRW, one
 * behind it, differs from one long past.
 */
#define RLC_UTRAN_WINDOW_MAX 2047
#define RLC_UTRAN_MRW_BYTES  4 /* a STATUS PDU with an MRW of one SDU */

struct rlc_utran_cfg {
	uint16_t pdu_size;   /* octets, RLC_UTRAN_AMD_MIN..RLC_UTRAN_AMD_MAX */
	uint16_t window;     /* VT(WS) and that of the receiver, 1..RLC_UTRAN_WINDOW_MAX */
	uint8_t max_dat;     /* MaxDAT; 0: no limit */
	uint16_t poll_pdu;   /* Poll_PDU; 0: never */
	uint8_t poll_window; /* Poll_Window, percent, 1..100: a full window polls at least */
	int64_t timer_poll_ns;
	int64_t timer_mrw_ns;
	int64_t timer_status_prohibit_ns; /* 0: none */
	uint32_t queue_limit;
};

struct rlc_utran_tx {
	struct rlc_sdu_queue queue;
	struct pkt *unmarked;  /* its SDU ended with the last PDU; the next one has to say so */
	struct rlc_pdu **sent; /* PDUs vt_a..vt_s - 1, RLC_UTRAN_SLOTS slots */
	struct rlc_pool *pool;
	uint16_t vt_s;       /* SN of the next new PDU */
	uint16_t vt_a;       /* oldest SN not acknowledged */
	uint16_t vt_ws;      /* window */
	uint16_t vt_pdu;     /* PDUs sent since every Poll_PDU of them polled */
	uint32_t vt_mrw;     /* times the MRW was sent */
	uint32_t n_discards; /* discards started */
	uint16_t pdu_size;
	uint16_t poll_pdu;
	uint8_t poll_window;
	uint8_t max_dat;
	uint16_t n_retx;  /* PDUs to be sent again */
	uint16_t poll_sn; /* VT(S) - 1 when the last poll was sent */
	bool poll_due;    /* Timer_Poll expired: the next PDU polls */
	bool exhausted;   /* a PDU was sent MaxDAT times and is missing */
	bool mrw_active;  /* a discard is going on */
	bool mrw_due;     /* its MRW has to be sent */
	uint8_t length;   /* LENGTH of the MRW */
	uint8_t n_length; /* N_LENGTH */
	uint16_t sn_mrw;  /* SN_MRW_LENGTH */
	int64_t timer_poll_ns;
	int64_t timer_mrw_ns;
	int64_t poll_expiry_ns;               /* of Timer_Poll, CELL_NEVER when stopped */
	int64_t mrw_expiry_ns;                /* of Timer_MRW */
	uint8_t missing[RLC_UTRAN_SLOTS / 8]; /* PDUs that the STATUS PDU being read names */
};

/* One PDU as it was built, for the trace. */
struct rlc_utran_built {
	uint32_t size; /* 0: nothing to send */
	bool retx;
	bool poll;
	uint16_t sn;
	uint16_t data;  /* octets of its data field without padding */
	uint8_t vt_dat; /* VT(DAT) with this transmission */
};

/** rlc_utran_tx_init() - @sent has RLC_UTRAN_SLOTS entries; the pool a PDU more than the window */
void rlc_utran_tx_init(struct rlc_utran_tx *tx, const struct rlc_utran_cfg *cfg,
                       struct rlc_pdu **sent, struct rlc_pool *pool);

/** rlc_utran_tx_vt_ms() - VT(MS), the first SN beyond the window */
static inline uint16_t rlc_utran_tx_vt_ms(const struct rlc_utran_tx *tx)
{
	return (uint16_t)((tx->vt_a + tx->vt_ws) & RLC_UTRAN_SN_MASK);
}

/** rlc_utran_tx_stalled() - the window is full: no new PDU before an acknowledgment */
bool rlc_utran_tx_stalled(const struct rlc_utran_tx *tx);

/** rlc_utran_tx_pdus() - AMD PDUs that could be sent now; of new data, as if no SDU ended in them
 */
uint32_t rlc_utran_tx_pdus(const struct rlc_utran_tx *tx);

/**
 * rlc_utran_tx_room_ahead() - the next AMD PDU that will have padding for a STATUS PDU
 * @need: octets of the STATUS PDU
 * @most: PDUs to look at
 *
 * Return: its place in the order in which they would be sent now, from 1; 0: none of @most.
 */
uint32_t rlc_utran_tx_room_ahead(const struct rlc_utran_tx *tx, uint32_t need, uint32_t most);

/**
 * rlc_utran_tx_build() - the next AMD PDU, of pdu_size octets: one to be sent again, or a new one
 * @elements: SN and elements of a new PDU
 * Source: TS 25.322 5.5.0 9.7.1, 11.3
 */
struct rlc_utran_built rlc_utran_tx_build(struct rlc_utran_tx *tx, int64_t now_ns, uint8_t *buf,
                                          struct rlc_tx_pdu *elements);

/**
 * rlc_utran_tx_mrw_build() - the STATUS PDU with the MRW that is due, in at most @max octets
 *
 * Starts Timer_MRW. Return: size, 0 when none is due.
 * Source: TS 25.322 5.5.0 11.6
 */
uint32_t rlc_utran_tx_mrw_build(struct rlc_utran_tx *tx, uint32_t max, int64_t now_ns,
                                uint8_t *buf);

/**
 * rlc_utran_tx_status() - what the peer's STATUS PDU says to the transmitter
 * @out: packets that were discarded
 * Source: TS 25.322 5.5.0 11.5, 11.6
 *
 * Return: 0, or -EBADMSG when it acknowledges what was never sent, or is late.
 */
int rlc_utran_tx_status(struct rlc_utran_tx *tx, const struct rlc_utran_status *status,
                        struct rlc_out *out);

/** rlc_utran_tx_poll_expire() - Timer_Poll expired */
void rlc_utran_tx_poll_expire(struct rlc_utran_tx *tx);

/** rlc_utran_tx_mrw_expire() - Timer_MRW expired: the same MRW again. Source: 11.6 */
void rlc_utran_tx_mrw_expire(struct rlc_utran_tx *tx);

/** rlc_utran_tx_reset() - forget all; packets not delivered yet are discarded */
void rlc_utran_tx_reset(struct rlc_utran_tx *tx, struct rlc_out *out);

struct rlc_utran_rx {
	struct rlc_pdu **window; /* PDUs vr_r..vr_h - 1 that have come, RLC_UTRAN_SLOTS slots */
	struct rlc_pdu **sent;   /* the transmitter's, which keep the packets */
	struct rlc_pool *pool;
	uint16_t pdu_size;
	uint16_t window_size;
	uint16_t vr_r;       /* SN after the last one received in sequence */
	uint16_t vr_h;       /* SN after the highest received */
	uint8_t skip;        /* SDUs of PDU vr_r that an MRW discarded */
	struct rlc_sdu tail; /* SDU that goes on in PDU vr_r; open: its bytes fit */
	bool status_due;     /* triggered, not sent yet */
	bool mrw_ack_due;
	uint8_t mrw_ack_n;   /* N of the MRW_ACK */
	uint16_t mrw_ack_sn; /* SN_ACK */
	int64_t timer_status_prohibit_ns;
	int64_t prohibit_expiry_ns; /* of Timer_Status_Prohibit, CELL_NEVER when stopped */
};

/** rlc_utran_rx_init() - @window has RLC_UTRAN_SLOTS entries; @sent is the transmitter's */
void rlc_utran_rx_init(struct rlc_utran_rx *rx, const struct rlc_utran_cfg *cfg,
                       struct rlc_pdu **window, struct rlc_pdu **sent, struct rlc_pool *pool);

/** rlc_utran_rx_vr_mr() - VR(MR), the first SN beyond the window */
static inline uint16_t rlc_utran_rx_vr_mr(const struct rlc_utran_rx *rx)
{
	return (uint16_t)((rx->vr_r + rx->window_size) & RLC_UTRAN_SN_MASK);
}

/**
 * rlc_utran_rx_receive() - an AMD PDU arrived
 * Source: TS 25.322 5.5.0 9.7.2, 11.3
 *
 * Return: its SN, or -EBADMSG.
 */
int rlc_utran_rx_receive(struct rlc_utran_rx *rx, const uint8_t *buf, uint32_t len,
                         struct rlc_out *out);

/**
 * rlc_utran_rx_status() - what the peer's STATUS PDU says to the receiver: an MRW
 * Source: TS 25.322 5.5.0 11.6
 */
void rlc_utran_rx_status(struct rlc_utran_rx *rx, const struct rlc_utran_status *status,
                         struct rlc_out *out);

/** rlc_utran_rx_status_ready() - there is something to say that is not prohibited */
static inline bool rlc_utran_rx_status_ready(const struct rlc_utran_rx *rx)
{
	return rx->mrw_ack_due || (rx->status_due && rx->prohibit_expiry_ns == CELL_NEVER);
}

/**
 * rlc_utran_rx_status_plan() - the STATUS PDU that rlc_utran_rx_status_build() would build
 *
 * Return: size, 0 when none is due or @max is too small.
 */
uint32_t rlc_utran_rx_status_plan(const struct rlc_utran_rx *rx, uint32_t max,
                                  struct rlc_utran_status *ret);

/**
 * rlc_utran_rx_status_build() - the STATUS PDU that is due, in at most @max octets
 * @ret: what it says
 *
 * Timer_Status_Prohibit, which a report starts, does not hold back an MRW_ACK. What does
 * not fit is neither acknowledged nor missing; 6 octets name one missing PDU. Return: size, 0 when
 * none is due or @max is too small. Source: TS 25.322 5.5.0 9.5, 11.5
 */
uint32_t rlc_utran_rx_status_build(struct rlc_utran_rx *rx, uint32_t max, int64_t now_ns,
                                   uint8_t *buf, struct rlc_utran_status *ret);

/** rlc_utran_rx_expire() - Timer_Status_Prohibit expired */
static inline void rlc_utran_rx_expire(struct rlc_utran_rx *rx)
{
	rx->prohibit_expiry_ns = CELL_NEVER;
}

/** rlc_utran_rx_reset() - forget all PDUs */
void rlc_utran_rx_reset(struct rlc_utran_rx *rx);

#endif
