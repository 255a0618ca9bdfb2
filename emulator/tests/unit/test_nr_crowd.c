/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a crowd of modelled UEs takes from a UE with packets in NR. */
#include "nr_run.h"
#include "unit.h"

#define SECOND INT64_C(1000000000)
#define CROWD  4 /* five flows do not fall in step with the four downlink slots of a pattern */

static void crowd_defaults(struct run *r)
{
	nr_defaults(r, 1);
	r->cfg.max_pkts = 20000;
	r->cfg.rlc.queue_pkts = 65535;
	r->cfg.nr.phy.bandwidth_mhz = 5;
	r->cfg.crowd.direction = CELL_CROWD_DL;
	r->cfg.crowd.arrival = CELL_CROWD_FULL_BUFFER;
	r->cfg.crowd.n_cqi = 1;
	r->cfg.crowd.cqi[0] = 9;
	r->cfg.ue[0].cqi_dl = r->cfg.ue[0].cqi_ul = 9;
}

/* Bytes that packets of @port have in a second for which some always wait. */
static uint64_t sent(struct run *r, uint8_t port, struct cell_stats *ret_stats)
{
	struct cell_stats stats;

	run_start(r);
	for (int i = 0; i < 12000; i++)
		assert_int_equal(run_push(r, port, 1400, 0), 0);
	run_until(r, SECOND);
	cell_stats(r->cell, &stats);
	if (ret_stats)
		*ret_stats = stats;
	run_end(r);
	return stats.bytes_delivered;
}

static uint64_t got(struct run *r, struct cell_stats *ret_stats)
{
	return sent(r, TO_UE(1), ret_stats);
}

/* Round robin gives each flow the same share of the slots. */
static void check_turns(uint8_t port, uint8_t direction, enum cell_dir dir)
{
	struct cell_stats stats;
	uint64_t alone, beside;
	struct run r;

	crowd_defaults(&r);
	alone = sent(&r, port, NULL);
	crowd_defaults(&r);
	r.cfg.crowd.count = CROWD;
	r.cfg.crowd.direction = direction;
	beside = sent(&r, port, &stats);
	assert_in_range(100 * beside * (CROWD + 1) / alone, 95, 105);
	assert_in_range(100 * stats.crowd_bytes_out[dir] / (CROWD * beside), 95, 105);
	assert_int_equal(stats.crowd_members, CROWD);
	assert_int_equal(stats.crowd_bytes_out[dir == CELL_DIR_UL ? CELL_DIR_DL : CELL_DIR_UL], 0);
}

static void test_members_take_their_turn(void **state)
{
	(void)state;
	check_turns(TO_UE(1), CELL_CROWD_DL, CELL_DIR_DL);
	check_turns(1, CELL_CROWD_UL, CELL_DIR_UL);
}

/* Crowds of both directions take nothing from each other. */
static void test_directions_have_slots_of_their_own(void **state)
{
	static const uint8_t direction[] = {
		[CELL_DIR_UL] = CELL_CROWD_UL, [CELL_DIR_DL] = CELL_CROWD_DL
	};
	struct cell_stats one, both;
	struct run r;

	(void)state;
	for (size_t dir = 0; dir < COUNT(direction); dir++) {
		crowd_defaults(&r);
		r.cfg.crowd.count = CROWD;
		r.cfg.crowd.direction = direction[dir];
		(void)sent(&r, 1, &one);
		crowd_defaults(&r);
		r.cfg.crowd.count = CROWD;
		r.cfg.crowd.direction = CELL_CROWD_BOTH;
		(void)sent(&r, 1, &both);
		assert_in_range(100 * both.crowd_bytes_out[dir] / one.crowd_bytes_out[dir], 98,
		                102);
	}
}

/* What a crowd sends has the formats of its own direction. */
static void test_formats_are_those_of_the_direction(void **state)
{
	static const uint8_t direction[] = {
		[CELL_DIR_UL] = CELL_CROWD_UL, [CELL_DIR_DL] = CELL_CROWD_DL
	};
	struct cell_stats stats[2];
	struct run r;

	(void)state;
	for (size_t dir = 0; dir < COUNT(direction); dir++) {
		for (size_t other = 0; other < COUNT(stats); other++) {
			struct cell_nr_phy_cfg *phy = &r.cfg.nr.phy;

			crowd_defaults(&r);
			r.cfg.crowd.count = CROWD;
			r.cfg.crowd.direction = direction[dir];
			r.cfg.crowd.cqi[0] = 15;
			phy->mcs_table_ul =
				dir == CELL_DIR_UL || !other ? CELL_MCS_QAM64 : CELL_MCS_QAM256;
			phy->mcs_table_dl =
				dir == CELL_DIR_DL || !other ? CELL_MCS_QAM64 : CELL_MCS_QAM256;
			run_start(&r);
			run_until(&r, SECOND);
			cell_stats(r.cell, &stats[other]);
			run_end(&r);
		}
		assert_int_not_equal(stats[0].crowd_bytes_out[dir], 0);
		assert_int_equal(stats[0].crowd_bytes_out[dir], stats[1].crowd_bytes_out[dir]);
	}
}

/* What fails is sent again, and takes resource blocks from all. */
static void test_blocks_are_sent_again(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	crowd_defaults(&r);
	nr_fails_once(&r);
	r.cfg.crowd.count = CROWD;
	r.cfg.crowd.direction = CELL_CROWD_BOTH;
	(void)got(&r, &stats);
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++)
		assert_in_range(100 * stats.crowd_rb_retx[dir] / stats.crowd_rb[dir], 47, 51);
}

/* An idle network serves what its crowd offers, no more and no less. */
static void test_a_cell_with_room_serves_all(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	crowd_defaults(&r);
	r.cfg.crowd.count = 20;
	r.cfg.crowd.arrival = CELL_CROWD_POISSON;
	r.cfg.crowd.offered_rate_bps = 400000;
	r.cfg.crowd.burst_bytes = 5000;
	run_start(&r);
	run_until(&r, 20 * SECOND);
	cell_stats(r.cell, &stats);
	assert_in_range(stats.crowd_bytes_in[CELL_DIR_DL], 18000000, 22000000);
	assert_in_range(stats.crowd_bytes_in[CELL_DIR_DL] - stats.crowd_bytes_out[CELL_DIR_DL], 0,
	                100000);
	assert_int_equal(stats.crowd_bytes_in[CELL_DIR_UL], 0);
	run_end(&r);
}

/* The same load takes fewer resource blocks. */
static void test_a_better_channel_takes_less(void **state)
{
	static const uint8_t cqi[] = { 3, 9, 15 };
	uint64_t before = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(cqi); i++) {
		struct run r;
		uint64_t bytes;

		crowd_defaults(&r);
		r.cfg.crowd.count = 10;
		r.cfg.crowd.arrival = CELL_CROWD_POISSON;
		r.cfg.crowd.offered_rate_bps = 200000;
		r.cfg.crowd.burst_bytes = 10000;
		r.cfg.crowd.cqi[0] = cqi[i];
		bytes = got(&r, NULL);
		assert_true(bytes > before);
		before = bytes;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_take_their_turn),
		cmocka_unit_test(test_directions_have_slots_of_their_own),
		cmocka_unit_test(test_formats_are_those_of_the_direction),
		cmocka_unit_test(test_blocks_are_sent_again),
		cmocka_unit_test(test_a_cell_with_room_serves_all),
		cmocka_unit_test(test_a_better_channel_takes_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
