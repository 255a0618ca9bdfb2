/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * en_dc.c - EN-DC as the core's entry points see it; see state.h.
 *
 * Of one time what arrives by X2 comes first, then timers of UEs, then LTE and NR. After each event
 * PDCP looks whether a cell group wants what waits there.
 */
#include "base/digest.h"
#include "ran/en_dc/check.h"
#include "ran/en_dc/parts.h"
#include "ran/en_dc/scg.h"
#include "ran/en_dc/split.h"
#include "ran/ran.h"

static const struct cell_above above = { .receive = split_receive, .failed = scg_failed };

static struct cell *lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	struct en_dc *n = arena_take(a, 1, sizeof(*n));
	struct en_dc_ue *ue = arena_take(a, cfg->n_ue, sizeof(*ue));
	struct heap due = heap_take(a, cfg->n_ue);
	uint64_t *words = arena_take(a, split_words(cfg) * cfg->n_ue, sizeof(*words));
	struct lte *lte;
	struct nr *nr;

	parts_lay_out(a, cfg, &lte, &nr);
	if (!n)
		return NULL;
	*n = (struct en_dc){ .lte = lte, .nr = nr, .ue = ue, .due = due, .pdcp_words = words };
	return &n->cell;
}

/* --- events --- */

/* Random access to the gNB ends in NR, which does not say so: it is looked at after each event. */
static void update_timers(struct en_dc *n)
{
	struct ue_set again = { 0 };

	for (uint8_t i = ue_set_next(&n->touched, 0); i != UINT8_MAX;
	     i = ue_set_next(&n->touched, i + 1u)) {
		int64_t split_ns = split_next_ns(n, &n->ue[i]), scg_ns = scg_next_ns(n, &n->ue[i]);

		heap_set(&n->due, i, en_dc_earlier(split_ns, scg_ns));
		if (n->ue[i].scg.state == SCG_ACCESS)
			ue_set_add(&again, i);
	}
	n->touched = again;
}

/* Something happened. */
static void update(struct en_dc *n)
{
	for (uint8_t i = ue_set_next(&n->waits, 0); i != UINT8_MAX;
	     i = ue_set_next(&n->waits, i + 1u))
		split_feed(n, &n->ue[i]);
	parts_update(n);
	update_timers(n);
}

static void init(struct cell *c)
{
	struct en_dc *n = en_dc_of(c);

	heap_init(&n->due, c->cfg.n_ue);
	c->cfg.handover.link_failure.on = c->cfg.en_dc.scg.on && c->cfg.en_dc.scg.link_failure;
	parts_init(n, &above);
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		n->ue[i] = (struct en_dc_ue){ .id = (uint8_t)(i + 1) };
		split_init(n, &n->ue[i], n->pdcp_words + i * split_words(&c->cfg));
		scg_init(n, &n->ue[i]);
		en_dc_touch(n, n->ue[i].id);
		nr_touch(n->nr, n->ue[i].id);
	}
	update(n);
}

static void ingress(struct cell *c, struct pkt *p)
{
	struct en_dc *n = en_dc_of(c);

	parts_at(n);
	split_ingress(n, p);
	update(n);
}

static bool allows(const struct cell *c, const struct cell_cmd *cmd)
{
	switch (cmd->type) {
	case CELL_CMD_CHANNEL:
		return cmd->dir < CELL_DIR_SL && cmd->cqi <= 15 && cmd->enb < c->cfg.n_enb;
	case CELL_CMD_MEASURE:
		return cmd->enb < c->cfg.n_enb && cmd->rsrp_cdbm >= CELL_RSRP_MIN_CDBM &&
		       cmd->rsrp_cdbm <= CELL_RSRP_MAX_CDBM;
	case CELL_CMD_FLUSH:
		return true;
	default:
		return false;
	}
}

static void change_channel(struct en_dc *n, struct en_dc_ue *u, struct cell_cmd cmd)
{
	bool gnb = cmd.enb == CELL_EN_DC_GNB;

	cmd.enb = 0;
	if (!gnb) {
		ran_lte.apply(&n->lte->cell, &cmd);
		return;
	}
	ran_nr.apply(&n->nr->cell, &cmd);
	if (cmd.dir == CELL_DIR_DL)
		scg_channel(n, u,
		            (struct link_quality){ .sinr_cdb = cmd.sinr_cdb, .cqi = cmd.cqi });
}

static void apply(struct cell *c, const struct cell_cmd *cmd)
{
	struct en_dc *n = en_dc_of(c);
	struct en_dc_ue *u = &n->ue[cmd->ue - 1];

	parts_at(n);
	if (cmd->type == CELL_CMD_CHANNEL)
		change_channel(n, u, *cmd);
	else if (cmd->type == CELL_CMD_FLUSH)
		split_flush(n, u);
	else if (cmd->enb == CELL_EN_DC_GNB)
		scg_measured(n, u, cmd->rsrp_cdbm);
	update(n);
}

/* Of timers, and of what is on its way by X2. */
static int64_t own_next_ns(const struct en_dc *n)
{
	return en_dc_earlier(split_x2_next_ns(n), heap_first(&n->due).t_ns);
}

static int64_t next(const struct cell *c)
{
	const struct en_dc *n = en_dc_of(c);

	return en_dc_earlier(own_next_ns(n), parts_next_ns(n));
}

static bool has_room(const struct cell *c, bool command)
{
	const struct en_dc *n = en_dc_of(c);

	return ran_lte.has_room(&n->lte->cell, command) && ran_nr.has_room(&n->nr->cell, command);
}

static void process(struct cell *c)
{
	struct en_dc *n = en_dc_of(c);

	parts_at(n);
	if (split_x2_next_ns(n) == c->event_ns) {
		split_x2_arrive(n);
	} else if (heap_first(&n->due).t_ns == c->event_ns) {
		struct en_dc_ue *u = &n->ue[heap_first(&n->due).id];

		scg_expire(n, u);
		split_expire(n, u);
		en_dc_touch(n, u->id);
	} else {
		parts_process(n);
	}
	update(n);
}

/* --- what is asked --- */

/* What waits in PDCP goes on at some event before what is in the cell groups leaves. */
static int64_t next_output(const struct cell *c)
{
	const struct en_dc *n = en_dc_of(c);

	if (ue_set_next(&n->waits, 0) != UINT8_MAX)
		return next(c);
	return en_dc_earlier(own_next_ns(n), en_dc_earlier(ran_lte.next_output(&n->lte->cell),
	                                                   ran_nr.next_output(&n->nr->cell)));
}

static int64_t transit_min(const struct cell *c)
{
	const struct en_dc *n = en_dc_of(c);

	return en_dc_earlier(ran_lte.transit_min(&n->lte->cell), ran_nr.transit_min(&n->nr->cell));
}

static int64_t slot_ns(const struct cell *c)
{
	return ran_nr.slot_ns(&en_dc_of(c)->nr->cell);
}

static void release(struct cell *c)
{
	ran_lte.release(&en_dc_of(c)->lte->cell);
	ran_nr.release(&en_dc_of(c)->nr->cell);
}

static void empty(struct cell *c)
{
	struct en_dc *n = en_dc_of(c);
	struct pkt_queue held = { 0 };

	parts_at(n);
	split_empty(n, &held);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
	ran_lte.empty(&n->lte->cell);
	ran_nr.empty(&n->nr->cell);
}

static void digest(const struct cell *c, uint64_t *h)
{
	const struct en_dc *n = en_dc_of(c);

	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		split_digest(&n->ue[i], h);
		scg_digest(&n->ue[i], h);
	}
	for (int d = 0; d < 2; d++)
		digest_mix_queue(h, &n->x2[d]);
	ran_lte.digest(&n->lte->cell, h);
	ran_nr.digest(&n->nr->cell, h);
}

/* Counters are numbers of 64 bits, all of them. */
static void add(struct cell_stats *to, const struct cell_stats *from)
{
	uint64_t *sum = (uint64_t *)to;
	const uint64_t *more = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sum); i++)
		sum[i] += more[i];
}

static void stats(const struct cell *c, struct cell_stats *ret)
{
	add(ret, &en_dc_of(c)->lte->cell.stats);
	add(ret, &en_dc_of(c)->nr->cell.stats);
}

const struct ran ran_en_dc = {
	.check = en_dc_check,
	.out_min = parts_out_min,
	.lay_out = lay_out,
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
	.stats = stats,
};
