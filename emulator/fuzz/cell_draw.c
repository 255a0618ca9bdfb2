/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_draw.c - parts of a cell's configuration that all radio systems have; see cell_draw.h. */
#include "cell_draw.h"

#define Q32_HALF 0x80000000u

uint8_t draw_bit(struct fuzz_input *in)
{
	return (uint8_t)fuzz_range(in, 0, 1);
}

uint32_t draw_error_rate(struct fuzz_input *in)
{
	return FUZZ_PICK(in, 0, 0, Q32_HALF / 5, Q32_HALF, UINT32_MAX);
}

/* UEs that talk to the network, and few packets. */
void draw_ues(struct cell_cfg *cfg, uint32_t n)
{
	cfg->n_ue = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++)
		cfg->ue[i] = (struct cell_ue_cfg){ .rnti = (uint16_t)(61 + i) };
	cfg->max_pkts = 64;
}

void draw_harq(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy)
{
	cfg->harq.max_attempts = (uint8_t)fuzz_range(in, 1, 5);
	cfg->harq.dl_rtt_tti = (uint8_t)FUZZ_PICK(in, 8, 9, 32);
	cfg->harq.n_bler = 2;
	cfg->harq.bler_q32[0] = lossy ? draw_error_rate(in) : 0;
	cfg->harq.bler_q32[1] = cfg->harq.bler_q32[0] / 4;
	if (!lossy)
		return;
	cfg->harq.errors = draw_bit(in);
	cfg->harq.nack_to_ack_q32 = draw_error_rate(in);
	cfg->lte.control.errors = draw_bit(in);
	cfg->lte.control.dtx = draw_bit(in);
}

void draw_bearers(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy)
{
	cfg->rlc.delivery = draw_bit(in);
	cfg->rlc.t_reordering_ms = (uint16_t)FUZZ_PICK(in, 35, 0, 1, 200);
	cfg->rlc.t_reassembly_ms = cfg->rlc.t_reordering_ms;
	cfg->rlc.queue_pkts = FUZZ_PICK(in, 100, 1, 5);
	cfg->rlc.queue_bytes = FUZZ_PICK(in, 0, 1500, 20000);
	cfg->rlc.um.sn_bits = (uint8_t)FUZZ_PICK(in, 10, 5);
	cfg->rlc.am.on_max_retx = draw_bit(in);
	cfg->rlc.am.max_retx_threshold = (uint8_t)FUZZ_PICK(in, 8, 1, 2, 32);
	cfg->rlc.am.poll_pdu = (uint16_t)FUZZ_PICK(in, 16, 1, 1024);
	cfg->rlc.am.poll_byte = FUZZ_PICK(in, 25000, 100);
	cfg->rlc.am.t_poll_retransmit_ms = (uint16_t)FUZZ_PICK(in, 45, 5);
	cfg->rlc.am.t_status_prohibit_ms = (uint16_t)FUZZ_PICK(in, 10, 0, 60);
	cfg->rlc.am.reestablish_ms = (uint16_t)FUZZ_PICK(in, 100, 0, 5);
	cfg->pdcp.sn_bits = (uint8_t)FUZZ_PICK(in, 12, 7);
	cfg->pdcp.discard_timer_ms = (uint16_t)FUZZ_PICK(in, 0, 1, 30);
	cfg->pdcp.reordering = draw_bit(in);
	cfg->pdcp.status_report = draw_bit(in);
	cfg->pdcp.t_reordering_ms = (uint16_t)FUZZ_PICK(in, 50, 0);
	cfg->lte.mode_switch.flush = lossy ? (uint8_t)fuzz_range(in, 0, 2) : CELL_FLUSH_KEEP;
	cfg->lte.mode_switch.flush_air = lossy ? draw_bit(in) : 0;
	cfg->lte.mode_switch.select_ms = (uint16_t)FUZZ_PICK(in, 0, 10, 100);
	cfg->max_pkts = FUZZ_PICK(in, 300, 16, 40);
}

void draw_core_network(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->gtpu.sgw_addr = DRAW_ADDR(1);
	for (uint8_t k = 0; k < cfg->n_enb; k++)
		cfg->gtpu.enb_addr[k] = DRAW_ADDR(2u + k);
	cfg->gtpu.ecn = draw_bit(in);
	cfg->handover.procedure = (uint8_t)fuzz_range(in, 0, 2);
	cfg->handover.forwarding = draw_bit(in);
	cfg->handover.reordering = draw_bit(in);
	cfg->handover.detach_ms = (uint16_t)FUZZ_PICK(in, 30, 0, 1, 100);
	cfg->handover.prediction_timeout_ms = (uint16_t)FUZZ_PICK(in, 1000, 60, 200);
	cfg->handover.end_marker_ms = (uint16_t)FUZZ_PICK(in, 200, 1, 20);
	cfg->handover.end_markers = (uint8_t)FUZZ_PICK(in, 1, 2, 5, 16);
	cfg->handover.end_marker_gap_ms = (uint16_t)FUZZ_PICK(in, 20, 1, 100);
	cfg->handover.signalling_us = FUZZ_PICK(in, 4000, 0, 1, 20000);
}
