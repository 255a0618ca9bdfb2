/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GTP-U packets: bits by hand from TS 29.281, ECN from RFC 6040 and Pacifico's Figure 7. */
#include "unit.h"

#include "base/rng.h"
#include "epc/gtpu.h"

enum { NOT_ECT, ECT_1, ECT_0, CE, DROP = -1 };

static const struct gtpu plain = {
	.src = 0x0a3c0001, .dst = 0x0a3c0101, .teid = 0x01020304, .type = GTPU_G_PDU
};

static const struct gtpu plain6 = { .src = 1,
	                            .dst = 0x101,
	                            .ipv6 = true,
	                            .prefix = { 0xfd, 0x63, 0x65, 0x6c, 0x6c, 0x62, 0x0a, 0x3c },
	                            .teid = 0x01020304,
	                            .type = GTPU_G_PDU };

/* Ones' complement sum of everything, folded: 0xffff when the checksum in it is right. */
static uint16_t folded(const uint8_t *b, uint32_t len)
{
	uint32_t s = 0;

	for (uint32_t i = 0; i < len; i++)
		s += i % 2 ? b[i] : (uint32_t)b[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

/* A G-PDU without options. Source: TS 29.281 Figure 5.1-1; RFC 791; RFC 768 */
static void test_g_pdu_by_hand(void **state)
{
	static const uint8_t expected[] = {
		0x45, 0x02, 0,    39,   0xab, 0xcd, 0,    0,    64,
		17,   0xb9, 0x7d,                               /* IPv4, 39 bytes */
		10,   60,   0,    1,    10,   60,   1,    1,    /* addresses */
		0x08, 0x68, 0x08, 0x68, 0,    19,   0xe0, 0x13, /* UDP, 19 bytes */
		0x30, 0xff, 0,    3,    1,    2,    3,    4, /* version 1, PT; G-PDU; length; TEID
		                                              */
		0x61, 0x62, 0x63,
	};
	struct gtpu h = plain;
	uint8_t buf[sizeof(expected)];

	(void)state;
	h.tos = ECT_0;
	assert_int_equal(gtpu_header_bytes(&h), 36);
	gtpu_pack(&h, 0xabcd, (const uint8_t *)"abc", 3, buf);
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(folded(buf, 20), 0xffff);
}

/* The same over IPv6: traffic class, no flow label, the lengths behind its header, no checksum of
 * its own; that of UDP is over its addresses, too. Source: RFC 8200 3, 8.1 */
static void test_ipv6_by_hand(void **state)
{
	static const uint8_t expected[] = {
		0x60, 0x20, 0,    0,    0,    19,   17,   64, /* 19 bytes */
		0xfd, 0x63, 0x65, 0x6c, 0x6c, 0x62, 0x0a, 0x3c, 0,    0,    0,    0,    0, 0,
		0,    1,    0xfd, 0x63, 0x65, 0x6c, 0x6c, 0x62, 0x0a, 0x3c, 0,    0,    0, 0,
		0,    0,    1,    1,    0x08, 0x68, 0x08, 0x68, 0,    19,   0x41, 0xae, /* UDP */
		0x30, 0xff, 0,    3,    1,    2,    3,    4,    0x61, 0x62, 0x63,
	};
	struct gtpu h = plain6, got;
	uint8_t buf[sizeof(expected)], pseudo[40 + 19] = { 0 };
	uint32_t inner;

	(void)state;
	h.tos = ECT_0;
	assert_int_equal(gtpu_header_bytes(&h), 56);
	gtpu_pack(&h, 0xabcd, (const uint8_t *)"abc", 3, buf);
	memcpy(pseudo, buf + 8, 32);
	pseudo[35] = 19;
	pseudo[39] = 17;
	memcpy(pseudo + 40, buf + 40, 19);
	assert_int_equal(folded(pseudo, sizeof(pseudo)), 0xffff);
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(gtpu_unpack(&got, buf, sizeof(buf), &inner), 0);
	assert_int_equal(inner, 56);
	assert_memory_equal(got.prefix, h.prefix, sizeof(h.prefix));
	assert_true(got.ipv6 && got.src == h.src && got.dst == h.dst && got.tos == ECT_0);
}

/* No checksum, a wrong one, extension headers, other protocols, and lengths that are not true. */
static void test_ipv6_refused(void **state)
{
	static const struct {
		uint8_t at, value;
	} wrong[] = { { 0, 0x50 }, { 5, 20 }, { 6, 0 },  { 6, 44 }, { 6, 6 },
		      { 8, 1 },    { 23, 9 }, { 43, 1 }, { 45, 18 } };
	uint8_t good[64], buf[64];
	struct gtpu h;
	uint32_t at;

	(void)state;
	gtpu_pack(&plain6, 1, (const uint8_t *)"abc", 3, good);
	assert_int_equal(gtpu_unpack(&h, good, 59, &at), 0);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		memcpy(buf, good, sizeof(buf));
		buf[wrong[i].at] = wrong[i].value;
		assert_int_equal(gtpu_unpack(&h, buf, 59, &at), -EINVAL);
	}
	for (uint32_t len = 0; len < 59; len++)
		assert_int_equal(gtpu_unpack(&h, good, len, &at), -EINVAL);
	good[46] = good[47] = 0;
	assert_int_equal(gtpu_unpack(&h, good, 59, &at), -EINVAL);
}

/* The PDCP PDU Number: flag E, next type 0xc0, one unit of four bytes, no further one.
 * Source: TS 29.281 Figures 5.2.1-1, 5.2.2.2-1 */
static void test_pdcp_sn_by_hand(void **state)
{
	static const uint8_t expected[] = { 0x34, 0xff, 0,    9, 1,    2,    3, 4,  0,
		                            0,    0,    0xc0, 1, 0x0f, 0xa5, 0, 'x' };
	struct gtpu h = plain;
	uint8_t buf[64];

	(void)state;
	h.has_pdcp_sn = true;
	h.pdcp_sn = 0xfa5;
	assert_int_equal(gtpu_header_bytes(&h), 44);
	gtpu_pack(&h, 0, (const uint8_t *)"x", 1, buf);
	assert_memory_equal(buf + 28, expected, sizeof(expected));
}

/* A PDCP PDU Number of 18 bits: next type 0x82, two units, SN in octets 2 to 4 of the extension.
 * Source: TS 29.281 5.2.2.2A */
static void test_long_pdcp_sn_by_hand(void **state)
{
	static const uint8_t expected[] = { 0x34, 0xff, 0, 13,   1,    2, 3, 4, 0, 0,  0,
		                            0x82, 2,    3, 0xfe, 0xdc, 0, 0, 0, 0, 'x' };
	struct gtpu h = plain;
	uint8_t buf[64];

	(void)state;
	h.has_pdcp_sn = h.has_long_sn = true;
	h.pdcp_sn = 0x3fedc;
	assert_int_equal(gtpu_header_bytes(&h), 48);
	gtpu_pack(&h, 0, (const uint8_t *)"x", 1, buf);
	assert_memory_equal(buf + 28, expected, sizeof(expected));
}

/* The container of a PDU session: next type 0x85, one unit; PDU type 0 with QFI 9 in the downlink,
 * 1 in the uplink. Before an SN of 18 bits it is all that a header can have.
 * Source: TS 29.281 5.2.2.7; TS 38.415 5.5.2.1, 5.5.2.2 */
static void test_pdu_session_container_by_hand(void **state)
{
	uint8_t expected[] = { 0x34, 0xff, 0, 9, 1, 2, 3, 4, 0, 0, 0, 0x85, 1, 0, 9, 0, 'x' };
	struct gtpu h = plain;
	uint8_t buf[64];

	(void)state;
	h.has_qfi = true;
	h.qfi = 9;
	assert_int_equal(gtpu_header_bytes(&h), 44);
	gtpu_pack(&h, 0, (const uint8_t *)"x", 1, buf);
	assert_memory_equal(buf + 28, expected, sizeof(expected));
	h.uplink = true;
	expected[13] = 0x10;
	gtpu_pack(&h, 0, (const uint8_t *)"x", 1, buf);
	assert_memory_equal(buf + 28, expected, sizeof(expected));
	h.has_pdcp_sn = h.has_long_sn = true;
	h.pdcp_sn = 0x3ffff;
	h.ipv6 = true;
	assert_int_equal(gtpu_header_bytes(&h), GTPU_HEADER_BYTES_MAX);
}

/* An End Marker is its header, of length 0. Source: TS 29.281 7.3.2 */
static void test_end_marker_by_hand(void **state)
{
	static const uint8_t expected[] = { 0x30, 0xfe, 0, 0, 1, 2, 3, 4 };
	struct gtpu h = plain, got;
	uint8_t buf[64];
	uint32_t inner;

	(void)state;
	h.type = GTPU_END_MARKER;
	gtpu_pack(&h, 0, NULL, 0, buf);
	assert_memory_equal(buf + 28, expected, sizeof(expected));
	assert_int_equal(gtpu_unpack(&got, buf, 36, &inner), 0);
	assert_int_equal(got.type, GTPU_END_MARKER);
	assert_int_equal(inner, 36);
}

static void set_checksum(uint8_t *b, uint32_t at, uint32_t len)
{
	uint16_t check;

	b[at] = b[at + 1] = 0;
	check = (uint16_t)~folded(b, len);
	b[at] = (uint8_t)(check >> 8);
	b[at + 1] = (uint8_t)check;
}

/* What was packed is unpacked, for random headers and lengths, odd ones too; both checksums add up.
 */
static void test_round_trip(void **state)
{
	uint8_t inner[1500], buf[GTPU_HEADER_BYTES_MAX + sizeof(inner)], pseudo[12 + sizeof(buf)];
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "gtpu", 0);
	for (int round = 0; round < 2000; round++) {
		struct gtpu h = { .src = rng_u32(&rng),
			          .dst = rng_u32(&rng),
			          .teid = rng_u32(&rng),
			          .type = GTPU_G_PDU,
			          .tos = (uint8_t)rng_u32(&rng),
			          .has_pdcp_sn = rng_below(&rng, 2),
			          .has_qfi = rng_below(&rng, 2) };
		uint32_t inner_len = 1 + rng_below(&rng, sizeof(inner)), at, len;
		struct gtpu got;

		h.has_long_sn = h.has_pdcp_sn && rng_below(&rng, 2);
		if (h.has_pdcp_sn)
			h.pdcp_sn = rng_below(&rng, h.has_long_sn ? 0x40000 : 0x8000);
		if (h.has_qfi)
			h.qfi = (uint8_t)rng_below(&rng, 64);
		h.uplink = h.has_qfi && rng_below(&rng, 2);
		for (uint32_t i = 0; i < inner_len; i++)
			inner[i] = (uint8_t)rng_u32(&rng);
		gtpu_pack(&h, (uint16_t)rng_u32(&rng), inner, inner_len, buf);
		len = gtpu_header_bytes(&h) + inner_len;
		assert_int_equal(folded(buf, 20), 0xffff);
		memset(pseudo, 0, 12); /* RFC 768: addresses, protocol, length */
		memcpy(pseudo, buf + 12, 8);
		pseudo[9] = 17;
		memcpy(pseudo + 10, buf + 24, 2);
		memcpy(pseudo + 12, buf + 20, len - 20);
		assert_int_equal(folded(pseudo, 12 + len - 20), 0xffff);
		assert_int_equal(gtpu_unpack(&got, buf, len, &at), 0);
		assert_int_equal(at, gtpu_header_bytes(&h));
		assert_memory_equal(buf + at, inner, inner_len);
		assert_int_equal(got.src, h.src);
		assert_int_equal(got.dst, h.dst);
		assert_int_equal(got.teid, h.teid);
		assert_int_equal(got.type, h.type);
		assert_int_equal(got.tos, h.tos);
		assert_int_equal(got.has_pdcp_sn, h.has_pdcp_sn);
		assert_int_equal(got.pdcp_sn, h.pdcp_sn);
		assert_int_equal(got.has_long_sn, h.has_long_sn);
		assert_int_equal(got.has_qfi, h.has_qfi);
		assert_int_equal(got.qfi, h.qfi);
		assert_int_equal(got.uplink, h.uplink);
		h.ipv6 = true;
		memset(h.prefix, 0xab, sizeof(h.prefix));
		gtpu_pack(&h, 0, inner, inner_len, buf);
		len = gtpu_header_bytes(&h) + inner_len;
		assert_int_equal(gtpu_unpack(&got, buf, len, &at), 0);
		assert_memory_equal(buf + at, inner, inner_len);
		assert_true(got.ipv6 && got.src == h.src && got.dst == h.dst && got.tos == h.tos &&
		            got.teid == h.teid && got.pdcp_sn == h.pdcp_sn && got.qfi == h.qfi);
		assert_memory_equal(got.prefix, h.prefix, sizeof(h.prefix));
	}
}

/* The inner packet may be in its place already, or elsewhere in the same buffer. */
static void test_pack_in_place(void **state)
{
	uint8_t apart[64], in_place[64] = { 0 };

	(void)state;
	gtpu_pack(&plain, 1, (const uint8_t *)"in its place", 12, apart);
	memcpy(in_place, "in its place", 12);
	gtpu_pack(&plain, 1, in_place, 12, in_place);
	assert_memory_equal(in_place, apart, 36 + 12);
}

/* A UDP checksum of 0 says that there is none; other packets of the same path are not ours. */
static void test_refused(void **state)
{
	static const struct {
		uint8_t at, value;
	} wrong[] = {
		{ 0, 0x65 },  { 0, 0x44 }, { 0, 0x4f }, { 3, 40 },  { 6, 0x20 },
		{ 7, 1 },     { 9, 6 },    { 22, 0 },   { 25, 18 }, { 28, 0x10 },
		{ 28, 0x20 }, { 29, 1 },   { 29, 26 },  { 31, 2 },  { 31, 4 },
	};
	uint8_t good[64], buf[64];
	struct gtpu h;
	uint32_t at;

	(void)state;
	gtpu_pack(&plain, 1, (const uint8_t *)"abc", 3, good);
	assert_int_equal(gtpu_unpack(&h, good, 38, &at), -EINVAL);
	good[26] = good[27] = 0;
	assert_int_equal(gtpu_unpack(&h, good, 39, &at), 0);
	good[12] ^= 1; /* a header that its checksum does not fit */
	assert_int_equal(gtpu_unpack(&h, good, 39, &at), -EINVAL);
	good[12] ^= 1;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		memcpy(buf, good, sizeof(buf));
		buf[wrong[i].at] = wrong[i].value;
		set_checksum(buf, 10, 20);
		assert_int_equal(gtpu_unpack(&h, buf, 39, &at), -EINVAL);
	}
	for (uint32_t len = 0; len < 39; len++)
		assert_int_equal(gtpu_unpack(&h, good, len, &at), -EINVAL);
	good[26] = 1; /* a wrong UDP checksum */
	assert_int_equal(gtpu_unpack(&h, good, 39, &at), -EINVAL);
}

/* A packet whose GTP-U header is @gtp. */
static int unpack(const uint8_t *gtp, uint8_t len, struct gtpu *ret, uint32_t *ret_at)
{
	uint8_t buf[128];

	gtpu_pack(&plain, 1, NULL, 0, buf);
	memcpy(buf + 28, gtp, len);
	buf[3] = (uint8_t)(28 + len);
	buf[25] = (uint8_t)(8 + len);
	buf[26] = buf[27] = 0;
	set_checksum(buf, 10, 20);
	return gtpu_unpack(ret, buf, 28u + len, ret_at);
}

/* Optional fields and extension headers that other implementations send. Source:
 * TS 29.281 5.1, 5.2.1 */
static void test_optional_fields(void **state)
{
	static const uint8_t sequence[] = { 0x32, 0xff, 0,    6, 0,    0,   0,
		                            7,    0x12, 0x34, 0, 0xc0, 'a', 'b' };
	static const uint8_t n_pdu[] = { 0x31, 0xff, 0, 5, 0, 0, 0, 7, 0, 0, 9, 0, 'a' };
	static const uint8_t no_extension[] = { 0x34, 0xff, 0, 5, 0, 0, 0, 7, 0, 0, 0, 0, 'a' };
	/* An unknown one that need not be understood (0x20), then a PDCP PDU Number with its spare
	 * bit set. */
	static const uint8_t two[] = { 0x34, 0xff, 0, 17, 0, 0, 0,    7, 0,    0,    0, 0x20, 2,
		                       1,    2,    3, 4,  5, 6, 0xc0, 1, 0x80, 0x05, 0, 'a' };
	uint8_t unknown[] = { 0x34, 0xff, 0, 9, 0, 0, 0, 7, 0, 0, 0, 0x85, 1, 0x20, 0, 0, 'a' };
	static const uint8_t endless[] = { 0x34, 0xff, 0, 8,    0, 0, 0, 7,
		                           0,    0,    0, 0x20, 0, 0, 0, 0x20 };
	static const uint8_t beyond[] = { 0x34, 0xff, 0, 8, 0, 0, 0, 7, 0, 0, 0, 0xc0, 2, 0, 0, 0 };
	static const uint8_t cut[] = { 0x34, 0xff, 0, 2, 0, 0, 0, 7, 0, 0 };
	static const uint8_t extended_marker[] = { 0x30, 0xfe, 0, 4, 0, 0, 0, 7, 255, 0, 1, 0 };
	struct gtpu h;
	uint32_t at;

	(void)state;
	assert_int_equal(unpack(sequence, sizeof(sequence), &h, &at), 0);
	assert_int_equal(at, 28 + 12);
	assert_false(h.has_pdcp_sn); /* without flag E the type of the next one is not evaluated */
	assert_int_equal(unpack(n_pdu, sizeof(n_pdu), &h, &at), 0);
	assert_int_equal(at, 28 + 12);
	assert_int_equal(unpack(no_extension, sizeof(no_extension), &h, &at), 0);
	assert_int_equal(at, 28 + 12);
	assert_int_equal(unpack(two, sizeof(two), &h, &at), 0);
	assert_int_equal(at, 28 + 24);
	assert_true(h.has_pdcp_sn);
	assert_int_equal(h.pdcp_sn, 5);
	assert_int_equal(unpack(unknown, sizeof(unknown), &h, &at), -EINVAL); /* PDU type 2 */
	for (int type = 1; type < 256; type++) { /* the highest bit says that it has to be known */
		unknown[11] = (uint8_t)type;
		if (type != 0xc0 && type != 0x85)
			assert_int_equal(unpack(unknown, sizeof(unknown), &h, &at),
			                 type < 0x80 ? 0 : -EINVAL);
	}
	assert_int_equal(unpack(endless, sizeof(endless), &h, &at), -EINVAL);
	assert_int_equal(unpack(beyond, sizeof(beyond), &h, &at), -EINVAL);
	assert_int_equal(unpack(cut, sizeof(cut), &h, &at), -EINVAL);
	assert_int_equal(unpack(extended_marker, sizeof(extended_marker), &h, &at), 0);
	assert_int_equal(at, 28 + 12);
}

/* Numbers of both lengths in one header: the later one counts, with its own length. */
static void test_two_pdcp_sns(void **state)
{
	static const uint8_t long_first[] = { 0x34, 0xff, 0,    17,   0,    0,    0,  7, 0,
		                              0,    0,    0x82, 2,    3,    0xfe, 0,  0, 0,
		                              0,    0xc0, 1,    0x00, 0x05, 0,    'a' };
	static const uint8_t short_first[] = { 0x34, 0xff, 0,    17, 0,    0,    0,    7, 0,
		                               0,    0,    0xc0, 1,  0x00, 0x05, 0x82, 2, 3,
		                               0xfe, 0,    0,    0,  0,    0,    'a' };
	struct gtpu h;
	uint32_t at;

	(void)state;
	assert_int_equal(unpack(long_first, sizeof(long_first), &h, &at), 0);
	assert_false(h.has_long_sn);
	assert_int_equal(h.pdcp_sn, 5);
	assert_int_equal(unpack(short_first, sizeof(short_first), &h, &at), 0);
	assert_true(h.has_long_sn);
	assert_int_equal(h.pdcp_sn, 0x3fe00);
}

/* Unaware tunnels say Not-ECT; the others what the packet says, and ECT(0) for one that knows
 * nothing of it. */
static void test_tos_out(void **state)
{
	static const uint8_t outer[] = {
		[NOT_ECT] = ECT_0, [ECT_0] = ECT_0, [ECT_1] = ECT_1, [CE] = CE
	};

	(void)state;
	for (int ecn = NOT_ECT; ecn <= CE; ecn++) {
		uint8_t ipv4[20] = { 0x45, (uint8_t)(0xb8 | ecn) };

		assert_int_equal(gtpu_tos_out(GTPU_ECN_NONE, ipv4, sizeof(ipv4)), 0);
		assert_int_equal(gtpu_tos_out(GTPU_ECN_COPY, ipv4, sizeof(ipv4)), outer[ecn]);
	}
}

/* What is no IPv4 packet has no such field, and one that is shorter is not looked at. */
static void test_tos_out_elsewhere(void **state)
{
	static const uint8_t ipv6[40] = { 0x60, CE }, cut[2] = { 0x45, CE };

	(void)state;
	assert_int_equal(gtpu_tos_out(GTPU_ECN_COPY, ipv6, sizeof(ipv6)), ECT_0);
	assert_int_equal(gtpu_tos_out(GTPU_ECN_COPY, cut, 1), ECT_0);
	assert_int_equal(gtpu_tos_out(GTPU_ECN_COPY, cut, 2), ECT_0);
}

/* Every pair of fields. Source: RFC 6040 4.2, Figure 4; with outer CE Pacifico's Figure 7 a and b
 */
static void test_ecn_in(void **state)
{
	static const int expected[4][4] = {
		[NOT_ECT] = { [NOT_ECT] = NOT_ECT,
		              [ECT_0] = NOT_ECT,
		              [ECT_1] = NOT_ECT,
		              [CE] = DROP },
		[ECT_0] = { [NOT_ECT] = ECT_0, [ECT_0] = ECT_0, [ECT_1] = ECT_1, [CE] = CE },
		[ECT_1] = { [NOT_ECT] = ECT_1, [ECT_0] = ECT_1, [ECT_1] = ECT_1, [CE] = CE },
		[CE] = { [NOT_ECT] = CE, [ECT_0] = CE, [ECT_1] = CE, [CE] = CE },
	};

	(void)state;
	for (int inner = NOT_ECT; inner <= CE; inner++)
		for (int outer = NOT_ECT; outer <= CE; outer++) {
			uint8_t ip[20] = { 0x45, (uint8_t)(0xb8 | inner), 0, 20, 1, 2 };
			int verdict;

			set_checksum(ip, 10, 20);
			assert_int_equal(gtpu_ecn_in(GTPU_ECN_NONE, (uint8_t)outer, ip, 20), 0);
			assert_int_equal(ip[1], 0xb8 | inner);
			verdict = gtpu_ecn_in(GTPU_ECN_COPY, (uint8_t)outer, ip, 20);
			assert_int_equal(verdict, expected[inner][outer] == DROP ? -1 : 0);
			if (verdict == 0)
				assert_int_equal(ip[1], 0xb8 | expected[inner][outer]);
		}
}

/* IPv6 has the field elsewhere, and what is cut off has none. */
static void test_ecn_in_elsewhere(void **state)
{
	uint8_t ipv6[40] = { 0x60, ECT_0 << 4 }, not_ect[40] = { 0x60 };

	(void)state;
	assert_int_equal(gtpu_ecn_in(GTPU_ECN_COPY, ECT_0, ipv6, sizeof(ipv6)), 0);
	assert_int_equal(ipv6[1], ECT_0 << 4);
	assert_int_equal(gtpu_ecn_in(GTPU_ECN_COPY, CE, ipv6, 3), -1);
	assert_int_equal(ipv6[1], ECT_0 << 4);
	assert_int_equal(gtpu_ecn_in(GTPU_ECN_COPY, CE, ipv6, sizeof(ipv6)), 0);
	assert_int_equal(ipv6[1], CE << 4);
	assert_int_equal(gtpu_ecn_in(GTPU_ECN_COPY, CE, not_ect, sizeof(not_ect)), -1);
}

/* The checksum updated by RFC 1624 is the one computed again, for all values of the other words. */
static void test_checksum_update(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, "gtpu", 0);
	for (uint32_t word = 0; word < 0x10000; word++) {
		uint8_t ip[20], again[20];

		for (int i = 0; i < 20; i++)
			ip[i] = (uint8_t)rng_u32(&rng);
		ip[0] = 0x45;
		ip[1] = (uint8_t)((ip[1] & 0xfc) | ECT_0);
		ip[4] = (uint8_t)(word >> 8);
		ip[5] = (uint8_t)word;
		set_checksum(ip, 10, 20);
		memcpy(again, ip, 20);
		again[1] |= CE;
		set_checksum(again, 10, 20);
		assert_int_equal(gtpu_ecn_in(GTPU_ECN_COPY, CE, ip, 20), 0);
		assert_memory_equal(ip, again, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_g_pdu_by_hand),
		cmocka_unit_test(test_ipv6_by_hand),
		cmocka_unit_test(test_ipv6_refused),
		cmocka_unit_test(test_pdcp_sn_by_hand),
		cmocka_unit_test(test_end_marker_by_hand),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_pack_in_place),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_optional_fields),
		cmocka_unit_test(test_long_pdcp_sn_by_hand),
		cmocka_unit_test(test_two_pdcp_sns),
		cmocka_unit_test(test_pdu_session_container_by_hand),
		cmocka_unit_test(test_tos_out),
		cmocka_unit_test(test_tos_out_elsewhere),
		cmocka_unit_test(test_ecn_in),
		cmocka_unit_test(test_ecn_in_elsewhere),
		cmocka_unit_test(test_checksum_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
