/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utran.c - a dedicated channel as the core's entry points see it; see state.h. */
#include "base/digest.h"
#include "ran/ran.h"
#include "ran/utran/bound.h"
#include "ran/utran/link.h"
#include "rlc/common/digest.h"

static bool has_room(const struct cell *c, bool command)
{
	(void)command;
	return utran_has_room((const struct utran *)c);
}

static void release(struct cell *c)
{
	tb_pool_release(&((struct utran *)c)->blocks);
}

static void mix_utran_utran(uint64_t *h, const struct utran_dch *l)
{
	const struct rlc_utran_tx *tx = &l->tx;
	const struct rlc_utran_rx *rx = &l->rx;

	digest_mix(h, l->loss_rng.state);
	digest_mix(h, l->status_next);
	digest_mix(h, l->put_off);
	rlc_digest_sdus(h, &tx->queue);
	digest_mix(h, tx->unmarked ? tx->unmarked->id : 0);
	digest_mix(h, tx->vt_a);
	digest_mix(h, tx->vt_s);
	digest_mix(h, tx->vt_pdu);
	digest_mix(h, tx->n_retx);
	digest_mix(h, tx->poll_sn);
	digest_mix(h, tx->poll_due);
	digest_mix(h, tx->mrw_active);
	digest_mix(h, tx->mrw_due);
	digest_mix(h, tx->sn_mrw);
	digest_mix(h, (uint64_t)tx->poll_expiry_ns);
	digest_mix(h, (uint64_t)tx->mrw_expiry_ns);
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = (sn + 1) & RLC_UTRAN_SN_MASK)
		digest_mix(h, (uint64_t)(tx->sent[sn]->retx_count << 2 |
		                         tx->sent[sn]->considered << 1 | tx->sent[sn]->acked));
	digest_mix(h, rx->vr_r);
	digest_mix(h, rx->vr_h);
	digest_mix(h, rx->skip);
	digest_mix(h, rx->tail.open ? rx->tail.len : UINT64_MAX);
	digest_mix(h, rx->status_due);
	digest_mix(h, rx->mrw_ack_due);
	digest_mix(h, (uint64_t)rx->prohibit_expiry_ns);
}

static void digest(const struct independent_link *link, uint64_t *h)
{
	const struct utran_link *u = (const struct utran_link *)link;

	digest_mix(h, (uint64_t)u->next_tti_ns);
	for (int d = 0; d < 2; d++) {
		for (const struct tb *p = u->air[d].head; p; p = p->next) {
			digest_mix(h, (uint64_t)p->decode_ns);
			digest_mix(h, p->len);
		}
		mix_utran_utran(h, &u->dch[d]);
	}
}

static const struct independent_kind channel = {
	.bytes = sizeof(struct utran_link),
	.init = utran_init,
	.ingress = utran_ingress,
	.next = utran_next,
	.process = utran_process,
	.next_output = utran_next_output,
	.empty = utran_empty,
	.digest = digest,
};

static struct cell *lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	return utran_lay_out(a, cfg, &channel);
}

const struct ran ran_utran = {
	.check = utran_check,
	.out_min = utran_out_min,
	.lay_out = lay_out,
	.init = independent_init,
	.ingress = independent_ingress,
	.next = independent_next,
	.has_room = has_room,
	.process = independent_process,
	.next_output = independent_next_output,
	.transit_min = independent_transit_min,
	.release = release,
	.empty = independent_empty,
	.digest = independent_digest,
};
