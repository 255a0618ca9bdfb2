/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dch.c - a dedicated channel as the core's entry points see it; see dch.h and state.h. */
#include "ran/dch/dch.h"

#include "base/digest.h"
#include "ran/dch/bound.h"
#include "ran/dch/utran.h"
#include "rlc/digest.h"

static void init(struct cell *c)
{
	utran_init(utran_of(c));
}

static void ingress(struct cell *c, struct pkt *p)
{
	utran_ingress(utran_of(c), p);
}

static int64_t next(const struct cell *c)
{
	return utran_next(utran_of(c));
}

static bool has_room(const struct cell *c, bool command)
{
	(void)command;
	return utran_has_room(utran_of(c));
}

static void process(struct cell *c)
{
	utran_process(utran_of(c));
}

static int64_t next_output(const struct cell *c)
{
	return utran_next_output(utran_of(c));
}

static int64_t transit_min(const struct cell *c)
{
	(void)c;
	return 0;
}

static void release(struct cell *c)
{
	pdu_pool_release(&utran_of(c)->pdus);
}

static void empty(struct cell *c)
{
	struct pkt_queue held = { 0 };

	utran_empty(utran_of(c), &held);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
}

static void mix_utran_leg(uint64_t *h, const struct utran_leg *l)
{
	const struct rlc_umts_tx *tx = &l->tx;
	const struct rlc_umts_rx *rx = &l->rx;

	digest_mix(h, l->loss_rng.state);
	digest_mix(h, l->status_next);
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
	for (uint16_t sn = tx->vt_a; sn != tx->vt_s; sn = (sn + 1) & UMTS_SN_MASK)
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

static void digest(const struct cell *c, uint64_t *h)
{
	const struct utran *u = utran_of(c);

	digest_mix(h, (uint64_t)u->next_tti_ns);
	for (int d = 0; d < 2; d++) {
		for (const struct pdu *p = u->air[d].head; p; p = p->next) {
			digest_mix(h, (uint64_t)p->decode_ns);
			digest_mix(h, p->len);
		}
		mix_utran_leg(h, &u->leg[d]);
	}
}

const struct ran ran_dch = {
	.check = utran_check,
	.out_min = utran_out_min,
	.lay_out = utran_lay_out,
	.init = init,
	.ingress = ingress,
	.next = next,
	.has_room = has_room,
	.process = process,
	.next_output = next_output,
	.transit_min = transit_min,
	.release = release,
	.empty = empty,
	.digest = digest,
};
