/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.h - what the daemon gives up and asks for once its devices are open. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

/** privilege_drop() - give up all capabilities, and the way to get any by running a program */
void privilege_drop(void);

/** privilege_held() - capabilities that are left, a bit each */
uint64_t privilege_held(void);

/** privilege_lock_memory() - no page of the daemon has to be fetched again. Return: done; else
 * errno says why not. */
bool privilege_lock_memory(void);

/** privilege_realtime() - SCHED_FIFO. Return: done; else errno says why not. */
bool privilege_realtime(void);

#endif
