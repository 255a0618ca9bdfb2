/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell.c - event loop and public entry points; see cellcore.h. */
#include "cell.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "event.h"
#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

/* The caller has used the outputs of its last call. */
static void release_limbo(struct cell *c)
{
	struct pdu *pdu;

	pkt_queue_move(&c->free_pkts, &c->limbo_pkts);
	while ((pdu = pdu_dequeue(&c->limbo_pdus)))
		pdu_enqueue(&c->free_pdus, pdu);
}

static bool port_exists(const struct cell *c, uint8_t port)
{
	uint8_t ue = port & (uint8_t)~CELL_PORT_NETWORK;

	if (port == CELL_PORT_SGW || port_is_enb(port))
		return c->cfg.sgw_gtpu_addr && port < CELL_PORT_ENB(c->cfg.n_enb);
	if (ue < 1 || ue > c->cfg.n_ue)
		return false;
	return !(port & CELL_PORT_NETWORK) ||
	       (c->ue[ue - 1].peer == CELL_PEER_NETWORK && !c->cfg.sgw_gtpu_addr);
}

static size_t mtu_of(uint8_t port)
{
	return port == CELL_PORT_SGW || port_is_enb(port) ? CELL_MTU_MAX : CELL_UE_MTU_MAX;
}

int cell_push(struct cell *c, uint8_t port, const void *data, size_t len, uint64_t tag,
              int64_t now_ns)
{
	struct pkt *p;

	if (!port_exists(c, port) || now_ns < c->now_ns)
		return -EINVAL;
	if (len < 1 || len > mtu_of(port))
		return -EMSGSIZE;
	release_limbo(c);
	c->now_ns = now_ns;
	c->stats.pkts_in++;
	c->stats.bytes_in += len;
	p = cell_pkt_alloc(c);
	if (!p) {
		c->stats.pkts_dropped[CELL_DROP_QUEUE_FULL]++;
		return -ENOBUFS;
	}
	pkt_reset(p);
	p->id = c->next_pkt_id++;
	p->tag = tag;
	p->arrival_ns = now_ns;
	p->port = port;
	p->len = (uint16_t)len;
	memcpy(pkt_data(p), data, len);
	c->n_pkts++;
	pkt_enqueue(&c->arrivals, p);
	return 0;
}

static void subframe(struct cell *c, uint32_t tti)
{
	c->tti_next = tti + 1;
	c->stats.ttis_active++;
	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++)
			bearer_discard_expired(c, &c->ue[i].leg[d]);
	enb_subframe(c, tti);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		ue_transmit(c, &c->ue[i], tti);
	enb_transmit(c, tti);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		ue_random_access(c, &c->ue[i], tti);
}

static const struct cell_cmd *next_command(struct cell *c)
{
	const struct cell_cmd *cmd = &c->cmd[c->cmd_first].cmd;

	c->cmd_first = (c->cmd_first + 1) % c->cfg.max_cmds;
	c->n_cmds--;
	return cmd;
}

static void command(struct cell *c, const struct cell_cmd *cmd)
{
	struct ue *u = &c->ue[cmd->ue - 1];

	switch (cmd->type) {
	case CELL_CMD_ROUTE:
		d2d_change_mode(c, u, (enum cell_mode)cmd->mode);
		break;
	case CELL_CMD_PREDICT:
		rrc_predict(c, u, cmd->enb);
		break;
	case CELL_CMD_HANDOVER:
		rrc_handover(c, u, cmd->enb);
		break;
	default:
		enb_cqi(c, &u->leg[cmd->dir], cmd->cqi, cmd->sinr_cdb);
		break;
	}
}

static void arrive(struct cell *c, struct pkt *p)
{
	if (c->utran)
		utran_ingress(c, p);
	else if (c->link)
		opportunity_ingress(c, p);
	else if (p->port == CELL_PORT_SGW)
		epc_ingress(c, p);
	else if (port_is_enb(p->port))
		tunnel_ingress(c, (uint8_t)(p->port - CELL_PORT_ENB(0)), p);
	else
		d2d_ingress(c, p);
}

static void process(struct cell *c, const struct event *e)
{
	c->event_ns = e->t_ns;
	switch (e->kind) {
	case EVENT_ARRIVAL:
		arrive(c, pkt_dequeue(&c->arrivals));
		break;
	case EVENT_COMMAND:
		command(c, next_command(c));
		break;
	case EVENT_RRC:
		rrc_process(c, e->ue);
		break;
	case EVENT_DECODE:
		cell_decode(c, pdu_dequeue(e->air));
		break;
	case EVENT_TIMER:
		bearer_expire(c, e->leg, e->timer);
		break;
	case EVENT_TTI:
		subframe(c, e->tti);
		break;
	case EVENT_UTRAN:
		utran_process(c);
		break;
	case EVENT_LINK:
		opportunity_process(c);
		break;
	case EVENT_NONE:
		break;
	}
}

/* Packets in = packets out + held, counted independently. */
static void check_conservation(const struct cell *c)
{
	uint64_t out = c->stats.pkts_delivered + c->stats.pkts_terminated;

	for (int r = 0; r < CELL_DROP_COUNT; r++)
		out += c->stats.pkts_dropped[r];
	CELL_ASSERT(c->stats.pkts_in + c->stats.pkts_originated == out + c->n_pkts);
	CELL_ASSERT(c->n_fresh_pkts + c->free_pkts.n + c->limbo_pkts.n + c->n_pkts ==
	            c->cfg.max_pkts);
}

/* PDUs that one sub-frame, or TTI, may take. */
static bool pdus_left(const struct cell *c)
{
	uint32_t pdus =
		c->utran ? utran_tti_pdus(c->utran) : (cell_tbs_dl(&c->cfg) + 2u) * c->cfg.n_ue;

	return c->link || c->free_pdus.n >= pdus || c->limbo_pdus.n == 0;
}

/*
 * Handovers make packets: copies and End Markers. Whether there is room for them must not
 * depend on how many outputs the caller has yet to look at.
 */
static bool pkts_left(const struct cell *c, const struct event *e)
{
	bool makes_pkts = e->kind == EVENT_RRC || e->kind == EVENT_COMMAND;

	return !makes_pkts || c->cfg.n_enb == 1 || c->limbo_pkts.n == 0;
}

int cell_advance(struct cell *c, int64_t now_ns, struct cell_out *out, size_t n_out, size_t *ret_n)
{
	size_t burst = cell_out_min(&c->cfg);
	int r = 0;

	if (n_out < burst || now_ns < c->now_ns)
		return -EINVAL;
	release_limbo(c);
	c->now_ns = now_ns;
	c->out = out;
	c->out_n = 0;
	c->out_cap = n_out;
	for (;;) {
		struct event e = event_next(c);

		if (e.t_ns > now_ns)
			break;
		if (c->out_cap - c->out_n < burst || !pdus_left(c) || !pkts_left(c, &e)) {
			r = -EAGAIN;
			break;
		}
		process(c, &e);
#ifndef NDEBUG
		check_conservation(c);
#endif
	}
	*ret_n = c->out_n;
	c->out = NULL;
	c->out_n = 0;
	return r;
}

static bool command_is_valid(const struct cell *c, const struct cell_cmd *cmd)
{
	if (cmd->ue < 1 || cmd->ue > c->cfg.n_ue || c->cfg.system != CELL_SYSTEM_LTE)
		return false;
	switch (cmd->type) {
	case CELL_CMD_ROUTE:
		return cmd->mode == CELL_MODE_IM ||
		       (cmd->mode == CELL_MODE_DM && c->ue[cmd->ue - 1].peer != CELL_PEER_NETWORK);
	case CELL_CMD_CHANNEL:
		return cmd->dir < CELL_DIR_COUNT && cmd->cqi <= 15;
	case CELL_CMD_PREDICT:
	case CELL_CMD_HANDOVER:
		return cmd->enb < c->cfg.n_enb && c->cfg.sgw_gtpu_addr &&
		       c->ue[cmd->ue - 1].peer == CELL_PEER_NETWORK;
	default:
		return false;
	}
}

int cell_apply(struct cell *c, const struct cell_cmd *cmd, int64_t now_ns)
{
	if (now_ns < c->now_ns || !command_is_valid(c, cmd))
		return -EINVAL;
	if (c->n_cmds == c->cfg.max_cmds)
		return -ENOBUFS;
	c->now_ns = now_ns;
	c->cmd[(c->cmd_first + c->n_cmds++) % c->cfg.max_cmds] =
		(struct waiting_cmd){ .t_ns = now_ns, .cmd = *cmd };
	return 0;
}

void cell_stats(const struct cell *c, struct cell_stats *ret)
{
	*ret = c->stats;
	ret->pkts_held = c->n_pkts;
}

int cell_done(struct cell *c, struct cell_out *out, size_t n_out, size_t *ret_n)
{
	if (n_out < cell_out_min(&c->cfg))
		return -EINVAL;
	release_limbo(c);
	c->out = out;
	c->out_n = 0;
	c->out_cap = n_out;
	c->event_ns = c->now_ns;
	out_drop_all(c, &c->arrivals, NULL, CELL_DROP_SHUTDOWN);
	if (c->cfg.system != CELL_SYSTEM_LTE) {
		struct pkt_queue held = { 0 };

		if (c->utran)
			utran_empty(c, &held);
		else
			opportunity_empty(c, &held);
		out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
	}
	for (uint8_t i = 0; i < c->cfg.n_ue && c->cfg.system == CELL_SYSTEM_LTE; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			struct leg *leg = &c->ue[i].leg[d];
			struct pkt_queue held = { 0 };

			bearer_empty(c, leg, true, &held);
			out_drop_all(c, &held, leg, CELL_DROP_SHUTDOWN);
		}
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		struct pkt_queue held = { 0 };

		tunnel_empty(c, &c->ue[i], &held);
		out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
	}
	check_conservation(c);
	CELL_ASSERT(c->n_pkts == 0);
	*ret_n = c->out_n;
	c->out = NULL;
	return 0;
}
