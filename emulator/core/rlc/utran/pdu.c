/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdu.c - packing of AMD PDUs and STATUS PDUs of the UTRAN; see pdu.h. */
#include "rlc/utran/pdu.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"

#define HE_DATA 0 /* data follow the fixed part */
#define HE_LI   1 /* a length indicator follows it */

size_t rlc_utran_amd_pack(const struct rlc_utran_amd *amd, size_t size, uint8_t *buf)
{
	size_t header = RLC_UTRAN_AMD_FIXED + (size_t)amd->n_cuts, used = header + amd->len;
	bool padded = used < size;

	CELL_ASSERT(used <= size && size <= RLC_UTRAN_AMD_MAX);
	header += padded;
	buf[0] = (uint8_t)(0x80 | amd->sn >> 5);
	buf[1] = (uint8_t)(amd->sn << 3 | (amd->poll ? 0x4 : 0) |
	                   (header > RLC_UTRAN_AMD_FIXED ? HE_LI : HE_DATA));
	for (uint16_t i = 0; i < amd->n_cuts; i++)
		buf[RLC_UTRAN_AMD_FIXED + i] = (uint8_t)(amd->cut[i] << 1 | 1);
	if (padded) {
		buf[header - 1] = RLC_UTRAN_LI_PADDING << 1 | 1;
		memset(buf + used + 1, 0, size - used - 1);
	}
	if (header > RLC_UTRAN_AMD_FIXED)
		buf[header - 1] &= 0xfe; /* E: data follow */
	return header;
}

int rlc_utran_amd_unpack(struct rlc_utran_amd *ret, size_t *ret_header, const uint8_t *buf,
                         size_t size)
{
	size_t header = RLC_UTRAN_AMD_FIXED;
	uint16_t at = 0;
	uint8_t special = 0;
	bool more;

	if (size < RLC_UTRAN_AMD_MIN || size > RLC_UTRAN_AMD_MAX || !rlc_utran_is_data(buf) ||
	    (buf[1] & 0x3) > HE_LI)
		return -EBADMSG;
	ret->poll = buf[1] & 0x4;
	ret->sn = (uint16_t)((buf[0] & 0x7f) << 5 | buf[1] >> 3);
	ret->n_cuts = 0;
	more = (buf[1] & 0x3) == HE_LI;
	while (more) {
		uint8_t li;

		if (header >= size || special)
			return -EBADMSG;
		li = buf[header] >> 1;
		more = buf[header] & 1;
		header++;
		if (li >= RLC_UTRAN_LI_STATUS) {
			special = li;
			continue;
		}
		if ((ret->n_cuts > 0 && li <= at) || ret->n_cuts == RLC_UTRAN_CUTS_MAX)
			return -EBADMSG;
		at = li;
		ret->cut[ret->n_cuts++] = at;
	}
	if (header + at > size)
		return -EBADMSG;
	ret->len = special ? at : (uint16_t)(size - header);
	ret->status_at = special == RLC_UTRAN_LI_STATUS ? (uint16_t)(header + at) : 0;
	*ret_header = header;
	return 0;
}

size_t rlc_utran_amd_piggyback(uint8_t *buf, size_t size, size_t need)
{
	struct rlc_utran_amd amd;
	size_t header;

	CELL_ASSERT(rlc_utran_amd_unpack(&amd, &header, buf, size) == 0);
	if (amd.status_at || header + amd.len + need > size ||
	    buf[header - 1] >> 1 != RLC_UTRAN_LI_PADDING)
		return 0;
	buf[header - 1] = RLC_UTRAN_LI_STATUS << 1;
	return header + amd.len;
}

int rlc_utran_status_at(const uint8_t *buf, size_t size)
{
	struct rlc_utran_amd amd;
	size_t header;

	if (size > 0 && !rlc_utran_is_data(buf))
		return 0;
	if (rlc_utran_amd_unpack(&amd, &header, buf, size) < 0 || !amd.status_at)
		return -ENOENT;
	return amd.status_at;
}

static uint8_t n_mrw(const struct rlc_utran_sufi *sufi)
{
	return sufi->n > 0 ? sufi->n : 1;
}

uint32_t rlc_utran_sufi_bits(const struct rlc_utran_sufi *sufi)
{
	switch (sufi->type) {
	case RLC_UTRAN_SUFI_ACK:
		return 4 + 12;
	case RLC_UTRAN_SUFI_LIST:
		return 4 + 4 + 16u * sufi->n;
	case RLC_UTRAN_SUFI_BITMAP:
		return 4 + 4 + 12 + 8u * sufi->n;
	case RLC_UTRAN_SUFI_MRW:
		return 4 + 4 + 12u * n_mrw(sufi) + 4;
	case RLC_UTRAN_SUFI_MRW_ACK:
		return 4 + 4 + 12;
	default:
		return 4;
	}
}

static bool ends_with_ack(const struct rlc_utran_status *status)
{
	return status->n > 0 && status->sufi[status->n - 1].type == RLC_UTRAN_SUFI_ACK;
}

size_t rlc_utran_status_bytes(const struct rlc_utran_status *status)
{
	uint32_t bits = ends_with_ack(status) ? 4 : 8;

	for (uint16_t i = 0; i < status->n; i++)
		bits += rlc_utran_sufi_bits(&status->sufi[i]);
	return (bits + 7) / 8;
}

struct bits {
	const uint8_t *in;
	uint8_t *out;
	size_t at;
	size_t end;
	bool short_of; /* more was read than there is */
};

static void put(struct bits *b, uint32_t n, uint32_t value)
{
	while (n-- > 0) {
		if (value >> n & 1)
			b->out[b->at / 8] |= (uint8_t)(0x80 >> b->at % 8);
		b->at++;
	}
}

static uint16_t get(struct bits *b, uint32_t n)
{
	uint16_t value = 0;

	if (b->end - b->at < n) {
		b->short_of = true;
		return 0;
	}
	for (; n > 0; n--, b->at++)
		value = (uint16_t)(value << 1 | (b->in[b->at / 8] >> (7 - b->at % 8) & 1));
	return value;
}

static void put_sufi(struct bits *b, const struct rlc_utran_sufi *sufi)
{
	put(b, 4, sufi->type);
	switch (sufi->type) {
	case RLC_UTRAN_SUFI_ACK:
		put(b, 12, sufi->sn[0]);
		break;
	case RLC_UTRAN_SUFI_LIST:
		put(b, 4, sufi->n);
		for (uint8_t i = 0; i < sufi->n; i++) {
			put(b, 12, sufi->sn[i]);
			put(b, 4, sufi->l[i]);
		}
		break;
	case RLC_UTRAN_SUFI_BITMAP:
		put(b, 4, sufi->n - 1u);
		put(b, 12, sufi->sn[0]);
		for (uint8_t i = 0; i < sufi->n; i++)
			put(b, 8, sufi->bitmap[i]);
		break;
	case RLC_UTRAN_SUFI_MRW:
		put(b, 4, sufi->n);
		for (uint8_t i = 0; i < n_mrw(sufi); i++)
			put(b, 12, sufi->sn[i]);
		put(b, 4, sufi->n_li);
		break;
	case RLC_UTRAN_SUFI_MRW_ACK:
		put(b, 4, sufi->n_li);
		put(b, 12, sufi->sn[0]);
		break;
	default:
		break;
	}
}

size_t rlc_utran_status_pack(const struct rlc_utran_status *status, uint8_t *buf)
{
	size_t size = rlc_utran_status_bytes(status);
	struct bits b = { .out = buf };

	memset(buf, 0, size);
	put(&b, 4, 0); /* D/C and type */
	for (uint16_t i = 0; i < status->n; i++)
		put_sufi(&b, &status->sufi[i]);
	if (!ends_with_ack(status))
		put(&b, 4, RLC_UTRAN_SUFI_NO_MORE);
	return size;
}

/* Return: false for a SUFI that is not known here, or says nothing. */
static bool get_sufi(struct bits *b, struct rlc_utran_sufi *sufi)
{
	switch (sufi->type) {
	case RLC_UTRAN_SUFI_ACK:
		sufi->sn[0] = get(b, 12);
		return true;
	case RLC_UTRAN_SUFI_LIST:
		sufi->n = (uint8_t)get(b, 4);
		for (uint8_t i = 0; i < sufi->n; i++) {
			sufi->sn[i] = get(b, 12);
			sufi->l[i] = (uint8_t)get(b, 4);
		}
		return sufi->n > 0;
	case RLC_UTRAN_SUFI_BITMAP:
		sufi->n = (uint8_t)(get(b, 4) + 1);
		sufi->sn[0] = get(b, 12);
		for (uint8_t i = 0; i < sufi->n; i++)
			sufi->bitmap[i] = (uint8_t)get(b, 8);
		return true;
	case RLC_UTRAN_SUFI_MRW:
		sufi->n = (uint8_t)get(b, 4);
		for (uint8_t i = 0; i < n_mrw(sufi); i++)
			sufi->sn[i] = get(b, 12);
		sufi->n_li = (uint8_t)get(b, 4);
		return true;
	case RLC_UTRAN_SUFI_MRW_ACK:
		sufi->n_li = (uint8_t)get(b, 4);
		sufi->sn[0] = get(b, 12);
		return true;
	default:
		return false;
	}
}

int rlc_utran_status_unpack(struct rlc_utran_status *ret, const uint8_t *buf, size_t size)
{
	struct bits b = { .in = buf, .end = 8 * size };

	ret->n = 0;
	if (get(&b, 4) != 0)
		return -EBADMSG;
	for (;;) {
		struct rlc_utran_sufi *sufi = &ret->sufi[ret->n];
		uint16_t type = get(&b, 4);

		if (b.short_of)
			return -EBADMSG;
		if (type == RLC_UTRAN_SUFI_NO_MORE)
			return 0;
		if (ret->n == RLC_UTRAN_SUFIS_MAX)
			return -EBADMSG;
		*sufi = (struct rlc_utran_sufi){ .type = type };
		if (!get_sufi(&b, sufi) || b.short_of)
			return -EBADMSG;
		ret->n++;
		if (type == RLC_UTRAN_SUFI_ACK)
			return 0;
	}
}
