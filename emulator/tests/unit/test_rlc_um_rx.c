/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC UM receiver: reordering, t-Reordering, the window, and PDUs that are none.
 * Source: TS 36.322 5.1.2.2; variables are named as there.
 */
#include "um_receiver.h"

static void test_in_order(void **state)
{
	(void)state;
	cut(10, 1);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_delivered(i);
		assert_int_equal(rx.expiry_ns, CELL_NEVER);
	}
	assert_int_equal(rx.vr_ur, 5);
	assert_int_equal(rx.vr_uh, 5);
}

/* 0, 2, 3, 1: the gap holds 2 and 3 back and the timer runs until it is filled. */
static void test_reordering(void **state)
{
	(void)state;
	cut(10, 1);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 0);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS);
	assert_int_equal(rx.vr_ux, 3);
	assert_int_equal(receive(3, 110), 0);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS); /* not restarted */
	assert_int_equal(receive(1, 120), 3);
	for (uint32_t i = 1; i <= 3; i++)
		expect_delivered(i);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(rx.vr_ur, 4);
}

/* 0, 2, expiry: 2 is released, vr_ur passes it, a late 1 is discarded. */
static void test_expiry(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	assert_int_equal(expire(), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(receive(1, 140), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(3, 150), 1);
}

/*
 * 0, 2 (timer for the gap at 1, vr_ux 3), 4: at expiry 2 comes out; the gap at
 * 3 starts the timer again with vr_ux = 5, at whose expiry 4 comes out.
 */
static void test_second_gap_restarts_timer(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 120);
	assert_int_equal(expire(), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.vr_ux, 5);
	assert_int_equal(rx.expiry_ns, 100 + 2 * T_REORDERING_NS);
	assert_int_equal(expire(), 1);
	expect_delivered(4);
	assert_int_equal(rx.vr_ur, 5);
}

/* Filling the gap that started the timer restarts it for the next one. */
static void test_timer_follows_gap(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 110);
	assert_int_equal(receive(1, 120), 2); /* vr_ur 3 >= vr_ux 3 */
	assert_int_equal(rx.vr_ux, 5);
	assert_int_equal(rx.expiry_ns, 120 + T_REORDERING_NS);
}

static void test_duplicates(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 0);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(2, 0), 2); /* waits already */
	assert_int_equal(out.discarded_pdus, 1);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(0, 0), 0); /* below vr_ur */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(1, 0), 2);
}

/* A PDU beyond the window moves it: what falls out is released without a timer. */
static void test_window_pushed(void **state)
{
	(void)state;
	cut(5, 1); /* UM_Window_Size 16 */
	(void)receive(0, 0);
	(void)receive(2, 0);
	/* SN 17: vr_uh 18, window 2..17; vr_ur 1 is outside, so it becomes 2. */
	assert_int_equal(receive(17, 0), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.vr_uh, 18);
}

/* 20 PDUs lost with 5 bits: SN 20 is in the lower half and taken for an old one. */
static void test_window_ambiguity(void **state)
{
	(void)state;
	cut(5, 1);
	assert_int_equal(receive(20, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.vr_ur, 0);
}

static void test_sn_wrap(void **state)
{
	(void)state;
	cut(5, 1);
	for (uint32_t i = 0; i < 31; i++)
		assert_int_equal(receive(i, 0), 1);
	assert_int_equal(receive(32, 0), 0); /* SN 0; 31 is missing */
	assert_int_equal(receive(33, 0), 0);
	assert_int_equal(receive(31, 0), 3);
	for (uint32_t i = 31; i <= 33; i++)
		expect_delivered(i);
	for (uint32_t i = 34; i < PDUS; i++)
		assert_int_equal(receive(i, 0), 1);
}

/* 10 bits from SN 1022: neither reordering nor expiry minds the wrap. */
static void test_sn_wrap_10_bits(void **state)
{
	(void)state;
	cut(10, 1);
	expect_from(1022);
	for (uint32_t i = 0; i < 6; i++) { /* SNs 1022, 1023, 0, 1, 2, 3 */
		struct um_pdu um = { .sn = (uint16_t)((1022 + i) % 1024), .n = 1 };

		(void)um_pack(&um, 10, pdu[i].buf);
	}
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(1, 0), 1023);
	assert_int_equal(receive_pdu(3, 0), 1);
	assert_int_equal(out.delivered.n, 0);
	assert_int_equal(rx.vr_ux, 0); /* of 1023, which came first */
	assert_int_equal(expire(), 1);
	assert_int_equal(rx.vr_ur, 0);
	assert_int_equal(rx.vr_ux, 2);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(2, 0), 0);
	assert_int_equal(out.delivered.n, 2);
}

static void test_malformed(void **state)
{
	(void)state;
	cut(10, 1);
	pdu[0].len = 2; /* a header without data */
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(0, 0), -EBADMSG);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.vr_uh, 0);
}

/* As long as a PDU can be, and a byte longer. */
static void test_largest_pdu(void **state)
{
	static uint8_t buf[POOL_BYTES + 3];
	struct pkt_queue none = { 0 };

	(void)state;
	cut(10, 1);
	out = (struct rlc_out){ 0 };
	buf[0] = 0; /* SN 0 in two bytes */
	assert_int_equal(rlc_um_rx_receive(&rx, buf, POOL_BYTES + 2, &none, 0, &out), 0);
	buf[1] = 1;
	assert_int_equal(rlc_um_rx_receive(&rx, buf, POOL_BYTES + 3, &none, 0, &out), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_second_gap_restarts_timer),
		cmocka_unit_test(test_timer_follows_gap),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_window_pushed),
		cmocka_unit_test(test_window_ambiguity),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_sn_wrap_10_bits),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_largest_pdu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
