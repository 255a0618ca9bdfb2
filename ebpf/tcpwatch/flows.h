/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TCPWATCH_FLOWS_H
#define TCPWATCH_FLOWS_H

#include <jansson.h>

/**
 * flows_json() - every flow by the time of its first packet, as each of its sockets has it
 * @fd: map of the flows
 * @cgroup: path of the watched cgroup; one below it is called by its name, as the command that is
 * in it
 *
 * Return: a list, to be released.
 */
json_t *flows_json(int fd, const char *cgroup);

#endif
