/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.c - modelled UEs of LTE that only load the scheduler; see crowd.h and mac/common/crowd.h.
 *
 * What a member has to send in the uplink the eNB knows at once, without random access and BSRs.
 * Where blocks that are sent again find too few resource blocks the rest waits, in the uplink for a
 * round trip as HARQ is synchronous there.
 */
#include "ran/lte/crowd.h"

#include "phy/lte/phy.h"
#include "ran/lte/control.h"

#define CROWD_DIRS 2 /* CELL_DIR_UL, CELL_DIR_DL */

/* Blocks of a sub-frame, each with resource blocks of its own. */
static uint32_t blocks(const struct cell_cfg *cfg, uint8_t dir)
{
	return dir == CELL_DIR_UL ? cfg->lte.ul_carriers : lte_tbs_dl(cfg);
}

static uint32_t blocks_of_both(const struct cell_cfg *cfg)
{
	return blocks(cfg, CELL_DIR_UL) + blocks(cfg, CELL_DIR_DL);
}

struct crowd_memory lte_crowd_take(struct arena *a, const struct cell_cfg *cfg)
{
	return crowd_take(a, cfg, CROWD_DIRS, blocks_of_both(cfg));
}

void lte_crowd_init(struct lte *lte, struct enb *enb)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t *again = lte->crowd.again + enb->id * blocks_of_both(cfg) * CROWD_AGAIN;

	for (uint8_t dir = 0; dir < CROWD_DIRS; dir++) /* the uplink's is the first */
		crowd_init(&enb->crowd[dir], cfg, &lte->cell.stats, &lte->crowd,
		           (uint32_t)CROWD_DIRS * enb->id + dir,
		           again + dir * blocks(cfg, CELL_DIR_UL) * CROWD_AGAIN, blocks(cfg, dir),
		           dir, enb->id, lte->cell.start_ns);
}

void lte_crowd_arrive(struct lte *lte, struct enb *enb)
{
	for (uint8_t dir = 0; dir < CROWD_DIRS; dir++)
		crowd_arrive(&enb->crowd[dir], &lte->cell.cfg, &lte->cell.stats,
		             lte->cell.event_ns);
}

void lte_crowd_retransmit(struct lte *lte, struct crowd *crowd, uint32_t subframe, uint8_t stream,
                          struct rb_budget *rb)
{
	uint32_t wait_tti = crowd->dir == CELL_DIR_UL ? HARQ_UL_RTT_TTI : 1;

	rb_reserve(rb, crowd_again(crowd, &lte->cell.stats, stream, subframe, rb->free, wait_tti));
}

/* What formats are of. */
struct carrier {
	const struct cell_cfg *cfg;
	enum cell_dir dir;
};

static uint8_t format(const void *of, uint8_t cqi)
{
	const struct carrier *carrier = of;

	return phy_itbs(carrier->dir, cqi, control_symbols(carrier->cfg));
}

static uint8_t level(const void *of, uint8_t cqi)
{
	return control_level(((const struct carrier *)of)->cfg, cqi);
}

static uint32_t rate(const void *of, uint8_t itbs)
{
	return phy_tbs(itbs, ((const struct carrier *)of)->cfg->lte.n_rb);
}

uint32_t lte_crowd_flows(struct lte *lte, struct crowd *crowd, uint32_t tti, struct sched_flow *ret)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	const struct carrier carrier = { .cfg = cfg, .dir = (enum cell_dir)crowd->dir };
	const struct crowd_formats formats = {
		.of = &carrier, .format = format, .rate = rate, .level = level
	};
	uint32_t epoch = cfg->crowd.cqi_period_ms ? tti / cfg->crowd.cqi_period_ms : 0;

	return crowd_flows(crowd, cfg, epoch, lte->cell.event_ns, 2u * cfg->n_ue, &formats, ret);
}

uint32_t lte_crowd_issue(struct lte *lte, struct crowd *crowd, const struct sched_flow *f,
                         struct rb_budget *rb, uint32_t subframe, uint8_t stream)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t m = f->id - 2u * cfg->n_ue, bytes, overhead;
	uint32_t want = grant_wanted(f->backlog, cfg->lte.mac.grants_ignore_headers);
	uint32_t rtt_tti = crowd->dir == CELL_DIR_UL ? HARQ_UL_RTT_TTI : cfg->harq.dl_rtt_tti;
	uint8_t itbs = crowd->member[m].format;
	uint16_t n_rb;

	n_rb = phy_rb_needed((enum cell_dir)crowd->dir, itbs, want, rb->free);
	bytes = phy_tbs(itbs, n_rb);
	overhead = grant_overhead(bytes);
	if (bytes <= overhead)
		return 0;
	bytes = bytes >= want ? f->backlog : bytes - overhead;
	rb_reserve(rb, n_rb);
	crowd_granted(crowd, cfg, &lte->cell.stats, m, bytes, n_rb, stream, subframe, rtt_tti,
	              lte->cell.event_ns);
	return bytes;
}

/* The first one from @from in which @crowd has something to do. */
static uint32_t next_tti(const struct lte *lte, const struct crowd *crowd, uint32_t from)
{
	int64_t tti;

	if (crowd->n_waiting || crowd->again_rb)
		return from;
	if (crowd->next_ns == CELL_NEVER)
		return TTI_NEVER;
	tti = (crowd->next_ns - lte->cell.start_ns + CELL_TTI_NS - 1) / CELL_TTI_NS;
	if (tti >= TTI_NEVER)
		return TTI_NEVER;
	return tti > from ? (uint32_t)tti : from;
}

uint32_t lte_crowd_next_tti(const struct lte *lte, uint32_t from)
{
	uint32_t first = TTI_NEVER;

	for (uint8_t k = 0; lte->cell.cfg.crowd.count && k < lte->cell.cfg.n_enb; k++)
		for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
			uint32_t tti = next_tti(lte, &lte->enb[k].crowd[dir], from);

			first = tti < first ? tti : first;
		}
	return first;
}
