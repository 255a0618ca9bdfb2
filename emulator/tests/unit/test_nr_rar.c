/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random Access Responses and MSGB, byte by byte. Source: TS 38.321 6.1.5, 6.1.5a, 6.2.3 */
#include "unit.h"

#include "mac/nr/rar.h"

static const struct nr_rar rar = { .rapid = 0x15,
	                           .timing_advance = 0xabc,
	                           .hopping = true,
	                           .frequency = 0x2aaa,
	                           .time = 0x9,
	                           .mcs = 0x6,
	                           .tpc = 0x5,
	                           .csi_request = true,
	                           .temp_crnti = 0x4601 };

static const struct nr_success success = { .contention = { 1, 2, 3, 4, 5, 6 },
	                                   .tpc = 1,
	                                   .harq_timing = 5,
	                                   .pucch = 9,
	                                   .timing_advance = 0x123,
	                                   .crnti = 0x4602 };

/* Timing advance 1010 1011 1100, grant 1 10101010101010 1001 0110 101 1. */
#define RAR_BYTES     0x55, 0xe6, 0xaa, 0xa9, 0x6b, 0x46, 0x01
#define SUCCESS_BYTES 1, 2, 3, 4, 5, 6, 0x0d, 0x91, 0x23, 0x46, 0x02

static void test_response(void **state)
{
	static const uint8_t expected[] = { 0x80 | 4,  0xc0 | 0x15, RAR_BYTES, 0x40 | 0x15,
		                            RAR_BYTES, 0,           0 };
	struct nr_ra_response r = { .backoff = 4, .n_rars = 2, .rar = { rar, rar } }, got;
	uint8_t buf[sizeof(expected)];

	(void)state;
	assert_int_equal(nr_rar_bytes(&r), sizeof(expected) - 2);
	nr_rar_pack(&r, buf, sizeof(buf));
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(nr_rar_unpack(&got, buf, sizeof(buf)), 0);
	assert_memory_equal(&got, &r, sizeof(r));
}

static void test_msgb(void **state)
{
	static const uint8_t expected[] = { 0xa0, SUCCESS_BYTES, 0x40 | 0x15, RAR_BYTES };
	struct nr_ra_response r = { .backoff = NR_BACKOFF_NONE,
		                    .n_rars = 1,
		                    .n_successes = 1,
		                    .rar = { rar },
		                    .success = { success } },
			      got;
	uint8_t buf[sizeof(expected)];

	(void)state;
	assert_int_equal(nr_msgb_bytes(&r), sizeof(expected));
	nr_msgb_pack(&r, buf, sizeof(buf));
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(nr_msgb_unpack(&got, buf, sizeof(buf)), 0);
	assert_memory_equal(&got, &r, sizeof(r));
	/* A successRAR is nothing that RA-RNTI's PDUs have. */
	assert_int_equal(nr_rar_unpack(&got, buf, sizeof(buf)), -EBADMSG);
}

/* A block that ends with the success, and one without options: no bit of it is another's. */
static void test_exact_and_empty(void **state)
{
	struct nr_ra_response r = { .backoff = NR_BACKOFF_NONE,
		                    .n_successes = 1,
		                    .success = { success } },
			      plain = { .backoff = NR_BACKOFF_NONE, .n_rars = 1 }, got;
	uint8_t buf[1 + NR_SUCCESS_BYTES];

	(void)state;
	nr_msgb_pack(&r, buf, sizeof(buf));
	assert_int_equal(nr_msgb_unpack(&got, buf, sizeof(buf)), 0);
	assert_memory_equal(&got, &r, sizeof(r));
	assert_int_equal(nr_msgb_unpack(&got, buf, sizeof(buf) - 1), -EBADMSG);
	nr_rar_pack(&plain, buf, 1 + NR_RAR_BYTES);
	assert_memory_equal(buf, "\x40\0\0\0\0\0\0", 1 + NR_RAR_BYTES);
	assert_int_equal(nr_rar_unpack(&got, buf, 1 + NR_RAR_BYTES), 0);
	assert_memory_equal(&got, &plain, sizeof(plain));
}

static void test_backoff_alone(void **state)
{
	struct nr_ra_response r = { .backoff = 14 }, got;
	uint8_t buf[3];

	(void)state;
	nr_rar_pack(&r, buf, sizeof(buf));
	assert_memory_equal(buf, "\x0e\0", 3);
	assert_int_equal(nr_rar_unpack(&got, buf, 1), 0);
	assert_int_equal(got.backoff, 14);
	assert_int_equal(got.n_rars, 0);
}

static void test_refused(void **state)
{
	static const uint8_t cut[] = { 0x40, RAR_BYTES }, reserved_backoff[] = { 0x0f },
			     r_bit[] = { 0x40, 0x80, 0, 0, 0, 0, 0, 0 },
			     late_backoff[] = { 0xc0, RAR_BYTES, 0x03 },
			     nine[] = { 0xc0, RAR_BYTES, 0xc0, RAR_BYTES, 0xc0, RAR_BYTES,
		                        0xc0, RAR_BYTES, 0xc0, RAR_BYTES, 0xc0, RAR_BYTES,
		                        0xc0, RAR_BYTES, 0xc0, RAR_BYTES, 0x40, RAR_BYTES };
	struct nr_ra_response got;

	(void)state;
	for (uint32_t len = 0; len < sizeof(cut); len++)
		assert_int_equal(nr_rar_unpack(&got, cut, len), -EBADMSG);
	assert_int_equal(nr_rar_unpack(&got, cut, sizeof(cut)), 0);
	assert_int_equal(nr_rar_unpack(&got, reserved_backoff, 1), -EBADMSG);
	assert_int_equal(nr_rar_unpack(&got, r_bit, sizeof(r_bit)), -EBADMSG);
	assert_int_equal(nr_rar_unpack(&got, late_backoff, sizeof(late_backoff)), -EBADMSG);
	assert_int_equal(nr_rar_unpack(&got, nine, sizeof(nine)), -EBADMSG);
	assert_int_equal(nr_msgb_unpack(&got, (const uint8_t *)"\x30", 1), -EBADMSG);
}

static void test_numbers(void **state)
{
	/* Source: TS 38.321 Table 7.2-1 */
	static const uint32_t backoff_ms[] = { 5,   10,  15,  20,  30,  40,  60,  80,
		                               120, 160, 240, 320, 480, 960, 1920 };

	(void)state;
	for (int8_t i = 0; i < (int8_t)COUNT(backoff_ms); i++)
		assert_int_equal(nr_backoff_ms(i), backoff_ms[i]);
	assert_int_equal(nr_backoff_ms(NR_BACKOFF_NONE), 0);
	/* 1 + 2 + 14 x 19 + 14 x 80 x 1; two carriers of 8 times 14 x 80 below MSGB-RNTI. */
	assert_int_equal(nr_ra_rnti(2, 19, 1), 1389);
	assert_int_equal(nr_msgb_rnti(2, 19, 1), 1389 + 17920);
}

/* Every allocation of a bandwidth part has a value of its own, below n (n + 1) / 2. */
static void test_frequency(void **state)
{
	bool seen[50 * 51 / 2] = { false };

	(void)state;
	for (uint16_t first = 0; first < 50; first++)
		for (uint16_t n = 1; first + n <= 50; n++) {
			uint16_t riv = nr_rar_frequency(50, first, n);

			assert_true(riv < sizeof(seen) && !seen[riv]);
			seen[riv] = true;
		}
	assert_int_equal(nr_rar_frequency(273, 0, 2), 273);
	assert_int_equal(nr_rar_frequency(273, 5, 1), 5);
	assert_int_equal(nr_rar_frequency(50, 0, 50), 50 + 49);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_response),        cmocka_unit_test(test_msgb),
		cmocka_unit_test(test_exact_and_empty), cmocka_unit_test(test_backoff_alone),
		cmocka_unit_test(test_refused),         cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
