/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellsim.c - the core driven by a file of arrivals: no kernel, no root.
 *
 * Arrivals are lines `t_ns port len tag_hex [bytes in hex]`, times since
 * sub-frame 0, as celld records them. Without bytes the packet is filled from
 * the line number; at the S-GW with `@ue` instead of bytes it is addressed to
 * that UE. Packets between tunnels' ends take CORE_DELAY_NS.
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
#include "router.h"
#include "script.h"

#define WRONG_LEN     "len: allowed 1..1500, at the ends of tunnels 1..1600"
#define CORE_DELAY_NS INT64_C(4000000) /* two links of 2 ms */

struct sim {
	struct config cfg;
	struct cell *cell;
	struct cell_out *out;
	size_t n_out;
	struct output output;
	struct script script;
	struct router router;
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
	for (size_t i = 0; i < n; i++) {
		if (s->out[i].type == CELL_OUT_DELIVER && router_take(&s->router, &s->out[i]) != 0)
			continue;
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

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The beginning of an IPv4 header: enough for the S-GW to find the UE. */
static void address_to(uint8_t *data, size_t len, uint32_t addr)
{
	if (len < 20)
		return;
	data[0] = 0x45;
	data[1] = 0;
	for (int i = 0; i < 4; i++)
		data[16 + i] = (uint8_t)(addr >> (24 - 8 * i));
}

/* Return: 0, or the reason why the line is wrong. */
static const char *parse(struct arrival *a, const struct config *cfg, const char *line,
                         unsigned long number)
{
	int used = 0;
	const char *hex;

	if (sscanf(line, "%" SCNd64 " %u %zu %" SCNx64 "%n", &a->t_ns, &a->port, &a->len, &a->tag,
	           &used) != 4)
		return "expected: t_ns port len tag_hex [bytes in hex]";
	if (a->len < 1 || a->len > CELL_MTU_MAX)
		return WRONG_LEN;
	hex = line + used + strspn(line + used, " ");
	if (*hex == '@') {
		char name[CONFIG_NAME_MAX] = "";
		uint8_t ue;

		(void)sscanf(hex, "@%31s", name);
		ue = config_ue(cfg, name);
		if (!ue)
			return "@: expected the name of a UE";
		for (size_t i = 0; i < a->len; i++)
			a->data[i] = (uint8_t)(number * 31 + i);
		address_to(a->data, a->len, cfg->cell.ue[ue - 1].addr);
		return NULL;
	}
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

static int64_t next_outside(const struct sim *s)
{
	int64_t script_ns = script_next(&s->script), router_ns = router_next_ns(&s->router);

	return script_ns < router_ns ? script_ns : router_ns;
}

/* Script and router up to @t_ns; see celld's. */
static void play(struct sim *s, int64_t t_ns)
{
	int64_t at_ns;

	while ((at_ns = next_outside(s)) <= t_ns && at_ns != CELL_NEVER) {
		router_deliver(&s->router, s->cell, at_ns);
		if (script_next(&s->script) == at_ns)
			script_apply(&s->script, s->cell);
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
	       (stats.pkts_held > 0 || s->cfg.cell.mode_select_ms == 0);
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

	play(s, t_ns);
	advance(s, t_ns);
}

/* Return: NULL, or what is wrong. */
static const char *push(struct sim *s, const struct arrival *a)
{
	int r = a->port > UINT8_MAX
	                ? -EINVAL
	                : cell_push(s->cell, (uint8_t)a->port, a->data, a->len, a->tag, a->t_ns);

	if (r == -EMSGSIZE)
		return WRONG_LEN;
	return r == -EINVAL ? "port: no such port" : NULL;
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
		const char *wrong = parse(&a, &s->cfg, line, ++number);

		if (!wrong && a.t_ns < last_ns)
			wrong = "t_ns: goes backwards";
		while (!wrong && s->cfg.cell.sgw_gtpu_addr && next_ns(s) < a.t_ns)
			go_on(s); /* what leaves meanwhile may be back before */
		if (!wrong)
			play(s, a.t_ns);
		if (!wrong && cell_next(s->cell) < a.t_ns)
			advance(s, a.t_ns - 1);
		if (!wrong)
			wrong = push(s, &a);
		if (wrong) {
			(void)fprintf(stderr, "cellsim: %s:%lu: %s\n", path, number, wrong);
			r = -EINVAL;
			break;
		}
		last_ns = a.t_ns;
	}
	free(line);
	(void)fclose(f);
	while (r == 0 && under_way(s))
		go_on(s);
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

	s->router = (struct router){ .cfg = &s->cfg.cell, .delay_ns = CORE_DELAY_NS };
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
