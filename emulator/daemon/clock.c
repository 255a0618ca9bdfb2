/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.c - the clocks that celld reads; see clock.h. */
#include "clock.h"

int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* A clock read takes time, in virtual time too: MONOTONIC before and after. */
int64_t clock_realtime_offset_ns(void)
{
	int64_t before_ns = clock_ns(CLOCK_MONOTONIC), real_ns = clock_ns(CLOCK_REALTIME);

	return real_ns - (before_ns + clock_ns(CLOCK_MONOTONIC)) / 2;
}
