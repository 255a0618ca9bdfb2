/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM receiver: reordering, t-Reordering, segments, garbage, re-establishment.
 * Source: TS 36.322 5.1.3.2, 5.4; variables are named as there.
 */
#include "am_receiver.h"

/* --- state variables and t-Reordering: TS 36.322 5.1.3.2.3, 5.1.3.2.4 --- */

static void test_in_order(void **state)
{
	(void)state;
	setup();
	for (uint16_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_delivered(i);
		expect_vars(i + 1, i + 1, i + 1);
		assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
		assert_false(rx.status_due);
	}
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* 0, 2, 3, 1: the gap holds 2 and 3 back and the timer runs until it is filled. */
static void test_reordering(void **state)
{
	(void)state;
	setup();
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 0);
	expect_vars(1, 1, 3);
	expect_timer(100 + T_REORDERING_NS, 3);
	assert_int_equal(receive(3, 110), 0);
	expect_vars(1, 1, 4);
	expect_timer(100 + T_REORDERING_NS, 3); /* not restarted */
	assert_int_equal(receive(1, 120), 3);
	for (uint32_t i = 1; i <= 3; i++)
		expect_delivered(i);
	expect_vars(4, 4, 4);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
}

/* 0, 2, expiry: VR(MS) passes the gap and a STATUS PDU asks for it; nothing is given up. */
static void test_expiry(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	expire();
	expect_vars(1, 3, 3);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 4);
	expect_status(100, 4, 3, 1, (const uint16_t[]){ 1 });
	assert_int_equal(receive(1, 200), 2);
	expect_delivered(1);
	expect_delivered(2);
	expect_vars(3, 3, 3);
}

/*
 * 0, 2 (timer for the gap at 1, VR(X) 3), 4: at expiry VR(MS) goes to 3, the
 * next one missing; the gap there restarts the timer with VR(X) 5.
 */
static void test_second_gap_restarts_timer(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 120);
	expire();
	expect_vars(1, 3, 5);
	expect_timer(100 + 2 * T_REORDERING_NS, 5);
	expect_status(100, 4, 3, 1, (const uint16_t[]){ 1 });
	expire();
	expect_vars(1, 5, 5);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	expect_status(100, 5, 5, 2, (const uint16_t[]){ 1, 3 });
}

/* 0, 2, 3, 4, expiry: what came behind VR(X) is passed, too. */
static void test_expiry_passes_received(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	for (uint32_t i = 2; i <= 4; i++)
		(void)receive(i, 100);
	assert_int_equal(rx.vr_x, 3);
	expire();
	expect_vars(1, 5, 5);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* Filling the gap that started the timer restarts it for the next one. */
static void test_timer_follows_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 110);
	assert_int_equal(receive(1, 120), 2); /* VR(R) 3 = VR(X) */
	expect_vars(3, 3, 5);
	expect_timer(120 + T_REORDERING_NS, 5);
}

/* After an expiry VR(R) < VR(MS): filling the gap moves VR(R) alone, then both. */
static void test_vr_ms_ahead(void **state)
{
	(void)state;
	setup();
	(void)receive(2, 0);
	expire();
	expect_vars(0, 3, 3);
	(void)receive(0, 50);
	expect_vars(1, 3, 3);
	expect_timer(50 + T_REORDERING_NS, 3); /* VR(H) > VR(R): 5.1.3.2.3 starts it again */
	(void)receive(3, 60);
	expect_vars(1, 4, 4);
	(void)receive(1, 70);
	expect_vars(4, 4, 4);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* A PDU of which a byte is missing is as good as none. */
static void test_partly_received(void **state)
{
	(void)state;
	setup();
	send(0);
	(void)receive_part(0, 0, 19, false, 100);
	expect_vars(0, 0, 1);
	expect_timer(100 + T_REORDERING_NS, 1);
	assert_int_equal(receive_part(0, 19, 20, false, 110), 1);
	expect_delivered(0);
	expect_vars(1, 1, 1);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* The window is VR(R)..VR(R) + 511: its last one is taken, the next one is not. */
static void test_window(void **state)
{
	(void)state;
	setup();
	receive_all(0, 2);
	assert_int_equal(receive(3 + AM_WINDOW, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	expect_vars(3, 3, 3);
	assert_int_equal(receive(3 + AM_WINDOW - 1, 0), 0);
	assert_int_equal(out.discarded_pdus, 0);
	expect_vars(3, 3, 3 + AM_WINDOW);
	expire();
	assert_int_equal(rx.vr_ms, 3 + AM_WINDOW); /* VR(MR) */
	assert_int_equal(rlc_am_rx_status_bytes(&rx), (15 + 12 * 511 + 7) / 8);
	assert_int_equal(receive(3, 200), 1); /* and the window moves */
	assert_int_equal(receive(3 + AM_WINDOW, 0), 0);
	assert_int_equal(out.discarded_pdus, 0);
}

/* VR(X) at the window's upper edge: it equals VR(MR) and the timer goes on. */
static void test_timer_at_window_edge(void **state)
{
	(void)state;
	setup();
	(void)receive(AM_WINDOW - 1, 0);
	expect_timer(T_REORDERING_NS, AM_WINDOW);
	(void)receive(5, 10);
	expect_timer(T_REORDERING_NS, AM_WINDOW);
}

/* --- duplicates and segments: TS 36.322 5.1.3.2.2 --- */

static void test_duplicates(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 0);
	assert_int_equal(receive_again(2, false, 0), 0); /* waits already */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_again(0, false, 0), 0); /* below VR(R) */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(1, 0), 2);
	assert_int_equal(out.discarded_pdus, 0);
}

/* 0..30, 20..50, 40..60: what overlaps counts once; what brings nothing new is discarded. */
static void test_overlapping_segments(void **state)
{
	(void)state;
	setup_stream(60, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	assert_int_equal(receive_part(0, 0, 30, false, 0), 0);
	assert_int_equal(receive_part(0, 40, 60, false, 0), 0);
	assert_int_equal(receive_part(0, 10, 20, false, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_part(0, 45, 60, false, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_part(0, 20, 50, false, 0), 1);
	assert_int_equal(out.discarded_pdus, 0);
	expect_delivered(0);
	expect_vars(1, 1, 1);
}

/* A segment, then the whole PDU again, as after t-PollRetransmit. */
static void test_whole_after_segment(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	(void)receive_part(0, 30, 45, false, 0);
	assert_int_equal(receive_again(0, false, 0), 3);
	for (uint32_t i = 0; i < 3; i++)
		expect_delivered(i);
}

/* --- SN wrap, garbage, re-establishment --- */

/* 2100 PDUs, of every eight the third comes last: the same at 1023 as anywhere. */
static void test_sn_wrap(void **state)
{
	(void)state;
	setup();
	for (uint32_t i = 0; i < 2096; i++) {
		if (i % 8 == 2)
			continue;
		assert_int_equal(receive(i, i), i % 8 < 2);
		if (i % 8 < 7)
			continue;
		expect_vars((i - 5) % 1024, (i - 5) % 1024, (i + 1) % 1024);
		assert_int_equal(receive(i - 5, i), 6);
		for (uint32_t id = i - 5; id <= i; id++)
			expect_delivered(id);
		expect_vars((i + 1) % 1024, (i + 1) % 1024, (i + 1) % 1024);
		assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	}
}

/* Of SNs 1022..2 there are 1023, 0 and 2: a STATUS PDU across the wrap. */
static void test_status_across_wrap(void **state)
{
	(void)state;
	setup();
	receive_all(0, 1021);
	(void)receive(1023, 0);
	(void)receive(1024, 0);
	(void)receive_poll(1026, 0);
	assert_false(rx.status_due);
	expire();
	expect_vars(1022, 1, 3);
	expire();
	expect_vars(1022, 3, 3);
	expect_status(100, 5, 3, 2, (const uint16_t[]){ 1022, 1 });
	rx.status_due = true;
	expect_status(4, 4, 1, 1, (const uint16_t[]){ 1022 });
	assert_int_equal(receive(1022, 0), 3);
	assert_int_equal(receive(1025, 0), 2);
	expect_vars(3, 3, 3);
}

/* No data, a control PDU, bytes beyond the largest PDU: refused, and nothing moves. */
static void test_malformed(void **state)
{
	static const uint8_t empty[] = { 0x80, 0x00 }, control[] = { 0x00, 0x00, 0x00 };
	static const uint8_t beyond[] = { 0xc0, 0x00, 0x80 | POOL_BYTES >> 8, POOL_BYTES & 0xff,
		                          0x11 };

	(void)state;
	setup();
	out = (struct rlc_out){ 0 };
	assert_int_equal(rlc_am_rx_receive(&rx, empty, sizeof(empty), 0, &out), -EBADMSG);
	assert_int_equal(rlc_am_rx_receive(&rx, control, sizeof(control), 0, &out), -EBADMSG);
	assert_int_equal(rlc_am_rx_receive(&rx, beyond, sizeof(beyond), 0, &out), -EBADMSG);
	assert_int_equal(out.discarded_pdus, 3);
	expect_vars(0, 0, 0);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Every second byte: more holes than are kept count. Nothing is lost, it only takes longer. */
static void test_too_many_holes(void **state)
{
	(void)state;
	setup_stream(60, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	for (uint32_t at = 1; at < 60; at += 2)
		(void)receive_part(0, at, at + 1, false, 0);
	assert_int_equal(window[0]->ranges.n, RLC_RANGES_MAX);
	expire();
	expect_status(200, (15 + 42 * 17 + 7) / 8, 1, 17, NULL);
	expect_portion(16, 0, 32, AM_SO_END);
	for (uint32_t at = 0; at < 58; at++)
		assert_int_equal(receive_part(0, at, at + 1, false, 0), 0);
	assert_int_equal(receive_part(0, 58, 60, false, 0) + receive_again(0, false, 0), 1);
}

/* It is as it was at first, field by field. */
static void test_reset(void **state)
{
	struct rlc_am_rx fresh;

	(void)state;
	setup();
	fresh = rx;
	(void)receive(0, 0);
	(void)receive_poll(2, 0);
	(void)receive(3, 0);
	rlc_am_rx_reset(&rx);
	expect_vars(0, 0, 0);
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_int_equal(rx.prohibit_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
	assert_false(rx.reassembly.tail.open || rx.reassembly.whole.open);
	fresh.reassembly.tail = rx.reassembly.tail; /* what is in them means nothing then */
	fresh.reassembly.whole = rx.reassembly.whole;
	assert_memory_equal(&rx, &fresh, sizeof(rx));
	for (uint32_t sn = 0; sn < AM_SLOTS; sn++)
		assert_null(window[sn]);
	assert_int_equal(receive(0, 0), 1);
	(void)receive(1, 0);
	(void)receive(2, 0); /* which polled before the reset */
	assert_false(rx.status_due);
}

/* Before a reset SDUs go up that are complete behind gaps. PDUs of 30 bytes, SDUs of 20; PDU 1 and
 * the middle of PDU 4 are missing. Source: TS 36.322 5.4 */
static void test_finish(void **state)
{
	(void)state;
	setup_stream(30, 20, CELL_DELIVERY_IN_SEQUENCE);
	assert_int_equal(receive(0, 0), 1);
	send(1);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(receive(3, 0), 0);
	send(4);
	assert_int_equal(receive_part(4, 0, 5, false, 0), 0);
	assert_int_equal(receive_part(4, 25, 30, false, 0), 0);
	assert_int_equal(receive(5, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 4);
	for (uint32_t id = 3; id <= 5; id++)
		expect_delivered(id);
	expect_delivered(8);
	rlc_am_rx_reset(&rx);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Of a window whose last PDU is all that came. */
static void test_finish_of_a_whole_window(void **state)
{
	(void)state;
	setup();
	assert_int_equal(receive(AM_WINDOW - 1, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 1);
	expect_delivered(AM_WINDOW - 1);
	rlc_am_rx_reset(&rx);
}

/* An SDU of 60 bytes of which ten within a PDU are missing does not go up. */
static void test_finish_with_a_gap_in_an_sdu(void **state)
{
	(void)state;
	setup_stream(30, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	assert_int_equal(receive_part(0, 0, 10, false, 0), 0);
	assert_int_equal(receive_part(0, 20, 30, false, 0), 0);
	assert_int_equal(receive(1, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 0);
	rlc_am_rx_reset(&rx);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* SDUs of PDUs that nobody here sent: counted, and those of ours go on. */
static void test_foreign_pdu(void **state)
{
	(void)state;
	for (int delivery = 0; delivery < CELL_DELIVERY_COUNT; delivery++) {
		setup_stream(20, 10, (enum cell_delivery)delivery);
		memset(sent, 0, sizeof(sent));
		assert_int_equal(receive_again(0, false, 0), 0);
		assert_int_equal(out.foreign_sdus, 2);
		assert_int_equal(receive(1, 0), 2);
		expect_vars(2, 2, 2);
		assert_int_equal(pool.n_free, POOL_PDUS);
	}
}

/* A segment behind the end of its PDU, or an end before what has come, is no part of it. */
static void test_segment_that_contradicts(void **state)
{
	(void)state;
	setup();
	send(0);
	pdu_len = 12; /* LSF: the PDU ends there */
	receive_part(0, 8, 12, false, 0);
	assert_int_equal(out.discarded_pdus, 0);
	pdu_len = 20;
	receive_part(0, 12, 16, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	receive_part(0, 10, 20, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(window[0]->len, 12);

	receive_part(1, 10, 15, false, 0);
	assert_int_equal(out.discarded_pdus, 0);
	pdu_len = 12;
	receive_part(1, 8, 12, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(window[1]->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_second_gap_restarts_timer),
		cmocka_unit_test(test_expiry_passes_received),
		cmocka_unit_test(test_timer_follows_gap),
		cmocka_unit_test(test_vr_ms_ahead),
		cmocka_unit_test(test_partly_received),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_timer_at_window_edge),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_overlapping_segments),
		cmocka_unit_test(test_whole_after_segment),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_status_across_wrap),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_too_many_holes),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_finish_of_a_whole_window),
		cmocka_unit_test(test_finish_with_a_gap_in_an_sdu),
		cmocka_unit_test(test_foreign_pdu),
		cmocka_unit_test(test_segment_that_contradicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
