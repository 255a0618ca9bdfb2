/* SPDX-License-Identifier: GPL-2.0-or-later */
/* air.c - MAC PDUs from transmission to decoding; see cell.h. */
#include "cell.h"
#include "cell_assert.h"

#define RNTI_TYPE_C    3
#define HARQ_PROCESSES 8

uint8_t leg_to(const struct cell *c, const struct leg *leg)
{
	if (leg->dir == CELL_DIR_UL)
		return CELL_NODE_ENB;
	return leg->dir == CELL_DIR_DL ? leg->ue : c->ue[leg->ue - 1].peer;
}

struct pdu *cell_pdu_alloc(struct cell *c)
{
	struct pdu *pdu = pdu_dequeue(&c->free_pdus);

	CELL_ASSERT(pdu); /* cell_init() provides for the worst case */
	pdu->ends = (struct pkt_queue){ 0 };
	pdu->rlc_len = 0;
	return pdu;
}

void cell_pdu_free(struct cell *c, struct pdu *pdu)
{
	CELL_ASSERT(!pdu->ends.head);
	pdu_enqueue(&c->limbo_pdus, pdu);
}

static struct cell_pdu_info describe(struct ue *u, const struct leg *leg, const struct grant *g)
{
	uint32_t sent = leg->dir == CELL_DIR_DL ? u->dl_ndi++ : u->ndi++;

	/* Synchronous in the uplink: the process follows from the sub-frame. */
	return (struct cell_pdu_info){
		.dir = leg->dir,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_C,
		.rnti = u->rnti,
		.crc_ok = 1,
		.subframe = g->subframe,
		.itbs = g->itbs,
		.mcs = phy_mcs(leg->dir, g->itbs),
		.n_rb = (uint8_t)g->n_rb,
		.rb_start = (uint8_t)g->rb_start,
		.harq_id =
			(uint8_t)((leg->dir == CELL_DIR_DL ? sent : g->subframe) % HARQ_PROCESSES),
		.ndi = sent / HARQ_PROCESSES % 2,
	};
}

static void record_transmission(struct cell *c, const struct leg *leg, const struct grant *g,
                                const struct pdu *pdu, const struct mac_pdu *mac)
{
	for (uint16_t i = 0; mac->sdu_len && i < c->tx_pdu.n; i++)
		out_record(c, leg,
		           (struct cell_record){ .event = CELL_EV_RLC_TX,
		                                 .node = leg_from(leg),
		                                 .peer = leg_to(c, leg),
		                                 .sn = c->tx_pdu.sn,
		                                 .bytes = pdu->rlc_len,
		                                 .pkt = c->tx_pdu.element[i].pkt,
		                                 .tag = c->tx_pdu.element[i].tag,
		                                 .value = c->tx_pdu.element[i].len,
		                                 .aux = c->tx_pdu.element[i].ends });
	out_record(c, leg,
	           (struct cell_record){ .event = CELL_EV_MAC_TX,
	                                 .node = leg_from(leg),
	                                 .peer = leg_to(c, leg),
	                                 .sn = g->subframe,
	                                 .bytes = g->bytes,
	                                 .rb = g->n_rb,
	                                 .value = (int32_t)mac->padding,
	                                 .aux = g->msg3,
	                                 .mcs = phy_mcs(leg->dir, g->itbs) });
	out_buffer(c, leg);
}

void cell_transmit(struct cell *c, struct leg *leg, const struct grant *g, struct pdu *pdu,
                   const struct mac_pdu *mac)
{
	struct cell_pdu_info info = describe(&c->ue[leg->ue - 1], leg, g);

	pdu->len = g->bytes;
	pdu->subframe = g->subframe;
	pdu->dir = leg->dir;
	pdu->ue = leg->ue;
	pdu->rlc_len = (uint16_t)mac->sdu_len;
	pdu->lost = rng_hit(&leg->loss_rng, leg->bler_q32);
	pdu->decode_ns =
		cell_tti_ns(c, g->subframe + c->cfg.decode_tti) - c->cfg.processing_lead_ns;
	if (mac->sdu_len)
		c->stats.rlc_pdus_tx++;
	c->stats.mac_pdus[leg->dir]++;
	c->stats.mac_bytes[leg->dir] += g->bytes;
	c->stats.mac_padding_bytes[leg->dir] += mac->padding;
	info.crc_ok = !pdu->lost;
	record_transmission(c, leg, g, pdu, mac);
	out_pdu(c, pdu->buf, pdu->len, &info);
	pdu_enqueue(&c->air[leg->dir == CELL_DIR_DL], pdu);
}

void cell_decode(struct cell *c, struct pdu *pdu)
{
	struct ue *u = &c->ue[pdu->ue - 1];
	struct leg *leg = &u->leg[pdu->dir];
	struct mac_pdu mac;

	out_record(c, leg,
	           (struct cell_record){ .event = pdu->lost ? CELL_EV_MAC_LOST : CELL_EV_MAC_RX,
	                                 .node = leg_to(c, leg),
	                                 .peer = leg_from(leg),
	                                 .sn = pdu->subframe,
	                                 .bytes = pdu->len });
	if (pdu->lost) {
		c->stats.mac_lost[leg->dir]++;
		out_drop_all(c, &pdu->ends, leg, CELL_DROP_RADIO_LOSS);
		cell_pdu_free(c, pdu);
		return;
	}
	CELL_ASSERT(mac_unpack(&mac, pdu->buf, pdu->len) == 0);
	if (mac.bsr.present &&
	    (leg->dir == CELL_DIR_UL || (leg->dir == CELL_DIR_SL && c->cfg.enb_overhears_dm)))
		enb_bsr(c, u, &mac.bsr, pdu->subframe);
	if (mac.sdu_len == 0) {
		cell_pdu_free(c, pdu);
		return;
	}
	pdu->rlc_off = (uint16_t)mac.sdu_off;
	pdu->rlc_len = (uint16_t)mac.sdu_len;
	d2d_receive(c, leg, pdu);
}
