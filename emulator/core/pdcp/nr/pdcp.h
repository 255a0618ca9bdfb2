/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdcp.h - PDCP of NR for a data radio bearer: COUNTs, header, order, status reports.
 *
 *   data     D/C=1 R(3) SN(12), or D/C=1 R(5) SN(18)
 *   control  D/C=0 type(3) R(4); a status report, type 0, goes on with FMC(32) and a bitmap
 *
 * RLC delivers in any order, so order is made here: what is behind a gap waits, at most for
 * t-Reordering. With out-of-order delivery it goes up at once, and only what comes twice is held
 * back. Ciphering is NEA0 (null) and there is no header compression. A COUNT is an SN with the
 * number of times that SNs have started again.
 *
 * A packet is numbered when RLC takes it to send its first byte, not when it starts to wait: so
 * what a full queue, a discardTimer or a marker drops leaves no gap for which the receiver would
 * wait. One that was numbered before, and is sent again after a failure, keeps its COUNT.
 * Source: TS 38.323 v15.3.0 5.2, 5.3, 5.4, 6.2, 7.1
 */
#ifndef PDCP_NR_H
#define PDCP_NR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/pkt.h"

struct pdcp_nr_tx {
	uint32_t tx_next; /* TX_NEXT: COUNT of the next SDU */
	uint8_t sn_bits;  /* 12 or 18 */
};

#define PDCP_NR_BUCKETS 512 /* of SDUs that wait, by COUNT */

struct pdcp_nr_rx {
	uint32_t rx_next;     /* RX_NEXT: COUNT expected next */
	uint32_t rx_deliv;    /* RX_DELIV: the first COUNT not delivered, and still waited for */
	uint32_t rx_reord;    /* RX_REORD: COUNT after the one that started t-Reordering */
	struct bits received; /* COUNTs from rx_deliv to rx_next - 1 */
	uint32_t n_held;      /* SDUs that wait for one before them */
	uint8_t sn_bits;
	bool out_of_order; /* outOfOrderDelivery */
	int64_t t_reordering_ns;
	int64_t expiry_ns; /* of t-Reordering, CELL_NEVER when stopped */
	struct pkt *held[PDCP_NR_BUCKETS];
};

/* What came out of a receiving entity. */
struct pdcp_nr_out {
	struct pkt_queue delivered;
	struct pkt_queue discarded;  /* too late */
	struct pkt_queue duplicates; /* received before */
};

/** pdcp_nr_window() - Window_Size. Source: TS 38.323 7.2 */
static inline uint32_t pdcp_nr_window(uint8_t sn_bits)
{
	return UINT32_C(1) << (sn_bits - 1);
}

/** pdcp_nr_header_bytes() - of a data PDU */
static inline uint16_t pdcp_nr_header_bytes(uint8_t sn_bits)
{
	return sn_bits == 18 ? 3 : 2;
}

void pdcp_nr_tx_init(struct pdcp_nr_tx *pdcp, uint8_t sn_bits);

/**
 * pdcp_nr_accept() - @p starts to wait: it is an RLC SDU of known size
 *
 * It has no COUNT yet, unless another gNB gave it one.
 * @above: bytes of a header of SDAP, which is in front of the datagram already
 */
void pdcp_nr_accept(const struct pdcp_nr_tx *pdcp, struct pkt *p, uint16_t above, int64_t now_ns);

/** pdcp_nr_number() - @p is about to be sent: it gets its COUNT, if it has none, and its header */
void pdcp_nr_number(struct pdcp_nr_tx *pdcp, struct pkt *p);

/** pdcp_nr_count() - the COUNT with @sn that is nearest to those given out, by another entity */
uint32_t pdcp_nr_count(const struct pdcp_nr_tx *pdcp, uint32_t sn);

/**
 * pdcp_nr_rx_init() - RX_NEXT and RX_DELIV start with 0
 * @t_reordering_ns: CELL_NEVER = infinity
 * @words: bits_words(pdcp_nr_window()) of any content
 */
void pdcp_nr_rx_init(struct pdcp_nr_rx *pdcp, uint8_t sn_bits, bool out_of_order,
                     int64_t t_reordering_ns, uint64_t *words);

/** pdcp_nr_is_data() - D/C bit of a PDCP PDU */
static inline bool pdcp_nr_is_data(const uint8_t *buf)
{
	return buf[0] & 0x80;
}

/** pdcp_nr_sn() - SN in the header of a data PDU */
uint32_t pdcp_nr_sn(const uint8_t *header, uint8_t sn_bits);

/**
 * pdcp_nr_receive() - a data PDU that RLC delivered; p->count becomes its COUNT
 *
 * What is delivered has no sdu_len any more; a header of SDAP is in front of its datagram.
 *
 * Return: 0, or -EBADMSG for a control PDU or one without payload, which is discarded.
 * Source: TS 38.323 5.2.2.1
 */
int pdcp_nr_receive(struct pdcp_nr_rx *pdcp, struct pkt *p, int64_t now_ns,
                    struct pdcp_nr_out *out);

/** pdcp_nr_expire() - t-Reordering expired. Source: TS 38.323 5.2.2.2 */
void pdcp_nr_expire(struct pdcp_nr_rx *pdcp, int64_t now_ns, struct pdcp_nr_out *out);

/** pdcp_nr_finish() - re-establishment of a bearer of RLC UM: what is held goes up, and COUNTs
 * start with 0. Source: TS 38.323 5.1.2 */
void pdcp_nr_finish(struct pdcp_nr_rx *pdcp, struct pdcp_nr_out *out);

/** pdcp_nr_empty() - give up what is held; it is appended to @ret, in no order */
void pdcp_nr_empty(struct pdcp_nr_rx *pdcp, struct pkt_queue *ret);

/* A status report: SDUs that the receiver has. */
struct pdcp_nr_status {
	bool known;
	uint32_t fmc;          /* the first missing COUNT; it has all before */
	uint32_t n;            /* COUNTs in the bitmap, the first one is fmc + 1 */
	const uint8_t *bitmap; /* in the PDU, from the highest bit on; 1: it has it */
};

/**
 * pdcp_nr_status_pack() - a status report in at most @max bytes, 5 or more
 *
 * Return: its size. Source: TS 38.323 5.4.1, 6.2.3.1
 */
uint16_t pdcp_nr_status_pack(const struct pdcp_nr_rx *pdcp, uint16_t max, uint8_t *buf);

/** pdcp_nr_status_open() - read a status report. Return: 0, or -EBADMSG: it is none */
int pdcp_nr_status_open(struct pdcp_nr_status *ret, const uint8_t *buf, uint32_t len);

/** pdcp_nr_status_has() - by this report the receiver has the SDU of @count. Source: TS 38.323
 * 5.4.2 */
bool pdcp_nr_status_has(const struct pdcp_nr_status *status, uint32_t count);

#endif
