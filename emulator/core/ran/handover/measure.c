/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.c - what UEs measure of base stations, and when that is an event; see measure.h.
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
 * The serving cell becomes worse than threshold 1 and the neighbour better than threshold 2 when
 *
 *   A5-1, A5-2, it is entered:  Mp + Hys < Thresh1 and Mn - Hys > Thresh2
 *   A5-3, A5-4, it is left:     Mp - Hys > Thresh1 or Mn + Hys < Thresh2
 *
 * An event counts once it was entered in all measurements of timeToTrigger, and again only after it
 * was left. Offsets of cells and of frequencies are 0.
 * Source: TS 36.331 5.5.3.2, 5.5.4.1, 5.5.4.4; TS 38.331 5.3.5.13.4, 5.5.4.4, 5.5.4.6
 */
#include "ran/handover/measure.h"

#include "base/digest.h"

#define NS_PER_MS INT64_C(1000000)
#define ONE_Q16   INT64_C(65536)

/* 2^(-k / 4) times 2^16, by k modulo 4. */
static const int64_t quarter_q16[4] = { 65536, 55109, 46341, 38968 };

static int64_t weight_q16(uint8_t k)
{
	return quarter_q16[k % 4] >> k / 4;
}

static int64_t threshold(uint8_t rsrp_range)
{
	return (rsrp_range + CELL_RSRP_RANGE_DBM) * 100 * ONE_Q16;
}

/* How far a neighbour is beyond an event's threshold, without hysteresis; in centi-dB times 2^16.
 */
static int64_t beyond(const struct cell_handover_cfg *cfg, enum measure_purpose purpose,
                      int64_t serving, int64_t neighbour)
{
	bool report = purpose == MEASURE_REPORT;
	int64_t left, right;

	if (report || cfg->condition.event == CELL_COND_EVENT_A3)
		return neighbour - serving -
		       (report ? cfg->a3.offset_cdb : cfg->condition.offset_cdb) * ONE_Q16;
	left = threshold(cfg->condition.threshold1) - serving;
	right = neighbour - threshold(cfg->condition.threshold2);
	return left < right ? left : right;
}

void measure_by(const struct cell *c, struct measure_trigger *t, int64_t by,
                uint16_t hysteresis_cdb, uint16_t trigger_ms)
{
	int64_t hysteresis = hysteresis_cdb * ONE_Q16;

	if (by <= hysteresis)
		t->t_ns = CELL_NEVER;
	else if (!t->told && t->t_ns == CELL_NEVER)
		t->t_ns = c->event_ns + trigger_ms * NS_PER_MS;
	if (by < -hysteresis)
		t->told = false;
}

static void judge(const struct cell *c, struct measured *m, enum measure_purpose purpose,
                  int64_t serving)
{
	const struct cell_handover_cfg *cfg = &c->cfg.handover;
	bool report = purpose == MEASURE_REPORT;

	measure_by(c, &m->trigger[purpose], beyond(cfg, purpose, serving, m->filtered),
	           report ? cfg->a3.hysteresis_cdb : cfg->condition.hysteresis_cdb,
	           report ? cfg->a3.time_to_trigger_ms : cfg->condition.time_to_trigger_ms);
}

static void evaluate(const struct cell *c, struct measurements *m, uint8_t serving)
{
	for (uint8_t k = 0; k < c->cfg.n_enb; k++) {
		if (k == serving || !m->of[k].known || !m->of[serving].known)
			continue;
		if (c->cfg.handover.a3.on)
			judge(c, &m->of[k], MEASURE_REPORT, m->of[serving].filtered);
		if (c->cfg.handover.condition.on)
			judge(c, &m->of[k], MEASURE_CONDITION, m->of[serving].filtered);
	}
}

void measure_filter(struct measured *m, uint8_t k, int32_t rsrp_cdbm)
{
	int64_t by = rsrp_cdbm * ONE_Q16 - m->filtered;

	m->filtered += m->known ? by * weight_q16(k) / ONE_Q16 : by;
	m->known = true;
}

int64_t measure_beyond(const struct measured *m, uint8_t rsrp_range)
{
	return m->filtered - threshold(rsrp_range);
}

void measure_take(const struct cell *c, struct measurements *all, uint8_t serving, bool attached,
                  uint8_t enb, int32_t rsrp_cdbm)
{
	measure_filter(&all->of[enb], c->cfg.handover.a3.filter_coefficient, rsrp_cdbm);
	if (enb + 1 == c->cfg.n_enb && attached)
		evaluate(c, all, serving);
}

int64_t measure_next_ns(const struct cell *c, const struct measurements *m,
                        enum measure_purpose purpose)
{
	int64_t first_ns = CELL_NEVER;

	for (uint8_t k = 0; k < c->cfg.n_enb; k++)
		if (m->of[k].trigger[purpose].t_ns < first_ns)
			first_ns = m->of[k].trigger[purpose].t_ns;
	return first_ns;
}

uint8_t measure_due(const struct cell *c, struct measurements *m, enum measure_purpose purpose)
{
	uint8_t best = MEASURE_NONE;

	for (uint8_t k = 0; k < c->cfg.n_enb; k++) {
		struct measure_trigger *t = &m->of[k].trigger[purpose];

		if (t->t_ns > c->event_ns)
			continue;
		t->t_ns = CELL_NEVER;
		t->told = true;
		if (best == MEASURE_NONE || m->of[k].filtered > m->of[best].filtered)
			best = k;
	}
	return best;
}

void measure_restart(struct measurements *m)
{
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
		for (int purpose = 0; purpose < MEASURE_PURPOSES; purpose++)
			m->of[k].trigger[purpose] = (struct measure_trigger){ .t_ns = CELL_NEVER };
}

void measure_digest(const struct cell *c, const struct measurements *m, uint64_t *h)
{
	for (uint8_t k = 0; k < c->cfg.n_enb; k++) {
		digest_mix(h, (uint64_t)m->of[k].filtered);
		for (int purpose = 0; purpose < MEASURE_PURPOSES; purpose++) {
			digest_mix(h, (uint64_t)m->of[k].trigger[purpose].t_ns);
			digest_mix(h, m->of[k].trigger[purpose].told);
		}
	}
}
