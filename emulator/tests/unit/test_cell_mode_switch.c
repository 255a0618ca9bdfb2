/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode switches: selection by CQI, and what becomes of the packets under way. Source: Nardini,
 * section IV */
#include "run.h"
#include "unit.h"

static void route(struct run *r, uint8_t ue, enum cell_mode mode, int64_t t_ns)
{
	struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = ue, .mode = (uint8_t)mode };

	run_until(r, t_ns - 1);
	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

static void set_cqi(struct run *r, uint8_t ue, enum cell_dir dir, uint8_t cqi, int64_t t_ns)
{
	struct cell_cmd cmd = {
		.type = CELL_CMD_CHANNEL, .ue = ue, .dir = (uint8_t)dir, .cqi = cqi
	};

	run_until(r, t_ns - 1);
	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

/* Ten packets, of which the switch at 13 ms finds some on the air and some queued. */
static void switch_under_way(struct run *r, enum cell_mode from, enum cell_flush flush)
{
	run_defaults(r, from);
	r->cfg.lte.mode_switch.flush = (uint8_t)flush;
	r->cfg.lte.mode_switch.flush_air = 1;
	run_start(r);
	for (int i = 0; i < 10; i++)
		run_push(r, 1, 1400, 0);
	route(r, 1, from == CELL_MODE_DM ? CELL_MODE_IM : CELL_MODE_DM, MS(13));
	run_until(r, RUN_FOREVER);
}

static void test_direct_packets_are_discarded(void **state)
{
	const struct cell_record *flush;
	struct run r;

	(void)state;
	switch_under_way(&r, CELL_MODE_DM, CELL_FLUSH_DISCARD);
	flush = run_find(&r, CELL_EV_FLUSH, 1, 0);
	assert_int_equal(flush->t_ns, MS(13));
	assert_int_equal(flush->dir, CELL_DIR_SL);
	assert_int_equal(flush->value, 10);
	assert_int_equal(flush->bytes, 14000);
	assert_int_equal(r.n_dropped, 10);
	for (size_t i = 0; i < r.n_dropped; i++)
		assert_int_equal(r.dropped[i].reason, CELL_DROP_MODE_SWITCH);
	assert_int_equal(r.n_delivered, 0);
	run_end(&r);
}

/* What is whole in blocks on the air arrives; the rest is discarded. */
static void test_blocks_on_the_air_arrive(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 1400, 0);
	route(&r, 1, CELL_MODE_IM, MS(13));
	run_push(&r, 1, 1400, MS(14));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_FLUSH, 1, 0)->value, 4);
	assert_int_equal(r.n_dropped, 4);
	assert_int_equal(r.n_delivered, 7);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(r.delivered[i].pkt, i + 1);
	assert_int_equal(r.delivered[6].pkt, 11);
	run_end(&r);
}

/* Both directions: five packets are in the uplink, five in the downlink of the peer. */
static void test_both_legs_are_discarded(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.timing.dl_sched_to_tx_tti = 8; /* time for the downlink to hold some */
	r.cfg.lte.mode_switch.flush_air = 1;
	run_start(&r);
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 1400, 0);
	route(&r, 1, CELL_MODE_DM, MS(17));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_FLUSH, 1), 1);
	assert_int_equal(run_count(&r, CELL_EV_FLUSH, CELL_NODE_ENB), 1);
	assert_true(run_find(&r, CELL_EV_FLUSH, 1, 0)->value > 0);
	assert_true(run_find(&r, CELL_EV_FLUSH, CELL_NODE_ENB, 0)->value > 0);
	assert_int_equal(r.n_dropped, 10);
	run_end(&r);
}

/* What waits for the downlink came before what waits for the uplink, and goes first again. */
static void test_both_legs_are_sent_again_in_order(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.timing.dl_sched_to_tx_tti = 8;
	r.cfg.lte.mode_switch.flush = CELL_FLUSH_RETRANSMIT;
	run_start(&r);
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 1400, 0);
	route(&r, 1, CELL_MODE_DM, MS(17));
	run_until(&r, RUN_FOREVER);
	assert_true(run_find(&r, CELL_EV_FLUSH, 1, 0)->value > 0);
	assert_true(run_find(&r, CELL_EV_FLUSH, CELL_NODE_ENB, 0)->value > 0);
	assert_int_equal(r.n_delivered, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(r.delivered[i].pkt, i + 1);
	run_end(&r);
}

static void test_kept_packets_go_the_old_way(void **state)
{
	struct run r;

	(void)state;
	switch_under_way(&r, CELL_MODE_DM, CELL_FLUSH_KEEP);
	assert_int_equal(r.n_delivered, 10);
	assert_int_equal(run_count(&r, CELL_EV_FLUSH, 1), 0);
	run_end(&r);
}

static void test_retransmitted_packets_go_the_new_way_in_order(void **state)
{
	struct run r;

	(void)state;
	for (int mode = CELL_MODE_IM; mode <= CELL_MODE_DM; mode++) {
		switch_under_way(&r, (enum cell_mode)mode, CELL_FLUSH_RETRANSMIT);
		assert_int_equal(r.n_delivered, 10);
		assert_int_equal(r.n_dropped, 0);
		for (uint32_t i = 0; i < 10; i++)
			assert_int_equal(r.delivered[i].pkt, i + 1);
		assert_true(r.delivered[0].t_ns > MS(13));
		run_end(&r);
	}
}

/* What the old mode still has on the air must not reach the new one's receiver, or disturb it
 * later. */
static void test_nothing_leaks_from_one_mode_to_the_other(void **state)
{
	struct run r;

	(void)state;
	for (int64_t at_ns = MS(1); at_ns < MS(30); at_ns += 500000) {
		run_defaults(&r, CELL_MODE_DM);
		run_start(&r);
		for (int i = 0; i < 10; i++)
			run_push(&r, 1, 1400, 0);
		route(&r, 1, CELL_MODE_IM, at_ns);
		route(&r, 1, CELL_MODE_DM, at_ns + MS(2));
		for (int i = 0; i < 5; i++)
			run_push(&r, 1, 1000, at_ns + MS(2) + 1);
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.n_delivered + r.n_dropped, 15);
		for (uint32_t i = 0; i < 5; i++) /* those of after the switches, in order */
			assert_int_equal(r.delivered[r.n_delivered - 5 + i].pkt, 11 + i);
		run_end(&r);
	}
}

static void test_the_mode_with_the_higher_cqi_is_selected(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.mode_switch.select_ms = 1000;
	for (int i = 0; i < 2; i++)
		r.cfg.ue[i].cqi_ul = 9;
	run_start(&r);
	set_cqi(&r, 1, CELL_DIR_SL, 8, MS(1500));
	set_cqi(&r, 1, CELL_DIR_SL, 9, MS(2500));
	run_until(&r, MS(4000));
	assert_int_equal(run_count(&r, CELL_EV_ROUTE, 1), 2);
	assert_int_equal(run_find(&r, CELL_EV_ROUTE, 1, 0)->t_ns, MS(2000));
	assert_int_equal(run_find(&r, CELL_EV_ROUTE, 1, 0)->value, CELL_MODE_IM);
	assert_int_equal(run_find(&r, CELL_EV_ROUTE, 1, 1)->t_ns, MS(3000));
	assert_int_equal(run_find(&r, CELL_EV_ROUTE, 1, 1)->value, CELL_MODE_DM);
	assert_int_equal(run_count(&r, CELL_EV_ROUTE, 2), 0); /* its own stayed at 15 */
	assert_int_equal(run_find(&r, CELL_EV_CHANNEL, 1, 0)->cqi, 8);
	run_end(&r);
}

/* CQI 0: out of range. Packets wait until it is better. */
static void test_out_of_range_nothing_is_sent(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	set_cqi(&r, 1, CELL_DIR_SL, 0, 1);
	run_push(&r, 1, 1400, MS(1));
	set_cqi(&r, 1, CELL_DIR_SL, 15, MS(100));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_true(r.delivered[0].t_ns > MS(100));
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct_packets_are_discarded),
		cmocka_unit_test(test_blocks_on_the_air_arrive),
		cmocka_unit_test(test_both_legs_are_discarded),
		cmocka_unit_test(test_both_legs_are_sent_again_in_order),
		cmocka_unit_test(test_kept_packets_go_the_old_way),
		cmocka_unit_test(test_retransmitted_packets_go_the_new_way_in_order),
		cmocka_unit_test(test_nothing_leaks_from_one_mode_to_the_other),
		cmocka_unit_test(test_the_mode_with_the_higher_cqi_is_selected),
		cmocka_unit_test(test_out_of_range_nothing_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
