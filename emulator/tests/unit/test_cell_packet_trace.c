/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet-delivery trace: which packets an opportunity takes, what is lost, where it starts again.
 */
#include "run.h"
#include "unit.h"

#define DOWN (1 | CELL_PORT_NETWORK)

static const uint32_t every_10_ms[] = { 10 };

static void recording(struct cell_recorded *link, const uint32_t *up_ms, uint32_t n_up,
                      const uint32_t *down_ms, uint32_t n_down)
{
	link->way[CELL_DIR_UL] =
		(struct cell_recording){ .opportunity_ms = up_ms, .n_opportunities = n_up };
	link->way[CELL_DIR_DL] =
		(struct cell_recording){ .opportunity_ms = down_ms, .n_opportunities = n_down };
}

static void defaults(struct run *r, const uint32_t *down_ms, uint32_t n)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.system = CELL_SYSTEM_PACKET_TRACE;
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	recording(&r->cfg.recorded, every_10_ms, 1, down_ms, n);
}

/* All at time 0: they leave at 3, 3 and 7, and from 10 + 3 again. */
static void test_each_opportunity_takes_a_full_packet(void **state)
{
	static const uint32_t ms[] = { 3, 3, 7, 10 };
	static const int64_t there[] = { 3, 3, 7, 10, 13, 13, 17, 20, 23 };
	struct run r;

	(void)state;
	defaults(&r, ms, 4);
	run_start(&r);
	assert_int_equal(cell_transit_min(r.cell), 0); /* a packet may leave in the ms it came */
	for (int i = 0; i < 9; i++)
		run_push(&r, DOWN, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 9);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
		assert_int_equal(r.delivered[i].ue, 1);
	}
	run_end(&r);
}

/* Three come at once and leave one by one; each time there is a row of what waits. */
static void test_rows_of_the_queue(void **state)
{
	static const int32_t pkts[] = { 1, 2, 3, 2, 1, 0 };
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, DOWN, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_BUFFER, CELL_NODE_ENB), COUNT(pkts));
	for (size_t i = 0; i < COUNT(pkts); i++) {
		const struct cell_record *row = run_find(&r, CELL_EV_BUFFER, CELL_NODE_ENB, i);

		assert_int_equal(row->value, pkts[i]);
		assert_int_equal(row->bytes, 1500 * pkts[i]);
	}
	run_end(&r);
}

/* At 10 ms half of the second one goes with the first, and its rest at 20 ms. */
static void test_a_flush_leaves_what_was_sent_in_part(void **state)
{
	struct cell_cmd flush = { .type = CELL_CMD_FLUSH, .ue = 1 };
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, DOWN, 1000, 0);
	run_until(&r, MS(15));
	assert_int_equal(run_cmd(&r, &flush, MS(15)), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_dropped, 2);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_FLUSH);
	assert_int_equal(r.n_delivered, 2);
	assert_int_equal(r.delivered[1].t_ns, MS(20));
	run_end(&r);
}

static void test_the_directions_have_traces_of_their_own(void **state)
{
	static const uint32_t ms[] = { 4 };
	struct run r;

	(void)state;
	defaults(&r, ms, 1);
	run_start(&r);
	run_push(&r, DOWN, 1500, 0);
	run_push(&r, 1, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].t_ns, MS(4));
	assert_int_equal(r.delivered[1].t_ns, MS(10));
	assert_int_equal(r.delivered[1].ue, DOWN);
	run_end(&r);
}

/* 700 + 700 + 100 of the third, whose other 600 go with 700 of the fourth. */
static void test_small_packets_share_and_a_part_goes_on(void **state)
{
	static const int64_t there[] = { 10, 10, 20, 20 };
	struct cell_stats stats;
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, DOWN, 700, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0)->value, 0);
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 1)->value, 1500 - 600 - 700);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.mac_padding_bytes[CELL_DIR_DL], 1500 - 600 - 700);
	assert_int_equal(stats.mac_bytes[CELL_DIR_DL], 2 * 1500);
	assert_int_equal(stats.mac_pdus[CELL_DIR_DL], 2);
	run_push(&r, DOWN, 1000, MS(30) + 1);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.mac_padding_bytes[CELL_DIR_DL], 1500 - 600 - 700 + 500);
	run_end(&r);
}

/* Those of 10 to 50 are lost; one that comes with an opportunity waits for the next. */
static void test_unused_opportunities_are_lost(void **state)
{
	static const struct {
		int64_t t_ns, there_ns;
	} cases[] = { { MS(55), MS(60) },
		      { MS(60), MS(70) },
		      { MS(60) - 1, MS(60) },
		      { MS(12345) + 1, MS(12350) } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r;

		defaults(&r, every_10_ms, 1);
		run_start(&r);
		run_push(&r, DOWN, 1500, cases[i].t_ns);
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.delivered[0].t_ns, cases[i].there_ns);
		assert_int_equal(run_count(&r, CELL_EV_MAC_TX, CELL_NODE_ENB), 1);
		run_end(&r);
	}
}

static void test_time_0_is_an_opportunity_of_every_turn_but_the_first(void **state)
{
	static const uint32_t ms[] = { 0, 5 };
	static const int64_t there[] = { 5, 5, 10, 10 };
	struct run r;

	(void)state;
	defaults(&r, ms, 2);
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, DOWN, 1500, 0);
	run_until(&r, RUN_FOREVER);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(there[i]));
	run_end(&r);
}

static void test_delay_comes_on_top_and_keeps_the_rate(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	r.cfg.recorded.delay_ms = 25;
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, DOWN, 1500, 0);
	run_until(&r, RUN_FOREVER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.delivered[i].t_ns, MS(10 * (i + 1) + 25));
	run_end(&r);
}

static void test_a_full_queue_drops_the_newest(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	r.cfg.recorded.queue_pkts = 2;
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, DOWN, 100, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 2);
	assert_int_equal(r.n_dropped, 1);
	assert_int_equal(r.dropped[0].tag, r.delivered[1].tag + 1);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_QUEUE_FULL);
	run_end(&r);
}

/* 1000 + 400 fit 1500 bytes, another 101 do not, 100 do. */
static void test_bytes_limit_the_queue_too(void **state)
{
	static const size_t sizes[] = { 1000, 400, 101, 100 };
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	r.cfg.recorded.queue_bytes = 1500;
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, DOWN, sizes[i], 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 3);
	assert_int_equal(r.n_dropped, 1);
	assert_int_equal(r.dropped[0].tag, r.delivered[1].tag + 1);
	run_end(&r);
}

/* What is in part on its way, waits, or was not there yet, is given back. */
static void test_the_end_gives_everything_back(void **state)
{
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	r.cfg.recorded.delay_ms = 100;
	run_start(&r);
	for (int i = 0; i < 4; i++)
		run_push(&r, DOWN, 1000, 0);
	run_until(&r, MS(10));
	run_end(&r); /* checks the sums */
	assert_int_equal(r.n_delivered, 0);
}

/*
 * Trains of 20 ms, with two opportunities 2 ms apart, in front of it: the third packet of a train
 * goes to the busy link after those 20 ms; what then leaves a train waits behind it.
 */
static void test_behind_a_train(void **state)
{
	static const struct cell_train record[] = { { 0, 20, 0, 2 }, { 1000, 20, 0, 2 } };
	static const uint32_t offset_ms[] = { 0, 2 };
	static const uint32_t every_50_ms[] = { 50 };
	static const struct {
		int64_t in_ms, out_ms;
	} cases[] = { { 0, 20 }, { 0, 22 }, { 1, 50 }, { 24, 100 }, { 24, 150 } };
	struct run r;

	(void)state;
	defaults(&r, every_50_ms, 1);
	for (int d = 0; d < 2; d++) {
		struct cell_recording *way = &r.cfg.recorded.way[d];

		way->train = record;
		way->n_trains = COUNT(record);
		way->train_offset_ms = offset_ms;
		way->n_train_offsets = COUNT(offset_ms);
	}
	r.cfg.recorded.downlink_gap_ms = 21;
	run_start(&r);
	for (size_t i = 0; i < COUNT(cases); i++)
		run_push(&r, DOWN, 1500, MS(cases[i].in_ms));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, COUNT(cases));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(r.delivered[i].t_ns, MS(cases[i].out_ms));
	run_end(&r);
}

#define REFUSED(n_up, up, n_down, down, field)                                                     \
	do {                                                                                       \
		static const uint32_t up_ms[] = up, down_ms[] = down;                              \
		const char *got, *range;                                                           \
                                                                                                   \
		recording(&r.cfg.recorded, up_ms, n_up, down_ms, n_down);                          \
		assert_int_equal(cell_cfg_check(&r.cfg, &got, &range), -EINVAL);                   \
		assert_string_equal(got, field);                                                   \
	} while (0)
#define LIST(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void test_refuses_what_is_no_trace(void **state)
{
	const char *field, *range;
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	REFUSED(0, LIST(1), 1, LIST(1), "opportunity_ms of the uplink");
	REFUSED(1, LIST(1), 1, LIST(0), "opportunity_ms of the downlink");
	REFUSED(1, LIST(1), 3, LIST(1, 3, 2), "opportunity_ms of the downlink");
	defaults(&r, NULL, 1);
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
}

/* What is out of its range is named, in the link of all UEs and in that of one. */
static void test_limits_of_every_link(void **state)
{
	static const struct cell_recorded low = { .queue_pkts = 1, .bytes = 100 };
	static const struct cell_recorded high = { .delay_ms = 10000,
		                                   .queue_pkts = 65536,
		                                   .queue_bytes = 100000000,
		                                   .bytes = 9000,
		                                   .uplink_gap_ms = 60000,
		                                   .downlink_gap_ms = 60000 };
	const struct {
		const char *field, *range;
		struct cell_recorded wrong;
	} cases[] = {
		{ NULL, NULL, low },
		{ NULL, NULL, high },
		{ "delay_ms", "0..10000", { .delay_ms = 10001, .queue_pkts = 1, .bytes = 100 } },
		{ "queue_pkts", "1..65536", { .bytes = 100 } },
		{ "queue_pkts", "1..65536", { .queue_pkts = 65537, .bytes = 100 } },
		{ "queue_bytes",
		  "0..100000000",
		  { .queue_pkts = 1, .queue_bytes = 100000001, .bytes = 100 } },
		{ "bytes", "100..9000", { .queue_pkts = 1, .bytes = 99 } },
		{ "bytes", "100..9000", { .queue_pkts = 1, .bytes = 9001 } },
		{ "uplink_gap_ms",
		  "0..60000",
		  { .queue_pkts = 1, .bytes = 100, .uplink_gap_ms = 60001 } },
		{ "downlink_gap_ms",
		  "0..60000",
		  { .queue_pkts = 1, .bytes = 100, .downlink_gap_ms = 60001 } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		struct cell_recorded link = cases[i / 2].wrong;
		const char *field = NULL, *range = NULL;
		struct run r;

		defaults(&r, every_10_ms, 1);
		recording(&link, every_10_ms, 1, every_10_ms, 1);
		if (i % 2)
			r.cfg.ue[0].recorded = &link;
		else
			r.cfg.recorded = link;
		assert_int_equal(cell_cfg_check(&r.cfg, &field, &range),
		                 cases[i / 2].field ? -EINVAL : 0);
		if (cases[i / 2].field) {
			assert_string_equal(field, cases[i / 2].field);
			assert_string_equal(range, cases[i / 2].range);
		}
	}
}

/*
 * UE 2 has a link of its own, which is slower and has another delay; UE 3 has that of UE 1, but not
 * its opportunities: each link has all of them.
 */
static void test_each_ue_has_a_link(void **state)
{
	static const uint32_t every_4_ms[] = { 4 };
	static const struct {
		uint8_t ue;
		int64_t there_ms;
	} expected[] = { { 1, 10 }, { 3, 10 }, { 1, 20 }, { 3, 20 }, { 2, 57 }, { 2, 61 } };
	struct cell_recorded own;
	struct run r;

	(void)state;
	defaults(&r, every_10_ms, 1);
	r.cfg.n_ue = 3;
	for (uint8_t i = 1; i < 3; i++)
		r.cfg.ue[i] = (struct cell_ue_cfg){ .rnti = (uint16_t)(70 + i) };
	own = r.cfg.recorded;
	recording(&own, every_10_ms, 1, every_4_ms, 1);
	own.delay_ms = 53;
	r.cfg.ue[1].recorded = &own;
	run_start(&r);
	for (uint8_t ue = 1; ue <= 3; ue++)
		for (int i = 0; i < 2; i++)
			run_push(&r, ue | CELL_PORT_NETWORK, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(r.delivered[i].ue, expected[i].ue);
		assert_int_equal(r.delivered[i].t_ns, MS(expected[i].there_ms));
	}
	run_push(&r, 2, 1500, MS(100));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[6].ue, 2 | CELL_PORT_NETWORK);
	assert_int_equal(r.delivered[6].t_ns, MS(110 + 53));
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, 2, 0)->peer, CELL_NODE_ENB);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_opportunity_takes_a_full_packet),
		cmocka_unit_test(test_rows_of_the_queue),
		cmocka_unit_test(test_a_flush_leaves_what_was_sent_in_part),
		cmocka_unit_test(test_the_directions_have_traces_of_their_own),
		cmocka_unit_test(test_small_packets_share_and_a_part_goes_on),
		cmocka_unit_test(test_unused_opportunities_are_lost),
		cmocka_unit_test(test_time_0_is_an_opportunity_of_every_turn_but_the_first),
		cmocka_unit_test(test_delay_comes_on_top_and_keeps_the_rate),
		cmocka_unit_test(test_a_full_queue_drops_the_newest),
		cmocka_unit_test(test_bytes_limit_the_queue_too),
		cmocka_unit_test(test_the_end_gives_everything_back),
		cmocka_unit_test(test_behind_a_train),
		cmocka_unit_test(test_refuses_what_is_no_trace),
		cmocka_unit_test(test_limits_of_every_link),
		cmocka_unit_test(test_each_ue_has_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
