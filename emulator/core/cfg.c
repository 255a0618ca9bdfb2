/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfg.c - defaults and limits of a configuration; see cellcore.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cellcore.h"
#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

#define Q32(p) ((uint32_t)((p)*4294967295.0)) /* constants only: no floating point at run time */

void cell_cfg_default(struct cell_cfg *cfg)
{
	*cfg = (struct cell_cfg){
		.seed = 1,
		.n_rb = 50,
		.n_ue = 2,
		.n_enb = 1,
		.ho_procedure = CELL_HO_STANDARD,
		.ho_forwarding = 1,
		.ho_reordering = 1,      /* Pacifico, Table I */
		.ho_detach_ms = 30,      /* likewise */
		.ho_prediction_ms = 130, /* Table II */
		.ho_prediction_timeout_ms = 1000,
		.ho_end_marker_ms = 200,  /* more than two full queues of Table II hold */
		.ho_signalling_us = 4000, /* two links of 2 ms */
		.rar_delay_tti = 3,
		.grant_to_tx_tti = 2,
		.decode_tti = 4,
		.dl_sched_to_tx_tti = 1,
		.processing_lead_ns = 250000,
		.rac_timeout_tti = 10,
		.backoff_max_ms = 20,  /* TS 36.321 Table 7.2-1 index 2 */
		.n_preambles = 52,     /* numberOfRA-Preambles n52, TS 36.331 */
		.prach_period_tti = 1, /* PRACH configuration index 14 */
		.bsr_grant_rb = 1,
		.bandwidth_stealing = 1,
		.trailing_bsr = 1,
		.enb_overhears_dm = 0,
		.scheduler = CELL_SCHED_RR,
		.ul_always_scheduled = 0,
		.dl_carriers = 1,
		.dl_codewords = 1,
		.harq_max_attempts = 1,
		.harq_dl_rtt_tti = 8,
		.n_harq_bler = 5, /* Park 2013, section 3 */
		.harq_bler_q32 = { Q32(0.1), Q32(0.01), Q32(0.005), Q32(0.002), Q32(0.001) },
		.rlc_mode = CELL_RLC_UM,
		.delivery = CELL_DELIVERY_IN_SEQUENCE,
		.t_reordering_ms = 35,
		.rlc_queue_pkts = 4096,
		.um_sn_bits = 10,
		.am_on_max_retx = CELL_MAX_RETX_REESTABLISH,
		.am_max_retx_threshold = 8,
		.am_poll_pdu = 16,
		.am_poll_byte = 25000,
		.am_t_poll_retransmit_ms = 45,
		.am_t_status_prohibit_ms = 10,
		.am_reestablish_ms = 100,
		.pdcp_sn_bits = 12,
		.discard_timer_ms = 0,
		.pdcp_t_reordering_ms = 50,
		.utran_tti_ms = 10,
		.utran_pdu_bytes = 40,
		.utran_dl_rate_bps = 384000,
		.utran_ul_rate_bps = 32000,
		.utran_max_dat = 6,
		.utran_tx_window_pdus = 1024, /* this and three more as in EURANE */
		.utran_poll_pdu = 256,
		.utran_poll_window_percent = 99, /* TS 25.331 */
		.utran_timer_poll_ms = 85,
		.utran_timer_mrw_ms = 100,
		.utran_timer_status_prohibit_ms = 40,
		.utran_queue_pkts = 4096,
		.opportunity_queue_pkts = 1000,
		.opportunity_bytes = 1500,
		.max_pkts = 8192,
		.max_cmds = 64,
	};
	for (uint8_t i = 0; i < 2; i++)
		cfg->ue[i] = (struct cell_ue_cfg){
			.rnti = (uint16_t)(61 + i),
			.peer = (uint8_t)(2 - i),
			.mode = CELL_MODE_DM,
			.cqi_ul = 15,
			.cqi_dl = 15,
			.cqi_sl = 15,
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
	LIMIT(cell_cfg, n_rb, 6, 110),
	LIMIT(cell_cfg, n_ue, 1, 100),
	LIMIT(cell_cfg, n_enb, 1, 4),
	LIMIT(cell_cfg, gtpu_ecn, 0, 1),
	LIMIT(cell_cfg, ho_procedure, 0, 2),
	LIMIT(cell_cfg, ho_forwarding, 0, 1),
	LIMIT(cell_cfg, ho_reordering, 0, 1),
	LIMIT(cell_cfg, ho_detach_ms, 0, 10000),
	LIMIT(cell_cfg, ho_prediction_ms, 0, 10000),
	LIMIT(cell_cfg, ho_prediction_timeout_ms, 1, 60000),
	LIMIT(cell_cfg, ho_end_marker_ms, 1, 60000),
	LIMIT(cell_cfg, ho_signalling_us, 0, 1000000),
	LIMIT(cell_cfg, rar_delay_tti, 1, 12),
	LIMIT(cell_cfg, grant_to_tx_tti, 1, 8),
	LIMIT(cell_cfg, decode_tti, 1, 8),
	LIMIT(cell_cfg, dl_sched_to_tx_tti, 1, 8),
	LIMIT(cell_cfg, processing_lead_ns, 0, 999999),
	LIMIT(cell_cfg, rac_timeout_tti, 2, 1000),
	LIMIT(cell_cfg, backoff_max_ms, 0, 960),
	LIMIT(cell_cfg, n_preambles, 1, 64),
	LIMIT(cell_cfg, prach_period_tti, 1, 20),
	LIMIT(cell_cfg, bsr_grant_rb, 1, 6),
	LIMIT(cell_cfg, bandwidth_stealing, 0, 1),
	LIMIT(cell_cfg, trailing_bsr, 0, 1),
	LIMIT(cell_cfg, enb_overhears_dm, 0, 1),
	LIMIT(cell_cfg, scheduler, 0, 1),
	LIMIT(cell_cfg, ul_always_scheduled, 0, 1),
	LIMIT(cell_cfg, dl_carriers, 1, 5),
	LIMIT(cell_cfg, dl_codewords, 1, 2),
	LIMIT(cell_cfg, harq_max_attempts, 1, 8),
	LIMIT(cell_cfg, harq_errors, 0, 1),
	LIMIT(cell_cfg, harq_dl_rtt_tti, 8, 32),
	LIMIT(cell_cfg, n_harq_bler, 1, 8),
	LIMIT(cell_cfg, control_errors, 0, 1),
	LIMIT(cell_cfg, control_dtx, 0, 1),
	LIMIT(cell_cfg, grants_ignore_headers, 0, 1),
	LIMIT(cell_cfg, rlc_queue_bytes, 0, 100000000),
	LIMIT(cell_cfg, rlc_mode, 0, 1),
	LIMIT(cell_cfg, delivery, 0, 1),
	LIMIT(cell_cfg, am_on_max_retx, 0, 1),
	LIMIT(cell_cfg, am_max_retx_threshold, 1, 32),
	LIMIT(cell_cfg, am_poll_pdu, 1, 1024),
	LIMIT(cell_cfg, am_poll_byte, 1, 10000000),
	LIMIT(cell_cfg, am_t_poll_retransmit_ms, 5, 500),
	LIMIT(cell_cfg, am_t_status_prohibit_ms, 0, 500),
	LIMIT(cell_cfg, am_reestablish_ms, 0, 10000),
	LIMIT(cell_cfg, mode_select_ms, 0, 60000),
	LIMIT(cell_cfg, mode_flush, 0, 2),
	LIMIT(cell_cfg, mode_flush_air, 0, 1),
	LIMIT(cell_cfg, pdcp_reordering, 0, 1),
	LIMIT(cell_cfg, pdcp_t_reordering_ms, 0, 3000),
	LIMIT(cell_cfg, t_reordering_ms, 0, 200),
	LIMIT(cell_cfg, rlc_queue_pkts, 1, 65536),
	LIMIT(cell_cfg, discard_timer_ms, 0, 1500),
	LIMIT(cell_cfg, max_pkts, 16, 65536),
	LIMIT(cell_cfg, max_cmds, 1, 65536),
	LIMIT(cell_cfg, system, 0, 2),
	LIMIT(cell_cfg, utran_pdu_bytes, 8, 126),
	LIMIT(cell_cfg, utran_delay_ms, 0, 200),
	LIMIT(cell_cfg, utran_max_dat, 1, 40),
	LIMIT(cell_cfg, utran_tx_window_pdus, 1, 2047),
	LIMIT(cell_cfg, utran_poll_pdu, 0, 4095),
	LIMIT(cell_cfg, utran_poll_window_percent, 1, 100),
	LIMIT(cell_cfg, utran_timer_poll_ms, 10, 1000),
	LIMIT(cell_cfg, utran_timer_mrw_ms, 10, 1000),
	LIMIT(cell_cfg, utran_timer_status_prohibit_ms, 0, 1000),
	LIMIT(cell_cfg, utran_queue_pkts, 1, 65536),
	LIMIT(cell_cfg, opportunity_delay_ms, 0, 10000),
	LIMIT(cell_cfg, opportunity_queue_pkts, 1, 65536),
	LIMIT(cell_cfg, opportunity_queue_bytes, 0, 100000000),
	LIMIT(cell_cfg, opportunity_bytes, 100, 9000),
	LIMIT(cell_cfg, train_gap_ul_ms, 0, 60000),
	LIMIT(cell_cfg, train_gap_dl_ms, 0, 60000),
};

static const struct limit ue_limits[] = {
	LIMIT(cell_ue_cfg, rnti, 1, 65523), LIMIT(cell_ue_cfg, mode, 0, 1),
	LIMIT(cell_ue_cfg, cqi_ul, 1, 15),  LIMIT(cell_ue_cfg, cqi_dl, 1, 15),
	LIMIT(cell_ue_cfg, cqi_sl, 1, 15),
};

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
