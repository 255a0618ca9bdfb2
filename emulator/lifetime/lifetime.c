/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lifetime.c - how a program that works beside a run starts and ends; see lifetime.h. */
#include "lifetime.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t ends(void)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	return signals;
}

void lifetime_block_signals(void)
{
	sigset_t signals = ends();

	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
}

int lifetime_signal_fd(void)
{
	sigset_t signals = ends();
	int fd;

	lifetime_block_signals();
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int lifetime_wait(void)
{
	sigset_t signals = ends();
	int got;

	return sigwait(&signals, &got);
}

int lifetime_ready(int fd)
{
	static const char line[] = "ready\n";

	if (fd < 0)
		return 0;
	errno = 0; /* what a short write leaves it */
	if (write(fd, line, sizeof(line) - 1) != sizeof(line) - 1)
		return errno ? -errno : -EPIPE;
	(void)close(fd);
	return 0;
}
