/* SPDX-License-Identifier: GPL-2.0-or-later */
/* times.c - times of a UE's handovers that are drawn for each; see times.h. */
#include "ran/handover/times.h"

#define NS_PER_MS   INT64_C(1000000)
#define NS_PER_US   INT64_C(1000)
#define N_QUANTILES 6
#define ONE_Q16     INT64_C(65536)

static const uint8_t percent[N_QUANTILES] = { 5, 25, 50, 75, 95, 99 };

struct quantiles {
	uint16_t ms[N_QUANTILES];
};

static struct quantiles quantiles_of(const struct cell_times_cfg *cfg)
{
	return (struct quantiles){ { cfg->p5_ms, cfg->p25_ms, cfg->p50_ms, cfg->p75_ms, cfg->p95_ms,
		                     cfg->p99_ms } };
}

static bool decreases(const struct cell_times_cfg *cfg)
{
	struct quantiles q = quantiles_of(cfg);

	for (int k = 1; cfg->on && k < N_QUANTILES; k++)
		if (q.ms[k] < q.ms[k - 1])
			return true;
	return false;
}

const char *times_check(const struct cell_handover_cfg *cfg, const char **ret_range)
{
	*ret_range = "quantiles that do not decrease";
	if (decreases(&cfg->detach_times))
		return "handover.detach_times";
	return decreases(&cfg->preparation_times) ? "handover.preparation_times" : NULL;
}

void times_init(struct handover_times *t, uint64_t seed, uint8_t ue)
{
	rng_init(&t->detach_rng, seed, "detach", ue);
	rng_init(&t->preparation_rng, seed, "preparation", ue);
}

int64_t times_draw_ns(const struct cell_times_cfg *cfg, struct rng *r)
{
	int64_t at_q16 = (int64_t)(rng_u32(r) >> 16) * 100; /* per cent */
	struct quantiles q = quantiles_of(cfg);
	int k = 0;

	while (k < N_QUANTILES && at_q16 >= percent[k] * ONE_Q16)
		k++;
	if (k == 0 || k == N_QUANTILES)
		return q.ms[k == 0 ? 0 : N_QUANTILES - 1] * NS_PER_MS;
	return q.ms[k - 1] * NS_PER_MS + (q.ms[k] - q.ms[k - 1]) * NS_PER_MS *
	                                         (at_q16 - percent[k - 1] * ONE_Q16) /
	                                         ((percent[k] - percent[k - 1]) * ONE_Q16);
}

int64_t times_detach_ns(const struct cell *c, struct handover_times *t, int64_t fixed_ns)
{
	const struct cell_times_cfg *cfg = &c->cfg.handover.detach_times;

	return cfg->on ? times_draw_ns(cfg, &t->detach_rng) : fixed_ns;
}

int64_t times_admission_ns(const struct cell *c, struct handover_times *t)
{
	const struct cell_times_cfg *cfg = &c->cfg.handover.preparation_times;
	int64_t messages_ns = 2 * c->cfg.handover.signalling_us * NS_PER_US, all_ns;

	if (!cfg->on)
		return 0;
	all_ns = times_draw_ns(cfg, &t->preparation_rng);
	return all_ns > messages_ns ? all_ns - messages_ns : 0;
}
