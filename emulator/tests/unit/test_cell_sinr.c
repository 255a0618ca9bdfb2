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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
