/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcpwatch.h - a row of tcp.trace, shared by the BPF program and its loader.
 *
 * Fixed-width fields, no padding the compiler could choose: the bytes in the
 * ring buffer are the bytes in the file.
 */
#ifndef TCPWATCH_H
#define TCPWATCH_H

#include <linux/types.h>

#define TCPWATCH_VERSION 1
#define TCPWATCH_UNKNOWN 255 /* ca_state where no hook tells it */

enum tcpwatch_kind {
	TCPWATCH_SEGMENT_OUT = 1, /* a segment leaves the socket's host */
	TCPWATCH_SEGMENT_IN,      /* a segment arrives, before TCP has processed it */
	TCPWATCH_RTT,             /* once per round trip: a sample and srtt after it */
	TCPWATCH_RTO,             /* the retransmission timer fired; arg = times in a row before */
	TCPWATCH_RETRANSMIT,      /* a segment is retransmitted; seq, arg = segments */
	TCPWATCH_STATE,           /* connection state changes; arg = new state */
	TCPWATCH_KIND_COUNT,
	/* of tcpsample, which no hook tells of anything: what the socket was like at that time */
	TCPWATCH_SAMPLE = TCPWATCH_KIND_COUNT
};

struct tcpwatch_event {
	__u64 t_ns;   /* CLOCK_MONOTONIC */
	__u64 cookie; /* of the socket */
	__u32 saddr;  /* of the socket, as tcpwatch_number() has it */
	__u32 daddr;
	__u16 sport;
	__u16 dport;
	__u8 kind; /* enum tcpwatch_kind */
	__u8 ca_state;
	__u8 tcp_flags;
	__u8 state;
	__u32 seq; /* of the segment */
	__u32 ack;
	__u32 len; /* payload bytes */
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 rcv_nxt;
	__u32 snd_cwnd; /* packets */
	__u32 snd_ssthresh;
	__u32 mss;
	__u32 srtt_us;
	__u32 mdev_us; /* 0: no hook gives it without kernel types */
	__u32 rtt_us;  /* the sample of TCPWATCH_RTT */
	__u32 min_rtt_us;
	__u32 packets_out;
	__u32 retrans_out;
	__u32 lost_out;
	__u32 sacked_out;
	__u32 total_retrans;
	__u32 delivered;
	__u32 snd_wnd; /* window field of the segment, not scaled */
	__u32 arg;
	__u32 reserved[3];
};
_Static_assert(sizeof(struct tcpwatch_event) == 128, "row of tcp.trace");

#define TCPWATCH_FLOWS_MAX  4096 /* what finds no room is counted */
#define TCPWATCH_COMM_BYTES 16   /* the kernel's TASK_COMM_LEN */

/* Who made a socket. */
struct tcpwatch_owner {
	__u64 cgroup; /* 0: not known */
	__u32 pid;
	char comm[TCPWATCH_COMM_BYTES];
	__u32 reserved;
};

/*
 * An address, four words as packets have them; one of IPv4 is mapped into those of IPv6. Source:
 * RFC 4291 2.5.5.2
 */
struct tcpwatch_address {
	__u32 word[4];
};

#define TCPWATCH_MAPPED 0xffff0000u /* word[2] as this machine reads it */
#define TCPWATCH_NO_IPV4                                                                           \
	0xf0000000u /* the first octet of addresses that no socket has, 240.0.0.0/4 */
#define TCPWATCH_FNV_OFFSET 0x811c9dc5u
#define TCPWATCH_FNV_PRIME  0x01000193u

/*
 * tcpwatch_number() - an address as a row of tcp.trace has it
 *
 * That of IPv4 with its first octet in the high byte. Of IPv6 a hash (FNV-1a) of its 16 bytes
 * behind four bits that no address of IPv4 begins with: the captures' reader computes the same, and
 * tcp.json has the address itself.
 */
static inline __attribute__((always_inline)) __u32 tcpwatch_number(const struct tcpwatch_address *a)
{
	__u32 hash = TCPWATCH_FNV_OFFSET;

	if (!a->word[0] && !a->word[1] && a->word[2] == TCPWATCH_MAPPED)
		return __builtin_bswap32(a->word[3]);
	for (int i = 0; i < 16; i++)
		hash = (hash ^ (a->word[i / 4] >> (8 * (i % 4)) & 0xff)) * TCPWATCH_FNV_PRIME;
	return hash | TCPWATCH_NO_IPV4;
}

/* A 5-tuple as one of its sockets has it; ports as in struct tcpwatch_event. */
struct tcpwatch_flow_key {
	struct tcpwatch_address saddr;
	struct tcpwatch_address daddr;
	__u16 sport;
	__u16 dport;
	__u32 protocol;
};

/* What passed that socket. Bytes are those of IP packets. */
struct tcpwatch_flow {
	__u64 first_ns;
	__u64 last_ns;
	__u64 sent_pkts;
	__u64 sent_bytes;
	__u64 received_pkts;
	__u64 received_bytes;
	struct tcpwatch_owner owner;
};

#endif
