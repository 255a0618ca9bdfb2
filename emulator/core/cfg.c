/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfg.c - defaults and limits of a configuration; see cellcore.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cellcore.h"
#include "cfg_values.h"
#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

#define Q32(p) ((uint32_t)((p)*4294967295.0)) /* constants only: no floating point at run time */

void cell_cfg_default(struct cell_cfg *cfg)
{
	*cfg = (struct cell_cfg){
		CFG_DEFAULTS,
		.seed = 1,
		.n_ue = 2,
		.n_enb = 1,
		.n_harq_bler = 5, /* Park 2013, section 3 */
		.harq_bler_q32 = { Q32(0.1), Q32(0.01), Q32(0.005), Q32(0.002), Q32(0.001) },
		.max_cmds = 64,
	};
	for (uint8_t i = 0; i < 2; i++)
		cfg->ue[i] = (struct cell_ue_cfg){
			CFG_UE_DEFAULTS,
			.rnti = (uint16_t)(61 + i),
			.peer = (uint8_t)(2 - i),
		};
}

struct limit {
	const char *field;
	size_t offset;
	size_t size;
	uint32_t min;
	uint32_t max;
	const char *range;
};

#define LIMIT(type, name, lo, hi)                                                                  \
	{                                                                                          \
#name, offsetof(struct type, name), sizeof(((struct type *)0)->name), lo, hi,      \
			#lo ".." #hi                                                               \
	}

_Static_assert(CELL_MAX_UE == 100 && CELL_MAX_UE < CELL_PORT_SGW, "limits and port numbers");

static const struct limit cell_limits[] = {
	CFG_LIMITS,
	LIMIT(cell_cfg, n_ue, 1, 100),
	LIMIT(cell_cfg, n_enb, 1, 4),
	LIMIT(cell_cfg, n_harq_bler, 1, 8),
	LIMIT(cell_cfg, max_cmds, 1, 65536),
};

static const struct limit ue_limits[] = { CFG_UE_LIMITS };

static uint32_t value_at(const void *base, const struct limit *l)
{
	const uint8_t *at = (const uint8_t *)base + l->offset;
	uint32_t u32;
	uint16_t u16;

	if (l->size == 1)
		return *at;
	if (l->size == 2) {
		memcpy(&u16, at, 2);
		return u16;
	}
	memcpy(&u32, at, 4);
	return u32;
}

static int check(const void *base, const struct limit *limits, size_t n, const char **ret_field,
                 const char **ret_range)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t v = value_at(base, &limits[i]);

		if (v < limits[i].min || v > limits[i].max) {
			*ret_field = limits[i].field;
			*ret_range = limits[i].range;
			return -EINVAL;
		}
	}
	return 0;
}

static int fail(const char **ret_field, const char *field, const char **ret_range,
                const char *range)
{
	*ret_field = field;
	*ret_range = range;
	return -EINVAL;
}

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

/* Keys of a UTRAN cell that depend on each other. */
static int check_utran(const struct cell_cfg *cfg, const char **ret_field, const char **ret_range)
{
	uint32_t ul, dl;

	if (cfg->utran_tti_ms != 10 && cfg->utran_tti_ms != 20 && cfg->utran_tti_ms != 40 &&
	    cfg->utran_tti_ms != 80)
		return fail(ret_field, "utran_tti_ms", ret_range, "10, 20, 40 or 80");
	ul = utran_pdus(cfg, cfg->utran_ul_rate_bps);
	dl = utran_pdus(cfg, cfg->utran_dl_rate_bps);
	if (ul < 1 || ul > UTRAN_PDUS_MAX || dl < 1 || dl > UTRAN_PDUS_MAX)
		return fail(ret_field,
		            ul < 1 || ul > UTRAN_PDUS_MAX ? "utran_ul_rate_bps"
		                                          : "utran_dl_rate_bps",
		            ret_range, "1..64 whole PDUs in a TTI");
	if (cfg->n_ue != 1)
		return fail(ret_field, "n_ue", ret_range, "1 on a dedicated channel");
	if (cfg->n_enb != 1 || cfg->sgw_gtpu_addr)
		return fail(ret_field, "n_enb", ret_range, "1 without S-GW, in the UTRAN");
	if (cfg->ue[0].peer != CELL_PEER_NETWORK)
		return fail(ret_field, "peer", ret_range, "the network");
	return 0;
}

int cell_cfg_check(const struct cell_cfg *cfg, const char **ret_field, const char **ret_range)
{
	int r = check(cfg, cell_limits, sizeof(cell_limits) / sizeof(*cell_limits), ret_field,
	              ret_range);
	const char *field, *range;

	if (r < 0)
		return r;
	if (cfg->system == CELL_SYSTEM_UTRAN)
		return check_utran(cfg, ret_field, ret_range);
	if (cfg->system == CELL_SYSTEM_PACKET_TRACE) {
		field = opportunity_check(cfg, &range);
		return field ? fail(ret_field, field, ret_range, range) : 0;
	}
	if (cfg->ul_always_scheduled && cfg->n_ue > cfg->n_rb)
		return fail(ret_field, "ul_always_scheduled", ret_range,
		            "only with a resource block for each UE");
	if (cfg->rar_delay_tti >= cfg->rac_timeout_tti)
		return fail(ret_field, "rar_delay_tti", ret_range, "less than rac_timeout_tti");
	if (cfg->um_sn_bits != 5 && cfg->um_sn_bits != 10)
		return fail(ret_field, "um_sn_bits", ret_range, "5 or 10");
	if (cfg->pdcp_sn_bits != 7 && cfg->pdcp_sn_bits != 12)
		return fail(ret_field, "pdcp_sn_bits", ret_range, "7 or 12");
	for (uint8_t i = 1; i < cfg->n_harq_bler; i++)
		if (cfg->harq_bler_q32[i] > cfg->harq_bler_q32[i - 1])
			return fail(ret_field, "harq_bler", ret_range, "not increasing");
	/* A synchronous retransmission needs its NACK before the grants for its sub-frame. */
	if (cfg->harq_max_attempts > 1 && cfg->decode_tti + cfg->grant_to_tx_tti > 8)
		return fail(ret_field, "decode_tti", ret_range,
		            "with HARQ at most 8 together with grant_to_tx_tti");
	field = cfg->n_enb > 1 ? check_handover(cfg, &range) : NULL;
	if (field)
		return fail(ret_field, field, ret_range, range);
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		const struct cell_ue_cfg *u = &cfg->ue[i];

		r = check(u, ue_limits, sizeof(ue_limits) / sizeof(*ue_limits), ret_field,
		          ret_range);
		if (r < 0)
			return r;
		if (u->peer > cfg->n_ue || u->peer == i + 1)
			return fail(ret_field, "peer", ret_range, "another UE or the network");
		if (u->peer == CELL_PEER_NETWORK && u->mode != CELL_MODE_IM)
			return fail(ret_field, "mode", ret_range, "im to the network");
		field = check_core_network(cfg, u, &range);
		if (field)
			return fail(ret_field, field, ret_range, range);
		/* A direct AM bearer is one in both directions. */
		if (cfg->rlc_mode == CELL_RLC_AM && u->peer != CELL_PEER_NETWORK &&
		    cfg->ue[u->peer - 1].peer != i + 1)
			return fail(ret_field, "peer", ret_range, "with RLC AM each other's peer");
	}
	return 0;
}
