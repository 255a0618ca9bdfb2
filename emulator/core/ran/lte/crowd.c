/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.c - modelled UEs that only load the scheduler; see crowd.h.
 *
 * A member is bytes that wait and a CQI. It has neither packets nor RLC, and what it has to send in
 * the uplink the eNB knows at once, without random access and BSRs. Its flow stands beside those
 * of UEs, and whom of them the scheduler serves is its own affair.
 *
 * Bursts of a member are a Poisson process. Those of all members of a cell and direction together
 * are one, each of whose bursts is any member's with the same chance: so a crowd has one time at
 * which something is due, however many it has. Source: Kingman: Poisson Processes, 1993, 2.2, 5.1
 *
 * A block of a member has its outcome as soon as it is granted: one draw says how many attempts
 * HARQ takes, by the ladder of the cell, and what they take of later sub-frames is put down there.
 * They come after those of UEs and before new data. Where blocks are short the rest waits, in the
 * uplink for a round trip as HARQ is synchronous there.
 */
#include "ran/lte/crowd.h"

#include <string.h>

#include "base/assert.h"
#include "base/digest.h"
#include "phy/lte/phy.h"

#define CROWD_DIRS  2   /* CELL_DIR_UL, CELL_DIR_DL */
#define AGAIN_TTIS  256 /* more than the longest ladder: 7 round trips of 32 */
#define WAITING_MAX (UINT32_C(1) << 30)
#define FULL_BUFFER (UINT32_C(1) << 28) /* more than any sub-frame takes */

static uint32_t words(const struct cell_lte_crowd_cfg *cfg)
{
	return (cfg->count + 63u) / 64;
}

/* Blocks of a sub-frame, each with resource blocks of its own: of the uplink one. */
static uint32_t blocks(const struct cell_cfg *cfg, uint8_t dir)
{
	return dir == CELL_DIR_UL ? 1 : lte_tbs_dl(cfg);
}

static bool goes(const struct cell_lte_crowd_cfg *cfg, uint8_t dir)
{
	return cfg->direction == CELL_CROWD_BOTH ||
	       cfg->direction == (dir == CELL_DIR_UL ? CELL_CROWD_UL : CELL_CROWD_DL);
}

struct crowd_memory crowd_take(struct arena *a, const struct cell_cfg *cfg)
{
	size_t cells = cfg->lte.crowd.count ? cfg->n_enb : 0;
	struct crowd_memory m;

	m.member = arena_take(a, cells * 2 * cfg->lte.crowd.count, sizeof(*m.member));
	m.waits = arena_take(a, cells * 2 * words(&cfg->lte.crowd), sizeof(*m.waits));
	m.again = arena_take(a, cells * (1 + lte_tbs_dl(cfg)) * AGAIN_TTIS, sizeof(*m.again));
	return m;
}

/* @value times @factor_q24, which is less than 32. */
static uint64_t scaled(uint64_t value, uint32_t factor_q24)
{
	return (value >> 24) * factor_q24 + ((value & 0xffffff) * factor_q24 >> 24);
}

/* Mean time between two bursts of all members. */
static uint64_t interval_ns(const struct cell_lte_crowd_cfg *cfg)
{
	return UINT64_C(8000000000) * cfg->burst_bytes /
	       ((uint64_t)cfg->offered_rate_bps * cfg->count);
}

static void plan_burst(const struct cell_lte_crowd_cfg *cfg, struct crowd *crowd)
{
	crowd->next_ns +=
		(int64_t)scaled(interval_ns(cfg), rng_exponential_q24(&crowd->arrival_rng));
}

static uint32_t burst_bytes(const struct cell_lte_crowd_cfg *cfg, struct crowd *crowd)
{
	uint32_t bytes = cfg->burst_bytes;

	if (cfg->burst_size == CELL_CROWD_EXPONENTIAL)
		bytes = (uint32_t)scaled(bytes, rng_exponential_q24(&crowd->size_rng));
	return bytes > 0 ? bytes : 1;
}

/* The CQI of member @m in period @epoch, in whatever order periods are asked for. */
static void draw_cqi(const struct lte *lte, struct crowd *crowd, uint32_t m, uint32_t epoch)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	const char *stream = crowd->dir == CELL_DIR_UL ? "crowd-cqi-ul" : "crowd-cqi-dl";
	struct rng rng;

	rng_init(&rng, cfg->seed, stream, (uint32_t)crowd->enb * CELL_MAX_CROWD + m);
	rng_skip(&rng, epoch);
	crowd->member[m].cqi_epoch = epoch;
	crowd->member[m].itbs = phy_itbs((enum cell_dir)crowd->dir,
	                                 cfg->lte.crowd.cqi[rng_below(&rng, cfg->lte.crowd.n_cqi)]);
}

static void init(struct lte *lte, struct crowd *crowd, uint8_t dir, uint8_t enb)
{
	static const char *const streams[2][4] = {
		{ "crowd-arrival-ul", "crowd-member-ul", "crowd-size-ul", "crowd-harq-ul" },
		{ "crowd-arrival-dl", "crowd-member-dl", "crowd-size-dl", "crowd-harq-dl" },
	};
	const struct cell_cfg *cfg = &lte->cell.cfg;
	struct rng *const rngs[4] = { &crowd->arrival_rng, &crowd->member_rng, &crowd->size_rng,
		                      &crowd->error_rng };
	bool full = cfg->lte.crowd.arrival == CELL_CROWD_FULL_BUFFER;

	crowd->dir = dir;
	crowd->enb = enb;
	for (int i = 0; i < 4; i++)
		rng_init(rngs[i], cfg->seed, streams[dir][i], enb);
	memset(crowd->waits, 0, words(&cfg->lte.crowd) * sizeof(*crowd->waits));
	memset(crowd->again, 0, blocks(cfg, dir) * AGAIN_TTIS * sizeof(*crowd->again));
	for (uint32_t m = 0; m < cfg->lte.crowd.count; m++) {
		crowd->member[m] = (struct crowd_member){ .waiting = full ? FULL_BUFFER : 0,
			                                  .since_ns = lte->cell.start_ns };
		draw_cqi(lte, crowd, m, 0);
		if (full)
			crowd->waits[m / 64] |= UINT64_C(1) << m % 64;
	}
	crowd->n_waiting = full ? cfg->lte.crowd.count : 0;
	crowd->next_ns = full ? CELL_NEVER : lte->cell.start_ns;
	if (!full)
		plan_burst(&cfg->lte.crowd, crowd);
	lte->cell.stats.crowd_members += cfg->lte.crowd.count;
}

void crowd_init(struct lte *lte, struct enb *enb)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t *again = lte->crowd.again + enb->id * (1 + lte_tbs_dl(cfg)) * AGAIN_TTIS;

	for (uint8_t dir = 0; dir < CROWD_DIRS; dir++) {
		uint32_t place = 2u * enb->id + dir;

		enb->crowd[dir] = (struct crowd){ .next_ns = CELL_NEVER };
		if (!cfg->lte.crowd.count || !goes(&cfg->lte.crowd, dir))
			continue;
		enb->crowd[dir].member = lte->crowd.member + place * cfg->lte.crowd.count;
		enb->crowd[dir].waits = lte->crowd.waits + place * words(&cfg->lte.crowd);
		enb->crowd[dir].again = again + dir * AGAIN_TTIS; /* the uplink's is the first */
		init(lte, &enb->crowd[dir], dir, enb->id);
	}
}

static void add_burst(struct lte *lte, struct crowd *crowd, uint32_t m, uint32_t bytes)
{
	struct crowd_member *member = &crowd->member[m];

	lte->cell.stats.crowd_bytes_in[crowd->dir] += bytes;
	if (bytes > WAITING_MAX - member->waiting) {
		lte->cell.stats.crowd_bytes_refused[crowd->dir] += bytes;
		return;
	}
	if (member->waiting == 0) {
		member->since_ns = crowd->next_ns;
		crowd->waits[m / 64] |= UINT64_C(1) << m % 64;
		crowd->n_waiting++;
	}
	member->waiting += bytes;
}

void crowd_arrive(struct lte *lte, struct enb *enb)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;

	for (uint8_t dir = 0; dir < CROWD_DIRS; dir++) {
		struct crowd *crowd = &enb->crowd[dir];

		for (; crowd->next_ns <= lte->cell.event_ns; plan_burst(&cfg->lte.crowd, crowd))
			add_burst(lte, crowd, rng_below(&crowd->member_rng, cfg->lte.crowd.count),
			          burst_bytes(&cfg->lte.crowd, crowd));
	}
}

static uint32_t *again_in(struct crowd *crowd, uint8_t stream, uint32_t subframe)
{
	return &crowd->again[stream * AGAIN_TTIS + subframe % AGAIN_TTIS];
}

void crowd_retransmit(struct lte *lte, struct crowd *crowd, uint32_t subframe, uint8_t stream,
                      struct rb_budget *rb)
{
	uint32_t wait_tti = crowd->dir == CELL_DIR_UL ? HARQ_UL_RTT_TTI : 1, *due;
	uint16_t n_rb;

	due = again_in(crowd, stream, subframe);
	n_rb = (uint16_t)(*due < rb->free ? *due : rb->free);
	rb_reserve(rb, n_rb);
	crowd->again_rb -= n_rb;
	lte->cell.stats.crowd_rb[crowd->dir] += n_rb;
	lte->cell.stats.crowd_rb_retx[crowd->dir] += n_rb;
	*again_in(crowd, stream, subframe + wait_tti) += *due - n_rb;
	*due = 0;
}

uint32_t crowd_flows(struct lte *lte, struct crowd *crowd, uint32_t tti, struct sched_flow *ret)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t epoch = cfg->lte.crowd.cqi_period_ms ? tti / cfg->lte.crowd.cqi_period_ms : 0,
		 n = 0;

	for (uint32_t w = 0; w < words(&cfg->lte.crowd); w++)
		for (uint64_t rest = crowd->waits[w]; rest; rest &= rest - 1) {
			uint32_t m = w * 64 + (uint32_t)__builtin_ctzll(rest);
			const struct crowd_member *member = &crowd->member[m];

			if (member->cqi_epoch != epoch)
				draw_cqi(lte, crowd, m, epoch);
			ret[n++] = (struct sched_flow){
				.id = (uint16_t)(2u * cfg->n_ue + m),
				.ue = SCHED_CROWD,
				.dir = crowd->dir,
				.backlog = member->waiting,
				.waiting = member->waiting,
				.rate = phy_tbs(member->itbs, cfg->lte.n_rb),
				.delay_us =
					(uint32_t)((lte->cell.event_ns - member->since_ns) / 1000),
				.weight = cfg->lte.crowd.weight,
			};
		}
	return n;
}

/* What @member has got leaves it. */
static void take(struct lte *lte, struct crowd *crowd, uint32_t m, uint32_t bytes)
{
	struct crowd_member *member = &crowd->member[m];

	member->since_ns = lte->cell.event_ns;
	if (lte->cell.cfg.lte.crowd.arrival == CELL_CROWD_FULL_BUFFER)
		return;
	member->waiting -= bytes;
	if (member->waiting == 0) {
		crowd->waits[m / 64] &= ~(UINT64_C(1) << m % 64);
		crowd->n_waiting--;
	}
}

/* The block that is sent in @subframe takes @n_rb again for each attempt that fails. */
static void plan_attempts(struct lte *lte, struct crowd *crowd, uint32_t subframe, uint8_t stream,
                          uint16_t n_rb)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t rtt_tti = crowd->dir == CELL_DIR_UL ? HARQ_UL_RTT_TTI : cfg->harq.dl_rtt_tti, draw;

	if (cfg->harq.max_attempts == 1)
		return;
	CELL_ASSERT(cfg->harq.n_bler >= 1 && cfg->harq.n_bler <= CELL_HARQ_ATTEMPTS_MAX);
	draw = rng_u32(&crowd->error_rng);
	for (uint8_t k = 0; k + 1 < cfg->harq.max_attempts; k++) {
		uint8_t step = k < cfg->harq.n_bler ? k : (uint8_t)(cfg->harq.n_bler - 1);

		if (draw >= cfg->harq.bler_q32[step])
			break;
		*again_in(crowd, stream, subframe + (k + 1u) * rtt_tti) += n_rb;
		crowd->again_rb += n_rb;
	}
}

uint32_t crowd_issue(struct lte *lte, struct crowd *crowd, const struct sched_flow *f,
                     struct rb_budget *rb, uint32_t subframe, uint8_t stream)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint32_t m = f->id - 2u * cfg->n_ue, want = f->backlog, bytes, overhead;
	uint8_t itbs = crowd->member[m].itbs;
	uint16_t n_rb;

	if (!cfg->lte.mac.grants_ignore_headers)
		want += grant_overhead(f->backlog);
	n_rb = phy_rb_needed((enum cell_dir)crowd->dir, itbs, want, rb->free);
	bytes = phy_tbs(itbs, n_rb);
	overhead = grant_overhead(bytes);
	if (bytes <= overhead)
		return 0;
	bytes = bytes >= want ? f->backlog : bytes - overhead;
	rb_reserve(rb, n_rb);
	take(lte, crowd, m, bytes);
	plan_attempts(lte, crowd, subframe, stream, n_rb);
	lte->cell.stats.crowd_grants[crowd->dir]++;
	lte->cell.stats.crowd_bytes_out[crowd->dir] += bytes;
	lte->cell.stats.crowd_rb[crowd->dir] += n_rb;
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

uint32_t crowd_next_tti(const struct lte *lte, uint32_t from)
{
	uint32_t first = TTI_NEVER;

	for (uint8_t k = 0; lte->cell.cfg.lte.crowd.count && k < lte->cell.cfg.n_enb; k++)
		for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
			uint32_t tti = next_tti(lte, &lte->enb[k].crowd[dir], from);

			first = tti < first ? tti : first;
		}
	return first;
}

void crowd_digest(const struct lte *lte, const struct enb *enb, uint64_t *h)
{
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
		const struct crowd *crowd = &enb->crowd[dir];

		digest_mix(h, (uint64_t)crowd->next_ns);
		digest_mix(h, crowd->again_rb);
		digest_mix(h, crowd->arrival_rng.state);
		digest_mix(h, crowd->error_rng.state);
		for (uint32_t m = 0; crowd->member && m < lte->cell.cfg.lte.crowd.count; m++)
			digest_mix(h, crowd->member[m].waiting);
	}
}
