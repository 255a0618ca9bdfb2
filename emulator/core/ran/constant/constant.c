/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * constant.c - links of constant rate in place of a radio: what TCP does where nothing changes, to
 * compare with.
 *
 * Each UE has a link of its own, and each direction of it a queue and a rate. The first packet of
 * the queue is sent for as long as its bits take at that rate, then it is on its way for a constant
 * delay, or is lost with a constant probability; what else may happen on the way is in netem.h.
 * Nobody shares. A packet's serialisation ends at a whole nanosecond after its last bit, so that a
 * busy link never exceeds its rate.
 */
#include "base/digest.h"
#include "base/out.h"
#include "base/rng.h"
#include "ran/independent/independent.h"
#include "ran/independent/netem.h"
#include "rlc/common/digest.h"

#define NS_PER_MS     INT64_C(1000000)
#define NS_PER_S      INT64_C(1000000000)
#define LCID          3 /* in the trace */
#define BITS_PER_BYTE 8

struct constant_way {
	struct out_at at;
	struct rlc_sdu_queue queue;
	struct netem netem; /* what becomes of packets that were sent */
	int64_t sent_ns; /* when the first packet of the queue is; CELL_NEVER when there is none */
	int64_t outage_ns; /* nothing is sent until then */
	uint32_t rate_bps;
};

struct constant_link {
	struct independent_link link; /* first */
	struct constant_way way[2];   /* CELL_DIR_UL, CELL_DIR_DL */
};

static struct constant_link *link_of(const struct independent_link *l)
{
	return (struct constant_link *)l;
}

/* A row of what happened where a direction starts. */
static void record(struct cell *c, const struct constant_way *l, struct cell_record r)
{
	r.node = l->at.from;
	r.peer = l->at.to;
	out_record(c, &l->at, r);
}

static void record_buffer(struct cell *c, const struct constant_way *l)
{
	record(c, l,
	       (struct cell_record){ .event = CELL_EV_BUFFER,
	                             .bytes = l->queue.bytes,
	                             .value = (int32_t)l->queue.sdus.n });
}

/* The first packet of the queue starts to be sent now, or after an outage. */
static void start(struct constant_way *l, int64_t now_ns)
{
	const struct pkt *p = l->queue.sdus.head;

	if (p)
		l->sent_ns = (now_ns > l->outage_ns ? now_ns : l->outage_ns) +
		             (p->len * BITS_PER_BYTE * NS_PER_S + l->rate_bps - 1) / l->rate_bps;
	else
		l->sent_ns = CELL_NEVER;
}

static void init(struct independent_link *link)
{
	const struct cell_cfg *cfg = &link->cell->cfg;

	for (uint8_t d = 0; d < 2; d++) {
		struct constant_way *l = &link_of(link)->way[d];
		bool dl = d == CELL_DIR_DL;

		*l = (struct constant_way){
			.at = { .from = dl ? CELL_NODE_ENB : link->ue,
			        .to = dl ? link->ue : CELL_NODE_ENB,
			        .dir = d,
			        .lcid = LCID },
			.queue.limit = cfg->constant.queue_pkts,
			.sent_ns = CELL_NEVER,
			.rate_bps = dl ? cfg->constant.dl_rate_bps : cfg->constant.ul_rate_bps,
			.outage_ns = link->cell->start_ns,
		};
		netem_init(link->cell, &l->netem, &cfg->constant.netem[d], l->at,
		           cfg->constant.delay_ms * NS_PER_MS,
		           dl ? cfg->constant.loss_dl_q32 : cfg->constant.loss_ul_q32);
	}
}

static void ingress(struct independent_link *link, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct constant_way *l = &link_of(link)->way[dir];
	struct cell *c = link->cell;

	record(c, l,
	       (struct cell_record){
		       .event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (rlc_sdu_queue_full(&l->queue)) {
		out_drop(c, p, &l->at, CELL_DROP_QUEUE_FULL);
		return;
	}
	p->sdu_len = p->len;
	rlc_sdu_queue_push(&l->queue, p);
	if (l->queue.sdus.n == 1)
		start(l, c->event_ns);
	record_buffer(c, l);
}

static bool allows(const struct independent_link *link, const struct cell_cmd *cmd)
{
	(void)link;
	switch (cmd->type) {
	case CELL_CMD_RATE:
		return cmd->dir < CELL_DIR_SL && cmd->value >= CELL_RATE_MIN_BPS &&
		       cmd->value <= CELL_RATE_MAX_BPS;
	case CELL_CMD_OUTAGE:
		return cmd->value <= CELL_OUTAGE_MAX_MS;
	case CELL_CMD_FLUSH:
		return true;
	default:
		return netem_allows(cmd);
	}
}

/* Bits of the first packet that are left go at the new rate. */
static void change_rate(struct constant_way *l, uint32_t rate_bps, int64_t now_ns)
{
	int64_t from_ns = now_ns > l->outage_ns ? now_ns : l->outage_ns;

	if (l->sent_ns != CELL_NEVER)
		l->sent_ns =
			from_ns + ((l->sent_ns - from_ns) * l->rate_bps + rate_bps - 1) / rate_bps;
	l->rate_bps = rate_bps;
}

/* Later than one that is not over yet. */
static void stop(struct constant_way *l, int64_t now_ns, int64_t until_ns)
{
	int64_t from_ns = now_ns > l->outage_ns ? now_ns : l->outage_ns;

	if (until_ns <= from_ns)
		return;
	if (l->sent_ns != CELL_NEVER)
		l->sent_ns += until_ns - from_ns;
	l->outage_ns = until_ns;
}

/* The first packet goes on being sent. */
static void flush(struct cell *c, struct constant_way *l)
{
	struct pkt_queue waiting = { 0 };

	if (!l->queue.sdus.head)
		return;
	rlc_sdu_queue_flush(&l->queue, l->queue.sdus.head, &waiting);
	out_drop_all(c, &waiting, &l->at, CELL_DROP_FLUSH);
	record_buffer(c, l);
}

static void apply(struct independent_link *link, const struct cell_cmd *cmd)
{
	struct cell *c = link->cell;

	for (int d = 0; d < 2; d++) {
		struct constant_way *l = &link_of(link)->way[d];

		if (cmd->type == CELL_CMD_RATE && cmd->dir == d)
			change_rate(l, cmd->value, c->event_ns);
		else if (cmd->type == CELL_CMD_OUTAGE)
			stop(l, c->event_ns, c->event_ns + cmd->value * NS_PER_MS);
		else if (cmd->type == CELL_CMD_FLUSH) {
			flush(c, l);
			continue;
		} else {
			netem_apply(c, &l->netem, cmd);
			continue;
		}
		independent_record(c, &l->at, cmd);
	}
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static int64_t next(const struct independent_link *link)
{
	const struct constant_way *l = link_of(link)->way;

	return earlier(earlier(l[0].sent_ns, netem_next(&l[0].netem)),
	               earlier(l[1].sent_ns, netem_next(&l[1].netem)));
}

static int64_t next_output(const struct independent_link *link)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct constant_way *l = &link_of(link)->way[d];
		int64_t there_ns = l->sent_ns;

		if (there_ns != CELL_NEVER)
			there_ns += netem_delay_min(&l->netem);
		first_ns = earlier(first_ns, earlier(netem_next(&l->netem), there_ns));
	}
	return first_ns;
}

/* The last bit of the first packet has gone. */
static void sent(struct cell *c, struct constant_way *l)
{
	struct pkt *p = rlc_sdu_queue_discard(&l->queue);

	start(l, c->event_ns);
	record_buffer(c, l);
	netem_send(c, &l->netem, p);
}

static void process(struct independent_link *link)
{
	struct cell *c = link->cell;

	for (int d = 0; d < 2; d++) {
		struct constant_way *l = &link_of(link)->way[d];

		if (netem_next(&l->netem) <= c->event_ns) {
			netem_process(c, &l->netem);
			return;
		}
		if (l->sent_ns <= c->event_ns) {
			sent(c, l);
			return;
		}
	}
}

static void empty(struct independent_link *link, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++) {
		pkt_queue_move(ret, &link_of(link)->way[d].queue.sdus);
		pkt_queue_move(ret, &link_of(link)->way[d].netem.way);
	}
}

static void digest(const struct independent_link *link, uint64_t *h)
{
	for (int d = 0; d < 2; d++) {
		const struct constant_way *l = &link_of(link)->way[d];

		rlc_digest_sdus(h, &l->queue);
		netem_digest(&l->netem, h);
		digest_mix(h, (uint64_t)l->sent_ns);
		digest_mix(h, (uint64_t)l->outage_ns);
		digest_mix(h, l->rate_bps);
	}
}

static const struct independent_kind kind = {
	.bytes = sizeof(struct constant_link),
	.init = init,
	.ingress = ingress,
	.allows = allows,
	.apply = apply,
	.next = next,
	.process = process,
	.next_output = next_output,
	.empty = empty,
	.digest = digest,
};

/* One event is a packet that comes, is sent or is there: at most two rows and a drop or a delivery
 * with its row, or a row of a copy; at the end all packets are dropped. */
static size_t out_min(const struct cell_cfg *cfg)
{
	return (size_t)cfg->max_pkts * 2 + 8;
}

static const char *check(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = netem_check(&cfg->constant.netem[CELL_DIR_UL], ret_range);

	if (!field)
		field = netem_check(&cfg->constant.netem[CELL_DIR_DL], ret_range);
	return field ? field : independent_check(cfg, ret_range);
}

static struct cell *lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	return independent_lay_out(a, cfg, &kind, sizeof(struct independent));
}

const struct ran ran_constant = {
	.check = check,
	.out_min = out_min,
	.lay_out = lay_out,
	.init = independent_init,
	.ingress = independent_ingress,
	.allows = independent_allows,
	.apply = independent_apply,
	.next = independent_next,
	.has_room = independent_has_room,
	.process = independent_process,
	.next_output = independent_next_output,
	.transit_min = independent_transit_min,
	.release = independent_release,
	.empty = independent_empty,
	.digest = independent_digest,
};
