/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dedicated channel of the UTRAN: when PDUs go, what a discard does, what it refuses. */
#include "run.h"
#include "unit.h"

#define DOWN (1 | CELL_PORT_NETWORK)
#define HALF 0x80000000u
#define ALL  UINT32_MAX

static void defaults(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.system = CELL_SYSTEM_UTRAN;
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
}

/* 1040 bytes are 28 PDUs with 38 each: 28 TTIs at 32 kbit/s, 3 at 384 kbit/s. */
static void test_an_sdu_takes_as_many_ttis_as_its_pdus(void **state)
{
	static const struct {
		uint32_t rate_bps;
		int ttis;
	} rates[] = { { 32000, 28 }, { 128000, 7 }, { 384000, 3 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct run r;

		defaults(&r);
		r.cfg.utran.dl_rate_bps = rates[i].rate_bps;
		run_start(&r);
		run_push(&r, DOWN, 1040, MS(1));
		run_until(&r, RUN_FOREVER);
		assert_int_equal(r.n_delivered, 1);
		assert_int_equal(r.delivered[0].ue, 1);
		/* Waits for the next TTI. */
		assert_int_equal(r.delivered[0].t_ns, MS(10 + 10 * rates[i].ttis));
		assert_int_equal(run_count(&r, CELL_EV_RLC_RX, 1), 28);
		assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->peer, 1);
		assert_int_equal(run_find(&r, CELL_EV_PKT_IN, CELL_NODE_ENB, 0)->bytes, 1040);
		run_end(&r);
	}
}

/* A caller that sleeps until the next announced output misses none, however much of the SDU has
 * gone. */
static void test_nothing_leaves_before_it_was_announced(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.utran.dl_rate_bps = 32000;
	run_start(&r);
	run_push(&r, DOWN, 1040, MS(1));
	for (int64_t t_ns = MS(1); t_ns < MS(290); t_ns += MS(10)) {
		run_until(&r, t_ns);
		assert_int_equal(r.n_delivered, 0);
		assert_true(cell_next_output(r.cell) - RUN_START_NS <= MS(290));
	}
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].t_ns, MS(290));
	run_end(&r);
}

static void test_delay_comes_on_top(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.utran.delay_ms = 15;
	run_start(&r);
	run_push(&r, 1, 30, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].ue, DOWN);
	assert_int_equal(r.delivered[0].t_ns, MS(25));
	/* The PDU polls: its STATUS PDU goes down in the TTI after, and is there at 55 ms. */
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, CELL_NODE_ENB, 0)->t_ns, MS(30));
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_RX, 1, 0)->t_ns, MS(55));
	run_end(&r);
}

/* Transport blocks have one size: what a report does not fill, 40 bytes but for its own, is
 * padding. */
static void test_padding_of_reports(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	defaults(&r);
	run_start(&r);
	for (int i = 0; i < 3; i++)
		run_push(&r, 1, 30, MS(1000 * i));
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &s);
	assert_int_equal(s.rlc_status_tx, 3);
	assert_int_equal(s.rlc_status_rx, 3);
	assert_int_equal(s.rlc_pdus_tx, 3);
	assert_int_equal(s.rlc_pdus_rx, 3);
	assert_int_equal(s.rlc_retx, 0);
	/* A PDU type and the two SUFIs of an acknowledgment: 4 + 4 + 4 + 12 bits. */
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, CELL_NODE_ENB, 0)->bytes, 3);
	assert_int_equal(s.mac_padding_bytes[CELL_DIR_DL], 3 * (40 - 3));
	assert_int_equal(s.mac_padding_bytes[CELL_DIR_UL], 0);
	assert_int_equal(s.mac_bytes[CELL_DIR_DL], 3 * 40);
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++)
		assert_int_equal(s.mac_pdus[dir], 3);
	run_end(&r);
}

/* The downlink loses everything: nothing to report, Timer_Poll sends again until MaxDAT, then an
 * MRW. */
static void test_max_dat_transmissions_then_discard(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.utran.max_dat = 3;
	r.cfg.utran.bler_dl_q32 = ALL;
	run_start(&r);
	run_push(&r, DOWN, 30, 0);
	run_until(&r, MS(1000));
	assert_int_equal(run_count(&r, CELL_EV_RLC_TX, CELL_NODE_ENB), 1);
	assert_int_equal(run_count(&r, CELL_EV_RLC_RETX, CELL_NODE_ENB), 2);
	/* Timer_Poll of 85 ms, then the next TTI. */
	assert_int_equal(run_find(&r, CELL_EV_T_POLL_RETRANSMIT, CELL_NODE_ENB, 0)->t_ns, MS(85));
	assert_int_equal(run_find(&r, CELL_EV_RLC_RETX, CELL_NODE_ENB, 0)->t_ns, MS(90));
	assert_int_equal(run_find(&r, CELL_EV_RLC_RETX, CELL_NODE_ENB, 1)->aux, 3);
	assert_int_equal(run_find(&r, CELL_EV_RLC_DISCARD, CELL_NODE_ENB, 0)->t_ns, MS(265));
	assert_int_equal(run_find(&r, CELL_EV_RLC_DISCARD, CELL_NODE_ENB, 0)->pkt, 1);
	/* The MRW is not answered: again after Timer_MRW. */
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, CELL_NODE_ENB, 0)->t_ns, MS(270));
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, CELL_NODE_ENB, 0)->aux, 1);
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, CELL_NODE_ENB, 1)->t_ns, MS(370));
	assert_int_equal(r.n_dropped, 0);
	run_end(&r);
	assert_int_equal(r.n_delivered, 0);
}

/* An SDU of 38 bytes up is a full PDU and one that holds only its end, in whose padding the report
 * for the downlink's PDU waits to go: 40 ms later than the one, 10 ms later than the other. */
static void test_a_report_waits_for_padding(void **state)
{
	static const struct {
		enum cell_status status;
		int64_t t_ns;
		uint64_t mac_pdus;
	} ways[] = { { CELL_STATUS_BLOCK, MS(10), 3 },
		     { CELL_STATUS_PIGGYBACK, MS(20), 2 },
		     { CELL_STATUS_CHANNEL, MS(10), 3 } };

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		const struct cell_record *report;
		struct cell_stats s;
		struct run r;

		defaults(&r);
		r.cfg.utran.status = ways[i].status;
		run_start(&r);
		run_push(&r, DOWN, 30, 0);
		run_push(&r, 1, 38, MS(5));
		run_until(&r, RUN_FOREVER);
		report = run_find(&r, CELL_EV_RLC_STATUS_TX, 1, 0);
		assert_int_equal(report->t_ns, ways[i].t_ns);
		assert_int_equal(report->aux, ways[i].status == CELL_STATUS_PIGGYBACK ? 2 : 0);
		assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_RX, CELL_NODE_ENB, 0)->t_ns,
		                 ways[i].t_ns + MS(10));
		/* In a block of its own it makes the packet wait, beside the data it does not. */
		assert_int_equal(r.delivered[1].t_ns,
		                 ways[i].status == CELL_STATUS_BLOCK ? MS(40) : MS(30));
		cell_stats(r.cell, &s);
		assert_int_equal(s.mac_pdus[CELL_DIR_UL], ways[i].mac_pdus);
		run_end(&r);
	}
}

/* Full PDUs have no room: after a TTI the report takes a block all the same. */
static void test_a_report_does_not_wait_for_ever(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	run_start(&r);
	run_push(&r, DOWN, 30, 0);
	run_push(&r, 1, 380, MS(5));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, 1, 0)->t_ns, MS(10));
	assert_int_equal(run_find(&r, CELL_EV_RLC_STATUS_TX, 1, 0)->aux, 0);
	run_end(&r);
}

static void test_losses_in_both_directions(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.utran.bler_dl_q32 = r.cfg.utran.bler_ul_q32 = HALF / 2;
	r.cfg.utran.max_dat = 40;
	run_start(&r);
	for (int i = 0; i < 50; i++) {
		run_push(&r, DOWN, 1040, MS(100 * i));
		run_push(&r, 1, 40, MS(100 * i));
	}
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &s);
	assert_int_equal(s.pkts_delivered, 100);
	assert_true(s.mac_lost[CELL_DIR_DL] > 200 && s.mac_lost[CELL_DIR_UL] > 20);
	/* STATUS PDUs get lost, too. */
	assert_true(s.rlc_status_rx < s.rlc_status_tx);
	run_end(&r);
}

static void test_commands_are_refused(void **state)
{
	const struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	struct run r;

	(void)state;
	defaults(&r);
	run_start(&r);
	assert_int_equal(run_cmd(&r, &cmd, 0), -EINVAL);
	run_end(&r);
}

static void test_full_queue_drops(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.utran.queue_pkts = 3;
	run_start(&r);
	for (int i = 0; i < 5; i++)
		run_push(&r, DOWN, 1500, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 3);
	assert_int_equal(r.n_dropped, 2);
	assert_int_equal(r.dropped[0].reason, CELL_DROP_QUEUE_FULL);
	run_end(&r);
}

/* Each has its own channel: both packets take as long as one alone, and rows tell whose they are.
 */
static void test_ues_do_not_share(void **state)
{
	struct run r;

	(void)state;
	defaults(&r);
	r.cfg.n_ue = 2;
	r.cfg.ue[1].peer = CELL_PEER_NETWORK;
	r.cfg.utran.dl_rate_bps = 32000;
	run_start(&r);
	run_push(&r, 2 | CELL_PORT_NETWORK, 1040, MS(1));
	run_push(&r, 1 | CELL_PORT_NETWORK, 1040, MS(1));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(r.delivered[i].t_ns, MS(290));
		assert_int_equal(r.delivered[i].ue, i + 1);
		assert_int_equal(run_count(&r, CELL_EV_RLC_RX, (uint8_t)(i + 1)), 28);
	}
	run_end(&r);
}

#define REFUSED(name, value, who)                                                                  \
	do {                                                                                       \
		defaults(&r);                                                                      \
		r.cfg.name = (value);                                                              \
		assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);                 \
		assert_string_equal(field, who);                                                   \
	} while (0)

static void test_what_is_refused(void **state)
{
	const char *field, *range;
	struct run r;

	(void)state;
	defaults(&r);
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), 0);
	REFUSED(utran.dl_rate_bps, 33000, "utran.dl_rate_bps");
	REFUSED(utran.dl_rate_bps, 65 * 32000, "utran.dl_rate_bps");
	REFUSED(utran.ul_rate_bps, 0, "utran.ul_rate_bps");
	REFUSED(utran.ul_rate_bps, 65 * 32000, "utran.ul_rate_bps");
	r.cfg.utran.ul_rate_bps = 64 * 32000;
	r.cfg.utran.dl_rate_bps = 64 * 32000;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), 0);
	r.cfg.utran.dl_rate_bps = 33000;
	assert_int_equal(cell_cfg_check(&r.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "utran.dl_rate_bps");
	REFUSED(utran.tti_ms, 15, "utran.tti_ms");
	REFUSED(utran.pdu_bytes, 7, "utran.pdu_bytes");
	REFUSED(utran.max_dat, 0, "utran.max_dat");
	REFUSED(ue[0].peer, 2, "peer");
	REFUSED(n_ue, 2, "peer"); /* the other UE's */
	REFUSED(n_enb, 2, "n_enb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_sdu_takes_as_many_ttis_as_its_pdus),
		cmocka_unit_test(test_nothing_leaves_before_it_was_announced),
		cmocka_unit_test(test_delay_comes_on_top),
		cmocka_unit_test(test_padding_of_reports),
		cmocka_unit_test(test_max_dat_transmissions_then_discard),
		cmocka_unit_test(test_a_report_waits_for_padding),
		cmocka_unit_test(test_a_report_does_not_wait_for_ever),
		cmocka_unit_test(test_losses_in_both_directions),
		cmocka_unit_test(test_commands_are_refused),
		cmocka_unit_test(test_full_queue_drops),
		cmocka_unit_test(test_ues_do_not_share),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
