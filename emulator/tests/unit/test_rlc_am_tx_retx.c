/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter: retransmission, re-segmentation, RETX_COUNT.
 * Source: TS 36.322 5.2.1; variables are named as there.
 */
#include "am_sender.h"

/* --- retransmission: TS 36.322 5.2.1 --- */

/* The whole PDU again: same SN, same bytes, no segment; before anything new. */
static void test_retransmission(void **state)
{
	(void)state;
	setup();
	push(0, 4, 20);
	(void)transmit(22);
	(void)transmit(22);
	(void)transmit(22);
	nack(1);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20 + 20);
	assert_int_equal(transmit(22), 22);
	assert_true(built.retx);
	assert_false(am.rf);
	assert_int_equal(am.sn, 1);
	assert_int_equal(am.fi, 0);
	assert_int_equal(transmit(22), 22);
	assert_false(built.retx);
	assert_int_equal(am.sn, 3);
}

/* Several go in order of SN, however small the PDU that would follow. */
static void test_retransmission_order(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END },
		                                { .sn = 2, .so_end = AM_SO_END },
		                                { .sn = 4, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(6, 20);
	assert_int_equal(status(6, 3, nacks), 0);
	for (int i = 0; i < 3; i++) {
		(void)transmit(ROOM);
		assert_int_equal(am.sn, nacks[i].sn);
	}
	assert_int_equal(transmit(ROOM), 0);
}

/* One PDU of three SDUs of 30 bytes: 0..30, 30..60, 60..90; header 2 + 3. */
static void three_in_one(void)
{
	setup();
	push(0, 3, 30);
	assert_int_equal(transmit(95), 95);
	assert_int_equal(am.n, 3);
}

/*
 * In 46 bytes: header 4, an indicator 2, data 40. So 30 + 10, then 20 + 20,
 * then the last 10, which need no indicator.
 */
static void test_resegmentation(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	assert_int_equal(transmit(46), 46);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 2, (const uint16_t[]){ 30, 10 });
	assert_false(am.poll);
	assert_int_equal(rlc_am_tx_bytes(&tx), 50);
	assert_int_equal(transmit(46), 46);
	expect_segment(40, false, 3, 2, (const uint16_t[]){ 20, 20 });
	assert_false(am.poll);
	assert_int_equal(transmit(46), 14);
	expect_segment(80, true, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 10 });
	assert_true(am.poll); /* the last byte to be sent again */
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
}

/* Segments that end where SDUs end: the framing info says so on both sides. */
static void test_resegmentation_at_boundaries(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	for (uint16_t i = 0; i < 3; i++) {
		assert_int_equal(transmit(34), 34);
		expect_segment((uint16_t)(30 * i), i == 2, 0, 1, (const uint16_t[]){ 30 });
	}
}

/* 35 and 36 bytes do not hold an indicator and a byte more than 34; 37 do. */
static void test_resegmentation_indicator(void **state)
{
	(void)state;
	for (uint32_t max = 35; max <= 36; max++) {
		three_in_one();
		nack(0);
		assert_int_equal(transmit(max), 34);
		expect_segment(0, false, 0, 1, (const uint16_t[]){ 30 });
	}
	three_in_one();
	nack(0);
	assert_int_equal(transmit(37), 37);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 2, (const uint16_t[]){ 30, 1 });
}

/* One byte at a time: header 4 and a byte; four bytes hold nothing. */
static void test_smallest_segments(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	for (uint16_t i = 0; i < 90; i++) {
		uint8_t fi = (i % 30 ? RLC_FI_FIRST_CONTINUES : 0) |
		             (i % 30 < 29 ? RLC_FI_LAST_CONTINUES : 0);

		assert_int_equal(transmit(4), 0);
		assert_int_equal(transmit(5), 5);
		expect_segment(i, i == 89, fi, 1, (const uint16_t[]){ 1 });
	}
	assert_int_equal(transmit(ROOM), 0);
}

/* The PDU's own header (2 + 29 bytes for 20 SDUs) is larger than the space; a segment's is not. */
static void test_resegmentation_of_many_small(void **state)
{
	(void)state;
	setup();
	push(0, 20, 3);
	assert_int_equal(transmit(91), 91);
	nack(0);
	assert_int_equal(transmit(7), 7);
	expect_segment(0, false, 0, 1, (const uint16_t[]){ 3 });
	assert_int_equal(transmit(12), 12); /* 4 + 2 + 6 */
	expect_segment(3, false, 0, 2, (const uint16_t[]){ 3, 3 });
}

/* A portion only: bytes 25..64, of which the space cuts another segment. */
static void test_segment_of_segment(void **state)
{
	(void)state;
	three_in_one();
	nack_bytes(0, 25, 64);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(26), 26); /* 4 + 2 + 20 */
	expect_segment(25, false, 3, 2, (const uint16_t[]){ 5, 15 });
	assert_int_equal(transmit(ROOM), 26); /* 4 + 2 + 20 */
	expect_segment(45, false, 3, 2, (const uint16_t[]){ 15, 5 });
	assert_int_equal(transmit(ROOM), 0);
	nack_bytes(0, 50, 59); /* of that second one its middle, up to an SDU's end */
	assert_int_equal(transmit(ROOM), 14);
	expect_segment(50, false, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 10 });
}

/* Two holes in one PDU, in one STATUS PDU; the second one to the end. */
static void test_two_portions(void **state)
{
	static const struct am_nack nacks[] = {
		{ .sn = 0, .has_so = true, .so_start = 0, .so_end = 9 },
		{ .sn = 0, .has_so = true, .so_start = 60, .so_end = AM_SO_END },
	};

	(void)state;
	three_in_one();
	assert_int_equal(status(1, 2, nacks), 0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(ROOM), 14);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 1, (const uint16_t[]){ 10 });
	assert_int_equal(transmit(ROOM), 34);
	expect_segment(60, true, 0, 1, (const uint16_t[]){ 30 });
	assert_int_equal(transmit(ROOM), 0);
}

/* SOstart 0 to the last byte is the whole PDU, which goes as one; SO beyond it asks for nothing. */
static void test_portion_edges(void **state)
{
	(void)state;
	three_in_one();
	nack_bytes(0, 0, 89);
	assert_int_equal(transmit(95), 95);
	assert_false(am.rf);
	nack_bytes(0, 90, 200);
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
	assert_int_equal(tx.vt_a, 0); /* nor is it an acknowledgment */
	nack_bytes(0, 89, 200);
	assert_int_equal(transmit(95), 5);
	expect_segment(89, true, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 1 });
}

/* Elements that bytes @from..@to of a PDU with @boundary have. */
static uint16_t elements(const bool *boundary, uint16_t from, uint16_t to)
{
	uint16_t n = 1;

	for (uint16_t i = (uint16_t)(from + 1); i < to; i++)
		n = (uint16_t)(n + boundary[i]);
	return n;
}

/* The last PDU tells of its bytes' boundaries what @boundary says, and could not be longer. */
static void expect_faithful(const bool *boundary, uint16_t len, uint32_t max)
{
	uint16_t at = am.so, to = (uint16_t)(am.so + built.data);

	assert_int_equal(!(am.fi & RLC_FI_FIRST_CONTINUES), boundary[at]);
	assert_int_equal(am.n, elements(boundary, at, to));
	for (uint16_t i = 0; i + 1 < am.n; i++) {
		at = (uint16_t)(at + am.len[i]);
		assert_true(boundary[at]);
	}
	assert_int_equal(!(am.fi & RLC_FI_LAST_CONTINUES), boundary[to]);
	assert_int_equal(am.rf, built.data < len);
	assert_int_equal(am.lsf, to == len);
	if (to < len)
		assert_true(am_header_bytes(true, elements(boundary, am.so, (uint16_t)(to + 1))) +
		                    built.data + 1 >
		            max);
}

/* PDUs of random SDUs in random space: every segment is faithful, all bytes come once, in order. */
static void test_random_resegmentation(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "resegmentation", 0);
	for (int round = 0; round < 500; round++) {
		uint16_t n = (uint16_t)(1 + rng_below(&rng, 30)), len = 0;
		bool boundary[POOL_BYTES + 1] = { [0] = true };

		setup();
		for (uint16_t i = 0; i < n; i++) {
			uint16_t sdu = (uint16_t)(1 + rng_below(&rng, 25));

			push(i, 1, sdu);
			len = (uint16_t)(len + sdu);
			boundary[len] = true;
		}
		(void)transmit(POOL_BYTES);
		assert_int_equal(built.data, len);
		nack(0);
		for (uint16_t so = 0; so < len; so = (uint16_t)(so + built.data)) {
			uint32_t max = 5 + rng_below(&rng, 60);

			assert_true(transmit(max) > 0);
			assert_int_equal(am.so, so);
			expect_faithful(boundary, len, max);
		}
		assert_int_equal(tx.n_retx, 0);
		ack(1);
		expect_all_free();
	}
}

/* --- RETX_COUNT and maxRetxThreshold: TS 36.322 5.2.1 --- */

/* The first consideration sets 0; with threshold 3 the fourth one fails. */
static void test_max_retx_threshold(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 3);
	transmit_new(2, 20);
	for (uint8_t count = 0; count < 3; count++) {
		nack(1);
		assert_false(tx.max_retx_reached);
		assert_int_equal(transmit(ROOM), 22);
		assert_int_equal(built.retx_count, count);
	}
	nack(1);
	assert_true(tx.max_retx_reached);
}

/* Threshold 1: the second consideration. Every PDU has its own count. */
static void test_max_retx_threshold_1(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 1, .so_end = AM_SO_END } };

	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 1);
	transmit_new(2, 20);
	assert_int_equal(status(2, 2, nacks), 0);
	(void)transmit(ROOM);
	(void)transmit(ROOM);
	assert_false(tx.max_retx_reached);
	nack(1);
	assert_true(tx.max_retx_reached);
}

/* What is pending already is not counted again. */
static void test_pending_is_not_counted(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 1);
	transmit_new(2, 20);
	for (int i = 0; i < 5; i++)
		nack(1);
	nack_bytes(1, 5, 10);
	assert_false(tx.max_retx_reached);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	(void)transmit(ROOM);
	assert_int_equal(built.retx_count, 0);
}

/* A portion that is not pending counts, though another one of the PDU still is. */
static void test_portion_not_pending_is_counted(void **state)
{
	(void)state;
	setup();
	transmit_new(1, 40);
	nack(0);
	assert_int_equal(transmit(24), 24); /* bytes 0..20 */
	nack(0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(ROOM), 42);
	assert_int_equal(built.retx_count, 1);
}

/* Two portions of one PDU in one STATUS PDU are one consideration. */
static void test_portions_of_one_status(void **state)
{
	static const struct am_nack nacks[] = {
		{ .sn = 0, .has_so = true, .so_start = 0, .so_end = 9 },
		{ .sn = 0, .has_so = true, .so_start = 20, .so_end = 29 },
	};

	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 2);
	transmit_new(1, 40);
	for (uint8_t count = 0; count < 2; count++) {
		assert_int_equal(status(1, 2, nacks), 0);
		assert_false(tx.max_retx_reached);
		(void)transmit(ROOM);
		(void)transmit(ROOM);
		assert_int_equal(built.retx_count, count);
	}
	assert_int_equal(status(1, 2, nacks), 0);
	assert_true(tx.max_retx_reached);
}

/* t-PollRetransmit's considerations count like those of NACKs. */
static void test_expiry_is_counted(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 2);
	transmit_new(1, 20);
	for (uint8_t count = 0; count < 2; count++) {
		rlc_am_tx_expire(&tx);
		assert_false(tx.max_retx_reached);
		(void)transmit(ROOM);
		assert_int_equal(built.retx_count, count);
	}
	rlc_am_tx_expire(&tx);
	assert_true(tx.max_retx_reached);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_retransmission),
		cmocka_unit_test(test_retransmission_order),
		cmocka_unit_test(test_resegmentation),
		cmocka_unit_test(test_resegmentation_at_boundaries),
		cmocka_unit_test(test_resegmentation_indicator),
		cmocka_unit_test(test_smallest_segments),
		cmocka_unit_test(test_resegmentation_of_many_small),
		cmocka_unit_test(test_segment_of_segment),
		cmocka_unit_test(test_two_portions),
		cmocka_unit_test(test_portion_edges),
		cmocka_unit_test(test_random_resegmentation),
		cmocka_unit_test(test_max_retx_threshold),
		cmocka_unit_test(test_max_retx_threshold_1),
		cmocka_unit_test(test_pending_is_not_counted),
		cmocka_unit_test(test_portion_not_pending_is_counted),
		cmocka_unit_test(test_portions_of_one_status),
		cmocka_unit_test(test_expiry_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
