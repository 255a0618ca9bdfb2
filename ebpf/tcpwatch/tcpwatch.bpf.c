// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcpwatch.bpf.c - samples of every TCP socket of one cgroup.
 *
 * Three kinds of hooks: sock_ops calls back on RTT samples, timeouts,
 * retransmissions and state changes; cgroup_skb sees every segment and reads
 * the socket through bpf_tcp_sock(), and counts the packets of every flow, of
 * UDP too; sock_create tells whose each socket is. Only stable UAPI types are used, so the
 * program loads in kernels without BTF (the virtual lab).
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/tcp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "packet.bpf.h"
#include "tcpwatch.h"

#define AF_INET6 10 /* of sys/socket.h, which is no header for BPF */

#define CB_FLAGS                                                                                   \
	(BPF_SOCK_OPS_RTT_CB_FLAG | BPF_SOCK_OPS_RTO_CB_FLAG | BPF_SOCK_OPS_RETRANS_CB_FLAG |      \
	 BPF_SOCK_OPS_STATE_CB_FLAG)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20); /* the loader sets it */
} events SEC(".maps");

/* Samples that found the ring buffer full. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} lost SEC(".maps");

/* Bytes waiting at which the loader is woken; below it only drains by timer. */
const volatile __u64 targ_wakeup_bytes = 2 << 20;

/* Segments of one socket and direction closer than this are not sampled; 0 = all are. */
const volatile __u64 targ_segment_interval_ns = 0;

/* When the last one was, by cookie and direction. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} last_segment SEC(".maps");

/* Who made each socket, by cookie; of an accepted one who made the listener. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct tcpwatch_owner);
} owners SEC(".maps");

/* An accepted socket does not know its listener, but has its port in its namespace. */
struct listener {
	__u64 netns;
	__u64 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct listener);
	__type(value, struct tcpwatch_owner);
} listeners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TCPWATCH_FLOWS_MAX);
	__type(key, struct tcpwatch_flow_key);
	__type(value, struct tcpwatch_flow);
} flows SEC(".maps");

/* Packets of flows that found no room. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} uncounted SEC(".maps");

/* Bound of the window that sockets advertise; 0 = leave it alone. */
const volatile __u32 targ_receive_window = 0;

/* Bound of the congestion window of sockets, in packets; 0 = leave it alone. */
const volatile __u32 targ_cwnd_max = 0;

static __always_inline void count(void *counter)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(counter, &zero);

	if (n)
		(*n)++;
}

static __always_inline void count_lost(void)
{
	count(&lost);
}

/* The only hook in which the socket's user is sure to be the current process. */
SEC("cgroup/sock_create")
int tcpwatch_socket(struct bpf_sock *sk)
{
	struct tcpwatch_owner owner = {
		.cgroup = bpf_get_current_cgroup_id(),
		.pid = bpf_get_current_pid_tgid() >> 32,
	};
	__u64 cookie = bpf_get_socket_cookie(sk);

	bpf_get_current_comm(owner.comm, sizeof(owner.comm));
	bpf_map_update_elem(&owners, &cookie, &owner, BPF_ANY);
	return 1;
}

static void remember_listener(struct bpf_sock_ops *ops)
{
	struct listener at = { .netns = bpf_get_netns_cookie(ops), .port = ops->local_port };
	__u64 cookie = bpf_get_socket_cookie(ops);
	struct tcpwatch_owner *owner = bpf_map_lookup_elem(&owners, &cookie);

	if (owner)
		bpf_map_update_elem(&listeners, &at, owner, BPF_ANY);
}

static void own_accepted(struct bpf_sock_ops *ops)
{
	struct listener at = { .netns = bpf_get_netns_cookie(ops), .port = ops->local_port };
	__u64 cookie = bpf_get_socket_cookie(ops);
	struct tcpwatch_owner *owner = bpf_map_lookup_elem(&listeners, &at);

	if (owner)
		bpf_map_update_elem(&owners, &cookie, owner, BPF_ANY);
}

static __always_inline void start(struct tcpwatch_event *e, __u64 now)
{
	__builtin_memset(e, 0, sizeof(*e));
	e->t_ns = now;
	e->ca_state = TCPWATCH_UNKNOWN;
}

static void submit(struct tcpwatch_event *e)
{
	__u64 waiting = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);

	bpf_ringbuf_submit(e, waiting > targ_wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* A socket of IPv6 may talk IPv4, with mapped addresses. */
static __always_inline void read_addresses(struct tcpwatch_event *e, struct bpf_sock_ops *ops)
{
	struct tcpwatch_address local, remote;

	if (ops->family != AF_INET6) {
		e->saddr = bpf_ntohl(ops->local_ip4);
		e->daddr = bpf_ntohl(ops->remote_ip4);
		return;
	}
	/* One by one: what is read of a context is at constant places. */
	local.word[0] = ops->local_ip6[0];
	local.word[1] = ops->local_ip6[1];
	local.word[2] = ops->local_ip6[2];
	local.word[3] = ops->local_ip6[3];
	remote.word[0] = ops->remote_ip6[0];
	remote.word[1] = ops->remote_ip6[1];
	remote.word[2] = ops->remote_ip6[2];
	remote.word[3] = ops->remote_ip6[3];
	e->saddr = tcpwatch_number(&local);
	e->daddr = tcpwatch_number(&remote);
}

static int handle_sock_ops(struct bpf_sock_ops *ops, __u8 kind)
{
	/* Linux 6.1 follows the reference only through a check where it was made. */
	struct tcpwatch_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count_lost();
		return 1;
	}
	start(e, bpf_ktime_get_ns());
	e->cookie = bpf_get_socket_cookie(ops);
	e->kind = kind;
	e->state = ops->state;
	read_addresses(e, ops);
	e->sport = ops->local_port;
	e->dport = bpf_ntohl(ops->remote_port);
	e->snd_una = ops->snd_una;
	e->snd_nxt = ops->snd_nxt;
	e->rcv_nxt = ops->rcv_nxt;
	e->snd_cwnd = ops->snd_cwnd;
	e->snd_ssthresh = ops->snd_ssthresh;
	e->mss = ops->mss_cache;
	e->srtt_us = ops->srtt_us >> 3;
	e->min_rtt_us = ops->rtt_min;
	e->packets_out = ops->packets_out;
	e->retrans_out = ops->retrans_out;
	e->lost_out = ops->lost_out;
	e->sacked_out = ops->sacked_out;
	e->total_retrans = ops->total_retrans;
	if (kind == TCPWATCH_RTT) {
		e->rtt_us = ops->args[0];
		if (ops->args[1]) /* before 6.10 the hook gave no values */
			e->srtt_us = ops->args[1] >> 3;
	} else if (kind == TCPWATCH_RETRANSMIT) {
		e->seq = ops->args[0];
		e->arg = ops->args[1];
	} else if (kind == TCPWATCH_STATE) {
		e->arg = ops->args[1];
	} else {
		e->arg = ops->args[0];
	}
	submit(e);
	return 1;
}

/*
 * A route's `window` attribute bounds the window of the SYN. Since 6.5 the
 * kernel forgets that bound when a segment changes its idea of the overhead
 * per packet (tcp_measure_rcv_mss), and autotuning raises it too. So it is set
 * again before each segment out, which is also before its window is chosen.
 */
static void watch_socket(struct bpf_sock_ops *ops)
{
	int flags = CB_FLAGS;

	if (targ_receive_window)
		flags |= BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG;
	bpf_sock_ops_cb_flags_set(ops, flags);
}

static void clamp_window(struct bpf_sock_ops *ops)
{
	int window = targ_receive_window;

	bpf_setsockopt(ops, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof(window));
}

/* The kernel has just set the initial window; the slow start threshold becomes the bound, too. */
static void clamp_cwnd(struct bpf_sock_ops *ops)
{
	int clamp = targ_cwnd_max;

	bpf_setsockopt(ops, IPPROTO_TCP, TCP_BPF_SNDCWND_CLAMP, &clamp, sizeof(clamp));
}

SEC("sockops")
int tcpwatch_sockops(struct bpf_sock_ops *ops)
{
	switch (ops->op) {
	case BPF_SOCK_OPS_TCP_LISTEN_CB: /* children inherit the flags */
		remember_listener(ops);
		watch_socket(ops);
		return 1;
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
		watch_socket(ops);
		return 1;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		own_accepted(ops);
		/* fallthrough */
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
		watch_socket(ops);
		if (targ_cwnd_max)
			clamp_cwnd(ops);
		return 1;
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
		if (targ_receive_window)
			clamp_window(ops);
		return 1;
	case BPF_SOCK_OPS_RTT_CB:
		return handle_sock_ops(ops, TCPWATCH_RTT);
	case BPF_SOCK_OPS_RTO_CB:
		return handle_sock_ops(ops, TCPWATCH_RTO);
	case BPF_SOCK_OPS_RETRANS_CB:
		return handle_sock_ops(ops, TCPWATCH_RETRANSMIT);
	case BPF_SOCK_OPS_STATE_CB:
		return handle_sock_ops(ops, TCPWATCH_STATE);
	}
	return 1;
}

static void fill_socket(struct tcpwatch_event *e, const struct bpf_tcp_sock *tp)
{
	e->snd_una = tp->snd_una;
	e->snd_nxt = tp->snd_nxt;
	e->rcv_nxt = tp->rcv_nxt;
	e->snd_cwnd = tp->snd_cwnd;
	e->snd_ssthresh = tp->snd_ssthresh;
	e->mss = tp->mss_cache;
	e->srtt_us = tp->srtt_us >> 3;
	e->min_rtt_us = tp->rtt_min;
	e->packets_out = tp->packets_out;
	e->retrans_out = tp->retrans_out;
	e->lost_out = tp->lost_out;
	e->sacked_out = tp->sacked_out;
	e->total_retrans = tp->total_retrans;
	e->delivered = tp->delivered;
}

static __always_inline int too_soon(__u64 cookie, __u8 kind, __u64 now)
{
	__u64 key = cookie << 1 | (kind == TCPWATCH_SEGMENT_OUT);
	__u64 *last;

	if (!targ_segment_interval_ns)
		return 0;
	last = bpf_map_lookup_elem(&last_segment, &key);
	if (last && now - *last < targ_segment_interval_ns)
		return 1;
	bpf_map_update_elem(&last_segment, &key, &now, BPF_ANY);
	return 0;
}

static __always_inline struct tcpwatch_flow *flow_of(const struct tcpwatch_flow_key *key,
                                                     __u64 cookie, __u64 now)
{
	struct tcpwatch_flow *flow = bpf_map_lookup_elem(&flows, key), fresh;
	struct tcpwatch_owner *owner;

	if (flow && flow->owner.cgroup)
		return flow;
	owner = bpf_map_lookup_elem(&owners, &cookie);
	if (flow) {
		if (owner)
			flow->owner = *owner;
		return flow;
	}
	__builtin_memset(&fresh, 0, sizeof(fresh));
	fresh.first_ns = now;
	if (owner)
		fresh.owner = *owner;
	bpf_map_update_elem(&flows, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&flows, key);
}

static __always_inline void count_packet(struct __sk_buff *skb, const struct tcpwatch_flow_key *key,
                                         int out, __u64 cookie, __u64 now)
{
	struct tcpwatch_flow *flow = flow_of(key, cookie, now);
	__u32 pkts = skb->gso_segs ? skb->gso_segs : 1;

	if (!flow) {
		count(&uncounted);
		return;
	}
	flow->last_ns = now;
	__sync_fetch_and_add(out ? &flow->sent_pkts : &flow->received_pkts, pkts);
	__sync_fetch_and_add(out ? &flow->sent_bytes : &flow->received_bytes, skb->len);
}

static __always_inline void sample(struct bpf_sock *sk, const struct packet *p,
                                   const struct tcphdr *tcp, __u8 kind, __u64 cookie, __u64 now)
{
	struct tcpwatch_event *e;
	struct bpf_tcp_sock *tp;

	sk = bpf_sk_fullsock(sk);
	if (!sk)
		return;
	tp = bpf_tcp_sock(sk);
	if (!tp || too_soon(cookie, kind, now))
		return;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_lost();
		return;
	}
	e->t_ns = now;
	e->cookie = cookie;
	e->saddr = p->saddr;
	e->daddr = p->daddr;
	e->sport = p->key.sport;
	e->dport = p->key.dport;
	e->kind = kind;
	e->ca_state = TCPWATCH_UNKNOWN;
	e->tcp_flags = ((const __u8 *)tcp)[13];
	e->state = sk->state;
	e->seq = bpf_ntohl(tcp->seq);
	e->ack = bpf_ntohl(tcp->ack_seq);
	e->len = p->end - p->bytes - tcp->doff * 4;
	e->mdev_us = e->rtt_us = e->arg = 0;
	__builtin_memset(e->reserved, 0, sizeof(e->reserved));
	e->snd_wnd = bpf_ntohs(tcp->window);
	fill_socket(e, tp);
	submit(e);
}

static __always_inline int handle_segment(struct __sk_buff *skb, __u8 kind)
{
	int out = kind == TCPWATCH_SEGMENT_OUT;
	struct bpf_sock *sk = skb->sk;
	const struct tcphdr *tcp = NULL;
	struct packet p;
	__u64 cookie, now;

	if (!sk)
		return 1;
	__builtin_memset(&p.key, 0, sizeof(p.key));
	if (skb->protocol == bpf_htons(ETH_P_IP))
		tcp = read_ipv4(skb, &p, out);
	else if (skb->protocol == bpf_htons(ETH_P_IPV6))
		tcp = read_ipv6(skb, &p, out);
	if (!tcp || (p.key.protocol != IPPROTO_TCP && p.key.protocol != IPPROTO_UDP))
		return 1;
	p.key.sport = bpf_ntohs(out ? tcp->source : tcp->dest);
	p.key.dport = bpf_ntohs(out ? tcp->dest : tcp->source);
	now = bpf_ktime_get_ns();
	cookie = bpf_get_socket_cookie(skb);
	count_packet(skb, &p.key, out, cookie, now);
	if (p.key.protocol == IPPROTO_TCP)
		sample(sk, &p, tcp, kind, cookie, now);
	return 1;
}

SEC("cgroup_skb/egress")
int tcpwatch_egress(struct __sk_buff *skb)
{
	return handle_segment(skb, TCPWATCH_SEGMENT_OUT);
}

SEC("cgroup_skb/ingress")
int tcpwatch_ingress(struct __sk_buff *skb)
{
	return handle_segment(skb, TCPWATCH_SEGMENT_IN);
}

char LICENSE[] SEC("license") = "GPL";
