/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.c - capabilities and real-time scheduling; see privilege.h. */
#define _GNU_SOURCE
#include "privilege.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Above every ordinary program, below the kernel's own threads (50). */
#define FIFO_PRIORITY 10

void privilege_drop(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	/* Without any there is nothing to drop. The bounding set needs CAP_SETPCAP, so it comes
	 * first. */
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)syscall(SYS_capset, &h, data);
}

uint64_t privilege_held(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &h, data) < 0)
		return UINT64_MAX;
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

bool privilege_lock_memory(void)
{
	return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

bool privilege_realtime(void)
{
	struct sched_param p = { .sched_priority = FIFO_PRIORITY };

	return sched_setscheduler(0, SCHED_FIFO, &p) == 0;
}
