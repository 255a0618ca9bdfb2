/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ran.h - a radio access network, as the entry points of the core (cell.c) see it.
 *
 * Each kind of network is a folder here with one table of these functions. Its
 * state starts with a struct cell, which is what the functions get. Events of a
 * network come after arrivals and commands of the same time, one for each call.
 */
#ifndef RAN_H
#define RAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cell.h"

struct ran {
	/* The first key of @cfg that does not fit the others, or NULL; each one is in its range. */
	const char *(*check)(const struct cell_cfg *cfg, const char **ret_range);

	/* Outputs that one event may produce, whatever happens in it. */
	size_t (*out_min)(const struct cell_cfg *cfg);

	/* Take the state's memory. Return: the state, of which only pointers are set, or NULL. */
	struct cell *(*lay_out)(struct arena *a, const struct cell_cfg *cfg);

	/* The rest of the state; configuration, clock and packets are there. */
	void (*init)(struct cell *c);

	/* A packet arrived at its port. */
	void (*ingress)(struct cell *c, struct pkt *p);

	/* @cmd, of one of the UEs, is one that there is. NULL: there is none. */
	bool (*allows)(const struct cell *c, const struct cell_cmd *cmd);
	void (*apply)(struct cell *c, const struct cell_cmd *cmd);

	/* Time of the next event, or CELL_NEVER. */
	int64_t (*next)(const struct cell *c);

	/* The memory that outputs of this call keep occupied leaves enough for a @command, or else
	 * the next event. */
	bool (*has_room)(const struct cell *c, bool command);

	/* The event of next(), at its time, which is event_ns; of several the first. */
	void (*process)(struct cell *c);

	/* See cell_next_output() and cell_transit_min(). */
	int64_t (*next_output)(const struct cell *c);
	int64_t (*transit_min)(const struct cell *c);

	/* See cell_slot_ns(); NULL: a sub-frame. */
	int64_t (*slot_ns)(const struct cell *c);

	/* The caller has used the outputs of its last call. */
	void (*release)(struct cell *c);

	/* Drop every packet that is held. */
	void (*empty)(struct cell *c);

	void (*digest)(const struct cell *c, uint64_t *h);

	/* Add what networks counted that it consists of; NULL: it is one. */
	void (*stats)(const struct cell *c, struct cell_stats *ret);
};

/* Each network has its table in its folder. */
#define RAN_DECLARE(value, name) extern const struct ran ran_##name;
CELL_SYSTEMS(RAN_DECLARE)

#endif
