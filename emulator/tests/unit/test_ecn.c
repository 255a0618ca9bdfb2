/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ECN field of IPv4 and IPv6, and the checksum that goes with it. */
#include "unit.h"

#include "base/ecn.h"

/* 10.46.0.1 to 10.45.0.1, TTL 64, TCP, 20 + 8 bytes, DSCP 46. The words but the checksum add up to
 * 0x45b8 + 0x001c + 0x0001 + 0x4006 + 0x0a2e + 0x0001 + 0x0a2d + 0x0001 = 0x9a38 with an ECN field
 * of 0, and the checksum is what that lacks of 0xffff: 0x65c7. */
static const uint8_t ipv4[28] = { 0x45, 0xb8, 0,  28, 0, 1, 0,  0,  64, 6,
	                          0x65, 0xc7, 10, 46, 0, 1, 10, 45, 0,  1 };

static uint32_t checksum_of(const uint8_t *ip)
{
	return (uint32_t)(ip[10] << 8 | ip[11]);
}

static void test_ipv4(void **state)
{
	uint8_t packet[28];

	(void)state;
	memcpy(packet, ipv4, sizeof(packet));
	assert_int_equal(ecn_of(packet, sizeof(packet)), ECN_NOT_ECT);
	for (int from = 0; from < 4; from++)
		for (int to = 0; to < 4; to++) {
			ecn_set(packet, (enum ecn)from);
			ecn_set(packet, (enum ecn)to);
			assert_int_equal(ecn_of(packet, sizeof(packet)), to);
			assert_int_equal(packet[1] >> 2, 46);
			assert_int_equal(checksum_of(packet), 0x65c7 - to);
		}
	ecn_set(packet, ECN_NOT_ECT);
	assert_memory_equal(packet, ipv4, sizeof(packet));
}

/* The sum without the checksum is 0xfffd, 0xfffe, 0xffff and, with its carry, 0x0001. */
static void test_carry(void **state)
{
	uint8_t packet[20] = { 0x45, 0, 0, 0, 0xba, 0xfd, 0, 0, 0, 0, 0, 2 };
	static const uint32_t checksums[] = { 2, 1, 0, 0xfffe };

	(void)state;
	for (uint32_t i = 1; i < COUNT(checksums); i++) {
		ecn_set(packet, (enum ecn)i);
		/* 0 is 0xffff as well: both are the complement of a sum that is nothing. */
		assert_int_equal(checksum_of(packet) % 0xffff, checksums[i] % 0xffff);
	}
}

/* Traffic class 0xb8 lies across two bytes, before the flow label 0x12345. */
static void test_ipv6(void **state)
{
	uint8_t packet[48] = { 0x6b, 0x81, 0x23, 0x45 }, before[48];

	(void)state;
	memcpy(before, packet, sizeof(before));
	ecn_set(packet, ECN_CE);
	assert_int_equal(ecn_of(packet, sizeof(packet)), ECN_CE);
	assert_int_equal(packet[1], 0xb1);
	ecn_set(packet, ECN_ECT_1);
	assert_int_equal(ecn_of(packet, sizeof(packet)), ECN_ECT_1);
	ecn_set(packet, ECN_NOT_ECT);
	assert_memory_equal(packet, before, sizeof(before));
}

static void test_others(void **state)
{
	uint8_t packet[48] = { 0x45, 3 };

	(void)state;
	assert_int_equal(ecn_of(packet, 19), ECN_NOT_ECT); /* too short for a header */
	assert_int_equal(ecn_of(packet, 20), ECN_CE);
	packet[0] = 0x60;
	packet[1] = 0x30;
	assert_int_equal(ecn_of(packet, 39), ECN_NOT_ECT);
	assert_int_equal(ecn_of(packet, 40), ECN_CE);
	packet[0] = 0x55;
	packet[1] = 0x33;
	assert_int_equal(ecn_of(packet, 48), ECN_NOT_ECT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_carry),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
