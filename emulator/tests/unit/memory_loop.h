/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_loop.h - the daemon's loop between ports and a clock in memory (memory_ports.h), from its
 * first wake-up to the end, and what it says.
 */
#ifndef MEMORY_LOOP_H
#define MEMORY_LOOP_H

#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "memory_ports.h"
#include "message.h"
#include "unit.h"

#define MS(n) ((int64_t)(n)*1000000)
#define US(n) ((int64_t)(n)*1000)
#define END   MS(100)

static struct loop loop;
static struct ports ports;
static struct config cfg;
static struct output output;
static struct control control;
static struct script script;
static FILE *full; /* where deliveries are written, or NULL */
static char said[256];

void celld_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
}

/* Two UEs in direct mode, or a link with opportunities every millisecond; changed by the caller. */
static inline void prepare(enum cell_system system)
{
	static const uint32_t every_ms[] = { 1 };

	cfg = (struct config){ .ue_name = { "ue1", "ue2" } };
	cell_cfg_default(&cfg.cell);
	cfg.cell.system = (uint8_t)system;
	for (int d = 0; d < 2 && system == CELL_SYSTEM_PACKET_TRACE; d++) {
		cfg.cell.n_ue = 1;
		cfg.cell.ue[0].peer = CELL_PEER_NETWORK;
		cfg.cell.ue[0].mode = CELL_MODE_IM;
		cfg.cell.recorded.way[d] =
			(struct cell_recording){ .opportunity_ms = every_ms, .n_opportunities = 1 };
	}
	memory_ports_reset(END);
}

static inline struct cell *new_cell(int64_t start_ns)
{
	size_t size = cell_size(&cfg.cell);
	struct cell *cell;
	void *mem = malloc(size);

	assert_non_null(mem);
	assert_int_equal(cell_init(&cell, mem, size, &cfg.cell, start_ns), 0);
	assert_ptr_equal(cell, mem);
	return cell;
}

/* Return: loop_run()'s. */
static inline int run_from(int64_t start_ns)
{
	char error[CONFIG_ERROR_MAX];
	struct signalfd_siginfo signal;
	int r;

	*said = 0;
	control.listen_fd = control.client_fd = -1;
	output = (struct output){ .path = &cfg.output, .deliveries = full };
	assert_int_equal(script_open(&script, &cfg, start_ns, error), 0);
	loop = (struct loop){ .cfg = &cfg,
		              .ports = &ports,
		              .output = &output,
		              .control = &control,
		              .script = &script,
		              .start_ns = start_ns,
		              .cell = new_cell(start_ns),
		              .n_out = 2 * cell_out_min(&cfg.cell) };
	loop.out = calloc(loop.n_out, sizeof(*loop.out));
	assert_non_null(loop.out);
	assert_int_equal(loop_open(&loop), 0);
	if (*cfg.control) {
		assert_int_equal(control_open(&control, cfg.control), 0);
		assert_int_equal(loop_watch(&loop, control.listen_fd), 0);
	}
	r = loop_run(&loop);
	control_close(&control);
	(void)close(loop.control_fd);
	while (read(loop.signal_fd, &signal, sizeof(signal)) > 0)
		; /* none is left for the next one */
	(void)close(loop.signal_fd);
	return r;
}

static inline int run(void)
{
	return run_from(0);
}

static inline void clean(void)
{
	script_close(&script);
	free(loop.cell);
	free(loop.out);
}

#endif
