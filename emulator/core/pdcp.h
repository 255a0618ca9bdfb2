/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdcp.h - PDCP of a data radio bearer: numbering, header, reordering.
 *
 * Ciphering is EEA0 (null) and there is no header compression, so the PDU is
 * the header and the datagram. Each hop has a peering of its own.
 * Source: TS 36.323 5.1, 6.2.3, 6.2.4; Nardini, sections II and IV
 */
#ifndef PDCP_H
#define PDCP_H

#include <stdbool.h>
#include <stdint.h>

#include "pkt.h"

struct pdcp_tx {
	uint16_t next_sn; /* Next_PDCP_TX_SN */
	uint8_t sn_bits;  /* 7 or 12 */
};

/*
 * Reordering is NR's: the LTE receiver relies on RLC for the order. Source:
 * TS 38.323 5.2.2.2, 7.1; its state variables, COUNTs all.
 */
struct pdcp_rx {
	uint32_t rx_next;      /* COUNT expected next */
	uint32_t rx_deliv;     /* first COUNT not delivered, and still waited for */
	uint32_t rx_reord;     /* COUNT after the one that started t-Reordering */
	struct pkt_queue held; /* in order of COUNT */
	int64_t t_reordering_ns;
	int64_t expiry_ns; /* of t-Reordering, CELL_NEVER when stopped */
	uint8_t sn_bits;
	bool reordering;
};

/* What came out of a receiving entity. */
struct pdcp_out {
	struct pkt_queue delivered;
	struct pkt_queue discarded; /* malformed, received before, or given up before */
};

void pdcp_tx_init(struct pdcp_tx *pdcp, uint8_t sn_bits);

void pdcp_rx_init(struct pdcp_rx *pdcp, uint8_t sn_bits, bool reordering, int64_t t_reordering_ns);

/** pdcp_transmit() - number @p and put its header in front; it becomes an RLC SDU */
void pdcp_transmit(struct pdcp_tx *pdcp, struct pkt *p, int64_t now_ns);

/**
 * pdcp_receive() - a reassembled RLC SDU: check and remove its header
 *
 * Without reordering it is delivered as it comes.
 *
 * Return: the PDU's SN, or -EBADMSG for a control PDU or one without payload,
 * which is discarded.
 */
int pdcp_receive(struct pdcp_rx *pdcp, struct pkt *p, int64_t now_ns, struct pdcp_out *out);

/** pdcp_expire() - t-Reordering expired. Source: TS 38.323 5.2.2.3 */
void pdcp_expire(struct pdcp_rx *pdcp, int64_t now_ns, struct pdcp_out *out);

#endif
