/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * um.h - RLC unacknowledged mode of NR: a transmitting and a receiving entity.
 *
 * The MAC pulls: it asks the transmitter for a PDU of at most so many bytes.
 * State variables are spelled as in the standard.
 * Source: TS 38.322 v15.3.0 5.2.2, 7.1
 */
#ifndef RLC_NR_UM_H
#define RLC_NR_UM_H

#include <stdbool.h>

#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"
#include "rlc/nr/pdu.h"
#include "rlc/nr/window.h"

struct nr_um_tx {
	struct rlc_sdu_queue queue;
	uint32_t tx_next; /* TX_Next: SN of the next SDU in segments */
	uint8_t sn_bits;
};

/* One PDU as it was built, for the trace. */
struct nr_um_built {
	uint32_t size; /* 0: nothing to send, or no room */
	uint32_t sn;   /* or NR_SN_NONE */
	uint32_t pkt;
	uint64_t tag;
	uint16_t data; /* bytes of the SDU */
	bool ends;     /* the SDU's last byte is among them */
};

void nr_um_tx_init(struct nr_um_tx *tx, uint8_t sn_bits, uint32_t queue_limit);

/** nr_um_tx_fresh() - the packet whose first byte a PDU of at most @max bytes would send, NULL when
 * it would not */
struct pkt *nr_um_tx_fresh(const struct nr_um_tx *tx, uint32_t max);

/**
 * nr_um_tx_build() - a UMD PDU of at most @max bytes
 * @buf:      where it is written
 * @ret_ends: the packet is appended if its last byte is in it
 * Source: TS 38.322 5.2.2.1
 */
struct nr_um_built nr_um_tx_build(struct nr_um_tx *tx, uint32_t max, uint8_t *buf,
                                  struct pkt_queue *ret_ends);

struct nr_um_rx {
	struct nr_window window;     /* its bits: from rx_next_reassembly to rx_next_highest - 1 */
	uint32_t rx_next_reassembly; /* earliest SN still considered for reassembly */
	uint32_t rx_timer_trigger;   /* SN after the one that started t-Reassembly */
	uint32_t rx_next_highest;    /* SN after the highest received */
	uint8_t sn_bits;
	int64_t t_reassembly_ns;
	int64_t expiry_ns; /* of t-Reassembly, CELL_NEVER when stopped */
};

/** nr_um_rx_init() - @bits has bits_words() of the window's size, of any content */
void nr_um_rx_init(struct nr_um_rx *rx, uint8_t sn_bits, int64_t t_reassembly_ns, uint64_t *bits,
                   struct nr_store *store);

/**
 * nr_um_rx_receive() - a UMD PDU arrived
 * @ends:   the packet whose last byte is in it, if any; taken over
 * @ret_sn: its SN, or NR_SN_NONE
 * Source: TS 38.322 5.2.2.2.2, 5.2.2.2.3
 *
 * Return: 0, or -EBADMSG.
 */
int nr_um_rx_receive(struct nr_um_rx *rx, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                     int64_t now_ns, struct rlc_out *out, uint32_t *ret_sn);

/** nr_um_rx_expire() - t-Reassembly expired. Source: TS 38.322 5.2.2.2.4 */
void nr_um_rx_expire(struct nr_um_rx *rx, int64_t now_ns, struct rlc_out *out);

/** nr_um_rx_reset() - forget all that came; packets are appended to @ret. Source: TS 38.322 5.1.2
 */
void nr_um_rx_reset(struct nr_um_rx *rx, struct pkt_queue *ret);

#endif
