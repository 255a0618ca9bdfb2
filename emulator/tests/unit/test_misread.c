/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ACKs that the base station takes for NACKs: a block comes again, and the UE throws it away. */
#include "nr_run.h"
#include "unit.h"

/* Every ACK is misread, so three attempts leave; the first one counts. */
static void check_three_attempts(struct run *r)
{
	r->cfg.harq.max_attempts = 3;
	r->cfg.harq.ack_to_nack_q32 = UINT32_MAX;
	run_start(r);
	run_push(r, TO_UE(1), 1000, 0);
	run_push(r, TO_UE(1), 1000, MS(100));
	run_until(r, RUN_FOREVER);
	assert_int_equal(run_count(r, CELL_EV_MAC_TX, CELL_NODE_ENB), 2);
	assert_int_equal(run_count(r, CELL_EV_HARQ_TX, CELL_NODE_ENB), 4);
	assert_int_equal(run_count(r, CELL_EV_MAC_RX, 1), 2);
	assert_int_equal(run_count(r, CELL_EV_HARQ_FAILURE, 1), 0);
	assert_int_equal(r->n_delivered, 2);
	assert_in_range(r->delivered[0].t_ns, 0, MS(6));
	run_end(r);
}

static void test_lte(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.harq.n_bler = 1;
	r.cfg.harq.bler_q32[0] = 0;
	for (int i = 0; i < 2; i++)
		r.cfg.ue[i].peer = CELL_PEER_NETWORK;
	check_three_attempts(&r);
}

static void test_nr(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	check_three_attempts(&r);
}

/* What a UE has it keeps, even if it misses the assignments of the attempts after that. */
static void test_a_repeated_block_cannot_be_lost(void **state)
{
	const struct cell_cmd bad = {
		.type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_DL, .cqi = 1, .sinr_cdb = -2000
	};
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.ue[0].peer = r.cfg.ue[1].peer = CELL_PEER_NETWORK;
	r.cfg.lte.control.errors = 1;
	r.cfg.harq.max_attempts = 2;
	r.cfg.harq.n_bler = 1;
	r.cfg.harq.bler_q32[0] = 0;
	r.cfg.harq.ack_to_nack_q32 = UINT32_MAX;
	run_start(&r);
	run_push(&r, TO_UE(1), 1000, 0);
	run_until(&r, MS(3));
	assert_int_equal(run_cmd(&r, &bad, MS(3)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_TX, CELL_NODE_ENB), 1);
	assert_int_equal(run_count(&r, CELL_EV_MAC_LOST, 1), 0);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lte),
		cmocka_unit_test(test_nr),
		cmocka_unit_test(test_a_repeated_block_cannot_be_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
