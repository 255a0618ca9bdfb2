/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.c - flow control of the downlink: what a cell group has, wants, and says of it; see flow.h.
 *
 * A cell group reports every report_ms, as long as it has something, what it has sent and how much
 * it wants beyond that: as much as it sends in queue_ms, by a mean of its rate. Of two that want a
 * packet the one gets it that is expected to begin with it first. The reports of the eNB take X2;
 * what the gNB has in its own RLC PDCP sees.
 * Source: TS 38.425 5.4.2
 */
#include "ran/en_dc/flow.h"

#include "base/digest.h"
#include "phy/lte/phy.h"
#include "ran/nr/drb_tx.h"

#define WANTED_MIN 15000u /* bytes, of a cell group whose rate is not known: ten packets */
#define MEAN_OF    4      /* reports, about */

static const struct cell_en_dc_cfg *cfg_of(const struct en_dc *n)
{
	return &n->cell.cfg.en_dc;
}

static int64_t period_ns(const struct en_dc *n)
{
	return cfg_of(n)->report_ms * EN_DC_NS_PER_MS;
}

static int64_t path_ns(const struct en_dc *n, enum cell_group g)
{
	return g == CELL_GROUP_MCG ? en_dc_x2_ns(n) : 0;
}

void flow_init(struct en_dc_group *of)
{
	*of = (struct en_dc_group){ .wanted = WANTED_MIN,
		                    .report_ns = CELL_NEVER,
		                    .heard_ns = CELL_NEVER };
}

/* --- what PDCP does with what it knows --- */

static uint32_t queued(const struct en_dc *n, const struct en_dc_ue *u, enum cell_group g)
{
	return g == CELL_GROUP_MCG ? en_dc_mcg(n, u, CELL_DIR_DL)->rlc.queue->bytes
	                           : en_dc_scg(n, u, CELL_DIR_DL)->rlc.queue->bytes;
}

/* What PDCP knows to be on its way to the UE's radio, or in front of it. */
static uint64_t outstanding(const struct en_dc *n, const struct en_dc_ue *u, enum cell_group g)
{
	return g == CELL_GROUP_MCG ? u->group[g].given - u->group[g].sent : queued(n, u, g);
}

/* Bytes that the channel of now carries in a report's period, shared with nobody. */
static uint64_t channel_bytes(const struct en_dc *n, const struct en_dc_ue *u, enum cell_group g)
{
	const struct cell_lte_cfg *cfg = &n->cell.cfg.lte;
	const struct lte_sch *sch = &n->lte->ue[u->id - 1].sch[CELL_DIR_DL];

	if (g == CELL_GROUP_SCG)
		return drb_channel_bytes(n->nr, en_dc_scg(n, u, CELL_DIR_DL), period_ns(n));
	return sch->cqi == 0 ? 0
	                     : (uint64_t)phy_tbs(sch->itbs, cfg->n_rb) * cfg->dl_carriers *
	                               cfg->dl_codewords * cfg_of(n)->report_ms;
}

/* When a packet would be begun with, from now. Its rate is known of a cell group that had something
 * to send all the time; others have their channel for themselves. */
static uint64_t expected_ns(const struct en_dc *n, const struct en_dc_ue *u, enum cell_group g)
{
	const struct en_dc_group *of = &u->group[g];
	uint64_t rate = of->busy && of->rate_bytes ? of->rate_bytes : channel_bytes(n, u, g);
	uint64_t ns = outstanding(n, u, g) * (uint64_t)period_ns(n) / (rate ? rate : 1);

	return ns + (uint64_t)path_ns(n, g);
}

enum cell_group flow_choose(const struct en_dc *n, const struct en_dc_ue *u, bool scg)
{
	enum cell_group best = CELL_GROUP_COUNT;

	for (int i = 0; i < CELL_GROUP_COUNT; i++) {
		enum cell_group g = (enum cell_group)i;

		if (g == CELL_GROUP_SCG && !scg)
			continue;
		if (outstanding(n, u, g) < u->group[g].wanted &&
		    (best == CELL_GROUP_COUNT || expected_ns(n, u, g) < expected_ns(n, u, best)))
			best = g;
	}
	return best;
}

void flow_given(struct en_dc *n, struct en_dc_ue *u, enum cell_group g, uint32_t bytes)
{
	struct en_dc_group *of = &u->group[g];

	of->given += bytes;
	if (of->report_ns == CELL_NEVER)
		of->report_ns = n->cell.event_ns + period_ns(n);
}

void flow_arrived(struct en_dc_ue *u, enum cell_group g, uint32_t bytes)
{
	u->group[g].arrived += bytes;
}

/* --- reports: DL DATA DELIVERY STATUS --- */

static void hear(struct en_dc_group *of)
{
	of->sent = of->sent_last;
	of->wanted = of->wanted_last;
	of->heard_ns = CELL_NEVER;
}

static void report(struct en_dc *n, struct en_dc_ue *u, enum cell_group g)
{
	struct en_dc_group *of = &u->group[g];
	uint32_t waits = queued(n, u, g), sample;
	uint64_t sent = of->arrived - waits, wanted;

	sample = (uint32_t)(sent - of->sent_last);
	if (of->rate_bytes == 0)
		of->rate_bytes = sample;
	else if ((of->busy && waits > 0) || sample > of->rate_bytes)
		of->rate_bytes = (of->rate_bytes * (MEAN_OF - 1) + sample) / MEAN_OF;
	wanted = (uint64_t)of->rate_bytes * cfg_of(n)->queue_ms / cfg_of(n)->report_ms;
	of->busy = waits > 0;
	of->sent_last = sent;
	of->wanted_last = wanted > WANTED_MIN ? (uint32_t)wanted : WANTED_MIN;
	of->report_ns = of->given == sent ? CELL_NEVER : n->cell.event_ns + period_ns(n);
	of->heard_ns = n->cell.event_ns + path_ns(n, g);
	if (of->heard_ns == n->cell.event_ns)
		hear(of);
}

int64_t flow_next_ns(const struct en_dc_ue *u)
{
	int64_t t_ns = CELL_NEVER;

	for (int g = 0; g < CELL_GROUP_COUNT; g++) {
		t_ns = u->group[g].report_ns < t_ns ? u->group[g].report_ns : t_ns;
		t_ns = u->group[g].heard_ns < t_ns ? u->group[g].heard_ns : t_ns;
	}
	return t_ns;
}

void flow_expire(struct en_dc *n, struct en_dc_ue *u)
{
	for (int g = 0; g < CELL_GROUP_COUNT; g++) {
		if (u->group[g].heard_ns <= n->cell.event_ns)
			hear(&u->group[g]);
		if (u->group[g].report_ns <= n->cell.event_ns)
			report(n, u, (enum cell_group)g);
	}
}

void flow_digest(const struct en_dc_ue *u, uint64_t *h)
{
	for (int g = 0; g < CELL_GROUP_COUNT; g++) {
		digest_mix(h, u->group[g].given);
		digest_mix(h, u->group[g].sent);
		digest_mix(h, u->group[g].wanted);
		digest_mix(h, u->group[g].rate_bytes);
	}
}
