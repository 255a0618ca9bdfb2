/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lifetime.h - how a program that works beside a run starts and ends: it says when it is ready, and
 * goes on until SIGTERM or SIGINT. */
#ifndef LIFETIME_H
#define LIFETIME_H

/** lifetime_block_signals() - keep SIGTERM and SIGINT waiting, before anything is started */
void lifetime_block_signals(void);

/** lifetime_signal_fd() - block the signals. Return: a descriptor that can be read once one of them
 * waits, or negative errno. */
int lifetime_signal_fd(void);

/** lifetime_wait() - wait for a signal that was blocked. Return: 0 or errno. */
int lifetime_wait(void);

/**
 * lifetime_ready() - write a line to @fd and close it; negative: nobody waits for it
 *
 * Return: 0 or negative errno.
 */
int lifetime_ready(int fd);

#endif
