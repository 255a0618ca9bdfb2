/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * li.h - the extension part of UMD and AMD PDU headers.
 *
 * E(1) LI(11) pairs, 12 bits each, one for every data field element but the
 * last; an odd number of them is padded by 4 bits.
 * Source: TS 36.322 6.2.1.3, 6.2.1.4, 6.2.2.5
 */
#ifndef RLC_LI_H
#define RLC_LI_H

#include <stddef.h>
#include <stdint.h>

#define RLC_LI_MAX 2047 /* 11 bits */
/* Elements of one PDU: an SDU has at least a PDCP header and one byte. */
#define RLC_ELEMENTS_MAX 256

/* Framing Info. Source: TS 36.322 Table 6.2.2.6-1 */
#define RLC_FI_FIRST_CONTINUES 0x2 /* first byte is not the first of an SDU */
#define RLC_FI_LAST_CONTINUES  0x1 /* last byte is not the last of an SDU */

/** rlc_li_bytes() - size of the extension part for @n elements */
static inline size_t rlc_li_bytes(uint16_t n)
{
	size_t n_li = n - 1u;

	return n_li + (n_li + 1) / 2;
}

/** rlc_li_pack() - write the lengths of all of @n elements but the last to @ext */
void rlc_li_pack(const uint16_t *len, uint16_t n, uint8_t *ext);

/**
 * rlc_li_unpack() - read the extension part
 * @ret_len: RLC_ELEMENTS_MAX lengths, the last one being what is left of the PDU
 * @ret_n:   elements
 * @e:       the fixed part's E bit: an LI follows
 * @ext:     behind the fixed part, @size bytes to the end of the PDU
 *
 * Return: 0, or -EBADMSG when the lengths do not fit the PDU.
 */
int rlc_li_unpack(uint16_t *ret_len, uint16_t *ret_n, uint8_t e, const uint8_t *ext, size_t size);

#endif
