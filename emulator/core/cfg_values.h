/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/* Made by `make reference` of the models of scenarios. */

#ifndef CFG_VALUES_H
#define CFG_VALUES_H

#define CFG_DEFAULTS \
	.system = 0, \
	.n_rb = 50, \
	.dl_carriers = 1, \
	.dl_codewords = 1, \
	.scheduler = 0, \
	.pf_average_tti = 1000, \
	.max_pkts = 8192, \
	.rar_delay_tti = 3, \
	.rar_to_msg3_tti = 2, \
	.grant_to_tx_tti = 2, \
	.decode_tti = 4, \
	.dl_sched_to_tx_tti = 1, \
	.processing_lead_ns = 250000, \
	.rac_timeout_tti = 10, \
	.backoff_max_ms = 20, \
	.n_preambles = 52, \
	.prach_period_tti = 1, \
	.bsr_grant_rb = 1, \
	.bandwidth_stealing = 1, \
	.trailing_bsr = 1, \
	.enb_overhears_dm = 0, \
	.grants_ignore_headers = 0, \
	.ul_always_scheduled = 0, \
	.harq_max_attempts = 1, \
	.harq_errors = 0, \
	.harq_dl_rtt_tti = 8, \
	.harq_nack_to_ack_q32 = 0, \
	.control_errors = 0, \
	.control_dtx = 0, \
	.rlc_mode = 0, \
	.delivery = 0, \
	.rlc_queue_pkts = 4096, \
	.rlc_queue_bytes = 0, \
	.t_reordering_ms = 35, \
	.um_sn_bits = 10, \
	.am_poll_pdu = 16, \
	.am_poll_byte = 25000, \
	.am_t_poll_retransmit_ms = 45, \
	.am_t_status_prohibit_ms = 10, \
	.am_max_retx_threshold = 8, \
	.am_on_max_retx = 0, \
	.am_reestablish_ms = 100, \
	.pdcp_sn_bits = 12, \
	.discard_timer_ms = 0, \
	.pdcp_reordering = 0, \
	.pdcp_t_reordering_ms = 50, \
	.pdcp_status_report = 1, \
	.mode_select_ms = 0, \
	.mode_flush = 0, \
	.mode_flush_air = 0, \
	.ho_procedure = 0, \
	.ho_prediction_ms = 130, \
	.ho_prediction_timeout_ms = 1000, \
	.ho_detach_ms = 30, \
	.ho_signalling_us = 4000, \
	.ho_end_marker_ms = 200, \
	.ho_end_markers = 1, \
	.ho_end_marker_gap_ms = 20, \
	.ho_forwarding = 1, \
	.ho_reordering = 1, \
	.a3_offset_cdb = 300, \
	.a3_hysteresis_cdb = 100, \
	.a3_time_to_trigger_ms = 256, \
	.a3_filter_coefficient = 4, \
	.ho_cond_event = 0, \
	.ho_cond_offset_cdb = 300, \
	.ho_cond_threshold1 = 46, \
	.ho_cond_threshold2 = 50, \
	.ho_cond_hysteresis_cdb = 0, \
	.ho_cond_time_to_trigger_ms = 0, \
	.gtpu_ecn = 0, \
	.crowd_direction = 0, \
	.crowd_arrival = 0, \
	.crowd_offered_rate_bps = 100000, \
	.crowd_burst_bytes = 50000, \
	.crowd_burst_size = 1, \
	.crowd_weight = 1, \
	.crowd_cqi_period_ms = 0, \
	.utran_dl_rate_bps = 384000, \
	.utran_ul_rate_bps = 32000, \
	.utran_tti_ms = 10, \
	.utran_pdu_bytes = 40, \
	.utran_delay_ms = 0, \
	.utran_bler_dl_q32 = 0, \
	.utran_bler_ul_q32 = 0, \
	.utran_max_dat = 6, \
	.utran_tx_window_pdus = 1024, \
	.utran_poll_pdu = 256, \
	.utran_poll_window_percent = 99, \
	.utran_timer_poll_ms = 85, \
	.utran_timer_mrw_ms = 100, \
	.utran_timer_status_prohibit_ms = 40, \
	.utran_status = 1, \
	.utran_queue_pkts = 4096, \
	.constant_dl_rate_bps = 20000000, \
	.constant_ul_rate_bps = 10000000, \
	.constant_delay_ms = 10, \
	.constant_loss_dl_q32 = 0, \
	.constant_loss_ul_q32 = 0, \
	.constant_queue_pkts = 1000, \
	.nr_numerology = 1, \
	.nr_duplex = 1, \
	.nr_frequency_range = 0, \
	.nr_bandwidth_mhz = 100, \
	.nr_tdd_pattern = "DDDSU", \
	.nr_tdd_special_dl_symbols = 10, \
	.nr_tdd_special_ul_symbols = 2, \
	.nr_mcs_table_dl = 1, \
	.nr_mcs_table_ul = 0, \
	.nr_layers_dl = 4, \
	.nr_layers_ul = 1, \
	.nr_pdcch_symbols = 2, \
	.nr_dmrs_symbols = 1, \
	.nr_overhead_re = 0, \
	.nr_k0 = 0, \
	.nr_k1_min = 4, \
	.nr_k2_min = 4, \
	.nr_processing_capability = 1, \
	.nr_gnb_processing_us = 250, \
	.nr_harq_processes = 16, \
	.nr_sr_period_slots = 10, \
	.nr_sr_prohibit_timer_ms = 0, \
	.nr_sr_trans_max = 64, \
	.nr_bsr_periodic_ms = 1, \
	.nr_bsr_retx_ms = 80, \
	.nr_configured_grant = 0, \
	.nr_cg_period_slots = 10, \
	.nr_cg_rb = 4, \
	.nr_cg_mcs = 10, \
	.nr_cg_processes = 4, \
	.nr_drx_cycle_ms = 0, \
	.nr_drx_short_cycle_ms = 0, \
	.nr_drx_short_cycle_timer = 4, \
	.nr_drx_on_duration_ms = 10, \
	.nr_drx_inactivity_ms = 10, \
	.nr_drx_start_offset_ms = 0, \
	.nr_drx_harq_rtt_slots = 4, \
	.nr_drx_retx_slots = 16, \
	.nr_random_access = 0, \
	.nr_prach_period_slots = 20, \
	.nr_n_preambles = 54, \
	.nr_preamble_trans_max = 10, \
	.nr_rar_delay_slots = 4, \
	.nr_response_window_slots = 20, \
	.nr_backoff_max_ms = 20, \
	.nr_contention_resolution_ms = 64, \
	.nr_ra_rb = 4, \
	.nr_outer_loop = 0, \
	.nr_target_bler_q32 = 429496729, \
	.nr_outer_loop_step_cdb = 50, \
	.nr_sdap_header = 0, \
	.nr_aqm = 0, \
	.nr_aqm_uplink = 0, \
	.nr_aqm_l4s_id = 0, \
	.nr_aqm_mark_from_us = 1000, \
	.nr_aqm_mark_range_us = 0, \
	.nr_aqm_target_ms = 15, \
	.nr_aqm_tupdate_ms = 16, \
	.nr_aqm_rtt_max_ms = 100, \
	.nr_aqm_coupling = 2, \
	.nr_aqm_shift_ms = 30

#define CFG_LIMITS \
	LIMIT(cell_cfg, system, 0, 4), \
	LIMIT(cell_cfg, n_rb, 6, 110), \
	LIMIT(cell_cfg, dl_carriers, 1, 5), \
	LIMIT(cell_cfg, dl_codewords, 1, 2), \
	LIMIT(cell_cfg, scheduler, 0, 4), \
	LIMIT(cell_cfg, pf_average_tti, 1, 100000), \
	LIMIT(cell_cfg, max_pkts, 16, 65536), \
	LIMIT(cell_cfg, rar_delay_tti, 1, 12), \
	LIMIT(cell_cfg, rar_to_msg3_tti, 1, 8), \
	LIMIT(cell_cfg, grant_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, decode_tti, 1, 8), \
	LIMIT(cell_cfg, dl_sched_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, processing_lead_ns, 0, 999999), \
	LIMIT(cell_cfg, rac_timeout_tti, 2, 1000), \
	LIMIT(cell_cfg, backoff_max_ms, 0, 960), \
	LIMIT(cell_cfg, n_preambles, 1, 64), \
	LIMIT(cell_cfg, prach_period_tti, 1, 20), \
	LIMIT(cell_cfg, bsr_grant_rb, 1, 6), \
	LIMIT(cell_cfg, bandwidth_stealing, 0, 1), \
	LIMIT(cell_cfg, trailing_bsr, 0, 1), \
	LIMIT(cell_cfg, enb_overhears_dm, 0, 1), \
	LIMIT(cell_cfg, grants_ignore_headers, 0, 1), \
	LIMIT(cell_cfg, ul_always_scheduled, 0, 1), \
	LIMIT(cell_cfg, harq_max_attempts, 1, 8), \
	LIMIT(cell_cfg, harq_errors, 0, 1), \
	LIMIT(cell_cfg, harq_dl_rtt_tti, 8, 32), \
	LIMIT(cell_cfg, control_errors, 0, 1), \
	LIMIT(cell_cfg, control_dtx, 0, 1), \
	LIMIT(cell_cfg, rlc_mode, 0, 2), \
	LIMIT(cell_cfg, delivery, 0, 1), \
	LIMIT(cell_cfg, rlc_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, rlc_queue_bytes, 0, 100000000), \
	LIMIT(cell_cfg, t_reordering_ms, 0, 200), \
	LIMIT(cell_cfg, am_poll_pdu, 1, 1024), \
	LIMIT(cell_cfg, am_poll_byte, 1, 10000000), \
	LIMIT(cell_cfg, am_t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_cfg, am_t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_cfg, am_max_retx_threshold, 1, 32), \
	LIMIT(cell_cfg, am_on_max_retx, 0, 1), \
	LIMIT(cell_cfg, am_reestablish_ms, 0, 10000), \
	LIMIT(cell_cfg, discard_timer_ms, 0, 1500), \
	LIMIT(cell_cfg, pdcp_reordering, 0, 1), \
	LIMIT(cell_cfg, pdcp_t_reordering_ms, 0, 3000), \
	LIMIT(cell_cfg, pdcp_t_reordering_infinite, 0, 1), \
	LIMIT(cell_cfg, pdcp_out_of_order_delivery, 0, 1), \
	LIMIT(cell_cfg, pdcp_duplication, 0, 1), \
	LIMIT(cell_cfg, pdcp_status_report, 0, 1), \
	LIMIT(cell_cfg, mode_select_ms, 0, 60000), \
	LIMIT(cell_cfg, mode_flush, 0, 2), \
	LIMIT(cell_cfg, mode_flush_air, 0, 1), \
	LIMIT(cell_cfg, ho_procedure, 0, 4), \
	LIMIT(cell_cfg, ho_prediction_ms, 1, 10000), \
	LIMIT(cell_cfg, ho_prediction_timeout_ms, 1, 60000), \
	LIMIT(cell_cfg, ho_detach_ms, 0, 10000), \
	LIMIT(cell_cfg, ho_signalling_us, 0, 1000000), \
	LIMIT(cell_cfg, ho_end_marker_ms, 1, 60000), \
	LIMIT(cell_cfg, ho_end_markers, 1, 16), \
	LIMIT(cell_cfg, ho_end_marker_gap_ms, 1, 1000), \
	LIMIT(cell_cfg, ho_forwarding, 0, 1), \
	LIMIT(cell_cfg, ho_reordering, 0, 1), \
	LIMIT(cell_cfg, ho_rrc_processing_ms, 0, 100), \
	LIMIT(cell_cfg, ho_execution_ms, 0, 100), \
	LIMIT(cell_cfg, ho_search_ms, 0, 1000), \
	LIMIT(cell_cfg, ho_processing_ms, 0, 100), \
	LIMIT(cell_cfg, ho_margin_ms, 0, 100), \
	LIMIT(cell_cfg, a3_offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, a3_hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, ho_cond_event, 0, 1), \
	LIMIT(cell_cfg, ho_cond_offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, ho_cond_threshold1, 0, 127), \
	LIMIT(cell_cfg, ho_cond_threshold2, 0, 127), \
	LIMIT(cell_cfg, ho_cond_hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, gtpu_ecn, 0, 1), \
	LIMIT(cell_cfg, crowd_count, 0, 1000), \
	LIMIT(cell_cfg, crowd_direction, 0, 2), \
	LIMIT(cell_cfg, crowd_arrival, 0, 1), \
	LIMIT(cell_cfg, crowd_offered_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, crowd_burst_bytes, 40, 100000000), \
	LIMIT(cell_cfg, crowd_burst_size, 0, 1), \
	LIMIT(cell_cfg, crowd_weight, 1, 255), \
	LIMIT(cell_cfg, crowd_cqi_period_ms, 0, 3600000), \
	LIMIT(cell_cfg, utran_dl_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran_ul_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran_pdu_bytes, 8, 126), \
	LIMIT(cell_cfg, utran_delay_ms, 0, 200), \
	LIMIT(cell_cfg, utran_max_dat, 1, 40), \
	LIMIT(cell_cfg, utran_tx_window_pdus, 1, 2047), \
	LIMIT(cell_cfg, utran_poll_pdu, 0, 4095), \
	LIMIT(cell_cfg, utran_poll_window_percent, 1, 100), \
	LIMIT(cell_cfg, utran_timer_poll_ms, 10, 1000), \
	LIMIT(cell_cfg, utran_timer_mrw_ms, 10, 1000), \
	LIMIT(cell_cfg, utran_timer_status_prohibit_ms, 0, 1000), \
	LIMIT(cell_cfg, utran_status, 0, 2), \
	LIMIT(cell_cfg, utran_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, constant_dl_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant_ul_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant_delay_ms, 0, 10000), \
	LIMIT(cell_cfg, constant_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, nr_numerology, 0, 3), \
	LIMIT(cell_cfg, nr_duplex, 0, 1), \
	LIMIT(cell_cfg, nr_frequency_range, 0, 1), \
	LIMIT(cell_cfg, nr_tdd_special_dl_symbols, 0, 13), \
	LIMIT(cell_cfg, nr_tdd_special_ul_symbols, 0, 13), \
	LIMIT(cell_cfg, nr_mcs_table_dl, 0, 2), \
	LIMIT(cell_cfg, nr_mcs_table_ul, 0, 2), \
	LIMIT(cell_cfg, nr_layers_dl, 1, 4), \
	LIMIT(cell_cfg, nr_layers_ul, 1, 4), \
	LIMIT(cell_cfg, nr_pdcch_symbols, 1, 3), \
	LIMIT(cell_cfg, nr_dmrs_symbols, 1, 4), \
	LIMIT(cell_cfg, nr_k0, 0, 32), \
	LIMIT(cell_cfg, nr_k1_min, 0, 15), \
	LIMIT(cell_cfg, nr_k2_min, 1, 32), \
	LIMIT(cell_cfg, nr_gnb_processing_us, 0, 5000), \
	LIMIT(cell_cfg, nr_harq_processes, 1, 16), \
	LIMIT(cell_cfg, nr_configured_grant, 0, 2), \
	LIMIT(cell_cfg, nr_cg_period_slots, 1, 640), \
	LIMIT(cell_cfg, nr_cg_rb, 1, 275), \
	LIMIT(cell_cfg, nr_cg_mcs, 0, 28), \
	LIMIT(cell_cfg, nr_cg_processes, 1, 16), \
	LIMIT(cell_cfg, nr_drx_short_cycle_timer, 1, 16), \
	LIMIT(cell_cfg, nr_drx_on_duration_ms, 1, 1600), \
	LIMIT(cell_cfg, nr_drx_inactivity_ms, 0, 2560), \
	LIMIT(cell_cfg, nr_drx_start_offset_ms, 0, 10239), \
	LIMIT(cell_cfg, nr_drx_harq_rtt_slots, 0, 4), \
	LIMIT(cell_cfg, nr_drx_retx_slots, 0, 320), \
	LIMIT(cell_cfg, nr_random_access, 0, 1), \
	LIMIT(cell_cfg, nr_prach_period_slots, 1, 1280), \
	LIMIT(cell_cfg, nr_n_preambles, 1, 64), \
	LIMIT(cell_cfg, nr_rar_delay_slots, 1, 40), \
	LIMIT(cell_cfg, nr_backoff_max_ms, 0, 1920), \
	LIMIT(cell_cfg, nr_ra_rb, 1, 32), \
	LIMIT(cell_cfg, nr_outer_loop, 0, 1), \
	LIMIT(cell_cfg, nr_outer_loop_step_cdb, 1, 500), \
	LIMIT(cell_cfg, nr_sdap_header, 0, 1), \
	LIMIT(cell_cfg, nr_aqm, 0, 2), \
	LIMIT(cell_cfg, nr_aqm_uplink, 0, 1), \
	LIMIT(cell_cfg, nr_aqm_l4s_id, 0, 1), \
	LIMIT(cell_cfg, nr_aqm_mark_from_us, 0, 1000000), \
	LIMIT(cell_cfg, nr_aqm_mark_range_us, 0, 1000000), \
	LIMIT(cell_cfg, nr_aqm_target_ms, 1, 500), \
	LIMIT(cell_cfg, nr_aqm_tupdate_ms, 1, 100), \
	LIMIT(cell_cfg, nr_aqm_rtt_max_ms, 10, 1000), \
	LIMIT(cell_cfg, nr_aqm_coupling, 1, 10), \
	LIMIT(cell_cfg, nr_aqm_shift_ms, 0, 1000)

#define CFG_DRAWN \
	LIMIT(cell_cfg, system, 0, 4), \
	LIMIT(cell_cfg, n_rb, 6, 110), \
	LIMIT(cell_cfg, dl_carriers, 1, 5), \
	LIMIT(cell_cfg, dl_codewords, 1, 2), \
	LIMIT(cell_cfg, scheduler, 0, 4), \
	LIMIT(cell_cfg, pf_average_tti, 1, 100000), \
	LIMIT(cell_cfg, max_pkts, 16, 65536), \
	LIMIT(cell_cfg, rar_delay_tti, 1, 12), \
	LIMIT(cell_cfg, rar_to_msg3_tti, 1, 8), \
	LIMIT(cell_cfg, grant_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, decode_tti, 1, 8), \
	LIMIT(cell_cfg, dl_sched_to_tx_tti, 1, 8), \
	LIMIT(cell_cfg, processing_lead_ns, 0, 999000), \
	LIMIT(cell_cfg, rac_timeout_tti, 2, 1000), \
	LIMIT(cell_cfg, backoff_max_ms, 0, 960), \
	LIMIT(cell_cfg, n_preambles, 1, 64), \
	LIMIT(cell_cfg, prach_period_tti, 1, 20), \
	LIMIT(cell_cfg, bsr_grant_rb, 1, 6), \
	LIMIT(cell_cfg, bandwidth_stealing, 0, 1), \
	LIMIT(cell_cfg, trailing_bsr, 0, 1), \
	LIMIT(cell_cfg, enb_overhears_dm, 0, 1), \
	LIMIT(cell_cfg, grants_ignore_headers, 0, 1), \
	LIMIT(cell_cfg, ul_always_scheduled, 0, 1), \
	LIMIT(cell_cfg, harq_max_attempts, 1, 8), \
	LIMIT(cell_cfg, harq_errors, 0, 1), \
	LIMIT(cell_cfg, harq_dl_rtt_tti, 8, 32), \
	LIMIT(cell_cfg, harq_nack_to_ack_q32, 0, 4294967295), \
	LIMIT(cell_cfg, control_errors, 0, 1), \
	LIMIT(cell_cfg, control_dtx, 0, 1), \
	LIMIT(cell_cfg, rlc_mode, 0, 2), \
	LIMIT(cell_cfg, delivery, 0, 1), \
	LIMIT(cell_cfg, rlc_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, rlc_queue_bytes, 0, 100000000), \
	LIMIT(cell_cfg, t_reordering_ms, 0, 200), \
	LIMIT(cell_cfg, um_sn_bits, 5, 12), \
	LIMIT(cell_cfg, am_sn_bits, 12, 18), \
	LIMIT(cell_cfg, am_poll_pdu, 1, 1024), \
	LIMIT(cell_cfg, am_poll_byte, 1, 10000000), \
	LIMIT(cell_cfg, am_t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_cfg, am_t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_cfg, am_max_retx_threshold, 1, 32), \
	LIMIT(cell_cfg, am_on_max_retx, 0, 1), \
	LIMIT(cell_cfg, am_reestablish_ms, 0, 10000), \
	LIMIT(cell_cfg, pdcp_sn_bits, 7, 18), \
	LIMIT(cell_cfg, discard_timer_ms, 0, 1500), \
	LIMIT(cell_cfg, pdcp_reordering, 0, 1), \
	LIMIT(cell_cfg, pdcp_t_reordering_ms, 0, 3000), \
	LIMIT(cell_cfg, pdcp_t_reordering_infinite, 0, 1), \
	LIMIT(cell_cfg, pdcp_out_of_order_delivery, 0, 1), \
	LIMIT(cell_cfg, pdcp_duplication, 0, 1), \
	LIMIT(cell_cfg, pdcp_status_report, 0, 1), \
	LIMIT(cell_cfg, mode_select_ms, 0, 60000), \
	LIMIT(cell_cfg, mode_flush, 0, 2), \
	LIMIT(cell_cfg, mode_flush_air, 0, 1), \
	LIMIT(cell_cfg, ho_procedure, 0, 4), \
	LIMIT(cell_cfg, ho_prediction_ms, 1, 10000), \
	LIMIT(cell_cfg, ho_prediction_timeout_ms, 1, 60000), \
	LIMIT(cell_cfg, ho_detach_ms, 0, 10000), \
	LIMIT(cell_cfg, ho_signalling_us, 0, 1000000), \
	LIMIT(cell_cfg, ho_end_marker_ms, 1, 60000), \
	LIMIT(cell_cfg, ho_end_markers, 1, 16), \
	LIMIT(cell_cfg, ho_end_marker_gap_ms, 1, 1000), \
	LIMIT(cell_cfg, ho_forwarding, 0, 1), \
	LIMIT(cell_cfg, ho_reordering, 0, 1), \
	LIMIT(cell_cfg, ho_rrc_processing_ms, 0, 100), \
	LIMIT(cell_cfg, ho_execution_ms, 0, 100), \
	LIMIT(cell_cfg, ho_search_ms, 0, 1000), \
	LIMIT(cell_cfg, ho_processing_ms, 0, 100), \
	LIMIT(cell_cfg, ho_ssb_period_ms, 0, 160), \
	LIMIT(cell_cfg, ho_margin_ms, 0, 100), \
	LIMIT(cell_cfg, a3_offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, a3_hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, a3_time_to_trigger_ms, 0, 5120), \
	LIMIT(cell_cfg, a3_filter_coefficient, 0, 19), \
	LIMIT(cell_cfg, ho_cond_event, 0, 1), \
	LIMIT(cell_cfg, ho_cond_offset_cdb, 0, 1500), \
	LIMIT(cell_cfg, ho_cond_threshold1, 0, 127), \
	LIMIT(cell_cfg, ho_cond_threshold2, 0, 127), \
	LIMIT(cell_cfg, ho_cond_hysteresis_cdb, 0, 1500), \
	LIMIT(cell_cfg, ho_cond_time_to_trigger_ms, 0, 5120), \
	LIMIT(cell_cfg, gtpu_ecn, 0, 1), \
	LIMIT(cell_cfg, crowd_count, 0, 1000), \
	LIMIT(cell_cfg, crowd_direction, 0, 2), \
	LIMIT(cell_cfg, crowd_arrival, 0, 1), \
	LIMIT(cell_cfg, crowd_offered_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, crowd_burst_bytes, 40, 100000000), \
	LIMIT(cell_cfg, crowd_burst_size, 0, 1), \
	LIMIT(cell_cfg, crowd_weight, 1, 255), \
	LIMIT(cell_cfg, crowd_cqi_period_ms, 0, 3600000), \
	LIMIT(cell_cfg, utran_dl_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran_ul_rate_bps, 1, 10000000), \
	LIMIT(cell_cfg, utran_tti_ms, 10, 80), \
	LIMIT(cell_cfg, utran_pdu_bytes, 8, 126), \
	LIMIT(cell_cfg, utran_delay_ms, 0, 200), \
	LIMIT(cell_cfg, utran_bler_dl_q32, 0, 4294967295), \
	LIMIT(cell_cfg, utran_bler_ul_q32, 0, 4294967295), \
	LIMIT(cell_cfg, utran_max_dat, 1, 40), \
	LIMIT(cell_cfg, utran_tx_window_pdus, 1, 2047), \
	LIMIT(cell_cfg, utran_poll_pdu, 0, 4095), \
	LIMIT(cell_cfg, utran_poll_window_percent, 1, 100), \
	LIMIT(cell_cfg, utran_timer_poll_ms, 10, 1000), \
	LIMIT(cell_cfg, utran_timer_mrw_ms, 10, 1000), \
	LIMIT(cell_cfg, utran_timer_status_prohibit_ms, 0, 1000), \
	LIMIT(cell_cfg, utran_status, 0, 2), \
	LIMIT(cell_cfg, utran_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, constant_dl_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant_ul_rate_bps, 1000, 1000000000), \
	LIMIT(cell_cfg, constant_delay_ms, 0, 10000), \
	LIMIT(cell_cfg, constant_loss_dl_q32, 0, 4294967295), \
	LIMIT(cell_cfg, constant_loss_ul_q32, 0, 4294967295), \
	LIMIT(cell_cfg, constant_queue_pkts, 1, 65536), \
	LIMIT(cell_cfg, nr_numerology, 0, 3), \
	LIMIT(cell_cfg, nr_duplex, 0, 1), \
	LIMIT(cell_cfg, nr_frequency_range, 0, 1), \
	LIMIT(cell_cfg, nr_bandwidth_mhz, 5, 400), \
	LIMIT(cell_cfg, nr_tdd_special_dl_symbols, 0, 13), \
	LIMIT(cell_cfg, nr_tdd_special_ul_symbols, 0, 13), \
	LIMIT(cell_cfg, nr_mcs_table_dl, 0, 2), \
	LIMIT(cell_cfg, nr_mcs_table_ul, 0, 2), \
	LIMIT(cell_cfg, nr_layers_dl, 1, 4), \
	LIMIT(cell_cfg, nr_layers_ul, 1, 4), \
	LIMIT(cell_cfg, nr_pdcch_symbols, 1, 3), \
	LIMIT(cell_cfg, nr_dmrs_symbols, 1, 4), \
	LIMIT(cell_cfg, nr_overhead_re, 0, 18), \
	LIMIT(cell_cfg, nr_k0, 0, 32), \
	LIMIT(cell_cfg, nr_k1_min, 0, 15), \
	LIMIT(cell_cfg, nr_k2_min, 1, 32), \
	LIMIT(cell_cfg, nr_processing_capability, 1, 2), \
	LIMIT(cell_cfg, nr_gnb_processing_us, 0, 5000), \
	LIMIT(cell_cfg, nr_harq_processes, 1, 16), \
	LIMIT(cell_cfg, nr_sr_period_slots, 0, 640), \
	LIMIT(cell_cfg, nr_sr_prohibit_timer_ms, 0, 128), \
	LIMIT(cell_cfg, nr_sr_trans_max, 4, 64), \
	LIMIT(cell_cfg, nr_bsr_periodic_ms, 0, 2560), \
	LIMIT(cell_cfg, nr_bsr_retx_ms, 10, 10240), \
	LIMIT(cell_cfg, nr_configured_grant, 0, 2), \
	LIMIT(cell_cfg, nr_cg_period_slots, 1, 640), \
	LIMIT(cell_cfg, nr_cg_rb, 1, 275), \
	LIMIT(cell_cfg, nr_cg_mcs, 0, 28), \
	LIMIT(cell_cfg, nr_cg_processes, 1, 16), \
	LIMIT(cell_cfg, nr_drx_cycle_ms, 0, 10240), \
	LIMIT(cell_cfg, nr_drx_short_cycle_ms, 0, 640), \
	LIMIT(cell_cfg, nr_drx_short_cycle_timer, 1, 16), \
	LIMIT(cell_cfg, nr_drx_on_duration_ms, 1, 1600), \
	LIMIT(cell_cfg, nr_drx_inactivity_ms, 0, 2560), \
	LIMIT(cell_cfg, nr_drx_start_offset_ms, 0, 10239), \
	LIMIT(cell_cfg, nr_drx_harq_rtt_slots, 0, 4), \
	LIMIT(cell_cfg, nr_drx_retx_slots, 0, 320), \
	LIMIT(cell_cfg, nr_random_access, 0, 1), \
	LIMIT(cell_cfg, nr_prach_period_slots, 1, 1280), \
	LIMIT(cell_cfg, nr_n_preambles, 1, 64), \
	LIMIT(cell_cfg, nr_preamble_trans_max, 3, 200), \
	LIMIT(cell_cfg, nr_rar_delay_slots, 1, 40), \
	LIMIT(cell_cfg, nr_response_window_slots, 4, 80), \
	LIMIT(cell_cfg, nr_backoff_max_ms, 0, 1920), \
	LIMIT(cell_cfg, nr_contention_resolution_ms, 8, 64), \
	LIMIT(cell_cfg, nr_ra_rb, 1, 32), \
	LIMIT(cell_cfg, nr_outer_loop, 0, 1), \
	LIMIT(cell_cfg, nr_target_bler_q32, 0, 4294967295), \
	LIMIT(cell_cfg, nr_outer_loop_step_cdb, 1, 500), \
	LIMIT(cell_cfg, nr_sdap_header, 0, 1), \
	LIMIT(cell_cfg, nr_aqm, 0, 2), \
	LIMIT(cell_cfg, nr_aqm_uplink, 0, 1), \
	LIMIT(cell_cfg, nr_aqm_l4s_id, 0, 1), \
	LIMIT(cell_cfg, nr_aqm_mark_from_us, 0, 1000000), \
	LIMIT(cell_cfg, nr_aqm_mark_range_us, 0, 1000000), \
	LIMIT(cell_cfg, nr_aqm_target_ms, 1, 500), \
	LIMIT(cell_cfg, nr_aqm_tupdate_ms, 1, 100), \
	LIMIT(cell_cfg, nr_aqm_rtt_max_ms, 10, 1000), \
	LIMIT(cell_cfg, nr_aqm_coupling, 1, 10), \
	LIMIT(cell_cfg, nr_aqm_shift_ms, 0, 1000)

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
	.rlc_mode = 0, \
	.delivery = 0, \
	.rlc_queue_pkts = 4096, \
	.rlc_queue_bytes = 0, \
	.t_reordering_ms = 35, \
	.um_sn_bits = 10, \
	.am_poll_pdu = 16, \
	.am_poll_byte = 25000, \
	.am_t_poll_retransmit_ms = 45, \
	.am_t_status_prohibit_ms = 10, \
	.am_max_retx_threshold = 8, \
	.am_on_max_retx = 0, \
	.am_reestablish_ms = 100, \
	.pdcp_sn_bits = 12, \
	.discard_timer_ms = 0, \
	.pdcp_reordering = 0, \
	.pdcp_t_reordering_ms = 50, \
	.pdcp_status_report = 1

#define CFG_BEARER_LIMITS \
	LIMIT(cell_bearer_cfg, priority, 1, 16), \
	LIMIT(cell_bearer_cfg, prioritised_rate_bps, 0, 100000000), \
	LIMIT(cell_bearer_cfg, bucket_ms, 50, 1000), \
	LIMIT(cell_bearer_cfg, rlc_mode, 0, 2), \
	LIMIT(cell_bearer_cfg, delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc_queue_pkts, 1, 65536), \
	LIMIT(cell_bearer_cfg, rlc_queue_bytes, 0, 100000000), \
	LIMIT(cell_bearer_cfg, t_reordering_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, am_poll_pdu, 1, 1024), \
	LIMIT(cell_bearer_cfg, am_poll_byte, 1, 10000000), \
	LIMIT(cell_bearer_cfg, am_t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_bearer_cfg, am_t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_bearer_cfg, am_max_retx_threshold, 1, 32), \
	LIMIT(cell_bearer_cfg, am_on_max_retx, 0, 1), \
	LIMIT(cell_bearer_cfg, am_reestablish_ms, 0, 10000), \
	LIMIT(cell_bearer_cfg, discard_timer_ms, 0, 1500), \
	LIMIT(cell_bearer_cfg, pdcp_reordering, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_t_reordering_ms, 0, 3000), \
	LIMIT(cell_bearer_cfg, pdcp_t_reordering_infinite, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_out_of_order_delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_duplication, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_status_report, 0, 1)

#define CFG_BEARER_DRAWN \
	LIMIT(cell_bearer_cfg, priority, 1, 16), \
	LIMIT(cell_bearer_cfg, prioritised_rate_bps, 0, 100000000), \
	LIMIT(cell_bearer_cfg, bucket_ms, 50, 1000), \
	LIMIT(cell_bearer_cfg, rlc_mode, 0, 2), \
	LIMIT(cell_bearer_cfg, delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, rlc_queue_pkts, 1, 65536), \
	LIMIT(cell_bearer_cfg, rlc_queue_bytes, 0, 100000000), \
	LIMIT(cell_bearer_cfg, t_reordering_ms, 0, 200), \
	LIMIT(cell_bearer_cfg, um_sn_bits, 5, 12), \
	LIMIT(cell_bearer_cfg, am_sn_bits, 12, 18), \
	LIMIT(cell_bearer_cfg, am_poll_pdu, 1, 1024), \
	LIMIT(cell_bearer_cfg, am_poll_byte, 1, 10000000), \
	LIMIT(cell_bearer_cfg, am_t_poll_retransmit_ms, 5, 500), \
	LIMIT(cell_bearer_cfg, am_t_status_prohibit_ms, 0, 500), \
	LIMIT(cell_bearer_cfg, am_max_retx_threshold, 1, 32), \
	LIMIT(cell_bearer_cfg, am_on_max_retx, 0, 1), \
	LIMIT(cell_bearer_cfg, am_reestablish_ms, 0, 10000), \
	LIMIT(cell_bearer_cfg, pdcp_sn_bits, 7, 18), \
	LIMIT(cell_bearer_cfg, discard_timer_ms, 0, 1500), \
	LIMIT(cell_bearer_cfg, pdcp_reordering, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_t_reordering_ms, 0, 3000), \
	LIMIT(cell_bearer_cfg, pdcp_t_reordering_infinite, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_out_of_order_delivery, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_duplication, 0, 1), \
	LIMIT(cell_bearer_cfg, pdcp_status_report, 0, 1)

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
