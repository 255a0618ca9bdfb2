/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdcp.h - PDCP of a data radio bearer on RLC UM: numbering and header.
 *
 * Ciphering is EEA0 (null) and there is no header compression, so the PDU is
 * the header and the datagram. Each hop has a peering of its own.
 * Source: TS 36.323 5.1, 6.2.3, 6.2.4; Nardini, sections II and IV
 */
#ifndef PDCP_H
#define PDCP_H

#include <stdint.h>

#include "pkt.h"

struct pdcp {
	uint16_t next_tx_sn; /* Next_PDCP_TX_SN */
	uint16_t next_rx_sn; /* Next_PDCP_RX_SN */
	uint32_t rx_gaps;    /* SNs that never came */
	uint8_t sn_bits;     /* 7 or 12 */
};

void pdcp_init(struct pdcp *pdcp, uint8_t sn_bits);

/** pdcp_transmit() - number @p and put its header in front; it becomes an RLC SDU */
void pdcp_transmit(struct pdcp *pdcp, struct pkt *p, int64_t now_ns);

/**
 * pdcp_receive() - check and remove the header of a reassembled RLC SDU
 *
 * Return: the PDU's SN, or -EBADMSG for a control PDU or one without payload.
 */
int pdcp_receive(struct pdcp *pdcp, struct pkt *p);

#endif
