/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PDCP duplication: each packet goes over two RLC entities, on two cells, and counts once. Both
 * cells have the pattern DDDSU, and HARQ draws of their own.
 * Source: TS 38.323 5.2.2.1, 5.11
 */
#include "nr_run.h"
#include "unit.h"

#define FIRST  4 /* logical channels of AM with 18 bits */
#define SECOND 5

static void start(struct run *r, uint8_t mode)
{
	nr_defaults(r, 1);
	r->cfg.rlc.mode = mode;
	r->cfg.pdcp.duplication = 1;
	run_start(r);
}

/* Rows of @event on logical channel @lcid. */
static size_t count_lcid(const struct run *r, enum cell_event event, uint8_t lcid)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		n += r->records[i].event == event && r->records[i].lcid == lcid;
	return n;
}

/* Of both copies the first is delivered, in the slot in which both are sent, and the other one
 * ends as a duplicate. Captures have a block of each cell. */
static void test_both_legs_carry_it(void **state)
{
	const struct cell_record *copy;
	struct cell_stats stats;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM);
	run_push(&r, TO_UE(1), 1500, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].t_ns, SLOT(3) + UE_DECODE_NS);
	assert_int_equal(count_lcid(&r, CELL_EV_RLC_TX, FIRST), 1);
	assert_int_equal(count_lcid(&r, CELL_EV_RLC_TX, SECOND), 1);
	copy = run_find(&r, CELL_EV_PDCP_COPY, CELL_NODE_ENB, 0);
	assert_int_equal(copy->value, CELL_DROP_DUPLICATE);
	assert_int_equal(copy->lcid, SECOND);
	assert_int_equal(copy->enb, 1);
	assert_int_equal(copy->pkt, 1);
	assert_int_equal(run_count(&r, CELL_EV_PKT_DROP, CELL_NODE_ENB), 0);
	assert_int_equal(r.pdus[0].enb, 0);
	assert_int_equal(r.pdus[1].enb, 1);
	assert_int_equal(r.pdus[0].ue, 1);
	assert_int_equal(r.pdus[1].ue, 1);
	assert_int_equal(r.pdus[0].rnti, r.cfg.ue[0].rnti);
	assert_int_equal(r.pdus[1].rnti, 0xe001); /* above those of UEs */
	assert_int_equal(r.pdus[0].subframe, r.pdus[1].subframe);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.pkts_originated, 1);
	assert_int_equal(stats.pkts_terminated, 1);
	run_end(&r);
}

/* Each cell draws by itself. Where UM loses one copy in two, and HARQ is off, duplication leaves a
 * quarter: a hundred packets lose 12 to 38, five times the standard deviation. */
static void test_losses_are_of_each_cell(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.pdcp.duplication = 1;
	r.cfg.pdcp.out_of_order_delivery = 1;
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX / 2;
	run_start(&r);
	for (uint32_t i = 0; i < 100; i++)
		run_push(&r, TO_UE(1), 500, SLOT(10 * i));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered + r.n_dropped, 100);
	assert_in_range(r.n_dropped, 5, 45);
	/* A copy that was lost while the other one arrived is no lost packet. */
	assert_in_range(run_count(&r, CELL_EV_PDCP_COPY, CELL_NODE_ENB), 100, 100);
	run_end(&r);
}

/* The uplink asks and is granted in each cell. */
static void test_uplink_asks_in_both_cells(void **state)
{
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(count_lcid(&r, CELL_EV_SR, FIRST), count_lcid(&r, CELL_EV_SR, SECOND));
	assert_int_equal(count_lcid(&r, CELL_EV_RLC_TX, SECOND), 1);
	run_end(&r);
}

/* The second cell is slow: half of its copies still wait when RLC of the first direction hears that
 * its own have arrived. Source: TS 38.323 5.11.2 */
static void test_an_acknowledged_copy_is_not_sent(void **state)
{
	size_t discarded = 0;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.rlc.mode = CELL_RLC_AM;
	r.cfg.pdcp.duplication = 1;
	r.cfg.ue[0].second_cqi_dl = 1;
	run_start(&r);
	for (uint32_t i = 0; i < 200; i++)
		run_push(&r, TO_UE(1), 1500, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 200);
	for (size_t i = 0; i < r.n_records; i++)
		discarded += r.records[i].event == CELL_EV_PDCP_COPY &&
		             r.records[i].value == CELL_DROP_PDCP_DISCARD;
	assert_in_range(discarded, 100, 199);
	assert_int_equal(run_count(&r, CELL_EV_PDCP_COPY, CELL_NODE_ENB), 200);
	/* What was not started was not sent. */
	assert_in_range(count_lcid(&r, CELL_EV_RLC_RX, SECOND), 200 - discarded,
	                8 * (200 - discarded));
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_legs_carry_it),
		cmocka_unit_test(test_losses_are_of_each_cell),
		cmocka_unit_test(test_uplink_asks_in_both_cells),
		cmocka_unit_test(test_an_acknowledged_copy_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
