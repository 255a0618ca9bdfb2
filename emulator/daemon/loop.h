/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - celld's wake-ups: packets and time into the core, its outputs to devices and files.
 *
 * Every wake-up reads the clock once, pushes what the devices hold, advances
 * the core to that time and performs the outputs. One system call then writes
 * what is delivered and sleeps until the next time at which a packet can leave.
 * What happens inside the cell before that is processed late but at its own time.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>

#include "config.h"
#include "control.h"
#include "lateness.h"
#include "output.h"
#include "ports.h"
#include "script.h"

struct loop {
	/* The caller's, set before loop_run(). */
	const struct config *cfg;
	struct ports *ports;
	struct output *output;
	struct control *control;
	struct script *script;
	struct cell *cell;
	struct cell_out *out; /* @n_out, for one advance */
	size_t n_out;
	int64_t start_ns; /* of sub-frame 0 */

	/* For the caller, after it. */
	struct lateness lateness;
	uint64_t n_changes; /* that were asked for by command */
	int64_t end_ns;     /* last wake-up */

	int control_fd; /* readable when signals or the control socket are */
	int signal_fd;
	int64_t gather_ns;     /* then the devices are read; 0 = when a packet comes */
	int64_t busy_until_ns; /* a packet until then is one of a flow */
	bool delivered;        /* packets since the devices were read */
	bool stop;
};

/** loop_open() - have signals wake it. Return: 0, or negative errno after a message. */
int loop_open(struct loop *l);

/** loop_watch() - have the control socket @fd wake it. Return: 0 or negative errno. */
int loop_watch(struct loop *l, int fd);

/**
 * loop_run() - until SIGTERM, SIGINT, a command says to quit, or an output fails
 *
 * Return: 0, or negative errno after a message; errors of outputs are in the output.
 */
int loop_run(struct loop *l);

#endif
