/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.c - hash of the state that decides what happens next; see cellcore.h.
 * Two cells with one digest and the same calls to come behave alike.
 */
#include "cell.h"

static void mix(uint64_t *h, uint64_t v)
{
	for (int i = 0; i < 8; i++) /* FNV-1a, byte by byte */
		*h = (*h ^ (v >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
}

static void mix_queue(uint64_t *h, const struct pkt_queue *q)
{
	mix(h, q->n);
	for (const struct pkt *p = q->head; p; p = p->next)
		mix(h, p->id);
}

static void mix_leg(uint64_t *h, const struct leg *leg)
{
	mix(h, leg->pdcp_tx.next_tx_sn);
	mix(h, leg->pdcp_rx.next_rx_sn);
	mix(h, leg->tx.vt_us);
	mix(h, leg->tx.head_sent);
	mix(h, leg->tx.bytes);
	mix_queue(h, &leg->tx.queue);
	mix(h, leg->rx.vr_ur);
	mix(h, leg->rx.vr_ux);
	mix(h, leg->rx.vr_uh);
	mix(h, (uint64_t)leg->rx.expiry_ns);
	mix(h, leg->rx.partial);
	mix(h, leg->rx.sdu_len);
	mix(h, leg->loss_rng.state);
}

static void mix_grants(uint64_t *h, const struct grant_ring *r)
{
	mix(h, r->used);
	mix(h, r->issued);
	for (uint32_t i = r->used; i != r->issued; i++) {
		mix(h, r->grant[i % GRANTS_KEPT].subframe);
		mix(h, r->grant[i % GRANTS_KEPT].bytes);
	}
}

uint64_t cell_digest(const struct cell *c)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	mix(&h, c->tti_next);
	mix(&h, c->stats.pkts_in);
	mix(&h, c->stats.pkts_delivered);
	mix(&h, c->n_pkts);
	mix_queue(&h, &c->arrivals);
	for (int i = 0; i < 2; i++)
		for (const struct pdu *p = c->air[i].head; p; p = p->next) {
			mix(&h, (uint64_t)p->decode_ns);
			mix(&h, p->len);
			mix_queue(&h, &p->ends);
		}
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		const struct ue *u = &c->ue[i];

		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			mix_leg(&h, &u->leg[d]);
			mix(&h, u->enb_backlog[d]);
		}
		mix_grants(&h, &u->ul);
		mix_grants(&h, &u->dl);
		mix(&h, u->mode);
		mix(&h, (uint64_t)u->ra.state);
		mix(&h, u->ra.preamble_tti);
		mix(&h, u->ra.blocked_until);
		mix(&h, u->ra.preamble_rng.state);
		mix(&h, u->ra.backoff_rng.state);
	}
	return h;
}
