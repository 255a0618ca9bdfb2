/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gtpu.c - packets of GTP-U tunnels; see gtpu.h. */
#include "epc/gtpu.h"

#include <errno.h>
#include <string.h>

#include "base/ecn.h"
#include "base/octets.h"
#include "base/pkt.h"

_Static_assert(GTPU_HEADER_BYTES_MAX <= PKT_HEADROOM,
               "a packet has room for the headers of a tunnel");

#define IP_BYTES    20 /* without options. Source: RFC 791 3.1 */
#define IPV6_BYTES  40 /* Source: RFC 8200 3 */
#define IPV6_SRC_AT 8
#define IPV6_DST_AT 24
#define IP_TTL      64
#define IP_FRAGMENT 0x3fff /* more fragments, and the offset */
#define PROTO_UDP   17
#define UDP_BYTES   8

#define MANDATORY_BYTES 8    /* of the GTP-U header */
#define OPTIONAL_BYTES  4    /* sequence number, N-PDU number, type of the next extension header */
#define FLAGS           0x30 /* version 1, protocol type GTP */
#define FLAGS_MASK      0xf0
#define FLAG_E          0x04
#define FLAGS_OPTIONAL  0x07 /* E, S, PN: any of them brings all optional fields */

/* Extension headers. Source: TS 29.281 5.2.1, 5.2.2.2, 5.2.2.2A, 5.2.2.7 */
#define EXT_UNIT         4 /* their length is in these bytes */
#define EXT_NONE         0
#define EXT_PDCP_SN      0xc0   /* PDCP PDU Number */
#define EXT_LONG_PDCP_SN 0x82   /* Long PDCP PDU Number */
#define EXT_PDU_SESSION  0x85   /* PDU Session Container */
#define EXT_UNDERSTAND   0x80   /* the receiver has to know this type */
#define PDCP_SN_MAX      0x7fff /* of the short one: between base stations its first bit is spare */

#define LONG_PDCP_SN_MAX 0x3ffff

/* PDU types in the container of a PDU session. Source: TS 38.415 5.5.2 */
enum { PDU_SESSION_DL = 0, PDU_SESSION_UL = 1, QFI_MASK = 0x3f };

/* Sum of 16-bit words; the last byte of an odd number counts as if followed by 0. */
static uint32_t sum(const uint8_t *b, uint32_t len)
{
	uint32_t s = 0;

	for (; len > 1; len -= 2, b += 2)
		s += get16(b);
	return len ? s + (uint32_t)(b[0] << 8) : s;
}

/* Ones' complement of a sum. Source: RFC 1071 1 */
static uint16_t checksum(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}

/* Of the UDP packet behind the header @ip. Source: RFC 768; RFC 8200 8.1 */
static uint16_t udp_checksum(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_len)
{
	uint32_t addresses = ip[0] >> 4 == 6 ? sum(ip + IPV6_SRC_AT, 32) : sum(ip + 12, 8);

	return checksum(addresses + PROTO_UDP + udp_len + sum(ip + ip_bytes, udp_len));
}

static uint32_t ip_bytes_of(const struct gtpu *h)
{
	return h->ipv6 ? IPV6_BYTES : IP_BYTES;
}

/* Of the extension header with the SN. */
static uint32_t pdcp_sn_bytes(const struct gtpu *h)
{
	if (!h->has_pdcp_sn)
		return 0;
	return h->has_long_sn ? 2 * EXT_UNIT : EXT_UNIT;
}

uint32_t gtpu_header_bytes(const struct gtpu *h)
{
	uint32_t ext = (h->has_qfi ? EXT_UNIT : 0u) + pdcp_sn_bytes(h);

	return ip_bytes_of(h) + UDP_BYTES + MANDATORY_BYTES + (ext ? OPTIONAL_BYTES + ext : 0);
}

/* An extension header starts at *@at; its type is written where the one before ends. */
static uint8_t *start_extension(uint8_t *b, uint32_t *at, uint8_t type, uint32_t bytes)
{
	uint8_t *ext = b + *at;

	ext[-1] = type;
	ext[0] = (uint8_t)(bytes / EXT_UNIT);
	*at += bytes;
	return ext;
}

static void pack_gtp(const struct gtpu *h, uint32_t len, uint8_t *b)
{
	uint32_t at = MANDATORY_BYTES + OPTIONAL_BYTES, sn_bytes = pdcp_sn_bytes(h);
	uint8_t *ext;

	b[0] = (uint8_t)(FLAGS | (h->has_pdcp_sn || h->has_qfi ? FLAG_E : 0));
	b[1] = h->type;
	put16(b + 2, len - MANDATORY_BYTES);
	put32(b + 4, h->teid);
	if (h->has_qfi) {
		ext = start_extension(b, &at, EXT_PDU_SESSION, EXT_UNIT);
		ext[1] = (uint8_t)((h->uplink ? PDU_SESSION_UL : PDU_SESSION_DL) << 4);
		ext[2] = h->qfi & QFI_MASK;
	}
	if (sn_bytes == EXT_UNIT) {
		ext = start_extension(b, &at, EXT_PDCP_SN, sn_bytes);
		put16(ext + 1, h->pdcp_sn & PDCP_SN_MAX);
	} else if (sn_bytes) {
		ext = start_extension(b, &at, EXT_LONG_PDCP_SN, sn_bytes);
		put32(ext, h->pdcp_sn & LONG_PDCP_SN_MAX);
		ext[0] = (uint8_t)(sn_bytes / EXT_UNIT);
	}
}

static void pack_ipv4(const struct gtpu *h, uint16_t ip_id, uint32_t udp_len, uint8_t *buf)
{
	buf[0] = 0x45;
	buf[1] = h->tos;
	put16(buf + 2, IP_BYTES + udp_len);
	put16(buf + 4, ip_id);
	buf[8] = IP_TTL;
	buf[9] = PROTO_UDP;
	put32(buf + 12, h->src);
	put32(buf + 16, h->dst);
	put16(buf + 10, checksum(sum(buf, IP_BYTES)));
}

/* Without a flow label: there is one path between two ends. Source: RFC 8200 3 */
static void pack_ipv6(const struct gtpu *h, uint32_t udp_len, uint8_t *buf)
{
	put16(buf, (uint32_t)(0x6000 | h->tos << 4));
	put16(buf + 4, udp_len);
	buf[6] = PROTO_UDP;
	buf[7] = IP_TTL;
	memcpy(buf + IPV6_SRC_AT, h->prefix, GTPU_PREFIX_BYTES);
	put32(buf + IPV6_SRC_AT + GTPU_PREFIX_BYTES, h->src);
	memcpy(buf + IPV6_DST_AT, h->prefix, GTPU_PREFIX_BYTES);
	put32(buf + IPV6_DST_AT + GTPU_PREFIX_BYTES, h->dst);
}

void gtpu_pack(const struct gtpu *h, uint16_t ip_id, const uint8_t *inner, uint32_t inner_len,
               uint8_t *buf)
{
	uint32_t header = gtpu_header_bytes(h), ip_bytes = ip_bytes_of(h);
	uint32_t udp_len = header - ip_bytes + inner_len;
	uint8_t *udp = buf + ip_bytes;
	uint16_t check;

	if (inner_len)
		memmove(buf + header, inner, inner_len);
	memset(buf, 0, header);
	if (h->ipv6)
		pack_ipv6(h, udp_len, buf);
	else
		pack_ipv4(h, ip_id, udp_len, buf);
	put16(udp, GTPU_PORT);
	put16(udp + 2, GTPU_PORT);
	put16(udp + 4, udp_len);
	pack_gtp(h, udp_len - UDP_BYTES, udp + UDP_BYTES);
	check = udp_checksum(buf, ip_bytes, udp_len);
	put16(udp + 6, check ? check : 0xffff); /* 0 would say that there is none, RFC 768 */
}

/* Return: bytes of the IPv4 header of a whole UDP packet, or 0. */
static uint32_t ipv4_bytes(const uint8_t *buf, uint32_t len)
{
	uint32_t bytes = (buf[0] & 0x0fu) * 4;

	if (bytes < IP_BYTES || len < bytes + UDP_BYTES || get16(buf + 2) != len ||
	    (get16(buf + 6) & IP_FRAGMENT) || buf[9] != PROTO_UDP || checksum(sum(buf, bytes)) != 0)
		return 0;
	return bytes;
}

/* The same of IPv6, whose datagrams have a checksum. Source: RFC 8200 8.1 */
static uint32_t ipv6_bytes(const uint8_t *buf, uint32_t len)
{
	if (len < IPV6_BYTES + UDP_BYTES || get16(buf + 4) != len - IPV6_BYTES ||
	    buf[6] != PROTO_UDP || get16(buf + IPV6_BYTES + 6) == 0)
		return 0;
	return IPV6_BYTES;
}

/* Return: bytes of the IP header of a whole UDP packet with right checksums for GTPU_PORT, or 0. */
static uint32_t outer_bytes(const uint8_t *buf, uint32_t len)
{
	uint32_t version = len ? buf[0] >> 4 : 0u, ip_bytes = 0;
	const uint8_t *udp;

	if (version == 4)
		ip_bytes = ipv4_bytes(buf, len);
	else if (version == 6)
		ip_bytes = ipv6_bytes(buf, len);
	udp = buf + ip_bytes;
	if (!ip_bytes || get16(udp + 2) != GTPU_PORT || get16(udp + 4) != len - ip_bytes)
		return 0;
	if (get16(udp + 6) != 0 && udp_checksum(buf, ip_bytes, len - ip_bytes) != 0)
		return 0;
	return ip_bytes;
}

/* What the outer header says, and the fixed part of the GTP-U header @b. */
static void read_fixed(struct gtpu *ret, const uint8_t *buf, const uint8_t *b)
{
	*ret = (struct gtpu){ .teid = get32(b + 4), .type = b[1], .ipv6 = buf[0] >> 4 == 6 };
	if (ret->ipv6) {
		ret->tos = (uint8_t)(get16(buf) >> 4);
		memcpy(ret->prefix, buf + IPV6_DST_AT, GTPU_PREFIX_BYTES);
		ret->src = get32(buf + IPV6_SRC_AT + GTPU_PREFIX_BYTES);
		ret->dst = get32(buf + IPV6_DST_AT + GTPU_PREFIX_BYTES);
		return;
	}
	ret->tos = buf[1];
	ret->src = get32(buf + 12);
	ret->dst = get32(buf + 16);
}

/* What the extension header @ext of @type says; the last one of a kind counts. Return: it is
 * understood, or need not be. */
static bool read_extension(struct gtpu *ret, const uint8_t *ext, uint32_t bytes, uint8_t type)
{
	if (type == EXT_PDCP_SN && bytes == EXT_UNIT) {
		ret->has_pdcp_sn = true;
		ret->has_long_sn = false;
		ret->pdcp_sn = get16(ext + 1) & PDCP_SN_MAX;
	} else if (type == EXT_LONG_PDCP_SN && bytes == 2 * EXT_UNIT) {
		ret->has_pdcp_sn = ret->has_long_sn = true;
		ret->pdcp_sn = get32(ext) & LONG_PDCP_SN_MAX;
	} else if (type == EXT_PDU_SESSION && ext[1] >> 4 <= PDU_SESSION_UL) {
		ret->has_qfi = true;
		ret->uplink = ext[1] >> 4 == PDU_SESSION_UL;
		ret->qfi = ext[2] & QFI_MASK;
	} else {
		return !(type & EXT_UNDERSTAND);
	}
	return true;
}

/* Extension headers from offset @at of the GTP-U header @b on, the first of them of @type.
 * Return: the offset behind them, or 0 when one does not fit or is not understood. */
static uint32_t read_extensions(struct gtpu *ret, const uint8_t *b, uint32_t len, uint32_t at,
                                uint8_t type)
{
	while (type != EXT_NONE) {
		uint32_t bytes = at < len ? b[at] * EXT_UNIT : 0u;

		if (bytes == 0 || at + bytes > len || !read_extension(ret, b + at, bytes, type))
			return 0;
		at += bytes;
		type = b[at - 1];
	}
	return at;
}

int gtpu_unpack(struct gtpu *ret, const uint8_t *buf, uint32_t len, uint32_t *ret_inner_offset)
{
	uint32_t ip_bytes = outer_bytes(buf, len);
	uint32_t gtp_at = ip_bytes + UDP_BYTES;
	uint32_t gtp_len = len - gtp_at, end = MANDATORY_BYTES;
	const uint8_t *b = buf + gtp_at;

	if (!ip_bytes || gtp_len < MANDATORY_BYTES || (b[0] & FLAGS_MASK) != FLAGS ||
	    (b[1] != GTPU_G_PDU && b[1] != GTPU_END_MARKER) ||
	    get16(b + 2) != gtp_len - MANDATORY_BYTES)
		return -EINVAL;
	read_fixed(ret, buf, b);
	if (b[0] & FLAGS_OPTIONAL) {
		end += OPTIONAL_BYTES;
		if (gtp_len < end)
			return -EINVAL;
		if (b[0] & FLAG_E)
			end = read_extensions(ret, b, gtp_len, end, b[end - 1]);
	}
	if (!end)
		return -EINVAL;
	/* What follows an End Marker's header are information elements, no T-PDU. 7.3.2 */
	*ret_inner_offset = ret->type == GTPU_END_MARKER ? len : gtp_at + end;
	return 0;
}

uint8_t gtpu_tos_out(enum gtpu_ecn mode, const uint8_t *inner_packet, uint32_t len)
{
	enum ecn ecn = ecn_of(inner_packet, len);

	if (mode == GTPU_ECN_NONE)
		return ECN_NOT_ECT;
	return (uint8_t)(ecn == ECN_NOT_ECT ? ECN_ECT_0 : ecn);
}

int gtpu_ecn_in(enum gtpu_ecn mode, uint8_t outer_tos, uint8_t *inner_packet, uint32_t len)
{
	enum ecn outer = (enum ecn)(outer_tos & ECN_MASK), inner = ecn_of(inner_packet, len);

	if (mode == GTPU_ECN_NONE)
		return 0;
	if (inner == ECN_NOT_ECT)
		return outer == ECN_CE ? -1 : 0;
	if (outer == ECN_CE || (outer == ECN_ECT_1 && inner == ECN_ECT_0))
		ecn_set(inner_packet, outer);
	return 0;
}
