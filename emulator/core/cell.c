/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.c - public entry points and the event loop; see cellcore.h.
 *
 * cell_push() and cell_apply() only put packets and commands into queues with their times.
 * cell_advance() takes one event after the other until its time, sets the clock to it, and has it
 * processed by the radio access network (ran/ran.h). It stops early when the caller's array has no
 * room left for what one more event can put out. Packets that left stay valid until the next call,
 * on the list `limbo_pkts`.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/out.h"
#include "event.h"
#include "ran/networks.h"

struct layout {
	struct cell *cell;
	struct waiting_cmd *cmd;
	struct pkt *pkt;
};

static size_t lay_out(struct layout *l, void *mem, const struct cell_cfg *cfg)
{
	struct arena a = { .base = mem };

	l->cell = ran_of(cfg->system)->lay_out(&a, cfg);
	l->cmd = arena_take(&a, cfg->max_cmds, sizeof(*l->cmd));
	l->pkt = arena_take(&a, cfg->max_pkts, sizeof(*l->pkt));
	return a.used;
}

size_t cell_size(const struct cell_cfg *cfg)
{
	struct layout l;

	return lay_out(&l, NULL, cfg);
}

size_t cell_out_min(const struct cell_cfg *cfg)
{
	return ran_of(cfg->system)->out_min(cfg);
}

int cell_init(struct cell **ret, void *mem, size_t size, const struct cell_cfg *cfg,
              int64_t start_ns)
{
	const char *field, *range;
	struct layout l;

	if (cell_cfg_check(cfg, &field, &range) < 0)
		return -EINVAL;
	if (size < cell_size(cfg))
		return -ENOMEM;
	(void)lay_out(&l, mem, cfg);
	*l.cell = (struct cell){
		.cfg = *cfg,
		.ran = ran_of(cfg->system),
		.home = l.cell,
		.start_ns = start_ns,
		.now_ns = start_ns,
		.event_ns = start_ns,
		.next_pkt_id = 1,
		.cmd = l.cmd,
		.fresh_pkts = l.pkt,
		.n_fresh_pkts = cfg->max_pkts,
	};
	l.cell->ran->init(l.cell);
	*ret = l.cell;
	return 0;
}

/* The caller has used the outputs of its last call. */
static void release_limbo(struct cell *c)
{
	pkt_queue_move(&c->free_pkts, &c->limbo_pkts);
	c->ran->release(c);
}

static bool port_exists(const struct cell *c, uint8_t port)
{
	uint8_t ue = port & (uint8_t)~CELL_PORT_NETWORK;

	if (port == CELL_PORT_SGW || out_port_is_enb(port))
		return c->cfg.gtpu.sgw_addr && port < CELL_PORT_ENB(c->cfg.n_enb);
	if (ue < 1 || ue > c->cfg.n_ue)
		return false;
	return !(port & CELL_PORT_NETWORK) ||
	       (c->cfg.ue[ue - 1].peer == CELL_PEER_NETWORK && !c->cfg.gtpu.sgw_addr);
}

static size_t mtu_of(uint8_t port)
{
	return port == CELL_PORT_SGW || out_port_is_enb(port) ? CELL_MTU_MAX : CELL_UE_MTU_MAX;
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
	p = base_pkt_alloc(c);
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

static const struct cell_cmd *next_command(struct cell *c)
{
	const struct cell_cmd *cmd = &c->cmd[c->cmd_first].cmd;

	c->cmd_first = (c->cmd_first + 1) % c->cfg.max_cmds;
	c->n_cmds--;
	return cmd;
}

static void process(struct cell *c, const struct event *e)
{
	c->event_ns = e->t_ns;
	switch (e->kind) {
	case EVENT_ARRIVAL:
		c->ran->ingress(c, pkt_dequeue(&c->arrivals));
		break;
	case EVENT_COMMAND:
		c->ran->apply(c, next_command(c));
		break;
	case EVENT_RAN:
		c->ran->process(c);
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
		if (c->out_cap - c->out_n < burst ||
		    !c->ran->has_room(c, e.kind == EVENT_COMMAND)) {
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
	return cmd->ue >= 1 && cmd->ue <= c->cfg.n_ue && c->ran->allows && c->ran->allows(c, cmd);
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
	if (c->ran->stats)
		c->ran->stats(c, ret);
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
	c->ran->empty(c);
	check_conservation(c);
	CELL_ASSERT(c->n_pkts == 0);
	*ret_n = c->out_n;
	c->out = NULL;
	return 0;
}

uint64_t cell_digest(const struct cell *c)
{
	uint64_t h = DIGEST_START;

	digest_mix(&h, c->stats.pkts_in);
	digest_mix(&h, c->stats.pkts_delivered);
	digest_mix(&h, c->n_pkts);
	digest_mix_queue(&h, &c->arrivals);
	c->ran->digest(c, &h);
	return h;
}
