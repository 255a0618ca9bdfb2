/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc_um_pdu.h - packing of UMD PDUs, bit by bit.
 *
 * Fixed part: 10-bit SN: R1 R1 R1 FI(2) E SN(10); 5-bit SN: FI(2) E SN(5).
 * Extension part: E(1) LI(11) pairs, 12 bits each, one for every data field
 * element but the last; an odd number of them is padded by 4 bits.
 * Source: TS 36.322 6.2.1.3, 6.2.2
 */
#ifndef RLC_UM_PDU_H
#define RLC_UM_PDU_H

#include <stddef.h>
#include <stdint.h>

#include "phy.h"

#define UM_LI_MAX 2047 /* 11 bits */
/* Elements of one PDU: an SDU has at least a PDCP header and one byte. */
#define UM_ELEMENTS_MAX 256

/* Framing Info. Source: TS 36.322 Table 6.2.2.6-1 */
#define UM_FI_FIRST_CONTINUES 0x2 /* first byte is not the first of an SDU */
#define UM_FI_LAST_CONTINUES  0x1 /* last byte is not the last of an SDU */

struct um_pdu {
	uint16_t sn;
	uint8_t fi;
	uint16_t n;                    /* data field elements, >= 1 */
	uint16_t len[UM_ELEMENTS_MAX]; /* bytes each */
};

/** um_header_bytes() - header size for @n elements */
size_t um_header_bytes(uint8_t sn_bits, uint16_t n);

/** um_pack() - write the header of @pdu to @buf. Return: its size in bytes. */
size_t um_pack(const struct um_pdu *pdu, uint8_t sn_bits, uint8_t *buf);

/**
 * um_unpack() - read and check a UMD PDU's header
 * @ret_header: bytes of the header; the elements follow it back to back
 *
 * Return: 0, or -EBADMSG when the header does not fit the PDU.
 */
int um_unpack(struct um_pdu *ret, size_t *ret_header, uint8_t sn_bits, const uint8_t *buf,
              size_t len);

#endif
