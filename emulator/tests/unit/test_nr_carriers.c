/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carriers of the downlink beside the first one: each has a block of a UE in a slot, with HARQ
 * processes of its own, and they are active always or when they are needed.
 * Source: TS 38.300 5.4.1; TS 38.321 5.3.2.1, 5.9
 */
#include "nr_run.h"
#include "unit.h"

#define FULL 4000 /* packets, for more than a hundred slots */

static void start(struct run *r, uint8_t carriers, uint16_t deactivation_ms)
{
	nr_defaults(r, 1);
	r->cfg.nr.phy.layers_dl = 1;
	r->cfg.nr.phy.dl_carriers = carriers;
	r->cfg.nr.mac.scell_deactivation_ms = deactivation_ms;
	r->cfg.rlc.queue_pkts = FULL;
	run_start(r);
}

static void push(struct run *r, int n, int64_t t_ns)
{
	for (int i = 0; i < n; i++)
		run_push(r, TO_UE(1), 1500, t_ns);
}

/* Blocks of the downlink on @carrier, from slot @from on, before @end. */
static uint32_t blocks(const struct run *r, uint8_t carrier, uint32_t from, uint32_t end)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_pdus; i++)
		n += r->pdus[i].dir == CELL_DIR_DL && r->pdus[i].carrier == carrier &&
		     r->pdus[i].subframe >= from && r->pdus[i].subframe < end;
	return n;
}

/* Slot of the first one on @carrier from slot @from on. */
static uint32_t first(const struct run *r, uint8_t carrier, uint32_t from)
{
	for (size_t i = 0; i < r->n_pdus; i++)
		if (r->pdus[i].dir == CELL_DIR_DL && r->pdus[i].carrier == carrier &&
		    r->pdus[i].subframe >= from)
			return r->pdus[i].subframe;
	return UINT32_MAX;
}

/* DDDSU: four slots of five. All of each carrier, whose first block is that of process 0. */
static void test_each_has_all_slots(void **state)
{
	struct run r;

	(void)state;
	start(&r, 4, 0);
	push(&r, FULL, 0);
	run_until(&r, SLOT(10));
	for (uint8_t k = 0; k < 4; k++) {
		assert_int_equal(blocks(&r, k, 0, 10), 8);
		assert_int_equal(first(&r, k, 0), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(r.pdus[i].carrier, i);
		assert_int_equal(r.pdus[i].harq_id, 0);
		assert_int_equal(r.pdus[i].n_rb, 273);
	}
	run_end(&r);
}

/* What fits a slot of the first carrier stays there. */
static void test_the_first_one_is_filled_first(void **state)
{
	struct run r;

	(void)state;
	start(&r, 2, 0);
	push(&r, 2, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(blocks(&r, 0, 0, 10), 1);
	assert_int_equal(blocks(&r, 1, 0, 10), 0);
	assert_int_equal(r.n_delivered, 2);
	run_end(&r);
}

/* Processes of one carrier that wait for feedback do not hold up another one. */
static void test_processes_are_of_a_carrier(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.phy.dl_carriers = 2;
	r.cfg.nr.mac.harq_processes = 2;
	r.cfg.rlc.queue_pkts = FULL;
	run_start(&r);
	push(&r, FULL, 0);
	run_until(&r, SLOT(6));
	/* Feedback of slots 0 and 1 is there before slot 6. */
	for (uint8_t k = 0; k < 2; k++) {
		assert_int_equal(blocks(&r, k, 0, 2), 2);
		assert_int_equal(blocks(&r, k, 2, 6), 0);
	}
	run_end(&r);
}

/*
 * The ACK of slot 0 is in slot 4, and known 250 us after it: from slot 6 on, and 30 slots later the
 * other carriers may be used. 20 ms without a block, and they are not any more.
 */
static void test_they_come_and_go(void **state)
{
	struct run r;
	uint32_t last;

	(void)state;
	start(&r, 3, 20);
	push(&r, FULL, 0);
	run_until(&r, SLOT(40));
	assert_int_equal(first(&r, 1, 0), 36);
	assert_int_equal(first(&r, 2, 0), 36);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, FULL);
	last = r.pdus[r.n_pdus - 1].subframe;
	push(&r, 1000, SLOT((int64_t)last + 60));
	run_until(&r, RUN_FOREVER);
	assert_in_range(first(&r, 0, last + 1), last + 60, last + 62);
	assert_in_range(first(&r, 1, last + 1), last + 60 + 36, last + 60 + 44);
	assert_int_equal(r.n_delivered, FULL + 1000);
	run_end(&r);
}

/* The block with the control element is sent again: so much later they are active. */
static void test_the_block_was_not_decoded(void **state)
{
	struct run r;
	uint32_t again;

	(void)state;
	nr_defaults(&r, 1);
	nr_fails_once(&r);
	r.cfg.nr.phy.dl_carriers = 2;
	r.cfg.nr.mac.scell_deactivation_ms = 20;
	r.cfg.rlc.queue_pkts = FULL;
	run_start(&r);
	push(&r, FULL, 0);
	run_until(&r, SLOT(60));
	again = run_find(&r, CELL_EV_HARQ_TX, CELL_NODE_ENB, 0)->sn;
	assert_int_equal(again, 6);
	/* Its ACK is in slot 14 and known in 16. */
	assert_int_equal(first(&r, 1, 0), 46);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_all_slots),
		cmocka_unit_test(test_the_first_one_is_filled_first),
		cmocka_unit_test(test_processes_are_of_a_carrier),
		cmocka_unit_test(test_they_come_and_go),
		cmocka_unit_test(test_the_block_was_not_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
