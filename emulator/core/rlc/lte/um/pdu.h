/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - packing of UMD PDUs, bit by bit.
 *
 * Fixed part: 10-bit SN: R1 R1 R1 FI(2) E SN(10); 5-bit SN: FI(2) E SN(5).
 * Extension part: rlc/common/li.h.
 * Source: TS 36.322 6.2.1.3, 6.2.2
 */
#ifndef RLC_UM_PDU_H
#define RLC_UM_PDU_H

#include <stddef.h>
#include <stdint.h>

#include "rlc/common/li.h"

struct um_pdu {
	uint16_t sn;
	uint8_t fi;
	uint16_t n;                     /* data field elements, >= 1 */
	uint16_t len[RLC_ELEMENTS_MAX]; /* bytes each */
};

/** um_fixed_bytes() - size of the fixed part */
static inline size_t um_fixed_bytes(uint8_t sn_bits)
{
	return sn_bits == 10 ? 2 : 1;
}

/** um_header_bytes() - header size for @n elements */
static inline size_t um_header_bytes(uint8_t sn_bits, uint16_t n)
{
	return um_fixed_bytes(sn_bits) + rlc_li_bytes(n);
}

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
