/* SPDX-License-Identifier: GPL-2.0-or-later */
/* air.c - MAC PDUs from transmission to decoding; see cell.h. */
#include "base/assert.h"
#include "cell.h"

#define RNTI_TYPE_C 3
#define AUX_DTX     2

uint8_t leg_to(const struct cell *c, const struct leg *leg)
{
	if (leg->dir == CELL_DIR_UL)
		return CELL_NODE_ENB;
	return leg->dir == CELL_DIR_DL ? leg->ue : c->ue[leg->ue - 1].peer;
}

struct leg *leg_reverse(const struct cell *c, const struct leg *leg)
{
	struct ue *u = &c->ue[leg->ue - 1];

	if (leg->dir == CELL_DIR_SL)
		return u->peer == CELL_PEER_NETWORK ? &u->leg[CELL_DIR_SL]
		                                    : &c->ue[u->peer - 1].leg[CELL_DIR_SL];
	return &u->leg[leg->dir == CELL_DIR_UL ? CELL_DIR_DL : CELL_DIR_UL];
}

struct pdu *cell_pdu_alloc(struct cell *c)
{
	struct pdu *pdu = pdu_dequeue(&c->free_pdus);

	CELL_ASSERT(pdu); /* cell_init() provides for the worst case */
	pdu->ends = (struct pkt_queue){ 0 };
	pdu->block = 0;
	pdu->attempt = 0;
	pdu->nack_to_ack = false;
	pdu->dtx = false;
	pdu->soft = (struct bler_soft){ 0 };
	return pdu;
}

struct pdu *cell_block_begin(struct cell *c)
{
	struct pdu *pdu = cell_pdu_alloc(c);

	c->block = pdu->block = c->next_block++;
	return pdu;
}

void cell_pdu_free(struct cell *c, struct pdu *pdu)
{
	CELL_ASSERT(!pdu->ends.head);
	pdu_enqueue(&c->limbo_pdus, pdu);
}

static struct harq_process *process_of(struct cell *c, const struct pdu *pdu)
{
	struct ue *u = &c->ue[pdu->ue - 1];

	return pdu->dir == CELL_DIR_DL ? &u->harq_dl[pdu->tb][pdu->harq_id]
	                               : &u->harq_ul[pdu->harq_id];
}

static struct cell_pdu_info describe(struct cell *c, const struct pdu *pdu, const struct grant *g)
{
	const struct ue *u = &c->ue[pdu->ue - 1];

	return (struct cell_pdu_info){
		.dir = pdu->dir,
		.ue = u->id,
		.rnti_type = RNTI_TYPE_C,
		.rnti = u->rnti,
		.crc_ok = pdu->outcome == PDU_DECODED,
		.enb = u->enb,
		.subframe = g->subframe,
		.itbs = g->itbs,
		.mcs = phy_mcs(pdu->dir, g->itbs),
		.n_rb = (uint8_t)g->n_rb,
		.rb_start = (uint8_t)g->rb_start,
		.harq_id = pdu->harq_id,
		.ndi = process_of(c, pdu)->ndi,
		.attempt = pdu->attempt,
		.carrier = (uint8_t)(pdu->tb / c->cfg.dl_codewords),
		.codeword = pdu->tb % c->cfg.dl_codewords,
	};
}

/* Chance that this attempt at @pdu fails, given that those before did. */
static uint32_t fail_q32(const struct cell *c, const struct leg *leg, const struct grant *g,
                         struct pdu *pdu)
{
	if (!c->harq.by_sinr || leg->sinr_cdb == CELL_SINR_UNKNOWN)
		return harq_ladder(&c->harq, pdu);
	return bler_attempt(&pdu->soft, phy_bits(leg->dir, g->itbs), pdu->len * 8,
	                    phy_coded_bits(leg->dir, g->itbs, g->n_rb), leg->sinr_cdb);
}

/* One attempt at sending @pdu: decide how it ends and put it on the air. */
static void attempt(struct cell *c, struct leg *leg, const struct grant *g, struct pdu *pdu)
{
	struct cell_pdu_info info;

	pdu->attempt++;
	pdu->subframe = g->subframe;
	pdu->decode_ns =
		cell_tti_ns(c, g->subframe + c->cfg.decode_tti) - c->cfg.processing_lead_ns;
	pdu->dtx = false;
	if (leg->dir == CELL_DIR_DL && control_missed(c, &c->ue[leg->ue - 1], g->subframe))
		pdu->outcome = (uint8_t)harq_dtx(&c->harq, pdu);
	else
		pdu->outcome = (uint8_t)harq_draw(&c->harq, pdu, fail_q32(c, leg, g, pdu),
		                                  &leg->harq_rng, &leg->feedback_rng);
	if (pdu->attempt == 1 && rng_hit(&leg->loss_rng, leg->bler_q32))
		pdu->outcome = PDU_LOST;
	process_of(c, pdu)->grant = *g;
	info = describe(c, pdu, g);
	out_pdu(c, pdu->buf, pdu->len, &info);
	pdu_enqueue(&c->air[leg->dir == CELL_DIR_DL], pdu);
}

static struct cell_record transmission(const struct cell *c, const struct leg *leg,
                                       const struct grant *g, uint16_t event)
{
	return (struct cell_record){ .event = event,
		                     .node = leg_from(leg),
		                     .peer = leg_to(c, leg),
		                     .sn = g->subframe,
		                     .bytes = g->bytes,
		                     .rb = g->n_rb,
		                     .mcs = phy_mcs(leg->dir, g->itbs) };
}

void cell_transmit(struct cell *c, struct leg *leg, const struct grant *g, struct pdu *pdu,
                   const struct mac_pdu *mac)
{
	struct cell_record r = transmission(c, leg, g, CELL_EV_MAC_TX);

	pdu->first_tti = g->subframe;
	pdu->len = g->bytes;
	pdu->dir = leg->dir;
	pdu->ue = leg->ue;
	pdu->tb = g->tb;
	pdu->cell_change = c->ue[leg->ue - 1].cell_changes;
	/* Synchronous in the uplink: the process follows from the sub-frame. */
	pdu->harq_id =
		leg->dir == CELL_DIR_DL ? g->harq_id : (uint8_t)(g->subframe % HARQ_PROCESSES);
	if (leg->dir != CELL_DIR_DL)
		harq_begin(process_of(c, pdu), g->subframe);
	harq_send_new(process_of(c, pdu));
	c->stats.mac_pdus[leg->dir]++;
	c->stats.mac_bytes[leg->dir] += g->bytes;
	c->stats.mac_padding_bytes[leg->dir] += mac->padding;
	r.value = (int32_t)mac->padding;
	r.aux = g->msg3;
	out_record(c, leg, r);
	out_buffer(c, leg);
	attempt(c, leg, g, pdu);
	c->block = 0;
}

void cell_retransmit(struct cell *c, struct harq_process *process, const struct grant *g)
{
	struct pdu *pdu = process->pdu;
	struct leg *leg = &c->ue[pdu->ue - 1].leg[pdu->dir];
	struct cell_record r = transmission(c, leg, g, CELL_EV_HARQ_TX);

	c->block = pdu->block;
	process->pdu = NULL;
	process->free_tti = g->subframe + HARQ_UL_RTT_TTI;
	c->stats.harq_retx[leg->dir]++;
	r.value = pdu->attempt + 1;
	out_record(c, leg, r);
	attempt(c, leg, g, pdu);
	c->block = 0;
}

static void record_outcome(struct cell *c, const struct leg *leg, const struct pdu *pdu)
{
	static const uint16_t events[] = { [PDU_DECODED] = CELL_EV_MAC_RX,
		                           [PDU_NACK] = CELL_EV_HARQ_NACK,
		                           [PDU_LOST] = CELL_EV_MAC_LOST };
	struct cell_record r = { .event = events[pdu->outcome],
		                 .node = leg_to(c, leg),
		                 .peer = leg_from(leg),
		                 .sn = pdu->subframe,
		                 .bytes = pdu->len };

	if (pdu->outcome == PDU_LOST && c->harq.max_attempts > 1) {
		struct cell_record failure = r;

		c->stats.harq_failures[leg->dir]++;
		failure.event = CELL_EV_HARQ_FAILURE;
		failure.value = pdu->attempt;
		failure.aux = pdu->dtx ? AUX_DTX : pdu->nack_to_ack;
		out_record(c, leg, failure);
	}
	if (pdu->outcome == PDU_NACK) {
		r.value = pdu->attempt;
		r.aux = pdu->dtx ? AUX_DTX : 0;
	}
	out_record(c, leg, r);
}

/* What a decoded MAC PDU holds goes to the eNB and to the leg's RLC. */
static void deliver(struct cell *c, struct leg *leg, struct pdu *pdu)
{
	struct mac_pdu mac;

	CELL_ASSERT(mac_unpack(&mac, pdu->buf, pdu->len) == 0);
	if (mac.bsr.present &&
	    (leg->dir == CELL_DIR_UL || (leg->dir == CELL_DIR_SL && c->cfg.enb_overhears_dm)))
		enb_bsr(c, &c->ue[pdu->ue - 1], &mac.bsr, pdu->first_tti);
	for (uint32_t i = 0; i < mac.n_sdus && pdu->epoch == leg->epoch; i++)
		bearer_receive(c, leg, pdu->buf + mac.sdu[i].off, mac.sdu[i].len, &pdu->ends);
}

static void decode(struct cell *c, struct pdu *pdu)
{
	struct leg *leg = &c->ue[pdu->ue - 1].leg[pdu->dir];
	struct harq_process *process = process_of(c, pdu);

	if (pdu->cell_change != c->ue[pdu->ue - 1].cell_changes) {
		cell_pdu_free(c, pdu); /* the UE left the cell before */
		return;
	}
	if (pdu->outcome == PDU_ABSENT) {
		enb_absent(c, pdu);
		cell_pdu_free(c, pdu);
		return;
	}
	record_outcome(c, leg, pdu);
	if (pdu->outcome == PDU_NACK) {
		harq_wait(process, pdu,
		          pdu->dir == CELL_DIR_DL ? c->harq.dl_rtt_tti : HARQ_UL_RTT_TTI);
		return;
	}
	harq_end(process);
	if (pdu->outcome == PDU_LOST) {
		c->stats.mac_lost[leg->dir]++;
		out_drop_all(c, &pdu->ends, leg, CELL_DROP_RADIO_LOSS);
	} else {
		deliver(c, leg, pdu);
	}
	cell_pdu_free(c, pdu);
}

void cell_decode(struct cell *c, struct pdu *pdu)
{
	c->block = pdu->block;
	decode(c, pdu);
	c->block = 0;
}
