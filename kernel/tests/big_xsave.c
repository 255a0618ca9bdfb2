/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the program before which it is loaded (LD_PRELOAD) a host whose CPU has AMX: ptrace(2) then
 * speaks of an XSAVE area of XSAVE_AREA_BYTES bytes. As the kernel does, it fills what the caller
 * has room for, and takes back no less than all of it. What lies past the real area is a pattern
 * that has to come back as it was. Source: Linux, arch/x86/kernel/fpu/regset.c, xstateregs_set()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef long (*ptrace_fn)(enum __ptrace_request, pid_t, void *, void *);

static size_t area_bytes, real_bytes;
static unsigned char pattern[65536];

/* Once, at the first call: what the real host has. */
static void prepare(ptrace_fn real, pid_t pid)
{
	const char *text = getenv("XSAVE_AREA_BYTES");
	struct iovec iov = { pattern, sizeof(pattern) };

	if (area_bytes)
		return;
	area_bytes = text ? strtoul(text, NULL, 10) : 11008;
	if (!real(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &iov))
		real_bytes = iov.iov_len;
	for (size_t at = 0; at < sizeof(pattern); at++)
		pattern[at] = (unsigned char)(at * 7 + 1);
}

static long get(ptrace_fn real, pid_t pid, struct iovec *iov)
{
	size_t room = iov->iov_len < area_bytes ? iov->iov_len : area_bytes;
	struct iovec inner = { iov->iov_base, room };
	long err = real(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &inner);

	if (err)
		return err;
	if (room > inner.iov_len)
		memcpy((unsigned char *)iov->iov_base + inner.iov_len, pattern + inner.iov_len,
		       room - inner.iov_len);
	iov->iov_len = room;
	return 0;
}

static long set(ptrace_fn real, pid_t pid, struct iovec *iov)
{
	struct iovec inner = { iov->iov_base, real_bytes };

	if (iov->iov_len < area_bytes) {
		errno = EFAULT;
		return -1;
	}
	if (area_bytes > real_bytes && memcmp((unsigned char *)iov->iov_base + real_bytes,
	                                      pattern + real_bytes, area_bytes - real_bytes) != 0) {
		errno = EINVAL;
		return -1;
	}
	return real(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &inner);
}

long ptrace(enum __ptrace_request request, ...)
{
	static ptrace_fn real;
	va_list args;
	va_start(args, request);
	pid_t pid = va_arg(args, pid_t);
	void *addr = va_arg(args, void *), *data = va_arg(args, void *);
	va_end(args);

	if (!real)
		real = (ptrace_fn)dlsym(RTLD_NEXT, "ptrace");
	if (addr == (void *)NT_X86_XSTATE)
		prepare(real, pid);
	if (request == PTRACE_GETREGSET && addr == (void *)NT_X86_XSTATE)
		return get(real, pid, data);
	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
		return set(real, pid, data);
	return real(request, pid, addr, data);
}
