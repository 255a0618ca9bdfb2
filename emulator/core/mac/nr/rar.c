/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rar.c - Random Access Responses and MSGB; see rar.h.
 *
 * Each subheader has a bit E: another one follows. What comes after the last one is padding.
 */
#include "mac/nr/rar.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"

#define SUBHEADER_E       0x80
#define SUBHEADER_RAPID   0x40 /* T, T1 of MSGB */
#define SUBHEADER_SUCCESS 0x20 /* T2 of MSGB */
#define LOW_BITS          0x0f
#define FREQUENCY_BITS    0x3fff
#define BACKOFF_RESERVED  15
#define RNTI_SYMBOLS      14
#define RNTI_SLOTS        80
#define RNTI_FREQUENCIES  8

static uint8_t *put_rar(uint8_t *p, const struct nr_rar *rar)
{
	uint32_t grant = (uint32_t)rar->hopping << 26 |
	                 (uint32_t)(rar->frequency & FREQUENCY_BITS) << 12 |
	                 (uint32_t)(rar->time & 0xf) << 8 | (uint32_t)(rar->mcs & 0xf) << 4 |
	                 (uint32_t)(rar->tpc & 7) << 1 | rar->csi_request;

	*p++ = rar->timing_advance >> 5 & 0x7f;
	*p++ = (uint8_t)((uint32_t)rar->timing_advance << 3 | grant >> 24);
	*p++ = (uint8_t)(grant >> 16);
	*p++ = (uint8_t)(grant >> 8);
	*p++ = (uint8_t)grant;
	*p++ = (uint8_t)(rar->temp_crnti >> 8);
	*p++ = (uint8_t)rar->temp_crnti;
	return p;
}

static int get_rar(struct nr_rar *ret, const uint8_t *p)
{
	uint32_t grant =
		(uint32_t)(p[1] & 7) << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];

	if (p[0] & 0x80)
		return -EBADMSG;
	ret->timing_advance = (uint16_t)(p[0] << 5 | p[1] >> 3);
	ret->hopping = grant >> 26;
	ret->frequency = grant >> 12 & FREQUENCY_BITS;
	ret->time = grant >> 8 & 0xf;
	ret->mcs = grant >> 4 & 0xf;
	ret->tpc = grant >> 1 & 7;
	ret->csi_request = grant & 1;
	ret->temp_crnti = (uint16_t)(p[5] << 8 | p[6]);
	return 0;
}

/* Access to shared channels (two bits) is not used. */
static uint8_t *put_success(uint8_t *p, const struct nr_success *s)
{
	memcpy(p, s->contention, NR_CONTENTION_ID);
	p += NR_CONTENTION_ID;
	*p++ = (uint8_t)((s->tpc & 3) << 3 | (s->harq_timing & 7));
	*p++ = (uint8_t)((s->pucch & 0xf) << 4 | (s->timing_advance >> 8 & 0xf));
	*p++ = (uint8_t)s->timing_advance;
	*p++ = (uint8_t)(s->crnti >> 8);
	*p++ = (uint8_t)s->crnti;
	return p;
}

static int get_success(struct nr_success *ret, const uint8_t *p)
{
	memcpy(ret->contention, p, NR_CONTENTION_ID);
	p += NR_CONTENTION_ID;
	if (p[0] & 0xe0)
		return -EBADMSG;
	ret->tpc = p[0] >> 3 & 3;
	ret->harq_timing = p[0] & 7;
	ret->pucch = p[1] >> 4;
	ret->timing_advance = (uint16_t)((p[1] & 0xf) << 8 | p[2]);
	ret->crnti = (uint16_t)(p[3] << 8 | p[4]);
	return 0;
}

uint16_t nr_rar_frequency(uint16_t bwp_rb, uint16_t first, uint16_t n_rb)
{
	uint32_t n = bwp_rb, riv;

	CELL_ASSERT(n_rb > 0 && first + n_rb <= bwp_rb);
	if (n_rb - 1u <= n / 2)
		riv = n * (n_rb - 1u) + first;
	else
		riv = n * (n - n_rb + 1) + n - 1 - first;
	return (uint16_t)(riv & FREQUENCY_BITS);
}

uint32_t nr_rar_bytes(const struct nr_ra_response *r)
{
	return (r->backoff != NR_BACKOFF_NONE ? 1u : 0u) + r->n_rars * (1u + NR_RAR_BYTES);
}

uint32_t nr_msgb_bytes(const struct nr_ra_response *r)
{
	return nr_rar_bytes(r) + r->n_successes * (1u + NR_SUCCESS_BYTES);
}

/* Backoff, successes, answers to preambles; the last subheader alone is without E. */
static void pack(const struct nr_ra_response *r, uint8_t *buf, uint32_t size)
{
	uint8_t *p = buf, *last = NULL;

	if (r->backoff != NR_BACKOFF_NONE) {
		last = p;
		*p++ = (uint8_t)(SUBHEADER_E | r->backoff);
	}
	for (uint8_t i = 0; i < r->n_successes; i++) {
		last = p;
		*p++ = SUBHEADER_E | SUBHEADER_SUCCESS;
		p = put_success(p, &r->success[i]);
	}
	for (uint8_t i = 0; i < r->n_rars; i++) {
		last = p;
		*p++ = (uint8_t)(SUBHEADER_E | SUBHEADER_RAPID | (r->rar[i].rapid & 0x3f));
		p = put_rar(p, &r->rar[i]);
	}
	CELL_ASSERT(last && p <= buf + size);
	*last &= (uint8_t)~SUBHEADER_E;
	memset(p, 0, (size_t)(buf + size - p));
}

void nr_rar_pack(const struct nr_ra_response *r, uint8_t *buf, uint32_t size)
{
	CELL_ASSERT(r->n_successes == 0);
	pack(r, buf, size);
}

void nr_msgb_pack(const struct nr_ra_response *r, uint8_t *buf, uint32_t size)
{
	pack(r, buf, size);
}

/* The part of a response behind subheader @first. Return: its bytes, or -EBADMSG */
static int get_part(struct nr_ra_response *ret, bool is_msgb, uint8_t first, const uint8_t *p,
                    uint32_t left, bool is_first)
{
	if (first & SUBHEADER_RAPID) {
		struct nr_rar *rar = &ret->rar[ret->n_rars];

		if (ret->n_rars == NR_RARS_MAX || left < NR_RAR_BYTES || get_rar(rar, p) < 0)
			return -EBADMSG;
		rar->rapid = first & 0x3f;
		ret->n_rars++;
		return NR_RAR_BYTES;
	}
	if (is_msgb && first & SUBHEADER_SUCCESS) {
		if (ret->n_successes == NR_RARS_MAX || left < NR_SUCCESS_BYTES || first & 0x1f ||
		    get_success(&ret->success[ret->n_successes], p) < 0)
			return -EBADMSG;
		ret->n_successes++;
		return NR_SUCCESS_BYTES;
	}
	if (!is_first || first & 0x30 || (first & LOW_BITS) == BACKOFF_RESERVED)
		return -EBADMSG;
	ret->backoff = (int8_t)(first & LOW_BITS);
	return 0;
}

static int unpack(struct nr_ra_response *ret, bool is_msgb, const uint8_t *buf, uint32_t len)
{
	uint32_t at = 0;
	bool more = true;

	*ret = (struct nr_ra_response){ .backoff = NR_BACKOFF_NONE };
	while (more) {
		int bytes;

		if (at == len)
			return -EBADMSG;
		more = buf[at] & SUBHEADER_E;
		bytes = get_part(ret, is_msgb, buf[at] & (uint8_t)~SUBHEADER_E, buf + at + 1,
		                 len - at - 1, at == 0);
		if (bytes < 0)
			return bytes;
		at += 1 + (uint32_t)bytes;
	}
	return 0;
}

int nr_rar_unpack(struct nr_ra_response *ret, const uint8_t *buf, uint32_t len)
{
	return unpack(ret, false, buf, len);
}

int nr_msgb_unpack(struct nr_ra_response *ret, const uint8_t *buf, uint32_t len)
{
	return unpack(ret, true, buf, len);
}

uint32_t nr_backoff_ms(int8_t index)
{
	static const uint16_t upper_ms[BACKOFF_RESERVED] = { 5,   10,  15,  20,  30,  40,  60,  80,
		                                             120, 160, 240, 320, 480, 960, 1920 };

	return index == NR_BACKOFF_NONE ? 0 : upper_ms[index];
}

uint16_t nr_ra_rnti(uint8_t symbol, uint8_t slot, uint8_t frequency)
{
	return (uint16_t)(1 + symbol + RNTI_SYMBOLS * slot + RNTI_SYMBOLS * RNTI_SLOTS * frequency);
}

uint16_t nr_msgb_rnti(uint8_t symbol, uint8_t slot, uint8_t frequency)
{
	/* After those of both uplink carriers. */
	return (uint16_t)(nr_ra_rnti(symbol, slot, frequency) +
	                  RNTI_SYMBOLS * RNTI_SLOTS * RNTI_FREQUENCIES * 2);
}
