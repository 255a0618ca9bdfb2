/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carriers of LTE's uplink beside the first one: each has a block of a UE in a sub-frame, with HARQ
 * processes of its own.
 * Source: TS 36.300 5.5, 10.1; TS 36.321 5.4.2.1, 5.4.5
 */
#include "run.h"
#include "unit.h"

#define FULL 3000 /* packets, for more than a hundred sub-frames */

static void defaults(struct run *r, uint8_t carriers)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.ue[0].peer = r->cfg.ue[1].peer = CELL_PEER_NETWORK;
	r->cfg.lte.dl_carriers = 5;
	r->cfg.lte.ul_carriers = carriers;
	r->cfg.rlc.queue_pkts = r->cfg.max_pkts = FULL;
}

static void push(struct run *r, uint8_t ue, int n)
{
	for (int i = 0; i < n; i++)
		run_push(r, ue, 1400, MS(1));
}

static uint32_t blocks(const struct run *r, uint8_t carrier, uint32_t subframe)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_pdus; i++)
		n += r->pdus[i].dir == CELL_DIR_UL && !r->pdus[i].preamble &&
		     r->pdus[i].carrier == carrier && r->pdus[i].subframe == subframe;
	return n;
}

static size_t delivered(uint8_t carriers)
{
	struct run r;
	size_t n;

	defaults(&r, carriers);
	run_start(&r);
	push(&r, 1, FULL);
	run_until(&r, MS(200));
	n = r.n_delivered;
	run_end(&r);
	return n;
}

static void test_each_adds_as_much_as_the_first(void **state)
{
	size_t one = delivered(1), three = delivered(3);

	(void)state;
	assert_true(one > 100);
	assert_in_range(three, 3 * one - one / 5, 3 * one + one / 5);
}

/* All resource blocks of both, in every sub-frame from some time on. */
static void test_one_block_on_each(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 2);
	run_start(&r);
	push(&r, 1, FULL);
	run_until(&r, MS(120));
	for (uint32_t subframe = 60; subframe < 100; subframe++) {
		assert_int_equal(blocks(&r, 0, subframe), 1);
		assert_int_equal(blocks(&r, 1, subframe), 1);
		assert_int_equal(blocks(&r, 2, subframe), 0);
	}
	for (size_t i = 0; i < r.n_pdus; i++)
		if (r.pdus[i].dir == CELL_DIR_UL && r.pdus[i].subframe >= 60)
			assert_true(r.pdus[i].n_rb == 50 && r.pdus[i].codeword == 0);
	run_end(&r);
}

/* Of the blocks of a sub-frame at most one has a BSR. */
static void test_one_report_in_a_sub_frame(void **state)
{
	struct run r;
	int64_t last_ns = -1;

	(void)state;
	defaults(&r, 3);
	run_start(&r);
	push(&r, 1, 600);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 600);
	for (size_t i = 0; i < r.n_records; i++) {
		if (r.records[i].event != CELL_EV_BSR_TX)
			continue;
		assert_true(r.records[i].t_ns > last_ns);
		last_ns = r.records[i].t_ns;
	}
	assert_true(last_ns > MS(20));
	run_end(&r);
}

/* A block that was not decoded comes again on its carrier, beside new ones on the others. */
static void test_retransmissions_stay_on_their_carrier(void **state)
{
	uint32_t again[2] = { 0 };
	struct run r;

	(void)state;
	defaults(&r, 2);
	r.cfg.harq.max_attempts = 4;
	r.cfg.harq.n_bler = 2;
	r.cfg.harq.bler_q32[0] = UINT32_MAX / 3;
	r.cfg.harq.bler_q32[1] = 0;
	run_start(&r);
	push(&r, 1, 1500);
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_pdus; i++) {
		const struct cell_pdu_info *pdu = &r.pdus[i];

		if (pdu->dir != CELL_DIR_UL || pdu->preamble || pdu->attempt < 2)
			continue;
		again[pdu->carrier]++;
		assert_int_equal(blocks(&r, pdu->carrier, pdu->subframe), 1);
		assert_int_equal(blocks(&r, pdu->carrier, pdu->subframe - 8), 1);
	}
	assert_true(again[0] > 10 && again[1] > 10);
	assert_int_equal(r.n_delivered, 1500);
	run_end(&r);
}

/* Two UEs share each carrier; neither has more than one block on it. */
static void test_ues_share_each(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 2);
	run_start(&r);
	push(&r, 1, 700);
	push(&r, 2, 700);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1400);
	for (size_t i = 0; i < r.n_pdus; i++)
		for (size_t k = i + 1; k < r.n_pdus && r.pdus[k].subframe == r.pdus[i].subframe;
		     k++)
			if (r.pdus[i].dir == CELL_DIR_UL && r.pdus[k].dir == CELL_DIR_UL &&
			    !r.pdus[i].preamble && !r.pdus[k].preamble)
				assert_false(r.pdus[i].ue == r.pdus[k].ue &&
				             r.pdus[i].carrier == r.pdus[k].carrier);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_adds_as_much_as_the_first),
		cmocka_unit_test(test_one_block_on_each),
		cmocka_unit_test(test_one_report_in_a_sub_frame),
		cmocka_unit_test(test_retransmissions_stay_on_their_carrier),
		cmocka_unit_test(test_ues_share_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
