/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - keys of a configuration of NR that depend on each other; see check.h.
 *
 * A check returns the field that is wrong, and what is allowed in the words of the message.
 */
#include "ran/nr/check.h"

#include <stddef.h>

#include "base/limit.h"
#include "cfg_values.h"
#include "mac/nr/occasion.h"
#include "phy/nr/carrier.h"
#include "phy/nr/mcs.h"
#include "phy/nr/tdd.h"
#include "ran/channel/channel.h"
#include "ran/channel/check.h"
#include "ran/nr/frame.h"
#include "ran/nr/init.h"

#define RA_BLOCK_MIN 8 /* C-RNTI, short BSR, and a byte of data with its headers */

static const struct limit ue_limits[] = { CFG_UE_LIMITS };

/* Source: TS 38.101-1, 38.101-2 Table 5.3.2-1 */
static const char *check_carrier(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "a bandwidth that TS 38.101 has with this numerology";
	if (!nr_n_rb((enum nr_range)cfg->nr.phy.frequency_range, cfg->nr.phy.numerology,
	             cfg->nr.phy.bandwidth_mhz))
		return "nr.phy.bandwidth_mhz";
	*ret_range = "at most half";
	if (cfg->nr.link_adaptation.target_bler_q32 > UINT32_MAX / 2)
		return "nr.link_adaptation.target_bler_q32";
	*ret_range = "0, 6, 12 or 18";
	if (cfg->nr.phy.overhead_re > 18 || cfg->nr.phy.overhead_re % 6 != 0)
		return "nr.phy.overhead_re";
	*ret_range = "1 with numerology 3";
	if (cfg->nr.mac.processing_capability == 2 && cfg->nr.phy.numerology > 2)
		return "nr.mac.processing_capability";
	return NULL;
}

/* Source: TS 38.213 11.1 */
static const char *check_pattern(const struct cell_cfg *cfg, const char **ret_range)
{
	static const char *const allowed[] = {
		[NR_TDD_LETTER] = "1 to 80 letters D, S, U",
		[NR_TDD_ORDER] = "D, then at most one S, then U; or twice",
		[NR_TDD_PERIOD] = "a period of TS 38.213 11.1 that divides 20 ms",
		[NR_TDD_GUARD] = "a special slot with a guard between downlink and uplink",
		[NR_TDD_ONE_WAY] = "downlink and uplink slots",
	};
	struct nr_tdd tdd;
	enum nr_tdd_fault fault;

	*ret_range = "less than 81 letters";
	if (cfg->nr.phy.tdd_pattern[CELL_TDD_SLOTS_MAX] != '\0')
		return "nr.phy.tdd_pattern";
	if (cfg->nr.phy.duplex != CELL_DUPLEX_TDD)
		return NULL;
	fault = nr_tdd_init(&tdd, cfg->nr.phy.numerology, cfg->nr.phy.tdd_pattern,
	                    cfg->nr.phy.tdd_special_dl_symbols, cfg->nr.phy.tdd_special_ul_symbols);
	if (fault == NR_TDD_OK)
		return NULL;
	*ret_range = allowed[fault];
	return fault == NR_TDD_GUARD ? "nr.phy.tdd_special_ul_symbols" : "nr.phy.tdd_pattern";
}

/* What the pattern leaves for feedback and assignments. Source: TS 38.213 9.2.3 */
static const char *check_slots(const struct cell_cfg *cfg, const struct nr_frame *f,
                               const char **ret_range)
{
	bool assigns = false, feedback = false;

	for (uint32_t s = 0; s < f->n; s++) {
		assigns = assigns ||
		          (f->slot[s].pdcch && nr_frame_slot(f, s + cfg->nr.mac.k0)->pdsch > 0);
		feedback = feedback || f->slot[s].pucch;
	}
	*ret_range = "a pattern with a whole uplink slot";
	if (!feedback)
		return "nr.phy.tdd_pattern";
	*ret_range = "a pattern whose assignments lead to downlink slots";
	if (!assigns)
		return "nr.mac.k0";
	for (uint32_t s = 0; s < f->n; s++) {
		uint32_t at = nr_feedback_slot(&f->tdd, s, cfg->nr.mac.k1_min);

		*ret_range = "a pattern with feedback at most 15 slots after its block";
		if (f->slot[s].pdsch && at - s > 15)
			return "nr.mac.k1_min";
		*ret_range = "more: a UE takes N1 symbols to decode (TS 38.214 5.3)";
		if (f->slot[s].pdsch &&
		    (at - s) * NR_SYMBOLS < NR_SYMBOLS + (uint32_t)nr_n1_symbols(f->mu))
			return "nr.mac.k1_min";
	}
	return NULL;
}

static const char *check_drx(const struct cell_cfg *cfg, const char **ret_range)
{
	uint32_t shortest =
		cfg->nr.drx.short_cycle_ms ? cfg->nr.drx.short_cycle_ms : cfg->nr.drx.cycle_ms;

	if (!cfg->nr.drx.cycle_ms)
		return NULL;
	*ret_range = "at most the shortest cycle";
	if (cfg->nr.drx.on_duration_ms > shortest)
		return "nr.drx.on_duration_ms";
	*ret_range = "less than nr.drx.cycle_ms";
	if (cfg->nr.drx.start_offset_ms >= cfg->nr.drx.cycle_ms)
		return "nr.drx.start_offset_ms";
	*ret_range = "divisors of nr.drx.cycle_ms";
	if (cfg->nr.drx.short_cycle_ms && cfg->nr.drx.cycle_ms % cfg->nr.drx.short_cycle_ms)
		return "nr.drx.short_cycle_ms";
	return NULL;
}

/* RBs of configured grants in the slot that has most of them. */
static uint32_t configured_rb(const struct cell_cfg *cfg, const struct nr_frame *f)
{
	uint32_t slots = 0;

	for (uint32_t s = 0; s < cfg->nr.mac.cg_period_slots; s++)
		slots += nr_frame_slot(f, s)->pucch;
	if (slots == 0)
		slots = 1;
	return (cfg->n_ue + slots - 1) / slots * cfg->nr.mac.cg_rb;
}

static const char *check_grants(const struct cell_cfg *cfg, const struct nr_frame *f,
                                const char **ret_range)
{
	uint32_t re = nr_frame_re(&cfg->nr.phy, NR_SYMBOLS, cfg->nr.ra.rb);

	*ret_range = "less than the resource blocks of the carrier";
	if (cfg->nr.phy.pucch_rb >= f->n_rb)
		return "nr.phy.pucch_rb";
	*ret_range = "room for a BSR, on the carrier beside PUCCH";
	if (cfg->nr.ra.rb > f->ul_end - f->ul_first ||
	    nr_tbs(re, nr_mcs(NR_TABLE_64QAM, 0), 1) < RA_BLOCK_MIN)
		return "nr.ra.rb";
	*ret_range = "a period that TS 38.331 has with this numerology, or 0";
	if (cfg->nr.mac.sr_period_slots &&
	    !nr_sr_period_ok(cfg->nr.phy.numerology, cfg->nr.mac.sr_period_slots))
		return "nr.mac.sr_period_slots";
	*ret_range = "less than nr.ra.response_window_slots";
	if (cfg->nr.ra.rar_delay_slots >= cfg->nr.ra.response_window_slots)
		return "nr.ra.rar_delay_slots";
	if (cfg->nr.mac.configured_grant == CELL_CG_NONE)
		return NULL;
	*ret_range = "a period that TS 38.331 has with this numerology";
	if (!nr_cg_period_ok(cfg->nr.phy.numerology, cfg->nr.mac.cg_period_slots))
		return "nr.mac.cg_period_slots";
	*ret_range = "less than nr.mac.harq_processes";
	if (cfg->nr.mac.cg_processes >= cfg->nr.mac.harq_processes)
		return "nr.mac.cg_processes";
	*ret_range = "an MCS of nr.phy.mcs_table_ul";
	if (cfg->nr.mac.cg_mcs >= nr_mcs_count((enum nr_table)cfg->nr.phy.mcs_table_ul))
		return "nr.mac.cg_mcs";
	*ret_range = "so many that all UEs' fit the carrier, beside random access";
	if (configured_rb(cfg, f) + cfg->nr.ra.rb > (uint32_t)(f->ul_end - f->ul_first))
		return "nr.mac.cg_rb";
	return NULL;
}

/* Source: TS 38.322 6.2.3.3; TS 38.323 6.3.2 */
static const char *check_sn_bits(const struct cell_bearer_cfg *b, const char **ret_range)
{
	*ret_range = "6 or 12";
	if (b->rlc.mode == CELL_RLC_UM && b->rlc.um.sn_bits != 6 && b->rlc.um.sn_bits != 12)
		return "rlc.um.sn_bits";
	*ret_range = "12 or 18";
	if (b->rlc.mode == CELL_RLC_AM && b->rlc.am.sn_bits != 12 && b->rlc.am.sn_bits != 18)
		return "rlc.am.sn_bits";
	if (b->pdcp.sn_bits != 12 && b->pdcp.sn_bits != 18)
		return "pdcp.sn_bits";
	return NULL;
}

/* Source: TS 38.323 5.11.1; TS 38.321 Table 6.2.1-1 */
static const char *check_duplication(const struct cell_cfg *cfg, uint8_t id, const char **ret_range)
{
	uint8_t n = channel_count(cfg, id, CELL_DIR_UL), copies = 0;

	for (uint8_t k = 0; k < n; k++) {
		struct cell_bearer_cfg b = channel_cfg(cfg, id, k);

		*ret_range = "0 with several carriers";
		if (b.pdcp.duplication && cfg->nr.phy.dl_carriers > 1)
			return "pdcp.duplication";
		*ret_range = "0 with an RLC mode that has no sequence numbers";
		if (b.pdcp.duplication && b.rlc.mode != CELL_RLC_UM && b.rlc.mode != CELL_RLC_AM)
			return "pdcp.duplication";
		copies = (uint8_t)(copies + b.pdcp.duplication);
	}
	*ret_range = "so many that a UE has at most 8 logical channels";
	return n + copies > CELL_MAX_BEARERS ? "pdcp.duplication" : NULL;
}

/* Tunnels, and what a handover needs. Source: TS 38.300 9.2.3.2 */
static const char *check_core_network(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field;

	*ret_range = "1 without an S-GW";
	if (cfg->n_enb > 1 && !cfg->gtpu.sgw_addr)
		return "n_enb";
	*ret_range = "with an S-GW one for each gNB";
	for (uint8_t k = 0; k < cfg->n_enb; k++)
		if (cfg->gtpu.sgw_addr && !cfg->gtpu.enb_addr[k])
			return "gtpu.enb_addr";
	field = channel_check_crowd(cfg, ret_range);
	if (field)
		return field;
	*ret_range = "standard, conditional or daps";
	if (cfg->handover.procedure != CELL_HO_STANDARD &&
	    cfg->handover.procedure != CELL_HO_CONDITIONAL &&
	    cfg->handover.procedure != CELL_HO_DAPS)
		return "handover.procedure";
	*ret_range = "none without a conditional procedure";
	if (cfg->handover.condition.on && cfg->handover.procedure != CELL_HO_CONDITIONAL)
		return "handover.condition.on";
	*ret_range = "1 with daps";
	if (nr_has_daps(cfg) && !cfg->handover.forwarding)
		return "handover.forwarding";
	*ret_range = "fr1 with daps";
	if (nr_has_daps(cfg) && cfg->nr.phy.frequency_range != NR_FR1)
		return "nr.phy.frequency_range";
	*ret_range = "none with daps, or with one gNB";
	if (cfg->handover.link_failure.on && (nr_has_daps(cfg) || cfg->n_enb == 1))
		return "handover.link_failure.on";
	*ret_range = "none with several gNBs";
	if (cfg->n_enb > 1 && cfg->nr.mac.configured_grant != CELL_CG_NONE)
		return "nr.mac.configured_grant";
	return times_check(&cfg->handover, ret_range);
}

static const char *check_tunnels(const struct cell_cfg *cfg, const struct cell_ue_cfg *u,
                                 const char **ret_range)
{
	*ret_range = "less than the number of gNBs";
	if (u->enb >= cfg->n_enb)
		return "enb";
	*ret_range = "with an S-GW one for each UE";
	if (cfg->gtpu.sgw_addr && !epc_has_address(u))
		return "addr";
	return NULL;
}

static const char *check_ue(const struct cell_cfg *cfg, uint8_t id, const char **ret_range)
{
	const struct cell_ue_cfg *u = &cfg->ue[id - 1];
	const char *field = LIMIT_CHECK(u, ue_limits, ret_range);
	uint8_t n = channel_count(cfg, id, CELL_DIR_UL);

	if (field)
		return field;
	*ret_range = "the network";
	if (u->peer != CELL_PEER_NETWORK)
		return "peer";
	*ret_range = "im";
	if (u->mode != CELL_MODE_IM)
		return "mode";
	*ret_range = "0..15";
	if (u->second_cqi_ul > 15 || u->second_cqi_dl > 15)
		return u->second_cqi_ul > 15 ? "second_cqi_ul" : "second_cqi_dl";
	field = check_tunnels(cfg, u, ret_range);
	if (field)
		return field;
	*ret_range = "8 of a UE, with daps 4";
	if (n > (nr_has_daps(cfg) ? CELL_MAX_BEARERS / 2 : CELL_MAX_BEARERS))
		return "bearer";
	for (uint8_t k = 0; k < n && !field; k++) {
		struct cell_bearer_cfg b = channel_cfg(cfg, id, k);

		*ret_range = "um or am with several gNBs";
		if (cfg->n_enb > 1 && b.rlc.mode == CELL_RLC_TM)
			return "rlc.mode";
		*ret_range = "0 with several gNBs";
		if (cfg->n_enb > 1 && b.pdcp.duplication)
			return "pdcp.duplication";
		field = channel_check_qdiscs(&b, ret_range);
		if (!field)
			field = check_sn_bits(&b, ret_range);
		if (!field && cfg->nr.aqm.mode != CELL_AQM_NONE && channel_has_qdisc(&b)) {
			*ret_range = "none with queue disciplines of bearers";
			field = "nr.aqm.mode";
		}
		if (field || cfg->nr.aqm.mode == CELL_AQM_NONE ||
		    (b.rlc.mode != CELL_RLC_TM && !b.pdcp.duplication))
			continue;
		*ret_range = "none with RLC TM, for which PDCP numbers what comes, or copies";
		field = "nr.aqm.mode";
	}
	return field ? field : check_duplication(cfg, id, ret_range);
}

const char *nr_check(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = check_carrier(cfg, ret_range);
	struct nr_frame frame;

	if (!field)
		field = check_core_network(cfg, ret_range);
	if (!field)
		field = check_pattern(cfg, ret_range);
	if (field)
		return field;
	nr_frame_init(&frame, &cfg->nr);
	field = check_slots(cfg, &frame, ret_range);
	if (!field)
		field = check_drx(cfg, ret_range);
	if (!field)
		field = check_grants(cfg, &frame, ret_range);
	if (!field)
		field = channel_check_harq_bler(cfg, ret_range);
	if (!field)
		field = channel_check_bearers(cfg, ret_range);
	for (uint8_t id = 1; id <= cfg->n_ue && !field; id++)
		field = check_ue(cfg, id, ret_range);
	if (field)
		return field;
	*ret_range = "UEs with duplication or daps counted twice, at most 100";
	return nr_mac_entities(cfg) > CELL_MAX_UE ? "n_ue" : NULL;
}
