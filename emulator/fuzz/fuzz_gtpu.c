/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_gtpu.c - packets of tunnels as they come from the wire: what their
 * headers say lies inside, and means the same packed again.
 *
 * Checksums and lengths would refuse nearly everything, so that one reading of
 * the input has them put right first.
 */
#include <string.h>

#include "base/octets.h"
#include "epc/gtpu.h"
#include "fuzz.h"

#define LEN_MAX 2000

static uint16_t checksum(const uint8_t *b, size_t len)
{
	uint32_t s = 0;

	for (size_t i = 0; i < len; i++)
		s += (uint32_t)b[i] << (i % 2 ? 0 : 8);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}

/* Of IPv4, which may do without a checksum of UDP. */
static void put_ipv4_right(uint8_t *b, size_t ip, size_t len)
{
	b[0] = (uint8_t)(0x40 | (b[0] & 15));
	put16(b + 2, (uint32_t)len);
	put16(b + 6, 0);
	b[9] = 17;
	put16(b + 10, 0);
	put16(b + 10, checksum(b, ip));
}

/* Checksum of UDP over a pseudo header: addresses, length and protocol. */
static void put_ipv6_right(uint8_t *b, size_t len)
{
	static uint8_t pseudo[40 + LEN_MAX];
	uint16_t check;

	put16(b + 4, (uint32_t)(len - 40));
	b[6] = 17;
	memset(pseudo, 0, 40);
	memcpy(pseudo, b + 8, 32);
	put16(pseudo + 34, (uint32_t)(len - 40));
	pseudo[39] = 17;
	memcpy(pseudo + 40, b + 40, len - 40);
	check = checksum(pseudo, len);
	put16(b + 46, check ? check : 0xffff);
}

static void put_right(uint8_t *b, size_t len)
{
	bool six = len > 0 && b[0] >> 4 == 6;
	size_t ip = six ? 40 : len > 0 ? (b[0] & 15u) * 4 : 0;

	if (ip < 20 || len < ip + 16)
		return;
	if (!six)
		put_ipv4_right(b, ip, len);
	put16(b + ip + 2, GTPU_PORT);
	put16(b + ip + 4, (uint32_t)(len - ip));
	put16(b + ip + 6, 0);
	b[ip + 8] = (uint8_t)(0x30 | (b[ip + 8] & 7));
	b[ip + 9] = b[ip + 9] & 1 ? GTPU_G_PDU : GTPU_END_MARKER;
	put16(b + ip + 10, (uint32_t)(len - ip - 16));
	if (six)
		put_ipv6_right(b, len);
}

static void check_ecn(uint8_t outer_tos, uint8_t *inner, uint32_t len)
{
	bool right = len >= 20 && inner[0] == 0x45 && checksum(inner, 20) == 0;
	uint8_t before[20] = { 0 };

	memcpy(before, inner, len < 20 ? len : 20);
	if (gtpu_ecn_in(GTPU_ECN_COPY, outer_tos, inner, len) < 0)
		return;
	if (right)
		FUZZ_CHECK(checksum(inner, 20) == 0 && inner[1] >> 2 == before[1] >> 2);
	FUZZ_CHECK(gtpu_ecn_in(GTPU_ECN_NONE, outer_tos, inner, len) == 0);
}

static void check(uint8_t *buf, uint32_t len)
{
	static uint8_t again[LEN_MAX + GTPU_HEADER_BYTES_MAX];
	uint32_t inner = 0, inner_again = 0, inner_len;
	struct gtpu h, same;

	if (gtpu_unpack(&h, buf, len, &inner) < 0)
		return;
	FUZZ_CHECK(inner >= 36 && inner <= len && h.qfi <= 0x3f);
	FUZZ_CHECK(h.pdcp_sn <= (h.has_long_sn ? 0x3ffff : 0x7fff));
	FUZZ_CHECK(h.type == GTPU_G_PDU || inner == len);
	inner_len = len - inner;
	gtpu_pack(&h, 7, buf + inner, inner_len, again);
	FUZZ_CHECK(gtpu_unpack(&same, again, gtpu_header_bytes(&h) + inner_len, &inner_again) == 0);
	FUZZ_CHECK(same.src == h.src && same.dst == h.dst && same.teid == h.teid &&
	           same.type == h.type && same.tos == h.tos && same.has_pdcp_sn == h.has_pdcp_sn &&
	           same.pdcp_sn == h.pdcp_sn);
	FUZZ_CHECK(same.has_long_sn == h.has_long_sn && same.has_qfi == h.has_qfi &&
	           same.qfi == h.qfi && same.uplink == h.uplink);
	FUZZ_CHECK(same.ipv6 == h.ipv6 && memcmp(same.prefix, h.prefix, sizeof(h.prefix)) == 0);
	FUZZ_CHECK(inner_again == gtpu_header_bytes(&h));
	FUZZ_CHECK(memcmp(again + inner_again, buf + inner, inner_len) == 0);
	check_ecn(h.tos, buf + inner, inner_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size == 0 || size > LEN_MAX)
		return 0;
	copy = malloc(size);
	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	check(copy, (uint32_t)size);
	memcpy(copy, data, size);
	put_right(copy, size);
	check(copy, (uint32_t)size);
	free(copy);
	return 0;
}
