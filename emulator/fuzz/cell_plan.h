/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_plan.h - a cell and what happens to it, out of a fuzz input. */
#ifndef CELL_PLAN_H
#define CELL_PLAN_H

#include <stdbool.h>

#include "cellcore.h"
#include "fuzz.h"

#define PLAN_ACTIONS_MAX 48
#define PLAN_BYTES_MAX   64 /* of a packet that the input gives */
#define PLAN_BEARERS_MAX 6
#define PLAN_TIMES_MAX   8 /* of a recorded link, one direction */

enum plan_kind {
	PLAN_PUSH,    /* `n` packets of `len` bytes at `port` */
	PLAN_COMMAND, /* any command, valid or not */
	PLAN_RAW,     /* `len` bytes of `bytes` at any port */
	PLAN_MANGLE,  /* the next packet between two tunnels' ends loses or changes bytes */
	PLAN_KIND_COUNT
};

struct plan_action {
	enum plan_kind kind;
	int64_t t_ns;
	uint8_t port;
	uint8_t n;
	uint32_t len;
	uint32_t offset; /* where to mangle */
	uint8_t flip;    /* 0: the packet is lost */
	struct cell_cmd cmd;
	uint8_t bytes[PLAN_BYTES_MAX];
};

struct plan {
	struct cell_cfg cfg;
	uint32_t opportunity_ms[2][2][PLAN_TIMES_MAX]; /* of all UEs but the last, and of that */
	struct cell_recorded recorded;
	struct cell_bearer_cfg bearer[PLAN_BEARERS_MAX];
	uint32_t n_actions;
	struct plan_action action[PLAN_ACTIONS_MAX];
	int64_t end_ns;       /* of the last action, and time for what is under way */
	int64_t router_ns;    /* from a tunnel's end to the other */
	uint32_t few_outputs; /* the smallest array of outputs, and a step for every event */
	bool kinds;           /* packets have DSCPs, ECN and protocols; otherwise all are alike */

	/* What holds in the end. */
	bool intact;   /* nothing between tunnels is changed, or comes from nowhere */
	bool lossless; /* the radio loses nothing, and nothing is flushed */
	bool commands;
};

/** plan_read() - Return: false when the core refuses the configuration */
bool plan_read(struct plan *ret, struct fuzz_input *in);

#endif
