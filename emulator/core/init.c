/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init.c - lays a cell out in the caller's memory; see cellcore.h. */
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#include "cell.h"

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

/* Room behind the block: RLC builds at its start before the header moves it. */
#define PDU_SLACK 16

/*
 * A PDU is on the air for decode_tti, or waits in a reordering window for at
 * most twice t-Reordering (once as the newcomer, once for its own gap); one
 * per leg and sub-frame, and one advance may not outrun the limbo list.
 */
static size_t pdus_needed(const struct cell_cfg *cfg)
{
	size_t ttis = 2u * cfg->t_reordering_ms + 2u * cfg->decode_tti + 8u;

	return (size_t)cfg->n_ue * 3 * ttis;
}

struct layout {
	struct cell *cell;
	struct ue *ue;
	struct pdu **window;
	struct pkt *pkt;
	struct pdu *pdu;
	uint8_t *pdu_buf;
	size_t pdu_bytes;
};

static size_t lay_out(struct layout *l, void *mem, const struct cell_cfg *cfg)
{
	struct arena a = { .base = mem };
	size_t n_pdus = pdus_needed(cfg);

	l->pdu_bytes = phy_tbs(PHY_ITBS_COUNT - 1, cfg->n_rb) + PDU_SLACK;
	l->cell = carve(&a, 1, sizeof(*l->cell));
	l->ue = carve(&a, cfg->n_ue, sizeof(*l->ue));
	l->window =
		carve(&a, (size_t)cfg->n_ue * CELL_DIR_COUNT * rlc_um_window_slots(cfg->um_sn_bits),
	              sizeof(*l->window));
	l->pkt = carve(&a, cfg->max_pkts, sizeof(*l->pkt));
	l->pdu = carve(&a, n_pdus, sizeof(*l->pdu));
	l->pdu_buf = carve(&a, n_pdus, l->pdu_bytes);
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
	return (size_t)cfg->n_ue * 2 * (UM_ELEMENTS_MAX + 16) + (size_t)cfg->max_pkts * 3 + 64;
}

static void init_leg(struct leg *leg, const struct cell_cfg *cfg, uint8_t id, enum cell_dir dir,
                     struct pdu **window)
{
	static const char *const streams[CELL_DIR_COUNT] = {
		[CELL_DIR_UL] = "loss-ul",
		[CELL_DIR_DL] = "loss-dl",
		[CELL_DIR_SL] = "loss-sl",
	};
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const uint8_t cqi[] = { u->cqi_ul, u->cqi_dl, u->cqi_sl };
	const uint32_t bler[] = { u->bler_ul_q32, u->bler_dl_q32, u->bler_sl_q32 };

	leg->ue = id;
	leg->dir = (uint8_t)dir;
	leg->cqi = cqi[dir];
	leg->itbs = phy_itbs(dir, cqi[dir]);
	leg->bler_q32 = bler[dir];
	rng_init(&leg->loss_rng, cfg->seed, streams[dir], id);
	pdcp_init(&leg->pdcp_tx, cfg->pdcp_sn_bits);
	pdcp_init(&leg->pdcp_rx, cfg->pdcp_sn_bits);
	rlc_um_tx_init(&leg->tx, cfg->um_sn_bits, cfg->rlc_queue_pkts);
	rlc_um_rx_init(&leg->rx, cfg->um_sn_bits, (int64_t)cfg->t_reordering_ms * 1000000, window);
}

static void init_ue(struct ue *u, const struct cell_cfg *cfg, uint8_t id, struct pdu **windows)
{
	*u = (struct ue){
		.id = id,
		.rnti = cfg->ue[id - 1].rnti,
		.peer = cfg->ue[id - 1].peer,
		.mode = cfg->ue[id - 1].mode,
	};
	rng_init(&u->ra.preamble_rng, cfg->seed, "preamble", id);
	rng_init(&u->ra.backoff_rng, cfg->seed, "backoff", id);
	for (int d = 0; d < CELL_DIR_COUNT; d++)
		init_leg(&u->leg[d], cfg, id, (enum cell_dir)d,
		         windows + (size_t)d * rlc_um_window_slots(cfg->um_sn_bits));
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
	};
	for (uint8_t i = 0; i < cfg->n_ue; i++)
		init_ue(&c->ue[i], cfg, (uint8_t)(i + 1),
		        l.window +
		                (size_t)i * CELL_DIR_COUNT * rlc_um_window_slots(cfg->um_sn_bits));
	for (uint32_t i = 0; i < cfg->max_pkts; i++)
		pkt_enqueue(&c->free_pkts, &l.pkt[i]);
	for (size_t i = 0; i < pdus_needed(cfg); i++) {
		l.pdu[i] = (struct pdu){ .buf = l.pdu_buf + i * l.pdu_bytes };
		pdu_enqueue(&c->free_pdus, &l.pdu[i]);
	}
	*ret = c;
	return 0;
}
