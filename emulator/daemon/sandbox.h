/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox.h - which system calls the daemon may make once it runs. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

/**
 * sandbox_enter() - from now on only what the loop and the end of the daemon need
 *
 * Any other system call kills the process: no files, sockets, namespaces or
 * programs but those that are open. For good, and for children too.
 *
 * Return: done; false where the kernel has no seccomp filters, or this
 * processor has no table here.
 */
bool sandbox_enter(void);

#endif
