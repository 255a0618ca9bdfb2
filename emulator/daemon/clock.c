/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.c - the clocks that celld reads; see clock.h. */
#include "clock.h"

int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

struct __kernel_timespec clock_timespec(int64_t t_ns)
{
	return (struct __kernel_timespec){ .tv_sec = t_ns / NS_PER_S, .tv_nsec = t_ns % NS_PER_S };
}

/* A clock read takes time, in virtual time too: MONOTONIC before and after. */
int64_t clock_realtime_offset_ns(void)
{
	int64_t before_ns = clock_ns(CLOCK_MONOTONIC), real_ns = clock_ns(CLOCK_REALTIME);

	return real_ns - (before_ns + clock_ns(CLOCK_MONOTONIC)) / 2;
}
