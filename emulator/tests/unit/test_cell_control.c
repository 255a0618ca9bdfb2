/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control channels that a UE misses: at -10 dB and below with a chance of 0.92, above -1 dB never.
 * Source: R4-081920
 */
#include "phy/lte/bler.h"
#include "run.h"
#include "unit.h"

#define NEVER_CDB  500
#define MOSTLY_CDB (-1000)

static void setup(struct run *r, uint8_t max_attempts, uint8_t dtx)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.harq.max_attempts = max_attempts;
	r->cfg.harq.n_bler = 1;
	r->cfg.harq.bler_q32[0] = 0; /* data are never lost */
	r->cfg.lte.control.errors = 1;
	r->cfg.lte.control.dtx = dtx;
}

static void set_sinr(struct run *r, int32_t sinr_cdb, int64_t t_ns)
{
	const struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL,
		                      .ue = 1,
		                      .dir = CELL_DIR_DL,
		                      .cqi = 15,
		                      .sinr_cdb = sinr_cdb };

	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

static void start(struct run *r, int32_t sinr_cdb)
{
	run_start(r);
	set_sinr(r, sinr_cdb, 0);
	run_until(r, 0);
}

static void test_none_at_good_sinr(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	start(&r, NEVER_CDB);
	for (int i = 1; i <= 50; i++)
		assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(20 * i)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 50);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.control_missed, 0);
	run_end(&r);
}

/* One packet and one sub-frame each: a loss for every miss, as often as the curve says. */
static void test_without_harq_a_miss_is_a_loss(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	start(&r, -500); /* 0.109 */
	for (int i = 1; i <= 2000; i++)
		assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(20 * i)), 0);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.control_missed, r.n_dropped);
	assert_int_equal(stats.control_missed, stats.pkts_dropped[CELL_DROP_RADIO_LOSS]);
	assert_int_equal(run_count(&r, CELL_EV_CONTROL_MISSED, 1), stats.control_missed);
	assert_in_range(stats.control_missed, 218 - 5 * 14, 218 + 5 * 14); /* five deviations */
	run_end(&r);
}

/* No feedback is taken for a NACK: the block comes again, once the channel is good. */
static void test_a_missed_block_is_sent_again(void **state)
{
	const struct cell_record *nack;
	struct run r;

	(void)state;
	setup(&r, 8, CELL_DTX_RETRY);
	start(&r, MOSTLY_CDB);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(10)), 0);
	run_until(&r, MS(14));
	set_sinr(&r, NEVER_CDB, MS(14));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	nack = run_find(&r, CELL_EV_HARQ_NACK, 1, 0);
	assert_int_equal(nack->aux, 2);
	assert_int_equal(nack->value, 1);
	assert_int_equal(r.delivered[0].t_ns, MS(23) - 250000);
	run_end(&r);
}

static void test_or_given_up(void **state)
{
	const struct cell_record *failure;
	struct run r;

	(void)state;
	setup(&r, 8, CELL_DTX_LOSE);
	start(&r, MOSTLY_CDB);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(10)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 0);
	failure = run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0);
	assert_int_equal(failure->aux, 2);
	assert_int_equal(failure->value, 1);
	run_end(&r);
}

/* The UE asks again, or the eNB grants again what it did not hear: nothing is lost. */
static void test_a_missed_uplink_grant_costs_time(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	start(&r, -700); /* 0.34 */
	for (int i = 1; i <= 200; i++)
		assert_int_equal(run_push(&r, 1, 1000, MS(40 * i)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 200);
	assert_true(run_count(&r, CELL_EV_CONTROL_MISSED, 1) > 0);
	run_end(&r);
}

/*
 * The grant for the BSR, in sub-frame 9, is missed. Where an uplink block should have been decoded,
 * at 15, the eNB notices, and grants the same once more; the UE has to wait before it asks again.
 */
static void test_the_same_is_granted_again(void **state)
{
	const struct cell_record *first, *again;
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	r.cfg.lte.ra.rac_timeout_tti = 50;
	start(&r, NEVER_CDB);
	assert_int_equal(run_push(&r, 1, 1000, 0), 0);
	run_until(&r, MS(9) - 1);
	set_sinr(&r, MOSTLY_CDB, MS(9) - 1);
	run_until(&r, MS(9));
	set_sinr(&r, NEVER_CDB, MS(9));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->t_ns, MS(9));
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->sn, 9);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->peer, CELL_NODE_ENB);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->value, MOSTLY_CDB);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->cqi, 15);
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 2);
	first = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0);
	again = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1);
	assert_int_equal(first->t_ns, MS(9));
	assert_int_equal(again->t_ns, MS(15));
	assert_int_equal(again->bytes, first->bytes);
	assert_int_equal(again->rb, first->rb);
	/* What was not beside the BSR is not sent in sub-frame 11, but in 17. */
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 1, 0)->t_ns, MS(5));
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 1, 1)->t_ns, MS(17));
	assert_int_equal(r.delivered[0].t_ns, MS(21) - 250000);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 1);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.control_missed, 1);
	assert_int_equal(stats.mac_lost[CELL_DIR_UL], 0);
	run_end(&r);
}

/*
 * The same in a cell to which the UE came by a handover. The packet of 200 is asked for as one of 0
 * is: its grant, in sub-frame 209, is missed, and comes once more in 215.
 */
static void test_the_same_is_granted_again_after_a_handover(void **state)
{
	struct cell_cmd channel = { .type = CELL_CMD_CHANNEL,
		                    .ue = 1,
		                    .dir = CELL_DIR_DL,
		                    .cqi = 15,
		                    .enb = 1,
		                    .sinr_cdb = NEVER_CDB };
	const struct cell_record *first, *again;
	size_t n;
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	run_core_network(&r);
	r.cfg.lte.ra.rac_timeout_tti = 50;
	start(&r, NEVER_CDB);
	assert_int_equal(run_cmd(&r, &channel, 0), 0);
	run_apply(&r, CELL_CMD_HANDOVER, 1, 1, MS(50));
	assert_int_equal(run_push(&r, 1, 1000, MS(200)), 0);
	run_until(&r, MS(209) - 1);
	channel.sinr_cdb = MOSTLY_CDB;
	assert_int_equal(run_cmd(&r, &channel, MS(209) - 1), 0);
	run_until(&r, MS(209));
	channel.sinr_cdb = NEVER_CDB;
	assert_int_equal(run_cmd(&r, &channel, MS(209)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->t_ns, MS(209));
	n = run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB);
	assert_true(n >= 2);
	first = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, n - 2);
	again = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, n - 1);
	assert_int_equal(first->t_ns, MS(209));
	assert_int_equal(again->t_ns, MS(215));
	assert_int_equal(again->bytes, first->bytes);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* A RAR that the UE misses is not sent: its timeout ends, and it backs off. */
static void test_a_missed_random_access_response(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	start(&r, NEVER_CDB);
	assert_int_equal(run_push(&r, 1, 1000, 0), 0);
	run_until(&r, MS(3) - 1);
	set_sinr(&r, MOSTLY_CDB, MS(3) - 1);
	run_until(&r, MS(3));
	set_sinr(&r, NEVER_CDB, MS(3));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->t_ns, MS(3));
	assert_int_equal(run_find(&r, CELL_EV_RA_TIMEOUT, 1, 0)->t_ns, MS(10));
	assert_int_equal(run_count(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB), 1);
	assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, 1)->value, 2);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* On a sidelink the eNB hears nothing: the UE asks again when its timeout is over. */
static void test_a_missed_sidelink_grant(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.control.errors = 1;
	start(&r, NEVER_CDB);
	assert_int_equal(run_push(&r, 1, 1000, 0), 0);
	run_until(&r, MS(9) - 1);
	set_sinr(&r, MOSTLY_CDB, MS(9) - 1);
	run_until(&r, MS(9));
	set_sinr(&r, NEVER_CDB, MS(9));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_CONTROL_MISSED, 1, 0)->t_ns, MS(9));
	assert_int_equal(run_find(&r, CELL_EV_RA_PREAMBLE, 1, 1)->t_ns, MS(10));
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 2);
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1)->t_ns, MS(19));
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Whatever a sub-frame has for a UE, it misses all or nothing. */
static void test_one_chance_a_sub_frame(void **state)
{
	uint32_t before = UINT32_MAX, both = 0;
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	start(&r, -700);
	for (int i = 0; i < 600; i++) {
		run_push(&r, 1, 1500, MS(i));
		run_push(&r, 1 | CELL_PORT_NETWORK, 1500, MS(i));
	}
	run_until(&r, MS(700));
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		both += row->event == CELL_EV_GRANT && row->dir == CELL_DIR_UL;
		if (row->event != CELL_EV_CONTROL_MISSED)
			continue;
		assert_true(row->sn != before);
		before = row->sn;
	}
	assert_true(both > 100); /* beside a packet a sub-frame in the downlink */
	run_end(&r);
}

/* With a SINR that is not known there are none. */
static void test_none_without_sinr(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 1, CELL_DTX_RETRY);
	run_start(&r);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(10)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_at_good_sinr),
		cmocka_unit_test(test_without_harq_a_miss_is_a_loss),
		cmocka_unit_test(test_a_missed_block_is_sent_again),
		cmocka_unit_test(test_or_given_up),
		cmocka_unit_test(test_a_missed_uplink_grant_costs_time),
		cmocka_unit_test(test_the_same_is_granted_again),
		cmocka_unit_test(test_the_same_is_granted_again_after_a_handover),
		cmocka_unit_test(test_a_missed_random_access_response),
		cmocka_unit_test(test_a_missed_sidelink_grant),
		cmocka_unit_test(test_one_chance_a_sub_frame),
		cmocka_unit_test(test_none_without_sinr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
