/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MAC PDUs of NR, byte by byte. Source: TS 38.321 6.1.2, 6.1.3, 6.2.1 */
#include "unit.h"

#include "mac/nr/pdu.h"

#define SIZE_MAX_BYTES 160000

static uint8_t buf[SIZE_MAX_BYTES + 1];

static void put(struct nr_pdu_builder *b, uint8_t lcid, uint32_t len)
{
	uint8_t *at = nr_pdu_at(b);
	uint32_t off;

	for (uint32_t i = 0; i < len; i++)
		at[i] = (uint8_t)(i * 7 + lcid);
	off = nr_pdu_sdu(b, lcid, len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(buf[off + i], (uint8_t)(i * 7 + lcid));
}

/* An uplink block with data, a STATUS PDU, two reports and an element of each kind. */
static void test_uplink(void **state)
{
	static const uint8_t expected[] = {
		4,    3,    4,    11,   18,   /* SDU of 3 bytes */
		32,   1,    32,               /* SDU of a byte of the last channel */
		0x3d, 0x2a,                   /* short BSR: group 1, level 10 */
		0x39, 0x20, 0x30,             /* PHR */
		0x3a, 0x46, 0x01,             /* C-RNTI */
		0x37,                         /* CG confirmation */
		0x3e, 0x03, 0x03, 0x64, 0x65, /* long BSR: groups 0 and 1 */
		0x3f, 0,    0,                /* padding */
	};
	struct nr_bsr shorter = { NR_BSR_SHORT, 1 << 1, 1, { 10 } };
	struct nr_bsr longer = { NR_BSR_LONG, 3, 2, { 100, 101 } };
	struct nr_ce elements[] = {
		nr_bsr_ce(&shorter),
		{ .lcid = NR_LCID_UL_PHR, .phr = { .headroom = 32, .pcmax = 48 } },
		{ .lcid = NR_LCID_UL_CRNTI, .crnti = 0x4601 },
		{ .lcid = NR_LCID_UL_CG_CONFIRMATION },
		nr_bsr_ce(&longer),
	};
	uint32_t bytes = 0;
	struct nr_pdu_builder b;

	(void)state;
	memset(buf, 0xee, sizeof(buf));
	nr_pdu_start(&b, NR_UL, buf, sizeof(expected));
	for (size_t i = 0; i < COUNT(elements); i++)
		bytes += nr_ce_bytes(NR_UL, &elements[i]);
	assert_int_equal(bytes, 2 + NR_PHR_CE_BYTES + NR_CRNTI_CE_BYTES + NR_EMPTY_CE_BYTES + 5);
	nr_pdu_reserve(&b, bytes);
	put(&b, 4, 3);
	put(&b, 32, 1);
	assert_int_equal(nr_pdu_left(&b), 3);
	for (size_t i = 0; i < COUNT(elements); i++)
		nr_pdu_ce(&b, &elements[i]);
	assert_int_equal(nr_pdu_left(&b), 3);
	assert_int_equal(nr_pdu_end(&b), 3);
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(buf[sizeof(expected)], 0xee);
	assert_int_equal(nr_pdu_check(NR_UL, buf, sizeof(expected)), 3);
}

static void test_downlink(void **state)
{
	static const uint8_t expected[] = {
		0x3d, 0x5f,                /* TA: TAG 1, 31 */
		0x3e, 1,    2, 3, 4, 5, 6, /* contention resolution */
		0x3c,                      /* DRX command */
		0x3b,                      /* long DRX command */
		0x00, 2,    0, 7,          /* CCCH */
		0x04, 1,    4,             /* data */
	};
	struct nr_ce elements[] = {
		{ .lcid = NR_LCID_DL_TA, .ta = { .tag = 1, .value = 31 } },
		{ .lcid = NR_LCID_DL_CONTENTION, .contention = { 1, 2, 3, 4, 5, 6 } },
		{ .lcid = NR_LCID_DL_DRX },
		{ .lcid = NR_LCID_DL_LONG_DRX },
	};
	struct nr_pdu_builder b;

	(void)state;
	nr_pdu_start(&b, NR_DL, buf, sizeof(expected));
	for (size_t i = 0; i < COUNT(elements); i++)
		nr_pdu_ce(&b, &elements[i]);
	put(&b, NR_LCID_CCCH, 2);
	put(&b, 4, 1);
	assert_int_equal(nr_pdu_end(&b), 0);
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(nr_pdu_check(NR_DL, buf, sizeof(expected)), 0);
}

/* As tshark read it: SDU of LCID 4 with 54 bytes and three bytes of padding. */
static void test_header_as_read_by_others(void **state)
{
	struct nr_pdu_builder b;

	(void)state;
	nr_pdu_start(&b, NR_DL, buf, 59);
	put(&b, 4, 54);
	assert_int_equal(nr_pdu_end(&b), 3);
	assert_int_equal(buf[0], 0x04);
	assert_int_equal(buf[1], 0x36);
	assert_memory_equal(buf + 56, "\x3f\0", 3);
}

/* The largest SDU of every size of block: it fits, with its octets of length, and one more would
 * not, but where the length of 256 needs the octet that 255 bytes leave. */
static void test_room(void **state)
{
	(void)state;
	for (uint32_t size = 0; size < 600; size++) {
		struct nr_pdu_builder b;
		uint32_t room, left;

		nr_pdu_start(&b, NR_UL, buf, size);
		room = nr_pdu_room(&b);
		if (size <= 2) {
			assert_int_equal(room, 0);
			continue;
		}
		put(&b, 1, room);
		left = nr_pdu_end(&b);
		assert_int_equal(left, size == 258 ? 1 : 0);
		assert_int_equal(nr_pdu_check(NR_UL, buf, size), left);
		assert_int_equal(room, size <= 257 ? size - 2 : size == 258 ? 255 : size - 3);
	}
}

/* A short SDU where a long one had room: it moves, and the header has one octet of length. */
static void test_short_in_large_room(void **state)
{
	struct nr_pdu_builder b;

	(void)state;
	nr_pdu_start(&b, NR_UL, buf, 1000);
	put(&b, 4, 40);
	assert_int_equal(b.used, 42);
	put(&b, 5, 255);
	assert_int_equal(b.used, 42 + 257);
	put(&b, 6, 256);
	assert_int_equal(b.used, 42 + 257 + 259);
	assert_int_equal(buf[42 + 257], 0x40 | 6);
	assert_int_equal(nr_pdu_end(&b), 1000 - 558);
	assert_int_equal(nr_pdu_check(NR_UL, buf, 1000), 442);
}

/* As many SDUs as there are bytes for: no bound but the block. */
static void test_many(void **state)
{
	struct nr_pdu_reader r;
	struct nr_subpdu s;
	struct nr_pdu_builder b;
	uint32_t n = 0, found = 0;

	(void)state;
	nr_pdu_start(&b, NR_DL, buf, SIZE_MAX_BYTES);
	for (; nr_pdu_room(&b); n++)
		put(&b, (uint8_t)(1 + n % 32), 1);
	(void)nr_pdu_end(&b);
	nr_pdu_read(&r, NR_DL, buf, SIZE_MAX_BYTES);
	while (nr_pdu_next(&r, &s) > 0)
		if (s.is_sdu) {
			assert_int_equal(s.lcid, 1 + found % 32);
			assert_int_equal(s.off, found * 3 + 2);
			assert_int_equal(s.len, 1);
			found++;
		}
	assert_int_equal(n, SIZE_MAX_BYTES / 3);
	assert_int_equal(found, n);
	/* An SDU in a block larger than a length can say. */
	nr_pdu_start(&b, NR_DL, buf, SIZE_MAX_BYTES);
	assert_int_equal(nr_pdu_room(&b), 65535);
}

/* Uplink CCCH has no length; what follows starts right behind it. */
static void test_ccch(void **state)
{
	struct nr_ce crnti = { .lcid = NR_LCID_UL_CRNTI, .crnti = 1 };
	struct nr_pdu_builder b;

	(void)state;
	nr_pdu_start(&b, NR_UL, buf, 20);
	put(&b, NR_LCID_UL_CCCH_48, 6);
	assert_int_equal(buf[0], 0x34);
	nr_pdu_ce(&b, &crnti);
	assert_int_equal(buf[7], 0x3a);
	(void)nr_pdu_end(&b);
	assert_int_equal(nr_pdu_check(NR_UL, buf, 20), 10);
	nr_pdu_start(&b, NR_UL, buf, 20);
	put(&b, NR_LCID_CCCH, 8);
	assert_int_equal(b.used, 9);
	assert_int_equal(nr_pdu_end(&b), 11);
	assert_int_equal(nr_pdu_check(NR_UL, buf, 20), 11);
}

static const struct {
	uint8_t link;
	uint8_t len;
	uint8_t bytes[8];
} refused[] = {
	{ NR_UL, 2, { 0x84, 0 } },             /* R */
	{ NR_UL, 2, { 0x04, 0 } },             /* an SDU of no bytes */
	{ NR_UL, 1, { 0x04 } },                /* no length */
	{ NR_UL, 2, { 0x44, 1 } },             /* half of a length */
	{ NR_UL, 3, { 0x04, 2, 0 } },          /* beyond the block */
	{ NR_UL, 1, { 0x21 } },                /* LCID 33 */
	{ NR_DL, 2, { 0x39, 0 } },             /* an LCID of the uplink only */
	{ NR_UL, 2, { 0x3a, 0 } },             /* half a C-RNTI */
	{ NR_UL, 3, { 0x7a, 0, 1 } },          /* F where there is no length */
	{ NR_UL, 5, { 0x3d, 0, 0x04, 1, 0 } }, /* an element before an SDU */
	{ NR_DL, 5, { 0x04, 1, 0, 0x3d, 0 } }, /* and after it, in the downlink */
	{ NR_UL, 4, { 0x3e, 2, 3, 0 } },       /* two groups, one level */
	{ NR_UL, 4, { 0x3e, 2, 1, 255 } },     /* a level that is reserved */
	{ NR_UL, 5, { 0x3c, 3, 1, 2, 3 } },    /* more levels than groups */
	{ NR_UL, 2, { 0x3e, 0 } },             /* a long report of nothing */
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		assert_int_equal(nr_pdu_check((enum nr_link)refused[i].link, refused[i].bytes,
		                              refused[i].len),
		                 -EBADMSG);
}

/* Already where it is read: what comes behind is never looked at. */
static void test_beyond_the_block(void **state)
{
	static const uint8_t bytes[] = { 0x04, 2, 0, 0, 0x3f };
	struct nr_pdu_reader r;
	struct nr_subpdu s;

	(void)state;
	nr_pdu_read(&r, NR_UL, bytes, 3);
	assert_int_equal(nr_pdu_next(&r, &s), -EBADMSG);
	nr_pdu_read(&r, NR_UL, bytes, 4);
	assert_int_equal(nr_pdu_next(&r, &s), 1);
	assert_int_equal(nr_pdu_next(&r, &s), 0);
}

static void test_downlink_elements_come_back(void **state)
{
	struct nr_ce ta = { .lcid = NR_LCID_DL_TA, .ta = { .tag = 2, .value = 45 } };
	struct nr_ce contention = { .lcid = NR_LCID_DL_CONTENTION,
		                    .contention = { 9, 8, 7, 6, 5, 4 } };
	struct nr_pdu_builder b;
	struct nr_pdu_reader r;
	struct nr_subpdu s;
	struct nr_ce got;

	(void)state;
	nr_pdu_start(&b, NR_DL, buf, NR_TA_CE_BYTES + NR_CONTENTION_CE_BYTES);
	nr_pdu_ce(&b, &ta);
	nr_pdu_ce(&b, &contention);
	assert_int_equal(nr_pdu_end(&b), 0);
	nr_pdu_read(&r, NR_DL, buf, NR_TA_CE_BYTES + NR_CONTENTION_CE_BYTES);
	assert_int_equal(nr_pdu_next(&r, &s), 1);
	assert_int_equal(nr_ce_unpack(&got, &r, &s), 0);
	assert_int_equal(got.ta.tag, 2);
	assert_int_equal(got.ta.value, 45);
	assert_int_equal(nr_pdu_next(&r, &s), 1);
	assert_int_equal(nr_ce_unpack(&got, &r, &s), 0);
	assert_memory_equal(got.contention, contention.contention, NR_CONTENTION_BYTES);
}

/* Each element comes back as it was, from where it is. */
static void test_elements_come_back(void **state)
{
	const struct nr_bsr reports[] = {
		{ NR_BSR_SHORT, 1 << 7, 1, { 31 } },
		{ NR_BSR_SHORT_TRUNCATED, 1, 1, { 5 } },
		{ NR_BSR_LONG, 0x91, 3, { 1, 254, 3 } },
		{ NR_BSR_LONG, 0, 0, { 0 } },
		{ NR_BSR_LONG_TRUNCATED, 0xff, 2, { 9, 8 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(reports); i++) {
		struct nr_ce ce = nr_bsr_ce(&reports[i]), got;
		struct nr_pdu_builder b;
		struct nr_pdu_reader r;
		struct nr_subpdu s;

		nr_pdu_start(&b, NR_UL, buf, 20);
		nr_pdu_ce(&b, &ce);
		(void)nr_pdu_end(&b);
		nr_pdu_read(&r, NR_UL, buf, 20);
		assert_int_equal(nr_pdu_next(&r, &s), 1);
		assert_false(s.is_sdu);
		assert_int_equal(nr_ce_unpack(&got, &r, &s), 0);
		assert_int_equal(got.lcid, ce.lcid);
		assert_memory_equal(&got.bsr, &ce.bsr, sizeof(ce.bsr));
		assert_int_equal(nr_pdu_next(&r, &s), 1);
		assert_int_equal(s.lcid, NR_LCID_PADDING);
		assert_int_equal(nr_ce_unpack(&got, &r, &s), -EBADMSG);
		assert_int_equal(nr_pdu_next(&r, &s), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uplink),
		cmocka_unit_test(test_downlink),
		cmocka_unit_test(test_header_as_read_by_others),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_short_in_large_room),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_ccch),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_beyond_the_block),
		cmocka_unit_test(test_downlink_elements_come_back),
		cmocka_unit_test(test_elements_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
