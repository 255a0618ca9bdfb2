/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netem.c - what netem does to packets on their way; see netem.h. */
#include "ran/independent/netem.h"

#include <string.h>

#include "base/digest.h"
#include "base/limit.h"
#include "cfg_values.h"
#include "ran/independent/jitter.h"

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)

/* The sum of so many uniform numbers has the variance of one normal number. */
#define NORMAL_SUMMANDS 12

/* States of CELL_NETEM_LOSS_STATE, in the order of tc-netem(8), and of CELL_NETEM_LOSS_GEMODEL. */
enum { STATE_GAP, STATE_BURST_RECEIVED, STATE_BURST_LOST, STATE_GAP_LOST };
enum { STATE_GOOD, STATE_BAD };

static const struct limit limits[] = { CFG_NETEM_LIMITS };

static const char *check_delays(const struct cell_netem *cfg, const char **ret_range)
{
	uint32_t n = cfg->n_delays;

	*ret_range = "none, or two or more, the last one later than 0";
	if (n == 1 || (n > 0 && (!cfg->delay || cfg->delay[n - 1].at_ms == 0)))
		return "delay";
	*ret_range = "times that do not decrease, and delays of at most 10000000 us";
	for (uint32_t i = 0; i < n; i++)
		if (cfg->delay[i].delay_us > 10000000 ||
		    (i > 0 && cfg->delay[i].at_ms < cfg->delay[i - 1].at_ms))
			return "delay";
	return NULL;
}

const char *netem_check(const struct cell_netem *cfg, const char **ret_range)
{
	const char *field = LIMIT_CHECK(cfg, limits, ret_range);

	return field ? field : check_delays(cfg, ret_range);
}

void netem_init(struct cell *c, struct netem *n, const struct cell_netem *cfg, struct out_at at,
                int64_t delay_ns, uint32_t loss_q32)
{
	uint64_t seed = c->cfg.seed;
	bool dl = at.dir == CELL_DIR_DL;
	uint8_t ue = dl ? at.to : at.from;

	*n = (struct netem){ .cfg = cfg,
		             .at = at,
		             .port = dl ? ue : ue | CELL_PORT_NETWORK,
		             .delay_ns = delay_ns,
		             .loss_q32 = loss_q32 };
	rng_init(&n->link_rng, seed, dl ? "loss-dl" : "loss-ul", ue);
	rng_init(&n->loss_rng, seed, dl ? "netem-loss-dl" : "netem-loss-ul", ue);
	rng_init(&n->jitter.rng, seed, dl ? "netem-jitter-dl" : "netem-jitter-ul", ue);
	rng_init(&n->reorder.rng, seed, dl ? "netem-reorder-dl" : "netem-reorder-ul", ue);
	rng_init(&n->duplicate.rng, seed, dl ? "netem-duplicate-dl" : "netem-duplicate-ul", ue);
	rng_init(&n->corrupt.rng, seed, dl ? "netem-corrupt-dl" : "netem-corrupt-ul", ue);
	if (cfg->duplicate_q32)
		independent_of(c)->copies = true;
	rng_init(&n->slot_rng, seed, dl ? "netem-slot-dl" : "netem-slot-ul", ue);
}

/* --- loss --- */

/* Source: Salsano; tc-netem(8) */
static bool lost_by_state(struct netem *n)
{
	const struct cell_netem *cfg = n->cfg;
	uint32_t drawn = rng_u32(&n->loss_rng);

	switch (n->state) {
	case STATE_GAP:
		if (drawn < cfg->p14_q32)
			n->state = STATE_GAP_LOST;
		else if (drawn - cfg->p14_q32 < cfg->p13_q32)
			n->state = STATE_BURST_LOST;
		break;
	case STATE_BURST_RECEIVED:
		if (drawn < cfg->p23_q32)
			n->state = STATE_BURST_LOST;
		break;
	case STATE_BURST_LOST:
		if (drawn < cfg->p32_q32)
			n->state = STATE_BURST_RECEIVED;
		else if (drawn - cfg->p32_q32 < cfg->p31_q32)
			n->state = STATE_GAP;
		break;
	default:
		n->state = STATE_GAP;
		break;
	}
	return n->state == STATE_BURST_LOST || n->state == STATE_GAP_LOST;
}

/* A packet meets the state that the one before left. Source: tc-netem(8) */
static bool lost_by_gemodel(struct netem *n)
{
	const struct cell_netem *cfg = n->cfg;
	bool bad = n->state == STATE_BAD;
	bool leaves = rng_hit(&n->loss_rng, bad ? cfg->r_q32 : cfg->p_q32);
	bool lost = rng_hit(&n->loss_rng, bad ? cfg->bad_q32 : cfg->good_q32);

	if (leaves)
		n->state = bad ? STATE_GOOD : STATE_BAD;
	return lost;
}

static bool lost_by_model(struct netem *n)
{
	switch (n->cfg->loss) {
	case CELL_NETEM_LOSS_RANDOM:
		return rng_hit(&n->loss_rng, n->cfg->random_q32);
	case CELL_NETEM_LOSS_STATE:
		return lost_by_state(n);
	case CELL_NETEM_LOSS_GEMODEL:
		return lost_by_gemodel(n);
	default:
		return false;
	}
}

static bool lost_by_trace(struct netem *n)
{
	bool lost;

	if (n->cfg->n_lost == 0)
		return false;
	lost = n->cfg->lost[n->lost_at];
	n->lost_at = (n->lost_at + 1) % n->cfg->n_lost;
	return lost;
}

/* --- delay --- */

/* Uniform over 32 bits, and near the last number by so much. Source: tc-netem(8) */
static uint32_t draw(struct netem_draw *d, uint32_t correlation_q32)
{
	uint64_t drawn = rng_u32(&d->rng), weight = (uint64_t)correlation_q32 + 1;

	if (correlation_q32)
		drawn = (drawn * ((UINT64_C(1) << 32) - weight) + d->last * weight) >> 32;
	d->last = (uint32_t)drawn;
	return d->last;
}

/* Standard deviation 1 times 2^20. */
static int64_t normal_q20(struct rng *r)
{
	int64_t sum = 0;

	for (int i = 0; i < NORMAL_SUMMANDS; i++)
		sum += rng_u32(r) >> 12;
	return sum - (INT64_C(NORMAL_SUMMANDS / 2) << 20);
}

static int64_t jitter_ns(struct netem *n)
{
	int64_t most_ns = n->cfg->jitter_us * NS_PER_US;

	if (most_ns == 0)
		return 0;
	if (n->cfg->distribution == CELL_NETEM_NORMAL)
		return n->cfg->jitter_us * normal_q20(&n->jitter.rng) * NS_PER_US / (1 << 20);
	if (n->cfg->distribution == CELL_NETEM_PARETO)
		return most_ns * jitter_pareto(rng_u32(&n->jitter.rng)) / JITTER_ONE;
	if (n->cfg->distribution == CELL_NETEM_PARETO_NORMAL)
		return most_ns * jitter_pareto_normal(rng_u32(&n->jitter.rng)) / JITTER_ONE;
	return (2 * most_ns * (draw(&n->jitter, n->cfg->jitter_correlation_q32) >> 4) >> 28) -
	       most_ns;
}

/* The last entry that is not later, in the period. */
static int64_t trace_ns(const struct netem *n, int64_t since_ns)
{
	const struct cell_delay *delay = n->cfg->delay;
	uint32_t low = 0, high = n->cfg->n_delays;
	int64_t at_ms;

	if (high == 0)
		return 0;
	at_ms = since_ns / NS_PER_MS % delay[high - 1].at_ms;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (delay[middle].at_ms <= at_ms)
			low = middle;
		else
			high = middle;
	}
	return delay[low].delay_us * NS_PER_US;
}

static bool reordered(struct netem *n)
{
	const struct cell_netem *cfg = n->cfg;

	if (cfg->reorder_q32 == 0 || n->since + 1 < cfg->reorder_gap ||
	    draw(&n->reorder, cfg->reorder_correlation_q32) >= cfg->reorder_q32) {
		n->since++;
		return false;
	}
	n->since = 0;
	return true;
}

static int64_t there_ns(const struct cell *c, struct netem *n)
{
	int64_t now_ns = c->event_ns, t_ns;

	if (reordered(n))
		return now_ns;
	t_ns = now_ns + n->delay_ns + n->cfg->delay_us * NS_PER_US +
	       trace_ns(n, now_ns - c->start_ns);
	if (t_ns < n->in_order_ns)
		t_ns = n->in_order_ns;
	n->in_order_ns = t_ns;
	t_ns += jitter_ns(n);
	return t_ns < now_ns ? now_ns : t_ns;
}

static void put(struct netem *n, struct pkt *p)
{
	struct pkt *before = NULL;

	if (!n->way.tail || n->way.tail->queued_ns <= p->queued_ns) {
		pkt_enqueue(&n->way, p);
		return;
	}
	for (struct pkt *q = n->way.head; q->queued_ns <= p->queued_ns; q = q->next)
		before = q;
	pkt_queue_insert(&n->way, before, p);
}

/* --- changes --- */

bool netem_allows(const struct cell_cmd *cmd)
{
	return (cmd->type == CELL_CMD_LOSS && cmd->dir < CELL_DIR_SL) ||
	       (cmd->type == CELL_CMD_DELAY && cmd->value <= CELL_DELAY_MAX_MS);
}

void netem_apply(struct cell *c, struct netem *n, const struct cell_cmd *cmd)
{
	if (cmd->type == CELL_CMD_LOSS && cmd->dir == n->at.dir)
		n->loss_q32 = cmd->value;
	else if (cmd->type == CELL_CMD_DELAY)
		n->delay_ns = cmd->value * NS_PER_MS;
	else
		return;
	independent_record(c, &n->at, cmd);
}

/* --- packets --- */

/* A bit of @p may be another one when it arrives. */
static void corrupt(struct netem *n, struct pkt *p)
{
	const struct cell_netem *cfg = n->cfg;
	uint32_t bit;

	if (cfg->corrupt_q32 == 0 ||
	    draw(&n->corrupt, cfg->corrupt_correlation_q32) >= cfg->corrupt_q32)
		return;
	bit = rng_below(&n->corrupt.rng, 8u * p->len);
	pkt_data(p)[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* A copy of @p enters where that did. */
static void copy(struct cell *c, struct netem *n, const struct pkt *p)
{
	struct pkt *twin = base_pkt_originate(c);

	if (!twin)
		return;
	twin->tag = p->tag;
	twin->port = p->port;
	twin->len = p->len;
	memcpy(pkt_data(twin), p->buf + PKT_HEADROOM + p->shift, p->len);
	out_record(c, &n->at,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = n->at.from,
	                                 .peer = n->at.to,
	                                 .pkt = twin->id,
	                                 .tag = twin->tag,
	                                 .bytes = twin->len,
	                                 .sn = p->id,
	                                 .aux = 1 });
	twin->queued_ns = there_ns(c, n);
	put(n, twin);
	corrupt(n, twin);
}

void netem_send(struct cell *c, struct netem *n, struct pkt *p)
{
	bool of_link = rng_hit(&n->link_rng, n->loss_q32);
	bool in_trace = lost_by_trace(n), in_model = lost_by_model(n);

	p->sdu_len = 0;
	if (of_link || in_trace || in_model) {
		out_drop(c, p, &n->at, CELL_DROP_RADIO_LOSS);
		return;
	}
	p->queued_ns = there_ns(c, n);
	put(n, p);
	if (n->cfg->duplicate_q32 &&
	    draw(&n->duplicate, n->cfg->duplicate_correlation_q32) < n->cfg->duplicate_q32)
		copy(c, n, p);
	corrupt(n, p);
}

static bool has_slots(const struct netem *n)
{
	return n->cfg->slot_us || n->cfg->slot_more_us;
}

static bool waits_for_slot(const struct netem *n)
{
	return has_slots(n) && n->way.head->queued_ns > n->slot_ns;
}

int64_t netem_next(const struct netem *n)
{
	if (!n->way.head)
		return CELL_NEVER;
	if (!has_slots(n) || waits_for_slot(n))
		return n->way.head->queued_ns;
	return n->slot_ns;
}

static void open_slot(struct cell *c, struct netem *n)
{
	const struct cell_netem *cfg = n->cfg;

	n->slot_ns = c->event_ns +
	             (cfg->slot_us + rng_below(&n->slot_rng, cfg->slot_more_us + 1)) * NS_PER_US;
	n->slot_packets = cfg->slot_packets ? cfg->slot_packets : UINT32_MAX;
	n->slot_bytes = cfg->slot_bytes ? cfg->slot_bytes : UINT32_MAX;
}

void netem_process(struct cell *c, struct netem *n)
{
	struct pkt *p;

	if (waits_for_slot(n)) {
		open_slot(c, n);
		return;
	}
	p = pkt_dequeue(&n->way);
	if (has_slots(n)) {
		n->slot_packets--;
		n->slot_bytes -= p->len < n->slot_bytes ? p->len : n->slot_bytes;
		if (n->slot_packets == 0 || n->slot_bytes == 0)
			open_slot(c, n);
	}
	out_deliver(c, p, n->port);
}

int64_t netem_delay_min(const struct netem *n)
{
	bool overtakes = n->cfg->jitter_us || n->cfg->reorder_q32;

	return overtakes ? 0 : n->delay_ns + n->cfg->delay_us * NS_PER_US;
}

void netem_digest(const struct netem *n, uint64_t *h)
{
	digest_mix_queue(h, &n->way);
	digest_mix(h, n->way.head ? (uint64_t)n->way.head->queued_ns : 0);
	digest_mix(h, (uint64_t)n->delay_ns);
	digest_mix(h, n->loss_q32);
	digest_mix(h, n->link_rng.state);
	digest_mix(h, n->loss_rng.state);
	digest_mix(h, n->jitter.rng.state);
	digest_mix(h, n->jitter.last);
	digest_mix(h, n->reorder.rng.state);
	digest_mix(h, n->reorder.last);
	digest_mix(h, n->duplicate.rng.state);
	digest_mix(h, n->duplicate.last);
	digest_mix(h, n->slot_rng.state);
	digest_mix(h, n->corrupt.rng.state);
	digest_mix(h, n->corrupt.last);
	digest_mix(h, n->state);
	digest_mix(h, n->lost_at);
	digest_mix(h, n->since);
	digest_mix(h, (uint64_t)n->in_order_ns);
	digest_mix(h, (uint64_t)n->slot_ns);
	digest_mix(h, n->slot_packets);
	digest_mix(h, n->slot_bytes);
}
