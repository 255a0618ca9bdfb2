/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.c - capabilities and real-time scheduling; see privilege.h. */
#define _GNU_SOURCE
#include "privilege.h"

#include <cap-ng.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* Above every ordinary program, below the kernel's own threads (50). */
#define FIFO_PRIORITY 10

void privilege_drop(void)
{
	/* Without any there is nothing to drop. */
	capng_clear(CAPNG_SELECT_ALL);
	(void)capng_apply(CAPNG_SELECT_ALL);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

uint64_t privilege_held(void)
{
	uint64_t held = 0;

	if (capng_get_caps_process() < 0)
		return UINT64_MAX;
	for (unsigned int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (capng_have_capability(CAPNG_PERMITTED, cap))
			held |= UINT64_C(1) << cap;
	return held;
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
