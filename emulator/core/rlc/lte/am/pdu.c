/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - packing of AMD and STATUS PDUs; see pdu.h. */
#include "rlc/lte/am/pdu.h"

#include <errno.h>
#include <string.h>

size_t am_pack(const struct am_pdu *pdu, uint8_t *buf)
{
	uint8_t e = pdu->n > 1;

	buf[0] = (uint8_t)(0x80 | pdu->rf << 6 | pdu->poll << 5 | pdu->fi << 3 | e << 2 |
	                   pdu->sn >> 8);
	buf[1] = (uint8_t)pdu->sn;
	if (pdu->rf) {
		buf[2] = (uint8_t)(pdu->lsf << 7 | pdu->so >> 8);
		buf[3] = (uint8_t)pdu->so;
	}
	rlc_li_pack(pdu->len, pdu->n, buf + am_fixed_bytes(pdu->rf));
	return am_header_bytes(pdu->rf, pdu->n);
}

int am_unpack(struct am_pdu *ret, size_t *ret_header, const uint8_t *buf, size_t len)
{
	size_t fixed;
	uint8_t e;
	int r;

	if (len < 3 || !am_is_data(buf))
		return -EBADMSG;
	ret->rf = buf[0] >> 6 & 1;
	ret->poll = buf[0] >> 5 & 1;
	ret->fi = buf[0] >> 3 & 3;
	e = buf[0] >> 2 & 1;
	ret->sn = (uint16_t)((buf[0] & 3) << 8 | buf[1]);
	ret->lsf = true;
	ret->so = 0;
	fixed = am_fixed_bytes(ret->rf);
	if (len <= fixed)
		return -EBADMSG;
	if (ret->rf) {
		ret->lsf = buf[2] >> 7;
		ret->so = (uint16_t)((buf[2] & 0x7f) << 8 | buf[3]);
	}
	r = rlc_li_unpack(ret->len, &ret->n, e, buf + fixed, len - fixed);
	if (r < 0)
		return r;
	*ret_header = am_header_bytes(ret->rf, ret->n);
	return 0;
}

/* Bits are written and read from the most significant one on. */
struct bits {
	uint8_t *buf;
	const uint8_t *in;
	size_t at;
	size_t end;
};

static void put(struct bits *b, uint32_t value, unsigned int n)
{
	while (n-- > 0) {
		uint8_t bit = (uint8_t)(value >> n & 1);

		b->buf[b->at / 8] |= (uint8_t)(bit << (7 - b->at % 8));
		b->at++;
	}
}

static int get(struct bits *b, uint16_t *ret, unsigned int n)
{
	*ret = 0;
	if (b->at + n > b->end)
		return -EBADMSG;
	while (n-- > 0) {
		*ret = (uint16_t)(*ret << 1 | (b->in[b->at / 8] >> (7 - b->at % 8) & 1));
		b->at++;
	}
	return 0;
}

size_t am_status_bytes(uint16_t n, uint16_t n_so)
{
	return (15u + 12u * n + 30u * n_so + 7u) / 8u;
}

size_t am_status_pack(const struct am_status *status, uint8_t *buf)
{
	struct bits b = { .buf = buf };
	uint16_t n_so = 0;
	size_t size;

	for (uint16_t i = 0; i < status->n; i++)
		n_so = (uint16_t)(n_so + status->nack[i].has_so);
	size = am_status_bytes(status->n, n_so);
	memset(buf, 0, size);
	put(&b, 0, 4);
	put(&b, status->ack_sn, 10);
	put(&b, status->n > 0, 1);
	for (uint16_t i = 0; i < status->n; i++) {
		const struct am_nack *nack = &status->nack[i];

		put(&b, nack->sn, 10);
		put(&b, i + 1u < status->n, 1);
		put(&b, nack->has_so, 1);
		if (nack->has_so) {
			put(&b, nack->so_start, 15);
			put(&b, nack->so_end, 15);
		}
	}
	return size;
}

int am_status_unpack(struct am_status *ret, const uint8_t *buf, size_t len)
{
	struct bits b = { .in = buf, .end = 8 * len };
	uint16_t dc_cpt, more, has_so;

	ret->n = 0;
	if (get(&b, &dc_cpt, 4) < 0 || dc_cpt != 0 || get(&b, &ret->ack_sn, 10) < 0 ||
	    get(&b, &more, 1) < 0)
		return -EBADMSG;
	while (more) {
		struct am_nack *nack = &ret->nack[ret->n];

		if (ret->n++ == AM_NACKS_MAX || get(&b, &nack->sn, 10) < 0 ||
		    get(&b, &more, 1) < 0 || get(&b, &has_so, 1) < 0)
			return -EBADMSG;
		nack->has_so = has_so;
		nack->so_start = 0;
		nack->so_end = AM_SO_END;
		if (has_so && (get(&b, &nack->so_start, 15) < 0 || get(&b, &nack->so_end, 15) < 0))
			return -EBADMSG;
	}
	return 0;
}
