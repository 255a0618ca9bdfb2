/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellsim.c - the core driven by a file of arrivals: no kernel, no root.
 *
 * Arrivals are lines `t_ns port len tag_hex [bytes in hex]`, times since
 * sub-frame 0, as celld records them. Without bytes the packet is filled from
 * the line number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"
#include "script.h"

struct sim {
	struct config cfg;
	struct cell *cell;
	struct cell_out *out;
	size_t n_out;
	struct output output;
	struct script script;
};

struct arrival {
	int64_t t_ns;
	unsigned int port;
	size_t len;
	uint64_t tag;
	uint8_t data[CELL_MTU_MAX];
};

static void perform(struct sim *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		output_perform(&s->output, &s->out[i]);
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

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return: 0, or the reason why the line is wrong. */
static const char *parse(struct arrival *a, const char *line, unsigned long number)
{
	int used = 0;
	const char *hex;

	if (sscanf(line, "%" SCNd64 " %u %zu %" SCNx64 "%n", &a->t_ns, &a->port, &a->len, &a->tag,
	           &used) != 4)
		return "expected: t_ns port len tag_hex [bytes in hex]";
	if (a->len < 1 || a->len > CELL_MTU_MAX)
		return "len: allowed 1..1500";
	hex = line + used + strspn(line + used, " ");
	for (size_t i = 0; i < a->len; i++) {
		int high, low;

		if (*hex == '\n' || *hex == '\0') {
			a->data[i] = (uint8_t)(number * 31 + i);
			continue;
		}
		high = hex_digit(hex[0]);
		low = high < 0 ? -1 : hex_digit(hex[1]);
		if (low < 0)
			return "bytes: expected two lower-case hex digits for each of len bytes";
		a->data[i] = (uint8_t)(high << 4 | low);
		hex += 2;
	}
	return NULL;
}

/* Up to @t_ns; see celld's. */
static void play_script(struct sim *s, int64_t t_ns)
{
	int64_t next_ns;

	while ((next_ns = script_next(&s->script)) <= t_ns && next_ns != CELL_NEVER) {
		script_apply(&s->script, s->cell);
		if (next_ns < t_ns)
			advance(s, next_ns);
	}
}

/* Something is due; a periodic selection of modes alone does not count. */
static bool under_way(const struct sim *s)
{
	struct cell_stats stats;

	cell_stats(s->cell, &stats);
	return cell_next(s->cell) != CELL_NEVER &&
	       (stats.pkts_held > 0 || s->cfg.cell.mode_select_ms == 0);
}

static int feed(struct sim *s, const char *path)
{
	FILE *f = fopen(path, "re");
	struct arrival a;
	char *line = NULL;
	size_t cap = 0;
	unsigned long number = 0;
	int64_t last_ns = 0;
	int r = 0;

	if (!f) {
		(void)fprintf(stderr, "cellsim: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	while (r == 0 && getline(&line, &cap, f) > 0) {
		const char *wrong = parse(&a, line, ++number);

		if (!wrong && a.t_ns < last_ns)
			wrong = "t_ns: goes backwards";
		if (!wrong)
			play_script(s, a.t_ns);
		if (!wrong && cell_next(s->cell) < a.t_ns)
			advance(s, a.t_ns - 1);
		if (!wrong && (a.port > UINT8_MAX || cell_push(s->cell, (uint8_t)a.port, a.data,
		                                               a.len, a.tag, a.t_ns) == -EINVAL))
			wrong = "port: no such port";
		if (wrong) {
			(void)fprintf(stderr, "cellsim: %s:%lu: %s\n", path, number, wrong);
			r = -EINVAL;
			break;
		}
		last_ns = a.t_ns;
	}
	free(line);
	(void)fclose(f);
	while (r == 0 && under_way(s)) {
		play_script(s, cell_next(s->cell));
		advance(s, cell_next(s->cell));
	}
	return r;
}

static void name_outputs(struct config_output *o, const char *dir)
{
	(void)snprintf(o->trace, sizeof(o->trace), "%s/radio.trace", dir);
	(void)snprintf(o->pcap, sizeof(o->pcap), "%s/radio.pcap", dir);
	(void)snprintf(o->stats, sizeof(o->stats), "%s/radio.json", dir);
	(void)snprintf(o->deliveries, sizeof(o->deliveries), "%s/deliveries.txt", dir);
	*o->arrivals = '\0';
}

static int run(struct sim *s, const char *arrivals, const char *dir)
{
	size_t size = cell_size(&s->cfg.cell), n = 0;
	void *mem = malloc(size);
	char error[CONFIG_ERROR_MAX];
	json_t *stats;
	int r = -ENOMEM;

	s->n_out = 2 * cell_out_min(&s->cfg.cell);
	s->out = malloc(s->n_out * sizeof(*s->out));
	if (!mem || !s->out || cell_init(&s->cell, mem, size, &s->cfg.cell, 0) < 0) {
		(void)fprintf(stderr, "cellsim: out of memory: the cell needs %zu MiB\n",
		              size >> 20);
		goto out;
	}
	r = script_open(&s->script, &s->cfg, 0, error);
	if (r < 0) {
		(void)fprintf(stderr, "cellsim: %s\n", error);
		goto out;
	}
	name_outputs(&s->cfg.output, dir);
	if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
		r = -errno;
		(void)fprintf(stderr, "cellsim: %s: %s\n", dir, strerror(errno));
		goto out;
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
	stats = stats_json(s->cell);
	if (json_dump_file(stats, s->cfg.output.stats, JSON_INDENT(1)) < 0 && r == 0)
		r = -EIO;
	json_decref(stats);
out:
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
	if (!config || !arrivals || !dir) {
		(void)fputs("usage: cellsim --config FILE --arrivals FILE --out DIR\n", stderr);
		return 2;
	}
	if (config_load(&sim.cfg, config, error) < 0) {
		(void)fprintf(stderr, "cellsim: %s\n", error);
		return 2;
	}
	return run(&sim, arrivals, dir) < 0 ? 1 : 0;
}
