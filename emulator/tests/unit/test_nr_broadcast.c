/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SSBs, SIB1 and paging take resource blocks of the slots in which they are, and of no others.
 * Source: TS 38.213 4.1
 */
#include "nr_run.h"
#include "unit.h"

#define CARRIER_RB 273

/* A carrier that is always full. */
static void start(struct run *r, uint8_t ssbs)
{
	nr_defaults(r, 1);
	r->cfg.nr.phy.layers_dl = 1;
	r->cfg.rlc.queue_pkts = 4000;
	r->cfg.nr.broadcast = (struct cell_nr_broadcast_cfg){ .on = 1,
		                                              .ssb_period_ms = 20,
		                                              .ssbs = ssbs,
		                                              .sib_period_ms = 20,
		                                              .sib_rb = 8,
		                                              .paging_period_ms = 160,
		                                              .paging_rb = 4 };
	run_start(r);
	for (int i = 0; i < 3000; i++)
		run_push(r, TO_UE(1), 1500, 0);
	run_until(r, SLOT(90));
}

/* Resource blocks of slot @slot that were assigned; what is left carries something else. */
static uint32_t assigned(const struct run *r, uint32_t slot)
{
	for (size_t i = 0; i < r->n_records; i++)
		if (r->records[i].event == CELL_EV_GRANT && r->records[i].dir == CELL_DIR_DL &&
		    r->records[i].t_ns == SLOT((int64_t)slot))
			return r->records[i].rb;
	return 0;
}

static void test_one_beam(void **state)
{
	struct run r;

	(void)state;
	start(&r, 1);
	for (uint32_t slot = 0; slot < 90; slot++) {
		uint32_t others = slot % 40 == 0 ? 20 : slot % 40 == 10 ? 8 : slot == 20 ? 4 : 0;

		if (slot % 5 < 4) /* DDDSU */
			assert_int_equal(assigned(&r, slot), CARRIER_RB - others);
	}
	run_end(&r);
}

/* Four slots with two SSBs each, and eight with a SIB each. Those of uplink slots do not matter. */
static void test_eight_beams(void **state)
{
	struct run r;

	(void)state;
	start(&r, 8);
	for (uint32_t slot = 0; slot < 18; slot++) {
		uint32_t others = slot < 4 ? 20 : slot >= 10 ? 8 : 0;

		if (slot % 5 < 4)
			assert_int_equal(assigned(&r, slot), CARRIER_RB - others);
	}
	assert_int_equal(assigned(&r, 18), CARRIER_RB);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_beam),
		cmocka_unit_test(test_eight_beams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
