/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random access: requests, collisions, back-off; trailing BSRs that make
 * requests unnecessary. Source: Nardini, sections II and III
 */
#include "unit.h"

#include "run.h"

#define ALWAYS_LOST UINT32_MAX

static int64_t preamble_ns(const struct run *r, uint8_t ue, size_t n)
{
	return run_find(r, CELL_EV_RA_PREAMBLE, ue, n)->t_ns;
}

/*
 * The BSR is lost, so no grant comes. The RAR answered the preamble: no
 * back-off, but no new request before 10 ms either, whatever else arrives.
 */
static void test_no_request_while_waiting_for_a_grant(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.ue[0].bler_ul_q32 = ALWAYS_LOST;
	run_start(&r);
	for (int i = 0; i < 30; i++)
		run_push(&r, 1, 1000, MS(i));
	run_until(&r, MS(35));
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(preamble_ns(&r, 1, i), MS(10 * i));
		assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, i)->value, 1);
	}
	assert_int_equal(run_count(&r, CELL_EV_RA_TIMEOUT, 1), 0);
	assert_int_equal(run_count(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB), 4);
	run_end(&r);
}

/* A UE whose data are all granted may ask for those that come after. */
static void test_request_after_all_is_granted(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 1, 1000, MS(9) + 1); /* the first is granted at 9 ms */
	run_until(&r, RUN_FOREVER);
	assert_int_equal(preamble_ns(&r, 1, 0), 0);
	assert_int_equal(preamble_ns(&r, 1, 1), MS(10));
	assert_int_equal(r.delivered[1].t_ns, MS(10) + MS(15) - 250000);
	run_end(&r);
}

/* Also where the timeout of the first request is far from over. */
static void test_request_after_all_is_granted_before_the_timeout(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.ra.rac_timeout_tti = 100;
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 1, 1000, MS(12) + 1);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(preamble_ns(&r, 1, 1), MS(13));
	run_end(&r);
}

/* What arrives before the BSR goes out is reported with it: one request. */
static void test_one_request_for_a_burst(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, 1, 1000, MS(i));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 1);
	assert_int_equal(run_find(&r, CELL_EV_BSR_TX, 1, 0)->bytes, 4 * 1002);
	for (size_t i = 0; i < 4; i++) /* one PDU: all at once */
		assert_int_equal(r.delivered[i].t_ns, MS(15) - 250000);
	run_end(&r);
}

static void start_collision(struct run *r, uint16_t backoff_max_ms)
{
	run_defaults(r, CELL_MODE_DM);
	r->cfg.lte.ra.n_preambles = 1;
	r->cfg.lte.ra.backoff_max_ms = backoff_max_ms;
	run_start(r);
	run_push(r, 1, 1000, 0);
	run_push(r, 2, 1000, 0);
}

/* Nobody backs off: the two collide at every timeout, for ever. */
static void test_collision_without_back_off(void **state)
{
	struct run r;

	(void)state;
	start_collision(&r, 0);
	run_until(&r, MS(55));
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(run_count(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB), 0);
	for (uint8_t ue = 1; ue <= 2; ue++) {
		assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, ue), 6);
		assert_int_equal(run_count(&r, CELL_EV_RA_TIMEOUT, ue), 5);
		for (size_t i = 0; i < 6; i++) {
			assert_int_equal(preamble_ns(&r, ue, i), MS(10 * i));
			assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, ue, i)->value, i + 1);
		}
	}
	/* The eNB notices three sub-frames after each of them, once per UE. */
	assert_int_equal(run_count(&r, CELL_EV_RA_COLLISION, CELL_NODE_ENB), 12);
	assert_int_equal(run_find(&r, CELL_EV_RA_COLLISION, CELL_NODE_ENB, 0)->t_ns, MS(3));
	run_end(&r);
}

/* Timeout at 10 ms, then the drawn back-off, then the next attempt. */
static void test_collision_and_back_off(void **state)
{
	struct run r;

	(void)state;
	start_collision(&r, 960);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 2);
	for (uint8_t ue = 1; ue <= 2; ue++) {
		const struct cell_record *timeout = run_find(&r, CELL_EV_RA_TIMEOUT, ue, 0);

		assert_int_equal(timeout->t_ns, MS(10));
		assert_in_range(timeout->value, 0, 960);
		assert_int_equal(preamble_ns(&r, ue, 1), MS(10 + timeout->value));
		assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, ue, 1)->value, 2);
	}
	run_end(&r);
}

/* Different preambles in one sub-frame do not disturb each other. */
static void test_no_collision(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 2, 1000, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_not_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, 0)->sn,
	                     run_find(&r, CELL_EV_RA_PREAMBLE, 2, 0)->sn);
	assert_int_equal(r.delivered[0].t_ns, MS(15) - 250000);
	assert_int_equal(r.delivered[1].t_ns, MS(15) - 250000);
	run_end(&r);
}

/*
 * 1000 packets of 1502 bytes at once: 329 blocks of 4587 bytes, less headers.
 * The first request is made at 0; the grant that comes of it at 9 ms does not
 * cover the data, so there is another at 10 ms, when the RAC timeout is over.
 * Return: preambles it took.
 */
static size_t preambles_at_full_buffer(enum cell_mode mode, int trailing, int overhears)
{
	size_t n;
	struct run r;

	run_defaults(&r, mode);
	r.cfg.lte.mac.trailing_bsr = (uint8_t)trailing;
	r.cfg.lte.mac.enb_overhears_dm = (uint8_t)overhears;
	run_start(&r);
	for (int i = 0; i < 1000; i++)
		run_push(&r, 1, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1000);
	n = run_count(&r, CELL_EV_RA_PREAMBLE, 1);
	run_end(&r);
	return n;
}

static void test_full_buffer(void **state)
{
	size_t n;

	(void)state;
	/* From 11 ms on BSRs in the uplink PDUs are heard: no more requests. */
	assert_int_equal(preambles_at_full_buffer(CELL_MODE_IM, 1, 0), 2);
	/*
	 * The eNB does not receive sidelink PDUs, so data are waiting for a grant
	 * at every timeout. Its answer takes one of ten sub-frames: 37 times 9
	 * are 333 blocks, from 11 to 381 ms; the last is granted before 380.
	 */
	n = preambles_at_full_buffer(CELL_MODE_DM, 1, 0);
	assert_int_equal(n, 38);
	/* A trailing BSR that nobody hears is as good as none. */
	assert_int_equal(preambles_at_full_buffer(CELL_MODE_DM, 0, 0), n);
	/* It is heard when the eNB overhears them. */
	assert_int_equal(preambles_at_full_buffer(CELL_MODE_DM, 1, 1), 2);
}

/* Grants of a full buffer are back to back: a data PDU in every sub-frame. */
static void test_full_buffer_fills_sub_frames(void **state)
{
	struct run r;
	size_t n;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	for (int i = 0; i < 1000; i++)
		run_push(&r, 1, 1500, 0);
	run_until(&r, MS(200));
	n = run_count(&r, CELL_EV_MAC_TX, 1);
	assert_int_equal(n, 1 + 200 - 11 + 1); /* the BSR at 5, data from 11 ms to 200 */
	for (size_t i = 1; i < n; i++) {
		const struct cell_record *tx = run_find(&r, CELL_EV_MAC_TX, 1, i);

		assert_int_equal(tx->t_ns, MS(11 + (int64_t)i - 1));
		/* The answer to the request at 10 ms is one PRB. */
		assert_int_equal(tx->bytes, tx->t_ns == MS(15) ? 89 : 4587);
		assert_int_equal(tx->aux, tx->t_ns == MS(15));
	}
	run_end(&r);
}

/*
 * Every block takes two attempts: a BSR is heard 8 ms late and speaks of what its UE had when
 * it first sent it. What was granted since then is no reason for another grant.
 */
static void test_no_grant_twice_for_a_late_report(void **state)
{
	uint32_t padding = 0;
	struct run r;
	size_t n;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.harq.max_attempts = 2;
	r.cfg.harq.n_bler = 2;
	r.cfg.harq.bler_q32[0] = UINT32_MAX;
	r.cfg.harq.bler_q32[1] = 0;
	run_start(&r);
	for (int i = 0; i < 40; i++)
		run_push(&r, 1, 1400, MS(i));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 40);
	n = run_count(&r, CELL_EV_MAC_TX, 1);
	for (size_t i = 0; i < n; i++)
		padding += (uint32_t)run_find(&r, CELL_EV_MAC_TX, 1, i)->value;
	assert_in_range(padding, 0, 2 * 1400);
	run_end(&r);
}

/* A RAR's grant takes one of six resource blocks: the seventh and eighth UE are not answered. */
static void test_no_more_answers_than_resource_blocks(void **state)
{
	uint32_t rapids = 0;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.n_rb = 6;
	r.cfg.n_ue = 8;
	r.cfg.lte.ra.n_preambles = 64;
	for (uint8_t i = 0; i < 8; i++) {
		r.cfg.ue[i] = r.cfg.ue[0];
		r.cfg.ue[i].rnti = (uint16_t)(61 + i);
		r.cfg.ue[i].peer = CELL_PEER_NETWORK;
	}
	run_start(&r);
	for (uint8_t i = 1; i <= 8; i++)
		run_push(&r, i, 100, 0);
	run_until(&r, MS(3));
	assert_int_equal(run_count(&r, CELL_EV_RA_COLLISION, CELL_NODE_ENB), 0);
	assert_int_equal(run_count(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB), 6);
	run_until(&r, RUN_FOREVER);
	for (uint8_t ue = 7; ue <= 8; ue++) {
		const struct cell_record *timeout = run_find(&r, CELL_EV_RA_TIMEOUT, ue, 0);

		assert_int_equal(run_count(&r, CELL_EV_RA_TIMEOUT, ue), 1);
		assert_int_equal(timeout->sn, run_find(&r, CELL_EV_RA_PREAMBLE, ue, 0)->sn);
		rapids |= timeout->sn;
	}
	assert_int_not_equal(rapids, 0);
	assert_int_equal(r.n_delivered, 8);
	run_end(&r);
}

/* Who may always send has nothing to ask for. */
static void test_no_report_where_ues_are_always_scheduled(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.mac.ul_always_scheduled = 1;
	run_start(&r);
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 10);
	assert_int_equal(run_count(&r, CELL_EV_BSR_TX, 1), 0);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	run_end(&r);
}

/* Out of range after its preamble. */
static void test_no_answer_out_of_range(void **state)
{
	const struct cell_cmd gone = { .type = CELL_CMD_CHANNEL, .ue = 1 };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	run_push(&r, 1, 100, 0);
	run_until(&r, MS(1));
	assert_int_equal(run_cmd(&r, &gone, MS(1)), 0);
	run_until(&r, MS(11));
	assert_int_equal(run_count(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB), 0);
	assert_int_equal(run_find(&r, CELL_EV_RA_TIMEOUT, 1, 0)->t_ns, MS(10));
	run_end(&r);
}

/* While a UE is out of range, what it reported goes on waiting, to the last byte. */
static void test_out_of_range_between_report_and_grant(void **state)
{
	struct cell_cmd sidelink = { .type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_SL };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.ra.rac_timeout_tti = 1000; /* no other report */
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_until(&r, MS(8));
	assert_int_equal(run_cmd(&r, &sidelink, MS(8)), 0);
	run_until(&r, MS(700));
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 0);
	sidelink.cqi = 15;
	assert_int_equal(run_cmd(&r, &sidelink, MS(700)), 0);
	run_until(&r, RUN_FOREVER);
	/* As in test_cell_timeline.c. */
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->t_ns, MS(701));
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->rb, 15);
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Flushed meanwhile, the UE has nothing to send any more; the preamble is answered all the same. */
static void test_an_answer_that_is_not_needed_any_more(void **state)
{
	const struct cell_cmd to_im = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 100, 0);
	run_until(&r, MS(1));
	assert_int_equal(run_cmd(&r, &to_im, MS(1)), 0);
	run_push(&r, 2, 100, MS(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB, 0)->t_ns, MS(3));
	assert_int_equal(run_find(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB, 0)->peer, 1);
	assert_int_equal(run_find(&r, CELL_EV_BSR_TX, 1, 0)->value, 0);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_request_while_waiting_for_a_grant),
		cmocka_unit_test(test_request_after_all_is_granted),
		cmocka_unit_test(test_request_after_all_is_granted_before_the_timeout),
		cmocka_unit_test(test_one_request_for_a_burst),
		cmocka_unit_test(test_collision_without_back_off),
		cmocka_unit_test(test_collision_and_back_off),
		cmocka_unit_test(test_no_collision),
		cmocka_unit_test(test_full_buffer),
		cmocka_unit_test(test_full_buffer_fills_sub_frames),
		cmocka_unit_test(test_no_grant_twice_for_a_late_report),
		cmocka_unit_test(test_no_more_answers_than_resource_blocks),
		cmocka_unit_test(test_no_report_where_ues_are_always_scheduled),
		cmocka_unit_test(test_no_answer_out_of_range),
		cmocka_unit_test(test_out_of_range_between_report_and_grant),
		cmocka_unit_test(test_an_answer_that_is_not_needed_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
