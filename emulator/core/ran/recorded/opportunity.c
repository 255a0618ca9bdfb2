/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opportunity.c - a link of recorded delivery opportunities; see opportunity.h. */
#include "ran/recorded/opportunity.h"

#include "base/limit.h"
#include "cfg_values.h"

#define NS_PER_MS INT64_C(1000000)
#define LCID      3 /* in the trace */

static const struct limit limits[] = { CFG_RECORDED_LIMITS };

static bool in_order(const uint32_t *ms, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (ms[i] < ms[i - 1])
			return false;
	return true;
}

const char *opportunity_check(const struct cell_recorded *link, const char **ret_range)
{
	static const char *const fields[] = { "opportunity_ms of the uplink",
		                              "opportunity_ms of the downlink" };
	const char *field = LIMIT_CHECK(link, limits, ret_range);

	for (int d = 0; !field && d < 2; d++) {
		const uint32_t *ms = link->way[d].opportunity_ms;
		uint32_t n = link->way[d].n_opportunities;

		*ret_range = "at least one time, the last one above 0";
		if (!ms || n == 0 || ms[n - 1] == 0)
			return fields[d];
		*ret_range = "times that do not decrease";
		if (!in_order(ms, n))
			return fields[d];
		field = train_check(link, d, ret_range);
		if (!field)
			field = netem_check(&link->way[d].netem, ret_range);
	}
	return field;
}

static struct opportunity_link *link_of(const struct independent_link *link)
{
	return (struct opportunity_link *)link;
}

void opportunity_init(struct independent_link *base)
{
	const struct cell_cfg *cfg = &base->cell->cfg;
	const struct cell_recorded *own = cfg->ue[base->ue - 1].recorded;
	struct opportunity_link *link = link_of(base);

	link->kept = own ? own : &cfg->recorded;
	link->outage_ns = base->cell->start_ns;
	for (uint8_t d = 0; d < 2; d++) {
		link->way[d] = (struct opportunity_way){
			.at = { .from = d == CELL_DIR_UL ? base->ue : CELL_NODE_ENB,
			        .to = d == CELL_DIR_DL ? base->ue : CELL_NODE_ENB,
			        .dir = d,
			        .lcid = LCID },
			.ms = link->kept->way[d].opportunity_ms,
			.n = link->kept->way[d].n_opportunities,
			.queue.limit = link->kept->queue_pkts,
		};
		train_init(&link->way[d].train, link->kept, d);
		netem_init(base->cell, &link->way[d].netem, &link->kept->way[d].netem,
		           link->way[d].at, link->kept->delay_ms * NS_PER_MS, 0);
	}
}

/* --- times --- */

static int64_t time_ns(const struct opportunity_link *link, const struct opportunity_way *l,
                       struct opportunity o)
{
	return link->link.cell->start_ns + o.base_ns + l->ms[o.at] * NS_PER_MS;
}

static int64_t period_ns(const struct opportunity_way *l)
{
	return l->ms[l->n - 1] * NS_PER_MS;
}

/* The first opportunity that is later than @since_ns after sub-frame 0, and that was not processed.
 */
static struct opportunity later_than(const struct opportunity_way *l, int64_t since_ns)
{
	struct opportunity o = l->next;
	uint32_t rest_ms, low = 0, high = l->n - 1;

	if (o.base_ns + l->ms[o.at] * NS_PER_MS > since_ns)
		return o;
	o.base_ns = since_ns / period_ns(l) * period_ns(l);
	rest_ms = (uint32_t)((since_ns - o.base_ns) / NS_PER_MS);
	while (low < high) { /* the last one is above, as the rest is less than the period */
		uint32_t middle = low + (high - low) / 2;

		if (l->ms[middle] > rest_ms)
			high = middle;
		else
			low = middle + 1;
	}
	o.at = low;
	return o;
}

/* The next opportunity that direction @l uses, none in an outage; not without a packet. */
static struct opportunity next_used(const struct opportunity_link *link,
                                    const struct opportunity_way *l)
{
	int64_t since_ns = l->queue.sdus.head->queued_ns;

	if (since_ns < link->outage_ns - 1)
		since_ns = link->outage_ns - 1;
	return later_than(l, since_ns - link->link.cell->start_ns);
}

static int64_t next_used_ns(const struct opportunity_link *link, const struct opportunity_way *l)
{
	return l->queue.sdus.head ? time_ns(link, l, next_used(link, l)) : CELL_NEVER;
}

/* A packet is there, or leaves its train, which may be the same. */
static int64_t there_ns(const struct opportunity_way *l)
{
	int64_t way_ns = netem_next(&l->netem), train_ns = train_next(&l->train);

	return way_ns < train_ns ? way_ns : train_ns;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

int64_t opportunity_next(const struct independent_link *base)
{
	const struct opportunity_link *link = link_of(base);
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_way *l = &link->way[d];

		first_ns = earlier(first_ns, earlier(there_ns(l), next_used_ns(link, l)));
	}
	return first_ns;
}

int64_t opportunity_next_output(const struct independent_link *base)
{
	const struct opportunity_link *link = link_of(base);
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_way *l = &link->way[d];
		int64_t used_ns = next_used_ns(link, l);

		if (used_ns != CELL_NEVER)
			used_ns += netem_delay_min(&l->netem);
		first_ns = earlier(first_ns, earlier(there_ns(l), used_ns));
	}
	return first_ns;
}

/* --- packets --- */

/* A row of what happened where @l starts. */
static void record(struct cell *c, const struct opportunity_way *l, struct cell_record r)
{
	r.node = l->at.from;
	r.peer = l->at.to;
	out_record(c, &l->at, r);
}

static void record_buffer(struct cell *c, const struct opportunity_way *l)
{
	record(c, l,
	       (struct cell_record){ .event = CELL_EV_BUFFER,
	                             .bytes = l->queue.bytes,
	                             .value = (int32_t)l->queue.sdus.n });
}

static bool full(const struct opportunity_link *link, const struct rlc_sdu_queue *q, uint32_t len)
{
	uint32_t limit = link->kept->queue_bytes;

	return rlc_sdu_queue_full(q) || (limit && q->bytes + len > limit);
}

static void wait_for_busy_link(struct opportunity_link *link, struct opportunity_way *l,
                               struct pkt *p)
{
	struct cell *c = link->link.cell;

	if (full(link, &l->queue, p->len)) {
		out_drop(c, p, &l->at, CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = c->event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(&l->queue, p);
	record_buffer(c, l);
}

void opportunity_ingress(struct independent_link *base, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct opportunity_link *link = link_of(base);
	struct opportunity_way *l = &link->way[dir];
	struct cell *c = base->cell;

	record(c, l,
	       (struct cell_record){
		       .event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (l->train.record)
		train_add(&l->train, p, c->event_ns, c->event_ns - c->start_ns);
	else
		wait_for_busy_link(link, l, p);
}

bool opportunity_allows(const struct independent_link *base, const struct cell_cmd *cmd)
{
	const struct opportunity_way *way = ((const struct opportunity_link *)base)->way;
	bool trains = way[0].train.record || way[1].train.record;

	switch (cmd->type) {
	case CELL_CMD_OUTAGE:
		return cmd->value <= CELL_OUTAGE_MAX_MS;
	case CELL_CMD_FLUSH:
		return !trains;
	case CELL_CMD_DELAY:
		return netem_allows(cmd) && !trains;
	default:
		return netem_allows(cmd);
	}
}

static void flush(struct cell *c, struct opportunity_way *l)
{
	struct pkt_queue waiting = { 0 };

	rlc_sdu_queue_flush(&l->queue, rlc_sdu_queue_begun(&l->queue), &waiting);
	out_drop_all(c, &waiting, &l->at, CELL_DROP_FLUSH);
	record_buffer(c, l);
}

void opportunity_apply(struct independent_link *base, const struct cell_cmd *cmd)
{
	struct opportunity_link *link = link_of(base);
	struct cell *c = base->cell;
	int64_t until_ns = c->event_ns + cmd->value * NS_PER_MS;

	if (cmd->type == CELL_CMD_OUTAGE && until_ns > link->outage_ns)
		link->outage_ns = until_ns;
	for (int d = 0; d < 2; d++) {
		if (cmd->type == CELL_CMD_OUTAGE)
			independent_record(c, &link->way[d].at, cmd);
		else if (cmd->type == CELL_CMD_FLUSH)
			flush(c, &link->way[d]);
		else
			netem_apply(c, &link->way[d].netem, cmd);
	}
}

/* Take up to @max bytes of the first packet out of the queue. Return: bytes taken. */
static uint32_t take(struct opportunity_link *link, struct opportunity_way *l, uint32_t max)
{
	struct rlc_sdu_queue *q = &l->queue;
	struct pkt *p = q->sdus.head;
	uint32_t left = (uint32_t)p->sdu_len - q->head_sent;
	uint32_t n = left < max ? left : max;

	q->bytes -= n;
	q->head_sent = (uint16_t)(q->head_sent + n);
	if (n == left) {
		q->head_sent = 0;
		netem_send(link->link.cell, &l->netem, pkt_dequeue(&q->sdus));
	}
	return n;
}

static void use(struct opportunity_link *link, int dir)
{
	struct opportunity_way *l = &link->way[dir];
	struct cell *c = link->link.cell;
	uint32_t bytes = link->kept->bytes, left = bytes;

	l->next = next_used(link, l);
	if (++l->next.at == l->n)
		l->next = (struct opportunity){ .base_ns = l->next.base_ns + period_ns(l) };
	while (left > 0 && l->queue.sdus.head && l->queue.sdus.head->queued_ns < c->event_ns)
		left -= take(link, l, left);
	c->stats.ttis_active++;
	c->stats.mac_pdus[dir]++;
	c->stats.mac_bytes[dir] += bytes;
	c->stats.mac_padding_bytes[dir] += left;
	record(c, l,
	       (struct cell_record){ .event = CELL_EV_MAC_TX,
	                             .sn = (uint32_t)((c->event_ns - c->start_ns) / NS_PER_MS),
	                             .bytes = bytes,
	                             .value = (int32_t)left });
	record_buffer(c, l);
}

/* What is on its way first; then what leaves a train: it is sent, or waits for the busy link. */
static void arrive(struct opportunity_link *link, int dir)
{
	struct opportunity_way *l = &link->way[dir];
	struct pkt *p;

	if (netem_next(&l->netem) <= link->link.cell->event_ns) {
		netem_process(link->link.cell, &l->netem);
		return;
	}
	p = pkt_dequeue(&l->train.way);
	if (p->past_train || l->queue.sdus.head || link->link.cell->event_ns < link->outage_ns)
		wait_for_busy_link(link, l, p);
	else
		netem_send(link->link.cell, &l->netem, p);
}

void opportunity_process(struct independent_link *base)
{
	struct opportunity_link *link = link_of(base);
	int64_t now_ns = base->cell->event_ns;

	for (int d = 0; d < 2; d++)
		if (there_ns(&link->way[d]) <= now_ns) {
			arrive(link, d);
			return;
		}
	for (int d = 0; d < 2; d++)
		if (next_used_ns(link, &link->way[d]) <= now_ns) {
			use(link, d);
			return;
		}
}

void opportunity_empty(struct independent_link *base, struct pkt_queue *ret)
{
	struct opportunity_link *link = link_of(base);

	for (int d = 0; d < 2; d++) {
		pkt_queue_move(ret, &link->way[d].queue.sdus);
		pkt_queue_move(ret, &link->way[d].netem.way);
		pkt_queue_move(ret, &link->way[d].train.way);
	}
}
