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

void opportunity_init(struct opportunity_link *link)
{
	for (uint8_t d = 0; d < 2; d++) {
		link->at[d] = (struct out_leg){
			.from = d == CELL_DIR_UL, .to = d == CELL_DIR_DL, .dir = d, .lcid = LCID
		};
		link->leg[d] = (struct opportunity_leg){
			.ms = link->cell.cfg.opportunity_ms[d],
			.n = link->cell.cfg.n_opportunities[d],
			.queue.limit = link->cell.cfg.opportunity_queue_pkts,
		};
		train_init(&link->leg[d].train, &link->cell.cfg, d);
	}
}

/* Arrival: two rows and a drop. Departure: one opportunity has one row and one of the buffer. */
size_t opportunity_out_min(const struct cell_cfg *cfg)
{
	return (size_t)cfg->max_pkts * 3 + 64;
}

/* --- times --- */

static int64_t time_ns(const struct opportunity_link *link, const struct opportunity_leg *l,
                       struct opportunity o)
{
	return link->cell.start_ns + o.base_ns + l->ms[o.at] * NS_PER_MS;
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
static struct opportunity next_used(const struct opportunity_link *link,
                                    const struct opportunity_leg *l)
{
	return later_than(l, l->queue.sdus.head->queued_ns - link->cell.start_ns);
}

static int64_t next_used_ns(const struct opportunity_link *link, const struct opportunity_leg *l)
{
	return l->queue.sdus.head ? time_ns(link, l, next_used(link, l)) : CELL_NEVER;
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

int64_t opportunity_next(const struct opportunity_link *link)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &link->leg[d];

		first_ns = earlier(first_ns, earlier(there_ns(l), next_used_ns(link, l)));
	}
	return first_ns;
}

int64_t opportunity_next_output(const struct opportunity_link *link)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &link->leg[d];
		int64_t used_ns = next_used_ns(link, l);

		if (used_ns != CELL_NEVER)
			used_ns += link->cell.cfg.opportunity_delay_ms * NS_PER_MS;
		first_ns = earlier(first_ns, earlier(there_ns(l), used_ns));
	}
	return first_ns;
}

/* --- packets --- */

/* A row of what happened where leg @dir begins. */
static void record(struct opportunity_link *link, int dir, struct cell_record r)
{
	r.node = dir == CELL_DIR_DL ? CELL_NODE_ENB : 1;
	r.peer = dir == CELL_DIR_DL ? 1 : CELL_NODE_ENB;
	out_record(&link->cell, &link->at[dir], r);
}

static void record_buffer(struct opportunity_link *link, int dir)
{
	const struct rlc_sdu_queue *q = &link->leg[dir].queue;

	record(link, dir,
	       (struct cell_record){
		       .event = CELL_EV_BUFFER, .bytes = q->bytes, .value = (int32_t)q->sdus.n });
}

static bool full(const struct opportunity_link *link, const struct rlc_sdu_queue *q, uint32_t len)
{
	uint32_t limit = link->cell.cfg.opportunity_queue_bytes;

	return rlc_sdu_queue_full(q) || (limit && q->bytes + len > limit);
}

static void wait_for_busy_link(struct opportunity_link *link, int dir, struct pkt *p)
{
	struct rlc_sdu_queue *q = &link->leg[dir].queue;

	if (full(link, q, p->len)) {
		out_drop(&link->cell, p, &link->at[dir], CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = link->cell.event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(q, p);
	record_buffer(link, dir);
}

void opportunity_ingress(struct opportunity_link *link, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct train *t = &link->leg[dir].train;

	record(link, dir,
	       (struct cell_record){
		       .event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (t->record)
		train_add(t, p, link->cell.event_ns, link->cell.event_ns - link->cell.start_ns);
	else
		wait_for_busy_link(link, dir, p);
}

/* Take up to @max bytes of the first packet out of the queue. Return: bytes taken. */
static uint32_t take(struct opportunity_link *link, struct opportunity_leg *l, uint32_t max)
{
	struct rlc_sdu_queue *q = &l->queue;
	struct pkt *p = q->sdus.head;
	uint32_t left = (uint32_t)p->sdu_len - q->head_sent;
	uint32_t n = left < max ? left : max;

	q->bytes -= n;
	q->head_sent = (uint16_t)(q->head_sent + n);
	if (n == left) {
		q->head_sent = 0;
		p->queued_ns =
			link->cell.event_ns + link->cell.cfg.opportunity_delay_ms * NS_PER_MS;
		pkt_enqueue(&l->way, pkt_dequeue(&q->sdus));
	}
	return n;
}

static void use(struct opportunity_link *link, int dir)
{
	struct opportunity_leg *l = &link->leg[dir];
	uint32_t left = link->cell.cfg.opportunity_bytes;

	l->next = next_used(link, l);
	if (++l->next.at == l->n)
		l->next = (struct opportunity){ .base_ns = l->next.base_ns + period_ns(l) };
	while (left > 0 && l->queue.sdus.head &&
	       l->queue.sdus.head->queued_ns < link->cell.event_ns)
		left -= take(link, l, left);
	link->cell.stats.ttis_active++;
	link->cell.stats.mac_pdus[dir]++;
	link->cell.stats.mac_bytes[dir] += link->cell.cfg.opportunity_bytes;
	link->cell.stats.mac_padding_bytes[dir] += left;
	record(link, dir,
	       (struct cell_record){
		       .event = CELL_EV_MAC_TX,
		       .sn = (uint32_t)((link->cell.event_ns - link->cell.start_ns) / NS_PER_MS),
		       .bytes = link->cell.cfg.opportunity_bytes,
		       .value = (int32_t)left });
	record_buffer(link, dir);
}

static void deliver(struct opportunity_link *link, int dir, struct pkt *p)
{
	p->sdu_len = 0;
	out_deliver(&link->cell, p, dir == CELL_DIR_DL ? 1 : 1 | CELL_PORT_NETWORK);
}

/* What is on its way first; then what leaves a train: it is there, or waits for the busy link. */
static void arrive(struct opportunity_link *link, int dir)
{
	struct opportunity_leg *l = &link->leg[dir];
	struct pkt *p;

	if (l->way.head && l->way.head->queued_ns <= link->cell.event_ns) {
		deliver(link, dir, pkt_dequeue(&l->way));
		return;
	}
	p = pkt_dequeue(&l->train.way);
	if (p->past_train || l->queue.sdus.head)
		wait_for_busy_link(link, dir, p);
	else
		deliver(link, dir, p);
}

void opportunity_process(struct opportunity_link *link)
{
	for (int d = 0; d < 2; d++) {
		struct opportunity_leg *l = &link->leg[d];

		if (there_ns(l) <= link->cell.event_ns) {
			arrive(link, d);
			return;
		}
	}
	for (int d = 0; d < 2; d++)
		if (next_used_ns(link, &link->leg[d]) <= link->cell.event_ns) {
			use(link, d);
			return;
		}
}

void opportunity_empty(struct opportunity_link *link, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++) {
		pkt_queue_move(ret, &link->leg[d].queue.sdus);
		pkt_queue_move(ret, &link->leg[d].way);
		pkt_queue_move(ret, &link->leg[d].train.way);
	}
}
