/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.h - what the daemon gives up and asks for once its devices are open. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <stdbool.h>

/**
 * privilege_drop() - give up all capabilities but CAP_SYS_ADMIN
 *
 * That one is needed at the end, to enter the namespaces for the statistics
 * of their devices.
 */
void privilege_drop(void);

/** privilege_lock_memory() - no page of the daemon has to be fetched again. Return: done; else
 * errno says why not. */
bool privilege_lock_memory(void);

/** privilege_realtime() - SCHED_FIFO. Return: done; else errno says why not. */
bool privilege_realtime(void);

#endif
