/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling Requests: occasions, sr-ProhibitTimer, dsr-TransMax, and what the eNB makes of them.
 * Source: TS 36.321 5.4.4
 */
#include "unit.h"

#include "run.h"

#define ALWAYS_LOST UINT32_MAX

/* Both UEs talk over the eNB, and have an occasion every @period_ms: UE 1 the first sub-frame. */
static void defaults(struct run *r, uint8_t period_ms)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.lte.sr.period_ms = period_ms;
}

static void check_at(const struct run *r, enum cell_event event, uint8_t node, size_t n, int64_t ms)
{
	assert_int_equal(run_find(r, event, node, n)->t_ns, MS(ms));
}

/* Asked at 10, heard at 14, sent at 16: a packet that fits needs nothing else. */
static void test_a_short_packet_takes_one_request(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 10);
	run_start(&r);
	run_push(&r, 1, 40, MS(1));
	run_until(&r, RUN_FOREVER);
	check_at(&r, CELL_EV_SR, 1, 0, 10);
	assert_int_equal(run_find(&r, CELL_EV_SR, 1, 0)->value, 1);
	check_at(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0, 14);
	check_at(&r, CELL_EV_MAC_TX, 1, 0, 16);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 1);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* The first grant has room for a BSR and some data, and the second for what the BSR says. */
static void test_a_long_packet_takes_a_request_and_a_bsr(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 10);
	run_start(&r);
	run_push(&r, 2, 1400, 0);
	run_until(&r, RUN_FOREVER);
	check_at(&r, CELL_EV_SR, 2, 0, 1);
	check_at(&r, CELL_EV_MAC_TX, 2, 0, 7);
	check_at(&r, CELL_EV_BSR_TX, 2, 0, 7);
	check_at(&r, CELL_EV_MAC_TX, 2, 1, 13);
	assert_int_equal(run_count(&r, CELL_EV_SR, 2), 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* The smallest format still has room for more than headers. */
static void test_a_bad_channel_gets_more_blocks(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 10);
	r.cfg.ue[0].cqi_ul = 1;
	r.cfg.lte.mac.grants_ignore_headers = 1;
	run_start(&r);
	run_push(&r, 1, 100, 0);
	run_until(&r, RUN_FOREVER);
	assert_in_range(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->bytes, 9, 12);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Out of range nobody hears a request. The UE asks four times, at every third occasion, and then by
 * random access; back in range that is heard, and requests begin again. */
static void test_requests_in_vain_end_in_random_access(void **state)
{
	const struct cell_cmd away = { .type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_UL };
	struct cell_cmd back = away;
	struct run r;

	(void)state;
	back.cqi = 15;
	defaults(&r, 5);
	r.cfg.lte.sr.prohibit_periods = 3;
	r.cfg.lte.sr.trans_max = 4;
	run_start(&r);
	assert_int_equal(run_cmd(&r, &away, 0), 0);
	run_push(&r, 1, 40, 1);
	run_until(&r, MS(64));
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 4);
	for (size_t i = 0; i < 4; i++) {
		check_at(&r, CELL_EV_SR, 1, i, 5 + 15 * (int64_t)i);
		assert_int_equal(run_find(&r, CELL_EV_SR, 1, i)->value, i + 1);
	}
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	assert_int_equal(run_cmd(&r, &back, MS(64)), 0);
	run_push(&r, 1, 40, MS(64) + 1);
	run_until(&r, MS(100));
	check_at(&r, CELL_EV_RA_PREAMBLE, 1, 0, 65);
	assert_int_equal(r.n_delivered, 2);
	run_push(&r, 1, 40, MS(101));
	run_until(&r, RUN_FOREVER);
	check_at(&r, CELL_EV_SR, 1, 4, 105);
	assert_int_equal(run_find(&r, CELL_EV_SR, 1, 4)->value, 1);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 1);
	run_end(&r);
}

/* A request that the eNB does not detect is as one out of range; of many it detects its share. */
static void test_requests_are_missed(void **state)
{
	struct run r;
	size_t alone = 0;

	(void)state;
	defaults(&r, 5);
	r.cfg.lte.sr.trans_max = 4;
	r.cfg.lte.sr.missed_q32 = UINT32_MAX;
	run_start(&r);
	run_push(&r, 1, 40, 1);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 4);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);

	defaults(&r, 5);
	r.cfg.lte.sr.missed_q32 = UINT32_MAX / 4;
	run_start(&r);
	for (int64_t i = 0; i < 200; i++)
		run_push(&r, 1, 40, MS(100 * i) + 1);
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < run_count(&r, CELL_EV_SR, 1); i++)
		alone += run_find(&r, CELL_EV_SR, 1, i)->value == 1;
	assert_int_equal(alone, 200);
	/* 3 of 4: 267 requests for 200 grants, give or take 3 standard deviations. */
	assert_in_range(run_count(&r, CELL_EV_SR, 1), 238, 296);
	assert_int_equal(r.n_delivered, 200);
	run_end(&r);
}

/* The BSR is lost, so no other grant comes: retxBSR-Timer, then a request. */
static void test_a_lost_bsr_is_sent_again(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 10);
	r.cfg.lte.sr.bsr_retx_ms = 320;
	r.cfg.ue[0].bler_ul_q32 = ALWAYS_LOST;
	run_start(&r);
	run_push(&r, 1, 1400, 0);
	run_until(&r, MS(400));
	check_at(&r, CELL_EV_SR, 1, 0, 0);
	check_at(&r, CELL_EV_BSR_TX, 1, 0, 6);
	check_at(&r, CELL_EV_SR, 1, 1, 330);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 2);
	run_end(&r);
}

/* With an occasion in each sub-frame a UE asks until its grant comes. */
static void test_a_ue_asks_until_it_is_granted(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, 1);
	run_start(&r);
	run_push(&r, 1, 40, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 4);
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 2); /* up and down */
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_short_packet_takes_one_request),
		cmocka_unit_test(test_a_long_packet_takes_a_request_and_a_bsr),
		cmocka_unit_test(test_a_bad_channel_gets_more_blocks),
		cmocka_unit_test(test_requests_in_vain_end_in_random_access),
		cmocka_unit_test(test_requests_are_missed),
		cmocka_unit_test(test_a_lost_bsr_is_sent_again),
		cmocka_unit_test(test_a_ue_asks_until_it_is_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
