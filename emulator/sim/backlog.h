/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backlog.h - packets that always wait for one UE, and when they come out: what a link can deliver.
 *
 * They stand for the sender that a recorded link was measured with (Mahimahi's saturator). Each
 * millisecond it sends what was delivered since, and a little more until enough wait; so a full
 * queue drops a little of each millisecond and not a flood.
 */
#ifndef BACKLOG_H
#define BACKLOG_H

#include <stdbool.h>
#include <stdio.h>

#include "arrival.h"
#include "cellcore.h"
#include "config.h"

#define BACKLOG_LEN 1500 /* bytes of each packet */

struct backlog {
	FILE *file; /* `t_ns bytes` of each delivery; NULL: there is no backlog */
	const struct config *cfg;
	struct arrival packet; /* all are alike */
	uint8_t ue;
	int64_t next_ns; /* when more is sent */
	int64_t end_ns;
	uint32_t delivered; /* since then */
	unsigned long sent;
};

/**
 * backlog_open() - fill the downlink of a UE for a time
 * @dir: where `delivered.txt` is written
 *
 * Return: 0, -EINVAL without such a UE, or another negative errno
 */
int backlog_open(struct backlog *b, const struct config *cfg, const char *ue, uint32_t seconds,
                 const char *dir);

/** backlog_take() - note a packet that came out. Return: it is one of the backlog */
bool backlog_take(struct backlog *b, const struct cell_out *o);

/** backlog_send() - what is due at its next_ns, with @cell advanced to before it. Return: 0 or
 * errno
 */
int backlog_send(struct backlog *b, struct cell *cell);

/** backlog_close() - Return: 0, or negative errno when the file could not be written */
int backlog_close(struct backlog *b);

#endif
