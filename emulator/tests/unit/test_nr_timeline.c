/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When things happen in slots, worked out by hand. In DDDSU uplink slots are 4, 9, 14 and so on.
 * What a slot decides on is k2_min later or more: slot 5 on slot 9, slot 10 on slot 14. Feedback
 * for a downlink block is in the first uplink slot from k1_min on.
 * Source: TS 38.213 9.2.3, 11.1; TS 38.214 5.3, 6.1.2.1; TS 38.321 5.4.4
 */
#include "nr_run.h"
#include "unit.h"

static void expect_at(const struct run *r, enum cell_event event, uint8_t node, size_t n,
                      int64_t t_ns)
{
	assert_int_equal(run_find(r, event, node, n)->t_ns, t_ns);
}

/* In the slot in which it comes, and 10 symbols after its end at the UE. */
static void test_downlink(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	run_push(&r, TO_UE(1), 1500, SLOT(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(2));
	assert_int_equal(rec->sn, 2);
	assert_int_equal(rec->mcs, 27);
	/* 11 symbols for data: 12 * 11 resource elements of each PRB, 8 bits of rate 948/1024 in 4
	 * layers: 3910 bits; 1500 + 3 of PDCP, 1 of RLC and 3 of MAC are 12 056. */
	assert_int_equal(rec->rb, 4);
	expect_at(&r, CELL_EV_PKT_OUT, 1, 0, SLOT(3) + UE_DECODE_NS);
	/* Slot 2 and 4: uplink slot 9, which the gNB has in slot 10, before slot 11. */
	rec = run_find(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(11));
	assert_int_equal(rec->value, 1);
	assert_int_equal(rec->aux, 0);
	assert_int_equal(r.n_pdus, 1);
	assert_int_equal(r.pdus[0].subframe, 2);
	assert_int_equal(r.pdus[0].harq_id, 0);
	assert_int_equal(r.pdus[0].rnti_type, 3);
	run_end(&r);
}

/* Decided on in slot 0 for slot 6, and in slot 4, though it has no PDCCH, for slot 10: slot 9 is
 * uplink. What fails in slot 6 is known in slot 16, and sent again 6 slots later. */
static void test_a_gnb_that_decides_ahead(void **state)
{
	static const uint32_t slots[] = { 6, 10 };
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	nr_fails_once(&r);
	r.cfg.nr.mac.gnb_ahead_slots = 6;
	run_start(&r);
	run_push(&r, TO_UE(1), 1000, SLOT(0));
	run_push(&r, TO_UE(1), 1000, SLOT(3));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < COUNT(slots); i++) {
		const struct cell_record *grant = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, i);

		expect_at(&r, CELL_EV_GRANT, CELL_NODE_ENB, i, SLOT(slots[i] - 6));
		assert_int_equal(grant->value, 0); /* slots from the assignment */
		assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, i)->sn, slots[i]);
	}
	expect_at(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 0, SLOT(16));
	assert_int_equal(run_find(&r, CELL_EV_HARQ_TX, CELL_NODE_ENB, 0)->sn, 22);
	assert_int_equal(r.n_delivered, 2);
	run_end(&r);
}

/* Feedback of slot 0 is in slot 4; that of 1, 2, 3 and 5 together in slot 9. */
static void test_feedback_comes_in_bunches(void **state)
{
	static const uint32_t slots[] = { 0, 1, 2, 3, 5 };
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	for (size_t i = 0; i < COUNT(slots); i++)
		run_push(&r, TO_UE(1), 1000, SLOT(slots[i]));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < COUNT(slots); i++)
		assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, i)->sn, slots[i]);
	rec = run_find(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(6));
	assert_int_equal(rec->value, 1);
	rec = run_find(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 1);
	assert_int_equal(rec->t_ns, SLOT(11));
	assert_int_equal(rec->value, 4);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB), 2);
	run_end(&r);
}

/* A packet in slot 2: a request in uplink slot 4, of which the gNB knows before slot 6. Slot 5 has
 * decided on slot 9, so slot 10 grants slot 14. */
static void test_uplink_by_request(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_SR, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(4));
	assert_int_equal(rec->value, 1);
	rec = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(10));
	assert_int_equal(rec->value, 4);
	assert_in_range(rec->bytes, 512, 640);
	expect_at(&r, CELL_EV_MAC_TX, 1, 0, SLOT(14));
	/* Nothing is left, and the block has room: its BSR says so. */
	rec = run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(15) + GNB_DECODE);
	assert_int_equal(rec->bytes, 0);
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(15) + GNB_DECODE);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 1);
	run_end(&r);
}

/* More than the first grant takes: its BSR, decoded in slot 15, is answered by slot 20 for slot 24;
 * what came meanwhile is in the BSR of that one. */
static void test_uplink_by_bsr(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, 1, 1000, SLOT(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_BSR_TX, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(14));
	/* 3 * 1003 bytes less what the block has beside a subheader of 3, the BSR of 2, and 2 bytes
	 * of RLC in front of the first segment. */
	assert_int_equal(rec->bytes,
	                 3009 - (run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->bytes - 3 - 2 - 2));
	rec = run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0);
	assert_int_equal(rec->value,
	                 18); /* 2014 < 2472 <= 2806. Source: TS 38.321 Table 6.1.3.1-1 */
	assert_int_equal(rec->bytes, 2806);
	rec = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1);
	assert_int_equal(rec->t_ns, SLOT(20));
	assert_true(rec->bytes >= 2806);
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(25) + GNB_DECODE);
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 2, SLOT(25) + GNB_DECODE);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 1);
	run_end(&r);
}

/* Both directions are always there: the next occasion for a request is slot 10, the gNB knows
 * before slot 12, which grants slot 16. */
static void test_fdd(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.phy.duplex = CELL_DUPLEX_FDD;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_push(&r, TO_UE(1), 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_SR, 1, 0, SLOT(10));
	expect_at(&r, CELL_EV_MAC_TX, 1, 0, SLOT(16));
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(17) + GNB_DECODE);
	expect_at(&r, CELL_EV_PKT_OUT, 1, 0, SLOT(3) + UE_DECODE_NS);
	expect_at(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 0,
	          SLOT(8)); /* 2, 4 and the time to 7 */
	run_end(&r);
}

/* NACK of slot 2 is heard before slot 11, which sends again. Of the uplink, slot 14 is decoded in
 * slot 15, and slot 20 grants slot 24. */
static void test_retransmission(void **state)
{
	const struct cell_record *rec;
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	nr_fails_once(&r);
	run_start(&r);
	run_push(&r, TO_UE(1), 1000, SLOT(2));
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_HARQ_NACK, 1, 0, SLOT(3) + UE_DECODE_NS);
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FEEDBACK, CELL_NODE_ENB, 0)->aux, 1);
	rec = run_find(&r, CELL_EV_HARQ_TX, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(11));
	assert_int_equal(rec->value, 2);
	assert_int_equal(rec->block, 1);
	expect_at(&r, CELL_EV_PKT_OUT, 1, 0, SLOT(12) + UE_DECODE_NS);
	expect_at(&r, CELL_EV_HARQ_NACK, CELL_NODE_ENB, 0, SLOT(15) + GNB_DECODE);
	expect_at(&r, CELL_EV_HARQ_TX, 1, 0, SLOT(24));
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(25) + GNB_DECODE);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.harq_retx[CELL_DIR_DL], 1);
	assert_int_equal(stats.harq_retx[CELL_DIR_UL], 1);
	run_end(&r);
}

/* Without an answer to any of its blocks HARQ goes on with others: at most so many at a time. */
static void test_processes_are_few(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.harq_processes = 2;
	run_start(&r);
	for (uint32_t slot = 0; slot < 4; slot++)
		run_push(&r, TO_UE(1), 1000, SLOT(slot));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0)->sn, 0);
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 1)->sn, 1);
	/* Feedback of slot 0 is there before slot 6; the rest has gathered. */
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 2)->sn, 6);
	assert_int_equal(run_count(&r, CELL_EV_MAC_TX, CELL_NODE_ENB), 3);
	assert_int_equal(r.n_delivered, 4);
	run_end(&r);
}

/* Slots with nothing to do cost nothing. */
static void test_idle_slots_cost_nothing(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_defaults(&r, 100);
	run_start(&r);
	assert_int_equal(cell_next(r.cell), CELL_NEVER);
	run_push(&r, TO_UE(7), 100, SLOT(1000));
	run_push(&r, TO_UE(93), 100, SLOT(100000));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_in_range(stats.ttis_active, 4, 8);
	run_end(&r);
}

/* What the slowest MCS cannot send within 50 ms goes with the slot at 50 ms. */
static void test_discard_timer(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.ue[0].cqi_dl = 1;
	r.cfg.pdcp.discard_timer_ms = 50;
	run_start(&r);
	for (int i = 0; i < 250; i++)
		run_push(&r, TO_UE(1), 1500, SLOT(3));
	run_until(&r, RUN_FOREVER);
	assert_in_range(r.n_dropped, 1, 249);
	assert_int_equal(r.n_delivered + r.n_dropped, 250);
	for (uint32_t i = 0; i < r.n_dropped; i++) {
		assert_int_equal(r.dropped[i].reason, CELL_DROP_PDCP_DISCARD);
		assert_int_equal(r.dropped[i].t_ns, SLOT(103));
	}
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_downlink),
		cmocka_unit_test(test_a_gnb_that_decides_ahead),
		cmocka_unit_test(test_feedback_comes_in_bunches),
		cmocka_unit_test(test_uplink_by_request),
		cmocka_unit_test(test_uplink_by_bsr),
		cmocka_unit_test(test_fdd),
		cmocka_unit_test(test_retransmission),
		cmocka_unit_test(test_processes_are_few),
		cmocka_unit_test(test_idle_slots_cost_nothing),
		cmocka_unit_test(test_discard_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
