/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_draw_nr.c - configurations of NR; see cell_draw.h. */
#include <string.h>

#include "cell_draw.h"

/* Slots and requests of NR. */
static void read_nr_frame(struct cell_cfg *cfg, struct fuzz_input *in)
{
	static const char *const patterns[] = { "DDDSU", "DDDDDDDSUU", "DDSU", "DSUUU",
		                                "DDDSUUDDDD" };

	cfg->nr.phy.numerology = (uint8_t)FUZZ_PICK(in, 1, 0, 2, 3);
	cfg->nr.phy.frequency_range = cfg->nr.phy.numerology == 3;
	cfg->nr.phy.bandwidth_mhz = cfg->nr.phy.numerology == 3
	                                    ? (uint16_t)FUZZ_PICK(in, 50, 100, 400)
	                                    : (uint16_t)FUZZ_PICK(in, 20, 10, 50);
	cfg->nr.phy.duplex = draw_bit(in);
	(void)strcpy(cfg->nr.phy.tdd_pattern, patterns[fuzz_range(in, 0, 4)]);
	cfg->nr.phy.tdd_special_dl_symbols = (uint8_t)FUZZ_PICK(in, 9, 3, 5);
	cfg->nr.phy.tdd_special_ul_symbols = (uint8_t)FUZZ_PICK(in, 2, 1, 4);
	cfg->nr.mac.k0 = (uint8_t)FUZZ_PICK(in, 0, 0, 1, 5);
	cfg->nr.mac.k1_min = (uint8_t)FUZZ_PICK(in, 4, 3, 8);
	cfg->nr.mac.k2_min = (uint8_t)FUZZ_PICK(in, 4, 1, 2, 32);
	cfg->nr.mac.gnb_processing_us = (uint16_t)FUZZ_PICK(in, 250, 0, 1, 5000);
	cfg->nr.mac.harq_processes = (uint8_t)FUZZ_PICK(in, 16, 2, 8);
	cfg->nr.mac.sr_period_slots = (uint16_t)FUZZ_PICK(in, 8, 0, 4, 80);
	cfg->nr.mac.sr_trans_max = (uint8_t)FUZZ_PICK(in, 64, 4);
	cfg->nr.mac.bsr_periodic_ms = (uint16_t)FUZZ_PICK(in, 1, 0, 10);
	cfg->nr.mac.bsr_retx_ms = (uint16_t)FUZZ_PICK(in, 80, 10);
	cfg->nr.mac.configured_grant = (uint8_t)FUZZ_PICK(in, 0, 1, 2);
	cfg->nr.mac.cg_period_slots = (uint16_t)FUZZ_PICK(in, 10, 1, 5, 40);
	cfg->nr.mac.cg_processes = (uint8_t)FUZZ_PICK(in, 1, 1, 4);
	cfg->nr.mac.cg_rb = (uint16_t)FUZZ_PICK(in, 4, 1, 2);
	cfg->nr.sdap_header = draw_bit(in);
}

static void read_nr_access(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->nr.drx.cycle_ms = (uint16_t)FUZZ_PICK(in, 0, 0, 20, 40);
	cfg->nr.drx.short_cycle_ms = (uint16_t)FUZZ_PICK(in, 0, 5, 10);
	cfg->nr.drx.on_duration_ms = (uint16_t)FUZZ_PICK(in, 1, 2, 5);
	cfg->nr.drx.inactivity_ms = (uint16_t)FUZZ_PICK(in, 10, 0, 1);
	cfg->nr.drx.retx_slots = (uint16_t)FUZZ_PICK(in, 16, 0, 320);
	cfg->nr.ra.procedure = draw_bit(in);
	cfg->nr.ra.prach_period_slots = (uint16_t)FUZZ_PICK(in, 20, 1, 3, 160);
	cfg->nr.ra.n_preambles = (uint8_t)FUZZ_PICK(in, 54, 1, 2);
	cfg->nr.ra.preamble_trans_max = (uint8_t)FUZZ_PICK(in, 10, 3);
	cfg->nr.ra.response_window_slots = (uint8_t)FUZZ_PICK(in, 20, 8, 80);
	cfg->nr.ra.contention_resolution_ms = (uint8_t)FUZZ_PICK(in, 64, 8);
	cfg->nr.link_adaptation.outer_loop = draw_bit(in);
	cfg->scheduler = (uint8_t)fuzz_range(in, 0, CELL_SCHED_COUNT - 1);
}

/* Queue management. Packets here are not ECN-capable: DualPI2 drops them, where that is allowed. */
static void read_nr_aqm(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy)
{
	cfg->nr.aqm.mode = lossy ? (uint8_t)fuzz_range(in, 0, CELL_AQM_DUALPI2) : CELL_AQM_MARK;
	cfg->nr.aqm.uplink = draw_bit(in);
	cfg->nr.aqm.l4s_id = draw_bit(in);
	cfg->nr.aqm.mark_from_us = FUZZ_PICK(in, 1000, 0, 20000);
	cfg->nr.aqm.mark_range_us = FUZZ_PICK(in, 0, 1, 10000);
	cfg->nr.aqm.target_ms = (uint16_t)FUZZ_PICK(in, 15, 1, 500);
	cfg->nr.aqm.coupling = (uint8_t)FUZZ_PICK(in, 2, 1, 10);
}

void draw_nr(struct plan *p, struct fuzz_input *in)
{
	struct cell_cfg *cfg = &p->cfg;
	bool lossy = draw_bit(in);

	p->lossless = !lossy;
	cfg->system = CELL_SYSTEM_NR;
	draw_ues(cfg, fuzz_range(in, 1, 4));
	cfg->rlc.mode = (uint8_t)fuzz_range(in, 0, CELL_RLC_MODE_COUNT - 1u);
	read_nr_frame(cfg, in);
	read_nr_access(cfg, in);
	draw_harq(cfg, in, lossy);
	draw_bearers(cfg, in, lossy);
	cfg->rlc.um.sn_bits = (uint8_t)FUZZ_PICK(in, 12, 6);
	cfg->rlc.am.sn_bits = (uint8_t)FUZZ_PICK(in, 18, 12);
	cfg->pdcp.sn_bits = (uint8_t)FUZZ_PICK(in, 18, 12);
	cfg->pdcp.out_of_order_delivery = draw_bit(in);
	cfg->pdcp.duplication = cfg->rlc.mode != CELL_RLC_TM && draw_bit(in);
	if (cfg->rlc.mode != CELL_RLC_TM && !cfg->pdcp.duplication && draw_bit(in))
		read_nr_aqm(cfg, in, lossy);
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		cfg->ue[i].cqi_ul = (uint8_t)(15 - fuzz_range(in, 0, 14));
		cfg->ue[i].cqi_dl = (uint8_t)(15 - fuzz_range(in, 0, 14));
		cfg->ue[i].cqi_sl = 15;
		cfg->ue[i].bler_ul_q32 = lossy ? draw_error_rate(in) : 0;
		cfg->ue[i].bler_dl_q32 = lossy ? draw_error_rate(in) : 0;
	}
}

void draw_gnbs(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->n_enb = (uint8_t)FUZZ_PICK(in, 2, 3);
	draw_core_network(cfg, in);
	cfg->handover.procedure =
		(uint8_t)FUZZ_PICK(in, CELL_HO_STANDARD, CELL_HO_CONDITIONAL, CELL_HO_DAPS);
	if (cfg->handover.procedure == CELL_HO_DAPS)
		cfg->handover.forwarding = 1;
	cfg->pdcp.duplication = 0;
	cfg->nr.mac.configured_grant = CELL_CG_NONE;
	cfg->handover.rrc_processing_ms = (uint8_t)FUZZ_PICK(in, 10, 0);
	cfg->handover.ssb_period_ms = (uint8_t)FUZZ_PICK(in, 20, 0, 5);
	cfg->handover.a3.on = draw_bit(in);
	cfg->handover.a3.time_to_trigger_ms = (uint16_t)FUZZ_PICK(in, 0, 40);
	cfg->handover.condition.on = cfg->handover.procedure == CELL_HO_CONDITIONAL && draw_bit(in);
	cfg->handover.condition.event =
		(uint8_t)FUZZ_PICK(in, CELL_COND_EVENT_A3, CELL_COND_EVENT_A5);
	cfg->handover.condition.threshold1 = cfg->handover.condition.threshold2 =
		(uint8_t)fuzz_range(in, 0, 127);
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		cfg->ue[i].enb = (uint8_t)fuzz_range(in, 0, cfg->n_enb - 1u);
		cfg->ue[i].addr = DRAW_ADDR(100u + i);
	}
}

void draw_en_dc(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->system = CELL_SYSTEM_EN_DC;
	cfg->n_enb = 2;
	cfg->rlc.mode = CELL_RLC_AM;
	cfg->pdcp.duplication = 0;
	cfg->nr.aqm.mode = CELL_AQM_NONE;
	cfg->nr.sdap_header = 0;
	cfg->lte.n_rb = (uint16_t)FUZZ_PICK(in, 15, 6, 50, 110);
	cfg->en_dc.x2_us = FUZZ_PICK(in, 1000, 0, 1, 20000);
	cfg->en_dc.report_ms = (uint16_t)FUZZ_PICK(in, 5, 1, 40);
	cfg->en_dc.queue_ms = (uint16_t)FUZZ_PICK(in, 20, 1, 200);
	cfg->en_dc.ul_primary_path = draw_bit(in);
	cfg->en_dc.scg.on = draw_bit(in);
	cfg->en_dc.scg.link_failure = draw_bit(in);
	cfg->en_dc.scg.b1_threshold = (uint8_t)fuzz_range(in, 0, 127);
	cfg->en_dc.scg.a2_threshold = (uint8_t)fuzz_range(in, 0, 127);
	cfg->en_dc.scg.time_to_trigger_ms = (uint16_t)FUZZ_PICK(in, 0, 40);
	cfg->en_dc.scg.access_ms = (uint16_t)FUZZ_PICK(in, 1, 20, 62);
	cfg->en_dc.scg.t307_ms = (uint16_t)FUZZ_PICK(in, 50, 1000);
	for (uint8_t i = 0; i < cfg->n_ue; i++)
		cfg->ue[i].second_cqi_dl = (uint8_t)fuzz_range(in, 0, 15);
}
