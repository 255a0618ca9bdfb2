/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UMD PDU headers, bit by bit. Source: TS 36.322 6.2.1.3, 6.2.2 */
#include "unit.h"

#include "rlc/lte/um/pdu.h"

/* Fixed part, then 12 bits for each element but the last, rounded up. */
static void test_header_bytes(void **state)
{
	(void)state;
	assert_int_equal(um_header_bytes(10, 1), 2);
	assert_int_equal(um_header_bytes(10, 2), 4); /* 16 + 12 + 4 bits */
	assert_int_equal(um_header_bytes(10, 3), 5); /* 16 + 24 bits */
	assert_int_equal(um_header_bytes(10, 4), 7); /* 16 + 36 + 4 bits */
	assert_int_equal(um_header_bytes(5, 1), 1);
	assert_int_equal(um_header_bytes(5, 2), 3);
	assert_int_equal(um_header_bytes(5, 3), 4);
	assert_int_equal(um_header_bytes(5, 256), 1 + 383); /* 255 * 12 + 4 bits */
}

/* R1 R1 R1 | FI 10 | E 0 | SN 10 1010 0101 -> 0001 0010 1010 0101 */
static void test_fixed_10_bits(void **state)
{
	struct um_pdu pdu = { .sn = 0x2a5, .fi = RLC_FI_FIRST_CONTINUES, .n = 1 };
	uint8_t buf[2];

	(void)state;
	assert_int_equal(um_pack(&pdu, 10, buf), 2);
	assert_int_equal(buf[0], 0x12);
	assert_int_equal(buf[1], 0xa5);
}

/* FI 01 | E 0 | SN 1 0011 -> 0101 0011 */
static void test_fixed_5_bits(void **state)
{
	struct um_pdu pdu = { .sn = 0x13, .fi = RLC_FI_LAST_CONTINUES, .n = 1 };
	uint8_t buf[1];

	(void)state;
	assert_int_equal(um_pack(&pdu, 5, buf), 1);
	assert_int_equal(buf[0], 0x53);
}

/*
 * Elements of 0x123, 0x456 and the rest: E 1 LI 001 0010 0011 | E 0 LI 100 0101 0110
 * -> 1001 0010 0011 0100 0101 0110
 */
static void test_two_length_indicators(void **state)
{
	static const uint8_t expected[] = { 0x04, 0x07, 0x92, 0x34, 0x56 };
	struct um_pdu pdu = { .sn = 7, .n = 3, .len = { 0x123, 0x456, 9 } };
	uint8_t buf[sizeof(expected)];

	(void)state;
	assert_int_equal(um_pack(&pdu, 10, buf), sizeof(expected));
	assert_memory_equal(buf, expected, sizeof(expected));
}

/* One indicator: E 0 LI 000 0010 1010, then four bits of padding. */
static void test_odd_indicators_are_padded(void **state)
{
	static const uint8_t expected[] = { 0x3f, 0x02, 0xa0 };
	struct um_pdu pdu = { .sn = 0x1f, .n = 2, .len = { 42, 1 } };
	uint8_t buf[sizeof(expected)];

	(void)state;
	assert_int_equal(um_pack(&pdu, 5, buf), sizeof(expected));
	assert_memory_equal(buf, expected, sizeof(expected));
}

static void round_trip(uint8_t sn_bits, uint16_t n)
{
	struct um_pdu pdu = { .sn = (uint16_t)((1u << sn_bits) - 1), .fi = 3, .n = n };
	static uint8_t buf[UINT16_MAX];
	struct um_pdu got;
	size_t header, total = 0, got_header;

	for (uint16_t i = 0; i < n; i++) {
		pdu.len[i] = (uint16_t)(1 + i * 37 % 200);
		total += pdu.len[i];
	}
	header = um_pack(&pdu, sn_bits, buf);
	assert_int_equal(um_unpack(&got, &got_header, sn_bits, buf, header + total), 0);
	assert_int_equal(got_header, header);
	assert_int_equal(got.sn, pdu.sn);
	assert_int_equal(got.fi, pdu.fi);
	assert_int_equal(got.n, n);
	assert_memory_equal(got.len, pdu.len, n * sizeof(got.len[0]));
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint16_t n = 1; n <= RLC_ELEMENTS_MAX; n++) {
		round_trip(5, n);
		round_trip(10, n);
	}
}

static void test_longest_indicator(void **state)
{
	struct um_pdu pdu = { .sn = 1, .n = 2, .len = { RLC_LI_MAX, 1 } }, got;
	static uint8_t buf[4096];
	size_t header = um_pack(&pdu, 10, buf), got_header;

	(void)state;
	assert_int_equal(um_unpack(&got, &got_header, 10, buf, header + RLC_LI_MAX + 1), 0);
	assert_int_equal(got.len[0], RLC_LI_MAX);
}

static void test_garbage(void **state)
{
	/* SN 0 with one indicator of 2 bytes; then of 0 bytes (reserved). */
	static const uint8_t two[] = { 0x04, 0x00, 0x00, 0x20, 1, 2, 3 };
	static const uint8_t zero[] = { 0x04, 0x00, 0x00, 0x00, 1, 2, 3 };
	static uint8_t endless[4096];
	struct um_pdu got;
	size_t header;

	(void)state;
	assert_int_equal(um_unpack(&got, &header, 10, two, 7), 0);
	assert_int_equal(um_unpack(&got, &header, 10, two, 6), -EBADMSG); /* no last element */
	for (size_t len = 0; len <= 4; len++)
		assert_int_equal(um_unpack(&got, &header, 10, two, len), -EBADMSG);
	assert_int_equal(um_unpack(&got, &header, 10, zero, 7), -EBADMSG);
	assert_int_equal(um_unpack(&got, &header, 5, two, 1), -EBADMSG); /* header only */
	/* More elements than a PDU of ours can have: E 1 LI 1, twice in three bytes. */
	for (size_t i = 0; i < sizeof(endless); i++)
		endless[i] =
			i < 2 ? (i ? 0x00 : 0x04) : (uint8_t[]){ 0x80, 0x18, 0x01 }[(i - 2) % 3];
	assert_int_equal(um_unpack(&got, &header, 10, endless, sizeof(endless)), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_bytes),
		cmocka_unit_test(test_fixed_10_bits),
		cmocka_unit_test(test_fixed_5_bits),
		cmocka_unit_test(test_two_length_indicators),
		cmocka_unit_test(test_odd_indicators_are_padded),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_longest_indicator),
		cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
