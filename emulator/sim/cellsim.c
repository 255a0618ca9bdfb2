/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellsim.c - the core driven by a file of arrivals: no kernel, no root.
 *
 * Packets between tunnels' ends take CORE_DELAY_NS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrival.h"
#include "output.h"
#include "router.h"
#include "script.h"

#define CORE_DELAY_NS INT64_C(4000000) /* two links of 2 ms */

struct sim {
	struct config cfg;
	struct cell *cell;
	struct cell_out *out;
	size_t n_out;
	struct output output;
	struct script script;
	struct router router;
	int64_t last_ns; /* latest arrival */
	int error;       /* of the script or the router, negative errno */
};

static void perform(struct sim *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int taken = 0;

		if (s->out[i].type == CELL_OUT_DELIVER)
			taken = router_take(&s->router, &s->out[i]);
		if (taken < 0)
			s->error = taken;
		else if (taken == 0)
			output_perform(&s->output, &s->out[i]);
	}
}

static void advance(struct sim *s, int64_t now_ns)
{
	size_t n;
	int r;

	do {
		n = 0;
		r = cell_advance(s->cell, now_ns, s->out, s->n_out, &n);
		perform(s, n);
	} while (r == -EAGAIN);
}

static int64_t next_outside(const struct sim *s)
{
	int64_t script_ns = script_next(&s->script), router_ns = router_next_ns(&s->router);

	return script_ns < router_ns ? script_ns : router_ns;
}

/* Script and router up to @t_ns; see celld's. */
static void apply_until(struct sim *s, int64_t t_ns)
{
	int64_t at_ns;

	while (s->error == 0 && (at_ns = next_outside(s)) <= t_ns && at_ns != CELL_NEVER) {
		router_deliver(&s->router, s->cell, at_ns);
		if (script_next(&s->script) == at_ns)
			s->error = script_apply(&s->script, s->cell);
		if (at_ns < t_ns)
			advance(s, at_ns);
	}
}

/* Something is due; a periodic selection of modes alone does not count. */
static bool under_way(const struct sim *s)
{
	struct cell_stats stats;

	cell_stats(s->cell, &stats);
	if (router_next_ns(&s->router) != CELL_NEVER)
		return true;
	return cell_next(s->cell) != CELL_NEVER &&
	       (stats.pkts_held > 0 || s->cfg.cell.lte.mode_switch.select_ms == 0);
}

static int64_t next_ns(const struct sim *s)
{
	int64_t cell_ns = cell_next(s->cell), outside_ns = next_outside(s);

	return cell_ns < outside_ns ? cell_ns : outside_ns;
}

/* To the next thing that happens. */
static void go_on(struct sim *s)
{
	int64_t t_ns = next_ns(s);

	apply_until(s, t_ns);
	advance(s, t_ns);
}

/* Return: NULL, or what is wrong. */
static const char *push(struct sim *s, const struct arrival *a)
{
	int r = cell_push(s->cell, a->port, a->data, a->len, a->tag, a->t_ns);

	if (r == -EMSGSIZE)
		return ARRIVAL_WRONG_LEN;
	return r == -EINVAL ? "port: the cell has no such port; use one of its UEs" : NULL;
}

/* Go on to the time of the arrival and push it. Return: NULL, or what is wrong. */
static const char *arrive(struct sim *s, const struct arrival *a)
{
	if (a->t_ns < s->last_ns)
		return "t_ns: earlier than the line before; sort lines by time";
	s->last_ns = a->t_ns;
	while (s->error == 0 && s->cfg.cell.gtpu.sgw_addr && next_ns(s) < a->t_ns)
		go_on(s); /* what leaves meanwhile may be back before */
	apply_until(s, a->t_ns);
	if (cell_next(s->cell) < a->t_ns)
		advance(s, a->t_ns - 1);
	return push(s, a);
}

static int feed(struct sim *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct arrival a;
	char *line = NULL;
	size_t cap = 0;
	unsigned long number = 0;
	int r = 0;

	if (!f) {
		(void)fprintf(stderr, "cellsim: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	while (r == 0 && s->error == 0 && getline(&line, &cap, f) > 0) {
		const char *wrong = arrival_parse(&a, &s->cfg, line, ++number);

		if (!wrong)
			wrong = arrive(s, &a);
		if (wrong) {
			(void)fprintf(stderr, "cellsim: %s:%lu: %s\n", path, number, wrong);
			r = -EINVAL;
		}
	}
	if (ferror(f)) {
		r = -errno;
		(void)fprintf(stderr, "cellsim: %s: %s\n", path, strerror(errno));
	}
	free(line);
	(void)fclose(f);
	while (r == 0 && s->error == 0 && under_way(s))
		go_on(s);
	if (s->error < 0)
		(void)fprintf(stderr, "cellsim: at %lld ns: %s\n", (long long)s->last_ns,
		              strerror(-s->error));
	return r < 0 ? r : s->error;
}

static void name_outputs(struct config_output *o, const char *dir)
{
	(void)snprintf(o->trace, sizeof(o->trace), "%s/radio.trace", dir);
	(void)snprintf(o->pcap, sizeof(o->pcap), "%s/radio.pcap", dir);
	(void)snprintf(o->stats, sizeof(o->stats), "%s/radio.json", dir);
	(void)snprintf(o->deliveries, sizeof(o->deliveries), "%s/deliveries.txt", dir);
	*o->arrivals = '\0';
}

/* Return: 0, or negative errno after a message. */
static int open_cell(struct sim *s, void **ret_mem)
{
	struct cell_cfg cell = s->cfg.cell;
	char error[CONFIG_ERROR_MAX];
	size_t size;
	int r = script_open(&s->script, &s->cfg, 0, error);

	if (r < 0) {
		(void)fprintf(stderr, "cellsim: %s\n", error);
		return r;
	}
	cell.max_cmds = script_max_cmds(&s->script);
	size = cell_size(&cell);
	*ret_mem = malloc(size);
	s->n_out = 2 * cell_out_min(&cell);
	s->out = malloc(s->n_out * sizeof(*s->out));
	if (!*ret_mem || !s->out || cell_init(&s->cell, *ret_mem, size, &cell, 0) < 0) {
		(void)fprintf(stderr,
		              "cellsim: out of memory: the cell needs %zu MiB; free some, or lower "
		              "max_pkts\n",
		              size >> 20);
		return -ENOMEM;
	}
	return 0;
}

static int write_stats(const struct sim *s)
{
	json_t *stats = stats_json(s->cell);
	int r = json_dump_file(stats, s->cfg.output.stats, JSON_INDENT(1));

	json_decref(stats);
	if (r == 0)
		return 0;
	(void)fprintf(stderr, "cellsim: %s: %s\n", s->cfg.output.stats, strerror(errno));
	return -EIO;
}

/* Return: 0, or negative errno after a message. */
static int run_all(struct sim *s, const char *arrivals, const char *dir)
{
	size_t n = 0;
	int r;

	name_outputs(&s->cfg.output, dir);
	if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
		r = -errno;
		(void)fprintf(stderr, "cellsim: %s: %s\n", dir, strerror(errno));
		return r;
	}
	r = output_open(&s->output, &s->cfg, 0, 0);
	if (r == 0)
		r = feed(s, arrivals);
	else
		(void)fprintf(stderr, "cellsim: %s: %s\n", s->output.error_path, strerror(-r));
	(void)cell_done(s->cell, s->out, s->n_out, &n);
	perform(s, n);
	if (output_close(&s->output) < 0 && r == 0) {
		r = s->output.error;
		(void)fprintf(stderr, "cellsim: %s: %s\n", s->output.error_path, strerror(-r));
	}
	return write_stats(s) < 0 && r == 0 ? -EIO : r;
}

static int run(struct sim *s, const char *arrivals, const char *dir)
{
	void *mem = NULL;
	int r;

	s->router = (struct router){ .cfg = &s->cfg.cell, .delay_ns = CORE_DELAY_NS };
	r = open_cell(s, &mem);
	if (r == 0)
		r = run_all(s, arrivals, dir);
	router_close(&s->router);
	script_close(&s->script);
	free(mem);
	free(s->out);
	return r;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		                                 { "arrivals", required_argument, NULL, 'a' },
		                                 { "out", required_argument, NULL, 'o' },
		                                 { 0 } };
	const char *config = NULL, *arrivals = NULL, *dir = NULL;
	char error[CONFIG_ERROR_MAX];
	static struct sim sim;
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == 'c')
			config = optarg;
		else if (o == 'a')
			arrivals = optarg;
		else if (o == 'o')
			dir = optarg;
		else
			return 2;
	}
	if (!config || !arrivals || !dir || optind != argc) {
		(void)fputs("usage: cellsim --config FILE --arrivals FILE --out DIR\n"
		            "Send the packets of a file through a cell, as fast as it goes.\n",
		            stderr);
		return 2;
	}
	if (config_load(&sim.cfg, config, error) < 0) {
		(void)fprintf(stderr, "cellsim: %s\n", error);
		return 2;
	}
	return run(&sim, arrivals, dir) < 0 ? 1 : 0;
}
