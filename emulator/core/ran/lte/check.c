/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - keys of a configuration of LTE that depend on each other; see check.h.
 *
 * The range of a single key is data (base/limit.h). Here are rules for several: what the timing of
 * random access and synchronous HARQ allows, which lengths of SNs there are, what a handover and a
 * direct bearer of RLC AM need at both ends. A check returns the field that is wrong, and what is
 * allowed in the words of the message.
 */
#include "ran/lte/check.h"
#include "base/limit.h"
#include "cfg_values.h"
#include "phy/lte/phy.h"
#include "ran/channel/channel.h"
#include "ran/channel/check.h"
#include "ran/lte/control.h"
#include "ran/lte/lch.h"
#include "rlc/common/rlc.h"

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
		if (cfg->gtpu.sgw_addr && !cfg->gtpu.enb_addr[k])
			return "gtpu.enb_addr";
	*ret_range = "with an S-GW one for each UE whose peer is the network";
	if (cfg->gtpu.sgw_addr && u->peer == CELL_PEER_NETWORK && !epc_has_address(u))
		return "addr";
	*ret_range = "a UE in the same cell";
	if (u->peer != CELL_PEER_NETWORK && cfg->ue[u->peer - 1].enb != u->enb)
		return "peer";
	return NULL;
}

/* What a handover needs of a bearer. Return: the offending field, or NULL. */
static const char *check_bearer_at_handover(const struct cell_bearer_cfg *b, const char **ret_range)
{
	bool acknowledged = rlc_mode_of((enum cell_rlc_mode)b->rlc.mode)->acknowledged;

	*ret_range = "0 with several eNBs";
	if (b->pdcp.reordering)
		return "pdcp.reordering";
	*ret_range = "in_sequence with several eNBs and RLC AM";
	if (acknowledged && b->rlc.delivery != CELL_DELIVERY_IN_SEQUENCE)
		return "rlc.delivery";
	*ret_range = "12 with several eNBs and RLC AM";
	if (acknowledged && b->pdcp.sn_bits != 12)
		return "pdcp.sn_bits";
	return NULL;
}

/* What a handover needs besides. Return: the offending field, or NULL. */
static const char *check_handover(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "standard, fast_path_switch or prediction";
	if (cfg->handover.procedure > CELL_HO_PREDICTION || cfg->handover.condition.on)
		return "handover.procedure";
	*ret_range = "longer than two messages of handover.signalling_us";
	if (cfg->handover.prediction_timeout_ms * 1000u <= 2 * cfg->handover.signalling_us)
		return "handover.prediction_timeout_ms";
	*ret_range = "standard or fast_path_switch with a3";
	if (cfg->handover.a3.on && cfg->handover.procedure == CELL_HO_PREDICTION)
		return "handover.procedure";
	*ret_range = "none with prediction";
	if (cfg->handover.preparation_times.on && cfg->handover.procedure == CELL_HO_PREDICTION)
		return "handover.preparation_times";
	*ret_range = "none but with standard";
	if (cfg->handover.link_failure.on && cfg->handover.procedure != CELL_HO_STANDARD)
		return "handover.link_failure.on";
	return times_check(&cfg->handover, ret_range);
}

/* Return: the offending field of the UE @u, or NULL. */
static const char *check_ue(const struct cell_cfg *cfg, uint8_t id, const char **ret_range)
{
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const char *field = LIMIT_CHECK(u, ue_limits, ret_range);

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
	return NULL;
}

static const char *check_sn_bits(const struct cell_bearer_cfg *b, const char **ret_range)
{
	*ret_range = "5 or 10";
	if (b->rlc.um.sn_bits != 5 && b->rlc.um.sn_bits != 10)
		return "rlc.um.sn_bits";
	*ret_range = "7 or 12";
	if (b->pdcp.sn_bits != 7 && b->pdcp.sn_bits != 12)
		return "pdcp.sn_bits";
	return NULL;
}

/* The largest blocks of the carrier hold an SDU beside what grants allow for headers. */
static bool holds_an_sdu(const struct cell_cfg *cfg)
{
	uint32_t bytes = lte_lch_least();

	for (int dir = CELL_DIR_UL; dir <= CELL_DIR_DL; dir++) {
		uint8_t itbs = PHY_ITBS_COUNT - 1;
		uint16_t n_rb = phy_rb_needed((enum cell_dir)dir, itbs, bytes,
		                              control_rb(cfg, (enum cell_dir)dir));

		if (phy_tbs(itbs, n_rb) < bytes)
			return false;
	}
	return true;
}

/* A direct bearer of an acknowledged mode is one in both directions, so both UEs have it. */
static const char *check_direct(const struct cell_cfg *cfg, uint8_t id, uint8_t k,
                                const char **ret_range)
{
	struct cell_bearer_cfg b = channel_cfg(cfg, id, k), other;
	uint8_t peer = cfg->ue[id - 1].peer;

	if (peer == CELL_PEER_NETWORK || !rlc_mode_of((enum cell_rlc_mode)b.rlc.mode)->acknowledged)
		return NULL;
	*ret_range = "the UE whose peer this one is, with RLC AM";
	if (cfg->ue[peer - 1].peer != id)
		return "peer";
	*ret_range = "the mode of the peer's bearer at the same place, with RLC AM";
	other = channel_cfg(cfg, peer, k);
	if (k >= channel_count(cfg, peer, CELL_DIR_SL) || other.rlc.mode != b.rlc.mode)
		return "bearer.rlc.mode";
	return NULL;
}

/* Bearers of UE @id. Return: the offending field, or NULL. */
static const char *check_bearers(const struct cell_cfg *cfg, uint8_t id, const char **ret_range)
{
	uint8_t n = channel_count(cfg, id, CELL_DIR_UL);

	*ret_range = "8 of a UE";
	if (n > CELL_MAX_BEARERS)
		return "bearer";
	for (uint8_t k = 0; k < n; k++) {
		struct cell_bearer_cfg b = channel_cfg(cfg, id, k);
		const char *field = check_sn_bits(&b, ret_range);

		if (!field)
			field = channel_check_qdiscs(&b, ret_range);
		if (!field && cfg->n_enb > 1)
			field = check_bearer_at_handover(&b, ret_range);
		if (!field)
			field = check_direct(cfg, id, k, ret_range);
		if (field)
			return field;
		*ret_range = "more where RLC does not segment, so that a block holds a packet";
		if (rlc_mode_of((enum cell_rlc_mode)b.rlc.mode)->whole && !holds_an_sdu(cfg))
			return "lte.n_rb";
		*ret_range =
			"as many bearers of a UE as the mode has LCIDs; one where the peer is a UE";
		if (!channel_lcid(cfg, id, k, CELL_DIR_UL))
			return "bearer.rlc.mode";
	}
	return NULL;
}

static const char *check_harq(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = channel_check_harq_bler(cfg, ret_range);

	if (field)
		return field;
	/* A synchronous retransmission needs its NACK before the grants for its sub-frame. */
	*ret_range = "with HARQ at most 8 together with lte.timing.grant_to_tx_tti";
	if (cfg->harq.max_attempts > 1 &&
	    cfg->lte.timing.decode_tti + cfg->lte.timing.grant_to_tx_tti > 8)
		return "lte.timing.decode_tti";
	return NULL;
}

/* Modelled UEs. Return: the offending field, or NULL. */
static const char *check_crowd(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = channel_check_crowd(cfg, ret_range);

	if (field || !cfg->crowd.count)
		return field;
	*ret_range = "dl with lte.mac.ul_always_scheduled";
	if (cfg->lte.mac.ul_always_scheduled && cfg->crowd.direction != CELL_CROWD_DL)
		return "crowd.direction";
	return NULL;
}

const char *lte_check(const struct cell_cfg *cfg, const char **ret_range)
{
	struct cell_bearer_cfg bearer;
	const char *field;

	*ret_range = "six less than lte.n_rb, or fewer";
	if (cfg->lte.control.pucch_rb + 6 > cfg->lte.n_rb)
		return "lte.control.pucch_rb";
	*ret_range = "0..3, so many symbols that answers to preambles have room";
	if (cfg->lte.control.cfi > 3 ||
	    (cfg->lte.control.cfi && control_cces(cfg) < CONTROL_COMMON_CCES))
		return "lte.control.cfi";
	*ret_range = "true with a resource block for each UE, or false";
	if (cfg->lte.mac.ul_always_scheduled && cfg->n_ue > control_rb(cfg, CELL_DIR_UL))
		return "lte.mac.ul_always_scheduled";
	*ret_range = "at most lte.dl_carriers; 1 with lte.mac.ul_always_scheduled";
	if (cfg->lte.ul_carriers > (cfg->lte.mac.ul_always_scheduled ? 1 : cfg->lte.dl_carriers))
		return "lte.ul_carriers";
	*ret_range = "at most half";
	if (cfg->lte.outer_loop.target_bler_q32 > UINT32_MAX / 2)
		return "lte.outer_loop.target_bler_q32";
	*ret_range = "less than lte.ra.rac_timeout_tti";
	if (cfg->lte.timing.rar_delay_tti >= cfg->lte.ra.rac_timeout_tti)
		return "lte.timing.rar_delay_tti";
	*ret_range = "at least lte.timing.grant_to_tx_tti";
	if (cfg->lte.timing.rar_to_msg3_tti < cfg->lte.timing.grant_to_tx_tti)
		return "lte.timing.rar_to_msg3_tti";
	bearer = cell_cfg_bearer(cfg);
	field = check_sn_bits(&bearer, ret_range);
	if (!field)
		field = check_harq(cfg, ret_range);
	if (!field)
		field = check_crowd(cfg, ret_range);
	if (!field)
		field = channel_check_bearers(cfg, ret_range);
	if (!field && cfg->n_enb > 1)
		field = check_handover(cfg, ret_range);
	for (uint8_t id = 1; id <= cfg->n_ue && !field; id++)
		field = check_ue(cfg, id, ret_range);
	for (uint8_t id = 1; id <= cfg->n_ue && !field; id++)
		field = check_bearers(cfg, id, ret_range);
	return field;
}
