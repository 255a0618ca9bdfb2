/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.c - event loop and public entry points; see cellcore.h.
 *
 * Events are arrivals, commands, steps of handovers, decoded PDUs, timers of
 * RLC and PDCP, and sub-frames. The earliest one is next; of several at one time the order is
 * the one of this sentence, so that what arrives with a sub-frame boundary
 * counts in it.
 */
#include "cell.h"

#include <errno.h>
#include <string.h>

#include "cell_assert.h"
#include "opportunity.h"
#include "utran.h"

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

/* First unprocessed sub-frame that begins at or after the last event. */
static uint32_t tti_from(const struct cell *c)
{
	int64_t since = c->event_ns - c->start_ns + CELL_TTI_NS - 1;
	uint32_t tti = since > 0 ? (uint32_t)(since / CELL_TTI_NS) : 0;

	return tti > c->tti_next ? tti : c->tti_next;
}

static uint32_t next_tti(const struct cell *c)
{
	uint32_t from = tti_from(c), next = enb_next_tti(c, from);

	for (uint8_t i = 0; i < c->cfg.n_ue && next > from; i++) {
		uint32_t tti = ue_next_tti(c, &c->ue[i], from);

		if (tti < next)
			next = tti;
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			tti = bearer_discard_tti(c, &c->ue[i].leg[d], from);
			if (tti < next)
				next = tti;
		}
	}
	return next;
}

enum event_kind {
	EVENT_NONE,
	EVENT_ARRIVAL,
	EVENT_COMMAND,
	EVENT_RRC,
	EVENT_DECODE,
	EVENT_TIMER,
	EVENT_TTI,
	EVENT_UTRAN,
	EVENT_LINK,
};

struct event {
	enum event_kind kind;
	int64_t t_ns;
	struct pdu_queue *air;
	struct leg *leg;
	struct ue *ue;
	enum leg_timer timer;
	uint32_t tti;
};

static void earlier(struct event *e, const struct event *candidate)
{
	if (candidate->t_ns < e->t_ns)
		*e = *candidate;
}

/* The timer of @leg that expires first. Runs for all legs before every event. */
static enum leg_timer first_timer(const struct cell *c, const struct leg *leg, int64_t *ret_t_ns)
{
	enum leg_timer first = LEG_T_REORDERING;

	*ret_t_ns = bearer_expiry_ns(c, leg, first);
	for (enum leg_timer t = first + 1; t < LEG_TIMER_COUNT; t++)
		if (bearer_expiry_ns(c, leg, t) < *ret_t_ns) {
			*ret_t_ns = bearer_expiry_ns(c, leg, t);
			first = t;
		}
	return first;
}

/* The timer that expires first; at CELL_NEVER when none runs. */
static struct event next_timer(const struct cell *c)
{
	struct event first = { .kind = EVENT_TIMER, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			int64_t t_ns;
			enum leg_timer timer = first_timer(c, &c->ue[i].leg[d], &t_ns);

			if (t_ns < first.t_ns) {
				first.t_ns = t_ns;
				first.leg = &c->ue[i].leg[d];
				first.timer = timer;
			}
		}
	return first;
}

/* What a handover does next; at CELL_NEVER when there is none. */
static struct event next_rrc(const struct cell *c)
{
	struct event first = { .kind = EVENT_RRC, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < c->cfg.n_ue && c->cfg.n_enb > 1; i++) {
		int64_t t_ns = rrc_next_ns(c, &c->ue[i]);

		if (t_ns < first.t_ns) {
			first.t_ns = t_ns;
			first.ue = &c->ue[i];
		}
	}
	return first;
}

static struct event next_event(const struct cell *c)
{
	struct event e = { .kind = EVENT_NONE, .t_ns = CELL_NEVER }, timer, rrc;
	uint32_t tti;

	if (c->arrivals.head)
		earlier(&e, &(struct event){ .kind = EVENT_ARRIVAL,
		                             .t_ns = c->arrivals.head->arrival_ns });
	if (c->cmd_first != c->cmd_end)
		earlier(&e, &(struct event){ .kind = EVENT_COMMAND,
		                             .t_ns = c->cmd[c->cmd_first % CMDS_MAX].t_ns });
	if (c->utran) {
		earlier(&e, &(struct event){ .kind = EVENT_UTRAN, .t_ns = utran_next(c) });
		return e;
	}
	if (c->link) {
		earlier(&e, &(struct event){ .kind = EVENT_LINK, .t_ns = opportunity_next(c) });
		return e;
	}
	rrc = next_rrc(c);
	earlier(&e, &rrc);
	for (int i = 0; i < 2; i++)
		if (c->air[i].head)
			earlier(&e, &(struct event){ .kind = EVENT_DECODE,
			                             .t_ns = c->air[i].head->decode_ns,
			                             .air = (struct pdu_queue *)&c->air[i] });
	timer = next_timer(c);
	earlier(&e, &timer);
	tti = next_tti(c);
	if (tti != TTI_NEVER)
		earlier(&e, &(struct event){
				    .kind = EVENT_TTI, .tti = tti, .t_ns = cell_tti_ns(c, tti) });
	return e;
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
		command(c, &c->cmd[c->cmd_first++ % CMDS_MAX].cmd);
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

int64_t cell_next(const struct cell *c)
{
	return next_event(c).t_ns;
}

/* When a packet that needs @pdu can leave: at once on the last leg; another
 * uplink PDU first has to lead to a downlink or, by its BSR, to a granted PDU. */
static int64_t output_after(const struct cell *c, const struct pdu *pdu)
{
	const struct cell_cfg *cfg = &c->cfg;
	uint8_t wait_tti = cfg->dl_sched_to_tx_tti < cfg->grant_to_tx_tti ? cfg->dl_sched_to_tx_tti
	                                                                  : cfg->grant_to_tx_tti;

	if (pdu->dir != CELL_DIR_UL || c->ue[pdu->ue - 1].peer == CELL_PEER_NETWORK)
		return pdu->decode_ns;
	return pdu->decode_ns + (wait_tti + cfg->decode_tti) * CELL_TTI_NS;
}

int64_t cell_next_output(const struct cell *c)
{
	struct event e = next_event(c);
	uint32_t tti;
	int64_t bound, rrc_ns;

	if (e.kind == EVENT_ARRIVAL || e.kind == EVENT_COMMAND)
		return e.t_ns; /* may change what comes next */
	if (c->utran)
		return utran_next_output(c);
	if (c->link)
		return opportunity_next_output(c);
	tti = next_tti(c);
	bound = next_timer(c).t_ns;
	rrc_ns = next_rrc(c).t_ns;
	bound = rrc_ns < bound ? rrc_ns : bound;
	if (tti != TTI_NEVER) {
		int64_t t_ns = cell_tti_ns(c, tti + c->cfg.decode_tti) - c->cfg.processing_lead_ns;

		bound = t_ns < bound ? t_ns : bound;
	}
	for (int i = 0; i < 2; i++)
		for (const struct pdu *p = c->air[i].head; p; p = p->next)
			if (output_after(c, p) < bound)
				bound = output_after(c, p);
	return bound;
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
		struct event e = next_event(c);

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
	if (c->cmd_end - c->cmd_first == CMDS_MAX)
		return -ENOBUFS;
	c->now_ns = now_ns;
	c->cmd[c->cmd_end % CMDS_MAX].t_ns = now_ns;
	c->cmd[c->cmd_end++ % CMDS_MAX].cmd = *cmd;
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
