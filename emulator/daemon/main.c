/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - celld's command line. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "celld.h"
#include "message.h"
#include "number.h"

static void usage(FILE *f)
{
	(void)fputs("usage: celld --config FILE [--ready-fd N]\n"
	            "       celld --check FILE\n"
	            "Emulate a radio network between TUN devices until SIGTERM.\n"
	            "  --config FILE  the network, in JSON\n"
	            "  --check FILE   say what is wrong in such a file, and end\n"
	            "  --ready-fd N   write a byte there when packets can flow\n"
	            "docs/trace-format.md describes the files that celld writes.\n",
	            f);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		                                 { "check", required_argument, NULL, 'k' },
		                                 { "ready-fd", required_argument, NULL, 'r' },
		                                 { "help", no_argument, NULL, 'h' },
		                                 { 0 } };
	static struct config cfg;
	const char *path = NULL;
	char error[CONFIG_ERROR_MAX];
	bool check = false;
	uint64_t number;
	int ready_fd = -1, o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case 'c':
		case 'k':
			path = optarg;
			check = o == 'k';
			break;
		case 'r':
			if (!number_parse(optarg, 10, 0, INT_MAX, &number)) {
				celld_say("--ready-fd: value '%s': allowed 0..%d", optarg, INT_MAX);
				return 2;
			}
			ready_fd = (int)number;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (!path || optind != argc) {
		usage(stderr);
		return 2;
	}
	if (config_load(&cfg, path, error) < 0) {
		celld_say("%s", error);
		return 2;
	}
	if (check)
		return 0;
	return celld_run(&cfg, ready_fd) < 0 ? 1 : 0;
}
