/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.c - dedicated channels of the UTRAN before anything happens on them: what may be
 * configured, the memory that it takes, and how each channel starts; see link.h. */
#include "ran/utran/link.h"

#define NS_PER_MS INT64_C(1000000)
#define LCID      5 /* radio bearer, in the trace and in the capture */

/* Transport blocks of a TTI at @rate_bps; 0 when that is no whole number. */
static uint32_t pdus_at(const struct cell_utran_cfg *cfg, uint32_t rate_bps)
{
	uint64_t bits = (uint64_t)rate_bps * cfg->tti_ms; /* times 1000 */
	uint32_t tb = 8000u * cfg->pdu_bytes;

	return bits % tb ? 0 : (uint32_t)(bits / tb);
}

static bool fits(uint32_t pdus)
{
	return pdus >= 1 && pdus <= UTRAN_PDUS_MAX;
}

const char *utran_check(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "10, 20, 40 or 80";
	if (cfg->utran.tti_ms != 10 && cfg->utran.tti_ms != 20 && cfg->utran.tti_ms != 40 &&
	    cfg->utran.tti_ms != 80)
		return "utran.tti_ms";
	*ret_range = "1..64 whole PDUs in a TTI";
	if (!fits(pdus_at(&cfg->utran, cfg->utran.ul_rate_bps)))
		return "utran.ul_rate_bps";
	if (!fits(pdus_at(&cfg->utran, cfg->utran.dl_rate_bps)))
		return "utran.dl_rate_bps";
	return independent_check(cfg, ret_range);
}

/* Blocks of a TTI, both ways. */
static uint32_t tti_blocks(const struct cell_utran_cfg *cfg)
{
	return pdus_at(cfg, cfg->ul_rate_bps) + pdus_at(cfg, cfg->dl_rate_bps) +
	       (cfg->status == CELL_STATUS_CHANNEL ? 2 : 0);
}

size_t utran_out_min(const struct cell_cfg *cfg)
{
	return tti_blocks(&cfg->utran) * (RLC_UTRAN_CUTS_MAX + 8) + (size_t)cfg->max_pkts * 4 + 64;
}

struct cell *utran_lay_out(struct arena *a, const struct cell_cfg *cfg,
                           const struct independent_kind *kind)
{
	/* Of a UE on the air, or in outputs of one advance; and of all its windows. */
	size_t n_blocks =
		tti_blocks(&cfg->utran) * (size_t)(cfg->utran.delay_ms / cfg->utran.tti_ms + 8);
	size_t n_rlc = 2 * (2 * (size_t)cfg->utran.tx_window_pdus + 2);
	struct utran *utran = (struct utran *)independent_lay_out(a, cfg, kind, sizeof(*utran));
	struct rlc_pdu **window =
		arena_take(a, (size_t)cfg->n_ue * UTRAN_WINDOW_SLOTS, sizeof(*window));
	struct tb *tb = arena_take(a, n_blocks *= cfg->n_ue, sizeof(*tb));
	uint8_t *tb_buf = arena_take(a, n_blocks, cfg->utran.pdu_bytes);
	struct rlc_pdu *rlc_pdu = arena_take(a, n_rlc *= cfg->n_ue, sizeof(*rlc_pdu));
	uint8_t *rlc_data = arena_take(a, n_rlc, cfg->utran.pdu_bytes);

	if (!utran)
		return NULL;
	*utran = (struct utran){
		.independent = utran->independent,
		.window = window,
		.rlc_pool = { .data_max = cfg->utran.pdu_bytes,
		              .fresh = rlc_pdu,
		              .fresh_data = rlc_data,
		              .n_fresh = (uint32_t)n_rlc },
	};
	tb_pool_init(&utran->blocks, tb, n_blocks, tb_buf, cfg->utran.pdu_bytes);
	return &utran->independent.cell;
}

static void init_dch(struct utran_dch *l, struct utran_link *u, enum cell_dir dir,
                     struct rlc_pdu **windows)
{
	const struct cell_cfg *cfg = &u->link.cell->cfg;
	const struct rlc_utran_cfg rlc = {
		.pdu_size = cfg->utran.pdu_bytes,
		.window = cfg->utran.tx_window_pdus,
		.max_dat = cfg->utran.max_dat,
		.poll_pdu = cfg->utran.poll_pdu,
		.poll_window = cfg->utran.poll_window_percent,
		.timer_poll_ns = cfg->utran.timer_poll_ms * NS_PER_MS,
		.timer_mrw_ns = cfg->utran.timer_mrw_ms * NS_PER_MS,
		.timer_status_prohibit_ns = cfg->utran.timer_status_prohibit_ms * NS_PER_MS,
		.queue_limit = cfg->utran.queue_pkts,
	};
	bool dl = dir == CELL_DIR_DL;

	*l = (struct utran_dch){
		.bler_q32 = dl ? cfg->utran.bler_dl_q32 : cfg->utran.bler_ul_q32,
		.tti_pdus = (uint16_t)pdus_at(&cfg->utran,
		                              dl ? cfg->utran.dl_rate_bps : cfg->utran.ul_rate_bps),
	};
	rng_init(&l->loss_rng, cfg->seed, dl ? "loss-dl" : "loss-ul", u->link.ue);
	rlc_utran_tx_init(&l->tx, &rlc, windows, &utran_of(u)->rlc_pool);
	rlc_utran_rx_init(&l->rx, &rlc, windows + RLC_UTRAN_SLOTS, windows, &utran_of(u)->rlc_pool);
}

void utran_init(struct independent_link *link)
{
	struct utran_link *u = (struct utran_link *)link;
	const struct cell *c = link->cell;
	struct rlc_pdu **windows = utran_of(u)->window + (link->ue - 1) * UTRAN_WINDOW_SLOTS;

	*u = (struct utran_link){
		.link = *link,
		.tti_ns = c->cfg.utran.tti_ms * NS_PER_MS,
		.delay_ns = c->cfg.utran.delay_ms * NS_PER_MS,
		.next_tti_ns = c->start_ns,
	};
	for (uint8_t d = 0; d < 2; d++) {
		u->at[d] = (struct out_at){ .from = d == CELL_DIR_UL ? link->ue : CELL_NODE_ENB,
			                    .to = d == CELL_DIR_DL ? link->ue : CELL_NODE_ENB,
			                    .dir = d,
			                    .lcid = LCID };
		init_dch(&u->dch[d], u, (enum cell_dir)d, windows + 2 * d * RLC_UTRAN_SLOTS);
	}
}

bool utran_has_room(const struct utran *utran)
{
	return tb_pool_has(&utran->blocks, tti_blocks(&utran->independent.cell.cfg.utran));
}
