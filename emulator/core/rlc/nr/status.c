/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status.c - STATUS PDUs of NR; see status.h. */
#include "rlc/nr/status.h"

#include <errno.h>

#define CPT_MASK 0x70 /* 000: STATUS PDU. Source: TS 38.322 Table 6.2.3.9-1 */

void nr_status_start(struct nr_status_writer *w, uint8_t sn_bits, uint8_t *buf)
{
	*w = (struct nr_status_writer){
		.buf = buf,
		.used = NR_STATUS_HEADER,
		.sn_bits = sn_bits,
		.e1 = sn_bits == 18 ? 0x02 : 0x80,
		.e1_byte = 2,
	};
	buf[2] = 0;
}

static void put_u16(struct nr_status_writer *w, uint16_t value)
{
	w->buf[w->used++] = (uint8_t)(value >> 8);
	w->buf[w->used++] = (uint8_t)value;
}

void nr_status_add(struct nr_status_writer *w, const struct nr_nack *nack)
{
	uint8_t extension = (uint8_t)(nack->has_so << 1 | (nack->range > 1)); /* E2 E3 */

	w->buf[w->e1_byte] |= w->e1;
	if (w->sn_bits == 18) {
		put_u16(w, (uint16_t)(nack->sn >> 2));
		w->buf[w->used++] = (uint8_t)((nack->sn & 3) << 6 | (uint32_t)extension << 3);
		w->e1 = 0x20;
	} else {
		w->buf[w->used++] = (uint8_t)(nack->sn >> 4);
		w->buf[w->used++] = (uint8_t)((nack->sn & 0xf) << 4 | (uint32_t)extension << 1);
		w->e1 = 0x08;
	}
	w->e1_byte = w->used - 1;
	if (nack->has_so) {
		put_u16(w, nack->so_start);
		put_u16(w, nack->so_end);
	}
	if (nack->range > 1)
		w->buf[w->used++] = (uint8_t)nack->range;
	w->n++;
}

uint32_t nr_status_end(struct nr_status_writer *w, uint32_t ack_sn)
{
	if (w->sn_bits == 18) {
		w->buf[0] = (uint8_t)(ack_sn >> 14);
		w->buf[1] = (uint8_t)(ack_sn >> 6);
		w->buf[2] = (uint8_t)(w->buf[2] | (ack_sn & 0x3f) << 2);
	} else {
		w->buf[0] = (uint8_t)(ack_sn >> 8);
		w->buf[1] = (uint8_t)ack_sn;
	}
	return w->used;
}

static uint16_t get_u16(const uint8_t *buf)
{
	return (uint16_t)(buf[0] << 8 | buf[1]);
}

/* The NACK at r->at, whose bytes may be missing. Return: false when they are. */
static bool read_nack(struct nr_status_reader *r, struct nr_nack *ret)
{
	uint32_t fixed = r->sn_bits == 18 ? 3 : 2;
	const uint8_t *at = r->buf + r->at;
	uint8_t flags; /* E1 E2 E3 */

	if (r->len - r->at < fixed)
		return false;
	flags = fixed == 3 ? at[2] >> 3 & 7 : at[1] >> 1 & 7;
	*ret = (struct nr_nack){
		.sn = fixed == 3 ? (uint32_t)get_u16(at) << 2 | at[2] >> 6 : get_u16(at) >> 4u,
		.range = 1,
		.has_so = flags & 2,
		.so_end = NR_SO_END,
	};
	if (r->len - r->at < fixed + (flags & 2 ? 4u : 0u) + (flags & 1))
		return false;
	at += fixed;
	if (ret->has_so) {
		ret->so_start = get_u16(at);
		ret->so_end = get_u16(at + 2);
		at += 4;
	}
	if (flags & 1)
		ret->range = *at++;
	r->at = (size_t)(at - r->buf);
	r->more = flags & 4;
	return true;
}

bool nr_status_next(struct nr_status_reader *r, struct nr_nack *ret)
{
	return r->more && read_nack(r, ret);
}

/* Each NACK is of SDUs that are not before those of the one before, and before ACK_SN. */
static bool in_order(struct nr_status_reader r, uint32_t *ret_n)
{
	uint32_t mask = (UINT32_C(1) << r.sn_bits) - 1, first = 0, last = 0;
	struct nr_nack nack;

	for (*ret_n = 0; r.more; ++*ret_n) {
		if (!read_nack(&r, &nack) || nack.range == 0)
			return false;
		if (nack.range == 1 && nack.so_end < nack.so_start)
			return false;
		if (*ret_n == 0)
			first = nack.sn;
		if (((nack.sn - first) & mask) < last)
			return false;
		last = ((nack.sn - first) & mask) + nack.range - 1u;
		if (last >= ((r.ack_sn - first) & mask))
			return false;
	}
	return true;
}

int nr_status_open(struct nr_status_reader *r, uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	if (len < NR_STATUS_HEADER || buf[0] & (0x80 | CPT_MASK))
		return -EBADMSG;
	*r = (struct nr_status_reader){
		.buf = buf,
		.len = len,
		.at = NR_STATUS_HEADER,
		.sn_bits = sn_bits,
		.more = buf[2] & (sn_bits == 18 ? 0x02 : 0x80),
		.ack_sn = sn_bits == 18 ? (uint32_t)get_u16(buf) << 6 | buf[2] >> 2 : get_u16(buf),
	};
	return in_order(*r, &r->n) ? 0 : -EBADMSG;
}
