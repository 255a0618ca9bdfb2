/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.c - a seccomp filter; see sandbox.h.
 *
 * The filter is a list of numbers to compare with. Since Linux 5.11 the kernel
 * knows beforehand which calls are allowed whatever their arguments are, and
 * does not run it for them.
 */
#define _GNU_SOURCE
#include "sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0
#endif

/* Calls of the loop first, then those of its end, of memory, of a failed assertion. */
static const int allowed[] = {
	SYS_io_uring_enter, SYS_clock_gettime,  SYS_ppoll,
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
	SYS_epoll_pwait, /* what the control descriptor has */
	SYS_read,           SYS_write,          SYS_writev,       SYS_restart_syscall,
	SYS_rt_sigreturn,   SYS_accept4, /* the control socket's client */
	SYS_epoll_ctl,      SYS_sendto,  /* statistics of devices */
	SYS_recvfrom,       SYS_close,          SYS_lseek,        SYS_fstat,
	SYS_newfstatat, /* what fstat() becomes */
#ifdef SYS_unlink
	SYS_unlink, /* the control socket */
#endif
	SYS_unlinkat,       SYS_exit_group,     SYS_brk,          SYS_mmap,
	SYS_munmap,         SYS_mremap,         SYS_madvise,      SYS_getrandom, /* malloc() */
	SYS_futex,          SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_getpid,
	SYS_gettid,         SYS_tgkill,
};

#define N_ALLOWED (sizeof(allowed) / sizeof(*allowed))

/* Instructions: load a field; leave @skip out when it is another value; end. */
static struct sock_filter load(size_t offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static struct sock_filter skip_unless(uint32_t value, uint8_t skip)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

static struct sock_filter end(uint32_t action)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

bool sandbox_enter(void)
{
	struct sock_filter filter[2 * N_ALLOWED + 9], *f = filter;
	struct sock_fprog program = { .filter = filter };

	*f++ = load(offsetof(struct seccomp_data, arch));
	*f++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	*f++ = end(SECCOMP_RET_KILL_PROCESS);
	*f++ = load(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_ALLOWED; i++) {
		*f++ = skip_unless((uint32_t)allowed[i], 1);
		*f++ = end(SECCOMP_RET_ALLOW);
	}
	/* stdio asks a device that it writes to whether it is a terminal. */
	*f++ = skip_unless(SYS_ioctl, 3);
	*f++ = load(offsetof(struct seccomp_data, args[1])); /* little-endian: its lower half */
	*f++ = skip_unless(TCGETS, 1);
	*f++ = end(SECCOMP_RET_ALLOW);
	*f++ = end(SECCOMP_RET_KILL_PROCESS);
	program.len = (unsigned short)(f - filter);
	return ARCH != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
