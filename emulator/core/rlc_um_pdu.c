/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlc_um_pdu.c - packing of UMD PDUs; see rlc_um_pdu.h. */
#include "rlc_um_pdu.h"

#include <errno.h>

static size_t fixed_bytes(uint8_t sn_bits)
{
	return sn_bits == 10 ? 2 : 1;
}

size_t um_header_bytes(uint8_t sn_bits, uint16_t n)
{
	size_t n_li = n - 1u;

	return fixed_bytes(sn_bits) + n_li + (n_li + 1) / 2;
}

/* Length indicator @i (from 0) is 12 bits; even ones start on a byte. */
static void put_li(uint8_t *ext, uint16_t i, uint16_t e_li)
{
	uint8_t *b = ext + (i / 2) * 3;

	if (i % 2 == 0) {
		b[0] = (uint8_t)(e_li >> 4);
		b[1] = (uint8_t)(e_li << 4);
	} else {
		b[1] |= (uint8_t)(e_li >> 8);
		b[2] = (uint8_t)e_li;
	}
}

static uint16_t get_li(const uint8_t *ext, uint16_t i)
{
	const uint8_t *b = ext + (i / 2) * 3;

	if (i % 2 == 0)
		return (uint16_t)(b[0] << 4 | b[1] >> 4);
	return (uint16_t)((b[1] & 0x0f) << 8 | b[2]);
}

size_t um_pack(const struct um_pdu *pdu, uint8_t sn_bits, uint8_t *buf)
{
	uint8_t e = pdu->n > 1;
	uint8_t *ext = buf + fixed_bytes(sn_bits);

	if (sn_bits == 10) {
		buf[0] = (uint8_t)(pdu->fi << 3 | e << 2 | pdu->sn >> 8);
		buf[1] = (uint8_t)pdu->sn;
	} else {
		buf[0] = (uint8_t)(pdu->fi << 6 | e << 5 | pdu->sn);
	}
	for (uint16_t i = 0; i + 1 < pdu->n; i++) {
		uint16_t more = i + 2 < pdu->n;

		put_li(ext, i, (uint16_t)(more << 11 | pdu->len[i]));
	}
	return um_header_bytes(sn_bits, pdu->n);
}

int um_unpack(struct um_pdu *ret, size_t *ret_header, uint8_t sn_bits, const uint8_t *buf,
              size_t len)
{
	size_t fixed = fixed_bytes(sn_bits), header, used = 0;
	uint8_t e;

	if (len <= fixed)
		return -EBADMSG;
	if (sn_bits == 10) {
		ret->fi = buf[0] >> 3 & 3;
		e = buf[0] >> 2 & 1;
		ret->sn = (uint16_t)((buf[0] & 3) << 8 | buf[1]);
	} else {
		ret->fi = buf[0] >> 6;
		e = buf[0] >> 5 & 1;
		ret->sn = buf[0] & 0x1f;
	}
	ret->n = 1;
	while (e) {
		uint16_t i = (uint16_t)(ret->n - 1), e_li;

		if (ret->n == UM_ELEMENTS_MAX ||
		    um_header_bytes(sn_bits, (uint16_t)(ret->n + 1)) >= len)
			return -EBADMSG;
		e_li = get_li(buf + fixed, i);
		e = (uint8_t)(e_li >> 11);
		ret->len[i] = e_li & UM_LI_MAX;
		if (ret->len[i] == 0) /* reserved, 6.2.2.5 */
			return -EBADMSG;
		used += ret->len[i];
		ret->n++;
	}
	header = um_header_bytes(sn_bits, ret->n);
	if (header + used >= len || len - header - used > UINT16_MAX)
		return -EBADMSG;
	ret->len[ret->n - 1] = (uint16_t)(len - header - used);
	*ret_header = header;
	return 0;
}
