/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bearer in transparent mode: packets whole or not at all, as they arrive. A packet of 1400 bytes
 * is 1402 with PDCP's header, and RLC adds none. Source: TS 36.322 5.1.1
 */
#include "run.h"
#include "unit.h"

#define DOWN    (1 | CELL_PORT_NETWORK)
#define LCID_TM 32
#define RB      18 /* the smallest carrier that TM may have */

static void setup(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.lte.n_rb = RB;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.rlc.mode = CELL_RLC_TM;
}

/* Rows of RLC: one for each packet at each end, of all its bytes, with its number as SN. */
static void check_whole(const struct run *r, size_t n)
{
	size_t sent = 0, received = 0;

	for (size_t k = 0; k < r->n_records; k++) {
		const struct cell_record *row = &r->records[k];

		if (row->event == CELL_EV_RLC_TX) {
			assert_int_equal(row->sn, row->pkt);
			assert_int_equal(row->value, row->bytes);
			assert_int_equal(row->aux, 1);
			sent++;
		} else if (row->event == CELL_EV_RLC_RX) {
			received++;
		}
		assert_true(row->event != CELL_EV_T_REORDERING);
	}
	assert_int_equal(sent, n);
	assert_int_equal(received, n);
}

/* Return: packets that arrived behind one that was sent after them. */
static size_t late(const struct run *r)
{
	uint64_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_delivered; i++) {
		n += r->delivered[i].tag < last;
		last = r->delivered[i].tag > last ? r->delivered[i].tag : last;
	}
	return n;
}

static void test_packets_are_whole(void **state)
{
	struct run r;

	(void)state;
	setup(&r);
	run_start(&r);
	for (int i = 0; i < 20; i++) {
		run_push(&r, 1, i % 3 ? 1400 : 60, MS(i));
		run_push(&r, DOWN, i % 2 ? 1400 : 60, MS(i));
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 40);
	check_whole(&r, 40);
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, CELL_NODE_ENB, 0)->lcid, LCID_TM);
	run_end(&r);
}

/* A block carries as many as are whole in it: two of 700 bytes, and then the third alone. */
static void test_several_in_a_block(void **state)
{
	const struct cell_record *first, *second, *third;
	struct run r;

	(void)state;
	setup(&r);
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, DOWN, 700, 0);
	run_until(&r, RUN_FOREVER);
	first = run_find(&r, CELL_EV_RLC_TX, CELL_NODE_ENB, 0);
	second = run_find(&r, CELL_EV_RLC_TX, CELL_NODE_ENB, 1);
	third = run_find(&r, CELL_EV_RLC_TX, CELL_NODE_ENB, 2);
	assert_int_equal(first->block, second->block);
	assert_int_equal(third->block, first->block + 1);
	run_end(&r);
}

/* On a bad channel blocks are smaller than the packet, which waits, and the next one behind it. */
static void test_a_packet_waits_for_its_block(void **state)
{
	struct cell_cmd good = { .type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_DL, .cqi = 15 };
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.ue[0].cqi_dl = 3;
	run_start(&r);
	run_push(&r, DOWN, 1400, 0);
	run_push(&r, DOWN, 60, 0);
	run_until(&r, MS(500));
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(run_cmd(&r, &good, MS(500)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 2);
	assert_int_equal(late(&r), 0);
	assert_true(r.delivered[0].t_ns > MS(500));
	check_whole(&r, 2);
	run_end(&r);
}

/* ... unless PDCP gives it up, and then the next one may fit. */
static void test_a_packet_that_waits_too_long(void **state)
{
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.ue[0].cqi_dl = 3;
	r.cfg.pdcp.discard_timer_ms = 100;
	run_start(&r);
	run_push(&r, DOWN, 1400, 0);
	run_push(&r, DOWN, 60, MS(50));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_dropped, 1);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_PDCP_DISCARD);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Four packets in five blocks of which HARQ repairs every second one. */
static size_t late_in(enum cell_rlc_mode mode)
{
	struct run r;
	size_t n;

	setup(&r);
	r.cfg.rlc.mode = (uint8_t)mode;
	r.cfg.harq.max_attempts = 4;
	r.cfg.harq.n_bler = 2;
	r.cfg.harq.bler_q32[0] = UINT32_MAX / 2;
	r.cfg.harq.bler_q32[1] = 0;
	run_start(&r);
	for (int i = 0; i < 40; i++)
		run_push(&r, DOWN, 1400, MS(2 * i));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 40);
	n = late(&r);
	run_end(&r);
	return n;
}

static void test_what_harq_delays_comes_late(void **state)
{
	(void)state;
	assert_int_equal(late_in(CELL_RLC_UM), 0);
	assert_int_equal(late_in(CELL_RLC_AM), 0);
	assert_true(late_in(CELL_RLC_TM) > 5);
}

/* What the radio loses is one packet for each, and RLC knows nothing of it. */
static void test_lost_blocks(void **state)
{
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX / 2;
	run_start(&r);
	for (int i = 0; i < 40; i++)
		run_push(&r, DOWN, 1400, MS(2 * i));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered + r.n_dropped, 40);
	assert_true(r.n_dropped > 10 && r.n_delivered > 10);
	for (size_t i = 0; i < r.n_dropped; i++)
		assert_int_equal(r.dropped[i].reason, CELL_DROP_RADIO_LOSS);
	assert_int_equal(late(&r), 0);
	run_end(&r);
}

static void test_the_direct_bearer(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.rlc.mode = CELL_RLC_TM;
	run_start(&r);
	for (int i = 0; i < 10; i++) {
		run_push(&r, 1, 1400, MS(3 * i));
		run_push(&r, 2, 60, MS(3 * i));
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 20);
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 1, 0)->lcid, LCID_TM + 1);
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 2, 0)->lcid, LCID_TM + 1);
	run_end(&r);
}

/* Return: packets that came of those before, during and after a handover. */
static size_t handed_over(enum cell_rlc_mode mode)
{
	struct run r;
	size_t n;

	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	r.cfg.rlc.mode = (uint8_t)mode;
	run_start(&r);
	for (int i = 0; i < 60; i++) {
		if (i == 30)
			run_apply(&r, CELL_CMD_HANDOVER, 1, 1, MS(150));
		run_push(&r, DOWN, 1400, MS(5 * i));
	}
	run_until(&r, RUN_FOREVER);
	n = r.n_delivered;
	assert_int_equal(n + r.n_dropped, 60);
	assert_int_equal(late(&r), 0);
	run_end(&r);
	return n;
}

/* As in UM: what waits is forwarded, what is on the air is lost. */
static void test_a_handover(void **state)
{
	(void)state;
	assert_int_equal(handed_over(CELL_RLC_TM), handed_over(CELL_RLC_UM));
	assert_int_equal(handed_over(CELL_RLC_TM), 59);
}

/* Two UEs whose blocks cannot share a sub-frame take turns. */
static void test_two_share_a_small_carrier(void **state)
{
	size_t came[2] = { 0, 0 };
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.n_ue = 2;
	r.cfg.ue[1].peer = CELL_PEER_NETWORK;
	run_start(&r);
	for (int i = 0; i < 100; i++)
		for (uint8_t ue = 1; ue <= 2; ue++) {
			run_push(&r, ue, 1400, MS(i));
			run_push(&r, ue | CELL_PORT_NETWORK, 1400, MS(i));
		}
	run_until(&r, MS(100));
	for (size_t i = 0; i < r.n_delivered; i++)
		came[(r.delivered[i].ue & ~CELL_PORT_NETWORK) - 1]++;
	assert_in_range(came[0], 70, 100); /* of a packet each way in every second sub-frame */
	assert_in_range(came[1], 70, 100);
	run_end(&r);
}

static void test_carriers_too_small_for_a_packet(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.rlc.mode = CELL_RLC_TM;
	cfg.lte.n_rb = RB;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.lte.n_rb = RB - 1;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "lte.n_rb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets_are_whole),
		cmocka_unit_test(test_several_in_a_block),
		cmocka_unit_test(test_a_packet_waits_for_its_block),
		cmocka_unit_test(test_a_packet_that_waits_too_long),
		cmocka_unit_test(test_what_harq_delays_comes_late),
		cmocka_unit_test(test_lost_blocks),
		cmocka_unit_test(test_the_direct_bearer),
		cmocka_unit_test(test_a_handover),
		cmocka_unit_test(test_two_share_a_small_carrier),
		cmocka_unit_test(test_carriers_too_small_for_a_packet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
