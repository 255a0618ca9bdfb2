// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gentle.bpf.c - an example of a congestion control: Reno that gives up an
 * eighth of its window after a loss, instead of half.
 *
 * `cellbed run ... --load build/ebpf/ccload/gentle.bpf.o --set
 * tcp.congestion_control=gentle`. What a function does not have here, such as
 * slow start, is the kernel's own Reno.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Parts of the kernel's structures; libbpf finds where they are in the kernel that runs. */
struct sock {
} __attribute__((preserve_access_index));

struct tcp_sock {
	__u32 snd_cwnd;
} __attribute__((preserve_access_index));

struct rate_sample;

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
};

#define LEAST_PKTS 2
#define KEPT_NUM   7
#define KEPT_DEN   8

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops/gentle_ssthresh")
__u32 BPF_PROG(gentle_ssthresh, struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;
	__u32 kept_pkts = tp->snd_cwnd * KEPT_NUM / KEPT_DEN;

	return kept_pkts > LEAST_PKTS ? kept_pkts : LEAST_PKTS;
}

SEC("struct_ops/gentle_cong_avoid")
void BPF_PROG(gentle_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/gentle_undo_cwnd")
__u32 BPF_PROG(gentle_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops gentle = {
	.ssthresh = (void *)gentle_ssthresh,
	.cong_avoid = (void *)gentle_cong_avoid,
	.undo_cwnd = (void *)gentle_undo_cwnd,
	.name = "gentle",
};

char _license[] SEC("license") = "GPL";
