/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the clocks that celld reads. */
#ifndef CLOCK_H
#define CLOCK_H

#include <linux/time_types.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

int64_t clock_ns(clockid_t id);

/** clock_timespec() - a time as io_uring wants it */
struct __kernel_timespec clock_timespec(int64_t t_ns);

/** clock_realtime_offset_ns() - CLOCK_REALTIME minus CLOCK_MONOTONIC */
int64_t clock_realtime_offset_ns(void);

#endif
