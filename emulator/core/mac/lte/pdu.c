/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.c - packing of MAC PDUs; see pdu.h.
 *
 * All subheaders come first, in the order of what they stand for: control elements, RLC PDUs,
 * padding. E says whether another one follows. Control elements have known sizes. The length of an
 * RLC PDU takes 7 bits or 15 (F), and is left out in the last subheader, whose RLC PDU goes on to
 * the end of the block. So padding of three octets or more has a subheader at the end, and one or
 * two octets are padding subheaders at the start, which need no length in front of them.
 * Source: TS 36.321 6.1.2, 6.2.1
 */
#include "mac/lte/pdu.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"

#define SUBHEADER_E 0x20
#define SUBHEADER_R 0xc0
#define L_LONG      0x80 /* F: the length has 15 bits */
#define L_SHORT_MAX 127

static uint32_t bsr_ce_bytes(const struct mac_bsr *bsr)
{
	return bsr->is_long ? 3 : 1;
}

static uint32_t ce_bytes(const struct mac_pdu *pdu)
{
	uint32_t n = 0;

	if (pdu->has_crnti)
		n += 1 + 2;
	if (pdu->bsr.present)
		n += 1 + bsr_ce_bytes(&pdu->bsr);
	return n;
}

static bool is_extended(uint8_t lcid)
{
	return lcid >= ELCID_DRB_FIRST;
}

static uint32_t lcid_bytes(uint8_t lcid)
{
	return is_extended(lcid) ? 2 : 1;
}

/* An SDU with its subheader; the last one has no length when nothing follows. */
static uint32_t sdu_bytes(const struct mac_sdu *sdu, bool with_length)
{
	uint32_t length = sdu->len > L_SHORT_MAX ? 2 : 1;

	return lcid_bytes(sdu->lcid) + (with_length ? length : 0) + sdu->len;
}

uint32_t mac_sdu_room(const struct mac_pdu *pdu, uint32_t tbs, uint8_t lcid)
{
	uint32_t used = ce_bytes(pdu) + lcid_bytes(lcid);

	for (uint32_t i = 0; i < pdu->n_sdus; i++)
		used += sdu_bytes(&pdu->sdu[i], true);
	return tbs > used ? tbs - used : 0;
}

uint32_t mac_padding(const struct mac_pdu *pdu, uint32_t tbs)
{
	uint32_t used = ce_bytes(pdu);

	for (uint32_t i = 0; i < pdu->n_sdus; i++)
		used += sdu_bytes(&pdu->sdu[i], i + 1 < pdu->n_sdus);
	CELL_ASSERT(used <= tbs);
	return tbs - used;
}

/* Subheaders in order; the E bit of each is set when another one follows. */
struct header {
	uint8_t *buf;
	uint32_t n;
	uint8_t *last;
};

static void put_subheader(struct header *h, uint8_t lcid)
{
	if (h->last)
		*h->last |= SUBHEADER_E;
	h->last = h->buf + h->n++;
	*h->last = lcid;
}

static void put_length(struct header *h, uint32_t len)
{
	if (len > L_SHORT_MAX) {
		h->buf[h->n++] = (uint8_t)(L_LONG | len >> 8);
		h->buf[h->n++] = (uint8_t)len;
	} else {
		h->buf[h->n++] = (uint8_t)len;
	}
}

static uint8_t *put_bsr(uint8_t *p, const struct mac_bsr *bsr)
{
	const uint8_t *i = bsr->index;

	if (!bsr->is_long) {
		*p++ = (uint8_t)(bsr->lcg << 6 | i[bsr->lcg]);
		return p;
	}
	*p++ = (uint8_t)(i[0] << 2 | i[1] >> 4);
	*p++ = (uint8_t)(i[1] << 4 | i[2] >> 2);
	*p++ = (uint8_t)(i[2] << 6 | i[3]);
	return p;
}

static void put_sdus(struct header *h, const struct mac_pdu *pdu, bool padding_follows)
{
	for (uint32_t i = 0; i < pdu->n_sdus; i++) {
		uint8_t lcid = pdu->sdu[i].lcid;

		put_subheader(h, is_extended(lcid) ? LCID_EXTENDED : lcid);
		if (is_extended(lcid))
			h->buf[h->n++] = (uint8_t)(lcid - ELCID_DRB_FIRST);
		if (i + 1 < pdu->n_sdus || padding_follows)
			put_length(h, pdu->sdu[i].len);
	}
}

/*
 * Padding of one or two bytes consists of subheaders at the start, because a
 * padding subheader at the end would also need a length field for the SDU.
 * Source: TS 36.321 6.1.2
 */
void mac_pack(struct mac_pdu *pdu, const uint8_t *sdus, uint8_t *buf, uint32_t tbs)
{
	uint32_t left = mac_padding(pdu, tbs);
	struct header h = { .buf = buf };
	bool pad_first;
	uint8_t *p;

	pad_first = left > 0 && left <= 2;
	for (uint32_t i = 0; pad_first && i < left; i++)
		put_subheader(&h, LCID_PADDING);
	if (pdu->has_crnti)
		put_subheader(&h, LCID_CRNTI);
	if (pdu->bsr.present)
		put_subheader(&h, pdu->bsr.is_long ? LCID_LONG_BSR : LCID_SHORT_BSR);
	put_sdus(&h, pdu, left > 2);
	if (left > 2)
		put_subheader(&h, LCID_PADDING);
	p = buf + h.n;
	if (pdu->has_crnti) {
		*p++ = (uint8_t)(pdu->crnti >> 8);
		*p++ = (uint8_t)pdu->crnti;
	}
	if (pdu->bsr.present)
		p = put_bsr(p, &pdu->bsr);
	for (uint32_t i = 0; i < pdu->n_sdus; i++) {
		struct mac_sdu *sdu = &pdu->sdu[i];

		sdu->off = (uint32_t)(p - buf);
		memcpy(p, sdus, sdu->len);
		p += sdu->len;
		sdus += sdu->len;
	}
	pdu->padding = left;
	memset(p, 0, (size_t)(buf + tbs - p));
}

static const uint8_t *get_bsr(struct mac_bsr *bsr, uint8_t lcid, const uint8_t *p)
{
	bsr->present = true;
	bsr->is_long = lcid == LCID_LONG_BSR;
	if (!bsr->is_long) {
		bsr->lcg = p[0] >> 6;
		bsr->index[bsr->lcg] = p[0] & 0x3f;
		return p + 1;
	}
	bsr->index[0] = p[0] >> 2;
	bsr->index[1] = (uint8_t)((p[0] & 3) << 4 | p[1] >> 4);
	bsr->index[2] = (uint8_t)((p[1] & 15) << 2 | p[2] >> 6);
	bsr->index[3] = p[2] & 0x3f;
	return p + 3;
}

struct subheader {
	uint8_t lcid;
	bool has_length;
	uint32_t length;
};

/* A control element or padding: what has no length. */
static bool is_element(uint8_t lcid)
{
	return lcid >= LCID_CRNTI && lcid <= LCID_PADDING;
}

static bool is_channel(uint8_t lcid)
{
	return (lcid >= LCID_DRB_FIRST && lcid <= LCID_DRB_LAST) || lcid >= ELCID_DRB_FIRST;
}

/* Read subheader at *off; fixed-size elements and the last one have no length. */
static int get_subheader(struct subheader *ret, bool *ret_more, const uint8_t *buf, uint32_t len,
                         uint32_t *off)
{
	uint8_t b;

	if (*off >= len)
		return -EBADMSG;
	b = buf[(*off)++];
	if (b & SUBHEADER_R)
		return -EBADMSG;
	*ret_more = b & SUBHEADER_E;
	*ret = (struct subheader){ .lcid = b & 0x1f };
	if (ret->lcid == LCID_EXTENDED) {
		if (*off >= len || buf[*off] & SUBHEADER_R)
			return -EBADMSG;
		ret->lcid = (uint8_t)(ELCID_DRB_FIRST + buf[(*off)++]);
		if (ret->lcid > ELCID_DRB_LAST)
			return -EBADMSG;
	}
	if (!*ret_more || is_element(ret->lcid))
		return 0;
	if (*off >= len)
		return -EBADMSG;
	b = buf[(*off)++];
	ret->has_length = true;
	ret->length = b & 0x7f;
	if (b & L_LONG) {
		if (*off >= len)
			return -EBADMSG;
		ret->length = ret->length << 8 | buf[(*off)++];
	}
	return 0;
}

#define SUBHEADERS_MAX (MAC_SDUS_MAX + 5) /* two of padding before, two CEs, one of padding */

/* One C-RNTI and one BSR at most. Source: TS 36.321 5.4.5 */
static int get_element(struct mac_pdu *ret, const struct subheader *s, const uint8_t *buf,
                       uint32_t len, uint32_t *off)
{
	uint32_t left = len - *off, size;

	switch (s->lcid) {
	case LCID_CRNTI:
		size = ret->has_crnti ? UINT32_MAX : 2;
		break;
	case LCID_SHORT_BSR:
		size = ret->bsr.present ? UINT32_MAX : 1;
		break;
	case LCID_LONG_BSR:
		size = ret->bsr.present ? UINT32_MAX : 3;
		break;
	default:
		size = s->has_length ? s->length : left;
		if (!is_channel(s->lcid) || ret->n_sdus == MAC_SDUS_MAX || size == 0)
			return -EBADMSG;
	}
	if (size > left)
		return -EBADMSG;
	if (s->lcid == LCID_CRNTI) {
		ret->has_crnti = true;
		ret->crnti = (uint16_t)(buf[*off] << 8 | buf[*off + 1]);
	} else if (is_element(s->lcid)) {
		(void)get_bsr(&ret->bsr, s->lcid, buf + *off);
	} else {
		ret->sdu[ret->n_sdus++] =
			(struct mac_sdu){ .lcid = s->lcid, .off = *off, .len = size };
	}
	*off += size;
	return 0;
}

int mac_unpack(struct mac_pdu *ret, const uint8_t *buf, uint32_t len)
{
	struct subheader s[SUBHEADERS_MAX];
	uint32_t n = 0, off = 0;
	bool more = true;

	*ret = (struct mac_pdu){ 0 };
	while (more) {
		int r;

		if (n == SUBHEADERS_MAX)
			return -EBADMSG;
		r = get_subheader(&s[n++], &more, buf, len, &off);
		if (r < 0)
			return r;
	}
	ret->padding = 0;
	for (uint32_t i = 0; i < n; i++) {
		int r;

		if (s[i].lcid == LCID_PADDING)
			continue;
		r = get_element(ret, &s[i], buf, len, &off);
		if (r < 0)
			return r;
	}
	ret->padding = len - off;
	return 0;
}

void mac_rar_pack(const struct mac_rar *rar, uint8_t buf[MAC_RAR_BYTES])
{
	/* E=0: the only one; T=1: a RAPID follows. Timing advance 0. */
	uint32_t grant = (uint32_t)(rar->riv & 0x3ff) << 9 | (uint32_t)(rar->mcs & 0xf) << 5 |
	                 3u << 2; /* TPC 0 dB */

	buf[0] = (uint8_t)(0x40 | rar->rapid);
	buf[1] = 0;
	buf[2] = (uint8_t)(grant >> 16 & 0xf);
	buf[3] = (uint8_t)(grant >> 8);
	buf[4] = (uint8_t)grant;
	buf[5] = (uint8_t)(rar->temp_crnti >> 8);
	buf[6] = (uint8_t)rar->temp_crnti;
}

int mac_rar_unpack(struct mac_rar *ret, const uint8_t *buf, size_t len)
{
	uint32_t grant;

	if (len < MAC_RAR_BYTES || (buf[0] & 0xc0) != 0x40)
		return -EBADMSG;
	grant = (uint32_t)(buf[2] & 0xf) << 16 | (uint32_t)buf[3] << 8 | buf[4];
	*ret = (struct mac_rar){
		.rapid = buf[0] & 0x3f,
		.riv = grant >> 9 & 0x3ff,
		.mcs = grant >> 5 & 0xf,
		.temp_crnti = (uint16_t)(buf[5] << 8 | buf[6]),
	};
	return 0;
}
