/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c - the two networks of EN-DC: their configurations, and their events; see parts.h. */
#include "ran/en_dc/parts.h"

#include "base/rng.h"
#include "ran/lte/event.h"
#include "ran/nr/event.h"
#include "ran/ran.h"

#define NR_FIRST_BLOCK UINT32_C(0x80000000) /* rows of both are in one trace */
#define PKTS_ANY       UINT32_MAX

/* What both are alike in. Queues are those of PDCP, and so is what is dropped there. */
static struct cell_cfg common(const struct cell_cfg *cfg)
{
	struct cell_cfg part = *cfg;

	part.n_enb = 1;
	part.handover = (struct cell_handover_cfg){ 0 }; /* there are none, and no crowds */
	part.crowd = (struct cell_crowd_cfg){ .n_cqi = 1, .cqi = { 15 } };
	part.rlc.queue_pkts = PKTS_ANY;
	part.rlc.queue_bytes = 0;
	part.rlc.queue_ms = 0;
	part.pdcp.discard_timer_ms = 0;
	part.pdcp.status_report = 0;
	return part;
}

static struct cell_cfg of_lte(const struct cell_cfg *cfg)
{
	struct cell_cfg part = common(cfg);

	part.system = CELL_SYSTEM_LTE;
	part.pdcp.sn_bits = 12; /* not used, as in AM this: */
	part.rlc.um.sn_bits = 10;
	return part;
}

/* Draws of both have nothing to do with each other. */
static struct cell_cfg of_nr(const struct cell_cfg *cfg)
{
	struct cell_cfg part = common(cfg);
	struct rng seed;

	rng_init(&seed, cfg->seed, "en-dc-nr", 0);
	part.system = CELL_SYSTEM_NR;
	part.rlc.um.sn_bits = 12;
	part.seed = (uint64_t)rng_u32(&seed) << 32 | rng_u32(&seed);
	for (uint8_t i = 0; i < part.n_ue; i++) {
		struct cell_ue_cfg *u = &part.ue[i];

		u->cqi_ul = u->second_cqi_ul ? u->second_cqi_ul : u->cqi_ul;
		u->cqi_dl = u->second_cqi_dl ? u->second_cqi_dl : u->cqi_dl;
		u->second_cqi_ul = u->second_cqi_dl = 0;
	}
	return part;
}

const char *parts_check(const struct cell_cfg *cfg, const char **ret_range)
{
	struct cell_cfg lte = of_lte(cfg), nr = of_nr(cfg);
	const char *field = ran_lte.check(&lte, ret_range);

	return field ? field : ran_nr.check(&nr, ret_range);
}

/* One event of either, and of packets that wait in PDCP a delivery and its row. */
size_t parts_out_min(const struct cell_cfg *cfg)
{
	struct cell_cfg lte = of_lte(cfg), nr = of_nr(cfg);

	return ran_lte.out_min(&lte) + ran_nr.out_min(&nr) + 2 * (size_t)cfg->max_pkts;
}

void parts_lay_out(struct arena *a, const struct cell_cfg *cfg, struct lte **ret_lte,
                   struct nr **ret_nr)
{
	struct cell_cfg lte = of_lte(cfg), nr = of_nr(cfg);

	*ret_lte = (struct lte *)ran_lte.lay_out(a, &lte);
	*ret_nr = (struct nr *)ran_nr.lay_out(a, &nr);
}

static void start(struct en_dc *n, struct cell *part, const struct cell_cfg *cfg,
                  const struct ran *ran, const struct cell_above *above)
{
	*part = (struct cell){
		.cfg = *cfg,
		.ran = ran,
		.home = &n->cell,
		.above = above,
		.start_ns = n->cell.start_ns,
		.now_ns = n->cell.start_ns,
		.event_ns = n->cell.start_ns,
	};
}

void parts_init(struct en_dc *n, const struct cell_above *above)
{
	struct cell_cfg lte = of_lte(&n->cell.cfg), nr = of_nr(&n->cell.cfg);

	start(n, &n->lte->cell, &lte, &ran_lte, above);
	start(n, &n->nr->cell, &nr, &ran_nr, above);
	n->nr->cell.first_enb = CELL_EN_DC_GNB;
	n->nr->next_block = NR_FIRST_BLOCK;
	ran_lte.init(&n->lte->cell);
	ran_nr.init(&n->nr->cell);
}

int64_t parts_next_ns(const struct en_dc *n)
{
	int64_t lte_ns = n->lte->next.t_ns, nr_ns = n->nr->next.t_ns;

	return lte_ns < nr_ns ? lte_ns : nr_ns;
}

void parts_process(struct en_dc *n)
{
	bool lte = n->lte->next.t_ns <= n->nr->next.t_ns;

	if (lte)
		ran_lte.process(&n->lte->cell);
	else
		ran_nr.process(&n->nr->cell);
}

void parts_update(struct en_dc *n)
{
	lte_event_update(n->lte);
	nr_event_update(n->nr);
}
