/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gtpu.h - packets of GTP-U tunnels, with the IP and UDP headers around them.
 *
 * A tunnel's packet is: outer header of IPv4 or IPv6, UDP header, GTP-U header,
 * user packet (T-PDU). Pure: no state, no allocation; the caller has the bytes.
 *
 * Source: TS 29.281 4.4.2 (UDP/IP), 5.1 (header), 5.2 (extension headers),
 * 6.1 (message types), 7.3.2 (End Marker); TS 38.415 5.5.2 (PDU Session Container);
 * RFC 8200 3 (IPv6), 8.1 (its checksum of UDP)
 */
#ifndef GTPU_H
#define GTPU_H

#include <stdbool.h>
#include <stdint.h>

/* Destination port of G-PDUs and End Markers. Source: TS 29.281 4.4.2.3, 4.4.2.6 */
#define GTPU_PORT             2152
#define GTPU_HEADER_BYTES_MAX 72 /* of what is packed here: IPv6 40, UDP 8, GTP-U 8 + 4 + 8 + 4 */
#define GTPU_PREFIX_BYTES     12 /* of addresses of IPv6, which 32 bits of their own follow */

/* Message types. Source: TS 29.281 6.1 */
enum gtpu_type {
	GTPU_END_MARKER = 254, /* the last packet of a tunnel's path, without a T-PDU */
	GTPU_G_PDU = 255,      /* carries a T-PDU */
};

/* What a tunnel does with the ECN field of the headers. Source: RFC 6040; Pacifico, section V.B */
enum gtpu_ecn {
	GTPU_ECN_NONE, /* unaware: outer headers are Not-ECT, their field is ignored at the end */
	GTPU_ECN_COPY, /* routers may mark every outer header; the mark goes to the inner header */
	GTPU_ECN_COUNT
};

struct gtpu {
	uint32_t src; /* outer addresses, host order; of IPv6 their last 32 bits */
	uint32_t dst;
	bool ipv6;                         /* the outer header */
	uint8_t prefix[GTPU_PREFIX_BYTES]; /* of both addresses of IPv6; of dst when read */
	uint32_t teid;
	uint8_t type; /* enum gtpu_type */
	uint8_t tos;  /* of the outer header: DSCP and ECN */
	bool has_pdcp_sn;
	bool has_long_sn; /* of these: a Long PDCP PDU Number, that of SNs of 18 bits */
	uint32_t pdcp_sn; /* PDCP PDU Number of forwarded packets, at most 15 bits or 18 */
	bool has_qfi;     /* a PDU Session Container */
	uint8_t qfi;      /* QoS Flow Identifier, 6 bits */
	bool uplink;      /* what the container is of */
};

/** gtpu_header_bytes() - bytes that gtpu_pack() puts before the inner packet: IP, UDP, GTP-U */
uint32_t gtpu_header_bytes(const struct gtpu *h);

/**
 * gtpu_pack() - build a tunnel's packet
 * @h:         what goes into its headers
 * @ip_id:     identification of the outer IPv4 header
 * @inner:     T-PDU; may lie where it is to go, in @buf
 * @inner_len: its bytes; 0 for an End Marker
 * @buf:       room for gtpu_header_bytes(@h) + @inner_len, at most 65535 in all
 */
void gtpu_pack(const struct gtpu *h, uint16_t ip_id, const uint8_t *inner, uint32_t inner_len,
               uint8_t *buf);

/**
 * gtpu_unpack() - read the headers of a tunnel's packet
 * @ret:              what they say
 * @buf:              IP packet of @len bytes
 * @ret_inner_offset: where the T-PDU starts, @len when there is none
 *
 * Return: 0, or -EINVAL: not a whole packet for port 2152, one of IPv6 with
 * extension headers, a wrong checksum, over IPv6 none, not GTPv1-U, neither
 * G-PDU nor End Marker, lengths that contradict each other, or an extension
 * header that has to be understood and is not.
 */
int gtpu_unpack(struct gtpu *ret, const uint8_t *buf, uint32_t len, uint32_t *ret_inner_offset);

/**
 * gtpu_tos_out() - TOS of the outer header
 * @inner_packet: T-PDU of @len bytes; what is no IPv4 packet counts as Not-ECT
 *
 * The DSCP is 0 whatever the inner one: it tells the bearer's class on the
 * transport network, and there is one class. GTPU_ECN_COPY copies the ECN
 * field as the normal mode of RFC 6040 4.1 does, but for Not-ECT, which becomes
 * ECT(0): routers mark instead of dropping, and the tunnel's end drops.
 * Source: Pacifico, Figure 7
 */
uint8_t gtpu_tos_out(enum gtpu_ecn mode, const uint8_t *inner_packet, uint32_t len);

/**
 * gtpu_ecn_in() - bring the outer ECN field into the inner header
 * @outer_tos:    TOS that arrived
 * @inner_packet: T-PDU of @len bytes; its IPv4 header may change, with its checksum
 *
 * Return: 0, or -1 when the packet has to be dropped: a router marked it and
 * its ends do not know ECN. Source: RFC 6040 4.2, Figure 4; Pacifico, Figure 7
 */
int gtpu_ecn_in(enum gtpu_ecn mode, uint8_t outer_tos, uint8_t *inner_packet, uint32_t len);

#endif
