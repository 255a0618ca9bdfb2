/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qos.c - what the QoS characteristics of a bearer come to; see qos.h. */
#include "mac/common/qos.h"

#include "base/digest.h"

#define UBIT_PER_BYTE INT64_C(8000000)
#define US_PER_MS     1000
#define NS_PER_US     1000
#define NS_PER_MS     INT64_C(1000000)

static void init_bucket(struct qos_bucket *b, uint32_t rate_bps, uint32_t window_ms, int64_t now_ns)
{
	int64_t most = (int64_t)rate_bps * window_ms * US_PER_MS;

	if (most < CELL_UE_MTU_MAX * UBIT_PER_BYTE)
		most = CELL_UE_MTU_MAX * UBIT_PER_BYTE;
	*b = (struct qos_bucket){ .rate_bps = rate_bps,
		                  .most_ubit = most,
		                  .tokens_ubit = most,
		                  .since_us = now_ns / NS_PER_US };
}

void qos_init(struct qos *q, const struct cell_bearer_cfg *cfg, enum cell_dir dir, int64_t now_ns)
{
	bool dl = dir == CELL_DIR_DL, direct = dir == CELL_DIR_SL;
	uint32_t gbr_bps = dl ? cfg->gbr_dl_bps : cfg->gbr_ul_bps;
	uint32_t mbr_bps = dl ? cfg->mbr_dl_bps : cfg->mbr_ul_bps;
	uint32_t window_ms =
		cfg->averaging_window_ms ? cfg->averaging_window_ms : CELL_QOS_WINDOW_MS;
	bool gbr = cfg->gbr_dl_bps > 0 || cfg->gbr_ul_bps > 0;
	uint8_t level = cfg->priority_level ? cfg->priority_level : CELL_QOS_LEVEL;

	*q = (struct qos){
		.goes_ahead = !direct && (gbr ? gbr_bps > 0 : level < CELL_QOS_LEVEL),
		.gbr = gbr,
		.level = level,
		.budget_ns = (cfg->pdb_ms ? cfg->pdb_ms : CELL_QOS_PDB_MS) * NS_PER_MS,
		.opens_ns = CELL_NEVER,
	};
	init_bucket(&q->guaranteed, direct ? 0 : gbr_bps, window_ms, now_ns);
	init_bucket(&q->most, direct ? 0 : mbr_bps, window_ms, now_ns);
}

/* A bit/s is a millionth of a bit in a microsecond. */
static int64_t tokens(const struct qos_bucket *b, int64_t now_ns)
{
	int64_t us = now_ns / NS_PER_US - b->since_us, missing = b->most_ubit - b->tokens_ubit;

	return us > missing / b->rate_bps ? b->most_ubit : b->tokens_ubit + us * b->rate_bps;
}

static void spend(struct qos_bucket *b, uint32_t bytes, int64_t least_ubit, int64_t now_ns)
{
	b->tokens_ubit = tokens(b, now_ns) - bytes * UBIT_PER_BYTE;
	b->since_us = now_ns / NS_PER_US;
	if (b->tokens_ubit < least_ubit)
		b->tokens_ubit = least_ubit;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Whole bytes of tokens that are not owed. */
static uint32_t bytes_of(int64_t tokens_ubit)
{
	int64_t bytes = tokens_ubit / UBIT_PER_BYTE;

	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

uint32_t qos_held(const struct qos *q, const struct rlc_sdu_queue *queue, int64_t now_ns)
{
	int64_t has_ubit = tokens(&q->most, now_ns);

	if (has_ubit < 0)
		return queue->bytes - (queue->head_sent ? qos_first(queue) : 0);
	return queue->bytes - smaller(queue->bytes, larger(bytes_of(has_ubit), qos_first(queue)));
}

uint32_t qos_packets(const struct qos *q, const struct rlc_sdu_queue *queue, int64_t now_ns)
{
	uint32_t held = q->most.rate_bps ? qos_held(q, queue, now_ns) : 0;

	if (held == 0)
		return queue->sdus.n;
	return (uint32_t)((uint64_t)queue->sdus.n * (queue->bytes - held) / queue->bytes) + 1;
}

uint32_t qos_ahead(const struct qos *q, uint32_t bytes, uint32_t first, int64_t now_ns)
{
	uint32_t covered;

	if (!q->goes_ahead || !q->gbr)
		return q->goes_ahead ? bytes : 0;
	covered = bytes_of(tokens(&q->guaranteed, now_ns));
	return covered >= first ? smaller(bytes, covered) : 0;
}

/* What leaves beyond the guaranteed rate is nobody's debt. */
void qos_sent(struct qos *q, uint32_t bytes, int64_t now_ns)
{
	if (q->guaranteed.rate_bps)
		spend(&q->guaranteed, bytes, 0, now_ns);
	if (!q->most.rate_bps)
		return;
	spend(&q->most, bytes, INT64_MIN, now_ns);
	if (q->most.tokens_ubit < 0)
		q->opens_ns = (q->most.since_us +
		               (q->most.rate_bps - 1 - q->most.tokens_ubit) / q->most.rate_bps) *
		              NS_PER_US;
}

static bool before(const struct qos_claim *a, const struct qos_claim *b)
{
	return a->level < b->level || (a->level == b->level && a->deadline_ns < b->deadline_ns);
}

void qos_claim_add(struct qos_claim *claims, uint32_t *n, struct qos_claim one)
{
	uint32_t at = (*n)++;

	for (; at > 0 && before(&one, &claims[at - 1]); at--)
		claims[at] = claims[at - 1];
	claims[at] = one;
}

void qos_digest(const struct qos *q, uint64_t *h)
{
	if (!q->guaranteed.rate_bps && !q->most.rate_bps)
		return;
	digest_mix(h, (uint64_t)q->guaranteed.tokens_ubit);
	digest_mix(h, (uint64_t)q->most.tokens_ubit);
	digest_mix(h, (uint64_t)q->opens_ns);
}
