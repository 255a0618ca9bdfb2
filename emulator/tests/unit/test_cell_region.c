/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UEs that compete for a control region: what one sub-frame has no room for comes in a later one.
 */
#include "unit.h"

#include "nr_run.h"
#include "run.h"

#define N_UE 30

static void defaults(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = N_UE;
	for (uint8_t i = 0; i < N_UE; i++) {
		r->cfg.ue[i] = r->cfg.ue[0];
		r->cfg.ue[i].rnti = (uint16_t)(61 + i);
		r->cfg.ue[i].peer = CELL_PEER_NETWORK;
	}
}

/* Assignments that are made at @t_ns. */
static size_t assigned(const struct run *r, int64_t t_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		n += r->records[i].event == CELL_EV_GRANT && r->records[i].t_ns == t_ns;
	return n;
}

static void push_to_all(struct run *r)
{
	run_start(r);
	for (uint8_t ue = 1; ue <= N_UE; ue++)
		run_push(r, TO_UE(ue), 40, 0);
	run_until(r, RUN_FOREVER);
	assert_int_equal(r->n_delivered, N_UE);
}

/* Without a limit 30 short packets fit 50 resource blocks. */
static void test_without_a_limit_all_go_at_once(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	push_to_all(&r);
	assert_int_equal(assigned(&r, 0), N_UE);
	run_end(&r);
}

/* CFI 1: eight elements, one for each DCI of a UE with a good channel. */
static void test_elements_are_shared(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.lte.control.cfi = 1;
	push_to_all(&r);
	for (int64_t ms = 0; ms < 3; ms++)
		assert_in_range(assigned(&r, MS(ms)), 7, 8);
	assert_true(assigned(&r, MS(3)) > 0);
	run_end(&r);
}

/* Far away a DCI takes all eight. */
static void test_a_bad_channel_takes_more(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.lte.control.cfi = 1;
	for (uint8_t i = 0; i < N_UE; i++)
		r.cfg.ue[i].cqi_dl = 3;
	push_to_all(&r);
	for (int64_t ms = 0; ms < N_UE; ms++)
		assert_int_equal(assigned(&r, MS(ms)), 1);
	run_end(&r);
}

/* A symbol more for control is one less for data. */
static void test_control_takes_from_data(void **state)
{
	uint32_t bytes[4];

	(void)state;
	for (uint8_t cfi = 0; cfi < 4; cfi++) {
		struct run r;

		defaults(&r);
		r.cfg.ue[0].cqi_dl = 13;
		r.cfg.lte.control.cfi = cfi;
		run_start(&r);
		for (int i = 0; i < 10; i++)
			run_push(&r, TO_UE(1), 1500, 0);
		run_until(&r, RUN_FOREVER);
		bytes[cfi] = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->bytes;
		run_end(&r);
	}
	assert_int_equal(bytes[0], bytes[1]);
	assert_true(bytes[1] > bytes[2] && bytes[2] > bytes[3]);
}

/* A CORESET of two symbols on 12 blocks has four elements. */
static void test_nr(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, N_UE);
	r.cfg.nr.phy.coreset_rb = 12;
	push_to_all(&r);
	assert_in_range(assigned(&r, SLOT(0)), 3, 4);
	assert_in_range(assigned(&r, SLOT(1)), 3, 4);
	assert_int_equal(assigned(&r, SLOT(4)), 0); /* of the uplink */
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_limit_all_go_at_once),
		cmocka_unit_test(test_elements_are_shared),
		cmocka_unit_test(test_a_bad_channel_takes_more),
		cmocka_unit_test(test_control_takes_from_data),
		cmocka_unit_test(test_nr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
