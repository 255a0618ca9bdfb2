/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init.c - the start of a network of NR, in memory that is taken once; see init.h.
 *
 * Nothing is allocated later. Blocks are as large as the carrier allows, and few of them are ever
 * needed at the same time, as all UEs share the carrier: memory that nobody touches costs nothing,
 * and the gNB does not grant what there is no memory for. Every consumer of random numbers gets a
 * stream by its name and its UE.
 */
#include "ran/nr/init.h"

#include <string.h>

#include "ran/channel/channel.h"
#include "ran/nr/air.h"
#include "ran/nr/control.h"
#include "ran/nr/crowd.h"
#include "ran/nr/frame.h"
#include "ran/nr/lch.h"
#include "ran/nr/report.h"
#include "ran/nr/scell.h"
#include "ran/nr/ue.h"
#include "rlc/nr/nr.h"

#define BLOCKS_MAX 512 /* of a carrier */

#define SECOND_CELL_RNTI   0xe000
#define SECOND_CELL_STREAM 256u

static bool is_twice(const struct cell_cfg *cfg, const struct cell_bearer_cfg *b)
{
	return b->pdcp.duplication || nr_has_daps(cfg);
}

/* Bearers of UE @id with two RLC entities. */
static uint8_t twice(const struct cell_cfg *cfg, uint8_t id)
{
	uint8_t n = 0;

	for (uint8_t k = 0; k < channel_count(cfg, id, CELL_DIR_UL); k++) {
		struct cell_bearer_cfg b = channel_cfg(cfg, id, k);

		n = (uint8_t)(n + is_twice(cfg, &b));
	}
	return n;
}

uint32_t nr_mac_entities(const struct cell_cfg *cfg)
{
	uint32_t n = cfg->n_ue;

	for (uint8_t id = 1; id <= cfg->n_ue; id++)
		n += twice(cfg, id) > 0;
	return n;
}

/* A block of each carrier and direction, an answer to a preamble and a MsgA. */
uint32_t nr_blocks_of_event(const struct cell_cfg *cfg)
{
	return (3u + cfg->nr.phy.dl_carriers) * nr_mac_entities(cfg) + 2;
}

static uint32_t blocks_at_once(const struct cell_cfg *cfg)
{
	uint32_t carriers = cfg->nr.phy.dl_carriers;
	uint32_t n = nr_mac_entities(cfg) * ((1 + carriers) * NR_HARQ_MAX + 2);

	return n < BLOCKS_MAX * carriers ? n : BLOCKS_MAX * carriers;
}

/* Bytes of the largest block of a direction. */
static uint32_t largest(const struct cell_cfg *cfg, uint8_t table, uint8_t layers)
{
	uint16_t n_rb = nr_n_rb((enum nr_range)cfg->nr.phy.frequency_range, cfg->nr.phy.numerology,
	                        cfg->nr.phy.bandwidth_mhz);
	uint8_t mcs = (uint8_t)(nr_mcs_count((enum nr_table)table) - 1);

	return nr_tbs(nr_frame_re(&cfg->nr.phy, NR_SYMBOLS, n_rb),
	              nr_mcs((enum nr_table)table, mcs), layers);
}

static uint32_t largest_block(const struct cell_cfg *cfg)
{
	uint32_t dl = largest(cfg, cfg->nr.phy.mcs_table_dl, cfg->nr.phy.layers_dl);
	uint32_t ul = largest(cfg, cfg->nr.phy.mcs_table_ul, cfg->nr.phy.layers_ul);

	return dl > ul ? dl : ul;
}

/* What all bearers need. */
struct needs {
	uint32_t n;
	size_t state;
	size_t window;
	size_t words;
	size_t flows; /* of FQ-CoDel */
};

static struct needs needs_of(const struct cell_cfg *cfg)
{
	struct needs all = { 0 };

	for (uint8_t id = 1; id <= cfg->n_ue; id++)
		for (uint8_t k = 0; k < channel_count(cfg, id, CELL_DIR_UL); k++) {
			struct cell_bearer_cfg b = channel_cfg(cfg, id, k);
			size_t state, window, words;

			drb_needs(&b, &state, &window, &words);
			all.words += 2 * words; /* PDCP is there once */
			all.n += 2u << is_twice(cfg, &b);
			all.state += 2 * state << is_twice(cfg, &b);
			all.window += 2 * window << is_twice(cfg, &b);
			for (uint8_t d = 0; d < 2; d++)
				all.flows += aqm_flows(aqm_qdisc(&b.rlc, d)) << is_twice(cfg, &b);
		}
	return all;
}

/* Of a cell and direction: those of UEs, and of the crowd. */
static size_t sched_flows(const struct cell_cfg *cfg)
{
	return nr_mac_entities(cfg) + cfg->crowd.count;
}

struct cell *nr_lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	struct needs needs = needs_of(cfg);
	uint32_t n_ue = nr_mac_entities(cfg);
	struct nr *nr = arena_take(a, 1, sizeof(*nr));
	struct nr_ue *ue = arena_take(a, n_ue, sizeof(*ue));
	struct heap timers = heap_take(a, n_ue * 2u), slots = heap_take(a, n_ue);
	struct heap rrc = heap_take(a, n_ue);
	struct drb *drb = arena_take(a, needs.n, sizeof(*drb));
	uint8_t *state = arena_take(a, 1, needs.state);
	struct rlc_pdu **window = arena_take(a, needs.window, sizeof(*window));
	uint64_t *words = arena_take(a, needs.words, sizeof(*words));
	struct fq_flow *flow = arena_take(a, needs.flows, sizeof(*flow));
	struct nr_tb_pool tbs =
		nr_tb_take(a, blocks_at_once(cfg) + nr_blocks_of_event(cfg), largest_block(cfg));
	struct nr_store *store = nr_store_take(a, cfg->max_pkts);
	struct sched_memory *sched =
		arena_take(a, 2u * sched_flows(cfg) * cfg->n_enb, sizeof(*sched));
	struct crowd_memory crowd = nr_crowd_take(a, cfg);

	if (!nr)
		return NULL;
	*nr = (struct nr){
		.ue = ue,
		.n_ue = (uint8_t)n_ue,
		.n_cells = n_ue > cfg->n_ue && !nr_has_daps(cfg) ? 2 : cfg->n_enb,
		.due_timer = timers,
		.due_slot = slots,
		.due_rrc = rrc,
		.drb = drb,
		.rlc_state = state,
		.window = window,
		.pdcp_words = words,
		.fq_flow = flow,
		.sched_memory = sched,
		.crowd_memory = crowd,
		.next_block = 1,
		.tbs = tbs,
		.tbs_max = blocks_at_once(cfg),
		.rlc = { .nr = store },
	};
	return &nr->cell;
}

size_t nr_out_min(const struct cell_cfg *cfg)
{
	size_t bearers = 2 * ((size_t)cfg->n_ue + cfg->n_bearers);

	/* Of each packet a row at its first RLC PDU, at its last one, its mark, its delivery and
	 * its row; or, where it is forwarded, rows of that and of its tunnel. */
	return (size_t)cfg->max_pkts * (cfg->gtpu.sgw_addr ? 7 : 5) +
	       bearers * 64 * cfg->nr.phy.dl_carriers + 256;
}

static void init_sch(struct nr *nr, struct nr_ue *ue, enum cell_dir dir)
{
	static const char *const streams[2][3] = {
		[CELL_DIR_UL] = { "loss-ul", "harq-ul", "harq-feedback-ul" },
		[CELL_DIR_DL] = { "loss-dl", "harq-dl", "harq-feedback-dl" },
	};
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct cell_ue_cfg *u = &cfg->ue[ue->id - 1];
	struct nr_sch *sch = &ue->sch[dir];
	uint32_t id = ue->id + SECOND_CELL_STREAM * ue->cell;
	bool dl = dir == CELL_DIR_DL;
	uint8_t first = dl ? u->cqi_dl : u->cqi_ul;
	uint8_t second = ue->cell == 0 ? 0 : dl ? u->second_cqi_dl : u->second_cqi_ul;

	sch->ue = (uint8_t)(ue - nr->ue + 1);
	sch->at = (struct out_at){ .from = dl ? CELL_NODE_ENB : ue->id,
		                   .to = dl ? ue->id : CELL_NODE_ENB,
		                   .dir = (uint8_t)dir,
		                   .lcid = NR_LCID_DRB,
		                   .enb = ue->cell };
	sch->bler_q32 = dl ? u->bler_dl_q32 : u->bler_ul_q32;
	for (uint32_t i = 0; i < NR_HARQ_ALL + 1; i++)
		sch->process[i].known_slot = NR_SLOT_NEVER;
	nr_air_set_channel(nr, sch, second ? second : first, CELL_SINR_UNKNOWN);
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
		ue->channel[k][dir] =
			(struct nr_channel){ .cqi = sch->cqi, .sinr_cdb = CELL_SINR_UNKNOWN };
	rng_init(&sch->loss_rng, cfg->seed, streams[dir][0], id);
	rng_init(&sch->harq_rng, cfg->seed, streams[dir][1], id);
	rng_init(&sch->feedback_rng, cfg->seed, streams[dir][2], id);
}

static void init_drx(struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;

	nr->drx = (struct nr_drx_cfg){
		.long_cycle = nr_slots(nr, cfg->nr.drx.cycle_ms),
		.offset = nr_slots(nr, cfg->nr.drx.start_offset_ms),
		.on_duration = nr_slots(nr, cfg->nr.drx.on_duration_ms),
		.inactivity = nr_slots(nr, cfg->nr.drx.inactivity_ms),
		.short_cycle = nr_slots(nr, cfg->nr.drx.short_cycle_ms),
		.short_timer = cfg->nr.drx.short_cycle_timer,
		.rtt_dl = cfg->nr.drx.harq_rtt_slots,
		.rtt_ul = cfg->nr.drx.harq_rtt_slots,
		.retransmission_dl = cfg->nr.drx.retx_slots,
		.retransmission_ul = cfg->nr.drx.retx_slots,
	};
}

void nr_init_mac(struct nr *nr, struct nr_ue *u)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;

	for (int d = 0; d < 2; d++)
		outer_loop_init(&u->sch[d].loop, cfg->nr.link_adaptation.target_bler_q32,
		                cfg->nr.link_adaptation.outer_loop_step_cdb, OUTER_LOOP_LIMIT_CDB);
	u->ra.state = NR_RA_IDLE;
	u->ra.granted = u->ra.dedicated = u->ra.answered = u->ra.decoded = false;
	u->dl_waiting = 0;
	u->feedback_slot = u->requested = NR_SLOT_NEVER;
	u->backlog = 0;
	memset(u->backlog_of, 0, sizeof(u->backlog_of));
	nr_report_init(&u->report, nr, u->place);
	nr_drx_init(&u->drx, &nr->drx);
	nr_scells_init(nr, u);
}

void nr_init_spare(struct nr *nr, struct nr_ue *u)
{
	nr_init_mac(nr, u);
	u->detached = true;
	nr_serve(u, NR_CELL_NONE);
}

static void init_ue(struct nr *nr, struct nr_ue *u, uint8_t id, uint8_t cell, uint8_t place)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	uint32_t stream = id + SECOND_CELL_STREAM * cell;

	*u = (struct nr_ue){
		.id = id,
		.cell = cell,
		.place = place,
		.rnti = cell ? (uint16_t)(SECOND_CELL_RNTI + place) : cfg->ue[id - 1].rnti,
	};
	if (u->rnti > nr->next_rnti)
		nr->next_rnti = u->rnti;
	rng_init(&u->ra.preamble_rng, cfg->seed, "preamble", stream);
	rng_init(&u->ra.backoff_rng, cfg->seed, "backoff", stream);
	rng_init(&u->request_rng, cfg->seed, "request", stream);
	times_init(&u->rrc.times, cfg->seed, id);
	init_sch(nr, u, CELL_DIR_UL);
	init_sch(nr, u, CELL_DIR_DL);
	measure_restart(&u->measured);
	nr_init_mac(nr, u);
	nr_ue_configure(nr, u);
}

static void give_drbs(struct nr_ue *u, uint8_t n, uint8_t lcs_before, struct drb **next)
{
	for (int d = 0; d < 2; d++) {
		u->sch[d].drb = *next;
		u->sch[d].n_drbs = n;
		u->sch[d].lcs_before = lcs_before;
		*next += n;
	}
}

/* Both directions of bearer @k of @u, which is number @at here. */
static void init_bearer(struct nr *nr, struct nr_ue *u, uint8_t at, uint8_t k,
                        struct drb_memory *memory)
{
	for (int d = 0; d < 2; d++) {
		struct nr_sch *sch = &u->sch[d];
		struct drb *b = &sch->drb[at], *reverse = &u->sch[!d].drb[at];

		drb_init(b, nr, sch, k, memory);
		b->reverse = reverse;
		b->rlc.reverse = &reverse->rlc;
		if (b->rlc.mode->whole)
			sch->least = CELL_UE_MTU_MAX + 16;
	}
}

static void init_drbs(struct nr *nr, struct nr_ue *u, struct drb **next, struct drb_memory *memory)
{
	uint8_t n = channel_count(&nr->cell.cfg, u->id, CELL_DIR_UL);

	give_drbs(u, n, 0, next);
	for (uint8_t k = 0; k < n; k++)
		init_bearer(nr, u, k, k, memory);
	nr_lch_set_order(&u->sch[CELL_DIR_UL]);
	nr_lch_set_order(&u->sch[CELL_DIR_DL]);
}

/* @second has the other RLC entities of those bearers of @first that have two. */
static void init_twins(struct nr *nr, struct nr_ue *first, struct nr_ue *second, struct drb **next,
                       struct drb_memory *memory)
{
	uint8_t at = 0;

	give_drbs(second, twice(&nr->cell.cfg, first->id), first->sch[0].n_drbs, next);
	for (uint8_t k = 0; k < first->sch[0].n_drbs; k++) {
		if (!is_twice(&nr->cell.cfg, &first->sch[0].drb[k].cfg))
			continue;
		init_bearer(nr, second, at, k, memory);
		for (int d = 0; d < 2; d++) {
			struct drb *b = &first->sch[d].drb[k], *twin = &second->sch[d].drb[at];

			twin->pdcp = b;
			if (!b->cfg.pdcp.duplication)
				continue;
			b->twin = twin;
			twin->twin = b;
		}
		at++;
	}
	nr_lch_set_order(&second->sch[CELL_DIR_UL]);
	nr_lch_set_order(&second->sch[CELL_DIR_DL]);
}

static void init_ues(struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	struct drb_memory memory = { .rlc_state = nr->rlc_state,
		                     .window = nr->window,
		                     .pdcp_words = nr->pdcp_words,
		                     .flow = nr->fq_flow };
	struct nr_ue *second = nr->ue + cfg->n_ue;
	struct drb *drb = nr->drb;

	for (uint8_t id = 1; id <= cfg->n_ue; id++) {
		init_ue(nr, &nr->ue[id - 1], id, 0, id);
		init_drbs(nr, &nr->ue[id - 1], &drb, &memory);
		nr_serve(&nr->ue[id - 1], cfg->ue[id - 1].enb);
		nr->cell.serving[id - 1] = cfg->ue[id - 1].enb;
		nr->ue[id - 1].rrc.link = &nr->ue[id - 1];
	}
	for (uint8_t id = 1; id <= cfg->n_ue; id++) {
		if (twice(cfg, id) == 0)
			continue;
		init_ue(nr, second, id, 1, (uint8_t)(second - nr->ue - cfg->n_ue + 1));
		init_twins(nr, &nr->ue[id - 1], second, &drb, &memory);
		if (nr_has_daps(cfg))
			nr_init_spare(nr, second);
		second++;
	}
}

void nr_init(struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	size_t n_flows = sched_flows(cfg);

	harq_model_init(&nr->harq, &cfg->harq, false);
	nr_frame_init(&nr->frame, &cfg->nr);
	nr_control_init(nr);
	init_drx(nr);
	heap_init(&nr->due_timer, nr->n_ue * 2u);
	heap_init(&nr->due_slot, nr->n_ue);
	heap_init(&nr->due_rrc, nr->n_ue);
	memset(nr->sched_memory, 0, 2u * n_flows * cfg->n_enb * sizeof(*nr->sched_memory));
	for (uint8_t cell = 0; cell < nr->n_cells; cell++) {
		struct sched_memory *of =
			nr->sched_memory + (cell < cfg->n_enb ? 2u * cell * n_flows : 0u);

		nr->sched[cell][CELL_DIR_UL].of = of;
		nr->sched[cell][CELL_DIR_DL].of = of + n_flows;
	}
	nr_crowd_init(nr);
	init_ues(nr);
}
