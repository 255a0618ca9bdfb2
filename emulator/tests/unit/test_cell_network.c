/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A UE that talks to the network behind the eNB instead of to another UE. */
#include "phy/phy.h"
#include "run.h"
#include "unit.h"

static void start(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	run_start(r);
}

static void test_downlink_leaves_at_the_ue(void **state)
{
	struct run r;

	(void)state;
	start(&r);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 1400, MS(10)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].ue, 1);
	/* Scheduled in sub-frame 10, sent in 11, decoded a lead before 15. */
	assert_int_equal(r.delivered[0].t_ns, MS(15) - 250000);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->peer, 1);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	run_end(&r);
}

/*
 * An SDU, 2 bytes of PDCP header included, that three resource blocks hold to
 * the byte: with the headers of RLC and MAC it takes four, or, when the grant
 * ignores them, a further segment, for which the eNB grants when the first is sent.
 */
static void test_grants_that_ignore_headers_segment(void **state)
{
	uint32_t sdu = phy_tbs(phy_itbs(CELL_DIR_DL, 15), 3);

	for (uint8_t ignore = 0; ignore <= 1; ignore++) {
		struct run r;

		(void)state;
		run_defaults(&r, CELL_MODE_IM);
		r.cfg.n_ue = 1;
		r.cfg.ue[0].peer = CELL_PEER_NETWORK;
		r.cfg.grants_ignore_headers = ignore;
		run_start(&r);
		assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, sdu - 2, MS(10)), 0);
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.n_delivered, 1);
		assert_int_equal(run_count(&r, CELL_EV_RLC_TX, CELL_NODE_ENB), 1 + ignore);
		assert_int_equal(r.delivered[0].t_ns, MS(15 + 2 * ignore) - 250000);
		assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->rb, 4 - ignore);
		run_end(&r);
	}
}

static void test_uplink_leaves_at_the_network_side(void **state)
{
	struct run r;

	(void)state;
	start(&r);
	assert_int_equal(run_push(&r, 1, 40, MS(10)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].ue, 1 | CELL_PORT_NETWORK);
	assert_int_equal(run_find(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0)->peer, 1);
	run_end(&r);
}

static void test_a_ue_with_a_peer_has_no_network_side(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	assert_int_equal(run_push(&r, 1 | CELL_PORT_NETWORK, 40, 0), -EINVAL);
	run_end(&r);
}

static void test_direct_mode_needs_a_peer(void **state)
{
	const char *field, *range;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.ue[0].peer = CELL_PEER_NETWORK;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "mode");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_downlink_leaves_at_the_ue),
		cmocka_unit_test(test_grants_that_ignore_headers_segment),
		cmocka_unit_test(test_uplink_leaves_at_the_network_side),
		cmocka_unit_test(test_a_ue_with_a_peer_has_no_network_side),
		cmocka_unit_test(test_direct_mode_needs_a_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
