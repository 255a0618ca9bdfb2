/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many outputs one event may have: the least array that a cell accepts has room for them. */
#include "rlc/common/li.h"
#include "run.h"
#include "unit.h"

static size_t least(uint8_t n_ue, uint32_t max_pkts, bool core_network)
{
	struct run r;

	run_defaults(&r, CELL_MODE_IM);
	if (core_network)
		run_core_network(&r);
	r.cfg.n_ue = n_ue;
	r.cfg.max_pkts = max_pkts;
	return cell_out_min(&r.cfg);
}

/*
 * A block may end in as many SDUs as it has elements; a packet that is dropped is an output, a row
 * and may be of a buffer; one that is forwarded has two rows, is delivered with a row, or dropped.
 */
static void test_what_each_packet_and_block_adds(void **state)
{
	struct run r;

	(void)state;
	assert_int_equal(least(2, 1001, false) - least(2, 1000, false), 3);
	assert_int_equal(least(2, 1001, true) - least(2, 1000, true), 5);
	assert_int_equal(least(3, 1000, false) - least(2, 1000, false),
	                 2 * (RLC_ELEMENTS_MAX + 32));
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.dl_carriers = 5;
	r.cfg.lte.dl_codewords = 2;
	assert_int_equal(cell_out_min(&r.cfg),
	                 2 * 11 * (RLC_ELEMENTS_MAX + 32) + r.cfg.max_pkts * 3 + 64);
	r.cfg.lte.ul_carriers = 3;
	assert_int_equal(cell_out_min(&r.cfg),
	                 2 * 13 * (RLC_ELEMENTS_MAX + 32) + r.cfg.max_pkts * 3 + 64);
}

static void test_a_smaller_array_is_refused(void **state)
{
	struct run r;
	size_t n;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	assert_int_equal(cell_advance(r.cell, RUN_START_NS, r.out, cell_out_min(&r.cfg) - 1, &n),
	                 -EINVAL);
	assert_int_equal(cell_done(r.cell, r.out, cell_out_min(&r.cfg) - 1, &n), -EINVAL);
	assert_int_equal(cell_advance(r.cell, RUN_START_NS, r.out, cell_out_min(&r.cfg), &n), 0);
	run_end(&r);
}

/* All packets of a cell wait for one UE, and one event is about each of them. */
static void fill(struct run *r, uint8_t port)
{
	r->cfg.lte.n_rb = 6;
	r->cfg.max_pkts = r->cfg.rlc.queue_pkts = 20000;
	run_start(r);
	for (uint32_t i = 0; i < r->cfg.max_pkts; i++)
		assert_int_equal(run_push(r, port, 40, 0), 0);
}

static void test_a_flush_of_everything(void **state)
{
	const struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_DM };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	fill(&r, 1);
	run_until(&r, MS(1));
	assert_int_equal(run_cmd(&r, &cmd, MS(1)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_dropped, 20000);
	run_end(&r);
}

static void test_everything_is_forwarded(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	fill(&r, 1 | CELL_PORT_NETWORK);
	run_apply(&r, CELL_CMD_HANDOVER, 1, 1, MS(4));
	run_until(&r, MS(12));
	assert_true(run_count(&r, CELL_EV_HO_FORWARD, CELL_NODE_ENB) > 19900);
	run_end(&r);
}

static void test_everything_is_held_at_the_end(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	fill(&r, 1);
	run_until(&r, 0);
	run_end(&r);
	assert_int_equal(r.n_dropped, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_each_packet_and_block_adds),
		cmocka_unit_test(test_a_smaller_array_is_refused),
		cmocka_unit_test(test_a_flush_of_everything),
		cmocka_unit_test(test_everything_is_forwarded),
		cmocka_unit_test(test_everything_is_held_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
