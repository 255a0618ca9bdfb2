/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_step.c - for tests: a machine whose clock is set
 *
 * Preloaded into a program, it has CLOCK_REALTIME go back by CLOCK_STEP_MS once a file called
 * CLOCK_STEP_FILE is there.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *file = getenv("CLOCK_STEP_FILE"), *ms = getenv("CLOCK_STEP_MS");
	int r = (int)syscall(SYS_clock_gettime, clock, t);

	if (r == 0 && clock == CLOCK_REALTIME && file && ms && access(file, F_OK) == 0) {
		long long ns = t->tv_sec * 1000000000LL + t->tv_nsec - atoll(ms) * 1000000;

		t->tv_sec = ns / 1000000000;
		t->tv_nsec = ns % 1000000000;
	}
	return r;
}
