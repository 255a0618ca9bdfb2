/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spins in one of several ways that cost no virtual time, for tests of the lab kernel: spin KIND */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarmed;

static void on_alarm(int number)
{
	(void)number;
	alarmed = true;
}

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Two processes that hand a byte to and fro. */
static void talk(void)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back))
		return;
	if (!fork()) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (!alarmed && write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	double start_s = now_s(CLOCK_MONOTONIC);
	struct tms unused;

	signal(SIGALRM, on_alarm);
	ualarm(100000, 0);
	if (!strcmp(kind, "coarse"))
		for (double start_s = now_s(CLOCK_MONOTONIC_COARSE);
		     now_s(CLOCK_MONOTONIC_COARSE) < start_s + 0.1;)
			;
	else if (!strcmp(kind, "times"))
		for (clock_t start = times(&unused); times(&unused) < start + 10;)
			;
	else if (!strcmp(kind, "yield"))
		while (!alarmed)
			sched_yield();
	else if (!strcmp(kind, "poll"))
		while (!alarmed)
			poll(NULL, 0, 0);
	else if (!strcmp(kind, "talk"))
		talk();
	else if (!strcmp(kind, "compute"))
		while (!alarmed)
			;
	else
		return 2;
	printf("%s %.3f\n", kind, now_s(CLOCK_MONOTONIC) - start_s);
	return 0;
}
