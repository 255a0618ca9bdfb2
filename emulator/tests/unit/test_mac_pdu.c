/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MAC PDUs, byte by byte. Source: TS 36.321 6.1.2, 6.1.3, 6.1.5, 6.2 */
#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "mac/lte/pdu.h"
#include "rlc/common/lcid.h"

#define TBS_MAX 9422

static uint8_t sdu[TBS_MAX];
static uint8_t buf[TBS_MAX];

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sdu); i++)
		sdu[i] = (uint8_t)(i * 7 + 1);
	return 0;
}

/* Pack an SDU of @len bytes for LCID 4 into @tbs bytes and read it back. */
static void round_trip(uint32_t len, uint32_t tbs)
{
	struct mac_pdu pdu = { .n_sdus = 1, .sdu = { { .lcid = LCID_UM_10 + 1, .len = len } } },
		       got;

	memset(buf, 0xee, sizeof(buf));
	mac_pack(&pdu, sdu, buf, tbs);
	assert_int_equal(mac_unpack(&got, buf, tbs), 0);
	assert_int_equal(got.sdu[0].lcid, LCID_UM_10 + 1);
	assert_int_equal(got.sdu[0].len, len);
	assert_int_equal(got.sdu[0].off, pdu.sdu[0].off);
	assert_memory_equal(buf + got.sdu[0].off, sdu, len);
	if (tbs < sizeof(buf))
		assert_int_equal(buf[tbs], 0xee); /* nothing behind the block */
}

/* SDU of 10 bytes: the header for every padding from none to four bytes. */
static void test_padding(void **state)
{
	static const struct {
		uint32_t tbs;
		uint32_t header_len;
		uint8_t header[3];
	} cases[] = {
		{ 11, 1, { 0x04 } },             /* none: SDU alone, no length */
		{ 12, 2, { 0x3f, 0x04 } },       /* one: padding subheader first */
		{ 13, 3, { 0x3f, 0x3f, 0x04 } }, /* two: two of them */
		{ 14, 3, { 0x24, 10, 0x1f } },   /* three: length, padding last */
		{ 15, 3, { 0x24, 10, 0x1f } },   /* and so on, with zeros behind */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mac_pdu pdu = { .n_sdus = 1,
			               .sdu = { { .lcid = LCID_UM_10 + 1, .len = 10 } } };

		mac_pack(&pdu, sdu, buf, cases[i].tbs);
		assert_int_equal(pdu.sdu[0].off, cases[i].header_len);
		assert_memory_equal(buf, cases[i].header, cases[i].header_len);
		assert_memory_equal(buf + pdu.sdu[0].off, sdu, 10);
		assert_int_equal(pdu.padding, cases[i].tbs - 11);
		for (uint32_t at = pdu.sdu[0].off + 10; at < cases[i].tbs; at++)
			assert_int_equal(buf[at], 0);
	}
}

/* L has 7 bits up to 127, then 15 bits with F set. Source: 6.2.1 */
static void test_length_7_and_15_bits(void **state)
{
	static const uint8_t short_l[] = { 0x24, 127, 0x1f };
	static const uint8_t long_l[] = { 0x24, 0x80, 128, 0x1f };
	static const uint8_t longer_l[] = { 0x24, 0x97, 0x70, 0x1f }; /* 6000 */
	struct mac_pdu pdu = { .n_sdus = 1, .sdu = { { .lcid = LCID_UM_10 + 1 } } };

	(void)state;
	pdu.sdu[0].len = 127;
	mac_pack(&pdu, sdu, buf, 200);
	assert_memory_equal(buf, short_l, sizeof(short_l));
	pdu.sdu[0].len = 128;
	mac_pack(&pdu, sdu, buf, 200);
	assert_memory_equal(buf, long_l, sizeof(long_l));
	pdu.sdu[0].len = 6000;
	mac_pack(&pdu, sdu, buf, 7000);
	assert_memory_equal(buf, longer_l, sizeof(longer_l));
}

static void test_round_trip_every_padding(void **state)
{
	static const uint32_t lens[] = { 1, 2, 126, 127, 128, 129, 1500, 9000 };

	(void)state;
	for (size_t i = 0; i < COUNT(lens); i++)
		for (uint32_t extra = 1; extra <= 9; extra++)
			round_trip(lens[i], lens[i] + extra);
	round_trip(TBS_MAX - 1, TBS_MAX);
}

/* A STATUS PDU of 2 bytes, 200 bytes again, 90 new ones; every SDU but a last one has a length. */
static void test_several_sdus(void **state)
{
	static const uint8_t padded[] = { 0x23, 2, 0x23, 0x80, 200, 0x23, 90, 0x1f };
	static const uint8_t full[] = { 0x23, 2, 0x23, 0x80, 200, 0x03 };
	const struct mac_pdu three = {
		.n_sdus = 3,
		.sdu = { { .lcid = LCID_UM_10, .len = 2 },
		         { .lcid = LCID_UM_10, .len = 200 },
		         { .lcid = LCID_UM_10, .len = 90 } },
	};
	struct mac_pdu got, pdu = three;

	(void)state;
	mac_pack(&pdu, sdu, buf, 310);
	assert_memory_equal(buf, padded, sizeof(padded));
	assert_memory_equal(buf + sizeof(padded), sdu, 292);
	assert_int_equal(mac_unpack(&got, buf, 310), 0);
	assert_int_equal(got.n_sdus, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(got.sdu[i].len, three.sdu[i].len);
		assert_int_equal(got.sdu[i].off, pdu.sdu[i].off);
	}
	pdu = three;
	mac_pack(&pdu, sdu, buf, 298);
	assert_int_equal(pdu.padding, 0);
	assert_memory_equal(buf, full, sizeof(full));
	assert_memory_equal(buf + sizeof(full), sdu, 292);
}

/* Nine SDUs, one more than there is room for. */
static void test_too_many_sdus(void **state)
{
	uint8_t bytes[32];
	struct mac_pdu got;
	uint32_t at = 0;

	(void)state;
	for (int i = 0; i < MAC_SDUS_MAX; i++) {
		bytes[at++] = 0x23;
		bytes[at++] = 1;
	}
	bytes[at++] = 0x03;
	memset(bytes + at, 0, sizeof(bytes) - at);
	assert_int_equal(mac_unpack(&got, bytes, at + MAC_SDUS_MAX + 1), -EBADMSG);
	bytes[at - 1] = 0x1f; /* padding instead of the last one */
	assert_int_equal(mac_unpack(&got, bytes, at + MAC_SDUS_MAX + 1), 0);
}

/* C-RNTI 0x1234 and short BSR, LCG 1, level 33: the PDU of a RAR's grant. */
static void test_crnti_and_short_bsr(void **state)
{
	static const uint8_t expected[] = { 0x3b, 0x3d, 0x1f, 0x12, 0x34, 0x61, 0, 0 };
	struct mac_pdu got, pdu = {
		.has_crnti = true,
		.crnti = 0x1234,
		.bsr = { .present = true, .lcg = 1, .index = { 9, 33 } },
	};

	(void)state;
	mac_pack(&pdu, NULL, buf, sizeof(expected));
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(pdu.padding, 3);
	assert_int_equal(mac_unpack(&got, buf, sizeof(expected)), 0);
	assert_true(got.has_crnti);
	assert_int_equal(got.crnti, 0x1234);
	assert_true(got.bsr.present);
	assert_false(got.bsr.is_long);
	assert_int_equal(got.bsr.lcg, 1);
	assert_int_equal(got.bsr.index[1], 33);
	assert_int_equal(got.bsr.index[0], 0); /* a short BSR speaks of one group */
	assert_int_equal(got.n_sdus, 0);
}

/* Levels 1, 2, 3, 63: 000001 000010 000011 111111 */
static void test_long_bsr(void **state)
{
	static const uint8_t expected[] = { 0x3e, 0x03, 0x04, 0x20, 0xff };
	struct mac_pdu got, pdu = {
		.bsr = { .present = true, .is_long = true, .index = { 1, 2, 3, 63 } },
		.n_sdus = 1,
		.sdu = { { .lcid = LCID_UM_10, .len = 5 } },
	};

	(void)state;
	mac_pack(&pdu, sdu, buf, 10); /* 2 subheaders, 3 bytes, 5 bytes: no padding */
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_memory_equal(buf + 5, sdu, 5);
	assert_int_equal(pdu.padding, 0);
	assert_int_equal(mac_unpack(&got, buf, 10), 0);
	assert_true(got.bsr.is_long);
	assert_memory_equal(got.bsr.index, pdu.bsr.index, LCG_COUNT);
	assert_int_equal(got.sdu[0].off, 5);
	assert_int_equal(got.sdu[0].len, 5);
}

/* Beside one subheader for the SDU: C-RNTI costs 3, BSR 2 (short) or 4 (long). */
static void test_sdu_room(void **state)
{
	struct mac_pdu pdu = { 0 };

	(void)state;
	assert_int_equal(mac_sdu_room(&pdu, 89, LCID_UM_10), 88);
	pdu.bsr.present = true;
	assert_int_equal(mac_sdu_room(&pdu, 89, LCID_UM_10), 86);
	pdu.bsr.is_long = true;
	assert_int_equal(mac_sdu_room(&pdu, 89, LCID_UM_10), 84);
	pdu.has_crnti = true;
	assert_int_equal(mac_sdu_room(&pdu, 89, LCID_UM_10), 81);
	assert_int_equal(mac_sdu_room(&pdu, 8, LCID_UM_10), 0);
	assert_int_equal(mac_sdu_room(&pdu, 2, LCID_UM_10), 0);
	pdu.n_sdus = 1;
	pdu.sdu[0] = (struct mac_sdu){ .lcid = LCID_UM_10 + 1, .len = 81 };
	mac_pack(&pdu, sdu, buf, 89);
	assert_int_equal(pdu.padding, 0);
}

/* Channel 34: LCID 16, then 34 - 32, then the length as ever. Source: TS 36.321
 * v15.3.0 6.1.2, 6.2.1
 */
static void test_extended_channel(void **state)
{
	static const uint8_t between[] = { 0x30, 2, 10, 0x25, 0x80, 200, 0x1f };
	static const uint8_t alone[] = { 0x10, 2 };
	struct mac_pdu got,
		pdu = { .n_sdus = 2,
		        .sdu = { { .lcid = 34, .len = 10 }, { .lcid = LCID_AM, .len = 200 } } };

	(void)state;
	mac_pack(&pdu, sdu, buf, 220);
	assert_memory_equal(buf, between, sizeof(between));
	assert_memory_equal(buf + sizeof(between), sdu, 210);
	assert_int_equal(pdu.padding, 6); /* with the last length */
	assert_int_equal(mac_unpack(&got, buf, 220), 0);
	assert_int_equal(got.n_sdus, 2);
	assert_int_equal(got.sdu[0].lcid, 34);
	assert_int_equal(got.sdu[1].lcid, LCID_AM);
	pdu = (struct mac_pdu){ .n_sdus = 1, .sdu = { { .lcid = 34, .len = 10 } } };
	assert_int_equal(mac_sdu_room(&(struct mac_pdu){ 0 }, 12, 34), 10);
	mac_pack(&pdu, sdu, buf, 12);
	assert_int_equal(pdu.padding, 0);
	assert_memory_equal(buf, alone, sizeof(alone));
	assert_memory_equal(buf + sizeof(alone), sdu, 10);
}

static void test_garbage(void **state)
{
	static const struct {
		uint32_t len;
		uint8_t bytes[16];
		const char *why;
	} cases[] = {
		{ 0, { 0 }, "empty" },
		{ 1, { 0x04 }, "SDU without bytes" },
		{ 3, { 0x44, 1, 2 }, "reserved bit" },
		{ 3, { 0x84, 1, 2 }, "reserved bit" },
		{ 3, { 0x00, 1, 2 }, "LCID 0, no CCCH here" },
		{ 3, { 0x0b, 1, 2 }, "LCID 11, no such bearer" },
		{ 1, { 0x10 }, "no extended LCID" },
		{ 3, { 0x10, 7, 2 }, "LCID 39, no such bearer" },
		{ 3, { 0x10, 0x42, 2 }, "reserved bit of an extended LCID" },
		{ 2, { 0x10, 2 }, "SDU without bytes behind an extended LCID" },
		{ 3, { 0x1c, 1, 2 }, "LCID 28, truncated BSR" },
		{ 1, { 0x24 }, "no length" },
		{ 2, { 0x24, 0x80 }, "half a length" },
		{ 2, { 0x24, 5 }, "no further subheader" },
		{ 5, { 0x24, 5, 0x1f, 1, 2 }, "length beyond the PDU" },
		{ 5, { 0x24, 0, 0x1f, 1, 2 }, "length zero" },
		{ 1, { 0x3f }, "padding subheader promises another" },
		{ 1, { 0x1d }, "short BSR missing" },
		{ 3, { 0x1e, 1, 2 }, "long BSR cut" },
		{ 2, { 0x1b, 1 }, "C-RNTI cut" },
		{ 4, { 0x3d, 0x1d, 1, 2 }, "two short BSRs" },
		{ 6, { 0x3d, 0x1e, 1, 2, 3, 4 }, "a short BSR and a long one" },
		{ 6, { 0x3b, 0x1b, 1, 2, 3, 4 }, "two C-RNTIs" },
		{ 16,
		  { 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f,
		    0x1f },
		  "too many subheaders" },
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mac_pdu got;

	(void)state;
	/* The PDU ends where memory does. */
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t *bytes = pages + page - cases[i].len;

		memcpy(bytes, cases[i].bytes, cases[i].len);
		if (mac_unpack(&got, bytes, cases[i].len) != -EBADMSG)
			fail_msg("accepted: %s", cases[i].why);
	}
	munmap(pages, 2 * page);
}

/* Anything read from random bytes lies inside them. */
static void test_random_bytes_stay_inside(void **state)
{
	uint32_t x = 1, accepted = 0;
	uint8_t bytes[16];
	struct mac_pdu got;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		uint32_t len;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			x = x * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(x >> 24);
		}
		bytes[0] &= 0x3f;
		len = bytes[15] % sizeof(bytes);
		if (mac_unpack(&got, bytes, len) < 0)
			continue;
		accepted++;
		for (uint32_t i = 0; i < got.n_sdus; i++)
			assert_true(got.sdu[i].off + got.sdu[i].len + got.padding <= len);
	}
	assert_true(accepted > 1000);
}

/*
 * E 0 T 1 RAPID 37 | R, timing advance 0 | hopping 0, RIV 00 0110 0100,
 * MCS 1011, TPC 011, delay 0, CQI 0 | temporary C-RNTI.
 * 20 bits: 0 0001100100 1011 011 0 0 -> 0x0c96c
 */
static void test_rar(void **state)
{
	static const uint8_t expected[MAC_RAR_BYTES] = { 0x65, 0x00, 0x00, 0xc9, 0x6c, 0x10, 0x25 };
	struct mac_rar got, rar = { .rapid = 37, .riv = 100, .mcs = 11, .temp_crnti = 0x1025 };
	uint8_t bytes[MAC_RAR_BYTES];

	(void)state;
	mac_rar_pack(&rar, bytes);
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_int_equal(mac_rar_unpack(&got, bytes, sizeof(bytes)), 0);
	assert_int_equal(got.rapid, 37);
	assert_int_equal(got.riv, 100);
	assert_int_equal(got.mcs, 11);
	assert_int_equal(got.temp_crnti, 0x1025);
	assert_int_equal(mac_rar_unpack(&got, bytes, MAC_RAR_BYTES - 1), -EBADMSG);
	bytes[0] &= 0xbf; /* T 0: a backoff indicator */
	assert_int_equal(mac_rar_unpack(&got, bytes, sizeof(bytes)), -EBADMSG);
	bytes[0] = 0xc0 | 37; /* E 1: another subheader */
	assert_int_equal(mac_rar_unpack(&got, bytes, sizeof(bytes)), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_length_7_and_15_bits),
		cmocka_unit_test(test_round_trip_every_padding),
		cmocka_unit_test(test_several_sdus),
		cmocka_unit_test(test_too_many_sdus),
		cmocka_unit_test(test_crnti_and_short_bsr),
		cmocka_unit_test(test_long_bsr),
		cmocka_unit_test(test_sdu_room),
		cmocka_unit_test(test_extended_channel),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_random_bytes_stay_inside),
		cmocka_unit_test(test_rar),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
