/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdcp.h - PDCP of a data radio bearer: numbering, header, reordering, status reports.
 *
 * The transmitter numbers datagrams with SNs of 7 or 12 bits. Ciphering is EEA0 (null) and there
 * is no header compression, so a PDU is a header of one or two octets and the datagram. Each hop
 * has a peering of its own. A COUNT is an SN with the number of times that SNs have started again.
 *
 * LTE leaves the order to RLC, with one exception. When RLC AM is re-established at a handover it
 * hands up what it has, with gaps, and the missing SDUs are sent again in the target cell. PDCP
 * then holds what is behind a gap, and recognises what comes a second time. A status report tells
 * the peer what it need not send again: FMS is the first missing SN, and a bitmap has the SNs
 * behind it. Where RLC delivers out of sequence, PDCP can put datagrams in order as that of NR
 * does: by COUNT, and t-Reordering is how long it waits for a gap.
 * Source: TS 36.323 5.1, 5.3, 6.2.3, 6.2.4, 6.2.6; TS 38.323 5.2.2; Nardini, sections II and IV
 */
#ifndef PDCP_H
#define PDCP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pkt.h"

struct pdcp_tx {
	uint16_t next_sn; /* Next_PDCP_TX_SN */
	uint8_t sn_bits;  /* 7 or 12 */
};

/* What a receiving entity does about the order, and about what comes twice. */
enum pdcp_order {
	PDCP_ORDER_NONE,  /* nothing: RLC takes care */
	PDCP_ORDER_TIMER, /* t-Reordering, as in NR. Source: TS 38.323 5.2.2.2 */
	PDCP_ORDER_AM, /* RLC does, but at re-establishment. Source: TS 36.323 5.1.2.1.4, 12-bit SN
	                */
};

#define PDCP_REORDERING_WINDOW 2048 /* Source: TS 36.323 7.1, 12-bit SN */

/* State variables are those of TS 38.323 7.1, COUNTs all; with PDCP_ORDER_AM
 * rx_deliv is Last_Submitted_PDCP_RX_SN + 1. */
struct pdcp_rx {
	uint32_t rx_next;      /* COUNT expected next */
	uint32_t rx_deliv;     /* first COUNT not delivered, and still waited for */
	uint32_t rx_reord;     /* COUNT after the one that started t-Reordering */
	struct pkt_queue held; /* in order of COUNT */
	int64_t t_reordering_ns;
	int64_t expiry_ns; /* of t-Reordering, CELL_NEVER when stopped */
	uint64_t delivered[2 * PDCP_REORDERING_WINDOW / 64]; /* PDCP_ORDER_AM: bits by SN */
	uint8_t sn_bits;
	uint8_t order; /* enum pdcp_order */
};

/* What came out of a receiving entity. */
struct pdcp_out {
	struct pkt_queue delivered;
	struct pkt_queue discarded;  /* malformed, received before, or given up before */
	struct pkt_queue duplicates; /* PDCP_ORDER_AM: delivered before */
};

#define PDCP_STATUS_SNS (PDCP_REORDERING_WINDOW - 1) /* beyond the first missing one */
#define PDCP_STATUS_MAX (2 + (PDCP_STATUS_SNS + 7) / 8)

/* A status report for 12-bit SNs: SDUs that the receiver has. */
struct pdcp_status {
	bool known;
	uint16_t fms; /* the first missing SN; it has all before */
	uint16_t n;   /* SNs in the bitmap, the first one is that of fms + 1 */
	uint8_t bitmap[PDCP_STATUS_MAX - 2]; /* from the highest bit on; 1: it has it */
};

void pdcp_tx_init(struct pdcp_tx *pdcp, uint8_t sn_bits);

void pdcp_rx_init(struct pdcp_rx *pdcp, uint8_t sn_bits, enum pdcp_order order,
                  int64_t t_reordering_ns);

/** pdcp_accept() - @p becomes an RLC SDU without an SN, which pdcp_number() gives it */
void pdcp_accept(const struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns);

/** pdcp_number() - give @p the next SN, or the one that another eNB gave it, and put its header in
 * front */
void pdcp_number(struct pdcp_tx *pdcp, struct pkt *p);

/** pdcp_header_bytes() - of a data PDU */
static inline uint16_t pdcp_header_bytes(uint8_t sn_bits)
{
	return sn_bits == 12 ? 2 : 1;
}

/** pdcp_sn() - SN in the header of a data PDU */
uint16_t pdcp_sn(const uint8_t *header, uint8_t sn_bits);

/**
 * pdcp_transmit() - number @p and put its header in front; it becomes an RLC SDU
 *
 * One that another eNB numbered keeps its SN.
 */
void pdcp_transmit(struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns);

/**
 * pdcp_receive() - a reassembled RLC SDU: check and remove its header
 * @re: RLC delivers it because it is re-established
 *
 * Without an order it is delivered as it comes.
 *
 * Return: the PDU's SN, or -EBADMSG for a control PDU or one without payload,
 * which is discarded.
 */
int pdcp_receive(struct pdcp_rx *pdcp, struct pkt *p, bool re, int64_t now_ns,
                 struct pdcp_out *out);

/** pdcp_is_data() - D/C bit of a PDCP PDU */
bool pdcp_is_data(const uint8_t *buf);

/**
 * pdcp_status_pack() - a status report of what an entity with PDCP_ORDER_AM has
 * @buf: PDCP_STATUS_MAX bytes
 *
 * Return: its size. Source: TS 36.323 5.3.1, 6.2.6
 */
uint16_t pdcp_status_pack(const struct pdcp_rx *pdcp, uint8_t *buf);

/** pdcp_status_unpack() - read a status report. Return: 0, or -EBADMSG: it is none */
int pdcp_status_unpack(struct pdcp_status *ret, const uint8_t *buf, uint32_t len);

/** pdcp_status_has() - by this report the receiver has SDU @sn. Source: TS 36.323 5.3.2 */
bool pdcp_status_has(const struct pdcp_status *status, uint16_t sn);

/** pdcp_expire() - t-Reordering expired. Source: TS 38.323 5.2.2.3 */
void pdcp_expire(struct pdcp_rx *pdcp, int64_t now_ns, struct pdcp_out *out);

#endif
