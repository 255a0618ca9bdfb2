/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.c - MAC PDUs of NR; see pdu.h.
 *
 * A subheader has two bits R (or R and F) and the LCID. What has no size of its own has a length
 * behind it, of 8 bits or, with F, of 16. Order of subPDUs: downlink elements, SDUs, padding;
 * uplink SDUs, elements, padding.
 */
#include "mac/nr/pdu.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"

#define SUBHEADER_R   0x80
#define SUBHEADER_F   0x40
#define LCID_MASK     0x3f
#define L_SHORT_MAX   255
#define L_LONG_MAX    65535
#define CCCH_BYTES    8
#define CCCH_48_BYTES 6

/* Stages of a PDU, in the order in which its subPDUs come. */
enum stage { FIRST, SECOND, PADDING };

/* What a subPDU with an LCID is. */
enum kind { UNKNOWN, SDU, ELEMENT, PADDED };

struct meaning {
	uint8_t kind;
	bool is_fixed; /* no length in the subheader */
	uint8_t bytes; /* when it is fixed */
};

static struct meaning fixed(enum kind kind, uint8_t bytes)
{
	return (struct meaning){ .kind = (uint8_t)kind, .is_fixed = true, .bytes = bytes };
}

static struct meaning variable(enum kind kind)
{
	return (struct meaning){ .kind = (uint8_t)kind };
}

static struct meaning downlink(uint8_t lcid)
{
	switch (lcid) {
	case NR_LCID_CCCH:
		return variable(SDU);
	case NR_LCID_DL_LONG_DRX:
	case NR_LCID_DL_DRX:
		return fixed(ELEMENT, 0);
	case NR_LCID_DL_SCELLS:
	case NR_LCID_DL_TA:
		return fixed(ELEMENT, 1);
	case NR_LCID_DL_CONTENTION:
		return fixed(ELEMENT, NR_CONTENTION_BYTES);
	default:
		return variable(UNKNOWN);
	}
}

static struct meaning uplink(uint8_t lcid)
{
	switch (lcid) {
	case NR_LCID_CCCH:
		return fixed(SDU, CCCH_BYTES);
	case NR_LCID_UL_CCCH_48:
		return fixed(SDU, CCCH_48_BYTES);
	case NR_LCID_UL_CG_CONFIRMATION:
		return fixed(ELEMENT, 0);
	case NR_LCID_UL_SHORT_TRUNCATED:
	case NR_LCID_UL_SHORT_BSR:
		return fixed(ELEMENT, 1);
	case NR_LCID_UL_PHR:
	case NR_LCID_UL_CRNTI:
		return fixed(ELEMENT, 2);
	case NR_LCID_UL_LONG_TRUNCATED:
	case NR_LCID_UL_LONG_BSR:
		return variable(ELEMENT);
	default:
		return variable(UNKNOWN);
	}
}

static struct meaning meaning_of(uint8_t link, uint8_t lcid)
{
	if (lcid >= NR_LCID_FIRST && lcid <= NR_LCID_LAST)
		return variable(SDU);
	if (lcid == NR_LCID_PADDING)
		return fixed(PADDED, 0);
	return link == NR_DL ? downlink(lcid) : uplink(lcid);
}

/* Where subPDUs of a kind belong. */
static enum stage stage_of(uint8_t link, uint8_t kind)
{
	if (kind == PADDED)
		return PADDING;
	return (kind == ELEMENT) == (link == NR_DL) ? FIRST : SECOND;
}

static bool is_bsr(uint8_t link, uint8_t lcid)
{
	return link == NR_UL && lcid >= NR_LCID_UL_SHORT_TRUNCATED && lcid <= NR_LCID_UL_LONG_BSR;
}

void nr_pdu_start(struct nr_pdu_builder *b, enum nr_link link, uint8_t *buf, uint32_t size)
{
	*b = (struct nr_pdu_builder){ .buf = buf, .size = size, .link = (uint8_t)link };
}

uint32_t nr_pdu_left(const struct nr_pdu_builder *b)
{
	return b->size - b->used - b->reserved;
}

void nr_pdu_reserve(struct nr_pdu_builder *b, uint32_t bytes)
{
	CELL_ASSERT(bytes <= nr_pdu_left(b));
	b->reserved += bytes;
}

uint32_t nr_pdu_room(const struct nr_pdu_builder *b)
{
	uint32_t left = nr_pdu_left(b);

	if (left <= 2)
		return 0;
	if (left - 2 <= L_SHORT_MAX + 1) /* one more would need an octet more for its length */
		return left - 2 <= L_SHORT_MAX ? left - 2 : L_SHORT_MAX;
	return left - 3 < L_LONG_MAX ? left - 3 : L_LONG_MAX;
}

static uint32_t header_bytes(uint32_t len)
{
	return len > L_SHORT_MAX ? 3 : 2;
}

uint8_t *nr_pdu_at(const struct nr_pdu_builder *b)
{
	return b->buf + b->used + header_bytes(nr_pdu_room(b));
}

static void enter(struct nr_pdu_builder *b, uint8_t lcid)
{
	enum stage stage = stage_of(b->link, meaning_of(b->link, lcid).kind);

	CELL_ASSERT(b->stage <= stage);
	b->stage = (uint8_t)stage;
}

uint32_t nr_pdu_sdu(struct nr_pdu_builder *b, uint8_t lcid, uint32_t len)
{
	uint8_t *at = nr_pdu_at(b), *p = b->buf + b->used;
	uint32_t header = header_bytes(len);

	CELL_ASSERT(len > 0 && len <= nr_pdu_room(b));
	CELL_ASSERT(meaning_of(b->link, lcid).kind == SDU);
	enter(b, lcid);
	if (meaning_of(b->link, lcid).is_fixed) {
		CELL_ASSERT(len == meaning_of(b->link, lcid).bytes);
		header = 1;
	}
	if (at != p + header)
		memmove(p + header, at, len);
	p[0] = lcid;
	if (header == 2) {
		p[1] = (uint8_t)len;
	} else if (header == 3) {
		p[0] |= SUBHEADER_F;
		p[1] = (uint8_t)(len >> 8);
		p[2] = (uint8_t)len;
	}
	b->used += header + len;
	return b->used - len;
}

static uint8_t *put_bsr(uint8_t *p, const struct nr_bsr *bsr)
{
	if (bsr->format == NR_BSR_SHORT || bsr->format == NR_BSR_SHORT_TRUNCATED) {
		*p++ = (uint8_t)((uint32_t)__builtin_ctz(bsr->lcgs) << 5 | bsr->level[0]);
		return p;
	}
	*p++ = (uint8_t)(1 + bsr->n);
	*p++ = bsr->lcgs;
	memcpy(p, bsr->level, bsr->n);
	return p + bsr->n;
}

static uint8_t bsr_lcid(const struct nr_bsr *bsr)
{
	static const uint8_t lcids[] = {
		[NR_BSR_SHORT] = NR_LCID_UL_SHORT_BSR,
		[NR_BSR_SHORT_TRUNCATED] = NR_LCID_UL_SHORT_TRUNCATED,
		[NR_BSR_LONG] = NR_LCID_UL_LONG_BSR,
		[NR_BSR_LONG_TRUNCATED] = NR_LCID_UL_LONG_TRUNCATED,
	};

	return lcids[bsr->format];
}

static uint8_t *put_uplink(uint8_t *p, const struct nr_ce *ce)
{
	if (is_bsr(NR_UL, ce->lcid))
		return put_bsr(p, &ce->bsr);
	if (ce->lcid == NR_LCID_UL_CRNTI) {
		*p++ = (uint8_t)(ce->crnti >> 8);
		*p++ = (uint8_t)ce->crnti;
	} else if (ce->lcid == NR_LCID_UL_PHR) {
		*p++ = ce->phr.headroom & 0x3f;
		*p++ = ce->phr.pcmax & 0x3f;
	}
	return p;
}

static uint8_t *put_downlink(uint8_t *p, const struct nr_ce *ce)
{
	if (ce->lcid == NR_LCID_DL_TA) {
		*p++ = (uint8_t)(ce->ta.tag << 6 | (ce->ta.value & 0x3f));
	} else if (ce->lcid == NR_LCID_DL_SCELLS) {
		*p++ = ce->scells;
	} else if (ce->lcid == NR_LCID_DL_CONTENTION) {
		memcpy(p, ce->contention, NR_CONTENTION_BYTES);
		p += NR_CONTENTION_BYTES;
	}
	return p;
}

uint32_t nr_ce_bytes(enum nr_link link, const struct nr_ce *ce)
{
	return is_bsr((uint8_t)link, ce->lcid) ? nr_bsr_ce_bytes(&ce->bsr)
	                                       : 1u + meaning_of((uint8_t)link, ce->lcid).bytes;
}

void nr_pdu_ce(struct nr_pdu_builder *b, const struct nr_ce *ce)
{
	uint32_t bytes = nr_ce_bytes(b->link, ce);
	uint8_t *p = b->buf + b->used;

	CELL_ASSERT(meaning_of(b->link, ce->lcid).kind == ELEMENT);
	CELL_ASSERT(!is_bsr(b->link, ce->lcid) || ce->lcid == bsr_lcid(&ce->bsr));
	enter(b, ce->lcid);
	b->reserved -= bytes < b->reserved ? bytes : b->reserved;
	CELL_ASSERT(bytes <= nr_pdu_left(b));
	*p++ = ce->lcid;
	(void)(b->link == NR_DL ? put_downlink(p, ce) : put_uplink(p, ce));
	b->used += bytes;
}

struct nr_ce nr_bsr_ce(const struct nr_bsr *bsr)
{
	return (struct nr_ce){ .lcid = bsr_lcid(bsr), .bsr = *bsr };
}

uint32_t nr_pdu_end(struct nr_pdu_builder *b)
{
	uint32_t padding = b->size - b->used;

	if (padding) {
		b->buf[b->used] = NR_LCID_PADDING;
		memset(b->buf + b->used + 1, 0, padding - 1);
	}
	b->used = b->size;
	b->reserved = 0;
	b->stage = PADDING;
	return padding;
}

void nr_pdu_read(struct nr_pdu_reader *r, enum nr_link link, const uint8_t *buf, uint32_t len)
{
	*r = (struct nr_pdu_reader){ .buf = buf, .len = len, .link = (uint8_t)link };
}

/* Length of the subPDU behind its first octet, which was read. Return: 0 or -EBADMSG */
static int get_length(struct nr_pdu_reader *r, bool is_long, uint32_t *ret)
{
	uint32_t octets = is_long ? 2 : 1;

	if (r->len - r->at < octets)
		return -EBADMSG;
	*ret = r->buf[r->at];
	if (is_long)
		*ret = *ret << 8 | r->buf[r->at + 1];
	r->at += octets;
	return *ret ? 0 : -EBADMSG;
}

int nr_pdu_next(struct nr_pdu_reader *r, struct nr_subpdu *ret)
{
	struct meaning meaning;
	enum stage stage;
	uint8_t first;

	if (r->at == r->len)
		return 0;
	first = r->buf[r->at++];
	meaning = meaning_of(r->link, first & LCID_MASK);
	stage = stage_of(r->link, meaning.kind);
	if (first & SUBHEADER_R || meaning.kind == UNKNOWN || r->stage > stage)
		return -EBADMSG;
	r->stage = (uint8_t)stage;
	*ret = (struct nr_subpdu){ .lcid = first & LCID_MASK,
		                   .is_sdu = meaning.kind == SDU,
		                   .len = meaning.bytes };
	if (meaning.is_fixed && first & SUBHEADER_F)
		return -EBADMSG;
	if (meaning.kind == PADDED)
		ret->len = r->len - r->at;
	if (!meaning.is_fixed && get_length(r, first & SUBHEADER_F, &ret->len) < 0)
		return -EBADMSG;
	if (ret->len > r->len - r->at)
		return -EBADMSG;
	ret->off = r->at;
	r->at += ret->len;
	return 1;
}

/* A long report has a level for each group that it names, a truncated one for some of them. */
static int get_long_bsr(struct nr_bsr *ret, bool truncated, const uint8_t *p, uint32_t len)
{
	uint32_t groups = (uint32_t)__builtin_popcount(p[0]), n = len - 1;

	if (truncated ? n > groups : n != groups)
		return -EBADMSG;
	ret->lcgs = p[0];
	ret->n = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++) {
		if (p[1 + i] == UINT8_MAX) /* reserved */
			return -EBADMSG;
		ret->level[i] = p[1 + i];
	}
	return 0;
}

static int get_bsr(struct nr_bsr *ret, uint8_t lcid, const uint8_t *p, uint32_t len)
{
	*ret = (struct nr_bsr){ .format = NR_BSR_SHORT };
	while (bsr_lcid(ret) != lcid)
		ret->format++;
	if (ret->format == NR_BSR_LONG || ret->format == NR_BSR_LONG_TRUNCATED)
		return get_long_bsr(ret, ret->format == NR_BSR_LONG_TRUNCATED, p, len);
	ret->lcgs = (uint8_t)(1u << (p[0] >> 5));
	ret->n = 1;
	ret->level[0] = p[0] & 0x1f;
	return 0;
}

static int get_uplink(struct nr_ce *ret, const uint8_t *p, uint32_t len)
{
	if (is_bsr(NR_UL, ret->lcid))
		return get_bsr(&ret->bsr, ret->lcid, p, len);
	if (ret->lcid == NR_LCID_UL_CRNTI)
		ret->crnti = (uint16_t)(p[0] << 8 | p[1]);
	else if (ret->lcid == NR_LCID_UL_PHR)
		ret->phr = (struct nr_phr){ .headroom = p[0] & 0x3f, .pcmax = p[1] & 0x3f };
	return 0;
}

int nr_ce_unpack(struct nr_ce *ret, const struct nr_pdu_reader *r, const struct nr_subpdu *s)
{
	const uint8_t *p = r->buf + s->off;

	*ret = (struct nr_ce){ .lcid = s->lcid };
	if (meaning_of(r->link, s->lcid).kind != ELEMENT)
		return -EBADMSG;
	if (r->link == NR_UL)
		return get_uplink(ret, p, s->len);
	if (s->lcid == NR_LCID_DL_TA) {
		ret->ta.tag = p[0] >> 6;
		ret->ta.value = p[0] & 0x3f;
	} else if (s->lcid == NR_LCID_DL_SCELLS) {
		ret->scells = p[0];
	} else if (s->lcid == NR_LCID_DL_CONTENTION) {
		memcpy(ret->contention, p, NR_CONTENTION_BYTES);
	}
	return 0;
}

int32_t nr_pdu_check(enum nr_link link, const uint8_t *buf, uint32_t len)
{
	struct nr_pdu_reader r;
	struct nr_subpdu s;
	struct nr_ce ce;
	int32_t padding = 0;
	int found;

	nr_pdu_read(&r, link, buf, len);
	while ((found = nr_pdu_next(&r, &s)) > 0) {
		if (s.lcid == NR_LCID_PADDING)
			padding = (int32_t)s.len + 1;
		else if (!s.is_sdu && nr_ce_unpack(&ce, &r, &s) < 0)
			return -EBADMSG;
	}
	return found < 0 ? found : padding;
}
