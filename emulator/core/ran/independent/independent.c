/* SPDX-License-Identifier: GPL-2.0-or-later */
/* independent.c - radio networks whose UEs share nothing; see independent.h. */
#include "ran/independent/independent.h"

#include "base/out.h"

static size_t stride(const struct independent_kind *kind)
{
	size_t align = alignof(max_align_t);

	return (kind->bytes + align - 1) / align * align;
}

/* @i: index of its UE */
static struct independent_link *link_at(const struct independent *a, uint32_t i)
{
	return (struct independent_link *)(void *)(a->links + i * stride(a->kind));
}

struct cell *independent_lay_out(struct arena *a, const struct cell_cfg *cfg,
                                 const struct independent_kind *kind, size_t bytes)
{
	struct independent *independent = arena_take(a, 1, bytes);
	struct heap due = heap_take(a, cfg->n_ue);
	uint8_t *links = arena_take(a, cfg->n_ue, stride(kind));

	if (!independent)
		return NULL;
	*independent = (struct independent){ .kind = kind, .due = due, .links = links };
	return &independent->cell;
}

const char *independent_check(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "1 without S-GW, where each UE has a link of its own";
	if (cfg->n_enb != 1 || cfg->gtpu.sgw_addr)
		return "n_enb";
	*ret_range = "the network";
	for (uint8_t i = 0; i < cfg->n_ue; i++)
		if (cfg->ue[i].peer != CELL_PEER_NETWORK)
			return "peer";
	return NULL;
}

void independent_init(struct cell *c)
{
	struct independent *a = independent_of(c);

	heap_init(&a->due, c->cfg.n_ue);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		struct independent_link *l = link_at(a, i);

		*l = (struct independent_link){ .cell = c, .ue = (uint8_t)(i + 1) };
		a->kind->init(l);
	}
}

/* The event of @l is over. */
static void update(struct independent *a, const struct independent_link *l)
{
	heap_set(&a->due, l->ue - 1u, a->kind->next(l));
}

void independent_ingress(struct cell *c, struct pkt *p)
{
	struct independent *a = independent_of(c);
	struct independent_link *l = link_at(a, (p->port & (uint8_t)~CELL_PORT_NETWORK) - 1u);

	a->kind->ingress(l, p);
	update(a, l);
}

bool independent_allows(const struct cell *c, const struct cell_cmd *cmd)
{
	const struct independent *a = independent_of(c);

	return a->kind->allows && a->kind->allows(link_at(a, cmd->ue - 1u), cmd);
}

void independent_apply(struct cell *c, const struct cell_cmd *cmd)
{
	struct independent *a = independent_of(c);
	struct independent_link *l = link_at(a, cmd->ue - 1u);

	a->kind->apply(l, cmd);
	update(a, l);
}

void independent_record(struct cell *c, const struct out_at *at, const struct cell_cmd *cmd)
{
	uint64_t value = cmd->value;

	if (cmd->type == CELL_CMD_LOSS)
		value = (value * 1000000 + UINT32_MAX / 2) / UINT32_MAX;
	out_record(c, at,
	           (struct cell_record){ .event = CELL_EV_CHANNEL,
	                                 .node = at->from,
	                                 .peer = at->to,
	                                 .value = (int32_t)value,
	                                 .aux = (uint8_t)(cmd->type - CELL_CMD_RATE + 1) });
}

int64_t independent_next(const struct cell *c)
{
	return heap_first(&independent_of(c)->due).t_ns;
}

bool independent_has_room(const struct cell *c, bool command)
{
	(void)command;
	return !independent_of(c)->copies || c->limbo_pkts.n == 0;
}

void independent_process(struct cell *c)
{
	struct independent *a = independent_of(c);
	struct independent_link *l = link_at(a, heap_first(&a->due).id);

	a->kind->process(l);
	update(a, l);
}

int64_t independent_next_output(const struct cell *c)
{
	const struct independent *a = independent_of(c);
	int64_t first_ns = CELL_NEVER;

	for (uint32_t i = 0; i < a->due.n; i++) {
		int64_t t_ns = a->kind->next_output(link_at(a, a->due.entry[i].id));

		first_ns = t_ns < first_ns ? t_ns : first_ns;
	}
	return first_ns;
}

int64_t independent_transit_min(const struct cell *c)
{
	(void)c;
	return 0;
}

void independent_release(struct cell *c)
{
	(void)c;
}

void independent_empty(struct cell *c)
{
	struct independent *a = independent_of(c);
	struct pkt_queue held = { 0 };

	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		a->kind->empty(link_at(a, i), &held);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
}

void independent_digest(const struct cell *c, uint64_t *h)
{
	const struct independent *a = independent_of(c);

	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		a->kind->digest(link_at(a, i), h);
}
