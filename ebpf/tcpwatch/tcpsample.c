/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcpsample.c - looks at the TCP sockets of network namespaces again and again and writes
 * tcp.trace.
 *
 * The probe for who may load no BPF. At each tick the kernel lists the connections of a namespace
 * with what getsockopt(TCP_INFO) would say of each (sock_diag(7)); nothing tells of what happened
 * in between, nor of connections that lived between two ticks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lifetime.h"
#include "number.h"
#include "tcptrace.h"

#define INTERVAL_MIN_US 1000
#define INTERVAL_MAX_US 60000000
#define ANSWER_BYTES    32768
/* Of include/net/tcp_states.h: all but those that have no numbers to tell. */
#define STATES_WITH_INFO (0xfffu & ~(1u << 3 | 1u << 6 | 1u << 7 | 1u << 10))

static struct {
	const char *output, *stats;
	int ready_fd;
	uint32_t interval_us;
} env = { .ready_fd = -1, .interval_us = 10000 };

struct sampler {
	int *diag; /* a socket of each namespace */
	size_t n;
	struct trace_file *trace;
	uint64_t samples;
};

static int fail(const char *what, int error)
{
	(void)fprintf(stderr, "tcpsample: %s: %s\n", what, strerror(error));
	return -1;
}

/* A socket stays in the namespace in which it was made. */
static int open_namespace(const char *path)
{
	int netns = open(path, O_RDONLY | O_CLOEXEC), fd = -1;

	if (netns >= 0 && setns(netns, CLONE_NEWNET) == 0)
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return fail(path, errno);
	(void)close(netns);
	return fd;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One of IPv4 is mapped, which that of a socket of IPv6 that talks IPv4 is already. */
static uint32_t number(uint8_t family, const __be32 *address)
{
	struct tcpwatch_address a = { .word = { 0, 0, TCPWATCH_MAPPED, address[0] } };

	if (family == AF_INET6)
		memcpy(a.word, address, sizeof(a.word));
	return tcpwatch_number(&a);
}

static struct tcpwatch_event event(const struct inet_diag_msg *m, const struct tcp_info *info)
{
	return (struct tcpwatch_event){
		.t_ns = now_ns(),
		.cookie = (uint64_t)m->id.idiag_cookie[1] << 32 | m->id.idiag_cookie[0],
		.saddr = number(m->idiag_family, m->id.idiag_src),
		.daddr = number(m->idiag_family, m->id.idiag_dst),
		.sport = ntohs(m->id.idiag_sport),
		.dport = ntohs(m->id.idiag_dport),
		.kind = TCPWATCH_SAMPLE,
		.ca_state = info->tcpi_ca_state,
		.state = info->tcpi_state,
		.snd_cwnd = info->tcpi_snd_cwnd,
		.snd_ssthresh = info->tcpi_snd_ssthresh,
		.mss = info->tcpi_snd_mss,
		.srtt_us = info->tcpi_rtt,
		.mdev_us = info->tcpi_rttvar,
		.min_rtt_us = info->tcpi_min_rtt,
		.packets_out = info->tcpi_unacked,
		.retrans_out = info->tcpi_retrans,
		.lost_out = info->tcpi_lost,
		.sacked_out = info->tcpi_sacked,
		.total_retrans = info->tcpi_total_retrans,
		.delivered = info->tcpi_delivered,
	};
}

/* Write the sample that an answer is. Return: 0 or negative errno. */
static int take(struct sampler *s, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *a = (const void *)(m + 1);
	int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		struct tcp_info info = { 0 }; /* an older kernel's is shorter */
		size_t bytes = RTA_PAYLOAD(a);
		struct tcpwatch_event e;

		if (a->rta_type != INET_DIAG_INFO)
			continue;
		memcpy(&info, RTA_DATA(a), bytes < sizeof(info) ? bytes : sizeof(info));
		e = event(m, &info);
		s->samples++;
		return trace_write(s->trace, &e);
	}
	return 0;
}

static int sample(struct sampler *s, int fd, uint8_t family)
{
	static _Alignas(struct nlmsghdr) char buf[ANSWER_BYTES];
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} q = { .h = { .nlmsg_len = sizeof(q),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.r = { .sdiag_family = family,
		       .sdiag_protocol = IPPROTO_TCP,
		       .idiag_ext = 1 << (INET_DIAG_INFO - 1),
		       .idiag_states = STATES_WITH_INFO } };

	if (send(fd, &q, sizeof(q), 0) < 0)
		return -errno;
	for (;;) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);
		int left = (int)n;

		if (n < 0)
			return -errno;
		for (struct nlmsghdr *h = (void *)buf; left > 0 && NLMSG_OK(h, (unsigned int)left);
		     h = NLMSG_NEXT(h, left)) {
			int r = 0;

			if (h->nlmsg_type == NLMSG_DONE)
				return 0;
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == SOCK_DIAG_BY_FAMILY)
				r = take(s, h);
			if (r < 0)
				return r;
		}
	}
}

static int sample_all(struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		int r = sample(s, s->diag[i], AF_INET);

		if (r == 0)
			r = sample(s, s->diag[i], AF_INET6);
		if (r < 0)
			return fail("asking for the sockets of a namespace", -r);
	}
	return 0;
}

static int loop(struct sampler *s, int signal_fd)
{
	struct timespec tick = { .tv_sec = env.interval_us / 1000000,
		                 .tv_nsec = env.interval_us % 1000000 * 1000L };
	struct itimerspec period = { .it_value = tick, .it_interval = tick };
	int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), r = 0;
	struct pollfd fds[] = { { .fd = signal_fd, .events = POLLIN },
		                { .fd = timer_fd, .events = POLLIN } };
	uint64_t ticks;

	if (timer_fd < 0 || timerfd_settime(timer_fd, 0, &period, NULL) < 0)
		return fail("timer", errno);
	while (r == 0 && !fds[0].revents)
		if (poll(fds, 2, -1) > 0 && fds[1].revents &&
		    read(timer_fd, &ticks, sizeof(ticks)) == sizeof(ticks))
			r = sample_all(s);
	(void)close(timer_fd);
	return r;
}

static int write_stats(const struct sampler *s)
{
	json_t *o = json_pack("{s:I, s:i, s:{s:I}, s:I}", "samples", (json_int_t)s->samples, "lost",
	                      0, "by_kind", tcp_trace_kind(TCPWATCH_SAMPLE), (json_int_t)s->samples,
	                      "interval_us", (json_int_t)env.interval_us);
	int r = json_dump_file(o, env.stats, JSON_INDENT(1));

	json_decref(o);
	return r < 0 ? fail(env.stats, errno) : 0;
}

static int run(struct sampler *s, char **namespaces, int signal_fd)
{
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (size_t i = 0; i < s->n; i++) {
		s->diag[i] = open_namespace(namespaces[i]);
		if (s->diag[i] < 0)
			return -1;
	}
	r = tcp_trace_create(&s->trace, env.output, TCPWATCH_SAMPLE, TCPWATCH_SAMPLE + 1);
	if (r < 0)
		return fail(env.output, -r);
	r = lifetime_ready(env.ready_fd);
	if (r < 0)
		return fail("writing to --ready-fd", -r);
	r = loop(s, signal_fd);
	if (trace_close(s->trace) < 0)
		r = fail(env.output, EIO);
	return write_stats(s) < 0 ? -1 : r;
}

static void usage(FILE *f)
{
	(void)fputs("usage: tcpsample --output FILE --stats FILE [--ready-fd N] [--interval US] "
	            "NETNS...\n"
	            "Sample every TCP socket of network namespaces until SIGTERM, without "
	            "privileges.\n",
	            f);
}

/* Return: whether the command line says what to do. */
static bool parse(int argc, char **argv)
{
	static const struct option options[] = { { "output", required_argument, NULL, 'o' },
		                                 { "stats", required_argument, NULL, 's' },
		                                 { "ready-fd", required_argument, NULL, 'r' },
		                                 { "interval", required_argument, NULL, 'i' },
		                                 { "help", no_argument, NULL, 'h' },
		                                 { 0 } };
	uint64_t value;
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case 'o':
			env.output = optarg;
			break;
		case 's':
			env.stats = optarg;
			break;
		case 'r':
			if (!number_option("tcpsample", "ready-fd", 0, INT_MAX, &value))
				return false;
			env.ready_fd = (int)value;
			break;
		case 'i':
			if (!number_option("tcpsample", "interval", INTERVAL_MIN_US,
			                   INTERVAL_MAX_US, &value))
				return false;
			env.interval_us = (uint32_t)value;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			return false;
		}
	}
	return env.output && env.stats && optind < argc;
}

int main(int argc, char **argv)
{
	int signal_fd = lifetime_signal_fd();
	struct sampler s = { 0 };
	int result;

	if (!parse(argc, argv)) {
		usage(stderr);
		return 2;
	}
	s.n = (size_t)(argc - optind);
	s.diag = signal_fd < 0 ? NULL : calloc(s.n, sizeof(*s.diag));
	if (!s.diag)
		return fail("starting", signal_fd < 0 ? -signal_fd : ENOMEM) < 0;
	result = run(&s, &argv[optind], signal_fd); /* what is open is closed by the end */
	free(s.diag);
	return result < 0;
}
