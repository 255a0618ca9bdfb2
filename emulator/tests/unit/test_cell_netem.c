/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of packets on their way over a link of constant rate; test_link_netem.py has the
 * models.
 */
#include <errno.h>

#include "run.h"
#include "unit.h"

#define DOWN (1 | CELL_PORT_NETWORK)

/* 1000 bytes take 1 ms, and then 10 ms. */
static struct cell_netem *defaults(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.system = CELL_SYSTEM_CONSTANT_RATE;
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.constant.dl_rate_bps = 8000000;
	r->cfg.constant.delay_ms = 10;
	return &r->cfg.constant.netem[CELL_DIR_DL];
}

static void start(struct run *r, int n)
{
	run_start(r);
	for (int i = 0; i < n; i++)
		run_push(r, DOWN, 1000, 0);
}

static void push(struct run *r, int n)
{
	start(r, n);
	run_until(r, RUN_FOREVER);
}

static void test_nothing_by_default(void **state)
{
	struct run r;

	(void)state;
	(void)defaults(&r);
	push(&r, 3);
	assert_int_equal(r.n_delivered, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(11 + i));
	run_end(&r);
}

/* A packet meets the state that the one before left: good, bad, bad, ... */
static void test_gemodel_begins_in_the_good_state(void **state)
{
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->loss = CELL_NETEM_LOSS_GEMODEL;
	n->p_q32 = n->bad_q32 = UINT32_MAX;
	push(&r, 4);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(run_count(&r, CELL_EV_PKT_DROP, CELL_NODE_ENB), 3);
	assert_int_equal(run_find(&r, CELL_EV_PKT_DROP, CELL_NODE_ENB, 0)->value,
	                 CELL_DROP_RADIO_LOSS);
	run_end(&r);
}

/* States 1, 4, 1, 4: each other packet is lost by itself. */
static void test_a_loss_by_itself_is_followed_by_none(void **state)
{
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->loss = CELL_NETEM_LOSS_STATE;
	n->p14_q32 = UINT32_MAX;
	push(&r, 6);
	assert_int_equal(r.n_delivered, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(12 + 2 * i));
	run_end(&r);
}

static void test_a_trace_of_losses_is_used_again(void **state)
{
	static const uint8_t lost[] = { 0, 1, 1 };
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->lost = lost;
	n->n_lost = COUNT(lost);
	push(&r, 7);
	assert_int_equal(r.n_delivered, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(11 + 3 * i));
	run_end(&r);
}

/* Sent at 1, 2, 3, 4 ms, with 5, 5, 1, 5 ms more: the third waits for the second. */
static void test_a_trace_of_delays_keeps_the_order(void **state)
{
	static const struct cell_delay delay[] = { { 0, 5000 }, { 3, 1000 }, { 4, 0 } };
	static const int64_t there[] = { 16, 17, 17, 19 };
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->delay = delay;
	n->n_delays = COUNT(delay);
	push(&r, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	run_end(&r);
}

/* Of three packets the last is a candidate: it is there as soon as it is sent. */
static void test_a_reordered_packet_is_not_delayed(void **state)
{
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->reorder_q32 = UINT32_MAX;
	n->reorder_gap = 3;
	push(&r, 3);
	assert_int_equal(r.delivered[0].t_ns, MS(3));
	assert_int_equal(r.delivered[1].t_ns, MS(11));
	assert_int_equal(r.delivered[2].t_ns, MS(12));
	run_end(&r);
}

static void test_a_copy_is_a_packet_of_the_core(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	defaults(&r)->duplicate_q32 = UINT32_MAX;
	push(&r, 1);
	assert_int_equal(r.n_delivered, 2);
	assert_int_equal(run_count(&r, CELL_EV_PKT_IN, CELL_NODE_ENB), 2);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 1)->aux, 1);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 1)->sn,
	                 run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->pkt);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.pkts_originated, 1);
	run_end(&r);
}

/* The first packet is there at 11: two leave at 16, two at 21, one at 26. */
static void test_slots_take_their_packets(void **state)
{
	static const int64_t there[] = { 16, 16, 21, 21, 26 };
	struct run r;
	struct cell_netem *n = defaults(&r);

	(void)state;
	n->slot_us = 5000;
	n->slot_packets = 2;
	push(&r, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	run_end(&r);
}

static void command(struct run *r, enum cell_cmd_type type, uint32_t value, int64_t t_ns)
{
	struct cell_cmd cmd = { .type = type, .ue = 1, .dir = CELL_DIR_DL, .value = value };

	run_until(r, t_ns);
	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

/* Sent in 1 ms each; from 1.5 ms on the rate is half: the second one's half takes 1 ms. */
static void test_a_rate_changes_within_a_packet(void **state)
{
	static const int64_t there_us[] = { 11000, 12500, 14500 };
	struct run r;

	(void)state;
	(void)defaults(&r);
	start(&r, 3);
	command(&r, CELL_CMD_RATE, 4000000, MS(1) + MS(1) / 2);
	run_until(&r, RUN_FOREVER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, there_us[i] * 1000);
	assert_int_equal(run_find(&r, CELL_EV_CHANNEL, CELL_NODE_ENB, 0)->value, 4000000);
	run_end(&r);
}

/* From 1.5 to 6.5 ms nothing is sent; what was sent arrives. */
static void test_an_outage_holds_what_waits(void **state)
{
	static const int64_t there[] = { 11, 17, 18 };
	struct run r;

	(void)state;
	(void)defaults(&r);
	start(&r, 3);
	command(&r, CELL_CMD_OUTAGE, 5, MS(1) + MS(1) / 2);
	run_until(&r, RUN_FOREVER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	run_end(&r);
}

/* With the delay of 0 the second would be there at 2, but does not overtake. */
static void test_a_delay_that_falls_keeps_the_order(void **state)
{
	static const int64_t there[] = { 11, 11, 11 };
	struct run r;

	(void)state;
	(void)defaults(&r);
	start(&r, 3);
	command(&r, CELL_CMD_DELAY, 0, MS(1) + 1);
	run_until(&r, RUN_FOREVER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	run_end(&r);
}

static void test_losses_begin_with_the_command(void **state)
{
	struct run r;

	(void)state;
	(void)defaults(&r);
	start(&r, 3);
	command(&r, CELL_CMD_LOSS, UINT32_MAX, MS(1) + 1);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(run_find(&r, CELL_EV_CHANNEL, CELL_NODE_ENB, 0)->value, 1000000);
	run_end(&r);
}

/* The first one is being sent, and is there. */
static void test_a_flush_drops_what_waits(void **state)
{
	struct run r;

	(void)state;
	(void)defaults(&r);
	start(&r, 3);
	command(&r, CELL_CMD_FLUSH, 0, MS(1) / 2);
	run_push(&r, DOWN, 1000, MS(1) / 2 + 1);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_dropped, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(r.dropped[i].reason, CELL_DROP_FLUSH);
	assert_int_equal(r.n_delivered, 2);
	assert_int_equal(r.delivered[0].t_ns, MS(11));
	assert_int_equal(r.delivered[1].t_ns, MS(12));
	run_end(&r);
}

static void test_what_a_link_does_not_take(void **state)
{
	struct cell_cmd wrong[] = { { .type = CELL_CMD_RATE, .ue = 1, .value = 999 },
		                    { .type = CELL_CMD_DELAY, .ue = 1, .value = 10001 },
		                    { .type = CELL_CMD_OUTAGE, .ue = 1, .value = 600001 },
		                    { .type = CELL_CMD_LOSS, .ue = 1, .dir = CELL_DIR_SL },
		                    { .type = CELL_CMD_CHANNEL, .ue = 1, .cqi = 3 } };
	struct run r;

	(void)state;
	(void)defaults(&r);
	run_start(&r);
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(run_cmd(&r, &wrong[i], MS(1)), -EINVAL);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_by_default),
		cmocka_unit_test(test_gemodel_begins_in_the_good_state),
		cmocka_unit_test(test_a_loss_by_itself_is_followed_by_none),
		cmocka_unit_test(test_a_trace_of_losses_is_used_again),
		cmocka_unit_test(test_a_trace_of_delays_keeps_the_order),
		cmocka_unit_test(test_a_reordered_packet_is_not_delayed),
		cmocka_unit_test(test_a_copy_is_a_packet_of_the_core),
		cmocka_unit_test(test_slots_take_their_packets),
		cmocka_unit_test(test_a_rate_changes_within_a_packet),
		cmocka_unit_test(test_an_outage_holds_what_waits),
		cmocka_unit_test(test_a_delay_that_falls_keeps_the_order),
		cmocka_unit_test(test_losses_begin_with_the_command),
		cmocka_unit_test(test_a_flush_drops_what_waits),
		cmocka_unit_test(test_what_a_link_does_not_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
