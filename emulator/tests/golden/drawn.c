/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drawn.c - what comes out of drawn cells, one line for each: how many outputs of each type, and a
 * hash of all their fields and bytes.
 *
 *     drawn          tell it
 *     drawn FILE     compare it with what was told before
 *
 * Plans are those of the fuzz targets (fuzz/cell_plan.h), of inputs that are made up here. None has
 * other values of just any key, so a new key changes no plan. Features that plans of the fuzz
 * targets have only by such values are added, and errors are fewer, so that much comes through.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "cell_run.h"
#include "drawn_add.h"

#define INPUT_BYTES  420
#define OTHER_VALUES 192 /* first bytes of inputs from here on, see cell_plan.c */
#define TRIED        8   /* times as many: the core refuses some */
#define LINE_BYTES   240
#define MANY         10 /* differences, enough to see the kind */

/* The fourth byte of an input says which network it is. */
static const struct network {
	const char *name;
	void (*add)(struct plan *p);
	uint8_t byte;
	uint16_t n; /* drawn */
} networks[] = {
	{ "constant rate", drawn_add_loss, 254, 60 },
	{ "packet trace", NULL, 192, 60 },
	{ "packet trace, losses", drawn_add_loss, 192, 60 },
	{ "packet trace, trains", drawn_add_trains, 192, 60 },
	{ "UTRAN", NULL, 3, 60 },
	{ "LTE", NULL, 0, 90 },
	{ "LTE, channels", drawn_add_channels, 0, 90 },
	{ "LTE, bearers", NULL, 128, 90 },
	{ "LTE, crowd", drawn_add_crowd, 0, 90 },
	{ "LTE, handovers", drawn_add_handovers, 0, 150 },
	{ "LTE, failures", drawn_add_failures, 0, 150 },
	{ "NR", NULL, 208, 90 },
	{ "NR, channels", drawn_add_channels, 208, 90 },
	{ "NR, bearers", NULL, 232, 90 },
	{ "NR, second cell", drawn_add_second_cell, 208, 90 },
	{ "NR, handovers", drawn_add_handovers, 244, 150 },
	{ "NR, failures", drawn_add_failures, 245, 150 },
	{ "NR, DAPS", drawn_add_daps, 245, 150 },
	{ "NR, carriers", drawn_add_carriers, 208, 90 },
	{ "EN-DC", drawn_add_en_dc, 253, 150 },
	{ "LTE, carriers", drawn_add_ul_carriers, 0, 90 },
	{ "LTE, crowd that reads", drawn_add_reading, 0, 60 },
	{ "NR, crowd that reads", drawn_add_reading, 208, 60 },
};

static void lower_errors(struct plan *p)
{
	for (uint8_t k = 0; k < p->cfg.harq.n_bler; k++)
		p->cfg.harq.bler_q32[k] /= 4;
	for (uint8_t i = 0; i < p->cfg.n_ue; i++) {
		p->cfg.ue[i].bler_ul_q32 /= 16;
		p->cfg.ue[i].bler_dl_q32 /= 16;
		p->cfg.ue[i].bler_sl_q32 /= 16;
	}
	p->cfg.constant.loss_dl_q32 /= 8;
	p->cfg.utran.bler_dl_q32 /= 4;
	p->cfg.utran.bler_ul_q32 /= 4;
}

/* Return: the core takes the configuration. */
static bool plan_draw(struct plan *ret, const struct network *network)
{
	uint8_t input[INPUT_BYTES];
	struct fuzz_input in = { input, sizeof(input) };
	const char *field, *range;

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)drawn_below(256);
	input[0] %= OTHER_VALUES;
	input[3] = network->byte;
	(void)plan_read(ret, &in);
	ret->kinds = true;
	ret->intact = ret->lossless = false; /* marks change packets */
	if (drawn_below(3) == 0)             /* while much is under way */
		ret->end_ns -= (380 + drawn_below(20)) * INT64_C(1000000);
	lower_errors(ret);
	if (ret->cfg.system == CELL_SYSTEM_NR || ret->cfg.system == CELL_SYSTEM_EN_DC)
		drawn_add_nr(ret);
	if (network->add)
		network->add(ret);
	return cell_cfg_check(&ret->cfg, &field, &range) == 0;
}

/* Bytes @used of @line are there already. */
static void tell(const struct cell_came *came, char line[LINE_BYTES], size_t used)
{
	static const char *const kinds[] = { "delivered", "dropped", "PDUs", "rows" };
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (int k = 0; k <= CELL_OUT_RECORD; k++)
		used += (size_t)snprintf(line + used, LINE_BYTES - used,
		                         "%s %" PRIu32 " %s %08" PRIx32, k ? "," : ":", came->n[k],
		                         kinds[k], (uint32_t)came->hash[k]);
	for (size_t i = 0; i < sizeof(came->stats); i++)
		hash = (hash ^ ((const uint8_t *)&came->stats)[i]) * 16777619u;
	(void)snprintf(line + used, LINE_BYTES - used, ", statistics %08" PRIx32 ", %zu bytes\n",
	               hash, came->bytes);
}

/* Return: lines that differ. */
static uint32_t compare(const char *line, FILE *expected)
{
	char before[LINE_BYTES] = "";

	if (!expected) {
		(void)fputs(line, stdout);
		return 0;
	}
	if (feof(expected) || ferror(expected) || !fgets(before, sizeof(before), expected))
		before[0] = '\0';
	if (strcmp(before, line) == 0)
		return 0;
	(void)printf("- %s+ %s", *before ? before : "\n", *line ? line : "\n");
	return 1;
}

int main(int argc, char **argv)
{
	FILE *expected = argc > 1 ? fopen(argv[1], "re") : NULL;
	static struct plan plan;
	uint32_t differ = 0;

	if (argc > 1 && !expected) {
		perror(argv[1]);
		return 2;
	}
	for (uint32_t n = 0; n < sizeof(networks) / sizeof(networks[0]); n++)
		for (uint32_t i = 0, ran = 0; ran < networks[n].n && i < TRIED * networks[n].n;
		     i++) {
			struct cell_came came;
			char line[LINE_BYTES];

			drawn_start(n << 16 | i);
			if (!plan_draw(&plan, &networks[n]))
				continue;
			ran++;
			cell_run(&plan, &came);
			tell(&came, line,
			     (size_t)snprintf(line, sizeof(line), "%s %" PRIu32, networks[n].name,
			                      i));
			differ += compare(line, expected);
			if (differ == MANY)
				return 1;
		}
	if (expected)
		differ += compare("", expected);
	return differ ? 1 : 0;
}
