/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gso.c - packets that were handed over at once; see gso.h. */
#include "gso.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <string.h>

#include "base/octets.h"
#include "inet_sum.h"

/* Headers of a packet that stands for several. Return: false where they are none. */
static bool read_headers(struct gso *g)
{
	const uint8_t *l4 = g->packet + g->l4;
	uint32_t l4_bytes = sizeof(struct udphdr);
	uint32_t ip_bytes = g->packet[0] >> 4 == 4 ? (uint32_t)(g->packet[0] & 0xf) * 4
	                                           : (uint32_t)sizeof(struct ip6_hdr);

	if (g->l4 < ip_bytes || g->l4 < sizeof(struct iphdr))
		return false;
	if (g->tcp) {
		if (g->l4 + sizeof(struct tcphdr) > g->len)
			return false;
		l4_bytes = (uint32_t)(l4[12] >> 4) * 4;
		if (l4_bytes < sizeof(struct tcphdr))
			return false;
	}
	g->header = g->l4 + l4_bytes;
	if (g->header >= g->len || g->header > sizeof(g->headers) || g->check + 2u > l4_bytes)
		return false;
	memcpy(g->headers, g->packet, g->header);
	return true;
}

bool gso_open(struct gso *g, uint8_t *read, uint32_t len)
{
	struct virtio_net_hdr prefix;
	uint16_t sum;

	if (len <= sizeof(prefix))
		return false;
	memcpy(&prefix, read, sizeof(prefix));
	g->packet = read + sizeof(prefix);
	g->len = len - (uint32_t)sizeof(prefix);
	g->n = 0;
	g->size = prefix.gso_type == VIRTIO_NET_HDR_GSO_NONE ? 0 : prefix.gso_size;
	g->tcp = prefix.gso_type != VIRTIO_NET_HDR_GSO_UDP_L4;
	g->l4 = g->check = 0;
	if (!(prefix.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM))
		return g->size == 0;
	g->l4 = prefix.csum_start;
	g->check = prefix.csum_offset;
	if (!g->check || g->l4 + g->check + 2u > g->len || (g->size > 0 && !read_headers(g)))
		return false;
	/* The sender has put in the sum of its addresses, its protocol and the whole length. */
	memcpy(&sum, g->packet + g->l4 + g->check, sizeof(sum));
	g->sum = inet_fold((uint64_t)sum + (uint16_t)~htons((uint16_t)(g->len - g->l4)));
	return prefix.gso_type == VIRTIO_NET_HDR_GSO_NONE ||
	       (g->size > 0 && (prefix.gso_type == VIRTIO_NET_HDR_GSO_TCPV4 ||
	                        prefix.gso_type == VIRTIO_NET_HDR_GSO_TCPV6 ||
	                        prefix.gso_type == VIRTIO_NET_HDR_GSO_UDP_L4));
}

static void fill_checksum(const struct gso *g, uint8_t *packet, uint32_t len)
{
	uint8_t *l4 = packet + g->l4;
	uint32_t l4_len = len - g->l4;
	uint16_t sum;

	memset(l4 + g->check, 0, sizeof(sum));
	sum = (uint16_t)~inet_fold(inet_sum(l4, l4_len) + g->sum + htons((uint16_t)l4_len));
	/* Of datagrams zero says that there is none. Source: RFC 768 */
	if (sum == 0 && g->check == offsetof(struct udphdr, check))
		sum = 0xffff;
	memcpy(l4 + g->check, &sum, sizeof(sum));
}

static void number_ip(const struct gso *g, uint8_t *packet, uint32_t len)
{
	if (packet[0] >> 4 == 6) {
		put16(packet + 4, len - (uint32_t)sizeof(struct ip6_hdr));
		return;
	}
	put16(packet + 2, len);
	put16(packet + 4, get16(g->headers + 4) + g->n);
	inet_sum_header(packet, (size_t)(packet[0] & 0xf) * 4);
}

/* Source: RFC 3168 6.1.2 (CWR is of the first), RFC 9293 3.1 */
static void number_tcp(const struct gso *g, uint8_t *tcp, bool last)
{
	put32(tcp + 4, get32(g->headers + g->l4 + 4) + g->n * g->size);
	if (!last)
		tcp[13] &= (uint8_t) ~(TH_FIN | TH_PUSH);
	if (g->n > 0)
		tcp[13] &= (uint8_t)~0x80;
}

/* A packet of @payload bytes. Its headers are put before them, over what was cut before. */
static uint32_t cut(struct gso *g, uint8_t *packet, uint32_t payload, bool last)
{
	uint32_t len = g->header + payload;

	memcpy(packet, g->headers, g->header);
	number_ip(g, packet, len);
	if (g->tcp)
		number_tcp(g, packet + g->l4, last);
	else
		put16(packet + g->l4 + 4, len - g->l4);
	return len;
}

uint32_t gso_next(struct gso *g, uint8_t **ret_packet)
{
	uint32_t done = g->n * g->size, len = g->len, left;

	if (g->size == 0 ? g->n > 0 : g->header + done >= g->len)
		return 0;
	*ret_packet = g->packet + done;
	if (g->size > 0) {
		left = g->len - g->header - done;
		len = cut(g, *ret_packet, left < g->size ? left : g->size, left <= g->size);
	}
	g->n++;
	if (g->check)
		fill_checksum(g, *ret_packet, len);
	return len;
}
