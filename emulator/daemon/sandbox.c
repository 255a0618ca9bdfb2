/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.c - a seccomp filter; see sandbox.h.
 *
 * It only compares numbers. Since Linux 5.11 the kernel knows in advance which
 * calls are allowed whatever their arguments are, and does not run it for them;
 * an earlier one finds a number by halves.
 */
#include "sandbox.h"

#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>

#define BY_HALVES 2 /* of SCMP_FLTATR_CTL_OPTIMIZE */

/* Calls of the loop first, then those of its end, of memory, of a failed assertion. A call that
 * this processor does not have is left out by the library. */
static const int allowed[] = {
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(ppoll),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait), /* what the control descriptor has */
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(accept4), /* the control socket's client */
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(sendto), /* statistics of devices */
	SCMP_SYS(recvfrom),
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), /* what fstat() becomes */
	SCMP_SYS(unlink),     /* the control socket */
	SCMP_SYS(unlinkat),
	SCMP_SYS(exit_group),
	SCMP_SYS(brk),
	SCMP_SYS(mmap),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(getrandom), /* malloc() */
	SCMP_SYS(futex),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(tgkill),
#ifdef SANITIZED /* what the runtime of sanitizers calls, in no other build */
	SCMP_SYS(sigaltstack),
	SCMP_SYS(mprotect),
	SCMP_SYS(prctl),
	SCMP_SYS(open), /* reports name places in the program */
	SCMP_SYS(openat),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(fcntl),
	SCMP_SYS(clone), /* a thread that stops the others and looks for leaks */
	SCMP_SYS(ptrace),
	SCMP_SYS(wait4),
	SCMP_SYS(exit),
	SCMP_SYS(getdents),
	SCMP_SYS(getdents64),
	SCMP_SYS(getppid),
	SCMP_SYS(sched_yield),
#endif
};

static int add_rules(scmp_filter_ctx filter)
{
	/* stdio asks a device that it writes to whether it is a terminal. Requests have 32 bits. */
	struct scmp_arg_cmp terminal = {
		.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = UINT32_MAX, .datum_b = TCGETS
	};
	int r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, BY_HALVES);
	for (size_t i = 0; r == 0 && i < sizeof(allowed) / sizeof(*allowed); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	if (r == 0)
		r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &terminal);
	return r;
}

bool sandbox_enter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	bool done = filter && add_rules(filter) == 0 && seccomp_load(filter) == 0;

	seccomp_release(filter);
	return done;
}
