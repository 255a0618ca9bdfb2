/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bearer in AM and its HARQ, row by row: what is sent again and when, the end of a radio link,
 * and what goes on after it. A packet of 1000 bytes is 1002 with PDCP's header and 1004 with RLC's;
 * it is scheduled in one sub-frame, sent in the next and decoded a lead before the fourth from
 * there. Source: TS 36.322 5.2.1, 5.2.2; TS 36.321 5.3.2, 5.4.2
 */
#include "run.h"
#include "unit.h"

#define DOWN        (1 | CELL_PORT_NETWORK)
#define ALWAYS_LOST UINT32_MAX

struct row {
	int64_t t_us;
	enum cell_event event;
	uint8_t node;
	uint32_t sn;
	uint32_t bytes;
	int32_t value;
	uint8_t aux;
	uint32_t block;
};

static void setup(struct run *r)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.n_ue = 1;
	r->cfg.ue[0].peer = CELL_PEER_NETWORK;
	r->cfg.rlc.mode = CELL_RLC_AM;
	r->cfg.rlc.am.max_retx_threshold = 2;
}

static bool is_of_a_packet(enum cell_event event)
{
	return event == CELL_EV_PKT_IN || event == CELL_EV_PKT_OUT || event == CELL_EV_PKT_DROP ||
	       event == CELL_EV_RLC_TX;
}

/* All rows from @from_us on. */
static void check_rows(const struct run *r, int64_t from_us, const struct row *rows, size_t n)
{
	size_t i = 0;

	for (size_t k = 0; k < r->n_records; k++) {
		const struct cell_record *row = &r->records[k];

		if (row->t_ns < from_us * 1000)
			continue;
		assert_true(i < n);
		assert_int_equal(row->t_ns, rows[i].t_us * 1000);
		assert_int_equal(row->event, rows[i].event);
		assert_int_equal(row->node, rows[i].node);
		assert_int_equal(row->sn, rows[i].sn);
		assert_int_equal(row->bytes, rows[i].bytes);
		assert_int_equal(row->value, rows[i].value);
		assert_int_equal(row->aux, rows[i].aux);
		assert_int_equal(row->block, rows[i].block);
		assert_int_equal(row->peer, !row->node); /* the eNB and one UE */
		assert_int_equal(row->tag, row->pkt);    /* as run_push() counts */
		assert_int_equal(row->pkt > 0, is_of_a_packet((enum cell_event)row->event));
		i++;
	}
	assert_int_equal(i, n);
}

/* Polls every 45 ms, the third time without success as well. From then on both ends refuse packets.
 */
static void test_a_link_that_ends_for_good(void **state)
{
	static const struct row rows[] = {
		{ 0, CELL_EV_PKT_IN, 0, 0, 1000, 0, 0, 0 },
		{ 0, CELL_EV_BUFFER, 0, 0, 1002, 1, 0, 0 },
		{ 0, CELL_EV_GRANT, 0, 0, 1095, 1, 0, 0 },
		{ 1000, CELL_EV_RLC_TX, 0, 0, 1004, 1002, 1, 1 },
		{ 1000, CELL_EV_RLC_POLL, 0, 0, 0, 0, 0, 1 },
		{ 1000, CELL_EV_MAC_TX, 0, 1, 1095, 90, 0, 1 },
		{ 1000, CELL_EV_BUFFER, 0, 0, 0, 0, 0, 1 },
		{ 4750, CELL_EV_MAC_LOST, 1, 1, 1095, 0, 0, 1 },
		{ 46000, CELL_EV_T_POLL_RETRANSMIT, 0, 0, 0, 0, 0, 0 },
		{ 46000, CELL_EV_GRANT, 0, 0, 1095, 1, 0, 0 },
		{ 47000, CELL_EV_RLC_RETX, 0, 0, 1004, 0, 0, 2 },
		{ 47000, CELL_EV_RLC_POLL, 0, 0, 0, 0, 0, 2 },
		{ 47000, CELL_EV_MAC_TX, 0, 47, 1095, 90, 0, 2 },
		{ 47000, CELL_EV_BUFFER, 0, 0, 0, 0, 0, 2 },
		{ 50750, CELL_EV_MAC_LOST, 1, 47, 1095, 0, 0, 2 },
		{ 92000, CELL_EV_T_POLL_RETRANSMIT, 0, 0, 0, 0, 0, 0 },
		{ 92000, CELL_EV_GRANT, 0, 0, 1095, 1, 0, 0 },
		{ 93000, CELL_EV_RLC_RETX, 0, 0, 1004, 0, 1, 3 },
		{ 93000, CELL_EV_RLC_POLL, 0, 0, 0, 0, 0, 3 },
		{ 93000, CELL_EV_MAC_TX, 0, 93, 1095, 90, 0, 3 },
		{ 93000, CELL_EV_BUFFER, 0, 0, 0, 0, 0, 3 },
		{ 96750, CELL_EV_MAC_LOST, 1, 93, 1095, 0, 0, 3 },
		{ 138000, CELL_EV_T_POLL_RETRANSMIT, 0, 0, 0, 0, 0, 0 },
		{ 138000, CELL_EV_RADIO_LINK_FAILURE, 0, 0, 0, CELL_MAX_RETX_STOP, 0, 0 },
		{ 138000, CELL_EV_PKT_DROP, 0, 0, 1000, CELL_DROP_RADIO_LINK_FAILURE, 0, 0 },
		{ 200000, CELL_EV_PKT_IN, 0, 0, 1000, 0, 0, 0 },
		{ 200000, CELL_EV_PKT_DROP, 0, 0, 1000, CELL_DROP_RADIO_LINK_FAILURE, 0, 0 },
		{ 200000, CELL_EV_PKT_IN, 1, 0, 900, 0, 0, 0 },
		{ 200000, CELL_EV_PKT_DROP, 1, 0, 900, CELL_DROP_RADIO_LINK_FAILURE, 0, 0 },
	};
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.ue[0].bler_dl_q32 = ALWAYS_LOST;
	r.cfg.rlc.am.on_max_retx = CELL_MAX_RETX_STOP;
	run_start(&r);
	run_push(&r, DOWN, 1000, 0);
	run_push(&r, DOWN, 1000, MS(200));
	run_push(&r, 1, 900, MS(200));
	run_until(&r, RUN_FOREVER);
	check_rows(&r, 0, rows, COUNT(rows));
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.radio_link_failures, 1);
	assert_int_equal(stats.rlc_pdus_tx, 3); /* those sent again, too */
	assert_int_equal(stats.rlc_retx, 2);
	assert_int_equal(stats.mac_lost[CELL_DIR_DL], 3);
	assert_int_equal(stats.mac_pdus[CELL_DIR_DL], 3);
	assert_int_equal(stats.mac_bytes[CELL_DIR_DL], 3 * 1095);
	assert_int_equal(stats.mac_padding_bytes[CELL_DIR_DL], 3 * 90);
	assert_int_equal(stats.pkts_dropped[CELL_DROP_RADIO_LINK_FAILURE], 3);
	run_end(&r);
}

/* After an outage of 100 ms both ends start again, with what was not acknowledged. */
static void test_a_link_that_is_established_again(void **state)
{
	static const struct row rows[] = {
		{ 138000, CELL_EV_T_POLL_RETRANSMIT, 0, 0, 0, 0, 0, 0 },
		{ 138000, CELL_EV_RADIO_LINK_FAILURE, 0, 0, 0, CELL_MAX_RETX_REESTABLISH, 0, 0 },
		{ 140000, CELL_EV_PKT_IN, 1, 0, 50, 0, 0, 0 },
		{ 140000, CELL_EV_BUFFER, 1, 0, 52, 1, 0, 0 },
		{ 238000, CELL_EV_REESTABLISHED, 1, 0, 52, 1, 0, 0 },
		{ 238000, CELL_EV_REESTABLISHED, 0, 0, 1002, 1, 0, 0 },
		{ 238000, CELL_EV_GRANT, 0, 0, 1095, 1, 0, 0 },
		{ 238000, CELL_EV_RA_PREAMBLE, 1, 48, 0, 1, 0, 0 },
		{ 239000, CELL_EV_RLC_TX, 0, 0, 1004, 1002, 1, 4 },
		{ 239000, CELL_EV_RLC_POLL, 0, 0, 0, 0, 0, 4 },
		{ 239000, CELL_EV_MAC_TX, 0, 239, 1095, 90, 0, 4 },
		{ 239000, CELL_EV_BUFFER, 0, 0, 0, 0, 0, 4 },
		{ 241000, CELL_EV_RA_RESPONSE, 0, 48, 89, 2, 0, 0 },
		{ 242750, CELL_EV_MAC_LOST, 1, 239, 1095, 0, 0, 4 },
		{ 243000, CELL_EV_RLC_TX, 1, 0, 54, 52, 1, 5 },
		{ 243000, CELL_EV_RLC_POLL, 1, 0, 0, 0, 0, 5 },
		{ 243000, CELL_EV_BSR_TX, 1, 0, 0, 0, 0, 5 },
		{ 243000, CELL_EV_MAC_TX, 1, 243, 89, 29, 1, 5 },
		{ 243000, CELL_EV_BUFFER, 1, 0, 0, 0, 0, 5 },
		{ 246750, CELL_EV_MAC_RX, 0, 243, 89, 0, 0, 5 },
		{ 246750, CELL_EV_BSR_RX, 0, 0, 0, 0, 0, 5 },
		{ 246750, CELL_EV_RLC_RX, 0, 0, 54, 0, 0, 5 },
		{ 246750, CELL_EV_PKT_OUT, 0, 0, 50, 106750, 0, 5 },
	};
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.ue[0].bler_dl_q32 = ALWAYS_LOST;
	run_start(&r);
	run_push(&r, DOWN, 1000, 0);
	run_push(&r, 1, 50, MS(140)); /* waits for the end of the outage */
	run_until(&r, MS(247) - 1);
	check_rows(&r, 138000, rows, COUNT(rows));
	run_until(&r, MS(400));
	/* The next failure is as far from the new start as the first from its own. */
	assert_int_equal(run_find(&r, CELL_EV_RADIO_LINK_FAILURE, 0, 1)->t_ns, MS(238 + 138));
	run_end(&r);
}

/* Two attempts fail in any case, the third does not: 8 sub-frames apart, in both directions. */
static void test_blocks_come_again_by_harq(void **state)
{
	static const struct row rows[] = {
		{ 0, CELL_EV_PKT_IN, 0, 0, 1000, 0, 0, 0 },
		{ 0, CELL_EV_BUFFER, 0, 0, 1002, 1, 0, 0 },
		{ 0, CELL_EV_GRANT, 0, 0, 1095, 1, 0, 0 },
		{ 1000, CELL_EV_RLC_TX, 0, 0, 1004, 1002, 1, 1 },
		{ 1000, CELL_EV_RLC_POLL, 0, 0, 0, 0, 0, 1 },
		{ 1000, CELL_EV_MAC_TX, 0, 1, 1095, 90, 0, 1 },
		{ 1000, CELL_EV_BUFFER, 0, 0, 0, 0, 0, 1 },
		{ 4750, CELL_EV_HARQ_NACK, 1, 1, 1095, 1, 0, 1 },
		{ 9000, CELL_EV_HARQ_TX, 0, 9, 1095, 2, 0, 1 },
		{ 12750, CELL_EV_HARQ_NACK, 1, 9, 1095, 2, 0, 1 },
		{ 17000, CELL_EV_HARQ_TX, 0, 17, 1095, 3, 0, 1 },
		{ 20750, CELL_EV_MAC_RX, 1, 17, 1095, 0, 0, 1 },
		{ 20750, CELL_EV_RLC_RX, 1, 0, 1004, 0, 0, 1 },
		{ 20750, CELL_EV_PKT_OUT, 1, 0, 1000, 20750, 0, 1 },
		{ 21000, CELL_EV_RA_PREAMBLE, 1, 48, 0, 1, 0, 0 },
		{ 24000, CELL_EV_RA_RESPONSE, 0, 48, 89, 2, 0, 0 },
		{ 26000, CELL_EV_RLC_STATUS_TX, 1, 1, 2, 0, 0, 2 },
		{ 26000, CELL_EV_BSR_TX, 1, 0, 0, 0, 0, 2 },
		{ 26000, CELL_EV_MAC_TX, 1, 26, 89, 81, 1, 2 },
		{ 26000, CELL_EV_BUFFER, 1, 0, 0, 0, 0, 2 },
		{ 29750, CELL_EV_HARQ_NACK, 0, 26, 89, 1, 0, 2 },
		{ 34000, CELL_EV_HARQ_TX, 1, 34, 89, 2, 0, 2 },
		{ 37750, CELL_EV_HARQ_NACK, 0, 34, 89, 2, 0, 2 },
		{ 42000, CELL_EV_HARQ_TX, 1, 42, 89, 3, 0, 2 },
		{ 45750, CELL_EV_MAC_RX, 0, 42, 89, 0, 0, 2 },
		{ 45750, CELL_EV_BSR_RX, 0, 0, 0, 0, 0, 2 },
		{ 45750, CELL_EV_RLC_STATUS_RX, 0, 1, 2, 0, 0, 2 },
	};
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.harq.max_attempts = 4;
	r.cfg.harq.n_bler = 3;
	r.cfg.harq.bler_q32[0] = r.cfg.harq.bler_q32[1] = ALWAYS_LOST;
	r.cfg.harq.bler_q32[2] = 0;
	run_start(&r);
	run_push(&r, DOWN, 1000, 0);
	run_until(&r, RUN_FOREVER);
	check_rows(&r, 0, rows, COUNT(rows));
	cell_stats(r.cell, &stats);
	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
		assert_int_equal(stats.harq_retx[dir], 2);
		assert_int_equal(stats.harq_failures[dir], 0);
		assert_int_equal(stats.mac_lost[dir], 0);
	}
	assert_int_equal(stats.rlc_status_tx, 1);
	assert_int_equal(stats.rlc_status_rx, 1);
	assert_int_equal(stats.rlc_retx, 0);
	/* The first block of either process, in all its attempts. */
	for (size_t i = 0; i < r.n_pdus; i++)
		assert_int_equal(r.pdus[i].ndi, !r.pdus[i].preamble && r.pdus[i].rnti == 61);
	run_end(&r);
}

/* Without losses each packet has the SN after that of the one before. */
static void test_sequence_numbers(void **state)
{
	struct run r;

	(void)state;
	setup(&r);
	run_start(&r);
	for (int i = 0; i < 5; i++)
		run_push(&r, DOWN, 100, MS(5 * i));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 0, i)->sn, i);
		assert_int_equal(run_find(&r, CELL_EV_RLC_RX, 1, i)->sn, i);
		assert_int_equal(run_find(&r, CELL_EV_RLC_RX, 1, i)->bytes, 104);
	}
	run_end(&r);
}

/* What HARQ gives up RLC sends again. */
static void test_harq_gives_up(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	setup(&r);
	r.cfg.harq.max_attempts = 2;
	r.cfg.harq.n_bler = 1;
	r.cfg.harq.bler_q32[0] = ALWAYS_LOST;
	run_start(&r);
	run_push(&r, DOWN, 1000, 0);
	run_until(&r, MS(20));
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0)->t_ns, MS(13) - 250000);
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0)->sn, 9);
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0)->value, 2);
	assert_int_equal(run_find(&r, CELL_EV_HARQ_FAILURE, 1, 0)->aux, 0);
	assert_int_equal(run_find(&r, CELL_EV_MAC_LOST, 1, 0)->t_ns, MS(13) - 250000);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.harq_failures[CELL_DIR_DL], 1);
	assert_int_equal(stats.harq_retx[CELL_DIR_DL], 1);
	assert_int_equal(stats.mac_lost[CELL_DIR_DL], 1);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_link_that_ends_for_good),
		cmocka_unit_test(test_a_link_that_is_established_again),
		cmocka_unit_test(test_blocks_come_again_by_harq),
		cmocka_unit_test(test_sequence_numbers),
		cmocka_unit_test(test_harq_gives_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
