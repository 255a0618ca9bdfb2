/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lte.c - an LTE network as the core's entry points see it; see state.h.
 *
 * A packet enters at a UE, at the eNB or, with a core network, at the S-GW or out of a tunnel. A
 * sub-frame is processed from its start in this order: packets whose discardTimer has expired are
 * dropped, eNBs answer preambles and grant blocks of later sub-frames, UEs send on the grants for
 * this one, eNBs send their downlink blocks, and UEs that have data and no grant send preambles.
 * What is sent is decoded by an event of its own, some sub-frames later.
 */
#include "epc/gateway.h"
#include "epc/tunnel.h"
#include "ran/lte/check.h"
#include "ran/lte/d2d.h"
#include "ran/lte/decode.h"
#include "ran/lte/digest.h"
#include "ran/lte/enb.h"
#include "ran/lte/event.h"
#include "ran/lte/failure.h"
#include "ran/lte/heard.h"
#include "ran/lte/init.h"
#include "ran/lte/lch.h"
#include "ran/lte/rrc.h"
#include "ran/lte/ue.h"
#include "ran/ran.h"

/* --- what tunnels need of the radio --- */

static struct epc_bearer bearer_of(struct cell *c, uint8_t ue, uint8_t enb, enum cell_dir dir,
                                   struct pkt *p)
{
	const struct ue *u = &lte_of(c)->ue[ue - 1];
	const struct bearer *b = lte_lch_classify(&u->sch[dir], p);

	(void)enb;
	return (struct epc_bearer){
		.at = &u->sch[dir].at,
		.queue_pkts = b->cfg.rlc.queue_pkts,
		.queued = u->detached ? u->rrc.kept.n : b->rlc.queue->sdus.n,
		.sn_bits = b->rlc.mode->acknowledged ? b->cfg.pdcp.sn_bits : 0,
	};
}

static void send(struct cell *c, uint8_t ue, uint8_t enb, struct pkt *p)
{
	struct ue *u = &lte_of(c)->ue[ue - 1];

	(void)enb;
	if (u->detached) /* its link has failed */
		pkt_enqueue(&u->rrc.kept, p);
	else
		lte_lch_send(lte_of(c), &u->sch[CELL_DIR_DL], p);
}

static void touch(struct cell *c, uint8_t ue)
{
	ue_touch(lte_of(c), ue);
}

static const struct epc_radio epc_radio = { .bearer = bearer_of, .send = send, .touch = touch };

/* --- entry points --- */

static void watch_links(struct lte *lte)
{
	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++) {
		link_watch(&lte->cell, &lte->ue[i].rrc.recovery.radio);
		if (link_on(&lte->cell))
			ue_touch(lte, lte->ue[i].id);
	}
}

static void init(struct cell *c)
{
	lte_init(lte_of(c));
	epc_init(&lte_of(c)->epc, c, &epc_radio);
	gateway_init(&lte_of(c)->epc);
	watch_links(lte_of(c));
	lte_event_update(lte_of(c));
}

static void ingress(struct cell *c, struct pkt *p)
{
	struct lte *lte = lte_of(c);

	if (p->port == CELL_PORT_SGW)
		gateway_ingress(&lte->epc, p);
	else if (out_port_is_enb(p->port))
		tunnel_ingress(&lte->epc, (uint8_t)(p->port - CELL_PORT_ENB(0)), p);
	else
		d2d_ingress(lte, p);
	lte_event_update(lte);
}

static bool allows(const struct cell *c, const struct cell_cmd *cmd)
{
	uint8_t peer = c->cfg.ue[cmd->ue - 1].peer;

	switch (cmd->type) {
	case CELL_CMD_ROUTE:
		return cmd->mode == CELL_MODE_IM ||
		       (cmd->mode == CELL_MODE_DM && peer != CELL_PEER_NETWORK);
	case CELL_CMD_CHANNEL:
		return cmd->dir < CELL_DIR_COUNT && cmd->cqi <= 15 && cmd->enb < c->cfg.n_enb;
	case CELL_CMD_PREDICT:
		if (link_on(c))
			return false;
		return cmd->enb < c->cfg.n_enb && c->cfg.gtpu.sgw_addr && peer == CELL_PEER_NETWORK;
	case CELL_CMD_HANDOVER:
		return cmd->enb < c->cfg.n_enb && c->cfg.gtpu.sgw_addr && peer == CELL_PEER_NETWORK;
	case CELL_CMD_MEASURE:
		return cmd->enb < c->cfg.n_enb && peer == CELL_PEER_NETWORK &&
		       cmd->rsrp_cdbm >= CELL_RSRP_MIN_CDBM && cmd->rsrp_cdbm <= CELL_RSRP_MAX_CDBM;
	case CELL_CMD_FLUSH:
		return true;
	default:
		return false;
	}
}

static void apply(struct cell *c, const struct cell_cmd *cmd)
{
	struct lte *lte = lte_of(c);
	struct ue *u = &lte->ue[cmd->ue - 1];

	switch (cmd->type) {
	case CELL_CMD_ROUTE:
		d2d_change_mode(lte, u, (enum cell_mode)cmd->mode);
		break;
	case CELL_CMD_PREDICT:
		rrc_predict(lte, u, cmd->enb);
		break;
	case CELL_CMD_HANDOVER:
		rrc_handover(lte, u, cmd->enb);
		break;
	case CELL_CMD_MEASURE:
		measure_take(c, &u->measured, u->enb, !u->detached, cmd->enb, cmd->rsrp_cdbm);
		break;
	case CELL_CMD_FLUSH:
		for (int d = 0; d < CELL_DIR_COUNT; d++)
			lte_lch_flush(lte, &u->sch[d]);
		break;
	default:
		u->channel[cmd->enb][cmd->dir] =
			(struct cell_channel){ .cqi = cmd->cqi, .sinr_cdb = cmd->sinr_cdb };
		if (cmd->enb == u->enb)
			heard_channel(lte, &u->sch[cmd->dir], cmd->cqi, cmd->sinr_cdb);
		failure_channel_changed(lte, u);
		break;
	}
	ue_touch(lte, u->id);
	lte_event_update(lte);
}

static int64_t next(const struct cell *c)
{
	return lte_of(c)->next.t_ns;
}

/*
 * Handovers make packets: copies and End Markers. Whether there is room for them must not
 * depend on how many outputs the caller has yet to look at. Nor does it for a sub-frame's PDUs.
 */
static bool has_room(const struct cell *c, bool command)
{
	const struct lte *lte = lte_of(c);

	if (!tb_pool_has(&lte->blocks, (lte_tbs(&c->cfg) + 1) * c->cfg.n_ue))
		return false;
	return c->cfg.n_enb == 1 || c->limbo_pkts.n == 0 ||
	       !(command || lte->next.kind == LTE_EVENT_RRC);
}

/* Of UEs that do something, and of all where modes are selected by them. */
static void take_reports(struct lte *lte, uint32_t tti)
{
	uint16_t select_ms = lte->cell.cfg.lte.mode_switch.select_ms;

	if (select_ms && tti % select_ms == 0)
		for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++)
			heard_reports(lte, &lte->ue[i]);
	FOR_EACH_ACTIVE(lte, i)
	heard_reports(lte, &lte->ue[i]);
}

static void subframe(struct lte *lte, uint32_t tti)
{
	lte->tti_next = tti + 1;
	lte->cell.stats.ttis_active++;
	if (lte->cell.cfg.lte.sr.period_ms)
		lte_event_wake(lte, tti);
	FOR_EACH_ACTIVE(lte, i)
	for (int d = 0; d < CELL_DIR_COUNT; d++)
		lte_lch_discard_expired(lte, &lte->ue[i].sch[d]);
	if (reports_on(&lte->cell.cfg))
		take_reports(lte, tti);
	enb_subframe(lte, tti);
	FOR_EACH_ACTIVE(lte, i)
	ue_transmit(lte, &lte->ue[i], tti);
	enb_transmit(lte, tti);
	FOR_EACH_ACTIVE(lte, i)
	{
		ue_random_access(lte, &lte->ue[i], tti);
		ue_touch(lte, lte->ue[i].id);
	}
}

static void expire(struct lte *lte)
{
	struct pdcp_out up = { 0 };
	struct bearer *b = lte_next_timer(lte);

	bearer_expire(lte, b, &up);
	d2d_forward(lte, b->sch, &up);
}

static void process(struct cell *c)
{
	struct lte *lte = lte_of(c);

	switch (lte->next.kind) {
	case LTE_EVENT_RRC:
		rrc_process(lte, lte_next_rrc(lte));
		break;
	case LTE_EVENT_DECODE:
		decode_block(lte, lte_next_decoded(lte));
		break;
	case LTE_EVENT_TIMER:
		expire(lte);
		break;
	case LTE_EVENT_TTI:
		subframe(lte, lte->next.tti);
		break;
	case LTE_EVENT_NONE:
		break;
	}
	lte_event_update(lte);
}

static int64_t next_output(const struct cell *c)
{
	return lte_next_output(lte_of(c));
}

static int64_t transit_min(const struct cell *c)
{
	if (c->cfg.gtpu.sgw_addr)
		return 0;
	return c->cfg.lte.timing.decode_tti * CELL_TTI_NS - c->cfg.lte.timing.processing_lead_ns;
}

static void release(struct cell *c)
{
	tb_pool_release(&lte_of(c)->blocks);
}

static void empty(struct cell *c)
{
	struct lte *lte = lte_of(c);
	struct pkt_queue held = { 0 };

	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			struct lte_sch *sch = &lte->ue[i].sch[d];

			lte_lch_empty(lte, sch, true, &held);
			out_drop_all(c, &held, &sch->at, CELL_DROP_SHUTDOWN);
		}
	epc_empty(&lte->epc, &held);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		pkt_queue_move(&held, &lte->ue[i].rrc.kept);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
}

static void digest(const struct cell *c, uint64_t *h)
{
	lte_digest(lte_of(c), h);
}

const struct ran ran_lte = {
	.check = lte_check,
	.out_min = lte_out_min,
	.lay_out = lte_lay_out,
	.init = init,
	.ingress = ingress,
	.allows = allows,
	.apply = apply,
	.next = next,
	.has_room = has_room,
	.process = process,
	.next_output = next_output,
	.transit_min = transit_min,
	.release = release,
	.empty = empty,
	.digest = digest,
};
