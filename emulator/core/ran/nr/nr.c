/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nr.c - a network of NR as the core's entry points see it; see state.h.
 *
 * A packet enters at a UE, at the gNB or, with a core network, at the UPF or out of a tunnel. A
 * slot is processed from its start in this order: packets whose discardTimer has expired are
 * dropped, the gNB takes what feedback has come, answers preambles and decides on this slot and
 * later ones, UEs send their blocks of this slot, then the gNB its own, and UEs without a grant ask
 * for one. What is sent is decoded by an event of its own.
 */
#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/nr/air.h"
#include "ran/nr/check.h"
#include "ran/nr/decode.h"
#include "ran/nr/digest.h"
#include "ran/nr/drb_tx.h"
#include "ran/nr/event.h"
#include "ran/nr/failure.h"
#include "ran/nr/gnb.h"
#include "ran/nr/init.h"
#include "ran/nr/lch.h"
#include "ran/nr/rrc.h"
#include "ran/nr/ue.h"
#include "ran/ran.h"

static void init(struct cell *c)
{
	nr_init(nr_of(c));
	nr_rrc_init(nr_of(c));
	nr_event_update(nr_of(c));
}

/* At a UE, or at the gNB for one. */
static void enter(struct nr *nr, struct pkt *p)
{
	struct nr_ue *u = nr_link_up(&nr->ue[(p->port & ~CELL_PORT_NETWORK) - 1]);
	struct drb *b = nr_lch_classify(
		&u->sch[p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL], p);

	out_record(&nr->cell, &b->at,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = b->at.from,
	                                 .peer = b->at.to,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	drb_send(nr, b, p);
}

static void ingress(struct cell *c, struct pkt *p)
{
	struct nr *nr = nr_of(c);

	if (p->port == CELL_PORT_SGW)
		gateway_ingress(&nr->epc, p);
	else if (out_port_is_enb(p->port))
		tunnel_ingress(&nr->epc, (uint8_t)(p->port - CELL_PORT_ENB(0)), p);
	else
		enter(nr, p);
	nr_event_update(nr);
}

static bool allows(const struct cell *c, const struct cell_cmd *cmd)
{
	if (cmd->enb >= c->cfg.n_enb)
		return false;
	switch (cmd->type) {
	case CELL_CMD_CHANNEL:
		return cmd->dir < CELL_DIR_SL && cmd->cqi <= 15;
	case CELL_CMD_PREDICT:
		return c->cfg.gtpu.sgw_addr && c->cfg.handover.procedure == CELL_HO_CONDITIONAL;
	case CELL_CMD_HANDOVER:
		return c->cfg.gtpu.sgw_addr;
	case CELL_CMD_MEASURE:
		return cmd->rsrp_cdbm >= CELL_RSRP_MIN_CDBM && cmd->rsrp_cdbm <= CELL_RSRP_MAX_CDBM;
	case CELL_CMD_FLUSH:
		return true;
	default:
		return false;
	}
}

/* The channel of a second cell of a gNB is that of the first. */
static void change_channel(struct nr *nr, struct nr_ue *u, const struct cell_cmd *cmd)
{
	struct nr_sch *sch = &u->sch[cmd->dir];

	u->channel[cmd->enb][cmd->dir] =
		(struct nr_channel){ .cqi = cmd->cqi, .sinr_cdb = cmd->sinr_cdb };
	nr_failure_channel_changed(nr, u);
	if (nr->cell.cfg.n_enb > 1 && cmd->enb != u->cell)
		return;
	nr_air_change_channel(nr, sch, cmd->cqi, cmd->sinr_cdb);
	out_record(&nr->cell, &sch->at,
	           (struct cell_record){ .event = CELL_EV_CHANNEL,
	                                 .node = sch->at.from,
	                                 .peer = sch->at.to,
	                                 .cqi = cmd->cqi,
	                                 .value = sch->sinr_cdb });
	nr_touch(nr, sch->ue);
}

static void flush(struct nr *nr, uint8_t ue)
{
	for (uint8_t i = 0; i < nr->n_ue; i++)
		for (int d = 0; d < 2 && nr->ue[i].id == ue; d++)
			for (uint8_t k = 0; k < nr->ue[i].sch[d].n_drbs; k++)
				drb_flush(nr, &nr->ue[i].sch[d].drb[k]);
}

static void apply(struct cell *c, const struct cell_cmd *cmd)
{
	struct nr *nr = nr_of(c);
	struct nr_ue *u = &nr->ue[cmd->ue - 1];

	switch (cmd->type) {
	case CELL_CMD_PREDICT:
		nr_rrc_prepare(nr, u, cmd->enb);
		break;
	case CELL_CMD_HANDOVER:
		nr_rrc_handover(nr, u, cmd->enb);
		break;
	case CELL_CMD_MEASURE:
		measure_take(c, &u->measured, u->rrc.link->cell, !u->rrc.link->detached, cmd->enb,
		             cmd->rsrp_cdbm);
		break;
	case CELL_CMD_FLUSH:
		flush(nr, cmd->ue);
		break;
	default:
		for (uint8_t i = 0; i < nr->n_ue; i++)
			if (nr->ue[i].id == cmd->ue)
				change_channel(nr, &nr->ue[i], cmd);
		break;
	}
	nr_touch(nr, cmd->ue);
	nr_event_update(nr);
}

static int64_t next(const struct cell *c)
{
	return nr_of(c)->next.t_ns;
}

/* Whether there is memory for the blocks of a slot, and for packets that a handover makes, must not
 * depend on how many outputs the caller has yet to look at. */
static bool has_room(const struct cell *c, bool command)
{
	const struct nr *nr = nr_of(c);
	const struct nr_tb_pool *tbs = &nr->tbs;

	if (tbs->n_limbo > 0 && tbs->used + tbs->n_limbo + nr_blocks_of_event(&c->cfg) > tbs->n)
		return false;
	return c->cfg.n_enb == 1 || c->limbo_pkts.n == 0 ||
	       !(command || nr->next.kind == NR_EVENT_RRC || nr_has_daps(&c->cfg));
}

static void discard(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++)
		for (uint8_t k = 0; k < u->sch[d].n_drbs; k++)
			if (u->sch[d].drb[k].cfg.pdcp.discard_timer_ms > 0)
				drb_discard_expired(nr, &u->sch[d].drb[k]);
}

static void take_reports(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++)
		nr_air_reports(nr, &u->sch[d]);
}

static void process_slot(struct nr *nr, uint32_t slot)
{
	nr->slot_next = slot + 1;
	nr->cell.stats.ttis_active++;
	NR_FOR_EACH_ACTIVE(nr, i)
	discard(nr, &nr->ue[i]);
	if (reports_on(&nr->cell.cfg))
		NR_FOR_EACH_ACTIVE(nr, i)
	take_reports(nr, &nr->ue[i]);
	nr_gnb_slot(nr, slot);
	NR_FOR_EACH_ACTIVE(nr, i)
	nr_ue_transmit(nr, &nr->ue[i], slot);
	nr_gnb_transmit(nr, slot);
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		nr_ue_request(nr, &nr->ue[i], slot);
		nr_touch(nr, (uint8_t)(i + 1));
	}
}

static void process(struct cell *c)
{
	struct nr *nr = nr_of(c);

	switch (nr->next.kind) {
	case NR_EVENT_RRC:
		nr_rrc_process(nr, nr_event_rrc(nr));
		break;
	case NR_EVENT_DECODE:
		nr_decode(nr, nr_event_decoded(nr));
		break;
	case NR_EVENT_TIMER:
		drb_expire(nr, nr_event_timer(nr));
		break;
	case NR_EVENT_SLOT:
		process_slot(nr, nr->next.slot);
		break;
	case NR_EVENT_NONE:
		break;
	}
	nr_event_update(nr);
}

static int64_t next_output(const struct cell *c)
{
	return nr_event_next_output(nr_of(c));
}

static int64_t transit_min(const struct cell *c)
{
	if (c->cfg.gtpu.sgw_addr)
		return 0;
	return nr_event_transit_ns(nr_of(c));
}

static int64_t slot_ns(const struct cell *c)
{
	return nr_of(c)->frame.slot_ns;
}

static void release(struct cell *c)
{
	nr_tb_release(&nr_of(c)->tbs);
}

/* Packets of blocks on the air and in HARQ processes. */
static void empty_blocks(struct nr *nr, struct pkt_queue *held)
{
	for (int d = 0; d < 2; d++)
		for (struct nr_tb *tb = nr->air[d].head; tb; tb = tb->next)
			pkt_queue_move(held, &tb->ends);
	for (uint8_t i = 0; i < nr->n_ue; i++)
		for (int d = 0; d < 2; d++)
			for (uint32_t k = 0; k < NR_HARQ_ALL + 1; k++)
				if (nr->ue[i].sch[d].process[k].tb)
					pkt_queue_move(held, &nr->ue[i].sch[d].process[k].tb->ends);
}

static void empty(struct cell *c)
{
	struct nr *nr = nr_of(c);
	struct pkt_queue held = { 0 };

	empty_blocks(nr, &held);
	epc_empty(&nr->epc, &held);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		pkt_queue_move(&held, &nr->ue[i].rrc.kept);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
	for (uint8_t i = 0; i < nr->n_ue; i++)
		for (int d = 0; d < 2; d++)
			for (uint8_t k = 0; k < nr->ue[i].sch[d].n_drbs; k++) {
				struct drb *b = &nr->ue[i].sch[d].drb[k];

				drb_empty(nr, b, &held);
				out_drop_all(c, &held, &b->at, CELL_DROP_SHUTDOWN);
			}
}

static void digest(const struct cell *c, uint64_t *h)
{
	nr_digest(nr_of(c), h);
}

const struct ran ran_nr = {
	.check = nr_check,
	.out_min = nr_out_min,
	.lay_out = nr_lay_out,
	.init = init,
	.ingress = ingress,
	.allows = allows,
	.apply = apply,
	.next = next,
	.has_room = has_room,
	.process = process,
	.next_output = next_output,
	.transit_min = transit_min,
	.slot_ns = slot_ns,
	.release = release,
	.empty = empty,
	.digest = digest,
};
