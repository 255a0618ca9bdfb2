/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A UE that talks to the network behind the eNB instead of to another UE. */
#include "phy/lte/phy.h"
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
	uint32_t sdu = phy_tbs(phy_itbs(CELL_DIR_DL, 15, 1), 3);

	for (uint8_t ignore = 0; ignore <= 1; ignore++) {
		struct run r;

		(void)state;
		run_defaults(&r, CELL_MODE_IM);
		r.cfg.n_ue = 1;
		r.cfg.ue[0].peer = CELL_PEER_NETWORK;
		r.cfg.lte.mac.grants_ignore_headers = ignore;
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

/* Two UEs with the same channel: the one whose packets have waited longer, and with the greater
 * weight, gets more. Return: packets that UE 2 got of 400 each in a time that half of all take. */
static size_t got_by_second(uint8_t scheduler, uint8_t weight)
{
	struct run r;
	size_t n = 0;

	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.n_rb = 6;
	r.cfg.scheduler = scheduler;
	r.cfg.ue[0].peer = r.cfg.ue[1].peer = CELL_PEER_NETWORK;
	r.cfg.ue[0].weight = 1;
	r.cfg.ue[1].weight = weight;
	run_start(&r);
	for (int i = 0; i < 400; i++)
		for (uint8_t ue = 1; ue <= 2; ue++)
			run_push(&r, ue | CELL_PORT_NETWORK, 500, MS(i));
	run_until(&r, MS(400));
	for (size_t i = 0; i < r.n_delivered; i++)
		n += r.delivered[i].ue == 2;
	assert_in_range(r.n_delivered, 300, 500);
	run_end(&r);
	return n;
}

static void test_mlwdf_in_a_cell(void **state)
{
	size_t fair = got_by_second(CELL_SCHED_MLWDF, 1),
	       urgent = got_by_second(CELL_SCHED_MLWDF, 4);

	(void)state;
	assert_in_range(fair, 150, 250);
	assert_true(urgent > fair + 50);
	assert_true(urgent < 400);
	assert_in_range(got_by_second(CELL_SCHED_RR, 4), 150, 250); /* which has no weights */
}

/*
 * Two packets, in sub-frame 10, of which the second UE's came a microsecond before and the first
 * UE's now. With weights 3 and 2 that microsecond decides: 3 * (0 + 1) is less than 2 * (1 + 1).
 */
static void test_mlwdf_knows_what_has_just_come(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.n_rb = 6;
	r.cfg.scheduler = CELL_SCHED_MLWDF;
	r.cfg.ue[0].peer = r.cfg.ue[1].peer = CELL_PEER_NETWORK;
	r.cfg.ue[0].weight = 3;
	r.cfg.ue[1].weight = 2;
	run_start(&r);
	run_push(&r, 2 | CELL_PORT_NETWORK, 1500, MS(10) - 1000);
	run_push(&r, 1 | CELL_PORT_NETWORK, 1500, MS(10));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->t_ns, MS(10));
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->peer, 2);
	run_end(&r);
}

/* UEs are found by addresses in any order; a packet for an address that none has is dropped. */
static void test_the_gateway_finds_each_ue(void **state)
{
	static const uint32_t addr[] = { 9, 3, UINT32_MAX, 1, 0, 4, 0, 0 }; /* 0: of IPv6 only */
	static const uint8_t last[] = { 4, 9, 0, 2, 8, 6, 3, 7 };           /* 0: of IPv4 only */
	uint8_t stray[2][60] = { { 0x45, [9] = 6, [19] = 5 },
		                 { 0x60, [6] = 59, 0, 0x20, [39] = 5 } };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	r.cfg.n_ue = COUNT(addr);
	for (size_t i = 0; i < COUNT(addr); i++) {
		r.cfg.ue[i] = r.cfg.ue[0];
		r.cfg.ue[i].rnti = (uint16_t)(61 + i);
		r.cfg.ue[i].addr = addr[i];
		r.cfg.ue[i].addr6[0] = last[i] ? 0x20 : 0;
		r.cfg.ue[i].addr6[15] = last[i];
	}
	run_start(&r);
	for (size_t ue = 1; ue <= COUNT(addr); ue++)
		run_push(&r, (uint8_t)(ue | CELL_PORT_NETWORK), 100, 0);
	run_until(&r, MS(100));
	assert_int_equal(r.n_delivered, COUNT(addr));
	for (size_t i = 0; i < COUNT(addr); i++)
		assert_int_equal(r.delivered[i].ue, r.delivered[i].tag & 0x7f);
	for (size_t i = 0; i < COUNT(stray); i++) {
		r.bytes_in += sizeof(stray[i]);
		assert_int_equal(cell_push(r.cell, CELL_PORT_SGW, stray[i], sizeof(stray[i]), 1,
		                           RUN_START_NS + MS(200)),
		                 0);
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_dropped, COUNT(stray));
	for (size_t i = 0; i < COUNT(stray); i++)
		assert_int_equal(r.dropped[i].reason, CELL_DROP_NO_ROUTE);
	run_end(&r);
}

/* What comes for the CLAT of a UE is the UE's, as what comes for the UE itself is. */
static void test_the_gateway_finds_a_clat(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	for (uint8_t i = 0; i < r.cfg.n_ue; i++) {
		r.cfg.ue[i].addr = 0;
		r.cfg.ue[i].addr6[0] = r.cfg.ue[i].clat6[0] = 0x20;
		r.cfg.ue[i].addr6[15] = (uint8_t)(10 + i);
		r.cfg.ue[i].clat6[15] = (uint8_t)(20 - i);
	}
	run_start(&r);
	for (uint8_t i = 0; i < r.cfg.n_ue; i++) { /* the packets of the run go to addr6 */
		memcpy(r.cfg.ue[i].addr6, r.cfg.ue[i].clat6, sizeof(r.cfg.ue[i].addr6));
		run_push(&r, (uint64_t)(i + 1) | CELL_PORT_NETWORK, 100, 0);
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, r.cfg.n_ue);
	for (uint8_t i = 0; i < r.cfg.n_ue; i++)
		assert_int_equal(r.delivered[i].ue, r.delivered[i].tag & 0x7f);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_downlink_leaves_at_the_ue),
		cmocka_unit_test(test_grants_that_ignore_headers_segment),
		cmocka_unit_test(test_uplink_leaves_at_the_network_side),
		cmocka_unit_test(test_a_ue_with_a_peer_has_no_network_side),
		cmocka_unit_test(test_direct_mode_needs_a_peer),
		cmocka_unit_test(test_mlwdf_in_a_cell),
		cmocka_unit_test(test_mlwdf_knows_what_has_just_come),
		cmocka_unit_test(test_the_gateway_finds_each_ue),
		cmocka_unit_test(test_the_gateway_finds_a_clat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
