/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD PDUs, AMD PDU segments and STATUS PDUs, bit by bit.
 * Source: TS 36.322 6.2.1.4, 6.2.1.5, 6.2.1.6, 6.2.2
 */
#include "unit.h"

#include "base/rng.h"
#include "rlc/lte/am/pdu.h"

static uint8_t buf[3000];
static struct am_status status;

static void expect_bytes(const uint8_t *bytes, size_t n)
{
	assert_memory_equal(buf, bytes, n);
	assert_int_equal(buf[n], 0x55); /* nothing beyond */
}

static void expect_packed(const struct am_pdu *pdu, const uint8_t *bytes, size_t n)
{
	memset(buf, 0x55, sizeof(buf));
	assert_int_equal(am_pack(pdu, buf), n);
	assert_int_equal(am_header_bytes(pdu->rf, pdu->n), n);
	expect_bytes(bytes, n);
}

/* The header of @data bytes is read as @pdu again. */
static void expect_unpacked(const struct am_pdu *pdu, size_t data)
{
	size_t size = am_header_bytes(pdu->rf, pdu->n) + data, header;
	struct am_pdu back;

	assert_int_equal(am_unpack(&back, &header, buf, size), 0);
	assert_int_equal(header, size - data);
	assert_int_equal(back.rf, pdu->rf);
	assert_int_equal(back.poll, pdu->poll);
	assert_int_equal(back.fi, pdu->fi);
	assert_int_equal(back.sn, pdu->sn);
	assert_int_equal(back.lsf, pdu->rf ? pdu->lsf : true);
	assert_int_equal(back.so, pdu->rf ? pdu->so : 0);
	assert_int_equal(back.n, pdu->n);
	for (uint16_t i = 0; i < pdu->n; i++)
		assert_int_equal(back.len[i], pdu->len[i]);
}

/* D/C 1, RF 0, P 0, FI 00, E 0, SN 10 0101 1010: 1000 0010 0101 1010 */
static void test_one_element(void **state)
{
	static const uint8_t bytes[] = { 0x82, 0x5a };
	struct am_pdu pdu = { .sn = 0x25a, .n = 1, .len = { 40 } };

	(void)state;
	expect_packed(&pdu, bytes, sizeof(bytes));
	expect_unpacked(&pdu, 40);
}

/* Each of the flags alone, then all of the fixed part. */
static void test_fixed_part(void **state)
{
	static const uint8_t poll[] = { 0xa0, 0x00 }, first[] = { 0x90, 0x00 };
	static const uint8_t last[] = { 0x88, 0x00 }, all[] = { 0xbb, 0xff };
	struct am_pdu pdu = { .poll = true, .n = 1, .len = { 1 } };

	(void)state;
	expect_packed(&pdu, poll, 2);
	expect_unpacked(&pdu, 1);
	pdu = (struct am_pdu){ .fi = RLC_FI_FIRST_CONTINUES, .n = 1, .len = { 1 } };
	expect_packed(&pdu, first, 2);
	expect_unpacked(&pdu, 1);
	pdu.fi = RLC_FI_LAST_CONTINUES;
	expect_packed(&pdu, last, 2);
	expect_unpacked(&pdu, 1);
	pdu.fi = 3;
	pdu.poll = true;
	pdu.sn = 1023;
	expect_packed(&pdu, all, 2);
	expect_unpacked(&pdu, 1);
}

/*
 * Two elements, 5 bytes and 3: E 1; then E 0, LI 000 0000 0101, padding 0000:
 * 1000 0100 0000 0001 | 0000 0000 0101 0000
 */
static void test_two_elements(void **state)
{
	static const uint8_t bytes[] = { 0x84, 0x01, 0x00, 0x50 };
	struct am_pdu pdu = { .sn = 1, .n = 2, .len = { 5, 3 } };

	(void)state;
	expect_packed(&pdu, bytes, sizeof(bytes));
	expect_unpacked(&pdu, 8);
}

/*
 * Three elements, 1500 bytes (101 1101 1100), 42 (000 0010 1010) and 7:
 * E 1 LI | E 0 LI: 1101 1101 1100 0000 0010 1010
 */
static void test_three_elements(void **state)
{
	static const uint8_t bytes[] = { 0x84, 0x01, 0xdd, 0xc0, 0x2a };
	struct am_pdu pdu = { .sn = 1, .n = 3, .len = { 1500, 42, 7 } };

	(void)state;
	expect_packed(&pdu, bytes, sizeof(bytes));
	expect_unpacked(&pdu, 1549);
}

/* RF 1 P 1 FI 11, SN 3; LSF 0, SO 0x1234: the fixed part has four bytes. */
static void test_segment(void **state)
{
	static const uint8_t bytes[] = { 0xf8, 0x03, 0x12, 0x34 };
	struct am_pdu pdu = { .rf = true, .poll = true, .fi = 3, .sn = 3, .so = 0x1234, .n = 1 };

	(void)state;
	pdu.len[0] = 9;
	expect_packed(&pdu, bytes, sizeof(bytes));
	expect_unpacked(&pdu, 9);
}

/* The last segment with the largest SO and two elements: the indicator comes behind SO. */
static void test_last_segment(void **state)
{
	static const uint8_t bytes[] = { 0xc4, 0x00, 0xff, 0xff, 0x7f, 0xf0 };
	struct am_pdu pdu = { .rf = true, .lsf = true, .so = 0x7fff, .n = 2, .len = { 2047, 1 } };

	(void)state;
	expect_packed(&pdu, bytes, sizeof(bytes));
	expect_unpacked(&pdu, 2048);
}

static void expect_bad(const uint8_t *bytes, size_t n)
{
	struct am_pdu pdu;
	size_t header;

	assert_int_equal(am_unpack(&pdu, &header, bytes, n), -EBADMSG);
}

/* No data behind the header, or no whole header. */
static void test_truncated(void **state)
{
	static const uint8_t plain[] = { 0x80, 0x01, 0x11 };
	static const uint8_t segment[] = { 0xc0, 0x01, 0x80, 0x00, 0x11 };
	static const uint8_t two[] = { 0x84, 0x01, 0x00, 0x20, 0x11, 0x11, 0x22 };
	struct am_pdu pdu;
	size_t header;

	(void)state;
	for (size_t n = 0; n < sizeof(plain); n++)
		expect_bad(plain, n);
	for (size_t n = 0; n < sizeof(segment); n++)
		expect_bad(segment, n);
	for (size_t n = 0; n < sizeof(two); n++) /* the last element needs a byte, too */
		expect_bad(two, n);
	assert_int_equal(am_unpack(&pdu, &header, plain, sizeof(plain)), 0);
	assert_int_equal(am_unpack(&pdu, &header, segment, sizeof(segment)), 0);
	assert_int_equal(am_unpack(&pdu, &header, two, sizeof(two)), 0);
}

/* A control PDU; LI 0, which is reserved; length indicators without end. */
static void test_garbage(void **state)
{
	static const uint8_t control[] = { 0x00, 0x04, 0x00, 0x00 };
	static const uint8_t li_0[] = { 0x84, 0x01, 0x00, 0x00, 0x11, 0x11 };

	(void)state;
	assert_false(am_is_data(control));
	expect_bad(control, sizeof(control));
	expect_bad(li_0, sizeof(li_0));
	memset(buf, 0xff, sizeof(buf));
	expect_bad(buf, sizeof(buf));
}

/* Whatever is read lies within the PDU: the lengths add up to it exactly. */
static void test_random_bytes(void **state)
{
	uint32_t good = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "am", 0);
	for (int round = 0; round < 20000; round++) {
		size_t n = rng_below(&rng, 64), header, sum;
		struct am_pdu pdu;

		for (size_t i = 0; i < n; i++)
			buf[i] = (uint8_t)rng_u32(&rng);
		if (am_unpack(&pdu, &header, buf, n) < 0)
			continue;
		good++;
		sum = header;
		for (uint16_t i = 0; i < pdu.n; i++) {
			assert_true(pdu.len[i] > 0);
			sum += pdu.len[i];
		}
		assert_int_equal(sum, n);
	}
	assert_true(good > 1000);
}

static void expect_status(const uint8_t *bytes, size_t n, uint16_t n_so)
{
	struct am_status back;

	memset(buf, 0x55, sizeof(buf));
	assert_int_equal(am_status_pack(&status, buf), n);
	assert_int_equal(am_status_bytes(status.n, n_so), n);
	expect_bytes(bytes, n);
	assert_false(am_is_data(buf));
	assert_int_equal(am_status_unpack(&back, buf, n), 0);
	assert_int_equal(back.ack_sn, status.ack_sn);
	assert_int_equal(back.n, status.n);
	for (uint16_t i = 0; i < status.n; i++) {
		const struct am_nack *was = &status.nack[i], *is = &back.nack[i];

		assert_int_equal(is->sn, was->sn);
		assert_int_equal(is->has_so, was->has_so);
		assert_int_equal(is->so_start, was->has_so ? was->so_start : 0);
		assert_int_equal(is->so_end, was->has_so ? was->so_end : AM_SO_END);
	}
	for (size_t cut = 0; cut < n; cut++) /* cut short it is refused */
		assert_int_equal(am_status_unpack(&back, buf, cut), -EBADMSG);
}

/* D/C 0 CPT 000 ACK_SN 10 0101 1010 E1 0 and one bit of padding: 0000 1001011010 0 | 0 */
static void test_status_all_received(void **state)
{
	static const uint8_t bytes[] = { 0x09, 0x68 };

	(void)state;
	status = (struct am_status){ .ack_sn = 0x25a };
	expect_status(bytes, sizeof(bytes), 0);
}

/*
 * ACK_SN 5, NACK_SN 3, 27 bits: 0000 0000000101 1 | 0000000011 0 0 | 00000
 */
static void test_status_one_nack(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x16, 0x01, 0x80 };

	(void)state;
	status = (struct am_status){ .ack_sn = 5, .n = 1, .nack = { { .sn = 3 } } };
	expect_status(bytes, sizeof(bytes), 0);
}

/*
 * ACK_SN 1023, NACK_SN 1, E1 0 E2 1, SOstart 10, SOend 19, 57 bits:
 * 0000 1111111111 1 | 0000000001 0 1 000000000001010 000000000010011 | 0000000
 */
static void test_status_segment(void **state)
{
	static const uint8_t bytes[] = { 0x0f, 0xfe, 0x00, 0xa0, 0x02, 0x80, 0x09, 0x80 };

	(void)state;
	status = (struct am_status){
		.ack_sn = 1023,
		.n = 1,
		.nack = { { .sn = 1, .has_so = true, .so_start = 10, .so_end = 19 } },
	};
	expect_status(bytes, sizeof(bytes), 1);
}

/*
 * ACK_SN 4; NACK 1; NACK 2 from byte 256 to the last one; NACK 3. 15 + 12 + 42 + 12 = 81 bits:
 * 0000 0000000100 1 | 0000000001 1 0 | 0000000010 1 1 000000100000000 111111111111111 |
 * 0000000011 0 0 | 0000000
 */
static void test_status_mixed(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x12, 0x00, 0xc0, 0x16, 0x04,
		                         0x03, 0xff, 0xf8, 0x06, 0x00 };

	(void)state;
	status = (struct am_status){
		.ack_sn = 4,
		.n = 3,
		.nack = { { .sn = 1 },
		          { .sn = 2, .has_so = true, .so_start = 256, .so_end = AM_SO_END },
		          { .sn = 3 } },
	};
	expect_status(bytes, sizeof(bytes), 1);
}

/* A whole window missing, and one NACK more than the window has. */
static void test_status_full(void **state)
{
	size_t n;

	(void)state;
	status = (struct am_status){ .ack_sn = AM_NACKS_MAX, .n = AM_NACKS_MAX };
	for (uint16_t i = 0; i < AM_NACKS_MAX; i++)
		status.nack[i].sn = i;
	n = am_status_pack(&status, buf);
	assert_int_equal(n, (15 + 12 * 512 + 7) / 8);
	assert_int_equal(am_status_unpack(&status, buf, n), 0);
	assert_int_equal(status.n, AM_NACKS_MAX);
	assert_int_equal(status.nack[511].sn, 511);
	memset(buf, 0xff, n + 100);
	buf[0] = 0x0f;
	for (size_t bit = 26; bit < 8 * (n + 100); bit += 12) /* E2 0 */
		buf[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	assert_int_equal(am_status_unpack(&status, buf, n + 100), -EBADMSG);
}

/* A data PDU and another control PDU type are not STATUS PDUs. */
/* Whichever field the end comes before. */
static void test_status_cut_anywhere(void **state)
{
	static struct am_status back;

	(void)state;
	for (unsigned with_so = 0; with_so < 256; with_so++) {
		size_t n;

		status = (struct am_status){ .ack_sn = 100, .n = 8 };
		for (uint16_t i = 0; i < 8; i++)
			status.nack[i] = (struct am_nack){ .sn = i,
				                           .has_so = with_so >> i & 1,
				                           .so_end = AM_SO_END };
		n = am_status_pack(&status, buf);
		assert_int_equal(am_status_unpack(&back, buf, n), 0);
		for (size_t cut = 0; cut < n; cut++)
			assert_int_equal(am_status_unpack(&back, buf, cut), -EBADMSG);
	}
}

static void test_status_other_types(void **state)
{
	static const uint8_t data[] = { 0x80, 0x01, 0x11 }, cpt_1[] = { 0x10, 0x00 };

	(void)state;
	assert_int_equal(am_status_unpack(&status, data, sizeof(data)), -EBADMSG);
	assert_int_equal(am_status_unpack(&status, cpt_1, sizeof(cpt_1)), -EBADMSG);
}

static void test_status_random_bytes(void **state)
{
	uint32_t good = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "status", 0);
	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + rng_below(&rng, 40), n_so = 0;

		for (size_t i = 0; i < n; i++)
			buf[i] = (uint8_t)rng_u32(&rng);
		buf[0] &= 0x0f;
		if (am_status_unpack(&status, buf, n) < 0)
			continue;
		good++;
		for (uint16_t i = 0; i < status.n; i++)
			n_so += status.nack[i].has_so;
		assert_true(am_status_bytes(status.n, (uint16_t)n_so) <= n);
	}
	assert_true(good > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_element),
		cmocka_unit_test(test_fixed_part),
		cmocka_unit_test(test_two_elements),
		cmocka_unit_test(test_three_elements),
		cmocka_unit_test(test_segment),
		cmocka_unit_test(test_last_segment),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_status_all_received),
		cmocka_unit_test(test_status_one_nack),
		cmocka_unit_test(test_status_segment),
		cmocka_unit_test(test_status_mixed),
		cmocka_unit_test(test_status_full),
		cmocka_unit_test(test_status_cut_anywhere),
		cmocka_unit_test(test_status_other_types),
		cmocka_unit_test(test_status_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
