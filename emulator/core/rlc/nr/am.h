/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * am.h - RLC acknowledged mode of NR: a transmitting and a receiving half.
 *
 * The MAC pulls: it asks for PDUs of at most so many bytes, STATUS PDUs first (from the receiving
 * half at the same end), then retransmissions, then new data. State variables are spelled as in
 * the standard.
 * Source: TS 38.322 v15.3.0 5.2.3, 5.3, 7.1
 */
#ifndef RLC_NR_AM_H
#define RLC_NR_AM_H

#include <stdbool.h>

#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"
#include "rlc/nr/pdu.h"
#include "rlc/nr/status.h"
#include "rlc/nr/store.h"
#include "rlc/nr/window.h"

struct nr_am_tx {
	struct rlc_sdu_queue queue; /* the first SDU may be started; then it is `last`, too */
	struct nr_sdu *first;       /* SDUs not acknowledged, in order of SN */
	struct nr_sdu *last;
	struct nr_sdu *retx; /* no SDU before this one has bytes to be sent again */
	struct nr_store *store;
	uint32_t *slot;      /* index of an SDU in the store and 1, by SN modulo the window size */
	uint32_t tx_next;    /* TX_Next: SN of the next new SDU */
	uint32_t poll_sn;    /* POLL_SN */
	uint32_t n_retx;     /* SDUs with bytes to be sent again */
	uint32_t retx_bytes; /* of them */
	uint32_t n_status;   /* STATUS PDUs received */
	uint32_t pdu_without_poll;
	uint32_t byte_without_poll;
	uint32_t poll_pdu;
	uint32_t poll_byte;
	uint8_t sn_bits;
	uint8_t max_retx_threshold;
	bool poll_due;         /* t-PollRetransmit expired: the next PDU polls */
	bool max_retx_reached; /* for the caller, who re-establishes or stops */
	struct rlc *rlc;       /* to confirm() by, or NULL */
	int64_t t_poll_retransmit_ns;
	int64_t expiry_ns; /* of t-PollRetransmit, CELL_NEVER when stopped */
};

/* One PDU as it was built, for the trace. */
struct nr_am_built {
	uint32_t size; /* 0: nothing to send, or no room */
	uint32_t sn;
	uint32_t pkt;
	uint64_t tag;
	uint16_t so;   /* its first byte within the SDU */
	uint16_t data; /* bytes of the SDU */
	bool ends;     /* the SDU's last byte is among them */
	bool retx;
	bool poll;
	uint8_t retx_count;
};

struct nr_am_cfg {
	uint8_t sn_bits;
	uint32_t poll_pdu;
	uint32_t poll_byte;
	uint8_t max_retx_threshold;
	int64_t t_poll_retransmit_ns;
	uint32_t queue_limit;
};

/** nr_am_tx_init() - @slot has nr_window_size() entries of any content */
void nr_am_tx_init(struct nr_am_tx *tx, const struct nr_am_cfg *cfg, uint32_t *slot,
                   struct nr_store *store);

/** nr_am_tx_next_ack() - TX_Next_Ack: the oldest SN not acknowledged */
static inline uint32_t nr_am_tx_next_ack(const struct nr_am_tx *tx)
{
	return tx->first ? tx->first->sn : tx->tx_next;
}

/** nr_am_tx_stalled() - no new SDU can be started before an acknowledgment */
bool nr_am_tx_stalled(const struct nr_am_tx *tx);

/** nr_am_tx_bytes() - data bytes that could be sent now. Source: TS 38.322 5.5 */
uint32_t nr_am_tx_bytes(const struct nr_am_tx *tx);

/** nr_am_tx_fresh() - the packet whose first byte a new PDU of at most @max bytes would send, NULL
 * when it would not */
struct pkt *nr_am_tx_fresh(const struct nr_am_tx *tx, uint32_t max);

/**
 * nr_am_tx_build() - an AMD PDU of at most @max bytes
 * @buf: where it is written
 * Source: TS 38.322 5.2.3.1, 5.3.2, 5.3.3.2
 */
struct nr_am_built nr_am_tx_build(struct nr_am_tx *tx, uint32_t max, int64_t now_ns, uint8_t *buf);

/**
 * nr_am_tx_status() - the peer's STATUS PDU
 * Source: TS 38.322 5.2.3.1.1, 5.3.2, 5.3.3.3
 *
 * Return: 0, or -EBADMSG when it acknowledges what was never sent.
 */
int nr_am_tx_status(struct nr_am_tx *tx, struct nr_status_reader status);

/** nr_am_tx_expire() - t-PollRetransmit expired. Source: TS 38.322 5.3.3.4 */
void nr_am_tx_expire(struct nr_am_tx *tx);

/** nr_am_tx_deliver() - SDU @sn has arrived: its packet, whose bytes the receiver writes; NULL when
 * no such SDU is on its way */
struct pkt *nr_am_tx_deliver(struct nr_am_tx *tx, uint32_t sn);

/** nr_am_tx_reset() - forget all that was sent; packets not delivered are queued again, in their
 * order. Source: TS 38.323 5.5 */
void nr_am_tx_reset(struct nr_am_tx *tx);

/** nr_am_tx_kept() - call @visit for every SDU whose last byte was sent and that is not
 * acknowledged, in order; only nr_am_tx_reset() may follow */
void nr_am_tx_kept(struct nr_am_tx *tx, void (*visit)(void *arg, struct rlc_kept_sdu sdu),
                   void *arg);

struct nr_am_rx {
	struct nr_window window; /* its bits: from rx_next to rx_next_highest - 1 */
	struct bits polled;      /* SNs of PDUs whose poll is not answered yet, likewise */
	struct nr_am_tx *sender; /* that has the packets */
	uint32_t rx_next;
	uint32_t rx_next_status_trigger;
	uint32_t rx_highest_status;
	uint32_t rx_next_highest;
	uint32_t status_bytes; /* of the STATUS PDU that is due; 0: not worked out yet */
	uint8_t sn_bits;
	bool status_due; /* triggered, not sent yet */
	int64_t t_reassembly_ns;
	int64_t t_status_prohibit_ns;
	int64_t reassembly_expiry_ns; /* CELL_NEVER when stopped */
	int64_t prohibit_expiry_ns;   /* of t-StatusProhibit */
};

/** nr_am_rx_init() - @bits has 2 * bits_words() of the window's size, of any content */
void nr_am_rx_init(struct nr_am_rx *rx, uint8_t sn_bits, int64_t t_reassembly_ns,
                   int64_t t_status_prohibit_ns, uint64_t *bits, struct nr_am_tx *sender,
                   struct nr_store *store);

/**
 * nr_am_rx_receive() - an AMD PDU arrived
 * Source: TS 38.322 5.2.3.2.2, 5.2.3.2.3, 5.3.4
 *
 * Return: its SN, or -EBADMSG.
 */
int nr_am_rx_receive(struct nr_am_rx *rx, const uint8_t *buf, uint32_t len, int64_t now_ns,
                     struct rlc_out *out);

/** nr_am_rx_expire() - t-Reassembly expired. Source: TS 38.322 5.2.3.2.4, 5.3.4 */
void nr_am_rx_expire(struct nr_am_rx *rx, int64_t now_ns);

/** nr_am_rx_status_ready() - a STATUS PDU is due and not prohibited */
static inline bool nr_am_rx_status_ready(const struct nr_am_rx *rx)
{
	return rx->status_due && rx->prohibit_expiry_ns == CELL_NEVER;
}

/** nr_am_rx_status_bytes() - size of the STATUS PDU that is due; 0 when none is */
uint32_t nr_am_rx_status_bytes(struct nr_am_rx *rx);

/**
 * nr_am_rx_status_build() - the STATUS PDU that is due, in at most @max bytes
 * @ret_ack_sn, @ret_n: its ACK_SN and how many NACKs it has
 * Source: TS 38.322 5.3.4
 *
 * Starts t-StatusProhibit. Return: size, 0 when none is due or @max is too small.
 */
uint32_t nr_am_rx_status_build(struct nr_am_rx *rx, uint32_t max, int64_t now_ns, uint8_t *buf,
                               uint32_t *ret_ack_sn, uint32_t *ret_n);

/** nr_am_rx_reset() - forget all that came */
void nr_am_rx_reset(struct nr_am_rx *rx);

#endif
