/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - commands as JSON on a UNIX socket, in lines or by POST of HTTP, one client at a time.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>

#include "config.h"

struct control {
	int listen_fd;
	int client_fd; /* -1 when nobody is connected */
	size_t len;
	char line[1024];
	char path[PATH_MAX];
};

/* What the daemon has to do for one line. */
struct control_request {
	enum { CONTROL_STATS, CONTROL_ROUTE, CONTROL_SET, CONTROL_QUIT } kind;
	struct cell_cmd cmd;
};

/** control_open() - listen on @path, for this user only. Return: 0 or negative errno. */
int control_open(struct control *ret, const char *path);

int control_accept(struct control *c);

/**
 * control_read() - read what the client sent
 * @handle: called for every valid request; returns the answer as JSON text,
 *          allocated, or NULL for {"ok": true}
 *
 * Invalid lines are answered with {"ok": false, "error": ...}. A client that
 * closes or sends a line that is too long is dropped, and so is one that sends
 * HTTP, after its answer.
 */
void control_read(struct control *c, const struct config *cfg,
                  char *(*handle)(void *arg, const struct control_request *r), void *arg);

void control_close(struct control *c);

#endif
