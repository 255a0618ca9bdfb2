/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gro.c - packets that are handed over at once; see gro.h. */
#include "gro.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#include "base/octets.h"
#include "inet_sum.h"

#define LEN_MAX 65535u

static bool is_v4(const uint8_t *packet)
{
	return packet[0] >> 4 == 4;
}

/* Sum of the addresses, the protocol and the length of TCP or UDP. */
static uint64_t pseudo_sum(const uint8_t *packet, bool tcp, uint32_t l4_len)
{
	uint64_t sum = is_v4(packet) ? inet_sum(packet + 12, 8) : inet_sum(packet + 8, 32);

	return sum + htons(tcp ? IPPROTO_TCP : IPPROTO_UDP) + htons((uint16_t)l4_len);
}

/* IP's header of a whole packet of TCP or UDP. Return: its bytes, or 0. */
static uint32_t ip_bytes(const uint8_t *packet, uint32_t len, uint8_t *ret_protocol)
{
	uint32_t ihl;

	if (len >= sizeof(struct ip6_hdr) && packet[0] >> 4 == 6) {
		*ret_protocol = packet[6];
		return get16(packet + 4) == len - sizeof(struct ip6_hdr) ? sizeof(struct ip6_hdr)
		                                                         : 0;
	}
	if (len < sizeof(struct iphdr) || !is_v4(packet))
		return 0;
	ihl = (uint32_t)(packet[0] & 0xf) * 4;
	*ret_protocol = packet[9];
	if (ihl < sizeof(struct iphdr) || ihl > len || get16(packet + 2) != len ||
	    get16(packet + 6) & (IP_MF | IP_OFFMASK))
		return 0;
	return inet_fold(inet_sum(packet, ihl)) == 0xffff ? ihl : 0;
}

/* TCP's or UDP's header of one that may be joined. Return: its bytes, or 0. */
static uint32_t l4_bytes(const uint8_t *l4, uint32_t len, bool tcp)
{
	uint32_t bytes;

	if (!tcp)
		return len > sizeof(struct udphdr) && get16(l4 + 4) == len && get16(l4 + 6) != 0
		               ? sizeof(struct udphdr)
		               : 0;
	if (len < sizeof(struct tcphdr) || (l4[13] & ~TH_PUSH) != TH_ACK)
		return 0;
	bytes = (uint32_t)(l4[12] >> 4) * 4;
	return bytes >= sizeof(struct tcphdr) && bytes < len ? bytes : 0;
}

void gro_start(struct gro *g, const uint8_t *packet, uint32_t len, bool udp)
{
	uint8_t protocol = 0;
	uint32_t bytes = 0;

	*g = (struct gro){ .len = len, .n = 1 };
	g->l4 = ip_bytes(packet, len, &protocol);
	g->tcp = protocol == IPPROTO_TCP;
	if (g->l4 && (g->tcp || (udp && protocol == IPPROTO_UDP)))
		bytes = l4_bytes(packet + g->l4, len - g->l4, g->tcp);
	if (!bytes || inet_fold(inet_sum(packet + g->l4, len - g->l4) +
	                        pseudo_sum(packet, g->tcp, len - g->l4)) != 0xffff)
		return;
	g->header = g->l4 + bytes;
	g->size = len - g->header;
	g->open = !g->tcp || !(packet[g->l4 + 13] & TH_PUSH);
}

static bool ip_follows(const struct gro *g, const uint8_t *joined, const uint8_t *packet)
{
	if (!is_v4(joined)) /* class, label, next header, hops, addresses */
		return memcmp(joined, packet, 4) == 0 && memcmp(joined + 6, packet + 6, 34) == 0;
	return memcmp(joined, packet, 2) == 0 && memcmp(joined + 6, packet + 6, 4) == 0 &&
	       memcmp(joined + 12, packet + 12, g->l4 - 12) == 0 &&
	       get16(packet + 4) == (uint16_t)(get16(joined + 4) + g->n);
}

/* All is the same but sequence number, checksum, and whether it is pushed. */
static bool tcp_follows(const struct gro *g, const uint8_t *joined, const uint8_t *tcp)
{
	uint32_t payload = g->len - g->header;

	return memcmp(joined, tcp, 4) == 0 && get32(tcp + 4) == get32(joined + 4) + payload &&
	       memcmp(joined + 8, tcp + 8, 5) == 0 && memcmp(joined + 14, tcp + 14, 2) == 0 &&
	       memcmp(joined + 18, tcp + 18, g->header - g->l4 - 18) == 0;
}

bool gro_add(struct gro *g, uint8_t *joined, const uint8_t *packet, uint32_t len)
{
	struct gro one;
	uint32_t payload;

	if (!g->open || len <= g->header || len - g->header > g->size ||
	    g->len + len - g->header > LEN_MAX || packet[0] >> 4 != joined[0] >> 4)
		return false;
	if (!ip_follows(g, joined, packet) ||
	    (g->tcp ? !tcp_follows(g, joined + g->l4, packet + g->l4)
	            : memcmp(joined + g->l4, packet + g->l4, 4) != 0))
		return false;
	gro_start(&one, packet, len, true);
	if (one.header != g->header)
		return false;
	payload = len - g->header;
	memcpy(joined + g->len, packet + g->header, payload);
	g->len += payload;
	g->n++;
	if (g->tcp)
		joined[g->l4 + 13] |= packet[g->l4 + 13] & TH_PUSH;
	g->open = one.open && one.size == g->size;
	return true;
}

void gro_end(const struct gro *g, uint8_t *joined)
{
	struct virtio_net_hdr prefix = { 0 };
	uint32_t l4_len = g->len - g->l4, check = g->tcp ? 16 : 6;
	uint16_t sum;

	if (g->n > 1) {
		prefix.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		prefix.gso_type = !g->tcp         ? VIRTIO_NET_HDR_GSO_UDP_L4
		                  : is_v4(joined) ? VIRTIO_NET_HDR_GSO_TCPV4
		                                  : VIRTIO_NET_HDR_GSO_TCPV6;
		prefix.hdr_len = (uint16_t)g->header;
		prefix.gso_size = (uint16_t)g->size;
		prefix.csum_start = (uint16_t)g->l4;
		prefix.csum_offset = (uint16_t)check;
		if (is_v4(joined)) {
			put16(joined + 2, g->len);
			inet_sum_header(joined, g->l4);
		} else {
			put16(joined + 4, l4_len);
		}
		if (!g->tcp)
			put16(joined + g->l4 + 4, l4_len);
		sum = inet_fold(pseudo_sum(joined, g->tcp, l4_len));
		memcpy(joined + g->l4 + check, &sum, sizeof(sum));
	}
	memcpy(joined - sizeof(prefix), &prefix, sizeof(prefix));
}
