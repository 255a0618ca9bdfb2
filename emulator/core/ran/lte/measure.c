/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.c - what UEs measure of the eNBs, and when they report event A3; see measure.h.
 *
 * Layer 1 measures RSRP once in a period, which is the shell's. Layer 3 filters it in dB:
 *
 *   F = (1 - a) F + a M, a = 1 / 2^(k / 4)
 *
 * A neighbour becomes offset better than the serving cell when, of filtered measurements,
 *
 *   A3-1, it is entered:  Mn - Hys > Mp + Off
 *   A3-2, it is left:     Mn + Hys < Mp + Off
 *
 * It is reported once it was entered in all measurements of timeToTrigger, and again only after it
 * was left. Offsets of cells and of frequencies are 0. Source: TS 36.331 5.5.3.2, 5.5.4.1, 5.5.4.4
 */
#include "ran/lte/measure.h"

#define NS_PER_MS INT64_C(1000000)
#define ONE_Q16   INT64_C(65536)

/* 2^(-k / 4) times 2^16, by k modulo 4. */
static const int64_t quarter_q16[4] = { 65536, 55109, 46341, 38968 };

static int64_t weight_q16(uint8_t k)
{
	return quarter_q16[k % 4] >> k / 4;
}

static void evaluate(const struct lte *lte, struct ue *u)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	const struct measured *serving = &u->measured[u->enb];
	int64_t enter = (cfg->a3_offset_cdb + cfg->a3_hysteresis_cdb) * ONE_Q16;
	int64_t leave = (cfg->a3_offset_cdb - cfg->a3_hysteresis_cdb) * ONE_Q16;

	for (uint8_t k = 0; k < cfg->n_enb; k++) {
		struct measured *m = &u->measured[k];
		int64_t better = m->filtered - serving->filtered;

		if (k == u->enb || !m->known || !serving->known)
			continue;
		if (better <= enter)
			m->trigger_ns = CELL_NEVER;
		else if (!m->reported && m->trigger_ns == CELL_NEVER)
			m->trigger_ns = lte->cell.event_ns + cfg->a3_time_to_trigger_ms * NS_PER_MS;
		if (better < leave)
			m->reported = false;
	}
}

void measure_take(struct lte *lte, struct ue *u, uint8_t enb, int32_t rsrp_cdbm)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	struct measured *m = &u->measured[enb];
	int64_t now = rsrp_cdbm * ONE_Q16;

	m->filtered +=
		m->known ? (now - m->filtered) * weight_q16(cfg->a3_filter_coefficient) / ONE_Q16
			 : now - m->filtered;
	m->known = true;
	if (cfg->a3 && enb + 1 == cfg->n_enb && !u->detached)
		evaluate(lte, u);
}

int64_t measure_next_ns(const struct lte *lte, const struct ue *u)
{
	int64_t first_ns = CELL_NEVER;

	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++)
		if (u->measured[k].trigger_ns < first_ns)
			first_ns = u->measured[k].trigger_ns;
	return first_ns;
}

uint8_t measure_report(const struct lte *lte, struct ue *u)
{
	uint8_t best = ENB_NONE;

	for (uint8_t k = 0; k < lte->cell.cfg.n_enb; k++) {
		struct measured *m = &u->measured[k];

		if (m->trigger_ns > lte->cell.event_ns)
			continue;
		m->trigger_ns = CELL_NEVER;
		m->reported = true;
		if (best == ENB_NONE || m->filtered > u->measured[best].filtered)
			best = k;
	}
	return best;
}

void measure_restart(struct ue *u)
{
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++) {
		u->measured[k].trigger_ns = CELL_NEVER;
		u->measured[k].reported = false;
	}
}
