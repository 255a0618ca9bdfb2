/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue management, worked out by hand from the pseudo-code of RFC 9332 A.1. Gains with RTT_max =
 * 100 ms and Tupdate = 16 ms: alpha = 0.1 * 0.016 / 0.01 = 0.16 Hz, beta = 0.3 / 0.1 = 3 Hz.
 */
#include "unit.h"

#include "aqm/aqm.h"
#include "base/ecn.h"

#define MS(n)    ((n)*INT64_C(1000000))
#define US(n)    ((n)*INT64_C(1000))
#define PKTS     64
#define START_NS MS(3)
#define PART(p)  ((uint64_t)((p)*4294967296.0))

static struct pkt pkt[PKTS];
static struct pkt_queue queue;
static struct aqm aqm;
static uint32_t n_pkts;

static void start(enum cell_aqm kind)
{
	struct aqm_cfg cfg = { .kind = (uint8_t)kind,
		               .mark_from_us = 1000,
		               .target_ms = 15,
		               .tupdate_ms = 16,
		               .rtt_max_ms = 100,
		               .coupling = 2,
		               .shift_ms = 30 };

	queue = (struct pkt_queue){ 0 };
	n_pkts = 0;
	aqm_init(&aqm, &cfg, START_NS);
}

/* Times count from START_NS. Return: the number of the packet. */
static uint32_t come(enum ecn ecn, int64_t t_ns)
{
	struct pkt *p = &pkt[n_pkts], *before;

	pkt_reset(p);
	p->id = n_pkts;
	p->len = 40;
	memset(pkt_data(p), 0, 40);
	pkt_data(p)[0] = 0x45;
	pkt_data(p)[1] = (uint8_t)ecn;
	p->queued_ns = START_NS + t_ns;
	before = aqm_accept(&aqm, &queue, p, START_NS + t_ns);
	pkt_queue_insert(&queue, before, p);
	return n_pkts++;
}

static enum aqm_verdict go(int64_t t_ns, uint32_t *ret_id)
{
	struct pkt *p = queue.head;
	enum aqm_verdict verdict = aqm_decide(&aqm, &queue, p, START_NS + t_ns);

	*ret_id = p->id;
	(void)pkt_dequeue(&queue);
	return verdict;
}

static void expect(int64_t t_ns, uint32_t id, enum aqm_verdict wanted)
{
	enum aqm_verdict verdict;
	uint32_t found;

	verdict = go(t_ns, &found);
	assert_int_equal(found, id);
	assert_int_equal(verdict, wanted);
}

static void expect_base(double p)
{
	assert_true(aqm.base_q32 + 64 >= PART(p) && aqm.base_q32 <= PART(p) + 64);
}

/* A wait of less than 1 ms is no mark, of 1 ms is one; the last two of a queue have none. */
static void test_step(void **state)
{
	(void)state;
	start(CELL_AQM_MARK);
	for (int i = 0; i < 4; i++)
		(void)come(ECN_ECT_1, 0);
	expect(US(1000) - 1, 0, AQM_PASS);
	expect(US(1000), 1, AQM_MARK);
	expect(US(1000), 2, AQM_PASS);
	expect(US(1000), 3, AQM_PASS);
}

/* From 1 to 5 ms: after 2 ms every fourth is marked, after 3 ms every second, from 5 ms on all. */
static void test_ramp(void **state)
{
	(void)state;
	start(CELL_AQM_MARK);
	aqm.cfg.mark_range_us = 4000;
	aqm.mark_all_ns = US(5000);
	for (int i = 0; i < 16; i++)
		(void)come(ECN_ECT_1, 0);
	for (uint32_t i = 0; i < 8; i++)
		expect(US(2000), i, i % 4 == 3 ? AQM_MARK : AQM_PASS);
	for (uint32_t i = 8; i < 12; i++)
		expect(US(3000), i, i % 2 == 1 ? AQM_MARK : AQM_PASS);
	expect(US(5000), 12, AQM_MARK);
	expect(US(5000), 13, AQM_MARK);
}

/* One queue in order of arrival; others than L4S have no marks, however long they wait. */
static void test_marks_are_for_l4s(void **state)
{
	static const enum ecn kinds[] = { ECN_NOT_ECT, ECN_ECT_0, ECN_ECT_1, ECN_CE };

	(void)state;
	for (int any = 0; any < 2; any++) {
		start(CELL_AQM_MARK);
		aqm.cfg.l4s_id = (uint8_t)(any ? CELL_L4S_ANY_ECT : CELL_L4S_ECT_1);
		for (size_t i = 0; i < COUNT(kinds); i++)
			(void)come(kinds[i], 0);
		for (int i = 0; i < 4; i++)
			(void)come(ECN_ECT_1, 0);
		expect(MS(9), 0, AQM_PASS);
		expect(MS(9), 1, any ? AQM_MARK : AQM_PASS);
		expect(MS(9), 2, AQM_MARK);
		expect(MS(9), 3, AQM_MARK);
	}
}

/* L4S goes before classic packets that came less than 30 ms earlier, each in order of arrival. */
static void test_time_shift(void **state)
{
	static const uint32_t order[] = { 0, 2, 4, 1, 5, 6, 3 };

	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, 0);     /* 0: as if it came at 30 */
	(void)come(ECN_NOT_ECT, MS(1)); /* 1: 31 */
	(void)come(ECN_ECT_1, MS(30));  /* 2: 30 */
	(void)come(ECN_ECT_0, MS(2));   /* 3: 32 */
	(void)come(ECN_ECT_1, MS(30));  /* 4 */
	(void)come(ECN_ECT_1, MS(31));  /* 5 */
	(void)come(ECN_CE, MS(31));     /* 6 */
	for (size_t i = 0; i < COUNT(order); i++) {
		uint32_t id;

		(void)go(MS(31), &id);
		assert_int_equal(id, order[i]);
	}
}

/* What was started or numbered stays first; behind the last L4S packet that has left it goes on. */
static void test_begun_stays_first(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, 0);
	(void)come(ECN_NOT_ECT, 0);
	assert_int_equal(aqm_decide(&aqm, &queue, &pkt[0], START_NS), AQM_PASS);
	pkt[0].has_pdcp_sn = true;
	(void)come(ECN_ECT_1, MS(1));
	assert_int_equal(queue.head->id, 0);
	assert_int_equal(queue.head->next->id, 2);
	(void)pkt_dequeue(&queue);
	expect(MS(1), 2, AQM_PASS);
	(void)come(ECN_ECT_1, MS(2));
	assert_int_equal(queue.head->id, 3);
}

/*
 * A classic packet waits from 1 ms on. After 16 ms: p' = 0.16 * (15 - 15) ms + 3 * 15 ms = 0.045.
 * After 32 ms: + 0.16 * 16 ms + 3 * 16 ms = 0.09556. Then it leaves and a new one comes: after 48
 * ms it has waited 10 ms: + 0.16 * -5 ms + 3 * -21 ms = 0.03176. With an empty queue: + 0.16 * -15
 * ms + 3 * -10 ms is below 0, so it is 0.
 */
static void test_controller(void **state)
{
	uint32_t id;

	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, MS(1));
	aqm_update(&aqm, &queue, START_NS + MS(16) - 1);
	assert_int_equal(aqm.base_q32, 0);
	aqm_update(&aqm, &queue, START_NS + MS(16));
	expect_base(0.045);
	(void)go(MS(38), &id);
	expect_base(0.09556);
	(void)come(ECN_NOT_ECT, MS(38));
	(void)go(MS(48), &id);
	expect_base(0.03176);
	aqm_update(&aqm, &queue, START_NS + MS(64));
	assert_int_equal(aqm.base_q32, 0);
}

/* However late it is asked, and when the queue has been empty for years. */
static void test_late_is_as_in_time(void **state)
{
	struct aqm in_time;

	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, MS(1));
	for (int64_t t = 0; t <= 100; t++)
		aqm_update(&aqm, &queue, START_NS + MS(t));
	in_time = aqm;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, MS(1));
	aqm_update(&aqm, &queue, START_NS + MS(100));
	assert_int_equal(aqm.base_q32, in_time.base_q32);
	assert_int_equal(aqm.update_ns, in_time.update_ns);
	assert_int_equal(aqm.update_ns, START_NS + MS(112));

	start(CELL_AQM_DUALPI2);
	aqm_update(&aqm, &queue, START_NS + MS(INT64_C(9000000000000)));
	assert_int_equal((aqm.update_ns - START_NS) % MS(16), 0);
	assert_true(aqm.update_ns > START_NS + MS(INT64_C(9000000000000)));
	assert_int_equal(aqm.base_q32, 0);
}

/* The greater delay of the two queues counts. */
static void test_delay_of_both(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, MS(1));
	(void)come(ECN_ECT_1, MS(6)); /* first, though it has waited less */
	assert_int_equal(queue.head->id, 1);
	aqm_update(&aqm, &queue, START_NS + MS(16));
	expect_base(0.045);

	start(CELL_AQM_DUALPI2);
	(void)come(ECN_ECT_1, MS(1));
	(void)come(ECN_NOT_ECT, MS(6));
	aqm_update(&aqm, &queue, START_NS + MS(16));
	expect_base(0.045);
}

/* p' = 0.25: L4S is marked with k p' = 1/2, classic packets are dropped or marked with p'^2 = 1/16.
 */
static void test_coupling(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	aqm.base_q32 = PART(0.25);
	for (int i = 0; i < 8; i++)
		(void)come(ECN_ECT_1, 0);
	for (int i = 0; i < 33; i++)
		(void)come(i < 16 ? ECN_NOT_ECT : ECN_ECT_0, 0);
	for (uint32_t i = 0; i < 8; i++)
		expect(0, i, i % 2 ? AQM_MARK_COUPLED : AQM_PASS);
	for (uint32_t i = 8; i < 40; i++)
		expect(0, i, i == 23 ? AQM_DROP : i == 39 ? AQM_MARK_COUPLED : AQM_PASS);
	expect(0, 40, AQM_PASS);
}

/* Whichever probability is greater: its own, or what the other queue asks for. */
static void test_own_marks_beside_coupled_ones(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	aqm.base_q32 = PART(0.25);
	for (int i = 0; i < 5; i++)
		(void)come(ECN_ECT_1, 0);
	expect(0, 0, AQM_PASS);
	expect(MS(1), 1, AQM_MARK); /* 1/2 + 1: a half is left */
	expect(0, 2, AQM_MARK_COUPLED);
	expect(0, 3, AQM_PASS);
}

/* k p' >= 1: L4S is dropped like others, p'^2 = 1/4, and marked otherwise; ECT(0) saves nobody. */
static void test_overload(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	aqm.base_q32 = PART(0.5);
	for (int i = 0; i < 4; i++)
		(void)come(ECN_ECT_1, 0);
	for (int i = 0; i < 5; i++)
		(void)come(ECN_ECT_0, 0);
	for (uint32_t i = 0; i < 4; i++)
		expect(0, i, i == 3 ? AQM_DROP : AQM_MARK_COUPLED);
	for (uint32_t i = 4; i < 8; i++)
		expect(0, i, i == 7 ? AQM_DROP : AQM_PASS);
	aqm.base_q32 = PART(1);
	aqm.classic_count_q32 = 0;
	(void)come(ECN_NOT_ECT, 0);
	expect(0, 8, AQM_DROP);
	expect(0, 9, AQM_PASS); /* the last one of a queue is never dropped */
}

/* Delays above a second count as one: 0.16 * 0.985 s + 3 * 1 s is more than 1 already. */
static void test_saturates(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_NOT_ECT, 0);
	aqm_update(&aqm, &queue, START_NS + MS(3600000));
	assert_int_equal(aqm.base_q32, PART(1));
	assert_int_equal(aqm.delay_us, 1000000);
	aqm_left(&aqm, &pkt[0]);
	(void)pkt_dequeue(&queue);
	aqm_update(&aqm, &queue, START_NS + MS(3600016));
	assert_int_equal(aqm.base_q32, 0);
}

/* What has a number of PDCP was decided on, and PDCP's own PDUs never are: they leave no count. */
static void test_what_is_not_decided_on_is_not_counted(void **state)
{
	struct pkt other;

	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_ECT_1, 0);
	(void)come(ECN_NOT_ECT, 0);
	pkt_reset(&other);
	other.control = true;
	aqm_left(&aqm, &other);
	other.control = false;
	other.has_pdcp_sn = true;
	aqm_left(&aqm, &other);
	assert_int_equal(aqm.n_l4s, 1);
	assert_int_equal(aqm.n_classic, 1);
	aqm_left(&aqm, &pkt[1]);
	assert_int_equal(aqm.n_classic, 0);
}

static void test_empty(void **state)
{
	(void)state;
	start(CELL_AQM_DUALPI2);
	(void)come(ECN_ECT_1, 0);
	(void)come(ECN_NOT_ECT, 0);
	aqm_leave(&aqm, &queue, START_NS);
	queue = (struct pkt_queue){ 0 };
	assert_int_equal(aqm.n_l4s + aqm.n_classic, 0);
	(void)come(ECN_ECT_1, MS(1));
	assert_ptr_equal(queue.head, &pkt[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_marks_are_for_l4s),
		cmocka_unit_test(test_time_shift),
		cmocka_unit_test(test_begun_stays_first),
		cmocka_unit_test(test_controller),
		cmocka_unit_test(test_late_is_as_in_time),
		cmocka_unit_test(test_delay_of_both),
		cmocka_unit_test(test_coupling),
		cmocka_unit_test(test_own_marks_beside_coupled_ones),
		cmocka_unit_test(test_overload),
		cmocka_unit_test(test_saturates),
		cmocka_unit_test(test_what_is_not_decided_on_is_not_counted),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
