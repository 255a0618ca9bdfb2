/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.c - capabilities and real-time scheduling; see privilege.h. */
#define _GNU_SOURCE
#include "privilege.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Above every ordinary program, below the kernel's own threads (50). */
#define FIFO_PRIORITY 10

void privilege_drop(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].effective = data[0].permitted = 1u << CAP_SYS_ADMIN;
	(void)syscall(SYS_capset, &h, data); /* without any there is nothing to drop */
}

bool privilege_lock_memory(void)
{
	return mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

bool privilege_realtime(void)
{
	struct sched_param p = { .sched_priority = FIFO_PRIORITY };

	return sched_setscheduler(0, SCHED_FIFO, &p) == 0;
}
