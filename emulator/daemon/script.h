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
	size_t number; /* as it was given, from 0 */
	struct cell_cmd cmd;
};

/* In the order in which they happen. */
struct script_list {
	struct script_event *event;
	size_t n;
	size_t next;
	size_t room;
};

struct channel;

/* Of one time, changes of the channel come first. */
struct script {
	struct script_list changes; /* of the channel trace */
	struct script_list events;  /* of the configuration */
	uint32_t max_cmds;
	struct channel *growing;      /* a channel trace that something still writes to, or NULL */
	int64_t look_ns;              /* when to look for more of it; CELL_NEVER without one */
	char error[CONFIG_ERROR_MAX]; /* what is wrong with it, for people */
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

/** script_next() - time of the next event, or of a look at a trace that grows, or CELL_NEVER */
int64_t script_next(const struct script *s);

/**
 * script_max_cmds() - struct cell_cfg's max_cmds for a cell that the script is applied to
 *
 * Room for the events of the two times at which most happens, as celld may hand over those of
 * a time while the cell has yet to carry out those of the one before, and for those that others
 * send.
 */
uint32_t script_max_cmds(const struct script *s);

/**
 * script_apply() - hand the events of the next time to @cell, or read what a trace has grown by
 *
 * Return: 0, what cell_apply() said to the first one that it did not take, or negative errno with
 * @s->error for a record that is wrong or comes after its time.
 */
int script_apply(struct script *s, struct cell *cell);

void script_close(struct script *s);

#endif
