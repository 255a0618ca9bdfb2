/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.c - capabilities and real-time scheduling; see privilege.h. */
#define _GNU_SOURCE
#include "privilege.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIFO_PRIORITY 10

void privilege_drop(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].effective = data[0].permitted = 1u << CAP_SYS_ADMIN;
	(void)syscall(SYS_capset, &h, data); /* without any there is nothing to drop */
}

int privilege_realtime(void)
{
	struct sched_param p = { .sched_priority = FIFO_PRIORITY };

	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		return -1;
	return sched_setscheduler(0, SCHED_FIFO, &p);
}
