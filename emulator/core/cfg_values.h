/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/* Made by `make reference` of the models of scenarios. */

#ifndef CFG_VALUES_H
#define CFG_VALUES_H

#define CFG_DEFAULTS \
	.system = 0, \
	.lte.n_rb = 50, \
	.lte.dl_carriers = 1, \
	.lte.dl_codewords = 1, \
	.scheduler = 0, \
	.pf_average_tti = 1000, \
	.max_pkts = 8192, \
	.lte.timing.rar_delay_tti = 3, \
	.lte.timing.rar_to_msg3_tti = 2, \
	.lte.timing.grant_to_tx_tti = 2, \
	.lte.timing.decode_tti = 4, \
	.lte.timing.dl_sched_to_tx_tti = 1, \
	.lte.timing.processing_lead_ns = 250000, \
	.lte.ra.rac_timeout_tti = 10, \
	.lte.ra.backoff_max_ms = 20, \
	.lte.ra.n_preambles = 52, \
	.lte.ra.prach_period_tti = 1, \
	.lte.mac.bsr_grant_rb = 1, \
	.lte.mac.bandwidth_stealing = 1, \
	.lte.mac.trailing_bsr = 1, \
	.lte.mac.enb_overhears_dm = 0, \
	.lte.mac.grants_ignore_headers = 0, \
	.lte.mac.ul_always_scheduled = 0, \
	.harq.max_attempts = 1, \
	.harq.errors = 0, \
	.harq.dl_rtt_tti = 8, \
	.harq.nack_to_ack_q32 = 0, \
	.lte.control.errors = 0, \
	.lte.control.dtx = 0, \
	.rlc.mode = 0, \
	.rlc.delivery = 0, \
	.rlc.queue_pkts = 4096, \
	.rlc.queue_bytes = 0, \
	.rlc.t_reordering_ms = 35, \
	.rlc.um.sn_bits = 10, \
	.rlc.am.poll_pdu = 16, \
	.rlc.am.poll_byte = 25000, \
	.rlc.am.t_poll_retransmit_ms = 45, \
	.rlc.am.t_status_prohibit_ms = 10, \
	.rlc.am.max_retx_threshold = 8, \
	.rlc.am.on_max_retx = 0, \
	.rlc.am.reestablish_ms = 100, \
	.pdcp.sn_bits = 12, \
	.pdcp.discard_timer_ms = 0, \
	.pdcp.reordering = 0, \
	.pdcp.t_reordering_ms = 50, \
	.pdcp.status_report = 1, \
	.lte.mode_switch.select_ms = 0, \
	.lte.mode_switch.flush = 0, \
	.lte.mode_switch.flush_air = 0, \
	.handover.procedure = 0, \
	.handover.prediction_ms = 130, \
	.handover.prediction_timeout_ms = 1000, \
	.handover.detach_ms = 30, \
	.handover.signalling_us = 4000, \
	.handover.end_marker_ms = 200, \
	.handover.end_markers = 1, \
	.handover.end_marker_gap_ms = 20, \
	.handover.forwarding = 1, \
	.handover.reordering = 1, \
	.handover.a3.offset_cdb = 300, \
	.handover.a3.hysteresis_cdb = 100, \
	.handover.a3.time_to_trigger_ms = 256, \
	.handover.a3.filter_coefficient = 4, \
	.handover.condition.event = 0, \
	.handover.condition.offset_cdb = 300, \
	.handover.condition.threshold1 = 46, \
	.handover.condition.threshold2 = 50, \
	.handover.condition.hysteresis_cdb = 0, \
	.handover.condition.time_to_trigger_ms = 0, \
	.gtpu.ecn = 0, \
	.lte.crowd.direction = 0, \
	.lte.crowd.arrival = 0, \
	.lte.crowd.offered_rate_bps = 100000, \
	.lte.crowd.burst_bytes = 50000, \
	.lte.crowd.burst_size = 1, \
	.lte.crowd.weight = 1, \
	.lte.crowd.cqi_period_ms = 0, \
	.utran.dl_rate_bps = 384000, \
	.utran.ul_rate_bps = 32000, \
	.utran.tti_ms = 10, \
	.utran.pdu_bytes = 40, \
	.utran.delay_ms = 0, \
	.utran.bler_dl_q32 = 0, \
	.utran.bler_ul_q32 = 0, \
	.utran.max_dat = 6, \
	.utran.tx_window_pdus = 1024, \
	.utran.poll_pdu = 256, \
	.utran.poll_window_percent = 99, \
	.utran.timer_poll_ms = 85, \
	.utran.timer_mrw_ms = 100, \
	.utran.timer_status_prohibit_ms = 40, \
	.utran.status = 1, \
	.utran.queue_pkts = 4096, \
	.constant.dl_rate_bps = 20000000, \
	.constant.ul_rate_bps = 10000000, \
	.constant.delay_ms = 10, \
	.constant.loss_dl_q32 = 0, \
	.constant.loss_ul_q32 = 0, \
	.constant.queue_pkts = 1000, \
	.nr.phy.numerology = 1, \
	.nr.phy.duplex = 1, \
	.nr.phy.frequency_range = 0, \
	.nr.phy.bandwidth_mhz = 100, \
	.nr.phy.tdd_pattern = "DDDSU", \
	.nr.phy.tdd_special_dl_symbols = 10, \
	.nr.phy.tdd_special_ul_symbols = 2, \
	.nr.phy.mcs_table_dl = 1, \
	.nr.phy.mcs_table_ul = 0, \
	.nr.phy.layers_dl = 4, \
	.nr.phy.layers_ul = 1, \
	.nr.phy.pdcch_symbols = 2, \
	.nr.phy.dmrs_symbols = 1, \
	.nr.phy.overhead_re = 0, \
	.nr.mac.k0 = 0, \
	.nr.mac.k1_min = 4, \
	.nr.mac.k2_min = 4, \
	.nr.mac.processing_capability = 1, \
	.nr.mac.gnb_processing_us = 250, \
	.nr.mac.harq_processes = 16, \
	.nr.mac.sr_period_slots = 10, \
	.nr.mac.sr_prohibit_timer_ms = 0, \
	.nr.mac.sr_trans_max = 64, \
	.nr.mac.bsr_periodic_ms = 1, \
	.nr.mac.bsr_retx_ms = 80, \
	.nr.mac.configured_grant = 0, \
	.nr.mac.cg_period_slots = 10, \
	.nr.mac.cg_rb = 4, \
	.nr.mac.cg_mcs = 10, \
	.nr.mac.cg_processes = 4, \
	.nr.drx.cycle_ms = 0, \
	.nr.drx.short_cycle_ms = 0, \
	.nr.drx.short_cycle_timer = 4, \
	.nr.drx.on_duration_ms = 10, \
	.nr.drx.inactivity_ms = 10, \
	.nr.drx.start_offset_ms = 0, \
	.nr.drx.harq_rtt_slots = 4, \
	.nr.drx.retx_slots = 16, \
	.nr.ra.procedure = 0, \
	.nr.ra.prach_period_slots = 20, \
	.nr.ra.n_preambles = 54, \
	.nr.ra.preamble_trans_max = 10, \
	.nr.ra.rar_delay_slots = 4, \
	.nr.ra.response_window_slots = 20, \
	.nr.ra.backoff_max_ms = 20, \
	.nr.ra.contention_resolution_ms = 64, \
	.nr.ra.rb = 4, \
	.nr.link_adaptation.outer_loop = 0, \
	.nr.link_adaptation.target_bler_q32 = 429496729, \
	.nr.link_adaptation.outer_loop_step_cdb = 50, \
	.nr.sdap_header = 0, \
	.nr.aqm.mode = 0, \
	.nr.aqm.uplink = 0, \
	.nr.aqm.l4s_id = 0, \
	.nr.aqm.mark_from_us = 1000, \
	.nr.aqm.mark_range_us = 0, \
	.nr.aqm.target_ms = 15, \
	.nr.aqm.tupdate_ms = 16, \
	.nr.aqm.rtt_max_ms = 100, \
	.nr.aqm.coupling = 2, \
	.nr.aqm.shift_ms = 30

#define CFG_LIMITS \
	LIMIT(cell_cfg, system, 0, 4), \
	LIMIT(cell_cfg, lte.n_rb, 6, 110), \
	LIMIT(cell_cfg, lte.dl_carriers, 1, 5), \
	LIMIT(cell_cfg, lte.dl_codewords, 1, 2), \
	LIMIT(cell_cfg, scheduler, 0, 4), \
	LIMIT(cell_cfg, pf_average_tti, 1, 100000), \
	LIMIT(cell_cfg, max_pkts, 16, 65536), \
	LIMIT(cell_cfg, lte.timing.rar_delay_tti, 1, 12), \
	LIMIT(cell_cfg, lte.timing.rar_to_msg3_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.grant_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.decode_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.dl_sched_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.processing_lead_ns, 0, 999999), \
	LIMIT(cell_cfg, lte.ra.rac_timeout_tti, 2, 1000), \
	LIMIT(cell_cfg, lte.ra.backoff_max_ms, 0, 960), \
	LIMIT(cell_cfg, lte.ra.n_preambles, 1, 64), \
	LIMIT(cell_cfg, lte.ra.prach_period_tti, 1, 20), \
	LIMIT(cell_cfg, lte.mac.bsr_grant_rb, 1, 6), \
	LIMIT(cell_cfg, lte.mac.bandwidth_stealing, 0, 1), \
	LIMIT(cell_cfg, lte.mac.trailing_bsr, 0, 1), \
	LIMIT(cell_cfg, lte.mac.enb_overhears_dm, 0, 1), \
	LIMIT(cell_cfg, lte.mac.grants_ignore_headers, 0, 1), \
	LIMIT(cell_cfg, lte.mac.ul_always_scheduled, 0, 1), \
	LIMIT(cell_cfg, harq.max_attempts, 1, 8), \
	LIMIT(cell_cfg, harq.errors, 0, 1), \
	LIMIT(cell_cfg, harq.dl_rtt_tti, 8, 32), \
	LIMIT(cell_cfg, lte.control.errors, 0, 1), \
	LIMIT(cell_cfg, lte.control.dtx, 0, 1), \
	LIMIT(cell_cfg, rlc.mode, 0, 2), \
	LIMIT(cell_cfg, rlc.delivery, 0, 1), \
	LIMIT(cell_cfg, rlc.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, rlc.queue_bytes, 0, 100000000), \
	LIMIT(cell_cfg, rlc.t_reordering_ms, 0, 200), \
	LIMIT(cell_cfg, rlc.t_reassembly_ms, 0, 200), \
	LIMIT(cell_cfg, rlc.am.poll_pdu, 1, 1024), \
	LIMIT(cell_cfg, rlc.am.poll_byte, 1, 10000000), \
	LIMIT(cell_cfg, rlc.am.t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_cfg, rlc.am.t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_cfg, rlc.am.max_retx_threshold, 1, 32), \
	LIMIT(cell_cfg, rlc.am.on_max_retx, 0, 1), \
	LIMIT(cell_cfg, rlc.am.reestablish_ms, 0, 10000), \
	LIMIT(cell_cfg, pdcp.discard_timer_ms, 0, 1500), \
	LIMIT(cell_cfg, pdcp.reordering, 0, 1), \
	LIMIT(cell_cfg, pdcp.t_reordering_ms, 0, 3000), \
	LIMIT(cell_cfg, pdcp.t_reordering_infinite, 0, 1), \
	LIMIT(cell_cfg, pdcp.out_of_order_delivery, 0, 1), \
	LIMIT(cell_cfg, pdcp.duplication, 0, 1), \
	LIMIT(cell_cfg, pdcp.status_report, 0, 1), \
	LIMIT(cell_cfg, lte.mode_switch.select_ms, 0, 60000), \
	LIMIT(cell_cfg, lte.mode_switch.flush, 0, 2), \
	LIMIT(cell_cfg, lte.mode_switch.flush_air, 0, 1), \
	LIMIT(cell_cfg, handover.procedure, 0, 4), \
	LIMIT(cell_cfg, handover.prediction_ms, 1, 10000), \
	LIMIT(cell_cfg, handover.prediction_timeout_ms, 1, 60000), \
	LIMIT(cell_cfg, handover.detach_ms, 0, 10000), \
	LIMIT(cell_cfg, handover.signalling_us, 0, 1000000), \
	LIMIT(cell_cfg, handover.end_marker_ms, 1, 60000), \
	LIMIT(cell_cfg, handover.end_markers, 1, 16), \
	LIMIT(cell_cfg, handover.end_marker_gap_ms, 1, 1000), \
	LIMIT(cell_cfg, handover.forwarding, 0, 1), \
	LIMIT(cell_cfg, handover.reordering, 0, 1), \
	LIMIT(cell_cfg, handover.rrc_processing_ms, 0, 100), \
	LIMIT(cell_cfg, handover.execution_ms, 0, 100), \
	LIMIT(cell_cfg, handover.search_ms, 0, 1000), \
	LIMIT(cell_cfg, handover.processing_ms, 0, 100), \
	LIMIT(cell_cfg, handover.margin_ms, 0, 100), \
	LIMIT(cell_cfg, handover.a3.offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.a3.hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.condition.event, 0, 1), \
	LIMIT(cell_cfg, handover.condition.offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.condition.threshold1, 0, 127), \
	LIMIT(cell_cfg, handover.condition.threshold2, 0, 127), \
	LIMIT(cell_cfg, handover.condition.hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, gtpu.ecn, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.count, 0, 1000), \
	LIMIT(cell_cfg, lte.crowd.direction, 0, 2), \
	LIMIT(cell_cfg, lte.crowd.arrival, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.offered_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, lte.crowd.burst_bytes, 40, 100000000), \
	LIMIT(cell_cfg, lte.crowd.burst_size, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.weight, 1, 255), \
	LIMIT(cell_cfg, lte.crowd.cqi_period_ms, 0, 3600000), \
	LIMIT(cell_cfg, utran.dl_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran.ul_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran.pdu_bytes, 8, 126), \
	LIMIT(cell_cfg, utran.delay_ms, 0, 200), \
	LIMIT(cell_cfg, utran.max_dat, 1, 40), \
	LIMIT(cell_cfg, utran.tx_window_pdus, 1, 2047), \
	LIMIT(cell_cfg, utran.poll_pdu, 0, 4095), \
	LIMIT(cell_cfg, utran.poll_window_percent, 1, 100), \
	LIMIT(cell_cfg, utran.timer_poll_ms, 10, 1000), \
	LIMIT(cell_cfg, utran.timer_mrw_ms, 10, 1000), \
	LIMIT(cell_cfg, utran.timer_status_prohibit_ms, 0, 1000), \
	LIMIT(cell_cfg, utran.status, 0, 2), \
	LIMIT(cell_cfg, utran.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, constant.dl_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant.ul_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant.delay_ms, 0, 10000), \
	LIMIT(cell_cfg, constant.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, nr.phy.numerology, 0, 3), \
	LIMIT(cell_cfg, nr.phy.duplex, 0, 1), \
	LIMIT(cell_cfg, nr.phy.frequency_range, 0, 1), \
	LIMIT(cell_cfg, nr.phy.tdd_special_dl_symbols, 0, 13), \
	LIMIT(cell_cfg, nr.phy.tdd_special_ul_symbols, 0, 13), \
	LIMIT(cell_cfg, nr.phy.mcs_table_dl, 0, 2), \
	LIMIT(cell_cfg, nr.phy.mcs_table_ul, 0, 2), \
	LIMIT(cell_cfg, nr.phy.layers_dl, 1, 4), \
	LIMIT(cell_cfg, nr.phy.layers_ul, 1, 4), \
	LIMIT(cell_cfg, nr.phy.pdcch_symbols, 1, 3), \
	LIMIT(cell_cfg, nr.phy.dmrs_symbols, 1, 4), \
	LIMIT(cell_cfg, nr.mac.k0, 0, 32), \
	LIMIT(cell_cfg, nr.mac.k1_min, 0, 15), \
	LIMIT(cell_cfg, nr.mac.k2_min, 1, 32), \
	LIMIT(cell_cfg, nr.mac.gnb_processing_us, 0, 5000), \
	LIMIT(cell_cfg, nr.mac.harq_processes, 1, 16), \
	LIMIT(cell_cfg, nr.mac.configured_grant, 0, 2), \
	LIMIT(cell_cfg, nr.mac.cg_period_slots, 1, 640), \
	LIMIT(cell_cfg, nr.mac.cg_rb, 1, 275), \
	LIMIT(cell_cfg, nr.mac.cg_mcs, 0, 28), \
	LIMIT(cell_cfg, nr.mac.cg_processes, 1, 16), \
	LIMIT(cell_cfg, nr.drx.short_cycle_timer, 1, 16), \
	LIMIT(cell_cfg, nr.drx.on_duration_ms, 1, 1600), \
	LIMIT(cell_cfg, nr.drx.inactivity_ms, 0, 2560), \
	LIMIT(cell_cfg, nr.drx.start_offset_ms, 0, 10239), \
	LIMIT(cell_cfg, nr.drx.harq_rtt_slots, 0, 4), \
	LIMIT(cell_cfg, nr.drx.retx_slots, 0, 320), \
	LIMIT(cell_cfg, nr.ra.procedure, 0, 1), \
	LIMIT(cell_cfg, nr.ra.prach_period_slots, 1, 1280), \
	LIMIT(cell_cfg, nr.ra.n_preambles, 1, 64), \
	LIMIT(cell_cfg, nr.ra.rar_delay_slots, 1, 40), \
	LIMIT(cell_cfg, nr.ra.backoff_max_ms, 0, 1920), \
	LIMIT(cell_cfg, nr.ra.rb, 1, 32), \
	LIMIT(cell_cfg, nr.link_adaptation.outer_loop, 0, 1), \
	LIMIT(cell_cfg, nr.link_adaptation.outer_loop_step_cdb, 1, 500), \
	LIMIT(cell_cfg, nr.sdap_header, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.mode, 0, 2), \
	LIMIT(cell_cfg, nr.aqm.uplink, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.l4s_id, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.mark_from_us, 0, 1000000), \
	LIMIT(cell_cfg, nr.aqm.mark_range_us, 0, 1000000), \
	LIMIT(cell_cfg, nr.aqm.target_ms, 1, 500), \
	LIMIT(cell_cfg, nr.aqm.tupdate_ms, 1, 100), \
	LIMIT(cell_cfg, nr.aqm.rtt_max_ms, 10, 1000), \
	LIMIT(cell_cfg, nr.aqm.coupling, 1, 10), \
	LIMIT(cell_cfg, nr.aqm.shift_ms, 0, 1000)

#define CFG_DRAWN \
	LIMIT(cell_cfg, system, 0, 4), \
	LIMIT(cell_cfg, lte.n_rb, 6, 110), \
	LIMIT(cell_cfg, lte.dl_carriers, 1, 5), \
	LIMIT(cell_cfg, lte.dl_codewords, 1, 2), \
	LIMIT(cell_cfg, scheduler, 0, 4), \
	LIMIT(cell_cfg, pf_average_tti, 1, 100000), \
	LIMIT(cell_cfg, max_pkts, 16, 65536), \
	LIMIT(cell_cfg, lte.timing.rar_delay_tti, 1, 12), \
	LIMIT(cell_cfg, lte.timing.rar_to_msg3_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.grant_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.decode_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.dl_sched_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, lte.timing.processing_lead_ns, 0, 999000), \
	LIMIT(cell_cfg, lte.ra.rac_timeout_tti, 2, 1000), \
	LIMIT(cell_cfg, lte.ra.backoff_max_ms, 0, 960), \
	LIMIT(cell_cfg, lte.ra.n_preambles, 1, 64), \
	LIMIT(cell_cfg, lte.ra.prach_period_tti, 1, 20), \
	LIMIT(cell_cfg, lte.mac.bsr_grant_rb, 1, 6), \
	LIMIT(cell_cfg, lte.mac.bandwidth_stealing, 0, 1), \
	LIMIT(cell_cfg, lte.mac.trailing_bsr, 0, 1), \
	LIMIT(cell_cfg, lte.mac.enb_overhears_dm, 0, 1), \
	LIMIT(cell_cfg, lte.mac.grants_ignore_headers, 0, 1), \
	LIMIT(cell_cfg, lte.mac.ul_always_scheduled, 0, 1), \
	LIMIT(cell_cfg, harq.max_attempts, 1, 8), \
	LIMIT(cell_cfg, harq.errors, 0, 1), \
	LIMIT(cell_cfg, harq.dl_rtt_tti, 8, 32), \
	LIMIT(cell_cfg, harq.nack_to_ack_q32, 0, 4294967295), \
	LIMIT(cell_cfg, lte.control.errors, 0, 1), \
	LIMIT(cell_cfg, lte.control.dtx, 0, 1), \
	LIMIT(cell_cfg, rlc.mode, 0, 2), \
	LIMIT(cell_cfg, rlc.delivery, 0, 1), \
	LIMIT(cell_cfg, rlc.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, rlc.queue_bytes, 0, 100000000), \
	LIMIT(cell_cfg, rlc.t_reordering_ms, 0, 200), \
	LIMIT(cell_cfg, rlc.t_reassembly_ms, 0, 200), \
	LIMIT(cell_cfg, rlc.um.sn_bits, 5, 12), \
	LIMIT(cell_cfg, rlc.am.sn_bits, 12, 18), \
	LIMIT(cell_cfg, rlc.am.poll_pdu, 1, 1024), \
	LIMIT(cell_cfg, rlc.am.poll_byte, 1, 10000000), \
	LIMIT(cell_cfg, rlc.am.t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_cfg, rlc.am.t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_cfg, rlc.am.max_retx_threshold, 1, 32), \
	LIMIT(cell_cfg, rlc.am.on_max_retx, 0, 1), \
	LIMIT(cell_cfg, rlc.am.reestablish_ms, 0, 10000), \
	LIMIT(cell_cfg, pdcp.sn_bits, 7, 18), \
	LIMIT(cell_cfg, pdcp.discard_timer_ms, 0, 1500), \
	LIMIT(cell_cfg, pdcp.reordering, 0, 1), \
	LIMIT(cell_cfg, pdcp.t_reordering_ms, 0, 3000), \
	LIMIT(cell_cfg, pdcp.t_reordering_infinite, 0, 1), \
	LIMIT(cell_cfg, pdcp.out_of_order_delivery, 0, 1), \
	LIMIT(cell_cfg, pdcp.duplication, 0, 1), \
	LIMIT(cell_cfg, pdcp.status_report, 0, 1), \
	LIMIT(cell_cfg, lte.mode_switch.select_ms, 0, 60000), \
	LIMIT(cell_cfg, lte.mode_switch.flush, 0, 2), \
	LIMIT(cell_cfg, lte.mode_switch.flush_air, 0, 1), \
	LIMIT(cell_cfg, handover.procedure, 0, 4), \
	LIMIT(cell_cfg, handover.prediction_ms, 1, 10000), \
	LIMIT(cell_cfg, handover.prediction_timeout_ms, 1, 60000), \
	LIMIT(cell_cfg, handover.detach_ms, 0, 10000), \
	LIMIT(cell_cfg, handover.signalling_us, 0, 1000000), \
	LIMIT(cell_cfg, handover.end_marker_ms, 1, 60000), \
	LIMIT(cell_cfg, handover.end_markers, 1, 16), \
	LIMIT(cell_cfg, handover.end_marker_gap_ms, 1, 1000), \
	LIMIT(cell_cfg, handover.forwarding, 0, 1), \
	LIMIT(cell_cfg, handover.reordering, 0, 1), \
	LIMIT(cell_cfg, handover.rrc_processing_ms, 0, 100), \
	LIMIT(cell_cfg, handover.execution_ms, 0, 100), \
	LIMIT(cell_cfg, handover.search_ms, 0, 1000), \
	LIMIT(cell_cfg, handover.processing_ms, 0, 100), \
	LIMIT(cell_cfg, handover.ssb_period_ms, 0, 160), \
	LIMIT(cell_cfg, handover.margin_ms, 0, 100), \
	LIMIT(cell_cfg, handover.a3.offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.a3.hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.a3.time_to_trigger_ms, 0, 5120), \
	LIMIT(cell_cfg, handover.a3.filter_coefficient, 0, 19), \
	LIMIT(cell_cfg, handover.condition.event, 0, 1), \
	LIMIT(cell_cfg, handover.condition.offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.condition.threshold1, 0, 127), \
	LIMIT(cell_cfg, handover.condition.threshold2, 0, 127), \
	LIMIT(cell_cfg, handover.condition.hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, handover.condition.time_to_trigger_ms, 0, 5120), \
	LIMIT(cell_cfg, gtpu.ecn, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.count, 0, 1000), \
	LIMIT(cell_cfg, lte.crowd.direction, 0, 2), \
	LIMIT(cell_cfg, lte.crowd.arrival, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.offered_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, lte.crowd.burst_bytes, 40, 100000000), \
	LIMIT(cell_cfg, lte.crowd.burst_size, 0, 1), \
	LIMIT(cell_cfg, lte.crowd.weight, 1, 255), \
	LIMIT(cell_cfg, lte.crowd.cqi_period_ms, 0, 3600000), \
	LIMIT(cell_cfg, utran.dl_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran.ul_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran.tti_ms, 10, 80), \
	LIMIT(cell_cfg, utran.pdu_bytes, 8, 126), \
	LIMIT(cell_cfg, utran.delay_ms, 0, 200), \
	LIMIT(cell_cfg, utran.bler_dl_q32, 0, 4294967295), \
	LIMIT(cell_cfg, utran.bler_ul_q32, 0, 4294967295), \
	LIMIT(cell_cfg, utran.max_dat, 1, 40), \
	LIMIT(cell_cfg, utran.tx_window_pdus, 1, 2047), \
	LIMIT(cell_cfg, utran.poll_pdu, 0, 4095), \
	LIMIT(cell_cfg, utran.poll_window_percent, 1, 100), \
	LIMIT(cell_cfg, utran.timer_poll_ms, 10, 1000), \
	LIMIT(cell_cfg, utran.timer_mrw_ms, 10, 1000), \
	LIMIT(cell_cfg, utran.timer_status_prohibit_ms, 0, 1000), \
	LIMIT(cell_cfg, utran.status, 0, 2), \
	LIMIT(cell_cfg, utran.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, constant.dl_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant.ul_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant.delay_ms, 0, 10000), \
	LIMIT(cell_cfg, constant.loss_dl_q32, 0, 4294967295), \
	LIMIT(cell_cfg, constant.loss_ul_q32, 0, 4294967295), \
	LIMIT(cell_cfg, constant.queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, nr.phy.numerology, 0, 3), \
	LIMIT(cell_cfg, nr.phy.duplex, 0, 1), \
	LIMIT(cell_cfg, nr.phy.frequency_range, 0, 1), \
	LIMIT(cell_cfg, nr.phy.bandwidth_mhz, 5, 400), \
	LIMIT(cell_cfg, nr.phy.tdd_special_dl_symbols, 0, 13), \
	LIMIT(cell_cfg, nr.phy.tdd_special_ul_symbols, 0, 13), \
	LIMIT(cell_cfg, nr.phy.mcs_table_dl, 0, 2), \
	LIMIT(cell_cfg, nr.phy.mcs_table_ul, 0, 2), \
	LIMIT(cell_cfg, nr.phy.layers_dl, 1, 4), \
	LIMIT(cell_cfg, nr.phy.layers_ul, 1, 4), \
	LIMIT(cell_cfg, nr.phy.pdcch_symbols, 1, 3), \
	LIMIT(cell_cfg, nr.phy.dmrs_symbols, 1, 4), \
	LIMIT(cell_cfg, nr.phy.overhead_re, 0, 18), \
	LIMIT(cell_cfg, nr.mac.k0, 0, 32), \
	LIMIT(cell_cfg, nr.mac.k1_min, 0, 15), \
	LIMIT(cell_cfg, nr.mac.k2_min, 1, 32), \
	LIMIT(cell_cfg, nr.mac.processing_capability, 1, 2), \
	LIMIT(cell_cfg, nr.mac.gnb_processing_us, 0, 5000), \
	LIMIT(cell_cfg, nr.mac.harq_processes, 1, 16), \
	LIMIT(cell_cfg, nr.mac.sr_period_slots, 0, 640), \
	LIMIT(cell_cfg, nr.mac.sr_prohibit_timer_ms, 0, 128), \
	LIMIT(cell_cfg, nr.mac.sr_trans_max, 4, 64), \
	LIMIT(cell_cfg, nr.mac.bsr_periodic_ms, 0, 2560), \
	LIMIT(cell_cfg, nr.mac.bsr_retx_ms, 10, 10240), \
	LIMIT(cell_cfg, nr.mac.configured_grant, 0, 2), \
	LIMIT(cell_cfg, nr.mac.cg_period_slots, 1, 640), \
	LIMIT(cell_cfg, nr.mac.cg_rb, 1, 275), \
	LIMIT(cell_cfg, nr.mac.cg_mcs, 0, 28), \
	LIMIT(cell_cfg, nr.mac.cg_processes, 1, 16), \
	LIMIT(cell_cfg, nr.drx.cycle_ms, 0, 10240), \
	LIMIT(cell_cfg, nr.drx.short_cycle_ms, 0, 640), \
	LIMIT(cell_cfg, nr.drx.short_cycle_timer, 1, 16), \
	LIMIT(cell_cfg, nr.drx.on_duration_ms, 1, 1600), \
	LIMIT(cell_cfg, nr.drx.inactivity_ms, 0, 2560), \
	LIMIT(cell_cfg, nr.drx.start_offset_ms, 0, 10239), \
	LIMIT(cell_cfg, nr.drx.harq_rtt_slots, 0, 4), \
	LIMIT(cell_cfg, nr.drx.retx_slots, 0, 320), \
	LIMIT(cell_cfg, nr.ra.procedure, 0, 1), \
	LIMIT(cell_cfg, nr.ra.prach_period_slots, 1, 1280), \
	LIMIT(cell_cfg, nr.ra.n_preambles, 1, 64), \
	LIMIT(cell_cfg, nr.ra.preamble_trans_max, 3, 200), \
	LIMIT(cell_cfg, nr.ra.rar_delay_slots, 1, 40), \
	LIMIT(cell_cfg, nr.ra.response_window_slots, 4, 80), \
	LIMIT(cell_cfg, nr.ra.backoff_max_ms, 0, 1920), \
	LIMIT(cell_cfg, nr.ra.contention_resolution_ms, 8, 64), \
	LIMIT(cell_cfg, nr.ra.rb, 1, 32), \
	LIMIT(cell_cfg, nr.link_adaptation.outer_loop, 0, 1), \
	LIMIT(cell_cfg, nr.link_adaptation.target_bler_q32, 0, 4294967295), \
	LIMIT(cell_cfg, nr.link_adaptation.outer_loop_step_cdb, 1, 500), \
	LIMIT(cell_cfg, nr.sdap_header, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.mode, 0, 2), \
	LIMIT(cell_cfg, nr.aqm.uplink, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.l4s_id, 0, 1), \
	LIMIT(cell_cfg, nr.aqm.mark_from_us, 0, 1000000), \
	LIMIT(cell_cfg, nr.aqm.mark_range_us, 0, 1000000), \
	LIMIT(cell_cfg, nr.aqm.target_ms, 1, 500), \
	LIMIT(cell_cfg, nr.aqm.tupdate_ms, 1, 100), \
	LIMIT(cell_cfg, nr.aqm.rtt_max_ms, 10, 1000), \
	LIMIT(cell_cfg, nr.aqm.coupling, 1, 10), \
	LIMIT(cell_cfg, nr.aqm.shift_ms, 0, 1000)

#define CFG_UE_DEFAULTS \
	.mode = 1, \
	.weight = 1, \
	.cqi_ul = 15, \
	.cqi_dl = 15, \
	.cqi_sl = 15, \
	.bler_ul_q32 = 0, \
	.bler_dl_q32 = 0, \
	.bler_sl_q32 = 0

#define CFG_UE_LIMITS \
	LIMIT(cell_ue_cfg, mode, 0, 1), \
	LIMIT(cell_ue_cfg, rnti, 1, 65523), \
	LIMIT(cell_ue_cfg, cqi_ul, 1, 15), \
	LIMIT(cell_ue_cfg, cqi_dl, 1, 15), \
	LIMIT(cell_ue_cfg, cqi_sl, 1, 15)

#define CFG_UE_DRAWN \
	LIMIT(cell_ue_cfg, mode, 0, 1), \
	LIMIT(cell_ue_cfg, weight, 1, 255), \
	LIMIT(cell_ue_cfg, rnti, 1, 65523), \
	LIMIT(cell_ue_cfg, cqi_ul, 1, 15), \
	LIMIT(cell_ue_cfg, cqi_dl, 1, 15), \
	LIMIT(cell_ue_cfg, cqi_sl, 1, 15), \
	LIMIT(cell_ue_cfg, bler_ul_q32, 0, 4294967295), \
	LIMIT(cell_ue_cfg, bler_dl_q32, 0, 4294967295), \
	LIMIT(cell_ue_cfg, bler_sl_q32, 0, 4294967295)

#define CFG_BEARER_DEFAULTS \
	.priority = 8, \
	.prioritised_rate_bps = 0, \
	.bucket_ms = 100, \
	.rlc.mode = 0, \
	.rlc.delivery = 0, \
	.rlc.queue_pkts = 4096, \
	.rlc.queue_bytes = 0, \
	.rlc.t_reordering_ms = 35, \
	.rlc.um.sn_bits = 10, \
	.rlc.am.poll_pdu = 16, \
	.rlc.am.poll_byte = 25000, \
	.rlc.am.t_poll_retransmit_ms = 45, \
	.rlc.am.t_status_prohibit_ms = 10, \
	.rlc.am.max_retx_threshold = 8, \
	.rlc.am.on_max_retx = 0, \
	.rlc.am.reestablish_ms = 100, \
	.pdcp.sn_bits = 12, \
	.pdcp.discard_timer_ms = 0, \
	.pdcp.reordering = 0, \
	.pdcp.t_reordering_ms = 50, \
	.pdcp.status_report = 1

#define CFG_BEARER_LIMITS \
	LIMIT(cell_bearer_cfg, priority, 1, 16), \
	LIMIT(cell_bearer_cfg, prioritised_rate_bps, 0, 100000000), \
	LIMIT(cell_bearer_cfg, bucket_ms, 50, 1000), \
	LIMIT(cell_bearer_cfg, rlc.mode, 0, 2), \
	LIMIT(cell_bearer_cfg, rlc.delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc.queue_pkts, 1, 65536), \
	LIMIT(cell_bearer_cfg, rlc.queue_bytes, 0, 100000000), \
	LIMIT(cell_bearer_cfg, rlc.t_reordering_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, rlc.t_reassembly_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, rlc.am.poll_pdu, 1, 1024), \
	LIMIT(cell_bearer_cfg, rlc.am.poll_byte, 1, 10000000), \
	LIMIT(cell_bearer_cfg, rlc.am.t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_bearer_cfg, rlc.am.t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_bearer_cfg, rlc.am.max_retx_threshold, 1, 32), \
	LIMIT(cell_bearer_cfg, rlc.am.on_max_retx, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc.am.reestablish_ms, 0, 10000), \
	LIMIT(cell_bearer_cfg, pdcp.discard_timer_ms, 0, 1500), \
	LIMIT(cell_bearer_cfg, pdcp.reordering, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.t_reordering_ms, 0, 3000), \
	LIMIT(cell_bearer_cfg, pdcp.t_reordering_infinite, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.out_of_order_delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.duplication, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.status_report, 0, 1)

#define CFG_BEARER_DRAWN \
	LIMIT(cell_bearer_cfg, priority, 1, 16), \
	LIMIT(cell_bearer_cfg, prioritised_rate_bps, 0, 100000000), \
	LIMIT(cell_bearer_cfg, bucket_ms, 50, 1000), \
	LIMIT(cell_bearer_cfg, rlc.mode, 0, 2), \
	LIMIT(cell_bearer_cfg, rlc.delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc.queue_pkts, 1, 65536), \
	LIMIT(cell_bearer_cfg, rlc.queue_bytes, 0, 100000000), \
	LIMIT(cell_bearer_cfg, rlc.t_reordering_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, rlc.t_reassembly_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, rlc.um.sn_bits, 5, 12), \
	LIMIT(cell_bearer_cfg, rlc.am.sn_bits, 12, 18), \
	LIMIT(cell_bearer_cfg, rlc.am.poll_pdu, 1, 1024), \
	LIMIT(cell_bearer_cfg, rlc.am.poll_byte, 1, 10000000), \
	LIMIT(cell_bearer_cfg, rlc.am.t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_bearer_cfg, rlc.am.t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_bearer_cfg, rlc.am.max_retx_threshold, 1, 32), \
	LIMIT(cell_bearer_cfg, rlc.am.on_max_retx, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc.am.reestablish_ms, 0, 10000), \
	LIMIT(cell_bearer_cfg, pdcp.sn_bits, 7, 18), \
	LIMIT(cell_bearer_cfg, pdcp.discard_timer_ms, 0, 1500), \
	LIMIT(cell_bearer_cfg, pdcp.reordering, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.t_reordering_ms, 0, 3000), \
	LIMIT(cell_bearer_cfg, pdcp.t_reordering_infinite, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.out_of_order_delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.duplication, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp.status_report, 0, 1)

#define CFG_FILTER_DEFAULTS \
	.protocol = 0, \
	.local_port = 0, \
	.remote_port = 0

#define CFG_FILTER_LIMITS \
	LIMIT(cell_filter, protocol, 0, 3), \
	LIMIT(cell_filter, local_port, 0, 65535), \
	LIMIT(cell_filter, remote_port, 0, 65535)

#define CFG_FILTER_DRAWN \
	LIMIT(cell_filter, protocol, 0, 3), \
	LIMIT(cell_filter, local_port, 0, 65535), \
	LIMIT(cell_filter, remote_port, 0, 65535), \
	LIMIT(cell_filter, dscp, 0, 63)

#define CFG_RECORDED_DEFAULTS \
	.delay_ms = 0, \
	.queue_pkts = 1000, \
	.queue_bytes = 0, \
	.bytes = 1500, \
	.uplink_gap_ms = 0, \
	.downlink_gap_ms = 0

#define CFG_RECORDED_LIMITS \
	LIMIT(cell_recorded, delay_ms, 0, 10000), \
	LIMIT(cell_recorded, queue_pkts, 1, 65536), \
	LIMIT(cell_recorded, queue_bytes, 0, 100000000), \
	LIMIT(cell_recorded, bytes, 100, 9000), \
	LIMIT(cell_recorded, uplink_gap_ms, 0, 60000), \
	LIMIT(cell_recorded, downlink_gap_ms, 0, 60000)

#define CFG_RECORDED_DRAWN \
	LIMIT(cell_recorded, delay_ms, 0, 10000), \
	LIMIT(cell_recorded, queue_pkts, 1, 65536), \
	LIMIT(cell_recorded, queue_bytes, 0, 100000000), \
	LIMIT(cell_recorded, bytes, 100, 9000), \
	LIMIT(cell_recorded, uplink_gap_ms, 0, 60000), \
	LIMIT(cell_recorded, downlink_gap_ms, 0, 60000)

#endif
