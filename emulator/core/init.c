/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init.c - lays a cell out in the caller's memory; see cellcore.h. */
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#include "cell.h"
#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

#define NS_PER_MS INT64_C(1000000)

/* Carves the caller's block; with base NULL it only adds up. */
struct arena {
	uint8_t *base;
	size_t used;
};

static void *carve(struct arena *a, size_t n, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t at = (a->used + align - 1) / align * align;

	a->used = at + n * size;
	return a->base ? a->base + at : NULL;
}

/*
 * MAC PDUs: in a sub-frame a UE has its downlink blocks, an uplink or sidelink
 * block and a RAR. Blocks are on the air or in a HARQ process, of which there
 * are eight of each kind; one advance may not outrun the limbo list.
 */
static size_t pdus_needed(const struct cell_cfg *cfg)
{
	/* With several cells also blocks of the one that the UE has left. */
	size_t ttis = HARQ_PROCESSES + (cfg->n_enb > 1 ? 3u : 2u) * cfg->decode_tti + 8u;

	if (cfg->system == CELL_SYSTEM_PACKET_TRACE)
		return 0;
	if (cfg->system == CELL_SYSTEM_UTRAN)
		return utran_pdus_needed(cfg);
	return (size_t)cfg->n_ue * (cell_tbs_dl(cfg) + 2) * ttis;
}

static uint32_t window_slots(const struct cell_cfg *cfg)
{
	return cfg->rlc_mode == CELL_RLC_AM ? 2 * AM_SLOTS : rlc_um_window_slots(cfg->um_sn_bits);
}

/* RLC PDUs that may wait: half the SNs at a receiver and, in AM, a transmitter. */
static size_t rlc_pdus_needed(const struct cell_cfg *cfg)
{
	if (cfg->system == CELL_SYSTEM_PACKET_TRACE)
		return 0;
	if (cfg->system == CELL_SYSTEM_UTRAN)
		return utran_rlc_pdus_needed(cfg);
	return (size_t)cfg->n_ue * CELL_DIR_COUNT * (window_slots(cfg) / 2 + 1);
}

/* Entries of all windows. */
static size_t windows_needed(const struct cell_cfg *cfg)
{
	if (cfg->system == CELL_SYSTEM_PACKET_TRACE)
		return 0;
	if (cfg->system == CELL_SYSTEM_UTRAN)
		return UTRAN_WINDOW_SLOTS;
	return (size_t)cfg->n_ue * CELL_DIR_COUNT * window_slots(cfg);
}

struct layout {
	struct cell *cell;
	struct ue *ue;
	struct utran *utran;
	struct opportunity_link *link;
	struct rlc_pdu **window;
	struct waiting_cmd *cmd;
	struct pkt *pkt;
	struct pdu *pdu;
	uint8_t *pdu_buf;
	struct rlc_pdu *rlc_pdu;
	uint8_t *rlc_data;
	uint8_t *rlc_buf;
	size_t pdu_bytes;
};

static size_t lay_out(struct layout *l, void *mem, const struct cell_cfg *cfg)
{
	struct arena a = { .base = mem };
	size_t n_pdus = pdus_needed(cfg), n_rlc = rlc_pdus_needed(cfg);

	bool utran = cfg->system == CELL_SYSTEM_UTRAN;

	l->pdu_bytes = utran ? cfg->utran_pdu_bytes : phy_tbs(PHY_ITBS_COUNT - 1, cfg->n_rb);
	l->cell = carve(&a, 1, sizeof(*l->cell));
	l->ue = carve(&a, cfg->n_ue, sizeof(*l->ue));
	l->utran = carve(&a, utran, sizeof(*l->utran));
	l->link = carve(&a, cfg->system == CELL_SYSTEM_PACKET_TRACE, sizeof(*l->link));
	l->window = carve(&a, windows_needed(cfg), sizeof(*l->window));
	l->cmd = carve(&a, cfg->max_cmds, sizeof(*l->cmd));
	l->pkt = carve(&a, cfg->max_pkts, sizeof(*l->pkt));
	l->pdu = carve(&a, n_pdus, sizeof(*l->pdu));
	l->pdu_buf = carve(&a, n_pdus, l->pdu_bytes);
	l->rlc_pdu = carve(&a, n_rlc, sizeof(*l->rlc_pdu));
	l->rlc_data = carve(&a, n_rlc, l->pdu_bytes);
	l->rlc_buf = carve(&a, 1, l->pdu_bytes);
	return a.used;
}

size_t cell_size(const struct cell_cfg *cfg)
{
	struct layout l;

	return lay_out(&l, NULL, cfg);
}

/* Rows that one event may produce, whatever happens in it. */
size_t cell_out_min(const struct cell_cfg *cfg)
{
	size_t blocks = (size_t)cfg->n_ue * (cell_tbs_dl(cfg) + 1);
	/* A packet that is forwarded: two rows, a delivery and its row; and the drops. */
	size_t rows = cfg->sgw_gtpu_addr ? 5 : 3;

	if (cfg->system == CELL_SYSTEM_PACKET_TRACE)
		return opportunity_out_min(cfg);
	if (cfg->system == CELL_SYSTEM_UTRAN)
		return utran_out_min(cfg);
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
	leg->dir = (uint8_t)dir;
	leg->lcid = lcid_of(cfg, dir);
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

/* Both modes' entities exist; the one that is not used has no window and no timers. */
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

	leg->am_tx.expiry_ns = CELL_NEVER;
	leg->am_rx.prohibit_expiry_ns = CELL_NEVER;
	if (cfg->rlc_mode == CELL_RLC_AM) {
		rlc_am_tx_init(&leg->am_tx, &am, window, pool);
		rlc_am_rx_init(&leg->am_rx, cfg->t_reordering_ms * NS_PER_MS,
		               cfg->am_t_status_prohibit_ms * NS_PER_MS, cfg->delivery,
		               window + AM_SLOTS, window, pool);
	} else {
		rlc_um_tx_init(&leg->um_tx, cfg->um_sn_bits, cfg->rlc_queue_pkts);
		rlc_um_rx_init(&leg->um_rx, cfg->um_sn_bits, cfg->t_reordering_ms * NS_PER_MS,
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
		.enb = cfg->ue[id - 1].enb,
	};
	rng_init(&u->ra.preamble_rng, cfg->seed, "preamble", id);
	rng_init(&u->ra.backoff_rng, cfg->seed, "backoff", id);
	rng_init(&u->control.rng, cfg->seed, "control", id);
	for (int d = 0; d < CELL_DIR_COUNT; d++) {
		init_leg(&u->leg[d], cfg, id, (enum cell_dir)d);
		init_rlc(&u->leg[d], cfg, windows + (size_t)d * window_slots(cfg), pool);
	}
}

static void init_enbs(struct cell *c)
{
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++) {
		c->enb[k].id = k;
		for (uint8_t i = 0; i < CELL_MAX_UE; i++)
			c->enb[k].end[i] = (struct tunnel_end){ .forward_to = ENB_NONE,
				                                .expiry_ns = CELL_NEVER };
	}
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		c->path[i] = c->ue[i].enb;
		c->enb[c->ue[i].enb].end[i].known = true;
		if (c->ue[i].rnti > c->next_rnti)
			c->next_rnti = c->ue[i].rnti;
	}
}

int cell_init(struct cell **ret, void *mem, size_t size, const struct cell_cfg *cfg,
              int64_t start_ns)
{
	const char *field, *range;
	struct layout l;
	struct cell *c;

	if (cell_cfg_check(cfg, &field, &range) < 0)
		return -EINVAL;
	if (size < lay_out(&l, mem, cfg))
		return -ENOMEM;
	c = l.cell;
	*c = (struct cell){
		.cfg = *cfg,
		.start_ns = start_ns,
		.now_ns = start_ns,
		.event_ns = start_ns,
		.ue = l.ue,
		.next_pkt_id = 1,
		.next_block = 1,
		.rlc_buf = l.rlc_buf,
		.cmd = l.cmd,
		.fresh_pkts = l.pkt,
		.n_fresh_pkts = cfg->max_pkts,
		.rlc_pool = { .data_max = (uint16_t)l.pdu_bytes,
		              .fresh = l.rlc_pdu,
		              .fresh_data = l.rlc_data,
		              .n_fresh = (uint32_t)rlc_pdus_needed(cfg) },
	};
	harq_model_init(&c->harq, cfg);
	if (cfg->system == CELL_SYSTEM_UTRAN) {
		c->utran = l.utran;
		utran_init(c, l.window);
	}
	if (cfg->system == CELL_SYSTEM_PACKET_TRACE) {
		c->link = l.link;
		opportunity_init(c);
	}
	for (uint8_t i = 0; i < cfg->n_ue && cfg->system == CELL_SYSTEM_LTE; i++)
		init_ue(&c->ue[i], cfg, (uint8_t)(i + 1),
		        l.window + (size_t)i * CELL_DIR_COUNT * window_slots(cfg), &c->rlc_pool);
	init_enbs(c);
	for (size_t i = 0; i < pdus_needed(cfg); i++) {
		l.pdu[i] = (struct pdu){ .buf = l.pdu_buf + i * l.pdu_bytes };
		pdu_enqueue(&c->free_pdus, &l.pdu[i]);
	}
	*ret = c;
	return 0;
}
