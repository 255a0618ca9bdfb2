#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cwnd and RTT of every segment that an established connection receives, with bcc: a kprobe that reads struct tcp_sock.

What one writes ad hoc on a full kernel: it needs bcc (Debian's python3-bpfcc) and the kernel's headers, and compiles at
start. Prints CSV until SIGINT or SIGTERM, then how many samples were lost to stderr. Runs with Debian's own Python.
"""

import signal
import socket
import sys

from bcc import BPF

PROGRAM = r"""
#include <linux/tcp.h>
#include <net/sock.h>

struct sample {
	u64 t_ns;
	u32 snd_una;
	u32 snd_cwnd;
	u32 srtt_us;
	u16 sport;
	u16 dport;
};

BPF_PERF_OUTPUT(samples);

int kprobe__tcp_rcv_established(struct pt_regs *ctx, struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;
	struct sample s = {};

	s.t_ns = bpf_ktime_get_ns();
	s.snd_una = tp->snd_una;
	s.snd_cwnd = tp->snd_cwnd;
	s.srtt_us = tp->srtt_us >> 3;
	s.sport = sk->__sk_common.skc_num;
	s.dport = sk->__sk_common.skc_dport;
	samples.perf_submit(ctx, &s, sizeof(s));
	return 0;
}
"""


class End(Exception):
    """A signal says that it is enough."""


def end(*_):
    raise End


def main():
    bpf = BPF(text=PROGRAM)
    lost = 0

    def show(_cpu, data, _size):
        s = bpf["samples"].event(data)
        print(s.t_ns, s.sport, socket.ntohs(s.dport), s.snd_una, s.snd_cwnd, s.srtt_us, sep=",")

    def count(n):
        nonlocal lost
        lost += n

    bpf["samples"].open_perf_buffer(show, page_cnt=256, lost_cb=count)
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    print("t_ns,sport,dport,snd_una,snd_cwnd,srtt_us", flush=True)
    try:
        while True:
            bpf.perf_buffer_poll()
    except End:
        bpf.perf_buffer_poll(timeout=0)
    sys.stdout.flush()
    print(f"lost {lost}", file=sys.stderr)


if __name__ == "__main__":
    main()
