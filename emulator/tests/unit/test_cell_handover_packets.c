/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets at handovers: what becomes of them at both ends. Messages and tunnels take 4 ms one way.
 * Source: TS 36.300 10.1.2.3; TS 36.322 5.4; TS 36.323 5.2; Pacifico, Figure 5
 */
#include "handover.h"

static void test_am_loses_nothing_in_either_direction(void **state)
{
	static const enum cell_ho_procedure procedures[] = { CELL_HO_STANDARD,
		                                             CELL_HO_FAST_PATH_SWITCH,
		                                             CELL_HO_PREDICTION };

	(void)state;
	for (size_t i = 0; i < COUNT(procedures); i++) {
		struct run r;

		start(&r, CELL_RLC_AM, procedures[i]);
		for (int t = 0; t < 300; t += 3) {
			if (t == 51)
				handover(&r, 1, MS(t));
			run_push(&r, DOWN, 1000, MS(t));
			run_push(&r, 1, 1000, MS(t));
		}
		run_until(&r, RUN_FOREVER);
		check_order(&r, 1, 100);
		check_order(&r, SGW, 100);
		/* Copies of what the UE had already, and no other drop. */
		for (size_t k = 0; k < r.n_dropped; k++)
			assert_int_equal(r.dropped[k].reason, CELL_DROP_DUPLICATE);
		run_end(&r);
	}
}

/*
 * A queue of 1000-byte packets, of which RLC has sent some. Those that are not acknowledged go
 * first, with their SN; those that were started keep theirs, the rest get one at the target.
 */
static void test_what_the_source_forwards(void **state)
{
	uint32_t numbered = 0, fresh = 0, sn = 0;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.rlc.am.poll_pdu = 1000; /* no acknowledgment */
	r.cfg.rlc.am.poll_byte = 1000000;
	run_start(&r);
	for (int i = 0; i < 60; i++)
		run_push(&r, DOWN, 1000, MS(40));
	handover(&r, 1, MS(41));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->event != CELL_EV_HO_FORWARD)
			continue;
		assert_int_equal(row->t_ns, MS(49));
		assert_int_equal(row->bytes, 1000);
		assert_int_equal(row->aux, 1);
		assert_int_equal(row->enb, 0);
		assert_int_equal(row->dir, CELL_DIR_DL);
		assert_int_equal(row->peer, 1);
		if (row->value) {
			assert_int_equal(fresh, 0);
			assert_int_equal(row->sn, sn++);
			numbered++;
		} else {
			assert_int_equal(row->sn, 0);
			fresh++;
		}
	}
	assert_int_equal(numbered + fresh, 60);
	/* From 44 ms on four blocks and a half of 1000 bytes, to the last byte of a sub-frame. */
	assert_in_range(numbered, 5, 20);
	check_order(&r, 1, 60);
	run_end(&r);
}

/* SDUs that the UE has and did not acknowledge are copied, and without a report the UE drops them.
 */
static void test_copies_are_dropped_as_duplicates(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.rlc.am.poll_pdu = 1000;
	r.cfg.rlc.am.poll_byte = 1000000;
	r.cfg.rlc.am.t_status_prohibit_ms = 500;
	r.cfg.pdcp.status_report = 0;
	run_start(&r);
	stream(&r, DOWN, 0, 40, 5);
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	/* The first packet polled, as nothing followed it; so did others, in the time of
	 * prohibition. */
	assert_true(stats.pkts_dropped[CELL_DROP_DUPLICATE] > 0);
	assert_int_equal(stats.pkts_originated, stats.pkts_dropped[CELL_DROP_DUPLICATE] + 1);
	assert_int_equal(stats.pkts_terminated, 1); /* the End Marker, which went on on X2 */
	/* The End Marker and the copies have numbers of their own. */
	for (size_t k = 0; k < r.n_dropped; k++)
		assert_int_equal(r.dropped[k].pkt, r.dropped[0].pkt + k);
	assert_true(r.dropped[0].pkt > 8);
	check_order(&r, 1, 8);
	run_end(&r);
}

/* By its report, the first thing that the UE sends to the target, that drops copies which wait for
 * a slow downlink, and only those that were faster are sent once more. */
static void test_a_report_saves_copies(void **state)
{
	uint64_t copies[2], sent[2] = { 0 };

	(void)state;
	for (uint8_t reports = 0; reports < 2; reports++) {
		struct cell_stats stats;
		struct run r;

		setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		r.cfg.rlc.am.poll_pdu = 1000;
		r.cfg.rlc.am.poll_byte = 1000000;
		r.cfg.rlc.am.t_status_prohibit_ms = 500;
		r.cfg.pdcp.status_report = reports;
		r.cfg.ue[0].cqi_dl = 4;
		run_start(&r);
		run_push(&r, DOWN, 1000, 0); /* its poll is answered, others are not */
		for (int i = 0; i < 20; i++)
			run_push(&r, DOWN, 1000, MS(10));
		handover(&r, 1, MS(50));
		run_until(&r, RUN_FOREVER);
		cell_stats(r.cell, &stats);
		copies[reports] = stats.pkts_dropped[CELL_DROP_DUPLICATE];
		for (size_t i = 0; i < r.n_records; i++) /* ends of SDUs */
			sent[reports] += r.records[i].event == CELL_EV_RLC_TX &&
			                 r.records[i].dir == CELL_DIR_DL && r.records[i].aux;
		check_order(&r, 1, 21);
		run_end(&r);
	}
	assert_true(copies[0] >= 15);
	assert_int_equal(copies[1], copies[0]);
	assert_int_equal(sent[0], 21 + copies[0]);
	assert_true(sent[1] + 5 <= sent[0]);
}

/* SNs come round: by the report of the first handover the UE has what it never got. */
static void test_a_report_is_of_one_handover(void **state)
{
	struct cell_stats stats;
	struct run r;
	int n = 10;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	stream(&r, DOWN, 0, 50, 5);
	handover(&r, 1, MS(50));
	for (int t = 200; t < 700; t++)
		for (int i = 0; i < 6; i++, n++)
			run_push(&r, DOWN, 60, MS(t));
	handover(&r, 0, MS(699) + MS(1) / 2);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.handovers, 2);
	check_order(&r, 1, (size_t)n);
	run_end(&r);
}

/* In UM what is started or on the air is lost, and SNs start again: all that was forwarded arrives.
 */
static void test_um_loses_what_was_begun(void **state)
{
	struct cell_stats stats;
	uint64_t lost;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_UM, CELL_HO_STANDARD);
	for (int i = 0; i < 60; i++) {
		run_push(&r, DOWN, 1000, MS(40));
		run_push(&r, 1, 1000, MS(40));
	}
	handover(&r, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	lost = stats.pkts_dropped[CELL_DROP_HANDOVER];
	assert_true(lost > 2 && lost <= 2 * 5 * 5);
	assert_int_equal(r.n_delivered, 120 - lost);
	check_order(&r, 1, run_count(&r, CELL_EV_PKT_OUT, 1));
	assert_int_equal(stats.pkts_originated, 1);
	for (size_t i = 0; i < r.n_dropped; i++)
		assert_int_equal(r.dropped[i].t_ns, MS(58));
	for (size_t i = 0; i < r.n_records; i++)
		if (r.records[i].event == CELL_EV_PKT_DROP)
			assert_int_equal(r.records[i].dir, r.records[i].tag & CELL_PORT_NETWORK
			                                           ? CELL_DIR_DL
			                                           : CELL_DIR_UL);
	run_end(&r);
}

/* Each packet that comes to the target before the UE is a row, and so is their end. */
static void test_what_the_target_holds(void **state)
{
	static const struct {
		int64_t t_ms;
		int32_t pkts;
	} rows[] = { { 70 + 8, 1 }, { 73 + 8, 2 }, { 88, 0 } };
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	handover(&r, 1, MS(50));
	run_push(&r, DOWN, 500, MS(70));
	run_push(&r, DOWN, 500, MS(73));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->t_ns, MS(74));
	assert_true(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->bytes > 500); /* in a tunnel */
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->tag,
	                 run_find(&r, CELL_EV_PKT_IN, SGW, 0)->tag);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->dir, CELL_DIR_DL);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->pkt, 2); /* 1: the UE's report */
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->bytes, 500);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->peer, 1);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, SGW, 0)->dir, CELL_DIR_DL);
	assert_int_equal(run_count(&r, CELL_EV_HO_HOLD, 0), COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cell_record *row = run_find(&r, CELL_EV_HO_HOLD, 0, i);

		assert_int_equal(row->t_ns, MS(rows[i].t_ms));
		assert_int_equal(row->value, rows[i].pkts);
		assert_int_equal(row->bytes, 500 * rows[i].pkts);
		assert_int_equal(row->enb, 1);
		assert_int_equal(row->peer, 1);
		assert_int_equal(row->dir, CELL_DIR_DL);
	}
	check_order(&r, 1, 2);
	run_end(&r);
}

/* A radio link that has failed starts again in the new cell, not when its outage would be over. */
static void test_a_failed_link_leaves_its_cell(void **state)
{
	int64_t failure_ns;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.ue[0].bler_dl_q32 = UINT32_MAX;
	r.cfg.rlc.am.max_retx_threshold = 1;
	r.cfg.rlc.am.reestablish_ms = 500;
	run_start(&r);
	run_push(&r, DOWN, 500, 0);
	run_until(&r, MS(150));
	failure_ns = run_find(&r, CELL_EV_RADIO_LINK_FAILURE, 0, 0)->t_ns;
	handover(&r, 1, MS(200));
	run_until(&r, failure_ns + MS(501));
	assert_int_equal(run_count(&r, CELL_EV_REESTABLISHED, 0), 0);
	assert_true(run_find(&r, CELL_EV_RADIO_LINK_FAILURE, 0, 1)->enb == 1);
	run_end(&r);
}

/* From detachment to synchronisation nothing is sent by the UE or to it, new or again. */
static void check_silence(const struct run *r)
{
	bool away = false;

	for (size_t i = 0; i < r->n_records; i++) {
		const struct cell_record *row = &r->records[i];

		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_DETACH)
			away = true;
		if (row->event == CELL_EV_RRC && row->value == CELL_RRC_SYNCHRONISED)
			away = false;
		if (row->event == CELL_EV_HARQ_TX || row->event == CELL_EV_MAC_TX)
			assert_false(away);
	}
}

/* Blocks that are on the air when a UE leaves are given back each time. */
static void test_a_hundred_handovers(void **state)
{
	(void)state;
	for (int mode = CELL_RLC_UM; mode <= CELL_RLC_AM; mode++) {
		struct cell_stats stats;
		struct run r;

		setup(&r, (enum cell_rlc_mode)mode, CELL_HO_STANDARD);
		r.cfg.harq.max_attempts = mode == CELL_RLC_AM ? 4 : 1; /* with blocks that wait */
		r.cfg.harq.bler_q32[0] = UINT32_MAX / 2;
		run_start(&r);
		for (int t = 0; t < 20000; t += 2) {
			if (t % 200 == 100)
				handover(&r, t / 200 % 2 == 0, MS(t));
			run_push(&r, DOWN, 200, MS(t));
			run_push(&r, 1, 200, MS(t));
		}
		run_until(&r, RUN_FOREVER);
		cell_stats(r.cell, &stats);
		assert_int_equal(stats.handovers, 100);
		check_silence(&r);
		if (mode == CELL_RLC_AM) {
			check_order(&r, 1, 10000);
			check_order(&r, SGW, 10000);
		}
		run_end(&r);
	}
}

/* The end comes while packets are held at the target, one for its UE, one behind others. */
static void test_the_end_gives_back_what_is_held(void **state)
{
	(void)state;
	for (int64_t end_ms = 85; end_ms <= 105; end_ms += 20) {
		struct run r;

		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		handover(&r, 1, MS(50));
		run_push(&r, DOWN, 500, MS(end_ms == 85 ? 70 : 99));
		run_until(&r, MS(end_ms));
		assert_int_equal(run_find(&r, CELL_EV_HO_HOLD, 0, 0)->value, 1);
		run_end(&r);
		assert_int_equal(r.n_delivered, 0);
	}
}

static void test_without_forwarding_the_source_drops(void **state)
{
	struct cell_stats stats;
	size_t lost = 0;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	r.cfg.handover.forwarding = 0;
	run_start(&r);
	stream(&r, DOWN, 60, 90, 3);
	handover(&r, 1, MS(90));
	stream(&r, DOWN, 102, 150, 3);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	/* What comes to the source from the command at 98 ms to the switch at 138, before which
	 * comes a packet of that time; and copies. */
	for (size_t i = 0; i < r.n_dropped; i++) {
		assert_int_equal(r.dropped[i].reason, CELL_DROP_HANDOVER);
		lost += r.dropped[i].tag != 0;
	}
	assert_int_equal(lost, 13);
	assert_int_equal(stats.gtpu_tx[CELL_TUNNEL_X2], 0);
	assert_int_equal(stats.pkts_terminated, 2); /* the End Marker and the UE's report */
	check_order(&r, 1, 10 + 16 - 13);
	run_end(&r);
}

/* Packets of UE 1 that came out of @port by the bearer of those with a DSCP or of the others: in
 * order, and after @from_ns too. Return: how many. */
static size_t came_in_order(const struct run *r, uint8_t port, bool with_dscp, int64_t from_ns)
{
	uint64_t before = 0;
	int64_t last_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_delivered; i++) {
		const struct run_pkt *p = &r->delivered[i];

		if (p->ue != port || (p->tag >> 8 & 1) != with_dscp)
			continue;
		assert_true(p->tag > before);
		before = p->tag;
		last_ns = p->t_ns;
		n++;
	}
	assert_true(last_ns > from_ns);
	return n;
}

/* Of one UE the AM bearer loses nothing and the UM bearer what was on the air, whatever the other
 * does. */
static void test_am_and_um_bearers_together(void **state)
{
	struct cell_bearer_cfg um;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	um = cell_cfg_bearer(&r.cfg);
	um.ue = 1;
	um.rlc.mode = CELL_RLC_UM;
	um.n_filters = 1;
	um.filter[0] = (struct cell_filter){ .dscp = RUN_DSCP };
	r.cfg.bearer = &um;
	r.cfg.n_bearers = 1;
	run_start(&r);
	for (int t = 0; t < 300; t += 3) { /* by turns of both bearers, each way */
		if (t == 51)
			handover(&r, 1, MS(t));
		run_push(&r, DOWN, 1000, MS(t));
		run_push(&r, DOWN, 1000, MS(t));
		run_push(&r, 1, 1000, MS(t));
		run_push(&r, 1, 1000, MS(t));
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(came_in_order(&r, 1, false, MS(250)), 100);
	assert_int_equal(came_in_order(&r, SGW, false, MS(250)), 100);
	assert_in_range(came_in_order(&r, 1, true, MS(250)), 90, 100);
	assert_in_range(came_in_order(&r, SGW, true, MS(250)), 90, 100);
	for (size_t k = 0; k < r.n_dropped; k++)
		assert_true(r.dropped[k].tag >> 8 & 1 ||
		            r.dropped[k].reason == CELL_DROP_DUPLICATE);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_am_loses_nothing_in_either_direction),
		cmocka_unit_test(test_what_the_source_forwards),
		cmocka_unit_test(test_copies_are_dropped_as_duplicates),
		cmocka_unit_test(test_a_report_saves_copies),
		cmocka_unit_test(test_a_report_is_of_one_handover),
		cmocka_unit_test(test_um_loses_what_was_begun),
		cmocka_unit_test(test_what_the_target_holds),
		cmocka_unit_test(test_a_failed_link_leaves_its_cell),
		cmocka_unit_test(test_a_hundred_handovers),
		cmocka_unit_test(test_the_end_gives_back_what_is_held),
		cmocka_unit_test(test_without_forwarding_the_source_drops),
		cmocka_unit_test(test_am_and_um_bearers_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
