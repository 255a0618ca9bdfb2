/* SPDX-License-Identifier: GPL-2.0-or-later */
/* celld.h - the radio daemon. */
#ifndef CELLD_H
#define CELLD_H

#include "config.h"

/**
 * celld_run() - run the radio network until SIGTERM, SIGINT or a command says to quit
 * @ready_fd: "ready" is written there when packets are taken; -1 = nowhere
 *
 * Return: 0, or negative errno after a message.
 */
int celld_run(const struct config *cfg, int ready_fd);

#endif
