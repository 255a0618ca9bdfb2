/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reports.c - channel quality as a base station knows it; see reports.h.
 *
 * Nothing happens at a report: what the channel changes to is what the next report will say, unless
 * it changes again before that. So a report is put down when the channel changes.
 */
#include "ran/channel/reports.h"

#include "base/digest.h"

#define NS_PER_MS INT64_C(1000000)

/* First report at @since_ns or later: UEs take the sub-frames of a period in turn. */
static int64_t next_ns(const struct cell_cqi_reports_cfg *cfg, uint8_t ue, int64_t since_ns)
{
	int64_t period_ns = cfg->period_ms * NS_PER_MS;
	int64_t offset_ns = (ue - 1) % cfg->period_ms * NS_PER_MS;
	int64_t periods =
		since_ns > offset_ns ? (since_ns - offset_ns + period_ns - 1) / period_ns : 0;

	return offset_ns + periods * period_ns;
}

void reports_channel(struct reports *r, const struct cell_cfg *cfg, uint8_t ue, int64_t since_ns,
                     uint8_t cqi)
{
	int64_t used_ns =
		next_ns(&cfg->cqi_reports, ue, since_ns) + cfg->cqi_reports.delay_ms * NS_PER_MS;
	uint8_t last = (uint8_t)((r->first + r->n - 1u) % REPORTS_MAX);

	if (r->n == 0 || (r->of[last].used_ns != used_ns && r->n < REPORTS_MAX))
		last = (uint8_t)((r->first + r->n++) % REPORTS_MAX);
	r->of[last].used_ns = used_ns;
	r->of[last].cqi = cqi;
}

bool reports_take(struct reports *r, int64_t since_ns, uint8_t *cqi)
{
	bool found = false;

	for (; r->n > 0 && r->of[r->first].used_ns <= since_ns; r->n--) {
		*cqi = r->of[r->first].cqi;
		r->first = (uint8_t)((r->first + 1) % REPORTS_MAX);
		found = true;
	}
	return found;
}

void reports_digest(const struct reports *r, uint64_t *h)
{
	for (uint8_t i = 0; i < r->n; i++) {
		uint8_t at = (uint8_t)((r->first + i) % REPORTS_MAX);

		digest_mix(h, (uint64_t)r->of[at].used_ns);
		digest_mix(h, r->of[at].cqi);
	}
}
