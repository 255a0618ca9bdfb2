/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcpwatch.c - loads the probe, attaches it to a cgroup and writes tcp.trace.
 *
 * The links vanish with the process. The probe wakes the loader only when the
 * ring buffer is a quarter full; a slow timer drains it in between, so that
 * sampling does not cost a wake-up per segment.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "flows.h"
#include "lifetime.h"
#include "number.h"
#include "tcptrace.h"
#include "tcpwatch.h"
#include "tcpwatch.skel.h"

#define DRAIN_PERIOD_S  1
#define RINGBUF_DEFAULT (8u << 20)
#define RINGBUF_MIN     4096
#define RINGBUF_MAX     (1u << 30)
#define WINDOW_MAX      (1u << 30) /* RFC 7323 2.3 */

static struct env {
	const char *cgroup;
	const char *output;
	const char *stats;
	int ready_fd;
	__u32 ringbuf_bytes;
	__u32 receive_window; /* bytes; 0 = leave it alone */
	__u32 cwnd_max;       /* packets; 0 = leave it alone */
	__u32 segment_interval_us;
} env = { .ready_fd = -1, .ringbuf_bytes = RINGBUF_DEFAULT };

struct watcher {
	struct tcpwatch_bpf *skel;
	struct ring_buffer *ring;
	struct trace_file *trace;
	int cgroup_fd;
	int write_error;
	__u64 samples[TCPWATCH_KIND_COUNT];
};

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)fputs("tcpwatch: ", stderr);
	(void)vfprintf(stderr, fmt, ap);
	(void)fputc('\n', stderr);
	va_end(ap);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	/* A kernel without BTF is normal here; libbpf warns and goes on. */
	if (level == LIBBPF_WARN && getenv("TCPWATCH_DEBUG"))
		return vfprintf(stderr, fmt, ap);
	return 0;
}

static int on_event(void *ctx, void *data, size_t len)
{
	const struct tcpwatch_event *e = data;
	struct watcher *w = ctx;
	int r;

	if (len < sizeof(*e))
		return 0;
	if (e->kind < TCPWATCH_KIND_COUNT)
		w->samples[e->kind]++;
	r = trace_write(w->trace, e);
	if (r < 0)
		w->write_error = r;
	return 0;
}

static int open_cgroup(struct watcher *w)
{
	struct statfs fs;

	assert(env.cgroup); /* parse() has seen to it */
	w->cgroup_fd = open(env.cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->cgroup_fd < 0) {
		say("cgroup %s: %s", env.cgroup, strerror(errno));
		return -errno;
	}
	if (fstatfs(w->cgroup_fd, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC) {
		say("cgroup %s: not a cgroup v2 directory; `mount -t cgroup2` shows where one is",
		    env.cgroup);
		return -EINVAL;
	}
	return 0;
}

static int load(struct watcher *w)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int r;

	(void)setrlimit(RLIMIT_MEMLOCK, &unlimited); /* before Linux 5.11 */
	w->skel = tcpwatch_bpf__open();
	if (!w->skel) {
		say("opening the probe: %s", strerror(errno));
		return -errno;
	}
	w->skel->rodata->targ_wakeup_bytes = env.ringbuf_bytes / 4;
	w->skel->rodata->targ_receive_window = env.receive_window;
	w->skel->rodata->targ_cwnd_max = env.cwnd_max;
	w->skel->rodata->targ_segment_interval_ns = env.segment_interval_us * 1000ull;
	r = bpf_map__set_max_entries(w->skel->maps.events, env.ringbuf_bytes);
	if (r == 0)
		r = tcpwatch_bpf__load(w->skel);
	if (r < 0)
		say("loading the probe: %s; it needs CAP_BPF and CAP_NET_ADMIN (or root) and a "
		    "kernel with CONFIG_CGROUP_BPF; TCPWATCH_DEBUG=1 shows libbpf's messages",
		    strerror(-r));
	return r;
}

static int attach(struct watcher *w)
{
	struct tcpwatch_bpf *s = w->skel;

	s->links.tcpwatch_sockops =
		bpf_program__attach_cgroup(s->progs.tcpwatch_sockops, w->cgroup_fd);
	s->links.tcpwatch_egress =
		bpf_program__attach_cgroup(s->progs.tcpwatch_egress, w->cgroup_fd);
	s->links.tcpwatch_ingress =
		bpf_program__attach_cgroup(s->progs.tcpwatch_ingress, w->cgroup_fd);
	s->links.tcpwatch_socket =
		bpf_program__attach_cgroup(s->progs.tcpwatch_socket, w->cgroup_fd);
	if (!s->links.tcpwatch_sockops || !s->links.tcpwatch_egress || !s->links.tcpwatch_ingress ||
	    !s->links.tcpwatch_socket) {
		say("attaching to %s: %s", env.cgroup, strerror(errno));
		return -EPERM;
	}
	w->ring = ring_buffer__new(bpf_map__fd(s->maps.events), on_event, w, NULL);
	if (!w->ring) {
		say("ring buffer: %s", strerror(errno));
		return -ENOMEM;
	}
	return 0;
}

static __u64 counted(const struct bpf_map *map)
{
	int n = libbpf_num_possible_cpus();
	__u64 *per_cpu = calloc(n > 0 ? (size_t)n : 1, sizeof(*per_cpu)), sum = 0;
	__u32 zero = 0;

	if (per_cpu && bpf_map_lookup_elem(bpf_map__fd(map), &zero, per_cpu) == 0)
		for (int i = 0; i < n; i++)
			sum += per_cpu[i];
	free(per_cpu);
	return sum;
}

static int write_stats(struct watcher *w)
{
	__u64 lost = counted(w->skel->maps.lost), samples = 0;
	json_t *kinds = json_object(), *o;
	int r;

	for (int i = 1; i < TCPWATCH_KIND_COUNT; i++) {
		samples += w->samples[i];
		json_object_set_new(kinds, tcp_trace_kind(i),
		                    json_integer((json_int_t)w->samples[i]));
	}
	if (lost)
		say("%llu samples lost: the ring buffer of %u bytes was full; raise "
		    "--ringbuf-bytes",
		    (unsigned long long)lost, env.ringbuf_bytes);
	o = json_pack("{s:I, s:I, s:o, s:o, s:I}", "samples", (json_int_t)samples, "lost",
	              (json_int_t)lost, "by_kind", kinds, "flows",
	              flows_json(bpf_map__fd(w->skel->maps.flows), env.cgroup), "uncounted_pkts",
	              (json_int_t)counted(w->skel->maps.uncounted));
	r = json_dump_file(o, env.stats, JSON_INDENT(1));
	json_decref(o);
	if (r < 0)
		say("%s: %s", env.stats, strerror(errno));
	return r < 0 ? -EIO : 0;
}

static int watch_fd(int epoll_fd, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

static int loop(struct watcher *w, int signal_fd)
{
	struct itimerspec period = { .it_value.tv_sec = DRAIN_PERIOD_S,
		                     .it_interval.tv_sec = DRAIN_PERIOD_S };
	int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	bool stop = false;

	if (timer_fd < 0 || epoll_fd < 0 || timerfd_settime(timer_fd, 0, &period, NULL) < 0 ||
	    watch_fd(epoll_fd, timer_fd) < 0 || watch_fd(epoll_fd, signal_fd) < 0 ||
	    watch_fd(epoll_fd, ring_buffer__epoll_fd(w->ring)) < 0) {
		say("setting up events: %s", strerror(errno));
		return -errno;
	}
	while (!stop && w->write_error == 0) {
		struct epoll_event e;
		__u64 n;

		if (epoll_wait(epoll_fd, &e, 1, -1) == 1) {
			if (e.data.fd == signal_fd)
				stop = true;
			else if (e.data.fd == timer_fd && read(timer_fd, &n, sizeof(n)) < 0)
				continue;
		}
		(void)ring_buffer__consume(w->ring);
	}
	(void)close(epoll_fd);
	(void)close(timer_fd);
	return w->write_error;
}

static int run(struct watcher *w)
{
	int signal_fd = lifetime_signal_fd(), r, r2;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	r = open_cgroup(w);
	if (r == 0)
		r = load(w);
	if (r == 0)
		r = attach(w);
	if (r < 0)
		return r;
	r = tcp_trace_create(&w->trace, env.output, TCPWATCH_SEGMENT_OUT, TCPWATCH_KIND_COUNT);
	if (r < 0) {
		say("%s: %s", env.output, strerror(-r));
		return r;
	}
	r = lifetime_ready(env.ready_fd);
	if (r < 0)
		say("writing to --ready-fd: %s", strerror(-r));
	r = loop(w, signal_fd);
	tcpwatch_bpf__detach(w->skel);
	(void)ring_buffer__consume(w->ring);
	r2 = trace_close(w->trace);
	w->trace = NULL;
	if (r == 0)
		r = r2 ? r2 : w->write_error;
	if (r < 0)
		say("%s: %s", env.output, strerror(-r));
	return write_stats(w) < 0 && r == 0 ? -EIO : r;
}

static void usage(FILE *f)
{
	(void)fputs(
		"usage: tcpwatch --cgroup DIR --output FILE --stats FILE [--ready-fd N]\n"
		"                [--ringbuf-bytes N] [--receive-window BYTES] "
		"[--cwnd-max PACKETS]\n"
		"                [--segment-interval US]\n"
		"Sample every TCP socket of a cgroup until SIGTERM. --receive-window limits the "
		"windows that they\n"
		"advertise, --cwnd-max their congestion windows.\n",
		f);
}

/* The value of the option @name. Return: 0, or -ERANGE after a message. */
static int number(const char *name, uint64_t min, uint64_t max, __u32 *ret)
{
	uint64_t value;

	if (!number_option("tcpwatch", name, min, max, &value))
		return -ERANGE;
	*ret = (__u32)value;
	return 0;
}

/* Return: 0, -EINVAL when the usage may help, -ERANGE after a message. */
static int parse(int argc, char **argv)
{
	static const struct option options[] = { { "cgroup", required_argument, NULL, 'c' },
		                                 { "output", required_argument, NULL, 'o' },
		                                 { "stats", required_argument, NULL, 's' },
		                                 { "ready-fd", required_argument, NULL, 'r' },
		                                 { "ringbuf-bytes", required_argument, NULL, 'b' },
		                                 { "receive-window", required_argument, NULL, 'w' },
		                                 { "cwnd-max", required_argument, NULL, 'm' },
		                                 { "segment-interval", required_argument, NULL,
		                                   'i' },
		                                 { "help", no_argument, NULL, 'h' },
		                                 { 0 } };
	__u32 fd = 0;
	int o, at, r = 0;

	while (r == 0 && (o = getopt_long(argc, argv, "", options, &at)) != -1) {
		switch (o) {
		case 'c':
			env.cgroup = optarg;
			break;
		case 'o':
			env.output = optarg;
			break;
		case 's':
			env.stats = optarg;
			break;
		case 'r':
			r = number(options[at].name, 0, INT_MAX, &fd);
			env.ready_fd = (int)fd;
			break;
		case 'b':
			r = number(options[at].name, RINGBUF_MIN, RINGBUF_MAX, &env.ringbuf_bytes);
			break;
		case 'w':
			r = number(options[at].name, 1, WINDOW_MAX, &env.receive_window);
			break;
		case 'm':
			r = number(options[at].name, 1, INT_MAX, &env.cwnd_max);
			break;
		case 'i':
			r = number(options[at].name, 0, UINT32_MAX, &env.segment_interval_us);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			return -EINVAL;
		}
	}
	if (r == 0 && (env.ringbuf_bytes & (env.ringbuf_bytes - 1))) {
		say("--ringbuf-bytes: value %u: allowed powers of two", env.ringbuf_bytes);
		r = -ERANGE;
	}
	if (r < 0)
		return r;
	return env.cgroup && env.output && env.stats && optind == argc ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct watcher w = { .cgroup_fd = -1 };
	int r;

	r = parse(argc, argv);
	if (r < 0) {
		if (r == -EINVAL)
			usage(stderr);
		return 2;
	}
	libbpf_set_print(quiet);
	r = run(&w);
	(void)trace_close(w.trace);
	ring_buffer__free(w.ring);
	tcpwatch_bpf__destroy(w.skel);
	return r < 0 ? 1 : 0;
}
