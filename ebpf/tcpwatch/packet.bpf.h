/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.bpf.h - the headers of a packet, as the socket has them that sends or receives it.
 */
#ifndef TCPWATCH_PACKET_BPF_H
#define TCPWATCH_PACKET_BPF_H

#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "tcpwatch.h"

/*
 * What is read of a packet. Without JIT an instruction costs some nanoseconds and a call twenty
 * times that: both headers are loaded by one call, where they are as long as most are, and nothing
 * is copied.
 */
struct packet {
	struct tcpwatch_flow_key key; /* as its socket has it */
	__u32 saddr;                  /* the same as tcpwatch_number() */
	__u32 daddr;
	__u32 bytes; /* of IP's header, behind which the transport's is */
	__u32 end;   /* of the packet */
	union {
		struct {
			struct iphdr ip;
			struct tcphdr tcp; /* of UDP the ports alone */
		} v4;
		struct {
			struct ipv6hdr ip;
			struct tcphdr tcp;
		} v6;
	};
};

/* The transport's header, where it did not come with IP's. */
static __always_inline int load_transport(struct __sk_buff *skb, struct packet *p,
                                          struct tcphdr *tcp)
{
	if (p->key.protocol == IPPROTO_TCP)
		return bpf_skb_load_bytes(skb, p->bytes, tcp, sizeof(*tcp)) < 0 ? -1 : 0;
	return bpf_skb_load_bytes(skb, p->bytes, tcp, 4) < 0 ? -1 : 0;
}

static __always_inline const struct tcphdr *read_ipv4(struct __sk_buff *skb, struct packet *p,
                                                      int out)
{
	const struct iphdr *ip = &p->v4.ip;
	int both = bpf_skb_load_bytes(skb, 0, &p->v4, sizeof(p->v4)) == 0;
	__be32 own, far;

	if ((!both && bpf_skb_load_bytes(skb, 0, &p->v4.ip, sizeof(*ip)) < 0) || ip->version != 4)
		return NULL;
	own = out ? ip->saddr : ip->daddr;
	far = out ? ip->daddr : ip->saddr;
	p->key.saddr.word[2] = p->key.daddr.word[2] = TCPWATCH_MAPPED;
	p->key.saddr.word[3] = own;
	p->key.daddr.word[3] = far;
	p->key.protocol = ip->protocol;
	p->saddr = bpf_ntohl(own);
	p->daddr = bpf_ntohl(far);
	p->bytes = ip->ihl * 4;
	p->end = bpf_ntohs(ip->tot_len);
	if ((!both || ip->ihl != 5) && load_transport(skb, p, &p->v4.tcp) < 0)
		return NULL;
	return &p->v4.tcp;
}

/* Without extension headers. */
static __always_inline const struct tcphdr *read_ipv6(struct __sk_buff *skb, struct packet *p,
                                                      int out)
{
	const struct ipv6hdr *ip = &p->v6.ip;
	int both = bpf_skb_load_bytes(skb, 0, &p->v6, sizeof(p->v6)) == 0;

	if ((!both && bpf_skb_load_bytes(skb, 0, &p->v6.ip, sizeof(*ip)) < 0) || ip->version != 6)
		return NULL;
	__builtin_memcpy(out ? &p->key.saddr : &p->key.daddr, &ip->saddr, sizeof(ip->saddr));
	__builtin_memcpy(out ? &p->key.daddr : &p->key.saddr, &ip->daddr, sizeof(ip->daddr));
	p->key.protocol = ip->nexthdr;
	p->saddr = tcpwatch_number(&p->key.saddr);
	p->daddr = tcpwatch_number(&p->key.daddr);
	p->bytes = sizeof(*ip);
	p->end = sizeof(*ip) + bpf_ntohs(ip->payload_len);
	if (!both && load_transport(skb, p, &p->v6.tcp) < 0)
		return NULL;
	return &p->v6.tcp;
}

#endif
