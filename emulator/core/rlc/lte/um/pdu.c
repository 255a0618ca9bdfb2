/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - packing of UMD PDUs; see pdu.h. */
#include "rlc/lte/um/pdu.h"

#include <errno.h>

size_t um_pack(const struct um_pdu *pdu, uint8_t sn_bits, uint8_t *buf)
{
	uint8_t e = pdu->n > 1;

	if (sn_bits == 10) {
		buf[0] = (uint8_t)(pdu->fi << 3 | e << 2 | pdu->sn >> 8);
		buf[1] = (uint8_t)pdu->sn;
	} else {
		buf[0] = (uint8_t)(pdu->fi << 6 | e << 5 | pdu->sn);
	}
	rlc_li_pack(pdu->len, pdu->n, buf + um_fixed_bytes(sn_bits));
	return um_header_bytes(sn_bits, pdu->n);
}

int um_unpack(struct um_pdu *ret, size_t *ret_header, uint8_t sn_bits, const uint8_t *buf,
              size_t len)
{
	size_t fixed = um_fixed_bytes(sn_bits);
	uint8_t e;
	int r;

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
	r = rlc_li_unpack(ret->len, &ret->n, e, buf + fixed, len - fixed);
	if (r < 0)
		return r;
	*ret_header = um_header_bytes(sn_bits, ret->n);
	return 0;
}
