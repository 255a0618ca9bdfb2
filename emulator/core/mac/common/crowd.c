/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crowd.c - modelled UEs that only load a scheduler; see crowd.h. */
#include "mac/common/crowd.h"

#include <string.h>

#include "base/assert.h"
#include "base/digest.h"

#define WAITING_MAX (UINT32_C(1) << 30)
#define FULL_BUFFER (UINT32_C(1) << 28) /* more than any sub-frame takes */
#define EPOCH_NEVER UINT32_MAX          /* no CQI was drawn */

static uint32_t words(const struct cell_crowd_cfg *cfg)
{
	return (cfg->count + 63u) / 64;
}

static bool goes(const struct cell_crowd_cfg *cfg, uint8_t dir)
{
	return cfg->direction == CELL_CROWD_BOTH ||
	       cfg->direction == (dir == CELL_DIR_UL ? CELL_CROWD_UL : CELL_CROWD_DL);
}

struct crowd_memory crowd_take(struct arena *a, const struct cell_cfg *cfg, uint32_t n_dirs,
                               uint32_t n_blocks)
{
	size_t cells = cfg->crowd.count ? cfg->n_enb : 0;
	struct crowd_memory m;

	m.member = arena_take(a, cells * n_dirs * cfg->crowd.count, sizeof(*m.member));
	m.waits = arena_take(a, cells * n_dirs * words(&cfg->crowd), sizeof(*m.waits));
	m.again = arena_take(a, cells * n_blocks * CROWD_AGAIN, sizeof(*m.again));
	return m;
}

/* @value times @factor_q24, which is less than 32. */
static uint64_t scaled(uint64_t value, uint32_t factor_q24)
{
	return (value >> 24) * factor_q24 + ((value & 0xffffff) * factor_q24 >> 24);
}

/* Members that wait for nothing. */
static uint32_t n_reading(const struct crowd *crowd, const struct cell_crowd_cfg *cfg)
{
	return cfg->count - crowd->n_waiting;
}

/* Mean time until the next burst of any member. */
static uint64_t interval_ns(const struct cell_crowd_cfg *cfg, const struct crowd *crowd)
{
	if (cfg->arrival == CELL_CROWD_READING)
		return UINT64_C(1000000) * cfg->reading_ms / n_reading(crowd, cfg);
	return UINT64_C(8000000000) * cfg->burst_bytes /
	       ((uint64_t)cfg->offered_rate_bps * cfg->count);
}

/* The next one after @from_ns, if there will be one. */
static void plan_burst(const struct cell_crowd_cfg *cfg, struct crowd *crowd, int64_t from_ns)
{
	crowd->next_ns = CELL_NEVER;
	if (cfg->arrival != CELL_CROWD_READING || n_reading(crowd, cfg) > 0)
		crowd->next_ns =
			from_ns + (int64_t)scaled(interval_ns(cfg, crowd),
		                                  rng_exponential_q24(&crowd->arrival_rng));
}

/*
 * One more member reads from @now_ns on. What is left of the time until the next burst becomes
 * shorter, as one of @n instead of @n - 1 will ask for it; the draw stays.
 */
static void one_more_reads(const struct cell_crowd_cfg *cfg, struct crowd *crowd, int64_t now_ns)
{
	uint32_t n = n_reading(crowd, cfg);

	if (n == 1)
		plan_burst(cfg, crowd, now_ns);
	else
		crowd->next_ns = now_ns + (crowd->next_ns - now_ns) / n * (n - 1);
}

static uint32_t burst_bytes(const struct cell_crowd_cfg *cfg, struct crowd *crowd)
{
	uint32_t bytes = cfg->burst_bytes;

	if (cfg->burst_size == CELL_CROWD_EXPONENTIAL)
		bytes = (uint32_t)scaled(bytes, rng_exponential_q24(&crowd->size_rng));
	return bytes > 0 ? bytes : 1;
}

/* The CQI of member @m in period @epoch, in whatever order periods are asked for. */
static uint8_t cqi_of(const struct crowd *crowd, const struct cell_cfg *cfg, uint32_t m,
                      uint32_t epoch)
{
	const char *stream = crowd->dir == CELL_DIR_UL ? "crowd-cqi-ul" : "crowd-cqi-dl";
	struct rng rng;

	rng_init(&rng, cfg->seed, stream, (uint32_t)crowd->enb * CELL_MAX_CROWD + m);
	rng_skip(&rng, epoch);
	return cfg->crowd.cqi[rng_below(&rng, cfg->crowd.n_cqi)];
}

static void init_rngs(struct crowd *crowd, const struct cell_cfg *cfg)
{
	static const char *const streams[2][4] = {
		{ "crowd-arrival-ul", "crowd-member-ul", "crowd-size-ul", "crowd-harq-ul" },
		{ "crowd-arrival-dl", "crowd-member-dl", "crowd-size-dl", "crowd-harq-dl" },
	};
	struct rng *const rngs[4] = { &crowd->arrival_rng, &crowd->member_rng, &crowd->size_rng,
		                      &crowd->error_rng };

	for (int i = 0; i < 4; i++)
		rng_init(rngs[i], cfg->seed, streams[crowd->dir][i], crowd->enb);
}

void crowd_init(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                const struct crowd_memory *memory, uint32_t place, uint32_t *again,
                uint32_t n_blocks, uint8_t dir, uint8_t enb, int64_t start_ns)
{
	bool full = cfg->crowd.arrival == CELL_CROWD_FULL_BUFFER;

	*crowd = (struct crowd){ .next_ns = CELL_NEVER };
	if (!cfg->crowd.count || !goes(&cfg->crowd, dir))
		return;
	crowd->member = memory->member + place * cfg->crowd.count;
	crowd->waits = memory->waits + place * words(&cfg->crowd);
	crowd->again = again;
	crowd->dir = dir;
	crowd->enb = enb;
	init_rngs(crowd, cfg);
	memset(crowd->waits, 0, words(&cfg->crowd) * sizeof(*crowd->waits));
	memset(crowd->again, 0, n_blocks * CROWD_AGAIN * sizeof(*crowd->again));
	for (uint32_t m = 0; m < cfg->crowd.count; m++) {
		crowd->member[m] = (struct crowd_member){ .waiting = full ? FULL_BUFFER : 0,
			                                  .cqi_epoch = EPOCH_NEVER,
			                                  .since_ns = start_ns };
		if (full)
			crowd->waits[m / 64] |= UINT64_C(1) << m % 64;
	}
	crowd->n_waiting = full ? cfg->crowd.count : 0;
	if (!full)
		plan_burst(&cfg->crowd, crowd, start_ns);
	stats->crowd_members += cfg->crowd.count;
}

static void add_burst(struct crowd *crowd, struct cell_stats *stats, uint32_t m, uint32_t bytes)
{
	struct crowd_member *member = &crowd->member[m];

	stats->crowd_bytes_in[crowd->dir] += bytes;
	if (bytes > WAITING_MAX - member->waiting) {
		stats->crowd_bytes_refused[crowd->dir] += bytes;
		return;
	}
	if (member->waiting == 0) {
		member->since_ns = crowd->next_ns;
		crowd->waits[m / 64] |= UINT64_C(1) << m % 64;
		crowd->n_waiting++;
	}
	member->waiting += bytes;
}

/* Number @k of those that wait for nothing. */
static uint32_t reader(const struct crowd *crowd, uint32_t k)
{
	for (uint32_t w = 0;; w++) {
		uint64_t reads = ~crowd->waits[w];
		uint32_t n = (uint32_t)__builtin_popcountll(reads);

		if (k >= n) {
			k -= n;
			continue;
		}
		for (; k > 0; k--)
			reads &= reads - 1;
		return w * 64 + (uint32_t)__builtin_ctzll(reads);
	}
}

/* Whose the next burst is. */
static uint32_t draw_member(struct crowd *crowd, const struct cell_crowd_cfg *cfg)
{
	if (cfg->arrival == CELL_CROWD_READING)
		return reader(crowd, rng_below(&crowd->member_rng, n_reading(crowd, cfg)));
	return rng_below(&crowd->member_rng, cfg->count);
}

void crowd_arrive(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                  int64_t now_ns)
{
	while (crowd->next_ns <= now_ns) {
		add_burst(crowd, stats, draw_member(crowd, &cfg->crowd),
		          burst_bytes(&cfg->crowd, crowd));
		plan_burst(&cfg->crowd, crowd, crowd->next_ns);
	}
}

uint32_t crowd_flows(struct crowd *crowd, const struct cell_cfg *cfg, uint32_t epoch,
                     int64_t now_ns, uint32_t first_id, const struct crowd_formats *formats,
                     struct sched_flow *ret)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < words(&cfg->crowd); w++)
		for (uint64_t rest = crowd->waits[w]; rest; rest &= rest - 1) {
			uint32_t m = w * 64 + (uint32_t)__builtin_ctzll(rest);
			struct crowd_member *member = &crowd->member[m];

			if (member->cqi_epoch != epoch) {
				uint8_t cqi = cqi_of(crowd, cfg, m, epoch);

				member->cqi_epoch = epoch;
				member->format = formats->format(formats->of, cqi);
				member->level = formats->level(formats->of, cqi);
			}
			ret[n++] = (struct sched_flow){
				.id = (uint16_t)(first_id + m),
				.ue = SCHED_CROWD,
				.dir = crowd->dir,
				.backlog = member->waiting,
				.waiting = member->waiting,
				.rate = formats->rate(formats->of, member->format),
				.delay_us = (uint32_t)((now_ns - member->since_ns) / 1000),
				.weight = cfg->crowd.weight,
				.level = member->level,
			};
		}
	return n;
}

static uint32_t *again_at(struct crowd *crowd, uint8_t stream, uint32_t at)
{
	return &crowd->again[stream * CROWD_AGAIN + at % CROWD_AGAIN];
}

uint16_t crowd_again(struct crowd *crowd, struct cell_stats *stats, uint8_t stream, uint32_t at,
                     uint16_t free, uint32_t wait)
{
	uint32_t *due = again_at(crowd, stream, at);
	uint16_t n_rb = (uint16_t)(*due < free ? *due : free);

	crowd->again_rb -= n_rb;
	stats->crowd_rb[crowd->dir] += n_rb;
	stats->crowd_rb_retx[crowd->dir] += n_rb;
	*again_at(crowd, stream, at + wait) += *due - n_rb;
	*due = 0;
	return n_rb;
}

/* The block that is sent at time @at takes @n_rb again for each attempt that fails. */
static void plan_attempts(struct crowd *crowd, const struct cell_cfg *cfg, uint32_t at,
                          uint32_t rtt, uint8_t stream, uint16_t n_rb)
{
	uint32_t draw;

	if (cfg->harq.max_attempts == 1)
		return;
	CELL_ASSERT(cfg->harq.n_bler >= 1 && cfg->harq.n_bler <= CELL_HARQ_ATTEMPTS_MAX);
	draw = rng_u32(&crowd->error_rng);
	for (uint8_t k = 0; k + 1 < cfg->harq.max_attempts; k++) {
		uint8_t step = k < cfg->harq.n_bler ? k : (uint8_t)(cfg->harq.n_bler - 1);

		if (draw >= cfg->harq.bler_q32[step])
			break;
		*again_at(crowd, stream, at + (k + 1u) * rtt) += n_rb;
		crowd->again_rb += n_rb;
	}
}

void crowd_asked(struct sched_flow *flows, uint32_t n, uint32_t f, bool fits)
{
	flows[f].backlog = 0;
	for (uint32_t i = 0; i < n && !fits; i++)
		if (flows[i].ue == SCHED_CROWD && flows[i].rate <= flows[f].rate)
			flows[i].backlog = 0;
}

void crowd_granted(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                   uint32_t m, uint32_t bytes, uint16_t n_rb, uint8_t stream, uint32_t at,
                   uint32_t rtt, int64_t now_ns)
{
	struct crowd_member *member = &crowd->member[m];

	member->since_ns = now_ns;
	if (cfg->crowd.arrival != CELL_CROWD_FULL_BUFFER) {
		member->waiting -= bytes;
		if (member->waiting == 0) {
			crowd->waits[m / 64] &= ~(UINT64_C(1) << m % 64);
			crowd->n_waiting--;
			if (cfg->crowd.arrival == CELL_CROWD_READING)
				one_more_reads(&cfg->crowd, crowd, now_ns);
		}
	}
	plan_attempts(crowd, cfg, at, rtt, stream, n_rb);
	stats->crowd_grants[crowd->dir]++;
	stats->crowd_bytes_out[crowd->dir] += bytes;
	stats->crowd_rb[crowd->dir] += n_rb;
}

void crowd_digest(const struct crowd *crowd, const struct cell_cfg *cfg, uint64_t *h)
{
	digest_mix(h, (uint64_t)crowd->next_ns);
	digest_mix(h, crowd->again_rb);
	digest_mix(h, crowd->arrival_rng.state);
	digest_mix(h, crowd->error_rng.state);
	for (uint32_t m = 0; crowd->member && m < cfg->crowd.count; m++)
		digest_mix(h, crowd->member[m].waiting);
}
