/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdcp.c - PDCP numbering and header; see pdcp.h. */
#include "pdcp.h"

#include <errno.h>

#define PDCP_DC_DATA 0x80

static uint16_t header_bytes(const struct pdcp *pdcp)
{
	return pdcp->sn_bits == 12 ? 2 : 1;
}

static uint16_t sn_mask(const struct pdcp *pdcp)
{
	return (uint16_t)((1u << pdcp->sn_bits) - 1);
}

void pdcp_init(struct pdcp *pdcp, uint8_t sn_bits)
{
	*pdcp = (struct pdcp){ .sn_bits = sn_bits };
}

void pdcp_transmit(struct pdcp *pdcp, struct pkt *p, int64_t now_ns)
{
	uint16_t sn = pdcp->next_tx_sn;
	uint8_t *header;

	p->queued_ns = now_ns;
	p->sdu_len = (uint16_t)(p->len + header_bytes(pdcp));
	header = pkt_sdu(p);
	if (pdcp->sn_bits == 12) {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn >> 8);
		header[1] = (uint8_t)sn;
	} else {
		header[0] = (uint8_t)(PDCP_DC_DATA | sn);
	}
	pdcp->next_tx_sn = (sn + 1) & sn_mask(pdcp);
}

int pdcp_receive(struct pdcp *pdcp, struct pkt *p)
{
	const uint8_t *header = pkt_sdu(p);
	uint16_t sn;

	if (p->sdu_len <= header_bytes(pdcp) || !(header[0] & PDCP_DC_DATA))
		return -EBADMSG;
	if (pdcp->sn_bits == 12)
		sn = (uint16_t)((header[0] & 0x0f) << 8 | header[1]);
	else
		sn = header[0] & 0x7f;
	pdcp->rx_gaps += (sn - pdcp->next_rx_sn) & sn_mask(pdcp);
	pdcp->next_rx_sn = (sn + 1) & sn_mask(pdcp);
	p->sdu_len = 0;
	return sn;
}
