/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defaults.c - defaults of a configuration, and of its bearers; see cell_cfg.h. */
#include "cell_cfg.h"
#include "cfg_values.h"

#define Q32(p) ((uint32_t)((p)*4294967295.0)) /* constants only: no floating point at run time */

void cell_cfg_default(struct cell_cfg *cfg)
{
	*cfg = (struct cell_cfg){
		CFG_DEFAULTS,
		.seed = 1,
		.n_ue = 2,
		.n_enb = 1,
		.n_harq_bler = 5, /* Park 2013, section 3 */
		.n_crowd_cqi = 3,
		.crowd_cqi = { 7, 9, 11 },
		.harq_bler_q32 = { Q32(0.1), Q32(0.01), Q32(0.005), Q32(0.002), Q32(0.001) },
		.recorded = { CFG_RECORDED_DEFAULTS },
		.max_cmds = 64,
	};
	for (uint8_t i = 0; i < 2; i++)
		cfg->ue[i] = (struct cell_ue_cfg){
			CFG_UE_DEFAULTS,
			.rnti = (uint16_t)(61 + i),
			.peer = (uint8_t)(2 - i),
		};
}

struct cell_bearer_cfg cell_cfg_bearer(const struct cell_cfg *cfg)
{
	static const struct cell_bearer_cfg declared = { CFG_BEARER_DEFAULTS };

	return (struct cell_bearer_cfg){
		.priority = CELL_PRIORITY_LAST,
		.bucket_ms = declared.bucket_ms,
		.rlc_mode = cfg->rlc_mode,
		.delivery = cfg->delivery,
		.t_reordering_ms = cfg->t_reordering_ms,
		.rlc_queue_pkts = cfg->rlc_queue_pkts,
		.rlc_queue_bytes = cfg->rlc_queue_bytes,
		.um_sn_bits = cfg->um_sn_bits,
		.am_sn_bits = cfg->am_sn_bits,
		.am_on_max_retx = cfg->am_on_max_retx,
		.am_max_retx_threshold = cfg->am_max_retx_threshold,
		.am_poll_pdu = cfg->am_poll_pdu,
		.am_poll_byte = cfg->am_poll_byte,
		.am_t_poll_retransmit_ms = cfg->am_t_poll_retransmit_ms,
		.am_t_status_prohibit_ms = cfg->am_t_status_prohibit_ms,
		.am_reestablish_ms = cfg->am_reestablish_ms,
		.pdcp_sn_bits = cfg->pdcp_sn_bits,
		.discard_timer_ms = cfg->discard_timer_ms,
		.pdcp_reordering = cfg->pdcp_reordering,
		.pdcp_t_reordering_ms = cfg->pdcp_t_reordering_ms,
		.pdcp_t_reordering_infinite = cfg->pdcp_t_reordering_infinite,
		.pdcp_out_of_order_delivery = cfg->pdcp_out_of_order_delivery,
		.pdcp_duplication = cfg->pdcp_duplication,
		.pdcp_status_report = cfg->pdcp_status_report,
	};
}
