/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FQ-CoDel in one list beside the queues and lists of RFC 8290 4, which are written down here as
 * they are there, each queue an array of its own.
 */
#include "unit.h"

#include "aqm/aqm.h"
#include "base/ecn.h"

#define MS(n)   ((n)*INT64_C(1000000))
#define PKTS    6000
#define FLOWS   8
#define QUANTUM 1514
#define NONE    UINT32_MAX

static struct pkt pkt[PKTS];
static struct pkt_queue queue;
static struct aqm aqm;
static struct fq_flow flow[FLOWS];
static uint32_t n_pkts;

/* --- RFC 8290 4.1, 4.2 --- */

enum list_name { OUTSIDE, NEW, OLD };

static struct {
	struct {
		uint32_t of[PKTS]; /* packets */
		uint32_t head, tail, bytes;
		int32_t credits;
		enum list_name list;
		struct codel codel;
	} queue[FLOWS];
	uint32_t list[3][FLOWS];
	uint32_t n[3];
	bool dropped[PKTS];
} rfc;

static void rfc_append(enum list_name list, uint32_t f)
{
	rfc.list[list][rfc.n[list]++] = f;
	rfc.queue[f].list = list;
}

static void rfc_remove_first(enum list_name list)
{
	rfc.queue[rfc.list[list][0]].list = OUTSIDE;
	rfc.n[list]--;
	memmove(&rfc.list[list][0], &rfc.list[list][1], rfc.n[list] * sizeof(uint32_t));
}

static void rfc_enqueue(uint32_t f, uint32_t id)
{
	rfc.queue[f].of[rfc.queue[f].tail++] = id;
	rfc.queue[f].bytes += pkt[id].len;
	if (rfc.queue[f].list == OUTSIDE) {
		rfc_append(NEW, f);
		rfc.queue[f].credits = QUANTUM;
	}
}

/* CoDel on a queue, which is tested by itself. */
static uint32_t rfc_codel(uint32_t f, int64_t now)
{
	while (rfc.queue[f].head < rfc.queue[f].tail) {
		uint32_t id = rfc.queue[f].of[rfc.queue[f].head++];

		rfc.queue[f].bytes -= pkt[id].len;
		if (codel_decide(&rfc.queue[f].codel, &aqm.cfg.codel, now - pkt[id].queued_ns,
		                 rfc.queue[f].bytes, false, now) != AQM_DROP)
			return id;
		rfc.dropped[id] = true;
	}
	return NONE;
}

static uint32_t rfc_dequeue(int64_t now)
{
	for (;;) {
		enum list_name list = rfc.n[NEW] ? NEW : OLD;
		uint32_t f, id;

		if (!rfc.n[list])
			return NONE;
		f = rfc.list[list][0];
		if (rfc.queue[f].credits <= 0) {
			rfc.queue[f].credits += QUANTUM;
			rfc_remove_first(list);
			rfc_append(OLD, f);
			continue;
		}
		id = rfc_codel(f, now);
		if (id == NONE) {
			rfc_remove_first(list);
			if (list == NEW)
				rfc_append(OLD, f);
			continue;
		}
		rfc.queue[f].credits -= pkt[id].len;
		return id;
	}
}

/* --- beside it --- */

static void start(void)
{
	static const struct cell_qdisc qdisc = { .kind = CELL_QDISC_FQ_CODEL,
		                                 .target_us = 5000,
		                                 .interval_us = 100000,
		                                 .flows = FLOWS,
		                                 .quantum = QUANTUM };
	struct aqm_cfg cfg = aqm_cfg_of(&qdisc);

	memset(&rfc, 0, sizeof(rfc));
	cfg.flow = flow;
	queue = (struct pkt_queue){ 0 };
	n_pkts = 0;
	aqm_init(&aqm, &cfg, 0);
}

/* A UDP datagram of the flow from that port. Return: the packet. */
static struct pkt *come(uint16_t port, uint16_t len, int64_t t_ns)
{
	struct pkt *p = &pkt[n_pkts], *before;
	uint8_t *b = pkt_data(p);

	pkt_reset(p);
	p->id = n_pkts++;
	p->len = len;
	memset(b, 0, 40);
	b[0] = 0x45;
	b[9] = 17;
	b[20] = (uint8_t)(port >> 8);
	b[21] = (uint8_t)port;
	p->queued_ns = t_ns;
	before = aqm_accept(&aqm, &queue, p, t_ns);
	pkt_queue_insert(&queue, before, p);
	return p;
}

/* Return: the number of the packet that is sent, or NONE. */
static uint32_t go(int64_t t_ns)
{
	while (queue.head) {
		struct pkt *p = queue.head;
		enum aqm_verdict verdict = aqm_decide(&aqm, &queue, p, t_ns);

		if (verdict == AQM_TURN)
			continue;
		(void)pkt_dequeue(&queue);
		if (verdict != AQM_DROP)
			return p->id;
		assert_true(rfc.dropped[p->id]);
	}
	return NONE;
}

static uint32_t len_of(struct rng *rng)
{
	return rng_below(rng, 3) ? 1500 : 40 + rng_below(rng, 200);
}

/* Several flows come and go; a packet is sent every millisecond. */
static void test_as_the_pseudo_code(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 8; seed++) {
		uint32_t drops = 0, wanted;
		struct rng rng;

		start();
		rng_init(&rng, seed, "fq", 0);
		for (int64_t t = 1; n_pkts < PKTS - 8 || queue.head; t++) {
			uint32_t n = n_pkts < PKTS - 8 ? rng_below(&rng, seed % 2 ? 2 : 4) : 0;

			for (; n > 0; n--) {
				uint16_t port = (uint16_t)(5000 + rng_below(&rng, 1 + seed * 2));
				struct pkt *p = come(port, (uint16_t)len_of(&rng), MS(t));

				rfc_enqueue(p->flow - 1u, p->id);
			}
			wanted = rfc_dequeue(MS(t));
			assert_int_equal(go(MS(t)), wanted);
			if (!queue.head)
				assert_int_equal(rfc_dequeue(MS(t)), NONE);
		}
		for (uint32_t i = 0; i < n_pkts; i++)
			drops += rfc.dropped[i];
		assert_int_equal(drops > 0, seed % 2 == 0);
		assert_int_equal(aqm.n, 0);
		assert_int_equal(aqm.bytes, 0);
	}
}

/* Ports whose flows have queues of their own. */
static uint16_t other_port(uint16_t than)
{
	uint32_t taken = come(than, 40, 0)->flow;
	uint16_t port = than;

	while (come(++port, 40, 0)->flow == taken)
		;
	return port;
}

/* A sparse flow does not wait behind a long queue; two long ones take turns. */
static void test_sparse_goes_first(void **state)
{
	uint16_t a = 5000, b;

	(void)state;
	start();
	b = other_port(a);
	start();
	for (int i = 0; i < 6; i++)
		(void)come(a, 1500, 0);
	assert_int_equal(go(0), 0);
	assert_int_equal(go(0), 1);
	(void)come(b, 1500, 0);
	assert_int_equal(go(0), 6);
	(void)come(b, 1500, 0);
	(void)come(b, 1500, 0);
	/* Each has 14 bytes left, then a quantum more. */
	assert_int_equal(go(0), 7);
	assert_int_equal(go(0), 2);
	assert_int_equal(go(0), 8);
	assert_int_equal(go(0), 3);
}

/* Half of the fattest queue, at most 64 packets, from its first one on. */
static void test_overflow(void **state)
{
	struct pkt *before = NULL;
	uint16_t a = 5000, b;

	(void)state;
	start();
	assert_int_equal(aqm_overflow(&aqm, &queue, &before), 0);
	b = other_port(a);
	start();
	(void)come(b, 1500, 0);
	for (int i = 0; i < 5; i++)
		(void)come(a, 1500, 0);
	assert_int_equal(aqm_overflow(&aqm, &queue, &before), 3);
	assert_ptr_equal(before, &pkt[0]);
	for (int i = 0; i < 200; i++)
		(void)come(a, 1500, 0);
	assert_int_equal(aqm_overflow(&aqm, &queue, &before), 64);
	assert_ptr_equal(before, &pkt[0]);
}

/* What was started stays first, and what leaves otherwise is not counted any more. */
static void test_begun_stays_first(void **state)
{
	struct pkt *p;

	(void)state;
	start();
	(void)come(5000, 1500, 0);
	(void)come(5000, 1500, 0);
	assert_int_equal(aqm_decide(&aqm, &queue, &pkt[0], 0), AQM_PASS);
	pkt[0].decided = true;
	(void)come(other_port(5000), 1500, 0);
	assert_ptr_equal(queue.head, &pkt[0]);
	aqm_left(&aqm, &pkt[0]);
	for (p = queue.head; p; p = p->next)
		aqm_left(&aqm, p);
	assert_int_equal(aqm.n, 0);
	assert_int_equal(aqm.bytes, 0);
}

/* IPv4 and IPv6; a fragment has no ports, and what is neither is a flow, too. */
static void test_flows(void **state)
{
	uint8_t *b;

	(void)state;
	start();
	for (uint16_t port = 1; port < 200; port++)
		(void)come(port, 40, 0);
	for (uint32_t f = 0; f < FLOWS; f++)
		assert_true(flow[f].n > 5);
	start();
	for (int i = 0; i < 20; i++) {
		b = pkt_data(&pkt[i]);
		pkt_reset(&pkt[i]);
		pkt[i].len = 60;
		memset(b, 0, 60);
		b[0] = i < 10 ? 0x60 : 0x45;
		b[i < 10 ? 6 : 9] = 6;
		b[7] = 1;                         /* IPv4: not the first fragment */
		b[i < 10 ? 41 : 21] = (uint8_t)i; /* port */
		(void)aqm_accept(&aqm, &queue, &pkt[i], 0);
		if (i > 10)
			assert_int_equal(pkt[i].flow, pkt[10].flow);
	}
	assert_int_not_equal(pkt[0].flow, pkt[1].flow);
	start();
	pkt_reset(&pkt[0]);
	pkt[0].len = 1;
	(void)aqm_accept(&aqm, &queue, &pkt[0], 0);
	assert_true(pkt[0].flow >= 1 && pkt[0].flow <= FLOWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_pseudo_code),
		cmocka_unit_test(test_sparse_goes_first),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_begun_stays_first),
		cmocka_unit_test(test_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
