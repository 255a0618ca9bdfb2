/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellsim.c - the core driven by a file of arrivals, or by packets that always wait for one UE: no
 * kernel, no root.
 *
 * Packets between tunnels' ends take CORE_DELAY_NS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrival.h"
#include "backlog.h"
#include "number.h"
#include "output.h"
#include "router.h"
#include "script.h"

#define CORE_DELAY_NS INT64_C(4000000) /* two links of 2 ms */
#define SECONDS_MAX   86400

struct sim {
	struct config cfg;
	struct cell *cell;
	struct cell_out *out;
	size_t n_out;
	struct output output;
	struct script script;
	struct router router;
	struct backlog backlog;
	int64_t last_ns; /* latest arrival */
	int64_t end_ns;  /* of what comes after it */
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
		else if (taken == 0 && !(s->out[i].type == CELL_OUT_DELIVER &&
		                         backlog_take(&s->backlog, &s->out[i])))
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
	while (r == 0 && s->error == 0 && under_way(s) && next_ns(s) < s->end_ns)
		go_on(s);
	if (s->error < 0)
		(void)fprintf(stderr, "cellsim: at %lld ns: %s\n", (long long)s->last_ns,
		              strerror(-s->error));
	return r < 0 ? r : s->error;
}

/* Keep packets waiting until its end. Return: 0 or negative errno after a message. */
static int fill(struct sim *s)
{
	struct backlog *b = &s->backlog;
	int r = 0;

	while (r == 0 && s->error == 0 && b->next_ns < b->end_ns) {
		while (s->error == 0 && next_ns(s) < b->next_ns)
			go_on(s);
		apply_until(s, b->next_ns);
		r = backlog_send(b, s->cell);
	}
	r = r < 0 ? r : s->error;
	if (r < 0)
		(void)fprintf(stderr, "cellsim: at %lld ns: %s\n", (long long)b->next_ns,
		              strerror(-r));
	return r;
}

/* With a backlog only sums: a trace of it would have thousands of rows a second. */
static void name_outputs(struct config_output *o, const char *dir, bool all)
{
	*o->trace = *o->pcap = *o->arrivals = *o->deliveries = '\0';
	(void)snprintf(o->stats, sizeof(o->stats), "%s/radio.json", dir);
	if (!all)
		return;
	(void)snprintf(o->trace, sizeof(o->trace), "%s/radio.trace", dir);
	(void)snprintf(o->pcap, sizeof(o->pcap), "%s/radio.pcap", dir);
	(void)snprintf(o->deliveries, sizeof(o->deliveries), "%s/deliveries.txt", dir);
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

/* What the command line says. */
struct arguments {
	const char *config, *arrivals, *dir, *backlog;
	uint64_t seconds; /* of the backlog; of arrivals 0: until all have come out */
};

/* Return: 0, or negative errno after a message. */
static int feed_or_fill(struct sim *s, const struct arguments *a)
{
	int r;

	s->end_ns = a->seconds ? (int64_t)a->seconds * 1000 * CELL_TTI_NS : CELL_NEVER;
	if (a->arrivals)
		return feed(s, a->arrivals);
	r = backlog_open(&s->backlog, &s->cfg, a->backlog, (uint32_t)a->seconds, a->dir);
	if (r == -EINVAL)
		(void)fprintf(stderr, "cellsim: --backlog %s: allowed names of UEs\n", a->backlog);
	else if (r < 0)
		(void)fprintf(stderr, "cellsim: %s/delivered.txt: %s\n", a->dir, strerror(-r));
	return r < 0 ? r : fill(s);
}

/* Return: 0, or negative errno after a message. */
static int run_all(struct sim *s, const struct arguments *a)
{
	size_t n = 0;
	int r, closed;

	name_outputs(&s->cfg.output, a->dir, a->arrivals != NULL);
	if (mkdir(a->dir, 0777) < 0 && errno != EEXIST) {
		r = -errno;
		(void)fprintf(stderr, "cellsim: %s: %s\n", a->dir, strerror(errno));
		return r;
	}
	r = output_open(&s->output, &s->cfg, 0, 0);
	if (r == 0)
		r = feed_or_fill(s, a);
	else
		(void)fprintf(stderr, "cellsim: %s: %s\n", s->output.error_path, strerror(-r));
	(void)cell_done(s->cell, s->out, s->n_out, &n);
	perform(s, n);
	closed = backlog_close(&s->backlog);
	if (closed < 0 && r == 0) {
		r = closed;
		(void)fprintf(stderr, "cellsim: %s/delivered.txt: %s\n", a->dir, strerror(-r));
	}
	if (output_close(&s->output) < 0 && r == 0) {
		r = s->output.error;
		(void)fprintf(stderr, "cellsim: %s: %s\n", s->output.error_path, strerror(-r));
	}
	return write_stats(s) < 0 && r == 0 ? -EIO : r;
}

static int run(struct sim *s, const struct arguments *a)
{
	void *mem = NULL;
	int r;

	s->router = (struct router){ .cfg = &s->cfg.cell, .delay_ns = CORE_DELAY_NS };
	r = open_cell(s, &mem);
	if (r == 0)
		r = run_all(s, a);
	router_close(&s->router);
	script_close(&s->script);
	free(mem);
	free(s->out);
	return r;
}

/* Return: whether the command line makes sense. */
static bool parse(struct arguments *ret, int argc, char **argv)
{
	static const struct option options[] = { { "config", required_argument, NULL, 'c' },
		                                 { "arrivals", required_argument, NULL, 'a' },
		                                 { "backlog", required_argument, NULL, 'b' },
		                                 { "seconds", required_argument, NULL, 's' },
		                                 { "out", required_argument, NULL, 'o' },
		                                 { 0 } };
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == 'c')
			ret->config = optarg;
		else if (o == 'a')
			ret->arrivals = optarg;
		else if (o == 'b')
			ret->backlog = optarg;
		else if (o == 'o')
			ret->dir = optarg;
		else if (o != 's' || !number_parse(optarg, 10, 1, SECONDS_MAX, &ret->seconds))
			return false;
	}
	return ret->config && ret->dir && optind == argc && !ret->arrivals == !!ret->backlog &&
	       (!ret->backlog || ret->seconds);
}

int main(int argc, char **argv)
{
	struct arguments a = { 0 };
	char error[CONFIG_ERROR_MAX];
	static struct sim sim;

	if (!parse(&a, argc, argv)) {
		(void)fputs(
			"usage: cellsim --config FILE --arrivals FILE [--seconds N] --out DIR\n"
			"       cellsim --config FILE --backlog UE --seconds N --out DIR\n"
			"Send the packets of a file through a cell, or keep packets waiting for a "
			"UE, as fast\nas it goes.\n",
			stderr);
		return 2;
	}
	if (config_load(&sim.cfg, a.config, error) < 0) {
		(void)fprintf(stderr, "cellsim: %s\n", error);
		return 2;
	}
	return run(&sim, &a) < 0 ? 1 : 0;
}
