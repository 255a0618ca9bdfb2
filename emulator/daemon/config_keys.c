/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/* Made by `make reference` of the models of scenarios. */

#include "config_key.h"

static const char *const config_system_names[] = { "lte", "utran", "packet_trace", "constant_rate", "nr", NULL };

static const char *const config_scheduler_names[] = { "rr", "wfq", "max_ci", "pf", "mlwdf", NULL };

static const char *const config_harq_errors_names[] = { "ladder", "sinr", NULL };

static const char *const config_control_dtx_names[] = { "retry", "lose", NULL };

static const char *const config_rlc_mode_names[] = { "um", "am", "tm", NULL };

static const char *const config_delivery_names[] = { "in_sequence", "out_of_sequence", NULL };

static const char *const config_am_on_max_retx_names[] = { "reestablish", "stop", NULL };

static const char *const config_mode_flush_names[] = { "discard", "keep", "retransmit", NULL };

static const char *const config_ho_procedure_names[] = { "standard", "fast_path_switch", "prediction", "conditional", "daps", NULL };

static const char *const config_ho_cond_event_names[] = { "a3", "a5", NULL };

static const char *const config_gtpu_ecn_names[] = { "none", "copy", NULL };

static const char *const config_crowd_direction_names[] = { "dl", "ul", "both", NULL };

static const char *const config_crowd_arrival_names[] = { "poisson", "full_buffer", NULL };

static const char *const config_crowd_burst_size_names[] = { "constant", "exponential", NULL };

static const char *const config_utran_status_names[] = { "block", "piggyback", "channel", NULL };

static const char *const config_nr_duplex_names[] = { "fdd", "tdd", NULL };

static const char *const config_nr_frequency_range_names[] = { "fr1", "fr2", NULL };

static const char *const config_nr_mcs_table_dl_names[] = { "qam64", "qam256", "qam64_low_se", NULL };

static const char *const config_nr_mcs_table_ul_names[] = { "qam64", "qam256", "qam64_low_se", NULL };

static const char *const config_nr_configured_grant_names[] = { "none", "type1", "type2", NULL };

static const char *const config_nr_random_access_names[] = { "four_step", "two_step", NULL };

static const char *const config_nr_aqm_names[] = { "none", "mark", "dualpi2", NULL };

static const char *const config_nr_aqm_l4s_id_names[] = { "ect_1", "any_ect", NULL };

const char *const config_mode_names[] = { "im", "dm", NULL };

static const char *const config_protocol_names[] = { "any", "tcp", "udp", "icmp", NULL };

static const struct key cell_keys[] = {
	KEY_ENUM(cell_cfg, "system", system, config_system_names),
	KEY(cell_cfg, "n_rb", n_rb, KIND_UINT, 6, 110),
	KEY(cell_cfg, "dl_carriers", dl_carriers, KIND_UINT, 1, 5),
	KEY(cell_cfg, "dl_codewords", dl_codewords, KIND_UINT, 1, 2),
	KEY_ENUM(cell_cfg, "scheduler", scheduler, config_scheduler_names),
	KEY(cell_cfg, "pf_average_tti", pf_average_tti, KIND_UINT, 1, 100000),
	KEY(cell_cfg, "max_pkts", max_pkts, KIND_UINT, 16, 65536),
	{ 0 },
};

static const char *const cell_elsewhere[] = { "timing", "ra", "mac", "harq", "control", "rlc", "rlc_um", "rlc_am", "pdcp", "mode_switch", "handover", "gtpu", "crowd", "utran", "packet_trace", "constant_rate", "nr", "ues", "enbs", "sgw", "a3", "condition", NULL };

static const struct key timing_keys[] = {
	KEY(cell_cfg, "rar_delay_tti", rar_delay_tti, KIND_UINT, 1, 12),
	KEY(cell_cfg, "rar_to_msg3_tti", rar_to_msg3_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "grant_to_tx_tti", grant_to_tx_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "decode_tti", decode_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "dl_sched_to_tx_tti", dl_sched_to_tx_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "processing_lead_us", processing_lead_ns, KIND_US_TO_NS, 0, 999),
	{ 0 },
};

static const struct key ra_keys[] = {
	KEY(cell_cfg, "rac_timeout_ms", rac_timeout_tti, KIND_MS_TO_TTI, 2, 1000),
	KEY(cell_cfg, "backoff_max_ms", backoff_max_ms, KIND_UINT, 0, 960),
	KEY(cell_cfg, "n_preambles", n_preambles, KIND_UINT, 1, 64),
	KEY(cell_cfg, "prach_period_tti", prach_period_tti, KIND_UINT, 1, 20),
	{ 0 },
};

static const struct key mac_keys[] = {
	KEY(cell_cfg, "bsr_grant_rb", bsr_grant_rb, KIND_UINT, 1, 6),
	KEY(cell_cfg, "bandwidth_stealing", bandwidth_stealing, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "trailing_bsr", trailing_bsr, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "enb_overhears_dm", enb_overhears_dm, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "grants_ignore_headers", grants_ignore_headers, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "ul_always_scheduled", ul_always_scheduled, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key harq_keys[] = {
	KEY(cell_cfg, "max_attempts", harq_max_attempts, KIND_UINT, 1, 8),
	KEY_ENUM(cell_cfg, "errors", harq_errors, config_harq_errors_names),
	KEY(cell_cfg, "dl_rtt_tti", harq_dl_rtt_tti, KIND_UINT, 8, 32),
	KEY(cell_cfg, "nack_to_ack", harq_nack_to_ack_q32, KIND_PROBABILITY, 0, 1),
	{ 0 },
};

static const char *const harq_elsewhere[] = { "bler", NULL };

static const struct key control_keys[] = {
	KEY(cell_cfg, "errors", control_errors, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "dtx", control_dtx, config_control_dtx_names),
	{ 0 },
};

static const struct key rlc_keys[] = {
	KEY_ENUM(cell_cfg, "mode", rlc_mode, config_rlc_mode_names),
	KEY_ENUM(cell_cfg, "delivery", delivery, config_delivery_names),
	KEY(cell_cfg, "queue_pkts", rlc_queue_pkts, KIND_UINT, 1, 65536),
	KEY(cell_cfg, "queue_bytes", rlc_queue_bytes, KIND_UINT, 0, 100000000),
	KEY(cell_cfg, "t_reordering_ms", t_reordering_ms, KIND_UINT, 0, 200),
	KEY(cell_cfg, "t_reassembly_ms", t_reordering_ms, KIND_UINT, 0, 200),
	{ 0 },
};

static const struct key rlc_um_keys[] = {
	KEY(cell_cfg, "sn_bits", um_sn_bits, KIND_UINT, 5, 12),
	{ 0 },
};

static const struct key rlc_am_keys[] = {
	KEY(cell_cfg, "sn_bits", am_sn_bits, KIND_UINT, 12, 18),
	KEY(cell_cfg, "poll_pdu", am_poll_pdu, KIND_UINT, 1, 1024),
	KEY(cell_cfg, "poll_byte", am_poll_byte, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "t_poll_retransmit_ms", am_t_poll_retransmit_ms, KIND_UINT, 5, 500),
	KEY(cell_cfg, "t_status_prohibit_ms", am_t_status_prohibit_ms, KIND_UINT, 0, 500),
	KEY(cell_cfg, "max_retx_threshold", am_max_retx_threshold, KIND_UINT, 1, 32),
	KEY_ENUM(cell_cfg, "on_max_retx", am_on_max_retx, config_am_on_max_retx_names),
	KEY(cell_cfg, "reestablish_ms", am_reestablish_ms, KIND_UINT, 0, 10000),
	{ 0 },
};

static const struct key pdcp_keys[] = {
	KEY(cell_cfg, "sn_bits", pdcp_sn_bits, KIND_UINT, 7, 18),
	KEY(cell_cfg, "discard_timer_ms", discard_timer_ms, KIND_UINT, 0, 1500),
	KEY(cell_cfg, "reordering", pdcp_reordering, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "t_reordering_ms", pdcp_t_reordering_ms, KIND_UINT, 0, 3000),
	KEY(cell_cfg, "t_reordering_infinite", pdcp_t_reordering_infinite, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "out_of_order_delivery", pdcp_out_of_order_delivery, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "duplication", pdcp_duplication, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "status_report", pdcp_status_report, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key mode_switch_keys[] = {
	KEY(cell_cfg, "select_ms", mode_select_ms, KIND_UINT, 0, 60000),
	KEY_ENUM(cell_cfg, "flush", mode_flush, config_mode_flush_names),
	KEY(cell_cfg, "flush_air", mode_flush_air, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key handover_keys[] = {
	KEY_ENUM(cell_cfg, "procedure", ho_procedure, config_ho_procedure_names),
	KEY(cell_cfg, "prediction_ms", ho_prediction_ms, KIND_UINT, 1, 10000),
	KEY(cell_cfg, "prediction_timeout_ms", ho_prediction_timeout_ms, KIND_UINT, 1, 60000),
	KEY(cell_cfg, "detach_ms", ho_detach_ms, KIND_UINT, 0, 10000),
	KEY(cell_cfg, "signalling_us", ho_signalling_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "end_marker_ms", ho_end_marker_ms, KIND_UINT, 1, 60000),
	KEY(cell_cfg, "end_markers", ho_end_markers, KIND_UINT, 1, 16),
	KEY(cell_cfg, "end_marker_gap_ms", ho_end_marker_gap_ms, KIND_UINT, 1, 1000),
	KEY(cell_cfg, "forwarding", ho_forwarding, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "reordering", ho_reordering, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "rrc_processing_ms", ho_rrc_processing_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "execution_ms", ho_execution_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "search_ms", ho_search_ms, KIND_UINT, 0, 1000),
	KEY(cell_cfg, "processing_ms", ho_processing_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "ssb_period_ms", ho_ssb_period_ms, KIND_UINT, 0, 160),
	KEY(cell_cfg, "margin_ms", ho_margin_ms, KIND_UINT, 0, 100),
	{ 0 },
};

static const struct key a3_keys[] = {
	KEY(cell_cfg, "offset_db", a3_offset_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "hysteresis_db", a3_hysteresis_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "time_to_trigger_ms", a3_time_to_trigger_ms, KIND_UINT, 0, 5120),
	KEY(cell_cfg, "filter_coefficient", a3_filter_coefficient, KIND_UINT, 0, 19),
	{ 0 },
};

static const struct key condition_keys[] = {
	KEY_ENUM(cell_cfg, "event", ho_cond_event, config_ho_cond_event_names),
	KEY(cell_cfg, "offset_db", ho_cond_offset_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "threshold1", ho_cond_threshold1, KIND_UINT, 0, 127),
	KEY(cell_cfg, "threshold2", ho_cond_threshold2, KIND_UINT, 0, 127),
	KEY(cell_cfg, "hysteresis_db", ho_cond_hysteresis_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "time_to_trigger_ms", ho_cond_time_to_trigger_ms, KIND_UINT, 0, 5120),
	{ 0 },
};

static const struct key gtpu_keys[] = {
	KEY_ENUM(cell_cfg, "ecn", gtpu_ecn, config_gtpu_ecn_names),
	{ 0 },
};

static const struct key crowd_keys[] = {
	KEY(cell_cfg, "count", crowd_count, KIND_UINT, 0, 1000),
	KEY_ENUM(cell_cfg, "direction", crowd_direction, config_crowd_direction_names),
	KEY_ENUM(cell_cfg, "arrival", crowd_arrival, config_crowd_arrival_names),
	KEY(cell_cfg, "offered_rate", crowd_offered_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "burst_bytes", crowd_burst_bytes, KIND_UINT, 40, 100000000),
	KEY_ENUM(cell_cfg, "burst_size", crowd_burst_size, config_crowd_burst_size_names),
	KEY(cell_cfg, "weight", crowd_weight, KIND_UINT, 1, 255),
	KEY(cell_cfg, "cqi_period_ms", crowd_cqi_period_ms, KIND_UINT, 0, 3600000),
	{ 0 },
};

static const char *const crowd_elsewhere[] = { "cqi", NULL };

static const struct key utran_keys[] = {
	KEY(cell_cfg, "dl_rate", utran_dl_rate_bps, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "ul_rate", utran_ul_rate_bps, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "tti_ms", utran_tti_ms, KIND_UINT, 10, 80),
	KEY(cell_cfg, "pdu_bytes", utran_pdu_bytes, KIND_UINT, 8, 126),
	KEY(cell_cfg, "delay_ms", utran_delay_ms, KIND_UINT, 0, 200),
	KEY(cell_cfg, "bler_dl", utran_bler_dl_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "bler_ul", utran_bler_ul_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "max_dat", utran_max_dat, KIND_UINT, 1, 40),
	KEY(cell_cfg, "tx_window_pdus", utran_tx_window_pdus, KIND_UINT, 1, 2047),
	KEY(cell_cfg, "poll_pdu", utran_poll_pdu, KIND_UINT, 0, 4095),
	KEY(cell_cfg, "poll_window_percent", utran_poll_window_percent, KIND_UINT, 1, 100),
	KEY(cell_cfg, "timer_poll_ms", utran_timer_poll_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "timer_mrw_ms", utran_timer_mrw_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "timer_status_prohibit_ms", utran_timer_status_prohibit_ms, KIND_UINT, 0, 1000),
	KEY_ENUM(cell_cfg, "status", utran_status, config_utran_status_names),
	KEY(cell_cfg, "queue_pkts", utran_queue_pkts, KIND_UINT, 1, 65536),
	{ 0 },
};

static const struct key packet_trace_keys[] = {
	KEY(cell_recorded, "delay_ms", delay_ms, KIND_UINT, 0, 10000),
	KEY(cell_recorded, "queue_pkts", queue_pkts, KIND_UINT, 1, 65536),
	KEY(cell_recorded, "queue_bytes", queue_bytes, KIND_UINT, 0, 100000000),
	KEY(cell_recorded, "bytes", bytes, KIND_UINT, 100, 9000),
	KEY(cell_recorded, "uplink_gap_ms", uplink_gap_ms, KIND_UINT, 0, 60000),
	KEY(cell_recorded, "downlink_gap_ms", downlink_gap_ms, KIND_UINT, 0, 60000),
	{ 0 },
};

static const char *const packet_trace_elsewhere[] = { "uplink", "downlink", "uplink_trains", "downlink_trains", "uplink_sizes_us", "downlink_sizes_us", NULL };

static const struct key constant_rate_keys[] = {
	KEY(cell_cfg, "dl_rate", constant_dl_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "ul_rate", constant_ul_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "delay_ms", constant_delay_ms, KIND_UINT, 0, 10000),
	KEY(cell_cfg, "loss_dl", constant_loss_dl_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "loss_ul", constant_loss_ul_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "queue_pkts", constant_queue_pkts, KIND_UINT, 1, 65536),
	{ 0 },
};

static const struct key nr_keys[] = {
	KEY(cell_cfg, "numerology", nr_numerology, KIND_UINT, 0, 3),
	KEY_ENUM(cell_cfg, "duplex", nr_duplex, config_nr_duplex_names),
	KEY_ENUM(cell_cfg, "frequency_range", nr_frequency_range, config_nr_frequency_range_names),
	KEY(cell_cfg, "bandwidth_mhz", nr_bandwidth_mhz, KIND_UINT, 5, 400),
	KEY(cell_cfg, "tdd_pattern", nr_tdd_pattern, KIND_STRING, 0, 0),
	KEY(cell_cfg, "tdd_special_dl_symbols", nr_tdd_special_dl_symbols, KIND_UINT, 0, 13),
	KEY(cell_cfg, "tdd_special_ul_symbols", nr_tdd_special_ul_symbols, KIND_UINT, 0, 13),
	KEY_ENUM(cell_cfg, "mcs_table_dl", nr_mcs_table_dl, config_nr_mcs_table_dl_names),
	KEY_ENUM(cell_cfg, "mcs_table_ul", nr_mcs_table_ul, config_nr_mcs_table_ul_names),
	KEY(cell_cfg, "layers_dl", nr_layers_dl, KIND_UINT, 1, 4),
	KEY(cell_cfg, "layers_ul", nr_layers_ul, KIND_UINT, 1, 4),
	KEY(cell_cfg, "pdcch_symbols", nr_pdcch_symbols, KIND_UINT, 1, 3),
	KEY(cell_cfg, "dmrs_symbols", nr_dmrs_symbols, KIND_UINT, 1, 4),
	KEY(cell_cfg, "overhead_re", nr_overhead_re, KIND_UINT, 0, 18),
	KEY(cell_cfg, "k0", nr_k0, KIND_UINT, 0, 32),
	KEY(cell_cfg, "k1_min", nr_k1_min, KIND_UINT, 0, 15),
	KEY(cell_cfg, "k2_min", nr_k2_min, KIND_UINT, 1, 32),
	KEY(cell_cfg, "processing_capability", nr_processing_capability, KIND_UINT, 1, 2),
	KEY(cell_cfg, "gnb_processing_us", nr_gnb_processing_us, KIND_UINT, 0, 5000),
	KEY(cell_cfg, "harq_processes", nr_harq_processes, KIND_UINT, 1, 16),
	KEY(cell_cfg, "sr_period_slots", nr_sr_period_slots, KIND_UINT, 0, 640),
	KEY(cell_cfg, "sr_prohibit_timer_ms", nr_sr_prohibit_timer_ms, KIND_UINT, 0, 128),
	KEY(cell_cfg, "sr_trans_max", nr_sr_trans_max, KIND_UINT, 4, 64),
	KEY(cell_cfg, "bsr_periodic_ms", nr_bsr_periodic_ms, KIND_UINT, 0, 2560),
	KEY(cell_cfg, "bsr_retx_ms", nr_bsr_retx_ms, KIND_UINT, 10, 10240),
	KEY_ENUM(cell_cfg, "configured_grant", nr_configured_grant, config_nr_configured_grant_names),
	KEY(cell_cfg, "cg_period_slots", nr_cg_period_slots, KIND_UINT, 1, 640),
	KEY(cell_cfg, "cg_rb", nr_cg_rb, KIND_UINT, 1, 275),
	KEY(cell_cfg, "cg_mcs", nr_cg_mcs, KIND_UINT, 0, 28),
	KEY(cell_cfg, "cg_processes", nr_cg_processes, KIND_UINT, 1, 16),
	KEY(cell_cfg, "drx_cycle_ms", nr_drx_cycle_ms, KIND_UINT, 0, 10240),
	KEY(cell_cfg, "drx_short_cycle_ms", nr_drx_short_cycle_ms, KIND_UINT, 0, 640),
	KEY(cell_cfg, "drx_short_cycle_timer", nr_drx_short_cycle_timer, KIND_UINT, 1, 16),
	KEY(cell_cfg, "drx_on_duration_ms", nr_drx_on_duration_ms, KIND_UINT, 1, 1600),
	KEY(cell_cfg, "drx_inactivity_ms", nr_drx_inactivity_ms, KIND_UINT, 0, 2560),
	KEY(cell_cfg, "drx_start_offset_ms", nr_drx_start_offset_ms, KIND_UINT, 0, 10239),
	KEY(cell_cfg, "drx_harq_rtt_slots", nr_drx_harq_rtt_slots, KIND_UINT, 0, 4),
	KEY(cell_cfg, "drx_retx_slots", nr_drx_retx_slots, KIND_UINT, 0, 320),
	KEY_ENUM(cell_cfg, "random_access", nr_random_access, config_nr_random_access_names),
	KEY(cell_cfg, "prach_period_slots", nr_prach_period_slots, KIND_UINT, 1, 1280),
	KEY(cell_cfg, "n_preambles", nr_n_preambles, KIND_UINT, 1, 64),
	KEY(cell_cfg, "preamble_trans_max", nr_preamble_trans_max, KIND_UINT, 3, 200),
	KEY(cell_cfg, "rar_delay_slots", nr_rar_delay_slots, KIND_UINT, 1, 40),
	KEY(cell_cfg, "response_window_slots", nr_response_window_slots, KIND_UINT, 4, 80),
	KEY(cell_cfg, "backoff_max_ms", nr_backoff_max_ms, KIND_UINT, 0, 1920),
	KEY(cell_cfg, "contention_resolution_ms", nr_contention_resolution_ms, KIND_UINT, 8, 64),
	KEY(cell_cfg, "ra_rb", nr_ra_rb, KIND_UINT, 1, 32),
	KEY(cell_cfg, "outer_loop", nr_outer_loop, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "target_bler", nr_target_bler_q32, KIND_PROBABILITY, 0, 0.5),
	KEY(cell_cfg, "outer_loop_step_db", nr_outer_loop_step_cdb, KIND_DB_TO_CDB, 0.01, 5),
	KEY(cell_cfg, "sdap_header", nr_sdap_header, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "aqm", nr_aqm, config_nr_aqm_names),
	KEY(cell_cfg, "aqm_uplink", nr_aqm_uplink, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "aqm_l4s_id", nr_aqm_l4s_id, config_nr_aqm_l4s_id_names),
	KEY(cell_cfg, "aqm_mark_from_us", nr_aqm_mark_from_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "aqm_mark_range_us", nr_aqm_mark_range_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "aqm_target_ms", nr_aqm_target_ms, KIND_UINT, 1, 500),
	KEY(cell_cfg, "aqm_tupdate_ms", nr_aqm_tupdate_ms, KIND_UINT, 1, 100),
	KEY(cell_cfg, "aqm_rtt_max_ms", nr_aqm_rtt_max_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "aqm_coupling", nr_aqm_coupling, KIND_UINT, 1, 10),
	KEY(cell_cfg, "aqm_shift_ms", nr_aqm_shift_ms, KIND_UINT, 0, 1000),
	{ 0 },
};

static const struct key ues_keys[] = {
	KEY_ENUM(cell_ue_cfg, "mode", mode, config_mode_names),
	KEY(cell_ue_cfg, "weight", weight, KIND_UINT, 1, 255),
	KEY(cell_ue_cfg, "rnti", rnti, KIND_UINT, 1, 65523),
	KEY(cell_ue_cfg, "cqi_ul", cqi_ul, KIND_UINT, 1, 15),
	KEY(cell_ue_cfg, "cqi_dl", cqi_dl, KIND_UINT, 1, 15),
	KEY(cell_ue_cfg, "cqi_sl", cqi_sl, KIND_UINT, 1, 15),
	KEY(cell_ue_cfg, "bler_ul", bler_ul_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_ue_cfg, "bler_dl", bler_dl_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_ue_cfg, "bler_sl", bler_sl_q32, KIND_PROBABILITY, 0, 1),
	{ 0 },
};

static const char *const ues_elsewhere[] = { "peer", "second_cqi_ul", "second_cqi_dl", "bearers", "packet_trace", "name", "enb", "address", NULL };

static const struct key bearers_keys[] = {
	KEY(cell_bearer_cfg, "priority", priority, KIND_UINT, 1, 16),
	KEY(cell_bearer_cfg, "prioritised_rate_bps", prioritised_rate_bps, KIND_UINT, 0, 100000000),
	KEY(cell_bearer_cfg, "bucket_ms", bucket_ms, KIND_UINT, 50, 1000),
	{ 0 },
};

static const char *const bearers_elsewhere[] = { "filters", "rlc", "rlc_um", "rlc_am", "pdcp", NULL };

static const struct key filters_keys[] = {
	KEY_ENUM(cell_filter, "protocol", protocol, config_protocol_names),
	KEY(cell_filter, "local_port", local_port, KIND_UINT, 0, 65535),
	KEY(cell_filter, "remote_port", remote_port, KIND_UINT, 0, 65535),
	KEY(cell_filter, "dscp", dscp, KIND_UINT, 0, 63),
	{ 0 },
};

const struct section config_cell = { "cell", cell_keys, cell_elsewhere };

const struct section config_ues = { "ues", ues_keys, ues_elsewhere };

const struct section config_bearers = { "bearers", bearers_keys, bearers_elsewhere };

const struct section config_filters = { "filters", filters_keys, NULL };

const struct section config_packet_trace = { "packet_trace", packet_trace_keys, packet_trace_elsewhere };

const struct section config_sections[] = {
	{ "timing", timing_keys, NULL },
	{ "ra", ra_keys, NULL },
	{ "mac", mac_keys, NULL },
	{ "harq", harq_keys, harq_elsewhere },
	{ "control", control_keys, NULL },
	{ "rlc", rlc_keys, NULL },
	{ "rlc_um", rlc_um_keys, NULL },
	{ "rlc_am", rlc_am_keys, NULL },
	{ "pdcp", pdcp_keys, NULL },
	{ "mode_switch", mode_switch_keys, NULL },
	{ "handover", handover_keys, NULL },
	{ "a3", a3_keys, NULL },
	{ "condition", condition_keys, NULL },
	{ "gtpu", gtpu_keys, NULL },
	{ "crowd", crowd_keys, crowd_elsewhere },
	{ "utran", utran_keys, NULL },
	{ "constant_rate", constant_rate_keys, NULL },
	{ "nr", nr_keys, NULL },
	{ 0 },
};
