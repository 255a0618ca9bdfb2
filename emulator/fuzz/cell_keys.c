/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell_keys.c - any declared key of a configuration; see cell_keys.h.
 *
 * The tables are made of the models of scenarios (cfg_values.h), so a new key is drawn without
 * being named here. Values at the ends of a range come as often as all between them together.
 */
#include "cell_keys.h"

#include <string.h>

#include "base/limit.h"
#include "cfg_values.h"

#define PKTS_MAX 300 /* more take memory and time, and find nothing more */

static const struct limit of_cell[] = { CFG_DRAWN };
static const struct limit of_ue[] = { CFG_UE_DRAWN };
static const struct limit of_bearer[] = { CFG_BEARER_DRAWN };
static const struct limit of_filter[] = { CFG_FILTER_DRAWN };
static const struct limit of_recorded[] = { CFG_RECORDED_DRAWN };
static const struct limit of_netem[] = { CFG_NETEM_DRAWN };
static const struct limit of_qdisc[] = { CFG_QDISC_DRAWN };

#define N(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

static void draw(void *base, const struct limit *l, struct fuzz_input *in)
{
	uint32_t value = fuzz_range(in, l->min, l->max);
	uint8_t *at = (uint8_t *)base + l->offset, end = fuzz_u8(in);
	uint16_t two;

	if (end < 64)
		value = end < 32 ? l->min : l->max;
	two = (uint16_t)value;
	if (l->size == 1)
		*at = (uint8_t)value;
	else if (l->size == 2)
		memcpy(at, &two, sizeof(two));
	else
		memcpy(at, &value, sizeof(value));
}

void keys_draw(struct cell_cfg *cfg, struct cell_bearer_cfg *bearer, struct fuzz_input *in)
{
	uint32_t b = cfg->n_bearers ? fuzz_range(in, 0, cfg->n_bearers - 1) : 0;
	const struct {
		void *base;
		const struct limit *keys;
		uint32_t n;
	} tables[] = {
		{ cfg, of_cell, N(of_cell) },
		{ &cfg->ue[fuzz_range(in, 0, cfg->n_ue - 1u)], of_ue, N(of_ue) },
		{ &cfg->rlc.qdisc[CELL_DIR_UL], of_qdisc, N(of_qdisc) },
		{ &cfg->rlc.qdisc[CELL_DIR_DL], of_qdisc, N(of_qdisc) },
		{ &bearer[b], of_bearer, N(of_bearer) },
		{ &bearer[b].filter[0], of_filter, N(of_filter) },
	};
	uint32_t n_tables = cfg->n_bearers ? 6 : 4, all = 0, i;

	if (cfg->system == CELL_SYSTEM_PACKET_TRACE && fuzz_range(in, 0, 1)) {
		draw(&cfg->recorded, &of_recorded[fuzz_range(in, 0, N(of_recorded) - 1)], in);
		return;
	}

	if (cfg->system == CELL_SYSTEM_CONSTANT_RATE && fuzz_range(in, 0, 1)) {
		draw(&cfg->constant.netem[fuzz_range(in, 0, 1)],
		     &of_netem[fuzz_range(in, 0, N(of_netem) - 1)], in);
		return;
	}
	for (uint32_t t = 0; t < n_tables; t++)
		all += tables[t].n;
	i = fuzz_range(in, 0, all - 1);
	for (uint32_t t = 0; t < n_tables; i -= tables[t++].n)
		if (i < tables[t].n) {
			draw(tables[t].base, &tables[t].keys[i], in);
			break;
		}
	if (cfg->max_pkts > PKTS_MAX)
		cfg->max_pkts = PKTS_MAX;
}
