/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - keys of a configuration of EN-DC that depend on each other; see check.h. */
#include "ran/en_dc/check.h"

#include <stddef.h>

#include "ran/en_dc/parts.h"

/* What bearers of EN-DC have not. */
static const char *check_bearer(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "am";
	if (cfg->rlc.mode != CELL_RLC_AM)
		return "rlc.mode";
	*ret_range = "pfifo";
	for (int d = 0; d < 2; d++)
		if (cfg->rlc.qdisc[d].kind != CELL_QDISC_PFIFO)
			return "rlc.qdisc.kind";
	*ret_range = "none";
	if (cfg->nr.aqm.mode != CELL_AQM_NONE)
		return "nr.aqm.mode";
	*ret_range = "false";
	if (cfg->pdcp.duplication)
		return "pdcp.duplication";
	if (cfg->nr.sdap_header) /* its core network has no QoS flows */
		return "nr.sdap_header";
	*ret_range = "0: each UE has one bearer";
	return cfg->n_bearers > 0 ? "n_bearers" : NULL;
}

static const char *check_ues(const struct cell_cfg *cfg, const char **ret_range)
{
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		*ret_range = "the network";
		if (cfg->ue[i].peer != CELL_PEER_NETWORK)
			return "peer";
		*ret_range = "0..15";
		if (cfg->ue[i].second_cqi_ul > 15)
			return "second_cqi_ul";
		if (cfg->ue[i].second_cqi_dl > 15)
			return "second_cqi_dl";
	}
	return NULL;
}

const char *en_dc_check(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = check_bearer(cfg, ret_range);

	if (field)
		return field;
	*ret_range = "2: an eNB and a gNB";
	if (cfg->n_enb != EN_DC_ENBS)
		return "n_enb";
	*ret_range = "no core network";
	if (cfg->gtpu.sgw_addr)
		return "gtpu.sgw_addr";
	*ret_range = "0";
	if (cfg->crowd.count > 0)
		return "crowd.count";
	field = check_ues(cfg, ret_range);
	return field ? field : parts_check(cfg, ret_range);
}
