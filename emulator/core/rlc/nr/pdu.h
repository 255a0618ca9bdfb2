/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - headers of NR's UMD and AMD PDUs, bit by bit.
 *
 *   UMD  SI(2) R(6)                        an SDU in one piece
 *        SI(2) SN(6)                       6-bit SN
 *        SI(2) R R SN(12)                  12-bit SN
 *   AMD  D/C P SI(2) SN(12)                12-bit SN
 *        D/C P SI(2) R R SN(18)            18-bit SN
 *
 * A segment that is not the first of its SDU has SO(16) behind it.
 * Source: TS 38.322 6.2.2.3, 6.2.2.4, 6.2.3
 */
#ifndef RLC_NR_PDU_H
#define RLC_NR_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Segmentation Info: what of its SDU a PDU has. Source: TS 38.322 Table 6.2.3.4-1 */
enum nr_si { NR_SI_ALL, NR_SI_FIRST, NR_SI_LAST, NR_SI_MIDDLE };

#define NR_SI_STARTS(si) ((si) == NR_SI_ALL || (si) == NR_SI_FIRST)
#define NR_SI_ENDS(si)   ((si) == NR_SI_ALL || (si) == NR_SI_LAST)

struct nr_pdu {
	uint32_t sn; /* UMD: only of segments */
	uint16_t so; /* offset of its first byte in the SDU */
	uint8_t si;  /* enum nr_si */
	bool poll;   /* AMD */
};

/** nr_si() - SI of bytes @from..@to of an SDU of @len bytes */
static inline enum nr_si nr_si(uint32_t from, uint32_t to, uint32_t len)
{
	if (from == 0)
		return to == len ? NR_SI_ALL : NR_SI_FIRST;
	return to == len ? NR_SI_LAST : NR_SI_MIDDLE;
}

static inline uint32_t nr_um_header_bytes(uint8_t sn_bits, enum nr_si si)
{
	if (si == NR_SI_ALL)
		return 1;
	return (sn_bits == 12 ? 2u : 1u) + (si == NR_SI_FIRST ? 0 : 2);
}

static inline uint32_t nr_am_header_bytes(uint8_t sn_bits, enum nr_si si)
{
	return (sn_bits == 18 ? 3u : 2u) + (NR_SI_STARTS(si) ? 0 : 2);
}

/** nr_um_pack() - write the header of @pdu to @buf. Return: its size in bytes */
uint32_t nr_um_pack(const struct nr_pdu *pdu, uint8_t sn_bits, uint8_t *buf);

/** nr_um_unpack() - read a UMD PDU's header. Return: its size, or -EBADMSG: no data follow it, or
 * an SO of 0 */
int nr_um_unpack(struct nr_pdu *ret, uint8_t sn_bits, const uint8_t *buf, size_t len);

/** nr_am_is_data() - D/C bit of an RLC AM PDU */
static inline bool nr_am_is_data(const uint8_t *buf)
{
	return buf[0] & 0x80;
}

/** nr_am_pack() - write the header of @pdu to @buf. Return: its size in bytes */
uint32_t nr_am_pack(const struct nr_pdu *pdu, uint8_t sn_bits, uint8_t *buf);

/** nr_am_unpack() - read an AMD PDU's header. Return: its size, or -EBADMSG as for UMD PDUs */
int nr_am_unpack(struct nr_pdu *ret, uint8_t sn_bits, const uint8_t *buf, size_t len);

#endif
