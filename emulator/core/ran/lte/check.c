/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - keys of a configuration of LTE that depend on each other; see lte.h. */
#include "ran/lte/check.h"
#include "base/limit.h"
#include "cfg_values.h"

static const struct limit ue_limits[] = { CFG_UE_LIMITS };

/* Tunnels and cells of the UE @u. Return: the offending field, or NULL. */
static const char *check_core_network(const struct cell_cfg *cfg, const struct cell_ue_cfg *u,
                                      const char **ret_range)
{
	*ret_range = "less than the number of eNBs";
	if (u->enb >= cfg->n_enb)
		return "enb";
	*ret_range = "with an S-GW one for each eNB";
	for (uint8_t k = 0; k < cfg->n_enb; k++)
		if (cfg->sgw_gtpu_addr && !cfg->enb_gtpu_addr[k])
			return "enb_gtpu_addr";
	*ret_range = "with an S-GW one for each UE whose peer is the network";
	if (cfg->sgw_gtpu_addr && u->peer == CELL_PEER_NETWORK && !u->addr)
		return "addr";
	*ret_range = "a UE in the same cell";
	if (u->peer != CELL_PEER_NETWORK && cfg->ue[u->peer - 1].enb != u->enb)
		return "peer";
	return NULL;
}

/* What a handover needs of the layers below. Return: the offending field, or NULL. */
static const char *check_handover(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "with several eNBs 0: RLC has the order";
	if (cfg->pdcp_reordering)
		return "pdcp_reordering";
	*ret_range = "with several eNBs and RLC AM in_sequence";
	if (cfg->rlc_mode == CELL_RLC_AM && cfg->delivery != CELL_DELIVERY_IN_SEQUENCE)
		return "delivery";
	*ret_range = "with several eNBs and RLC AM 12";
	if (cfg->rlc_mode == CELL_RLC_AM && cfg->pdcp_sn_bits != 12)
		return "pdcp_sn_bits";
	*ret_range = "longer than two messages of ho_signalling_us";
	if (cfg->ho_prediction_timeout_ms * 1000u <= 2 * cfg->ho_signalling_us)
		return "ho_prediction_timeout_ms";
	return NULL;
}

/* Return: the offending field of the UE @u, or NULL. */
static const char *check_ue(const struct cell_cfg *cfg, uint8_t id, const char **ret_range)
{
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const char *field =
		limit_check(u, ue_limits, sizeof(ue_limits) / sizeof(*ue_limits), ret_range);

	if (field)
		return field;
	*ret_range = "another UE or the network";
	if (u->peer > cfg->n_ue || u->peer == id)
		return "peer";
	*ret_range = "im to the network";
	if (u->peer == CELL_PEER_NETWORK && u->mode != CELL_MODE_IM)
		return "mode";
	field = check_core_network(cfg, u, ret_range);
	if (field)
		return field;
	/* A direct AM bearer is one in both directions. */
	*ret_range = "with RLC AM each other's peer";
	if (cfg->rlc_mode == CELL_RLC_AM && u->peer != CELL_PEER_NETWORK &&
	    cfg->ue[u->peer - 1].peer != id)
		return "peer";
	return NULL;
}

static const char *check_harq(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "not increasing";
	for (uint8_t i = 1; i < cfg->n_harq_bler; i++)
		if (cfg->harq_bler_q32[i] > cfg->harq_bler_q32[i - 1])
			return "harq_bler";
	/* A synchronous retransmission needs its NACK before the grants for its sub-frame. */
	*ret_range = "with HARQ at most 8 together with grant_to_tx_tti";
	if (cfg->harq_max_attempts > 1 && cfg->decode_tti + cfg->grant_to_tx_tti > 8)
		return "decode_tti";
	return NULL;
}

const char *lte_check(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field;

	*ret_range = "only with a resource block for each UE";
	if (cfg->ul_always_scheduled && cfg->n_ue > cfg->n_rb)
		return "ul_always_scheduled";
	*ret_range = "less than rac_timeout_tti";
	if (cfg->rar_delay_tti >= cfg->rac_timeout_tti)
		return "rar_delay_tti";
	*ret_range = "5 or 10";
	if (cfg->um_sn_bits != 5 && cfg->um_sn_bits != 10)
		return "um_sn_bits";
	*ret_range = "7 or 12";
	if (cfg->pdcp_sn_bits != 7 && cfg->pdcp_sn_bits != 12)
		return "pdcp_sn_bits";
	field = check_harq(cfg, ret_range);
	if (!field && cfg->n_enb > 1)
		field = check_handover(cfg, ret_range);
	for (uint8_t id = 1; id <= cfg->n_ue && !field; id++)
		field = check_ue(cfg, id, ret_range);
	return field;
}
