/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - packing of AMD PDUs, AMD PDU segments and STATUS PDUs.
 *
 * Data: D/C=1 RF P FI(2) E SN(10); of a segment (RF=1) LSF SO(15) follow; then
 * the extension part (rlc/common/li.h).
 * Status: D/C=0 CPT(3)=0 ACK_SN(10) E1, then for every NACK: NACK_SN(10) E1
 * E2 and, with E2, SOstart(15) SOend(15).
 * Source: TS 36.322 6.2.1.4, 6.2.1.5, 6.2.1.6, 6.2.2
 */
#ifndef RLC_AM_PDU_H
#define RLC_AM_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rlc/common/li.h"

#define AM_SN_BITS 10
#define AM_SN_MASK 1023
#define AM_WINDOW  512    /* AM_Window_Size. Source: TS 36.322 7.2 */
#define AM_SO_END  0x7fff /* SOend: up to the last byte. Source: 6.2.2.18 */

struct am_pdu {
	bool rf;   /* a segment */
	bool poll; /* P */
	bool lsf;  /* of a segment: its last byte is the PDU's last */
	uint8_t fi;
	uint16_t sn;
	uint16_t so;                    /* of a segment: offset in the PDU's data field */
	uint16_t n;                     /* data field elements, >= 1 */
	uint16_t len[RLC_ELEMENTS_MAX]; /* bytes each */
};

/** am_fixed_bytes() - size of the fixed part */
static inline size_t am_fixed_bytes(bool rf)
{
	return rf ? 4 : 2;
}

/** am_header_bytes() - header size for @n elements */
static inline size_t am_header_bytes(bool rf, uint16_t n)
{
	return am_fixed_bytes(rf) + rlc_li_bytes(n);
}

/** am_is_data() - D/C bit of a PDU */
static inline bool am_is_data(const uint8_t *buf)
{
	return buf[0] & 0x80;
}

/** am_pack() - write the header of @pdu to @buf. Return: its size in bytes. */
size_t am_pack(const struct am_pdu *pdu, uint8_t *buf);

/**
 * am_unpack() - read and check the header of an AMD PDU or segment
 * @ret_header: bytes of the header; the elements follow it back to back
 *
 * Return: 0, or -EBADMSG: a control PDU, or a header that does not fit the PDU.
 */
int am_unpack(struct am_pdu *ret, size_t *ret_header, const uint8_t *buf, size_t len);

/* One NACK: a whole PDU, or its bytes so_start..so_end (both included). */
struct am_nack {
	uint16_t sn;
	bool has_so;
	uint16_t so_start;
	uint16_t so_end; /* AM_SO_END: up to the last byte */
};

#define AM_NACKS_MAX 512

struct am_status {
	uint16_t ack_sn;
	uint16_t n;
	struct am_nack nack[AM_NACKS_MAX];
};

/** am_status_bytes() - size of a STATUS PDU with @n NACKs of which @n_so have SO fields */
size_t am_status_bytes(uint16_t n, uint16_t n_so);

/** am_status_pack() - write a STATUS PDU. Return: its size in bytes. */
size_t am_status_pack(const struct am_status *status, uint8_t *buf);

/** am_status_unpack() - Return: 0, or -EBADMSG: not a STATUS PDU, or cut short. */
int am_status_unpack(struct am_status *ret, const uint8_t *buf, size_t len);

#endif
