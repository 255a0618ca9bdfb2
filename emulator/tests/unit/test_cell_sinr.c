/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block errors that follow from the SINR of a direction. */
#include "run.h"
#include "unit.h"

static void setup(struct run *r, uint8_t max_attempts)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.harq.max_attempts = max_attempts;
	r->cfg.harq.errors = CELL_ERRORS_SINR;
	for (int i = 0; i < CELL_HARQ_ATTEMPTS_MAX; i++)
		r->cfg.harq.bler_q32[i] = 0;
}

/* CQI 4 in both directions: in the downlink QPSK with rate 0.29, 10 % errors at -1.57 dB. */
static void set_sinr(struct run *r, int32_t sinr_cdb, int64_t t_ns)
{
	struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL, .ue = 1, .cqi = 4, .sinr_cdb = sinr_cdb };

	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
		cmd.dir = (uint8_t)dir;
		assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
	}
}

static void run_at_sinr(struct run *r, int32_t sinr_cdb)
{
	run_start(r);
	set_sinr(r, sinr_cdb, 0);
	assert_int_equal(run_push(r, 1 | CELL_PORT_NETWORK, 500, MS(10)), 0);
	run_until(r, RUN_FOREVER);
}

static void test_good_sinr(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	run_at_sinr(&r, 500);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].t_ns, MS(15) - 250000);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_NACK, 1), 0);
	run_end(&r);
}

/* At -4 dB one transmission carries too little, two halve the code rate: 10 % errors at -4.4 dB. */
static void test_two_attempts_add_up(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	run_at_sinr(&r, -400);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].t_ns, MS(23) - 250000);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_NACK, 1), 1);
	run_end(&r);
}

/* The second attempt comes when the channel is good: it alone would do. */
static void test_each_attempt_has_its_own_sinr(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	run_start(&r);
	set_sinr(&r, -2500, 0);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 500, MS(10)), 0);
	run_until(&r, MS(16));
	set_sinr(&r, 500, MS(16));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].t_ns, MS(23) - 250000);
	run_end(&r);
}

static void test_given_up(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 3);
	run_at_sinr(&r, -2500);
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_RADIO_LOSS);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_NACK, 1), 2);
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0)->value, 3);
	run_end(&r);
}

/* Without HARQ too: by the ladder there are no errors then. */
static void test_without_harq(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 1);
	run_at_sinr(&r, -2500);
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_RADIO_LOSS);
	run_end(&r);
}

static void test_ladder_where_the_sinr_is_unknown(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 2);
	r.cfg.harq.bler_q32[0] = UINT32_MAX;
	run_at_sinr(&r, CELL_SINR_UNKNOWN);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_NACK, 1), 1);
	run_end(&r);
}

static void test_uplink(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	run_start(&r);
	set_sinr(&r, -400, 0);
	assert_int_equal(run_push(&r, 1, 100, MS(10)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_true(run_count(&r, CELL_EV_HARQ_NACK, CELL_NODE_ENB) > 0);
	run_end(&r);
}

/* Of @n downlink blocks, one each 10 ms, those of the second half: how many fail at first, and the
 * MCS of the last one. */
static size_t failures_at(int32_t sinr_cdb, double target, size_t n, uint8_t *ret_mcs)
{
	size_t failed = 0, sent = 0;
	struct run r;

	setup(&r, 8);
	r.cfg.lte.outer_loop.target_bler_q32 = (uint32_t)(target * UINT32_MAX);
	r.cfg.lte.outer_loop.step_cdb = 50;
	run_start(&r);
	set_sinr(&r, sinr_cdb, 0);
	for (size_t i = 0; i < n; i++)
		run_push(&r, 1 | CELL_PORT_NETWORK, 250, MS(10 * ((int64_t)i + 1)));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, n);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->dir != CELL_DIR_DL)
			continue;
		if (row->event == CELL_EV_MAC_TX) {
			sent++;
			*ret_mcs = row->mcs;
		}
		failed += row->event == CELL_EV_HARQ_NACK && row->value == 1 && sent > n / 2;
	}
	run_end(&r);
	return failed;
}

/* The CQI promises too much: without an outer loop all blocks fail, with one as many as it wants.
 */
static void test_an_outer_loop_learns_from_failures(void **state)
{
	uint8_t by_cqi, learnt;

	(void)state;
	assert_in_range(failures_at(-400, 0, 400, &by_cqi), 195, 200);
	assert_in_range(failures_at(-400, 0.1, 400, &learnt), 12, 28);
	assert_true(learnt < by_cqi);
	assert_in_range(failures_at(-400, 0.3, 400, &learnt), 45, 75);
}

static void test_an_outer_loop_learns_from_success(void **state)
{
	uint8_t by_cqi, learnt;

	(void)state;
	assert_int_equal(failures_at(500, 0, 1500, &by_cqi), 0);
	assert_in_range(failures_at(500, 0.1, 1500, &learnt), 50, 100);
	assert_true(learnt > by_cqi);
}

/* Standing grants of three resource blocks: in the lowest formats they hold nothing but headers. */
static void test_an_outer_loop_comes_back_from_where_no_block_holds_data(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	r.cfg.n_ue = 2;
	r.cfg.ue[1] = r.cfg.ue[0];
	r.cfg.lte.n_rb = 6;
	r.cfg.lte.mac.ul_always_scheduled = 1;
	r.cfg.rlc.mode = CELL_RLC_AM;
	r.cfg.rlc.am.max_retx_threshold = 32;
	r.cfg.lte.outer_loop.target_bler_q32 = UINT32_MAX / 10;
	r.cfg.lte.outer_loop.step_cdb = 100;
	run_start(&r);
	set_sinr(&r, -2000, 0);
	assert_int_equal(run_push(&r, 1, 500, MS(1)), 0);
	run_until(&r, MS(300));
	assert_int_equal(r.n_delivered, 0);
	set_sinr(&r, 2000, MS(300));
	run_until(&r, MS(5000));
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_sinr),
		cmocka_unit_test(test_two_attempts_add_up),
		cmocka_unit_test(test_each_attempt_has_its_own_sinr),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_without_harq),
		cmocka_unit_test(test_ladder_where_the_sinr_is_unknown),
		cmocka_unit_test(test_uplink),
		cmocka_unit_test(test_an_outer_loop_learns_from_failures),
		cmocka_unit_test(test_an_outer_loop_learns_from_success),
		cmocka_unit_test(test_an_outer_loop_comes_back_from_where_no_block_holds_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
