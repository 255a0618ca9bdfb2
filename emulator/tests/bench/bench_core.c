/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_core.c - what the core costs: per packet, and for time in which nothing
 * happens. One line a case: name, number, unit. Fails when a packet is missing,
 * never because of the time it took.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cellcore.h"

#define N_PKTS  INT64_C(100000)
#define N_JUMPS INT64_C(1000000)

struct bench {
	struct cell *cell;
	void *mem;
	struct cell_out *out;
	size_t n_out;
};

static int64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void start(struct bench *b, enum cell_mode mode)
{
	struct cell_cfg cfg;
	size_t size;

	cell_cfg_default(&cfg);
	cfg.ue[0].mode = cfg.ue[1].mode = (uint8_t)mode;
	size = cell_size(&cfg);
	b->mem = malloc(size);
	b->n_out = 2 * cell_out_min(&cfg);
	b->out = malloc(b->n_out * sizeof(*b->out));
	if (!b->mem || !b->out || cell_init(&b->cell, b->mem, size, &cfg, 0) < 0) {
		(void)fputs("bench_core: out of memory\n", stderr);
		exit(1);
	}
}

static void end(struct bench *b)
{
	free(b->mem);
	free(b->out);
}

static void advance(struct bench *b, int64_t t_ns)
{
	size_t n;

	while (cell_advance(b->cell, t_ns, b->out, b->n_out, &n) == -EAGAIN)
		;
}

/* N_PKTS of @len bytes from UE 1, one every @interval_ns, as a shell would hand them over. */
static void per_packet(const char *name, enum cell_mode mode, size_t len, int64_t interval_ns)
{
	uint8_t data[CELL_MTU_MAX] = { 0 };
	struct cell_stats s;
	struct bench b;
	int64_t spent_ns;

	start(&b, mode);
	spent_ns = -clock_ns();
	for (int64_t i = 0; i < N_PKTS; i++) {
		if (cell_next(b.cell) < i * interval_ns)
			advance(&b, i * interval_ns - 1);
		(void)cell_push(b.cell, 1, data, len, (uint64_t)i, i * interval_ns);
	}
	while (cell_next(b.cell) != CELL_NEVER)
		advance(&b, cell_next(b.cell));
	spent_ns += clock_ns();
	cell_stats(b.cell, &s);
	if (s.pkts_delivered != (uint64_t)N_PKTS) {
		(void)fprintf(stderr, "bench_core: %s: %" PRIu64 " of %" PRId64 " packets\n", name,
		              s.pkts_delivered, N_PKTS);
		exit(1);
	}
	printf("%-44s %8" PRId64 " ns/packet\n", name, spent_ns / N_PKTS);
	printf("%-44s %8.0f\n", "  times faster than real time",
	       (double)(N_PKTS * interval_ns) / (double)spent_ns);
	end(&b);
}

/* A shell that wakes every hour and finds nothing to do. */
static void idle_jump(void)
{
	int64_t spent_ns, hour_ns = INT64_C(3600) * 1000000000;
	struct cell_stats s;
	struct bench b;

	start(&b, CELL_MODE_DM);
	spent_ns = -clock_ns();
	for (int64_t i = 1; i <= N_JUMPS; i++) {
		advance(&b, i * hour_ns);
		if (cell_next(b.cell) != CELL_NEVER)
			exit(1);
	}
	spent_ns += clock_ns();
	cell_stats(b.cell, &s);
	if (s.ttis_active != 0)
		exit(1);
	printf("%-44s %8" PRId64 " ns\n", "idle hour", spent_ns / N_JUMPS);
	end(&b);
}

int main(void)
{
	per_packet("DM, 1500 bytes every 0.5 ms (24 Mbit/s)", CELL_MODE_DM, 1500, 500000);
	per_packet("IM, 1500 bytes every 0.5 ms (24 Mbit/s)", CELL_MODE_IM, 1500, 500000);
	per_packet("DM, 52 bytes every 25 ms, a request each", CELL_MODE_DM, 52, 25000000);
	per_packet("IM, 52 bytes every 25 ms, a request each", CELL_MODE_IM, 52, 25000000);
	idle_jump();
	return 0;
}
