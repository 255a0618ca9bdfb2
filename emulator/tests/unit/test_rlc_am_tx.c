/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter: new PDUs, polling, t-PollRetransmit.
 * Source: TS 36.322 5.1.3.1, 5.2.2; variables are named as there.
 */
#include "am_sender.h"

/* --- new PDUs --- */

/* 100 bytes in PDUs of at most 42: header 2, so 40 + 40 + 20. */
static void test_segmentation(void **state)
{
	static const uint8_t fi[] = { RLC_FI_LAST_CONTINUES, 3, RLC_FI_FIRST_CONTINUES };

	(void)state;
	setup();
	push(0, 1, 100);
	for (uint16_t sn = 0; sn < 3; sn++) {
		assert_int_equal(transmit(42), sn < 2 ? 42 : 22);
		assert_false(built.retx);
		assert_false(am.rf);
		assert_int_equal(am.sn, sn);
		assert_int_equal(am.fi, fi[sn]);
		assert_int_equal(am.n, 1);
		assert_int_equal(am.poll, sn == 2);
	}
	assert_int_equal(tx.vt_s, 3);
	assert_int_equal(tx.vt_a, 0);
	assert_int_equal(pool.n_free, POOL_PDUS - 3);
	assert_int_equal(transmit(ROOM), 0);
}

/* Header and a byte of data need three bytes; without them no SN is used. */
static void test_no_room(void **state)
{
	(void)state;
	setup();
	push(0, 1, 30);
	for (uint32_t max = 0; max <= 2; max++)
		assert_int_equal(transmit(max), 0);
	assert_int_equal(tx.vt_s, 0);
	assert_int_equal(transmit(3), 3);
}

/* --- polling: TS 36.322 5.2.2.1 --- */

/* pollPDU 4: the fourth and the eighth of nine, and the last, which empties the buffer. */
static void test_poll_pdu(void **state)
{
	(void)state;
	setup_polls(4, NEVER_POLL, 8);
	push(0, 9, 20);
	for (uint16_t sn = 0; sn < 9; sn++) {
		(void)transmit(22);
		assert_int_equal(am.poll, sn == 3 || sn == 7 || sn == 8);
	}
}

/* pollByte 100 with 25 bytes each: the fourth; with 26 the fourth again (78 are not enough). */
static void test_poll_byte(void **state)
{
	(void)state;
	for (uint16_t len = 25; len <= 26; len++) {
		setup_polls(NEVER_POLL, 100, 8);
		push(0, 10, len);
		for (uint16_t sn = 0; sn < 9; sn++) {
			(void)transmit(len + 2u);
			assert_int_equal(am.poll, sn == 3 || sn == 7);
		}
	}
}

/* Any poll sets both counters to 0: here the one of an empty buffer. */
static void test_poll_resets_counters(void **state)
{
	(void)state;
	setup_polls(3, 60, 8);
	transmit_new(2, 20);
	assert_true(am.poll);
	assert_int_equal(tx.pdu_without_poll, 0);
	assert_int_equal(tx.byte_without_poll, 0);
	push(2, 4, 19);
	for (uint16_t sn = 2; sn < 5; sn++) {
		(void)transmit(21);
		assert_int_equal(am.poll, sn == 4); /* 57 bytes, but three PDUs */
	}
}

/* Retransmitted bytes are not new ones: neither counter counts them. */
static void test_retransmission_is_not_counted(void **state)
{
	(void)state;
	setup_polls(100, 1000, 8);
	push(0, 3, 20);
	(void)transmit(22);
	(void)transmit(22);
	nack(0);
	(void)transmit(22);
	assert_true(built.retx);
	assert_false(am.poll); /* an SDU waits still */
	assert_int_equal(tx.pdu_without_poll, 2);
	assert_int_equal(tx.byte_without_poll, 40);
}

/* The poll is in the last retransmission when both buffers are empty after it. */
static void test_poll_after_last_retransmission(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 2, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(4, 20);
	assert_int_equal(status(4, 2, nacks), 0);
	assert_int_equal(transmit(ROOM), 22);
	assert_false(am.poll);
	assert_int_equal(transmit(ROOM), 22);
	assert_true(am.poll);
	assert_int_equal(tx.poll_sn, 3); /* VT(S) - 1, not the PDU that polls */
}

/* AM_Window_Size 512: SN 511 fills the window, polls, and nothing new follows. */
static void test_window_stall(void **state)
{
	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++) {
		assert_false(rlc_am_tx_stalled(&tx));
		(void)transmit(22);
		assert_int_equal(am.sn, sn);
		assert_int_equal(am.poll, sn == AM_WINDOW - 1);
	}
	assert_true(rlc_am_tx_stalled(&tx));
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
	assert_int_equal(transmit(22), 0);
	ack(2); /* room for two: the second one polls */
	assert_int_equal(rlc_am_tx_bytes(&tx), 88 * 20);
	(void)transmit(22);
	assert_false(am.poll);
	(void)transmit(22);
	assert_int_equal(am.sn, 513);
	assert_true(am.poll);
	assert_int_equal(transmit(22), 0);
}

/* While the window is stalled every PDU polls, retransmissions too: no new one can follow. */
static void test_poll_while_stalled(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 5, .so_end = AM_SO_END } };

	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	assert_int_equal(status(6, 2, nacks), 0);
	(void)transmit(22);
	assert_true(built.retx);
	assert_true(am.poll);
	(void)transmit(22);
	assert_true(built.retx);
	assert_true(am.poll);
	assert_int_equal(tx.poll_sn, AM_WINDOW - 1);
}

/* --- t-PollRetransmit: TS 36.322 5.2.2.2, 5.2.2.3 --- */

/* Started by a poll, restarted by the next one. */
static void test_timer_runs(void **state)
{
	(void)state;
	setup();
	push(0, 1, 20);
	(void)send_at(ROOM, 100);
	assert_int_equal(tx.expiry_ns, 100 + T_POLL_NS);
	assert_int_equal(tx.poll_sn, 0);
	push(1, 1, 20);
	(void)send_at(ROOM, 120);
	assert_int_equal(tx.expiry_ns, 120 + T_POLL_NS);
	assert_int_equal(tx.poll_sn, 1);
}

/* Only what tells something about POLL_SN stops it: ACK_SN beyond it, also with a NACK of it. */
static void test_timer_stops(void **state)
{
	(void)state;
	setup();
	transmit_new(3, 20);
	assert_int_equal(tx.poll_sn, 2);
	ack(2);
	assert_int_equal(tx.expiry_ns, T_POLL_NS);
	nack(2);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	(void)send_at(ROOM, 10);
	assert_int_equal(tx.expiry_ns, 10 + T_POLL_NS);
	ack(3);
	expect_all_free();
}

/* Nothing else to send: the PDU with SN VT(S) - 1 goes again and polls. */
static void test_timer_expires(void **state)
{
	(void)state;
	setup();
	transmit_new(3, 20);
	rlc_am_tx_expire(&tx);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	assert_int_equal(send_at(ROOM, 50), 22);
	assert_true(built.retx);
	assert_int_equal(am.sn, 2);
	assert_true(am.poll);
	assert_int_equal(tx.expiry_ns, 50 + T_POLL_NS);
	assert_int_equal(transmit(ROOM), 0);
}

/* VT(S) - 1 was acknowledged already: another one that was not. */
static void test_timer_expires_last_acked(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(4, 20);
	assert_int_equal(status(4, 1, nacks), 0);
	(void)transmit(ROOM);
	rlc_am_tx_expire(&tx);
	assert_int_equal(transmit(ROOM), 22);
	assert_int_equal(am.sn, 1);
}

/* New data can go: no retransmission, the next new PDU polls. */
static void test_timer_expires_with_data(void **state)
{
	(void)state;
	setup();
	transmit_new(1, 20);
	push(1, 3, 20);
	rlc_am_tx_expire(&tx);
	(void)transmit(22);
	assert_false(built.retx);
	assert_true(am.poll);
	(void)transmit(22);
	assert_false(am.poll);
}

/* With a stalled window there are data but none can go: VT(S) - 1 again. */
static void test_timer_expires_stalled(void **state)
{
	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	rlc_am_tx_expire(&tx);
	assert_int_equal(transmit(22), 22);
	assert_true(built.retx);
	assert_int_equal(am.sn, AM_WINDOW - 1);
	assert_true(am.poll);
}

/* Also when others wait to be sent again: behind them, with no data of its own lost. */
static void test_timer_expires_stalled_and_pending(void **state)
{
	static const struct am_nack oldest = { .sn = 0, .so_end = AM_SO_END };

	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	assert_int_equal(status(1, 1, &oldest), 0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	rlc_am_tx_expire(&tx);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	(void)transmit(22);
	assert_int_equal(am.sn, 0);
	assert_true(am.poll);
	(void)transmit(22);
	assert_int_equal(am.sn, AM_WINDOW - 1);
	rlc_am_tx_expire(&tx);
	rlc_am_tx_expire(&tx); /* pending: not considered once more */
	(void)transmit(22);
	assert_int_equal(built.retx_count, 1);
}

/*
 * What waits to be sent again was to carry the poll, and a late STATUS PDU acknowledges it: the
 * newest one asks, as at the expiry.
 */
static void test_the_poll_loses_its_pdu(void **state)
{
	static const struct am_nack oldest = { .sn = 0, .so_end = AM_SO_END };

	(void)state;
	setup();
	transmit_new(3, 20);
	assert_int_equal(status(1, 1, &oldest), 0);
	rlc_am_tx_expire(&tx);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	ack(1);
	assert_int_equal(transmit(ROOM), 22);
	assert_int_equal(am.sn, 2);
	assert_true(built.retx && am.poll);
	ack(3);
	assert_int_equal(transmit(ROOM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segmentation),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_poll_pdu),
		cmocka_unit_test(test_poll_byte),
		cmocka_unit_test(test_poll_resets_counters),
		cmocka_unit_test(test_retransmission_is_not_counted),
		cmocka_unit_test(test_poll_after_last_retransmission),
		cmocka_unit_test(test_window_stall),
		cmocka_unit_test(test_poll_while_stalled),
		cmocka_unit_test(test_timer_runs),
		cmocka_unit_test(test_timer_stops),
		cmocka_unit_test(test_timer_expires),
		cmocka_unit_test(test_timer_expires_last_acked),
		cmocka_unit_test(test_timer_expires_with_data),
		cmocka_unit_test(test_timer_expires_stalled),
		cmocka_unit_test(test_timer_expires_stalled_and_pending),
		cmocka_unit_test(test_the_poll_loses_its_pdu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
