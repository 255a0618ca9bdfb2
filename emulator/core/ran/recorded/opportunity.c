/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opportunity.c - a link of recorded delivery opportunities; see opportunity.h. */
#include "ran/recorded/opportunity.h"

#define NS_PER_MS INT64_C(1000000)
#define LCID      3 /* in the trace */

static bool in_order(const uint32_t *ms, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (ms[i] < ms[i - 1])
			return false;
	return true;
}

const char *opportunity_check(const struct cell_cfg *cfg, const char **ret_range)
{
	static const char *const fields[] = { "opportunity_ms of the uplink",
		                              "opportunity_ms of the downlink" };

	for (int d = 0; d < 2; d++) {
		const uint32_t *ms = cfg->opportunity_ms[d];
		uint32_t n = cfg->n_opportunities[d];
		const char *field;

		*ret_range = "at least one time, the last one above 0";
		if (!ms || n == 0 || ms[n - 1] == 0)
			return fields[d];
		*ret_range = "times that do not decrease";
		if (!in_order(ms, n))
			return fields[d];
		field = train_check(cfg, d, ret_range);
		if (field)
			return field;
	}
	*ret_range = "1 behind a packet-delivery trace";
	if (cfg->n_ue != 1)
		return "n_ue";
	*ret_range = "1 without S-GW, behind a packet-delivery trace";
	if (cfg->n_enb != 1 || cfg->sgw_gtpu_addr)
		return "n_enb";
	*ret_range = "the network";
	return cfg->ue[0].peer != CELL_PEER_NETWORK ? "peer" : NULL;
}

void opportunity_init(struct cell *c)
{
	struct ue *ue = &c->ue[0];

	*ue = (struct ue){ .id = 1, .rnti = c->cfg.ue[0].rnti, .mode = CELL_MODE_IM };
	for (uint8_t d = 0; d < 2; d++) {
		ue->leg[d] = (struct leg){ .ue = 1, .dir = d, .lcid = LCID };
		c->link->leg[d] = (struct opportunity_leg){
			.ms = c->cfg.opportunity_ms[d],
			.n = c->cfg.n_opportunities[d],
			.queue.limit = c->cfg.opportunity_queue_pkts,
		};
		train_init(&c->link->leg[d].train, &c->cfg, d);
	}
}

/* Arrival: two rows and a drop. Departure: one opportunity has one row and one of the buffer. */
size_t opportunity_out_min(const struct cell_cfg *cfg)
{
	return (size_t)cfg->max_pkts * 3 + 64;
}

/* --- times --- */

static int64_t time_ns(const struct cell *c, const struct opportunity_leg *l, struct opportunity o)
{
	return c->start_ns + o.base_ns + l->ms[o.at] * NS_PER_MS;
}

static int64_t period_ns(const struct opportunity_leg *l)
{
	return l->ms[l->n - 1] * NS_PER_MS;
}

/* The first opportunity that is later than @since_ns after sub-frame 0, and that was not processed.
 */
static struct opportunity later_than(const struct opportunity_leg *l, int64_t since_ns)
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

/* The next opportunity that leg @l uses; not without a packet. */
static struct opportunity next_used(const struct cell *c, const struct opportunity_leg *l)
{
	return later_than(l, l->queue.sdus.head->queued_ns - c->start_ns);
}

static int64_t next_used_ns(const struct cell *c, const struct opportunity_leg *l)
{
	return l->queue.sdus.head ? time_ns(c, l, next_used(c, l)) : CELL_NEVER;
}

/* A packet is there, or leaves its train, which may be the same. */
static int64_t there_ns(const struct opportunity_leg *l)
{
	int64_t way_ns = l->way.head ? l->way.head->queued_ns : CELL_NEVER;
	int64_t train_ns = train_next(&l->train);

	return way_ns < train_ns ? way_ns : train_ns;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

int64_t opportunity_next(const struct cell *c)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &c->link->leg[d];

		first_ns = earlier(first_ns, earlier(there_ns(l), next_used_ns(c, l)));
	}
	return first_ns;
}

int64_t opportunity_next_output(const struct cell *c)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &c->link->leg[d];
		int64_t used_ns = next_used_ns(c, l);

		if (used_ns != CELL_NEVER)
			used_ns += c->cfg.opportunity_delay_ms * NS_PER_MS;
		first_ns = earlier(first_ns, earlier(there_ns(l), used_ns));
	}
	return first_ns;
}

/* --- packets --- */

/* A row of what happened where leg @dir begins. */
static void record(struct cell *c, int dir, struct cell_record r)
{
	r.node = dir == CELL_DIR_DL ? CELL_NODE_ENB : 1;
	r.peer = dir == CELL_DIR_DL ? 1 : CELL_NODE_ENB;
	out_record(c, &c->ue[0].leg[dir], r);
}

static void record_buffer(struct cell *c, int dir)
{
	const struct rlc_sdu_queue *q = &c->link->leg[dir].queue;

	record(c, dir,
	       (struct cell_record){
		       .event = CELL_EV_BUFFER, .bytes = q->bytes, .value = (int32_t)q->sdus.n });
}

static bool full(const struct cell *c, const struct rlc_sdu_queue *q, uint32_t len)
{
	uint32_t limit = c->cfg.opportunity_queue_bytes;

	return rlc_sdu_queue_full(q) || (limit && q->bytes + len > limit);
}

static void wait_for_busy_link(struct cell *c, int dir, struct pkt *p)
{
	struct rlc_sdu_queue *q = &c->link->leg[dir].queue;

	if (full(c, q, p->len)) {
		out_drop(c, p, &c->ue[0].leg[dir], CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = c->event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(q, p);
	record_buffer(c, dir);
}

void opportunity_ingress(struct cell *c, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct train *t = &c->link->leg[dir].train;

	record(c, dir,
	       (struct cell_record){
		       .event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (t->record)
		train_add(t, p, c->event_ns, c->event_ns - c->start_ns);
	else
		wait_for_busy_link(c, dir, p);
}

/* Take up to @max bytes of the first packet out of the queue. Return: bytes taken. */
static uint32_t take(struct cell *c, struct opportunity_leg *l, uint32_t max)
{
	struct rlc_sdu_queue *q = &l->queue;
	struct pkt *p = q->sdus.head;
	uint32_t left = (uint32_t)p->sdu_len - q->head_sent;
	uint32_t n = left < max ? left : max;

	q->bytes -= n;
	q->head_sent = (uint16_t)(q->head_sent + n);
	if (n == left) {
		q->head_sent = 0;
		p->queued_ns = c->event_ns + c->cfg.opportunity_delay_ms * NS_PER_MS;
		pkt_enqueue(&l->way, pkt_dequeue(&q->sdus));
	}
	return n;
}

static void use(struct cell *c, int dir)
{
	struct opportunity_leg *l = &c->link->leg[dir];
	uint32_t left = c->cfg.opportunity_bytes;

	l->next = next_used(c, l);
	if (++l->next.at == l->n)
		l->next = (struct opportunity){ .base_ns = l->next.base_ns + period_ns(l) };
	while (left > 0 && l->queue.sdus.head && l->queue.sdus.head->queued_ns < c->event_ns)
		left -= take(c, l, left);
	c->stats.ttis_active++;
	c->stats.mac_pdus[dir]++;
	c->stats.mac_bytes[dir] += c->cfg.opportunity_bytes;
	c->stats.mac_padding_bytes[dir] += left;
	record(c, dir,
	       (struct cell_record){ .event = CELL_EV_MAC_TX,
	                             .sn = (uint32_t)((c->event_ns - c->start_ns) / NS_PER_MS),
	                             .bytes = c->cfg.opportunity_bytes,
	                             .value = (int32_t)left });
	record_buffer(c, dir);
}

static void deliver(struct cell *c, int dir, struct pkt *p)
{
	p->sdu_len = 0;
	out_deliver(c, p, dir == CELL_DIR_DL ? 1 : 1 | CELL_PORT_NETWORK);
}

/* What is on its way first; then what leaves a train: it is there, or waits for the busy link. */
static void arrive(struct cell *c, int dir)
{
	struct opportunity_leg *l = &c->link->leg[dir];
	struct pkt *p;

	if (l->way.head && l->way.head->queued_ns <= c->event_ns) {
		deliver(c, dir, pkt_dequeue(&l->way));
		return;
	}
	p = pkt_dequeue(&l->train.way);
	if (p->past_train || l->queue.sdus.head)
		wait_for_busy_link(c, dir, p);
	else
		deliver(c, dir, p);
}

void opportunity_process(struct cell *c)
{
	for (int d = 0; d < 2; d++) {
		struct opportunity_leg *l = &c->link->leg[d];

		if (there_ns(l) <= c->event_ns) {
			arrive(c, d);
			return;
		}
	}
	for (int d = 0; d < 2; d++)
		if (next_used_ns(c, &c->link->leg[d]) <= c->event_ns) {
			use(c, d);
			return;
		}
}

void opportunity_empty(struct cell *c, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++) {
		pkt_queue_move(ret, &c->link->leg[d].queue.sdus);
		pkt_queue_move(ret, &c->link->leg[d].way);
		pkt_queue_move(ret, &c->link->leg[d].train.way);
	}
}
