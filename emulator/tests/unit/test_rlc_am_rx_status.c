/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RLC AM receiver: STATUS PDUs. Source: TS 36.322 5.2.3; variables are named as there. */
#include "am_receiver.h"

/* --- STATUS PDUs: TS 36.322 5.2.3 --- */

/* A poll in sequence is below VR(MS) when it was placed: answered at once. */
static void test_poll(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
	(void)receive_poll(1, 0);
	assert_true(rx.status_due);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 2);
	expect_status(100, 2, 2, 0, NULL);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
}

/* A poll behind a gap waits until VR(MS) passes it: here by filling the gap. */
static void test_poll_waits_for_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive_poll(2, 10);
	assert_false(rx.status_due);
	(void)receive(4, 20);
	assert_false(rx.status_due);
	(void)receive(1, 30); /* VR(MS) 3 */
	assert_true(rx.status_due);
	expect_status(100, 2, 3, 0, NULL);
	(void)receive(3, 40);
	assert_false(rx.status_due); /* answered once */
}

/* Or by t-Reordering: one STATUS PDU for both reasons. */
static void test_poll_waits_for_timer(void **state)
{
	(void)state;
	setup();
	(void)receive_poll(1, 10);
	assert_false(rx.status_due);
	expire();
	expect_status(100, 4, 2, 1, (const uint16_t[]){ 0 });
	(void)receive(0, 50);
	assert_false(rx.status_due);
}

/* The timer passes the first gap only; the poll behind the second one waits on. */
static void test_poll_behind_second_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(1, 10);
	(void)receive_poll(3, 20);
	expire(); /* VR(MS) 2 */
	expect_status(100, 4, 2, 1, (const uint16_t[]){ 0 });
	assert_false(rx.status_due);
	(void)receive(2, 60); /* VR(MS) 4 */
	assert_true(rx.status_due);
	expect_status(100, 4, 4, 1, (const uint16_t[]){ 0 });
}

/* Each poll is answered when VR(MS) passes it, whether another one waits or not. */
static void test_two_polls_wait(void **state)
{
	(void)state;
	setup();
	(void)receive_poll(1, 10);
	(void)receive_poll(3, 20);
	assert_false(rx.status_due);
	(void)receive(0, 30); /* VR(MS) 2 */
	expect_status(100, 2, 2, 0, NULL);
	assert_false(rx.status_due);
	(void)receive(2, 40); /* VR(MS) 4 */
	expect_status(100, 2, 4, 0, NULL);
	assert_false(rx.status_due);
}

/* A PDU that is discarded answers its poll at once: duplicate, old, or beyond the window. */
static void test_poll_of_discarded(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 0);
	(void)receive_again(2, true, 0);
	expect_status(100, 2, 1, 0, NULL); /* VR(MS) is 1: of the gap nothing is said yet */
	(void)receive_again(0, true, 0);
	expect_status(100, 2, 1, 0, NULL);
	(void)receive_poll(1 + AM_WINDOW, 0);
	expect_status(100, 2, 1, 0, NULL);
}

/* t-StatusProhibit: however often it is triggered, one STATUS PDU, and after the timer. */
static void test_status_prohibit(void **state)
{
	uint8_t buf[10];

	(void)state;
	setup();
	(void)receive_poll(0, 100);
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 100, buf, &status), 2);
	assert_int_equal(rx.prohibit_expiry_ns, 100 + T_PROHIBIT_NS);
	(void)receive_poll(1, 101);
	(void)receive_poll(2, 102);
	assert_true(rx.status_due);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 103, buf, &status), 0);
	assert_true(rx.status_due);
	rx.prohibit_expiry_ns = CELL_NEVER; /* expired: the caller's part */
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 110, buf, &status), 2);
	assert_int_equal(status.ack_sn, 3);
	assert_int_equal(rx.prohibit_expiry_ns, 110 + T_PROHIBIT_NS);
}

static void test_no_status_prohibit(void **state)
{
	uint8_t buf[10];

	(void)state;
	setup();
	rx.t_status_prohibit_ns = 0;
	for (uint32_t i = 0; i < 2; i++) {
		(void)receive_poll(i, 0);
		assert_int_equal(rlc_am_rx_status_build(&rx, 10, 0, buf, &status), 2);
	}
}

/* Of PDU 1 there are 10..20 and 30..40 of 60; of 3 all but the middle; 2 is missing. */
static void test_status_portions(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	receive_all(0, 0);
	send(1);
	send(3);
	(void)receive_part(1, 30, 40, false, 0);
	(void)receive_part(1, 10, 20, false, 0);
	(void)receive_part(3, 0, 25, false, 0);
	(void)receive_part(3, 27, 60, false, 0);
	expire(); /* of PDU 1: VR(MS) 2 */
	expire();
	assert_int_equal(rlc_am_rx_status_bytes(&rx), (15 + 3 * 42 + 12 + 42 + 7) / 8);
	expect_status(100, 25, 4, 5, NULL);
	expect_portion(0, 1, 0, 9);
	expect_portion(1, 1, 20, 29);
	expect_portion(2, 1, 40, AM_SO_END); /* whether it ends there is not known */
	assert_int_equal(status.nack[3].sn, 2);
	assert_false(status.nack[3].has_so);
	expect_portion(4, 3, 25, 26); /* LSF came: nothing behind 60 */
}

/* 1, 3 and 5 are missing of 0..6: 27, 39 and 51 bits; ACK_SN is the first that is not told of. */
static void test_truncated(void **state)
{
	static const uint16_t nacks[] = { 1, 3, 5 };
	static const struct {
		uint32_t max, size;
		uint16_t n, ack_sn;
	} want[] = { { 100, 7, 3, 7 }, { 7, 7, 3, 7 }, { 6, 5, 2, 5 }, { 5, 5, 2, 5 },
		     { 4, 4, 1, 3 },   { 3, 2, 0, 1 }, { 2, 2, 0, 1 } };

	(void)state;
	setup();
	for (uint32_t i = 0; i <= 6; i++)
		if (i % 2 == 0)
			(void)receive(i, 0);
	expire(); /* VR(X) 3, then 7 */
	expire();
	for (size_t i = 0; i < COUNT(want); i++) {
		rx.status_due = true;
		expect_status(want[i].max, want[i].size, want[i].ack_sn, want[i].n, nacks);
	}
	rx.status_due = true;
	for (uint32_t max = 0; max < 2; max++) { /* not even ACK_SN fits: it stays due */
		uint8_t buf[2];

		assert_int_equal(rlc_am_rx_status_build(&rx, max, 0, buf, &status), 0);
		assert_true(rx.status_due);
	}
}

/*
 * PDU 1 has three holes, PDU 3 is missing: portions in order of bytes as far
 * as they fit. PDU 1 is then told of as missing, so ACK_SN is 3; a NACK of 3
 * would fit sometimes, but is behind a portion that did not.
 */
static void test_truncated_within_pdu(void **state)
{
	static const struct {
		uint32_t max, size;
		uint16_t n, ack_sn;
	} want[] = { { 20, 20, 4, 5 }, { 19, 18, 3, 3 }, { 17, 13, 2, 3 }, { 13, 13, 2, 3 },
		     { 12, 8, 1, 3 },  { 8, 8, 1, 3 },   { 7, 2, 0, 1 } };

	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	receive_all(0, 0);
	send(1);
	(void)receive_part(1, 10, 20, false, 0);
	(void)receive_part(1, 30, 40, false, 0);
	(void)receive(2, 0);
	(void)receive(4, 0);
	expire();
	expire();
	for (size_t i = 0; i < COUNT(want); i++) {
		rx.status_due = true;
		expect_status(want[i].max, want[i].size, want[i].ack_sn, want[i].n, NULL);
		for (uint16_t k = 0; k < want[i].n && k < 3; k++)
			expect_portion(k, 1, (uint16_t)(20 * k), k == 2 ? AM_SO_END : 20 * k + 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_poll_waits_for_gap),
		cmocka_unit_test(test_poll_waits_for_timer),
		cmocka_unit_test(test_poll_behind_second_gap),
		cmocka_unit_test(test_two_polls_wait),
		cmocka_unit_test(test_poll_of_discarded),
		cmocka_unit_test(test_status_prohibit),
		cmocka_unit_test(test_no_status_prohibit),
		cmocka_unit_test(test_status_portions),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_truncated_within_pdu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
