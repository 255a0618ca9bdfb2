/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privilege.h - what the daemon gives up and asks for once its devices are open. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

/**
 * privilege_drop() - give up all capabilities but CAP_SYS_ADMIN
 *
 * That one is needed at the end, to enter the namespaces for the statistics
 * of their devices.
 */
void privilege_drop(void);

/** privilege_realtime() - SCHED_FIFO and locked memory. Return: 0, or -1 with errno. */
int privilege_realtime(void);

#endif
