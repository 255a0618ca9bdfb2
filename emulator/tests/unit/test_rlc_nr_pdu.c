/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of NR's RLC, bit by bit, as TS 38.322 6.2.2 draws them; some were taken from captures
 * that Wireshark reads so.
 */
#include "unit.h"

#include "rlc/nr/pdu.h"
#include "rlc/nr/status.h"

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })

static uint8_t buf[64];

static void expect(uint32_t n, const uint8_t *bytes, size_t len)
{
	assert_int_equal(n, len);
	assert_memory_equal(buf, bytes, len);
}

static void um(uint8_t sn_bits, enum nr_si si, uint32_t sn, uint16_t so, const uint8_t *bytes,
               size_t len)
{
	struct nr_pdu pdu = { .si = si, .sn = sn, .so = so }, read;

	memset(buf, 0xee, sizeof(buf));
	expect(nr_um_pack(&pdu, sn_bits, buf), bytes, len);
	assert_int_equal(nr_um_header_bytes(sn_bits, si), len);
	assert_int_equal(nr_um_unpack(&read, sn_bits, buf, len + 1), len);
	assert_int_equal(read.si, si);
	assert_int_equal(read.sn, sn);
	assert_int_equal(read.so, so);
	assert_int_equal(nr_um_unpack(&read, sn_bits, buf, len), -EBADMSG); /* no data */
}

static void test_um(void **state)
{
	(void)state;
	um(6, NR_SI_ALL, 0, 0, BYTES(0x00));
	um(12, NR_SI_ALL, 0, 0, BYTES(0x00));
	um(6, NR_SI_FIRST, 0x2a, 0, BYTES(0x6a));
	um(6, NR_SI_LAST, 63, 0x1234, BYTES(0xbf, 0x12, 0x34));
	um(6, NR_SI_MIDDLE, 1, 1, BYTES(0xc1, 0x00, 0x01));
	um(12, NR_SI_FIRST, 0xabc, 0, BYTES(0x4a, 0xbc));
	um(12, NR_SI_LAST, 0xfff, 1499, BYTES(0x8f, 0xff, 0x05, 0xdb));
	um(12, NR_SI_MIDDLE, 0, 256, BYTES(0xc0, 0x00, 0x01, 0x00));
}

static void am(uint8_t sn_bits, enum nr_si si, uint32_t sn, uint16_t so, bool poll,
               const uint8_t *bytes, size_t len)
{
	struct nr_pdu pdu = { .si = si, .sn = sn, .so = so, .poll = poll }, read;

	memset(buf, 0xee, sizeof(buf));
	expect(nr_am_pack(&pdu, sn_bits, buf), bytes, len);
	assert_int_equal(nr_am_header_bytes(sn_bits, si), len);
	assert_int_equal(nr_am_unpack(&read, sn_bits, buf, len + 1), len);
	assert_true(nr_am_is_data(buf));
	assert_int_equal(read.si, si);
	assert_int_equal(read.sn, sn);
	assert_int_equal(read.so, so);
	assert_int_equal(read.poll, poll);
	assert_int_equal(nr_am_unpack(&read, sn_bits, buf, len), -EBADMSG);
}

static void test_am(void **state)
{
	(void)state;
	am(18, NR_SI_ALL, 0, 0, true, BYTES(0xc0, 0x00, 0x00));
	am(18, NR_SI_FIRST, 0x3ffff, 0, false, BYTES(0x93, 0xff, 0xff));
	am(18, NR_SI_LAST, 0x2abcd, 0x05dc, true, BYTES(0xe2, 0xab, 0xcd, 0x05, 0xdc));
	am(18, NR_SI_MIDDLE, 0x10000, 1, false, BYTES(0xb1, 0x00, 0x00, 0x00, 0x01));
	am(12, NR_SI_ALL, 0xabc, 0, false, BYTES(0x8a, 0xbc));
	am(12, NR_SI_FIRST, 0x001, 0, true, BYTES(0xd0, 0x01));
	am(12, NR_SI_LAST, 0xfff, 0xfffe, false, BYTES(0xaf, 0xff, 0xff, 0xfe));
}

/* A receiver ignores reserved bits; a segment that is not the first cannot start at 0. */
static void test_what_a_receiver_takes(void **state)
{
	struct nr_pdu read;

	(void)state;
	assert_int_equal(nr_um_unpack(&read, 6, BYTES(0x3f, 1)), 1);
	assert_int_equal(nr_um_unpack(&read, 12, BYTES(0x70, 0x05, 1)), 2);
	assert_int_equal(read.sn, 5);
	assert_int_equal(nr_am_unpack(&read, 18, BYTES(0x8c, 0x00, 0x07, 1)), 3);
	assert_int_equal(read.sn, 7);
	assert_int_equal(nr_um_unpack(&read, 6, BYTES(0x81, 0, 0, 1)), -EBADMSG);
	assert_int_equal(nr_am_unpack(&read, 12, BYTES(0xb0, 1, 0, 0, 1)), -EBADMSG);
	assert_int_equal(nr_am_unpack(&read, 12, BYTES(0x00, 1, 1)), -EBADMSG); /* control */
	assert_int_equal(nr_um_unpack(&read, 6, buf, 0), -EBADMSG);
	assert_int_equal(nr_am_unpack(&read, 18, buf, 0), -EBADMSG);
}

/* --- STATUS PDUs --- */

static struct nr_nack whole(uint32_t sn, uint16_t range)
{
	return (struct nr_nack){ .sn = sn, .range = range, .so_end = NR_SO_END };
}

static struct nr_nack part(uint32_t sn, uint16_t range, uint16_t so_start, uint16_t so_end)
{
	return (struct nr_nack){
		.sn = sn, .range = range, .has_so = true, .so_start = so_start, .so_end = so_end
	};
}

static void status(uint8_t sn_bits, uint32_t ack_sn, uint32_t n, const struct nr_nack *nack,
                   const uint8_t *bytes, size_t len)
{
	struct nr_status_writer w;
	struct nr_status_reader r;
	struct nr_nack read;
	uint32_t size = NR_STATUS_HEADER;

	memset(buf, 0xee, sizeof(buf));
	nr_status_start(&w, sn_bits, buf);
	for (uint32_t i = 0; i < n; i++) {
		nr_status_add(&w, &nack[i]);
		size += nr_nack_bytes(&nack[i], sn_bits);
	}
	expect(nr_status_end(&w, ack_sn), bytes, len);
	assert_int_equal(w.n, n);
	assert_int_equal(size, len);
	assert_int_equal(nr_status_open(&r, sn_bits, buf, len), 0);
	assert_int_equal(r.ack_sn, ack_sn);
	assert_int_equal(r.n, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(nr_status_next(&r, &read));
		assert_memory_equal(&read.sn, &nack[i].sn, sizeof(read.sn));
		assert_int_equal(read.range, nack[i].range);
		assert_int_equal(read.has_so, nack[i].has_so);
		assert_int_equal(read.so_start, nack[i].so_start);
		assert_int_equal(read.so_end, nack[i].so_end);
	}
	assert_false(nr_status_next(&r, &read));
}

static void test_status(void **state)
{
	(void)state;
	status(18, 3, 0, NULL, BYTES(0x00, 0x00, 0x0c));
	status(18, 0x3ffff, 0, NULL, BYTES(0x0f, 0xff, 0xfc));
	status(12, 0xabc, 0, NULL, BYTES(0x0a, 0xbc, 0x00));
	/* bytes 0 to 199 of 1, all of 2 and 3 */
	status(18, 4, 2, (struct nr_nack[]){ part(1, 1, 0, 199), whole(2, 2) },
	       BYTES(0x00, 0x00, 0x12, 0x00, 0x00, 0x70, 0x00, 0x00, 0x00, 0xc7, 0x00, 0x00, 0x88,
	             0x02));
	status(12, 0x005, 1, (struct nr_nack[]){ whole(3, 1) },
	       BYTES(0x00, 0x05, 0x80, 0x00, 0x30));
	status(12, 0x800, 3,
	       (struct nr_nack[]){ whole(0x7f0, 1), part(0x7f1, 3, 300, 99), whole(0x7ff, 1) },
	       BYTES(0x08, 0x00, 0x80, 0x7f, 0x08, 0x7f, 0x1e, 0x01, 0x2c, 0x00, 0x63, 0x03, 0x7f,
	             0xf0));
	/* over the end of the SNs */
	status(12, 2, 2, (struct nr_nack[]){ whole(4094, 2), part(0, 1, 5, NR_SO_END) },
	       BYTES(0x00, 0x02, 0x80, 0xff, 0xea, 0x02, 0x00, 0x04, 0x00, 0x05, 0xff, 0xff));
}

/* As Wireshark reads it in a capture: a range of one SDU says no more than none. */
static void test_status_of_a_capture(void **state)
{
	struct nr_status_reader r;
	struct nr_nack nack;

	(void)state;
	assert_int_equal(nr_status_open(&r, 18,
	                                BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x70, 0x00, 0x00, 0x00,
	                                      0xc7, 0x00, 0x00, 0x88, 0x01)),
	                 0);
	assert_int_equal(r.ack_sn, 3);
	assert_true(nr_status_next(&r, &nack));
	assert_int_equal(nack.sn, 1);
	assert_int_equal(nack.so_end, 199);
	assert_true(nr_status_next(&r, &nack));
	assert_int_equal(nack.sn, 2);
	assert_int_equal(nack.range, 1);
	assert_false(nack.has_so);
	assert_false(nr_status_next(&r, &nack));
}

static void refused(uint8_t sn_bits, const uint8_t *bytes, size_t len)
{
	struct nr_status_reader r;

	assert_int_equal(nr_status_open(&r, sn_bits, bytes, len), -EBADMSG);
}

static void test_status_refused(void **state)
{
	struct nr_status_reader r;

	(void)state;
	refused(18, BYTES(0x00, 0x00));             /* short */
	refused(18, BYTES(0x80, 0x00, 0x0c));       /* data */
	refused(18, BYTES(0x10, 0x00, 0x0c));       /* another type */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0, 0)); /* a NACK starts and ends */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x50, 0, 0, 0)); /* within SOs */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x48));          /* before the range */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x48, 0));       /* a range of none */
	refused(18, BYTES(0x00, 0x00, 0x12, 0x00, 0x00, 0x60, 0x00, 0x00, 0x88, 0));
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0xc0));    /* 3 is not before 3 */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x48, 3)); /* nor are 1 to 3 */
	/* 2, then 1 */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0xa0, 0x00, 0x00, 0x40));
	/* from 5 to 4 of one SDU; of two that is legal */
	refused(18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x50, 0, 5, 0, 4));
	assert_int_equal(
		nr_status_open(&r, 18, BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x58, 0, 5, 0, 4, 2)),
		0);
	/* the same SDU again: another part of it */
	assert_int_equal(nr_status_open(&r, 18,
	                                BYTES(0x00, 0x00, 0x0e, 0x00, 0x00, 0x70, 0, 0, 0, 4, 0x00,
	                                      0x00, 0x50, 0, 9, 0, 9)),
	                 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_um),
		cmocka_unit_test(test_am),
		cmocka_unit_test(test_what_a_receiver_takes),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_status_of_a_capture),
		cmocka_unit_test(test_status_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
