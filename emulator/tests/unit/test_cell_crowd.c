/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modelled UEs: what they take of a cell, and what they leave to a UE with packets. */
#include "run.h"
#include "unit.h"

#define SECONDS   2
#define SUBFRAMES (1000 * SECONDS)

/* A UE that talks to the network, and @n modelled ones with a full buffer in the downlink. */
static void setup(struct run *r, uint16_t n)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.rlc.queue_pkts = 4000;
	r->cfg.crowd.count = n;
	r->cfg.crowd.arrival = CELL_CROWD_FULL_BUFFER;
	r->cfg.crowd.direction = CELL_CROWD_DL;
	r->cfg.crowd.n_cqi = 1;
	r->cfg.crowd.cqi[0] = 15;
}

/* The UE has more to get, or to send, than it could for all that time. */
static void run_full_buffer(struct run *r, uint8_t port)
{
	run_start(r);
	for (int ms = 0; ms < SUBFRAMES; ms += 100) {
		for (int i = 0; i < 310; i++)
			(void)run_push(r, port, 1500, MS(ms));
		run_until(r, MS(ms + 99));
	}
}

static struct cell_stats stats_of(const struct run *r)
{
	struct cell_stats s;

	cell_stats(r->cell, &s);
	return s;
}

/* Round robin among full buffers: each has every (N + 1)th sub-frame, the whole of it. */
static void test_an_equal_share(void **state)
{
	static const uint16_t counts[] = { 1, 4, 9, 99 };

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		struct run r;
		size_t share = SUBFRAMES / (counts[i] + 1u), grants;

		setup(&r, counts[i]);
		run_full_buffer(&r, 1 | CELL_PORT_NETWORK);
		grants = run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB);
		assert_in_range(grants, share - 1, share + 1);
		assert_in_range(stats_of(&r).crowd_rb[CELL_DIR_DL], 50 * (SUBFRAMES - share) - 100,
		                50 * (SUBFRAMES - share) + 100);
		run_end(&r);
	}
}

/* In the uplink a UE has to ask first, and then has its turn. */
static void test_a_share_of_the_uplink(void **state)
{
	size_t share = SUBFRAMES / 5, before, after;
	struct run r;

	(void)state;
	setup(&r, 4);
	r.cfg.crowd.direction = CELL_CROWD_UL;
	run_full_buffer(&r, 1);
	before = run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB);
	assert_in_range(before, share - share / 20, share);
	assert_true(r.bytes_out > 0);
	assert_int_equal(stats_of(&r).crowd_rb[CELL_DIR_DL], 0);
	assert_true(stats_of(&r).crowd_rb[CELL_DIR_UL] > 0);
	run_end(&r);
	setup(&r, 0);
	run_full_buffer(&r, 1);
	after = run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB);
	assert_true(after > 4 * before);
	run_end(&r);
}

/* Bytes that the UE got and that one modelled UE got. */
static uint64_t ratio_percent(struct run *r)
{
	uint64_t percent;

	run_full_buffer(r, 1 | CELL_PORT_NETWORK);
	percent = 100 * r->bytes_out * r->cfg.crowd.count /
	          (stats_of(r).crowd_bytes_out[CELL_DIR_DL] + 1);
	run_end(r);
	return percent;
}

static void test_shares_by_scheduler(void **state)
{
	static const struct {
		enum cell_sched scheduler;
		uint8_t crowd_weight, crowd_cqi;
		uint64_t least_percent, most_percent; /* of a modelled UE's bytes */
	} cases[] = {
		{ CELL_SCHED_WFQ, 1, 15, 95, 105 },
		{ CELL_SCHED_WFQ, 4, 15, 23, 27 },
		{ CELL_SCHED_WFQ, 1, 5, 95, 105 }, /* bytes, not sub-frames */
		{ CELL_SCHED_RR, 1, 5, 400, 800 }, /* sub-frames, not bytes */
		{ CELL_SCHED_PF, 1, 15, 90, 110 },
		{ CELL_SCHED_PF, 1, 5, 400, 800 }, /* constant channels: equal times */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run r;

		setup(&r, 4);
		r.cfg.scheduler = (uint8_t)cases[i].scheduler;
		r.cfg.crowd.weight = cases[i].crowd_weight;
		r.cfg.crowd.cqi[0] = cases[i].crowd_cqi;
		assert_in_range(ratio_percent(&r), cases[i].least_percent, cases[i].most_percent);
	}
}

/* Whose packets wait longest is served most; a weight tells how much waiting counts. */
static void test_waiting_counts(void **state)
{
	static const uint8_t weights[] = { 1, 16, 255 };
	uint64_t percent[COUNT(weights)];

	(void)state;
	for (size_t i = 0; i < COUNT(weights); i++) {
		struct run r;

		setup(&r, 4);
		r.cfg.scheduler = CELL_SCHED_MLWDF;
		r.cfg.crowd.weight = weights[i];
		percent[i] = ratio_percent(&r);
	}
	assert_true(percent[0] > 3 * percent[1] && percent[1] > percent[2] && percent[2] > 90);
}

/* All or nothing. */
static void test_the_best_channel(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 4);
	r.cfg.scheduler = CELL_SCHED_MAX_CI;
	r.cfg.ue[0].cqi_dl = 10;
	run_full_buffer(&r, 1 | CELL_PORT_NETWORK);
	assert_int_equal(r.n_delivered, 0);
	run_end(&r);
	setup(&r, 4);
	r.cfg.scheduler = CELL_SCHED_MAX_CI;
	r.cfg.crowd.cqi[0] = 10;
	run_full_buffer(&r, 1 | CELL_PORT_NETWORK);
	assert_int_equal(stats_of(&r).crowd_bytes_out[CELL_DIR_DL], 0);
	run_end(&r);
}

/* Bursts of 200 UEs, alone in the cell. */
static void setup_bursts(struct run *r)
{
	setup(r, 200);
	r->cfg.crowd.arrival = CELL_CROWD_POISSON;
	r->cfg.crowd.offered_rate_bps = 40000;
	r->cfg.crowd.burst_bytes = 2000;
	r->cfg.crowd.burst_size = CELL_CROWD_CONSTANT;
	r->cfg.crowd.cqi[0] = 9;
}

/*
 * 8 Mbit/s in bursts of 2000 bytes: 500 a second, so in 20 s 10000 with a deviation of 100. All of
 * it is served, and blocks of 2000 bytes take as many RBs as their size says: 34 of 50 at CQI 9.
 */
static void test_offered_load(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	setup_bursts(&r);
	run_start(&r);
	run_until(&r, MS(20000));
	s = stats_of(&r);
	assert_in_range(s.crowd_bytes_in[CELL_DIR_DL], 2000 * 9600, 2000 * 10400);
	assert_in_range(s.crowd_bytes_in[CELL_DIR_DL] - s.crowd_bytes_out[CELL_DIR_DL], 0,
	                40 * 2000);
	assert_int_equal(s.crowd_bytes_in[CELL_DIR_UL], 0);
	assert_int_equal(s.crowd_rb_retx[CELL_DIR_DL], 0);
	assert_int_equal(s.crowd_members, 200);
	assert_int_equal(r.n_records, 0);
	run_end(&r);
}

/* Sizes with an exponential distribution have the same mean, and 98 % more or less for the count.
 */
static void test_exponential_sizes(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	setup_bursts(&r);
	r.cfg.crowd.burst_size = CELL_CROWD_EXPONENTIAL;
	run_start(&r);
	run_until(&r, MS(20000));
	s = stats_of(&r);
	assert_in_range(s.crowd_bytes_in[CELL_DIR_DL], 2000 * 9400, 2000 * 10600);
	run_end(&r);
}

/* Attempts of a block: 1 and the chances that one, two, ... were not enough. */
static void test_retransmissions_take_their_share(void **state)
{
	static const enum cell_dir dirs[] = { CELL_DIR_DL, CELL_DIR_UL };

	(void)state;
	for (size_t i = 0; i < COUNT(dirs); i++) {
		uint64_t first, again;
		struct run r;

		setup_bursts(&r);
		r.cfg.crowd.direction = dirs[i] == CELL_DIR_UL ? CELL_CROWD_UL : CELL_CROWD_DL;
		r.cfg.harq.max_attempts = 4;
		r.cfg.harq.n_bler = 2;
		r.cfg.harq.bler_q32[0] = UINT32_C(1) << 30;
		r.cfg.harq.bler_q32[1] = UINT32_C(1) << 28; /* and after the third attempt */
		run_start(&r);
		run_until(&r, MS(20000));
		again = stats_of(&r).crowd_rb_retx[dirs[i]];
		first = stats_of(&r).crowd_rb[dirs[i]] - again;
		/* 1/4 + 1/16 + 1/16 */
		assert_in_range(1000 * again / first, 345, 405);
		run_end(&r);
	}
}

/* Every first attempt fails: it is sent again a round trip later, and not before. */
static void test_retransmissions_come_after_a_round_trip(void **state)
{
	static const enum cell_dir dirs[] = { CELL_DIR_DL, CELL_DIR_UL };

	(void)state;
	for (size_t i = 0; i < COUNT(dirs); i++) {
		int rtt_ms = 8; /* of the uplink, always */
		struct run r;

		setup(&r, 1);
		r.cfg.crowd.direction = dirs[i] == CELL_DIR_UL ? CELL_CROWD_UL : CELL_CROWD_DL;
		r.cfg.harq.max_attempts = 2;
		r.cfg.harq.n_bler = 1;
		r.cfg.harq.bler_q32[0] = UINT32_MAX;
		if (dirs[i] == CELL_DIR_DL)
			rtt_ms = r.cfg.harq.dl_rtt_tti;
		run_start(&r);
		run_until(&r, MS(rtt_ms) - 1);
		assert_int_equal(stats_of(&r).crowd_rb[dirs[i]], 50 * rtt_ms);
		assert_int_equal(stats_of(&r).crowd_rb_retx[dirs[i]], 0);
		run_until(&r, MS(2 * rtt_ms) - 1);
		assert_int_equal(stats_of(&r).crowd_rb[dirs[i]], 50 * 2 * rtt_ms);
		assert_int_equal(stats_of(&r).crowd_rb_retx[dirs[i]], 50 * rtt_ms);
		run_end(&r);
	}
}

/* More than the cell carries waits, and is refused beyond 1 GiB of a UE; the carrier is full. */
static void test_more_than_the_cell_carries(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	setup_bursts(&r);
	r.cfg.crowd.count = 2;
	r.cfg.crowd.offered_rate_bps = 1000000000;
	r.cfg.crowd.burst_bytes = 50000000;
	run_start(&r);
	run_until(&r, MS(20000));
	s = stats_of(&r);
	assert_in_range(s.crowd_rb[CELL_DIR_DL], 50 * 19000, 50 * 20001);
	assert_true(s.crowd_bytes_refused[CELL_DIR_DL] > 0);
	assert_true(s.crowd_bytes_in[CELL_DIR_DL] >
	            s.crowd_bytes_refused[CELL_DIR_DL] + s.crowd_bytes_out[CELL_DIR_DL]);
	run_end(&r);
}

/* 200 UEs that read for 5 s in an empty cell: 40 bursts a second, in 100 s 4000 with a deviation
 * of 63. */
static void test_a_crowd_that_reads(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	setup_bursts(&r);
	r.cfg.crowd.arrival = CELL_CROWD_READING;
	r.cfg.crowd.reading_ms = 5000;
	run_start(&r);
	run_until(&r, MS(100000));
	s = stats_of(&r);
	assert_in_range(s.crowd_bytes_in[CELL_DIR_DL], 2000 * (4000 - 4 * 63),
	                2000 * (4000 + 4 * 63));
	assert_in_range(s.crowd_bytes_out[CELL_DIR_DL], s.crowd_bytes_in[CELL_DIR_DL] - 2 * 2000,
	                s.crowd_bytes_in[CELL_DIR_DL]);
	run_end(&r);
}

/* In a full cell they ask for less: each waits for one burst at most, and nothing is refused. */
static void test_a_crowd_that_reads_in_a_full_cell(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	for (uint16_t count = 1; count <= 130; count += 43) {
		setup_bursts(&r);
		r.cfg.crowd.count = count;
		r.cfg.crowd.arrival = CELL_CROWD_READING;
		r.cfg.crowd.reading_ms = 10;
		r.cfg.crowd.burst_bytes = 1000000;
		run_start(&r);
		for (int second = 1; second <= 10; second++) {
			run_until(&r, MS(1000 * second));
			s = stats_of(&r);
			assert_true(s.crowd_bytes_in[CELL_DIR_DL] -
			                    s.crowd_bytes_out[CELL_DIR_DL] <=
			            UINT64_C(1000000) * count);
		}
		assert_true(s.crowd_bytes_out[CELL_DIR_DL] > 8000000); /* of CQI 9, 10 s */
		assert_in_range(s.crowd_rb[CELL_DIR_DL], 50 * 9000, 50 * 10001);
		assert_int_equal(s.crowd_bytes_refused[CELL_DIR_DL], 0);
		run_end(&r);
	}
}

/* One that reads: its bursts follow each other by a pause and the time that they took. */
static void test_one_reader(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	setup_bursts(&r);
	r.cfg.crowd.count = 1;
	r.cfg.crowd.arrival = CELL_CROWD_READING;
	r.cfg.crowd.reading_ms = 50;
	run_start(&r);
	run_until(&r, MS(100000));
	s = stats_of(&r); /* 1.5 ms on average until a burst has gone */
	assert_in_range(s.crowd_bytes_in[CELL_DIR_DL] / 2000, 1940 - 4 * 44, 1940 + 4 * 44);
	run_end(&r);
}

/* Each cell has a crowd of its own. */
static void test_several_cells(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_core_network(&r);
	r.cfg.crowd.count = 3;
	r.cfg.crowd.direction = CELL_CROWD_BOTH;
	r.cfg.crowd.arrival = CELL_CROWD_FULL_BUFFER;
	run_start(&r);
	run_until(&r, MS(999));
	assert_int_equal(stats_of(&r).crowd_members, 12);
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++)
		assert_in_range(stats_of(&r).crowd_rb[dir], 2 * 50 * 990, 2 * 50 * 1000);
	run_end(&r);
}

/* With max C/I a UE waits while the crowd of its cell has the better CQI, which is when that cell
 * drew it. */
static void test_several_cells_draw_apart(void **state)
{
	uint32_t n[3] = { 0 }, different = 0;
	int64_t t_ns[3][400];
	struct run r;

	(void)state;
	setup(&r, 1);
	r.cfg.scheduler = CELL_SCHED_MAX_CI;
	r.cfg.crowd.n_cqi = 2;
	r.cfg.crowd.cqi[1] = 3;
	r.cfg.crowd.cqi_period_ms = 10;
	run_core_network(&r);
	r.cfg.n_ue = 2;
	r.cfg.ue[0].cqi_dl = r.cfg.ue[1].cqi_dl = 9;
	r.cfg.gtpu.sgw_addr = 0;
	run_start(&r);
	for (int ms = 1; ms <= 400; ms++)
		for (uint8_t ue = 1; ue <= 2; ue++)
			(void)run_push(&r, (uint8_t)(CELL_PORT_NETWORK | ue), 1500, MS(ms));
	run_until(&r, MS(2000));
	for (uint32_t i = 0; i < r.n_delivered; i++)
		t_ns[r.delivered[i].ue][n[r.delivered[i].ue]++] = r.delivered[i].t_ns;
	assert_int_equal(n[1], 400);
	assert_int_equal(n[2], 400);
	for (uint32_t i = 0; i < 400; i++)
		different += t_ns[1][i] != t_ns[2][i];
	assert_true(different > 40);
	run_end(&r);
}

/* Bytes by the CQI that each had: over time each has each CQI of the list. */
static void test_cqis_change(void **state)
{
	uint64_t bytes[3] = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(bytes); i++) {
		struct run r;

		setup(&r, 1);
		r.cfg.crowd.n_cqi = i == 2 ? 2 : 1;
		r.cfg.crowd.cqi[0] = i == 1 ? 3 : 15;
		r.cfg.crowd.cqi[1] = 3;
		r.cfg.crowd.cqi_period_ms = 1;
		run_start(&r);
		run_until(&r, MS(4000));
		bytes[i] = stats_of(&r).crowd_bytes_out[CELL_DIR_DL];
		run_end(&r);
	}
	assert_in_range(100 * 2 * bytes[2] / (bytes[0] + bytes[1]), 93, 107);
}

/* What a shell waits for is bounded, so that it never has much to catch up with. */
static void test_a_crowd_is_not_left_behind(void **state)
{
	struct run r;

	(void)state;
	setup(&r, 3);
	run_start(&r);
	run_until(&r, MS(50));
	assert_int_equal(cell_next(r.cell), RUN_START_NS + MS(51));
	assert_int_equal(cell_next_output(r.cell), RUN_START_NS + MS(71));
	run_end(&r);
}

static void test_what_is_refused(void **state)
{
	const char *field, *range;
	struct run r;

	(void)state;
	setup(&r, 1000);
	r.cfg.crowd.offered_rate_bps = 1000000000;
	r.cfg.crowd.burst_bytes = 124999;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "crowd.burst_bytes");
	r.cfg.crowd.burst_bytes = 125000;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), 0);
	r.cfg.crowd.cqi[0] = 16;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "crowd.cqi");
	r.cfg.crowd.cqi[0] = 1;
	r.cfg.lte.mac.ul_always_scheduled = 1;
	r.cfg.crowd.direction = CELL_CROWD_BOTH;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "crowd.direction");
}

/* What modelled UEs do in the uplink does not depend on what others do in the downlink. */
static void test_directions_are_apart(void **state)
{
	static const uint8_t directions[] = { CELL_CROWD_UL, CELL_CROWD_BOTH };
	struct cell_stats stats[COUNT(directions)];

	(void)state;
	for (size_t i = 0; i < COUNT(directions); i++) {
		struct run r;

		setup_bursts(&r);
		r.cfg.crowd.direction = directions[i];
		run_start(&r);
		run_until(&r, MS(SUBFRAMES));
		stats[i] = stats_of(&r);
		run_end(&r);
	}
	assert_true(stats[0].crowd_bytes_out[CELL_DIR_UL] > 1000000);
	assert_int_equal(stats[0].crowd_bytes_out[CELL_DIR_DL], 0);
	assert_true(stats[1].crowd_bytes_out[CELL_DIR_DL] > 1000000);
	assert_int_equal(stats[0].crowd_bytes_in[CELL_DIR_UL],
	                 stats[1].crowd_bytes_in[CELL_DIR_UL]);
	assert_int_equal(stats[0].crowd_bytes_out[CELL_DIR_UL],
	                 stats[1].crowd_bytes_out[CELL_DIR_UL]);
	assert_int_equal(stats[0].crowd_rb[CELL_DIR_UL], stats[1].crowd_rb[CELL_DIR_UL]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_equal_share),
		cmocka_unit_test(test_a_share_of_the_uplink),
		cmocka_unit_test(test_shares_by_scheduler),
		cmocka_unit_test(test_waiting_counts),
		cmocka_unit_test(test_the_best_channel),
		cmocka_unit_test(test_offered_load),
		cmocka_unit_test(test_exponential_sizes),
		cmocka_unit_test(test_retransmissions_take_their_share),
		cmocka_unit_test(test_retransmissions_come_after_a_round_trip),
		cmocka_unit_test(test_more_than_the_cell_carries),
		cmocka_unit_test(test_a_crowd_that_reads),
		cmocka_unit_test(test_a_crowd_that_reads_in_a_full_cell),
		cmocka_unit_test(test_one_reader),
		cmocka_unit_test(test_several_cells),
		cmocka_unit_test(test_several_cells_draw_apart),
		cmocka_unit_test(test_cqis_change),
		cmocka_unit_test(test_a_crowd_is_not_left_behind),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_directions_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
