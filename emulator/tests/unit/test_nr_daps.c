/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DAPS handovers of UE 1 from the first gNB to the second, as in test_nr_handover.c: messages and
 * tunnels take 4 ms one way, slots 0.5 ms in the pattern DDDSU. Source: TS 38.300 9.2.3.2
 */
#include "nr_handover.h"

#include "rlc/nr/nr.h"

/* Of the UE's two bearers that carry the same packets. */
#define LCID_SOURCE 4
#define LCID_TARGET 5

/*
 * As the standard procedure, whose test derives the times; nothing detaches. The gNB has message 3
 * 0.25 ms after 110. 4 ms later the source knows, and 4 ms after that the target.
 */
static void test_procedure(void **state)
{
	static const struct step messages[] = {
		{ MS(50), CELL_RRC_MEASUREMENT_REPORT, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_DECISION, 0, 0, 1 },
		{ MS(50), CELL_RRC_HANDOVER_REQUEST, 0, 0, 1 },
		{ MS(54), CELL_RRC_HANDOVER_REQUEST_ACK, 0, 1, 0 },
		{ MS(58), CELL_RRC_HANDOVER_COMMAND, 0, 0, 1 },
		{ MS(58), CELL_RRC_EARLY_STATUS_TRANSFER, 0, 0, 1 },
		{ SLOT(208), CELL_RRC_SYNCHRONISED, 1, 1, 0 },
		{ MS(110) + GNB_DECODE, CELL_RRC_HANDOVER_CONFIRM, 0, 1, 0 },
		{ MS(110) + GNB_DECODE, CELL_RRC_HANDOVER_SUCCESS, 0, 1, 0 },
		{ MS(110) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST, 0, 1, 1 },
		{ MS(114) + GNB_DECODE, CELL_RRC_SN_STATUS_TRANSFER, 0, 0, 1 },
		{ MS(114) + GNB_DECODE, CELL_RRC_PATH_SWITCHED, SGW, 0, 1 },
		{ MS(114) + GNB_DECODE, CELL_RRC_PATH_SWITCH_REQUEST_ACK, SGW, 0, 1 },
		{ MS(118) + GNB_DECODE, CELL_RRC_DAPS_SOURCE_RELEASE, 0, 1, 0 },
		{ MS(118) + GNB_DECODE, CELL_RRC_RELEASE_RESOURCE, 0, 1, 0 },
	};
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	run_start(&r);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	check_steps(&r, messages, COUNT(messages));
	run_end(&r);
}

/* The longest time between two packets that arrived at @port. */
static int64_t longest_gap_ns(const struct run *r, uint8_t port)
{
	int64_t before_ns = 0, longest_ns = 0;

	for (size_t i = 0; i < r->n_delivered; i++) {
		if (r->delivered[i].ue != port)
			continue;
		if (before_ns > 0 && r->delivered[i].t_ns - before_ns > longest_ns)
			longest_ns = r->delivered[i].t_ns - before_ns;
		before_ns = r->delivered[i].t_ns;
	}
	return longest_ns;
}

/* Packets both ways each ms, before, during and after a handover and one back. */
static void both_ways(struct run *r)
{
	run_start(r);
	for (int t = 2; t < 400; t++) {
		run_push(r, DOWN, 1000, MS(t));
		run_push(r, 1, 700, MS(t));
		if (t == 60 || t == 220)
			handover(r, t == 60 ? 1 : 0, MS(t));
	}
	run_until(r, RUN_FOREVER);
}

static void lossless(enum cell_rlc_mode mode, bool report)
{
	struct cell_stats stats;
	struct run r;

	nr_setup(&r, mode, CELL_HO_DAPS);
	r.cfg.pdcp.status_report = report;
	both_ways(&r);
	cell_stats(r.cell, &stats);
	check_order(&r, 1, 398);
	check_order(&r, CELL_PORT_SGW, 398);
	assert_int_equal(stats.handovers, 2);
	assert_int_equal(stats.pkts_dropped[CELL_DROP_HANDOVER], 0);
	assert_true(stats.pkts_dropped[CELL_DROP_DUPLICATE] > 0);
	assert_int_equal(r.n_dropped, stats.pkts_dropped[CELL_DROP_DUPLICATE]);
	run_end(&r);
}

/* In UM, too, where nothing gets lost on the air. */
static void test_nothing_is_lost_and_nothing_comes_twice(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		lossless(i & 1 ? CELL_RLC_UM : CELL_RLC_AM, i & 2);
}

/* HARQ's errors and losses beyond: AM repairs them in either cell. */
static void test_losses_are_repaired(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	nr_fails_once(&r);
	r.cfg.ue[0].bler_dl_q32 = r.cfg.ue[0].bler_ul_q32 = UINT32_MAX / 10;
	both_ways(&r);
	check_order(&r, 1, 398);
	check_order(&r, CELL_PORT_SGW, 398);
	run_end(&r);
}

/* A packet comes each ms, at most the slots of one period of the pattern later than in the cell.
 * The uplink waits for the target's knowledge of COUNTs: from the answer in slot 208 (104 ms) on to
 * 118.25 ms. */
static void test_the_downlink_is_not_interrupted(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	run_start(&r);
	for (int t = 2; t < 200; t++) {
		run_push(&r, DOWN, 1000, MS(t));
		run_push(&r, 1, 700, MS(t));
		if (t == 50)
			handover(&r, 1, MS(t));
	}
	run_until(&r, RUN_FOREVER);
	assert_true(longest_gap_ns(&r, 1) <= MS(6));
	assert_true(longest_gap_ns(&r, CELL_PORT_SGW) >= MS(10));
	assert_true(longest_gap_ns(&r, CELL_PORT_SGW) <= MS(15) + GNB_DECODE);
	run_end(&r);
}

/* New blocks with data of UE 1 in direction @dir: from when until when in each cell. */
static void span(const struct run *r, enum cell_dir dir, uint8_t gnb, int64_t *ret_first,
                 int64_t *ret_last)
{
	*ret_first = *ret_last = -1;
	for (size_t i = 0; i < r->n_records; i++) {
		const struct cell_record *row = &r->records[i];

		if (row->event != CELL_EV_RLC_TX || row->dir != dir || row->enb != gnb ||
		    row->pkt == 0)
			continue;
		*ret_first = *ret_first < 0 ? row->t_ns : *ret_first;
		*ret_last = row->t_ns;
	}
}

/* Downlink packets are sent in both cells at a time; uplink ones in one and then in the other. */
static void test_both_cells_send_and_one_receives(void **state)
{
	int64_t first, last, source_last;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_UM, CELL_HO_DAPS);
	run_start(&r);
	handover(&r, 1, MS(50));
	for (int t = 51; t < 150; t++) {
		run_push(&r, DOWN, 1000, MS(t));
		run_push(&r, 1, 700, MS(t));
	}
	run_until(&r, RUN_FOREVER);
	span(&r, CELL_DIR_DL, 0, &first, &source_last);
	span(&r, CELL_DIR_DL, 1, &first, &last);
	assert_true(first >= SLOT(208) && first < SLOT(215));
	assert_true(source_last > MS(110) && source_last <= MS(114) + GNB_DECODE);
	span(&r, CELL_DIR_UL, 0, &first, &source_last);
	span(&r, CELL_DIR_UL, 1, &first, &last);
	assert_true(source_last == SLOT(214)); /* the rest of a packet started before slot 208 */
	assert_true(first == SLOT(219));
	check_order(&r, 1, 99);
	check_order(&r, CELL_PORT_SGW, 99);
	run_end(&r);
}

/* The source goes while its block is in HARQ. The target had copies of all packets since the
 * command, of the first one, too, so nothing is missing: the reason of the drop says so. */
static void test_what_the_source_still_sends_has_a_copy(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_UM, CELL_HO_DAPS);
	nr_fails_once(&r);
	run_start(&r);
	handover(&r, 1, MS(50));
	run_push(&r, DOWN, 1000, MS(114)); /* sent by the source at 118 ms, and again at 123 ms */
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.n_dropped, 1);
	assert_int_equal(stats.pkts_dropped[CELL_DROP_DUPLICATE], 1);
	run_end(&r);
}

/* Each direction has a logical channel of its own, so that captures tell them apart. */
static void test_legs_have_their_own_lcids(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	both_ways(&r);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->event == CELL_EV_RLC_TX)
			assert_int_equal(row->lcid, row->enb ? LCID_TARGET : LCID_SOURCE);
	}
	run_end(&r);
}

static void test_what_does_not_go_together(void **state)
{
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.handover.forwarding = 0;
	check_refused(&r, "handover.forwarding", "1 with daps");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.nr.phy.frequency_range = 1;
	r.cfg.nr.phy.numerology = 3;
	check_refused(&r, "nr.phy.frequency_range", "fr1 with daps");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.handover.condition.on = 1;
	check_refused(&r, "handover.condition.on", "none without a conditional procedure");
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.pdcp.duplication = 1;
	check_refused(&r, "pdcp.duplication", "0 with several gNBs");
}

/* A cell to which the UE comes back numbers the segments from 0 again. Source: TS 38.322 5.1.3 */
static void test_segments_of_a_new_entity_begin_with_0(void **state)
{
	size_t n_segments[2] = { 0 };
	int64_t back_ns = MS(220);
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_UM, CELL_HO_DAPS);
	r.cfg.nr.phy.bandwidth_mhz = 10;
	both_ways(&r);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];
		bool again = row->t_ns > back_ns;

		if (row->event != CELL_EV_RLC_TX || row->dir != CELL_DIR_UL || row->enb != 0 ||
		    row->sn == NR_SN_NONE)
			continue;
		if (n_segments[again]++ == 0)
			assert_int_equal(row->sn, 0);
	}
	assert_true(n_segments[0] > 1 && n_segments[1] > 0);
	run_end(&r);
}

/* A cell to which the UE comes back has nothing against its packets, however full the queue was
 * that the UE had there before. Source: RFC 9332 A.1 */
static void test_the_controller_of_a_new_queue_begins_with_0(void **state)
{
	struct cell_stats before, after;
	struct run r;

	(void)state;
	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.nr.phy.bandwidth_mhz = 10;
	r.cfg.ue[0].cqi_dl = 4;
	r.cfg.nr.aqm.mode = CELL_AQM_DUALPI2;
	run_start(&r);
	for (int t = 2; t < 2000; t++)
		for (int i = 0; i < 4; i++)
			run_push(&r, DOWN, 1400, MS(t));
	handover(&r, 1, MS(2000));
	handover(&r, 0, MS(2300));
	cell_stats(r.cell, &before);
	assert_true(before.pkts_dropped[CELL_DROP_AQM] > 0);
	for (int t = 2500; t < 2700; t += 2)
		for (int i = 0; i < 3; i++)
			run_push(&r, DOWN, 1400, MS(t));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &after);
	assert_int_equal(after.handovers, 2);
	assert_int_equal(after.pkts_dropped[CELL_DROP_AQM], before.pkts_dropped[CELL_DROP_AQM]);
	run_end(&r);
}

/* In a bad cell packets from before the command are not acknowledged when the source stops. They
 * come behind copies that the target has had for long, and go before those that it has not started:
 * in the order of the packets from then on. Return: packets that did so. */
static size_t late_before_early(uint16_t len)
{
	uint64_t highest = 0, last = 0;
	uint32_t next_sn = 0;
	size_t n_late = 0;
	struct run r;

	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.nr.phy.bandwidth_mhz = 5;
	r.cfg.ue[0].cqi_dl = 3;
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX / 10 * 9;
	run_start(&r);
	handover(&r, 1, MS(50));
	for (int i = 0; i < 200; i++)
		run_push(&r, DOWN, len, i < 20 ? MS(50) : MS(60 + i / 10));
	run_until(&r, MS(200));
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->event != CELL_EV_RLC_TX || row->lcid != LCID_TARGET ||
		    row->dir != CELL_DIR_DL || row->pkt == 0 || row->sn != next_sn)
			continue;
		next_sn++;
		if (row->t_ns > MS(118) + GNB_DECODE) {
			assert_true(row->tag > last);
			n_late += row->tag < highest;
			last = row->tag;
		}
		highest = row->tag > highest ? row->tag : highest;
	}
	run_end(&r);
	return n_late;
}

static void test_what_is_forwarded_at_last_goes_first(void **state)
{
	(void)state;
	for (uint16_t len = 60; len <= 1400; len = (uint16_t)(len + 67))
		assert_in_range(late_before_early(len), 1, 100);
}

/* Packets that have gone to the target when the command is sent, of those that wait at the source;
 * before it @ret_held are in the cell, and @ret_waiting of them in the queue. */
static uint64_t early_copies(uint32_t max_pkts, uint32_t *ret_held, uint32_t *ret_waiting)
{
	struct cell_stats stats;
	uint64_t copies;
	struct run r;

	nr_setup(&r, CELL_RLC_AM, CELL_HO_DAPS);
	r.cfg.nr.phy.bandwidth_mhz = 10;
	r.cfg.max_pkts = max_pkts;
	run_start(&r);
	handover(&r, 1, MS(50));
	for (int i = 0; i < 40; i++)
		run_push(&r, DOWN, 1400, MS(53));
	run_until(&r, MS(58) - 1);
	cell_stats(r.cell, &stats);
	*ret_held = (uint32_t)stats.pkts_held;
	*ret_waiting = 0;
	for (size_t i = 0; i < r.n_records; i++)
		if (r.records[i].event == CELL_EV_BUFFER && r.records[i].dir == CELL_DIR_DL)
			*ret_waiting = (uint32_t)r.records[i].value;
	run_until(&r, MS(58));
	cell_stats(r.cell, &stats);
	copies = stats.gtpu_tx[CELL_TUNNEL_X2];
	run_until(&r, RUN_FOREVER);
	run_end(&r);
	return copies;
}

/* All that wait are copied where there is memory for as many more, and none where there is not. */
static void test_copies_take_memory(void **state)
{
	uint32_t held, waiting;

	(void)state;
	assert_true(early_copies(1000, &held, &waiting) > 0);
	assert_in_range(waiting, 2, held);
	assert_true(early_copies(held + waiting, &held, &waiting) > 0);
	assert_int_equal(early_copies(held + waiting - 1, &held, &waiting), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_procedure),
		cmocka_unit_test(test_nothing_is_lost_and_nothing_comes_twice),
		cmocka_unit_test(test_losses_are_repaired),
		cmocka_unit_test(test_the_downlink_is_not_interrupted),
		cmocka_unit_test(test_both_cells_send_and_one_receives),
		cmocka_unit_test(test_what_the_source_still_sends_has_a_copy),
		cmocka_unit_test(test_legs_have_their_own_lcids),
		cmocka_unit_test(test_what_does_not_go_together),
		cmocka_unit_test(test_segments_of_a_new_entity_begin_with_0),
		cmocka_unit_test(test_the_controller_of_a_new_queue_begins_with_0),
		cmocka_unit_test(test_what_is_forwarded_at_last_goes_first),
		cmocka_unit_test(test_copies_take_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
