/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rx.c - receiving half of RLC AM in the UTRAN; see am.h.
 *
 * The window starts at vr_r, the first PDU that is missing. No timer waits for gaps to close:
 * without HARQ nothing overtakes, so a gap below vr_h is a loss, and a STATUS PDU with a list of
 * what is missing is due at once, as it is when the transmitter polls. An MRW moves the window
 * beyond PDUs that the transmitter gave up; the SDUs that it names are discarded, and it is
 * acknowledged. Source: TS 25.322 9.7.2, 11.3, 11.5, 11.6
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "rlc/utran/am.h"

void rlc_utran_rx_init(struct rlc_utran_rx *rx, const struct rlc_utran_cfg *cfg,
                       struct rlc_pdu **window, struct rlc_pdu **sent, struct rlc_pool *pool)
{
	CELL_ASSERT(pool->data_max >= cfg->pdu_size - RLC_UTRAN_AMD_FIXED);
	rx->window = window;
	rx->sent = sent;
	rx->pool = pool;
	rx->pdu_size = cfg->pdu_size;
	rx->window_size = cfg->window;
	rx->timer_status_prohibit_ns = cfg->timer_status_prohibit_ns;
	memset(window, 0, RLC_UTRAN_SLOTS * sizeof(*window));
	rlc_utran_rx_reset(rx);
}

/* SNs are compared with vr_r as base. */
static uint16_t dist(const struct rlc_utran_rx *rx, uint16_t sn)
{
	return (uint16_t)((sn - rx->vr_r) & RLC_UTRAN_SN_MASK);
}

static void tail_clear(struct rlc_utran_rx *rx)
{
	rx->tail.open = true;
	rx->tail.len = 0;
}

static void tail_append(struct rlc_utran_rx *rx, const uint8_t *data, uint32_t n)
{
	struct rlc_sdu *tail = &rx->tail;

	if (tail->len + n > RLC_SDU_MAX)
		tail->open = false;
	if (!tail->open)
		return;
	memcpy(tail->data + tail->len, data, n);
	tail->len = (uint16_t)(tail->len + n);
}

/* The SDU in `tail` ended at @offset of PDU vr_r. */
static void sdu_end(struct rlc_utran_rx *rx, uint16_t offset, struct rlc_out *out)
{
	const struct rlc_sdu *tail = &rx->tail;
	struct rlc_pdu *owner = rx->sent[rx->vr_r];
	struct pkt *p = owner ? rlc_pdu_take(owner, offset) : NULL;

	if (!p) {
		out->foreign_sdus++;
	} else if (!tail->open || tail->len != p->sdu_len) {
		pkt_enqueue(&out->discarded, p);
	} else {
		memcpy(pkt_sdu(p), tail->data, tail->len);
		pkt_enqueue(&out->delivered, p);
	}
	tail_clear(rx);
}

/* Take PDU vr_r out of the window. */
static void drop(struct rlc_utran_rx *rx)
{
	if (rx->window[rx->vr_r])
		rlc_pool_put(rx->pool, rx->window[rx->vr_r]);
	rx->window[rx->vr_r] = NULL;
	rx->vr_r = rlc_utran_sn_next(rx->vr_r);
}

/* Go through the PDUs that are there in sequence. */
static void advance(struct rlc_utran_rx *rx, struct rlc_out *out)
{
	const struct rlc_pdu *pdu;

	while ((pdu = rx->window[rx->vr_r])) {
		uint16_t i = rx->skip, at = 0;

		if (i > pdu->n_cuts)
			i = pdu->n_cuts;
		if (i > 0)
			at = pdu->cut[i - 1];
		for (; i < pdu->n_cuts; i++) {
			tail_append(rx, pdu->data + at, (uint32_t)(pdu->cut[i] - at));
			at = pdu->cut[i];
			sdu_end(rx, at, out);
		}
		tail_append(rx, pdu->data + at, (uint32_t)(pdu->len - at));
		rx->skip = 0;
		drop(rx);
	}
}

static void store(struct rlc_utran_rx *rx, const struct rlc_utran_amd *amd, const uint8_t *data)
{
	struct rlc_pdu *pdu = rlc_pool_get(rx->pool);

	pdu->len = amd->len;
	pdu->n_cuts = amd->n_cuts;
	memcpy(pdu->cut, amd->cut, amd->n_cuts * sizeof(amd->cut[0]));
	memcpy(pdu->data, data, amd->len);
	rx->window[amd->sn] = pdu;
}

int rlc_utran_rx_receive(struct rlc_utran_rx *rx, const uint8_t *buf, uint32_t len,
                         struct rlc_out *out)
{
	struct rlc_utran_amd amd;
	size_t header;

	if (len != rx->pdu_size || rlc_utran_amd_unpack(&amd, &header, buf, len) < 0) {
		out->discarded_pdus++;
		return -EBADMSG;
	}
	rx->status_due |= amd.poll;
	if (dist(rx, amd.sn) >= rx->window_size || rx->window[amd.sn]) {
		out->discarded_pdus++;
		return amd.sn;
	}
	store(rx, &amd, buf + header);
	if (dist(rx, amd.sn) >= dist(rx, rx->vr_h)) {
		rx->status_due |= amd.sn != rx->vr_h; /* missing PDUs are detected */
		rx->vr_h = rlc_utran_sn_next(amd.sn);
	}
	advance(rx, out);
	return amd.sn;
}

/* The transmitter discarded what is before SN_MRW, and @n_li SDUs that end in that PDU. */
static void move_window(struct rlc_utran_rx *rx, uint16_t sn_mrw, uint8_t n_li, struct rlc_out *out)
{
	uint16_t ahead = dist(rx, sn_mrw);

	/* LENGTH=0 says that it may be one beyond the window. An older one only needs an answer. */
	if (ahead <= rx->window_size + 1) {
		if (dist(rx, rx->vr_h) < ahead)
			rx->vr_h = sn_mrw;
		for (; rx->vr_r != sn_mrw; rx->skip = 0) {
			out->discarded_pdus += rx->window[rx->vr_r] != NULL;
			drop(rx);
		}
		tail_clear(rx);
		if (rx->skip < n_li)
			rx->skip = n_li;
		advance(rx, out);
	}
	rx->mrw_ack_due = true;
	rx->mrw_ack_sn = rx->vr_r;
	rx->mrw_ack_n = rx->vr_r == sn_mrw ? n_li : 0;
}

void rlc_utran_rx_status(struct rlc_utran_rx *rx, const struct rlc_utran_status *status,
                         struct rlc_out *out)
{
	for (uint16_t i = 0; i < status->n; i++) {
		const struct rlc_utran_sufi *sufi = &status->sufi[i];

		if (sufi->type == RLC_UTRAN_SUFI_MRW)
			move_window(rx, sufi->sn[sufi->n > 0 ? sufi->n - 1 : 0], sufi->n_li, out);
	}
}

/* The next PDU missing from @sn on, or vr_h. */
static uint16_t next_missing(const struct rlc_utran_rx *rx, uint16_t sn)
{
	while (sn != rx->vr_h && rx->window[sn])
		sn = rlc_utran_sn_next(sn);
	return sn;
}

/* PDUs missing one after another from @sn on, as one pair of a LIST tells them; @sn is. */
static uint8_t run(const struct rlc_utran_rx *rx, uint16_t sn)
{
	uint8_t l = 0;

	for (sn = rlc_utran_sn_next(sn); l < 15 && sn != rx->vr_h && !rx->window[sn];
	     sn = rlc_utran_sn_next(sn))
		l++;
	return l;
}

/* A LIST from @sn on of at most @bits. Return: the next PDU missing. */
static uint16_t fill_list(const struct rlc_utran_rx *rx, uint16_t sn, uint32_t bits,
                          struct rlc_utran_sufi *ret)
{
	*ret = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_LIST };
	while (sn != rx->vr_h && ret->n < RLC_UTRAN_LIST_MAX &&
	       rlc_utran_sufi_bits(ret) + 16 <= bits) {
		ret->sn[ret->n] = sn;
		ret->l[ret->n] = run(rx, sn);
		sn = next_missing(rx, (uint16_t)((sn + ret->l[ret->n] + 1) & RLC_UTRAN_SN_MASK));
		ret->n++;
	}
	return sn;
}

/* A BITMAP of whole octets from @sn on, that do not go beyond vr_h. Return: the next PDU missing.
 */
static uint16_t fill_bitmap(const struct rlc_utran_rx *rx, uint16_t sn, uint32_t bits,
                            struct rlc_utran_sufi *ret)
{
	uint32_t octets = ((rx->vr_h - sn) & RLC_UTRAN_SN_MASK) / 8u;

	*ret = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_BITMAP, .sn = { sn } };
	while (ret->n < octets && ret->n < RLC_UTRAN_BITMAP_MAX &&
	       rlc_utran_sufi_bits(ret) + 8 <= bits) {
		for (uint16_t i = 0; i < 8; i++, sn = rlc_utran_sn_next(sn))
			if (rx->window[sn])
				ret->bitmap[ret->n] |= (uint8_t)(0x80 >> i);
		ret->n++;
	}
	return next_missing(rx, sn);
}

/*
 * What is missing, in order of SN, in at most @bits with the ACK: a BITMAP where it tells
 * more in no more bits than a LIST. Source: TS 25.322 5.5.0 11.5 leaves the choice.
 */
static void fill_status(const struct rlc_utran_rx *rx, uint32_t bits, struct rlc_utran_status *ret)
{
	uint16_t sn = next_missing(rx, rx->vr_r);

	bits -= 16;
	while (sn != rx->vr_h && ret->n < RLC_UTRAN_SUFIS_MAX - 1) {
		struct rlc_utran_sufi *sufi = &ret->sufi[ret->n], bitmap;
		uint16_t after_list = fill_list(rx, sn, bits, sufi);
		uint16_t after_bitmap = fill_bitmap(rx, sn, bits, &bitmap);

		if (bitmap.n > 0 && dist(rx, after_bitmap) >= dist(rx, after_list) &&
		    rlc_utran_sufi_bits(&bitmap) <= rlc_utran_sufi_bits(sufi)) {
			*sufi = bitmap;
			sn = after_bitmap;
		} else if (sufi->n > 0) {
			sn = after_list;
		} else {
			break;
		}
		bits -= rlc_utran_sufi_bits(sufi);
		ret->n++;
	}
	ret->sufi[ret->n++] = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_ACK, .sn = { sn } };
}

uint32_t rlc_utran_rx_status_plan(const struct rlc_utran_rx *rx, uint32_t max,
                                  struct rlc_utran_status *ret)
{
	bool report = rx->status_due && rx->prohibit_expiry_ns == CELL_NEVER;
	uint32_t bits = 8 * max;

	ret->n = 0;
	if (bits < 4 + 16)
		return 0;
	bits -= 4;
	if (rx->mrw_ack_due && bits >= 20 + 4) {
		ret->sufi[ret->n++] = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_MRW_ACK,
			                                       .n_li = rx->mrw_ack_n,
			                                       .sn = { rx->mrw_ack_sn } };
		bits -= 20;
	}
	if (report && bits >= 16)
		fill_status(rx, bits, ret);
	return ret->n > 0 ? (uint32_t)rlc_utran_status_bytes(ret) : 0;
}

uint32_t rlc_utran_rx_status_build(struct rlc_utran_rx *rx, uint32_t max, int64_t now_ns,
                                   uint8_t *buf, struct rlc_utran_status *ret)
{
	if (rlc_utran_rx_status_plan(rx, max, ret) == 0)
		return 0;
	if (ret->sufi[0].type == RLC_UTRAN_SUFI_MRW_ACK)
		rx->mrw_ack_due = false;
	if (ret->sufi[ret->n - 1].type == RLC_UTRAN_SUFI_ACK) {
		rx->status_due = false;
		if (rx->timer_status_prohibit_ns > 0)
			rx->prohibit_expiry_ns = now_ns + rx->timer_status_prohibit_ns;
	}
	return (uint32_t)rlc_utran_status_pack(ret, buf);
}

void rlc_utran_rx_reset(struct rlc_utran_rx *rx)
{
	for (uint32_t sn = 0; sn < RLC_UTRAN_SLOTS; sn++) {
		if (rx->window[sn])
			rlc_pool_put(rx->pool, rx->window[sn]);
		rx->window[sn] = NULL;
	}
	rx->vr_r = rx->vr_h = 0;
	rx->skip = 0;
	tail_clear(rx);
	rx->status_due = rx->mrw_ack_due = false;
	rx->prohibit_expiry_ns = CELL_NEVER;
}
