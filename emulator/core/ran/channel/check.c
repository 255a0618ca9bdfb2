/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - keys of bearers and of HARQ that LTE and NR have alike; see check.h. */
#include "ran/channel/check.h"

#include <stddef.h>

#include "base/limit.h"
#include "cfg_values.h"

static const struct limit bearer_limits[] = { CFG_BEARER_LIMITS };
static const struct limit filter_limits[] = { CFG_FILTER_LIMITS };
static const struct limit qdisc_limits[] = { CFG_QDISC_LIMITS };

bool channel_has_qdisc(const struct cell_bearer_cfg *b)
{
	return b->rlc.qdisc[CELL_DIR_UL].kind != CELL_QDISC_PFIFO ||
	       b->rlc.qdisc[CELL_DIR_DL].kind != CELL_QDISC_PFIFO;
}

const char *channel_check_qdiscs(const struct cell_bearer_cfg *b, const char **ret_range)
{
	*ret_range = "pfifo with RLC TM, for which PDCP numbers what comes, or copies";
	if (channel_has_qdisc(b) && (b->rlc.mode == CELL_RLC_TM || b->pdcp.duplication))
		return "rlc.qdisc.kind";
	for (int d = 0; d < 2; d++) {
		const struct cell_qdisc *qdisc = &b->rlc.qdisc[d];
		const char *field = NULL;

		if (qdisc->kind != CELL_QDISC_PFIFO)
			field = LIMIT_CHECK(qdisc, qdisc_limits, ret_range);
		if (field)
			return field;
	}
	return NULL;
}

static bool is_prefix(const struct cell_prefix *p)
{
	switch (p->version) {
	case 0:
		return true;
	case 4:
		return p->bits <= 32;
	case 6:
		return p->bits <= 128;
	default:
		return false;
	}
}

static const char *check_filter(const struct cell_filter *f, const char **ret_range)
{
	const char *field = LIMIT_CHECK(f, filter_limits, ret_range);

	if (field)
		return field;
	*ret_range = "of IPv4 0..32 bits, of IPv6 0..128";
	if (!is_prefix(&f->local))
		return "filter.local";
	return is_prefix(&f->remote) ? NULL : "filter.remote";
}

/* Source: TS 23.501 5.7.2.5 */
static const char *check_rates(const struct cell_bearer_cfg *b, const char **ret_range)
{
	*ret_range = "none, or at least the guaranteed bit rate";
	if (b->mbr_dl_bps && b->mbr_dl_bps < b->gbr_dl_bps)
		return "mbr_dl_bps";
	if (b->mbr_ul_bps && b->mbr_ul_bps < b->gbr_ul_bps)
		return "mbr_ul_bps";
	*ret_range = "0 with a priority level or rates";
	return b->pdcp.duplication && (b->priority_level || b->gbr_dl_bps || b->gbr_ul_bps ||
	                               b->mbr_dl_bps || b->mbr_ul_bps)
	               ? "pdcp.duplication"
	               : NULL;
}

const char *channel_check_bearers(const struct cell_cfg *cfg, const char **ret_range)
{
	for (uint32_t i = 0; i < cfg->n_bearers; i++) {
		const struct cell_bearer_cfg *b = &cfg->bearer[i];
		const char *field;

		*ret_range = "UEs in order, each with at most one default bearer";
		if (b->ue < 1 || b->ue > cfg->n_ue || (i > 0 && b->ue < b[-1].ue))
			return "bearer.ue";
		for (uint32_t j = 0; j < i; j++)
			if (cfg->bearer[j].ue == b->ue && !cfg->bearer[j].n_filters &&
			    !b->n_filters)
				return "bearer.ue";
		*ret_range = "0..4";
		if (b->n_filters > CELL_MAX_FILTERS)
			return "bearer.n_filters";
		field = LIMIT_CHECK(b, bearer_limits, ret_range);
		if (!field)
			field = check_rates(b, ret_range);
		for (uint8_t k = 0; k < b->n_filters && !field; k++)
			field = check_filter(&b->filter[k], ret_range);
		if (field)
			return field;
	}
	return NULL;
}

const char *channel_check_harq_bler(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "not increasing";
	for (uint8_t i = 1; i < cfg->harq.n_bler; i++)
		if (cfg->harq.bler_q32[i] > cfg->harq.bler_q32[i - 1])
			return "harq.bler";
	return NULL;
}

const char *channel_check_crowd(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "each 1..15";
	for (uint8_t i = 0; i < cfg->crowd.n_cqi; i++)
		if (cfg->crowd.cqi[i] < 1 || cfg->crowd.cqi[i] > 15)
			return "crowd.cqi";
	*ret_range = "at most one burst of the whole crowd in a microsecond";
	if (cfg->crowd.arrival != CELL_CROWD_READING &&
	    (uint64_t)cfg->crowd.offered_rate_bps * cfg->crowd.count >
	            UINT64_C(8000000) * cfg->crowd.burst_bytes)
		return "crowd.burst_bytes";
	return NULL;
}
