/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipdump.c - captures interfaces of many network namespaces at once
 *
 * A tcpdump for each would be a process for each, and in a guest its start takes longer than the
 * set-up of the node that it looks at. Packets come from the kernel in blocks, when one is full or
 * at a timer; what is in a block that was not handed over when this ends is lost, so who ends it
 * waits for that long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lifetime.h"
#include "number.h"
#include "pcapfile.h"
#include "ring.h"

#define TIMEOUT_MS     1000
#define SNAPLEN_MAX    262144
#define BUFFER_KIB_MAX (1 << 20)
#define FILE_BUFFER    (1 << 16)
#define WORDS          4 /* of a capture on the command line */

struct capture {
	const char *name, *netns, *ifname, *path;
	struct ring ring;
	FILE *file;
	char buffer[FILE_BUFFER]; /* of @file: as few writes as there are blocks */
};

static struct {
	const char *stats;
	int ready_fd, snaplen, buffer_kib;
} env = { .ready_fd = -1, .snaplen = 128, .buffer_kib = 16384 };

static int fail(const struct capture *c, const char *what, int error)
{
	(void)fprintf(stderr, "ipdump: %s of %s: %s: %s\n", c->ifname, c->name, what,
	              strerror(-error));
	return -1;
}

static int open_capture(struct capture *c)
{
	int netns = open(c->netns, O_RDONLY | O_CLOEXEC), e;

	if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
		return fail(c, c->netns, -errno);
	(void)close(netns);
	e = ring_open(&c->ring, c->ifname, (uint32_t)env.snaplen, (uint32_t)env.buffer_kib,
	              TIMEOUT_MS);
	if (e < 0)
		return fail(c, "opening", e);
	c->file = fopen(c->path, "we");
	if (!c->file)
		return fail(c, "writing", -errno);
	(void)setvbuf(c->file, c->buffer, _IOFBF, sizeof(c->buffer));
	e = pcap_file_start(c->file, c->ring.linktype, (uint32_t)env.snaplen);
	return e < 0 ? fail(c, "writing", e) : 0;
}

/* Write what the kernel has handed over. */
static int drain(struct capture *c)
{
	int e = ring_drain(&c->ring, c->file);

	if (fflush(c->file) != 0)
		return fail(c, "writing", -errno);
	if (ferror(c->file))
		return fail(c, "writing", -EIO);
	return e < 0 ? fail(c, "reading", e) : 0;
}

static int loop(struct capture *captures, size_t n, int signal_fd)
{
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));
	int r = 0;

	if (!fds)
		return -1;
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = captures[i].ring.fd, .events = POLLIN };
	fds[n] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
	while (r == 0 && !fds[n].revents) {
		if (poll(fds, n + 1, -1) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i < n && r == 0; i++)
			if (fds[i].revents)
				r = drain(&captures[i]);
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = drain(&captures[i]);
	free(fds);
	return r;
}

/* {NAME: packets that the kernel dropped} */
static int write_stats(const struct capture *captures, size_t n)
{
	FILE *f = fopen(env.stats, "w");
	int r = 0;

	if (!f)
		return -1;
	for (size_t i = 0; i < n && r == 0; i++) {
		uint32_t dropped = 0;

		r = ring_dropped(&captures[i].ring, &dropped);
		(void)fprintf(f, "%s\"%s\": %u", i ? ", " : "{", captures[i].name, dropped);
	}
	(void)fputs(n ? "}\n" : "{}\n", f);
	return fclose(f) != 0 ? -1 : r;
}

static int run(struct capture *captures, size_t n, int signal_fd)
{
	for (size_t i = 0; i < n; i++)
		if (open_capture(&captures[i]) < 0)
			return -1;
	if (lifetime_ready(env.ready_fd) < 0)
		return -1;
	if (loop(captures, n, signal_fd) < 0)
		return -1;
	if (write_stats(captures, n) < 0) {
		(void)fprintf(stderr, "ipdump: %s: %s\n", env.stats, strerror(errno));
		return -1;
	}
	return 0;
}

static void usage(FILE *f)
{
	(void)fputs("usage: ipdump --stats FILE [--ready-fd N] [--snaplen BYTES] [--buffer-kib N]\n"
	            "              [NAME NETNS IFNAME FILE]...\n"
	            "Capture interfaces of network namespaces until SIGTERM. The statistics have "
	            "the number\n"
	            "of packets that each missed.\n",
	            f);
}

static bool number(const char *name, uint64_t min, uint64_t max, int *ret)
{
	uint64_t value;

	if (!number_option("ipdump", name, min, max, &value))
		return false;
	*ret = (int)value;
	return true;
}

/* Return: whether the command line says what to do. */
static bool parse(int argc, char **argv)
{
	static const struct option options[] = { { "stats", required_argument, NULL, 's' },
		                                 { "ready-fd", required_argument, NULL, 'r' },
		                                 { "snaplen", required_argument, NULL, 'l' },
		                                 { "buffer-kib", required_argument, NULL, 'b' },
		                                 { "help", no_argument, NULL, 'h' },
		                                 { 0 } };
	int o, at;

	while ((o = getopt_long(argc, argv, "", options, &at)) != -1) {
		bool ok = true;

		switch (o) {
		case 's':
			env.stats = optarg;
			break;
		case 'r':
			ok = number(options[at].name, 0, INT_MAX, &env.ready_fd);
			break;
		case 'l':
			ok = number(options[at].name, 1, SNAPLEN_MAX, &env.snaplen);
			break;
		case 'b':
			ok = number(options[at].name, 1, BUFFER_KIB_MAX, &env.buffer_kib);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			ok = false;
		}
		if (!ok)
			return false;
	}
	return env.stats && (argc - optind) % WORDS == 0;
}

int main(int argc, char **argv)
{
	int signal_fd = lifetime_signal_fd();
	struct capture *captures;
	int result;
	size_t n;

	if (!parse(argc, argv)) {
		usage(stderr);
		return 2;
	}
	n = (size_t)(argc - optind) / WORDS;
	captures = signal_fd < 0 ? NULL : calloc(n + 1, sizeof(*captures));
	if (!captures) {
		(void)fprintf(stderr, "ipdump: %s\n",
		              strerror(signal_fd < 0 ? -signal_fd : ENOMEM));
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		char **words = &argv[optind + (int)(i * WORDS)];

		captures[i].name = words[0];
		captures[i].netns = words[1];
		captures[i].ifname = words[2];
		captures[i].path = words[3];
	}
	result = run(captures, n, signal_fd); /* what is open is closed by the end */
	free(captures);
	return result < 0;
}
