// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ccload - registers the congestion controls of a BPF object for as long as it runs.
 *
 * A congestion control in BPF is a struct_ops map that holds a struct
 * tcp_congestion_ops. Each becomes a BPF link, which belongs to this process
 * alone: however it ends, also by SIGKILL, the kernel unregisters them. What
 * bpftool registers stays until somebody unregisters it.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lifetime.h"
#include "number.h"

/* Not in the headers of Linux 6.1; the kernel has them since 6.4. Source: uapi/linux/bpf.h */
#define F_LINK            (1U << 13)
#define ATTACH_STRUCT_OPS ((enum bpf_attach_type)44)

static int warnings(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* Mark the struct_ops maps as registered by link. Return: how many there are. */
static int ask_for_links(struct bpf_object *object)
{
	struct bpf_map *map;
	int count = 0;

	bpf_object__for_each_map(map, object)
	{
		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		(void)bpf_map__set_map_flags(map, bpf_map__map_flags(map) | F_LINK);
		count++;
	}
	return count;
}

/* Return: 0, or the errno of the kernel, negative. */
static int attach(struct bpf_object *object)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		if (!bpf_map__attach_struct_ops(map))
			return -errno;
		/* Before 1.2 libbpf hands over the operations and makes no link of them. */
		if (libbpf_major_version() == 1 && libbpf_minor_version() < 2 &&
		    bpf_link_create(bpf_map__fd(map), 0, ATTACH_STRUCT_OPS, NULL) < 0)
			return -errno;
	}
	return 0;
}

static int load(const char *path, int ready_fd)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	int r;

	if (!object) {
		(void)fprintf(stderr,
		              "ccload: %s: not a BPF object; compile it with clang -target bpf\n",
		              path);
		return 1;
	}
	if (ask_for_links(object) == 0) {
		(void)fprintf(stderr,
		              "ccload: %s: it has no congestion control; define a struct "
		              "tcp_congestion_ops in SEC(\".struct_ops\")\n",
		              path);
		return 1;
	}
	r = bpf_object__load(object);
	if (r == 0)
		r = attach(object);
	if (r < 0) {
		(void)fprintf(stderr, "ccload: %s: %s\n", path,
		              r == -EEXIST ? "this kernel has a congestion control of that name; "
		                             "choose another name"
		                           : strerror(-r));
		return 1;
	}
	if (lifetime_ready(ready_fd) < 0)
		return 1;
	r = lifetime_wait();
	bpf_object__close(object); /* the links end with the process */
	return r;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "ready-fd", required_argument, NULL, 'r' },
		                                 { 0 } };
	uint64_t fd;
	int ready_fd = -1, o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o != 'r' || !number_parse(optarg, 10, 0, INT32_MAX, &fd))
			break;
		ready_fd = (int)fd;
	}
	if (o != -1 || optind + 1 != argc) {
		(void)fputs("usage: ccload FILE.bpf.o [--ready-fd N]\n"
		            "Register the congestion controls of a BPF object until SIGTERM.\n",
		            stderr);
		return 2;
	}
	lifetime_block_signals();
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	libbpf_set_print(warnings);
	return load(argv[optind], ready_fd);
}
