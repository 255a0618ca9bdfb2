/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init.c - the begin of an LTE network, in memory that is taken once; see init.h. */
#include "ran/lte/init.h"

#include "phy/phy.h"

#define NS_PER_MS INT64_C(1000000)

/*
 * MAC PDUs: in a sub-frame a UE has its downlink blocks, an uplink or sidelink
 * block and a RAR. Blocks are on the air or in a HARQ process, of which there
 * are eight of each kind; one advance may not outrun the limbo list.
 */
static size_t pdus_needed(const struct cell_cfg *cfg)
{
	/* With several cells also blocks of the one that the UE has left. */
	size_t ttis = HARQ_PROCESSES + (cfg->n_enb > 1 ? 3u : 2u) * cfg->decode_tti + 8u;

	return (size_t)cfg->n_ue * (lte_tbs_dl(cfg) + 2) * ttis;
}

static uint32_t window_slots(const struct cell_cfg *cfg)
{
	return cfg->rlc_mode == CELL_RLC_AM ? 2 * AM_SLOTS : rlc_um_window_slots(cfg->um_sn_bits);
}

/* RLC PDUs that may wait: half the SNs at a receiver and, in AM, a transmitter. */
static size_t rlc_pdus_needed(const struct cell_cfg *cfg)
{
	return (size_t)cfg->n_ue * CELL_DIR_COUNT * (window_slots(cfg) / 2 + 1);
}

struct cell *lte_lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	size_t n_pdus = pdus_needed(cfg), n_rlc = rlc_pdus_needed(cfg);
	size_t pdu_bytes = phy_tbs(PHY_ITBS_COUNT - 1, cfg->n_rb);
	struct lte *lte = arena_take(a, 1, sizeof(*lte));
	struct ue *ue = arena_take(a, cfg->n_ue, sizeof(*ue));
	struct heap timers = heap_take(a, cfg->n_ue * CELL_DIR_COUNT);
	struct heap ttis = heap_take(a, cfg->n_ue), handovers = heap_take(a, cfg->n_ue);
	struct rlc_pdu **window = arena_take(
		a, (size_t)cfg->n_ue * CELL_DIR_COUNT * window_slots(cfg), sizeof(*window));
	struct pdu *pdu = arena_take(a, n_pdus, sizeof(*pdu));
	uint8_t *pdu_buf = arena_take(a, n_pdus, pdu_bytes);
	struct rlc_pdu *rlc_pdu = arena_take(a, n_rlc, sizeof(*rlc_pdu));
	uint8_t *rlc_data = arena_take(a, n_rlc, pdu_bytes);
	uint8_t *rlc_buf = arena_take(a, 1, pdu_bytes);

	if (!lte)
		return NULL;
	*lte = (struct lte){
		.ue = ue,
		.due_timer = timers,
		.due_tti = ttis,
		.due_rrc = handovers,
		.window = window,
		.next_block = 1,
		.rlc_buf = rlc_buf,
		.rlc_pool = { .data_max = (uint16_t)pdu_bytes,
		              .fresh = rlc_pdu,
		              .fresh_data = rlc_data,
		              .n_fresh = (uint32_t)n_rlc },
	};
	pdu_pool_init(&lte->pdus, pdu, n_pdus, pdu_buf, pdu_bytes);
	return &lte->cell;
}

size_t lte_out_min(const struct cell_cfg *cfg)
{
	size_t blocks = (size_t)cfg->n_ue * (lte_tbs_dl(cfg) + 1);
	/* A packet that is forwarded: two rows, a delivery and its row; and the drops. */
	size_t rows = cfg->sgw_gtpu_addr ? 5 : 3;

	return blocks * (RLC_ELEMENTS_MAX + 32) + (size_t)cfg->max_pkts * rows + 64;
}

static uint8_t lcid_of(const struct cell_cfg *cfg, enum cell_dir dir)
{
	uint8_t um = cfg->um_sn_bits == 10 ? LCID_UM_10 : LCID_UM_5;
	uint8_t lcid = cfg->rlc_mode == CELL_RLC_AM ? LCID_AM : um;

	return (uint8_t)(lcid + (dir == CELL_DIR_SL));
}

/* Only handovers make RLC deliver out of order, or twice. */
static enum pdcp_order order_of(const struct cell_cfg *cfg)
{
	if (cfg->n_enb > 1 && cfg->rlc_mode == CELL_RLC_AM)
		return PDCP_ORDER_AM;
	return cfg->pdcp_reordering ? PDCP_ORDER_TIMER : PDCP_ORDER_NONE;
}

static void init_leg(struct leg *leg, const struct cell_cfg *cfg, uint8_t id, enum cell_dir dir)
{
	static const char *const streams[CELL_DIR_COUNT][3] = {
		[CELL_DIR_UL] = { "loss-ul", "harq-ul", "harq-feedback-ul" },
		[CELL_DIR_DL] = { "loss-dl", "harq-dl", "harq-feedback-dl" },
		[CELL_DIR_SL] = { "loss-sl", "harq-sl", "harq-feedback-sl" },
	};
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const uint8_t cqi[] = { u->cqi_ul, u->cqi_dl, u->cqi_sl };
	const uint32_t bler[] = { u->bler_ul_q32, u->bler_dl_q32, u->bler_sl_q32 };

	leg->ue = id;
	leg->rlc_mode = cfg->rlc_mode;
	leg->at = (struct out_leg){
		.from = dir == CELL_DIR_DL ? CELL_NODE_ENB : id,
		.to = dir == CELL_DIR_UL   ? CELL_NODE_ENB
		      : dir == CELL_DIR_DL ? id
		                           : u->peer,
		.dir = (uint8_t)dir,
		.lcid = lcid_of(cfg, dir),
	};
	leg->cqi = cqi[dir];
	leg->sinr_cdb = CELL_SINR_UNKNOWN;
	leg->itbs = phy_itbs(dir, cqi[dir]);
	leg->bler_q32 = bler[dir];
	leg->outage_expiry_ns = CELL_NEVER;
	rng_init(&leg->loss_rng, cfg->seed, streams[dir][0], id);
	rng_init(&leg->harq_rng, cfg->seed, streams[dir][1], id);
	rng_init(&leg->feedback_rng, cfg->seed, streams[dir][2], id);
	pdcp_tx_init(&leg->pdcp_tx, cfg->pdcp_sn_bits);
	pdcp_rx_init(&leg->pdcp_rx, cfg->pdcp_sn_bits, order_of(cfg),
	             cfg->pdcp_t_reordering_ms * NS_PER_MS);
}

static void init_rlc(struct leg *leg, const struct cell_cfg *cfg, struct rlc_pdu **window,
                     struct rlc_pool *pool)
{
	const struct rlc_am_cfg am = {
		.poll_pdu = cfg->am_poll_pdu,
		.poll_byte = cfg->am_poll_byte,
		.max_retx_threshold = cfg->am_max_retx_threshold,
		.t_poll_retransmit_ns = cfg->am_t_poll_retransmit_ms * NS_PER_MS,
		.queue_limit = cfg->rlc_queue_pkts,
	};

	if (leg_is_am(leg)) {
		rlc_am_tx_init(&leg->am.tx, &am, window, pool);
		rlc_am_rx_init(&leg->am.rx, cfg->t_reordering_ms * NS_PER_MS,
		               cfg->am_t_status_prohibit_ms * NS_PER_MS, cfg->delivery,
		               window + AM_SLOTS, window, pool);
	} else {
		rlc_um_tx_init(&leg->um.tx, cfg->um_sn_bits, cfg->rlc_queue_pkts);
		rlc_um_rx_init(&leg->um.rx, cfg->um_sn_bits, cfg->t_reordering_ms * NS_PER_MS,
		               cfg->delivery, window, pool);
	}
}

static void init_ue(struct ue *u, const struct cell_cfg *cfg, uint8_t id, struct rlc_pdu **windows,
                    struct rlc_pool *pool)
{
	*u = (struct ue){
		.id = id,
		.rnti = cfg->ue[id - 1].rnti,
		.peer = cfg->ue[id - 1].peer,
		.mode = cfg->ue[id - 1].mode,
	};
	rng_init(&u->ra.preamble_rng, cfg->seed, "preamble", id);
	rng_init(&u->ra.backoff_rng, cfg->seed, "backoff", id);
	rng_init(&u->control.rng, cfg->seed, "control", id);
	for (int d = 0; d < CELL_DIR_COUNT; d++) {
		init_leg(&u->leg[d], cfg, id, (enum cell_dir)d);
		init_rlc(&u->leg[d], cfg, windows + (size_t)d * window_slots(cfg), pool);
	}
}

static void init_enbs(struct lte *lte)
{
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++) {
		lte->enb[k].id = k;
		for (uint8_t i = 0; i < CELL_MAX_UE; i++)
			lte->enb[k].end[i] = (struct tunnel_end){ .forward_to = ENB_NONE,
				                                  .expiry_ns = CELL_NEVER };
	}
	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++) {
		lte->path[i] = lte->ue[i].enb;
		lte->enb[lte->ue[i].enb].end[i].known = true;
		if (lte->ue[i].rnti > lte->next_rnti)
			lte->next_rnti = lte->ue[i].rnti;
	}
}

void lte_init(struct lte *lte)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;

	harq_model_init(&lte->harq, cfg);
	heap_init(&lte->due_timer, cfg->n_ue * CELL_DIR_COUNT);
	heap_init(&lte->due_tti, cfg->n_ue);
	heap_init(&lte->due_rrc, cfg->n_ue);
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		init_ue(&lte->ue[i], cfg, (uint8_t)(i + 1),
		        lte->window + (size_t)i * CELL_DIR_COUNT * window_slots(cfg),
		        &lte->rlc_pool);
		ue_serve(lte, &lte->ue[i], cfg->ue[i].enb);
	}
	init_enbs(lte);
}
