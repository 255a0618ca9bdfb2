/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init.c - the start of an LTE network, in memory that is taken once; see init.h.
 *
 * Nothing is allocated later, so each pool has what can be needed at most: MAC PDUs for all blocks
 * on the air and in HARQ processes, RLC PDUs for the windows of all bearers, which are half of the
 * SNs (TS 36.322 7.2). Every consumer of random numbers gets a stream by its name and its UE.
 */
#include "ran/lte/init.h"

#include <string.h>

#include "phy/lte/phy.h"
#include "ran/channel/channel.h"
#include "ran/lte/control.h"
#include "ran/lte/crowd.h"
#include "ran/lte/heard.h"
#include "ran/lte/lch.h"
#include "ran/lte/request.h"

#define NS_PER_MS INT64_C(1000000)

/*
 * MAC PDUs: in a sub-frame a UE has its downlink blocks, uplink ones or a sidelink
 * block and a RAR. Blocks are on the air or in a HARQ process, of which there
 * are eight of each kind; one advance may not outrun the limbo list.
 */
static size_t pdus_needed(const struct cell_cfg *cfg)
{
	/* With several cells also blocks of the one that the UE has left. */
	size_t ttis = HARQ_PROCESSES + (cfg->n_enb > 1 ? 3u : 2u) * cfg->lte.timing.decode_tti + 8u;

	return (size_t)cfg->n_ue * (lte_tbs(cfg) + 1) * ttis;
}

/* What all bearers of a network need. */
struct needs {
	uint32_t n_bearers;
	size_t rlc_state; /* bytes */
	size_t slots;     /* of windows */
	size_t rlc_pdus;  /* that may wait: half the SNs at a receiver and, in AM, a transmitter */
	size_t flows;     /* of FQ-CoDel */
};

static size_t aligned(size_t bytes)
{
	return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static struct needs needs_of(const struct cell_cfg *cfg)
{
	struct needs needs = { 0 };

	for (uint8_t id = 1; id <= cfg->n_ue; id++)
		for (int d = 0; d < CELL_DIR_COUNT; d++)
			for (uint8_t k = 0; k < channel_count(cfg, id, (enum cell_dir)d); k++) {
				struct cell_bearer_cfg b = channel_cfg(cfg, id, k);
				const struct rlc_mode *mode =
					rlc_mode_of((enum cell_rlc_mode)b.rlc.mode);

				needs.n_bearers++;
				needs.rlc_state += aligned(mode->bytes);
				needs.slots += mode->slots(&b.rlc);
				needs.rlc_pdus += mode->slots(&b.rlc) / 2 + 1;
				needs.flows += aqm_flows(aqm_qdisc(&b.rlc, (uint8_t)d));
			}
	return needs;
}

struct cell *lte_lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	struct needs needs = needs_of(cfg);
	size_t n_blocks = pdus_needed(cfg);
	size_t tb_bytes = phy_tbs(PHY_ITBS_COUNT - 1, cfg->lte.n_rb);
	struct lte *lte = arena_take(a, 1, sizeof(*lte));
	struct ue *ue = arena_take(a, cfg->n_ue, sizeof(*ue));
	struct heap timers = heap_take(a, cfg->n_ue * CELL_DIR_COUNT);
	struct heap ttis = heap_take(a, cfg->n_ue), handovers = heap_take(a, cfg->n_ue);
	struct bearer *bearer = arena_take(a, needs.n_bearers, sizeof(*bearer));
	uint8_t *rlc_state = arena_take(a, 1, needs.rlc_state);
	struct rlc_pdu **window = arena_take(a, needs.slots, sizeof(*window));
	struct fq_flow *flow = arena_take(a, needs.flows, sizeof(*flow));
	struct tb *tb = arena_take(a, n_blocks, sizeof(*tb));
	uint8_t *tb_buf = arena_take(a, n_blocks, tb_bytes);
	struct rlc_pdu *rlc_pdu = arena_take(a, needs.rlc_pdus, sizeof(*rlc_pdu));
	uint8_t *rlc_data = arena_take(a, needs.rlc_pdus, tb_bytes);
	uint8_t *rlc_buf = arena_take(a, 1, tb_bytes);
	void *scratch = arena_take(a, 1, rlc_scratch_bytes());
	struct sched_memory *sched =
		arena_take(a, 2 * cfg->n_enb * (size_t)lte_sched_flows(cfg), sizeof(*sched));
	struct crowd_memory crowd = lte_crowd_take(a, cfg);

	if (!lte)
		return NULL;
	*lte = (struct lte){
		.ue = ue,
		.due_timer = timers,
		.due_tti = ttis,
		.due_rrc = handovers,
		.bearer = bearer,
		.rlc_state = rlc_state,
		.window = window,
		.fq_flow = flow,
		.sched = sched,
		.crowd = crowd,
		.next_block = 1,
		.rlc_buf = rlc_buf,
		.rlc = { .pool = { .data_max = (uint16_t)tb_bytes,
		                   .fresh = rlc_pdu,
		                   .fresh_data = rlc_data,
		                   .n_fresh = (uint32_t)needs.rlc_pdus },
		         .scratch = scratch },
	};
	tb_pool_init(&lte->blocks, tb, n_blocks, tb_buf, tb_bytes);
	return &lte->cell;
}

size_t lte_out_min(const struct cell_cfg *cfg)
{
	/* A packet that is forwarded: two rows, a delivery and its row; and the drops. */
	size_t rows = cfg->gtpu.sgw_addr ? 5 : 3, bearers = (size_t)cfg->n_ue + cfg->n_bearers;

	return bearers * lte_tbs(cfg) * (RLC_ELEMENTS_MAX + 32) + (size_t)cfg->max_pkts * rows + 64;
}

static void init_sch(const struct lte *lte, struct lte_sch *sch, uint8_t id, enum cell_dir dir)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	static const char *const streams[CELL_DIR_COUNT][3] = {
		[CELL_DIR_UL] = { "loss-ul", "harq-ul", "harq-feedback-ul" },
		[CELL_DIR_DL] = { "loss-dl", "harq-dl", "harq-feedback-dl" },
		[CELL_DIR_SL] = { "loss-sl", "harq-sl", "harq-feedback-sl" },
	};
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const uint8_t cqi[] = { u->cqi_ul, u->cqi_dl, u->cqi_sl };
	const uint32_t bler[] = { u->bler_ul_q32, u->bler_dl_q32, u->bler_sl_q32 };

	sch->ue = id;
	sch->at = (struct out_at){
		.from = dir == CELL_DIR_DL ? CELL_NODE_ENB : id,
		.to = dir == CELL_DIR_UL   ? CELL_NODE_ENB
		      : dir == CELL_DIR_DL ? id
		                           : u->peer,
		.dir = (uint8_t)dir,
		.lcid = channel_lcid(cfg, id, 0, dir),
	};
	sch->sinr_cdb = CELL_SINR_UNKNOWN;
	heard_nothing(lte, sch);
	heard_format(lte, sch, cqi[dir]);
	sch->bler_q32 = bler[dir];
	rng_init(&sch->loss_rng, cfg->seed, streams[dir][0], id);
	rng_init(&sch->harq_rng, cfg->seed, streams[dir][1], id);
	rng_init(&sch->feedback_rng, cfg->seed, streams[dir][2], id);
}

static void init_bearer(struct bearer *b, struct lte *lte, struct lte_sch *sch, uint8_t k,
                        void *state, struct rlc_pdu **window, struct fq_flow *flow)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;

	*b = (struct bearer){
		.cfg = channel_cfg(cfg, sch->ue, k),
		.sch = sch,
		.outage_expiry_ns = CELL_NEVER,
		.at = sch->at,
	};
	b->at.lcid = channel_lcid(cfg, sch->ue, k, (enum cell_dir)sch->at.dir);
	b->rlc = (struct rlc){
		.mode = rlc_mode_of((enum cell_rlc_mode)b->cfg.rlc.mode),
		.state = state,
		.shared = &lte->rlc,
		.cell = &lte->cell,
		.at = &b->at,
	};
	b->rlc.mode->init(&b->rlc, &b->cfg.rlc, window);
	qos_init(&b->qos, &b->cfg, (enum cell_dir)sch->at.dir, lte->cell.start_ns);
	lte->goes_ahead = lte->goes_ahead || (sch->at.dir == CELL_DIR_DL && b->qos.goes_ahead);
	bearer_init_queue(lte, b, flow);
	bearer_init_pdcp(lte, b);
}

static void init_ue(const struct lte *lte, struct ue *u, uint8_t id)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	*u = (struct ue){
		.id = id,
		.rnti = cfg->ue[id - 1].rnti,
		.peer = cfg->ue[id - 1].peer,
		.mode = cfg->ue[id - 1].mode,
	};
	rng_init(&u->ra.preamble_rng, cfg->seed, "preamble", id);
	rng_init(&u->ra.backoff_rng, cfg->seed, "backoff", id);
	rng_init(&u->control.rng, cfg->seed, "control", id);
	rng_init(&u->request_rng, cfg->seed, "request", id);
	times_init(&u->rrc.times, cfg->seed, id);
	request_reset(u);
	for (int d = 0; d < CELL_DIR_COUNT; d++) {
		init_sch(lte, &u->sch[d], id, (enum cell_dir)d);
		for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
			u->channel[k][d] = (struct cell_channel){ .cqi = u->sch[d].cqi,
				                                  .sinr_cdb = CELL_SINR_UNKNOWN };
	}
	measure_restart(&u->measured);
}

/* Memory of bearers is given out in the order in which needs_of() counted it. */
static void init_bearers(struct lte *lte)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	struct bearer *bearer = lte->bearer;
	uint8_t *state = lte->rlc_state;
	struct rlc_pdu **window = lte->window;
	struct fq_flow *flow = lte->fq_flow;

	for (uint8_t i = 0; i < cfg->n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			struct lte_sch *sch = &lte->ue[i].sch[d];

			sch->bearer = bearer;
			sch->n_bearers = channel_count(cfg, sch->ue, (enum cell_dir)d);
			for (uint8_t k = 0; k < sch->n_bearers; k++, bearer++) {
				init_bearer(bearer, lte, sch, k, state, window, flow);
				if (bearer->rlc.mode->whole)
					sch->least = lte_lch_least();
				state += aligned(bearer->rlc.mode->bytes);
				window += bearer->rlc.mode->slots(&bearer->cfg.rlc);
				flow += aqm_flows(aqm_qdisc(&bearer->cfg.rlc, (uint8_t)d));
			}
			lte_lch_set_order(sch);
		}
}

/* The two directions of each bearer. */
static void pair_bearers(struct lte *lte, struct lte_sch *sch)
{
	const struct lte_sch *reverse = lte_sch_reverse(lte, sch);

	for (uint8_t k = 0; k < sch->n_bearers && k < reverse->n_bearers; k++) {
		sch->bearer[k].reverse = &reverse->bearer[k];
		sch->bearer[k].rlc.reverse = &reverse->bearer[k].rlc;
	}
}

static void init_schedulers(struct lte *lte, struct enb *enb)
{
	uint32_t n = lte_sched_flows(&lte->cell.cfg);

	enb->sched_ul.of = lte->sched + 2 * enb->id * n;
	enb->sched_dl.of = enb->sched_ul.of + n;
	memset(enb->sched_ul.of, 0, 2 * n * sizeof(*lte->sched));
}

static void init_enbs(struct lte *lte)
{
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++) {
		lte->enb[k].id = k;
		if (k < lte->cell.cfg.n_enb) {
			init_schedulers(lte, &lte->enb[k]);
			lte_crowd_init(lte, &lte->enb[k]);
		}
	}
	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++)
		if (lte->ue[i].rnti > lte->next_rnti)
			lte->next_rnti = lte->ue[i].rnti;
}

void lte_init(struct lte *lte)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;

	harq_model_init(&lte->harq, &cfg->harq, cfg->lte.control.dtx == CELL_DTX_LOSE);
	for (int d = 0; cfg->lte.outer_loop.target_bler_q32 && d < CELL_DIR_COUNT; d++)
		lte_formats_init(&lte->formats[d], (enum cell_dir)d, control_symbols(cfg));
	heap_init(&lte->due_timer, cfg->n_ue * CELL_DIR_COUNT);
	heap_init(&lte->due_tti, cfg->n_ue);
	heap_init(&lte->due_rrc, cfg->n_ue);
	for (uint8_t i = 0; i < cfg->n_ue; i++)
		init_ue(lte, &lte->ue[i], (uint8_t)(i + 1));
	init_bearers(lte);
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		for (int d = 0; d < CELL_DIR_COUNT; d++)
			pair_bearers(lte, &lte->ue[i].sch[d]);
		ue_serve(lte, &lte->ue[i], cfg->ue[i].enb);
	}
	init_enbs(lte);
}
