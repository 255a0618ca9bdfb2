/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - what happens to the cell at given times: the configuration's
 * events and the changes of a channel trace, in one order.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "config.h"

struct script_event {
	int64_t t_ns;
	struct cell_cmd cmd;
};

struct script {
	struct script_event *event; /* by time */
	size_t n;
	size_t next;
};

/**
 * script_open() - read the events of @cfg and its channel trace
 * @start_ns: time of sub-frame 0, from which the script's times count
 * @ret_error: one line for people: file and what is wrong
 *
 * Return: 0 or negative errno.
 */
int script_open(struct script *ret, const struct config *cfg, int64_t start_ns,
                char ret_error[CONFIG_ERROR_MAX]);

/** script_next() - time of the next event, or CELL_NEVER */
int64_t script_next(const struct script *s);

/**
 * script_apply() - hand the events of the next time to @cell
 *
 * The caller has to advance the cell to that time before it applies those of a
 * later one, or the cell's list of commands overflows.
 */
void script_apply(struct script *s, struct cell *cell);

void script_close(struct script *s);

#endif
