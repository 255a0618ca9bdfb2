/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * router.h - the network between the ends of tunnels, for a cell without one:
 * every packet that leaves at one end arrives at another a fixed time later.
 */
#ifndef ROUTER_H
#define ROUTER_H

#include "cellcore.h"

struct router_packet;

struct router {
	const struct cell_cfg *cfg;
	int64_t delay_ns;
	struct router_packet *head; /* by time, which is the order in which they came */
	struct router_packet *tail;
};

/**
 * router_take() - a packet that left the cell, if it is addressed to a tunnel's end
 *
 * Return: 1 when it was taken, 0 when it goes elsewhere, -ENOMEM.
 */
int router_take(struct router *r, const struct cell_out *o);

/** router_next_ns() - when the next one arrives, or CELL_NEVER */
int64_t router_next_ns(const struct router *r);

/** router_deliver() - push those that arrive at @t_ns into @cell */
void router_deliver(struct router *r, struct cell *cell, int64_t t_ns);

void router_close(struct router *r);

#endif
