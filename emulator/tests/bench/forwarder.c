/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forwarder.c - what a daemon between two TUN devices costs at least: every
 * packet is read from one and written to the other, and nothing else happens.
 *
 *	forwarder NETNS_A NETNS_B
 *
 * The device is called lte0 in both. Says "ready" on standard output, ends on SIGTERM.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tun.h"

#define BYTES_MAX 65536

/* Return: 0 when the device is empty, or negative errno. */
static int forward(const struct tun *from, const struct tun *to)
{
	static uint8_t data[BYTES_MAX];
	ssize_t len;

	while ((len = read(from->fd, data, sizeof(data))) > 0)
		if (write(to->fd, data, (size_t)len) < 0 && errno != EAGAIN && errno != EIO &&
		    errno != EINVAL)
			return -errno;
	return errno == EAGAIN ? 0 : -errno;
}

int main(int argc, char **argv)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct tun tun[2];
	const char *what;

	if (argc != 3) {
		(void)fputs("usage: forwarder NETNS_A NETNS_B\n", stderr);
		return 2;
	}
	for (int i = 0; i < 2; i++) {
		struct config_port port = { .mtu = 1500, .txqueuelen = 10000 };
		int r;

		(void)snprintf(port.netns, sizeof(port.netns), "%s", argv[i + 1]);
		(void)snprintf(port.ifname, sizeof(port.ifname), "lte0");
		r = tun_open(&tun[i], &port, false, &what);
		if (r < 0) {
			(void)fprintf(stderr, "%s: %s: %s\n", argv[i + 1], what, strerror(-r));
			return 1;
		}
		fds[i].fd = tun[i].fd;
	}
	(void)puts("ready");
	(void)fflush(stdout);
	while (poll(fds, 2, -1) > 0)
		if (forward(&tun[0], &tun[1]) < 0 || forward(&tun[1], &tun[0]) < 0)
			break;
	perror("forwarder");
	return 1;
}
