/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/* Made by `make reference` of the models of scenarios. */

#include "config_key.h"

static const char *const config_system_names[] = { "lte", "utran", "packet_trace", "constant_rate", "nr", NULL };

static const char *const config_scheduler_names[] = { "rr", "wfq", "max_ci", "pf", "mlwdf", NULL };

static const char *const config_harq_errors_names[] = { "ladder", "sinr", NULL };

static const char *const config_lte_control_dtx_names[] = { "retry", "lose", NULL };

static const char *const config_rlc_mode_names[] = { "um", "am", "tm", NULL };

static const char *const config_rlc_delivery_names[] = { "in_sequence", "out_of_sequence", NULL };

static const char *const config_rlc_am_on_max_retx_names[] = { "reestablish", "stop", NULL };

static const char *const config_lte_mode_switch_flush_names[] = { "discard", "keep", "retransmit", NULL };

static const char *const config_handover_procedure_names[] = { "standard", "fast_path_switch", "prediction", "conditional", "daps", NULL };

static const char *const config_handover_condition_event_names[] = { "a3", "a5", NULL };

static const char *const config_gtpu_ecn_names[] = { "none", "copy", NULL };

static const char *const config_lte_crowd_direction_names[] = { "dl", "ul", "both", NULL };

static const char *const config_lte_crowd_arrival_names[] = { "poisson", "full_buffer", NULL };

static const char *const config_lte_crowd_burst_size_names[] = { "constant", "exponential", NULL };

static const char *const config_utran_status_names[] = { "block", "piggyback", "channel", NULL };

static const char *const config_nr_phy_duplex_names[] = { "fdd", "tdd", NULL };

static const char *const config_nr_phy_frequency_range_names[] = { "fr1", "fr2", NULL };

static const char *const config_nr_phy_mcs_table_dl_names[] = { "qam64", "qam256", "qam64_low_se", NULL };

static const char *const config_nr_phy_mcs_table_ul_names[] = { "qam64", "qam256", "qam64_low_se", NULL };

static const char *const config_nr_mac_configured_grant_names[] = { "none", "type1", "type2", NULL };

static const char *const config_nr_ra_procedure_names[] = { "four_step", "two_step", NULL };

static const char *const config_nr_aqm_mode_names[] = { "none", "mark", "dualpi2", NULL };

static const char *const config_nr_aqm_l4s_id_names[] = { "ect_1", "any_ect", NULL };

const char *const config_mode_names[] = { "im", "dm", NULL };

static const char *const config_protocol_names[] = { "any", "tcp", "udp", "icmp", NULL };

static const struct key cell_keys[] = {
	KEY_ENUM(cell_cfg, "system", system, config_system_names),
	KEY(cell_cfg, "n_rb", lte.n_rb, KIND_UINT, 6, 110),
	KEY(cell_cfg, "dl_carriers", lte.dl_carriers, KIND_UINT, 1, 5),
	KEY(cell_cfg, "dl_codewords", lte.dl_codewords, KIND_UINT, 1, 2),
	KEY_ENUM(cell_cfg, "scheduler", scheduler, config_scheduler_names),
	KEY(cell_cfg, "pf_average_tti", pf_average_tti, KIND_UINT, 1, 100000),
	KEY(cell_cfg, "max_pkts", max_pkts, KIND_UINT, 16, 65536),
	{ 0 },
};

static const char *const cell_elsewhere[] = { "timing", "ra", "mac", "harq", "control", "rlc", "rlc_um", "rlc_am", "pdcp", "mode_switch", "handover", "gtpu", "crowd", "utran", "packet_trace", "constant_rate", "nr", "ues", "enbs", "sgw", "a3", "condition", NULL };

static const struct key timing_keys[] = {
	KEY(cell_cfg, "rar_delay_tti", lte.timing.rar_delay_tti, KIND_UINT, 1, 12),
	KEY(cell_cfg, "rar_to_msg3_tti", lte.timing.rar_to_msg3_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "grant_to_tx_tti", lte.timing.grant_to_tx_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "decode_tti", lte.timing.decode_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "dl_sched_to_tx_tti", lte.timing.dl_sched_to_tx_tti, KIND_UINT, 1, 8),
	KEY(cell_cfg, "processing_lead_us", lte.timing.processing_lead_ns, KIND_US_TO_NS, 0, 999),
	{ 0 },
};

static const struct key ra_keys[] = {
	KEY(cell_cfg, "rac_timeout_ms", lte.ra.rac_timeout_tti, KIND_MS_TO_TTI, 2, 1000),
	KEY(cell_cfg, "backoff_max_ms", lte.ra.backoff_max_ms, KIND_UINT, 0, 960),
	KEY(cell_cfg, "n_preambles", lte.ra.n_preambles, KIND_UINT, 1, 64),
	KEY(cell_cfg, "prach_period_tti", lte.ra.prach_period_tti, KIND_UINT, 1, 20),
	{ 0 },
};

static const struct key mac_keys[] = {
	KEY(cell_cfg, "bsr_grant_rb", lte.mac.bsr_grant_rb, KIND_UINT, 1, 6),
	KEY(cell_cfg, "bandwidth_stealing", lte.mac.bandwidth_stealing, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "trailing_bsr", lte.mac.trailing_bsr, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "enb_overhears_dm", lte.mac.enb_overhears_dm, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "grants_ignore_headers", lte.mac.grants_ignore_headers, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "ul_always_scheduled", lte.mac.ul_always_scheduled, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key harq_keys[] = {
	KEY(cell_cfg, "max_attempts", harq.max_attempts, KIND_UINT, 1, 8),
	KEY_ENUM(cell_cfg, "errors", harq.errors, config_harq_errors_names),
	KEY(cell_cfg, "dl_rtt_tti", harq.dl_rtt_tti, KIND_UINT, 8, 32),
	KEY(cell_cfg, "nack_to_ack", harq.nack_to_ack_q32, KIND_PROBABILITY, 0, 1),
	{ 0 },
};

static const char *const harq_elsewhere[] = { "bler", NULL };

static const struct key control_keys[] = {
	KEY(cell_cfg, "errors", lte.control.errors, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "dtx", lte.control.dtx, config_lte_control_dtx_names),
	{ 0 },
};

static const struct key rlc_keys[] = {
	KEY_ENUM(cell_cfg, "mode", rlc.mode, config_rlc_mode_names),
	KEY_ENUM(cell_cfg, "delivery", rlc.delivery, config_rlc_delivery_names),
	KEY(cell_cfg, "queue_pkts", rlc.queue_pkts, KIND_UINT, 1, 65536),
	KEY(cell_cfg, "queue_bytes", rlc.queue_bytes, KIND_UINT, 0, 100000000),
	KEY(cell_cfg, "t_reordering_ms", rlc.t_reordering_ms, KIND_UINT, 0, 200),
	KEY(cell_cfg, "t_reassembly_ms", rlc.t_reassembly_ms, KIND_UINT, 0, 200),
	{ 0 },
};

static const struct key rlc_um_keys[] = {
	KEY(cell_cfg, "sn_bits", rlc.um.sn_bits, KIND_UINT, 5, 12),
	{ 0 },
};

static const struct key rlc_am_keys[] = {
	KEY(cell_cfg, "sn_bits", rlc.am.sn_bits, KIND_UINT, 12, 18),
	KEY(cell_cfg, "poll_pdu", rlc.am.poll_pdu, KIND_UINT, 1, 1024),
	KEY(cell_cfg, "poll_byte", rlc.am.poll_byte, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "t_poll_retransmit_ms", rlc.am.t_poll_retransmit_ms, KIND_UINT, 5, 500),
	KEY(cell_cfg, "t_status_prohibit_ms", rlc.am.t_status_prohibit_ms, KIND_UINT, 0, 500),
	KEY(cell_cfg, "max_retx_threshold", rlc.am.max_retx_threshold, KIND_UINT, 1, 32),
	KEY_ENUM(cell_cfg, "on_max_retx", rlc.am.on_max_retx, config_rlc_am_on_max_retx_names),
	KEY(cell_cfg, "reestablish_ms", rlc.am.reestablish_ms, KIND_UINT, 0, 10000),
	{ 0 },
};

static const struct key pdcp_keys[] = {
	KEY(cell_cfg, "sn_bits", pdcp.sn_bits, KIND_UINT, 7, 18),
	KEY(cell_cfg, "discard_timer_ms", pdcp.discard_timer_ms, KIND_UINT, 0, 1500),
	KEY(cell_cfg, "reordering", pdcp.reordering, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "t_reordering_ms", pdcp.t_reordering_ms, KIND_UINT, 0, 3000),
	KEY(cell_cfg, "t_reordering_infinite", pdcp.t_reordering_infinite, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "out_of_order_delivery", pdcp.out_of_order_delivery, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "duplication", pdcp.duplication, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "status_report", pdcp.status_report, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key mode_switch_keys[] = {
	KEY(cell_cfg, "select_ms", lte.mode_switch.select_ms, KIND_UINT, 0, 60000),
	KEY_ENUM(cell_cfg, "flush", lte.mode_switch.flush, config_lte_mode_switch_flush_names),
	KEY(cell_cfg, "flush_air", lte.mode_switch.flush_air, KIND_BOOL, 0, 1),
	{ 0 },
};

static const struct key handover_keys[] = {
	KEY_ENUM(cell_cfg, "procedure", handover.procedure, config_handover_procedure_names),
	KEY(cell_cfg, "prediction_ms", handover.prediction_ms, KIND_UINT, 1, 10000),
	KEY(cell_cfg, "prediction_timeout_ms", handover.prediction_timeout_ms, KIND_UINT, 1, 60000),
	KEY(cell_cfg, "detach_ms", handover.detach_ms, KIND_UINT, 0, 10000),
	KEY(cell_cfg, "signalling_us", handover.signalling_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "end_marker_ms", handover.end_marker_ms, KIND_UINT, 1, 60000),
	KEY(cell_cfg, "end_markers", handover.end_markers, KIND_UINT, 1, 16),
	KEY(cell_cfg, "end_marker_gap_ms", handover.end_marker_gap_ms, KIND_UINT, 1, 1000),
	KEY(cell_cfg, "forwarding", handover.forwarding, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "reordering", handover.reordering, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "rrc_processing_ms", handover.rrc_processing_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "execution_ms", handover.execution_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "search_ms", handover.search_ms, KIND_UINT, 0, 1000),
	KEY(cell_cfg, "processing_ms", handover.processing_ms, KIND_UINT, 0, 100),
	KEY(cell_cfg, "ssb_period_ms", handover.ssb_period_ms, KIND_UINT, 0, 160),
	KEY(cell_cfg, "margin_ms", handover.margin_ms, KIND_UINT, 0, 100),
	{ 0 },
};

static const struct key a3_keys[] = {
	KEY(cell_cfg, "offset_db", handover.a3.offset_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "hysteresis_db", handover.a3.hysteresis_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "time_to_trigger_ms", handover.a3.time_to_trigger_ms, KIND_UINT, 0, 5120),
	KEY(cell_cfg, "filter_coefficient", handover.a3.filter_coefficient, KIND_UINT, 0, 19),
	{ 0 },
};

static const struct key condition_keys[] = {
	KEY_ENUM(cell_cfg, "event", handover.condition.event, config_handover_condition_event_names),
	KEY(cell_cfg, "offset_db", handover.condition.offset_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "threshold1", handover.condition.threshold1, KIND_UINT, 0, 127),
	KEY(cell_cfg, "threshold2", handover.condition.threshold2, KIND_UINT, 0, 127),
	KEY(cell_cfg, "hysteresis_db", handover.condition.hysteresis_cdb, KIND_DB_TO_CDB, 0, 15),
	KEY(cell_cfg, "time_to_trigger_ms", handover.condition.time_to_trigger_ms, KIND_UINT, 0, 5120),
	{ 0 },
};

static const struct key gtpu_keys[] = {
	KEY_ENUM(cell_cfg, "ecn", gtpu.ecn, config_gtpu_ecn_names),
	{ 0 },
};

static const struct key crowd_keys[] = {
	KEY(cell_cfg, "count", lte.crowd.count, KIND_UINT, 0, 1000),
	KEY_ENUM(cell_cfg, "direction", lte.crowd.direction, config_lte_crowd_direction_names),
	KEY_ENUM(cell_cfg, "arrival", lte.crowd.arrival, config_lte_crowd_arrival_names),
	KEY(cell_cfg, "offered_rate", lte.crowd.offered_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "burst_bytes", lte.crowd.burst_bytes, KIND_UINT, 40, 100000000),
	KEY_ENUM(cell_cfg, "burst_size", lte.crowd.burst_size, config_lte_crowd_burst_size_names),
	KEY(cell_cfg, "weight", lte.crowd.weight, KIND_UINT, 1, 255),
	KEY(cell_cfg, "cqi_period_ms", lte.crowd.cqi_period_ms, KIND_UINT, 0, 3600000),
	{ 0 },
};

static const char *const crowd_elsewhere[] = { "cqi", NULL };

static const struct key utran_keys[] = {
	KEY(cell_cfg, "dl_rate", utran.dl_rate_bps, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "ul_rate", utran.ul_rate_bps, KIND_UINT, 1, 10000000),
	KEY(cell_cfg, "tti_ms", utran.tti_ms, KIND_UINT, 10, 80),
	KEY(cell_cfg, "pdu_bytes", utran.pdu_bytes, KIND_UINT, 8, 126),
	KEY(cell_cfg, "delay_ms", utran.delay_ms, KIND_UINT, 0, 200),
	KEY(cell_cfg, "bler_dl", utran.bler_dl_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "bler_ul", utran.bler_ul_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "max_dat", utran.max_dat, KIND_UINT, 1, 40),
	KEY(cell_cfg, "tx_window_pdus", utran.tx_window_pdus, KIND_UINT, 1, 2047),
	KEY(cell_cfg, "poll_pdu", utran.poll_pdu, KIND_UINT, 0, 4095),
	KEY(cell_cfg, "poll_window_percent", utran.poll_window_percent, KIND_UINT, 1, 100),
	KEY(cell_cfg, "timer_poll_ms", utran.timer_poll_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "timer_mrw_ms", utran.timer_mrw_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "timer_status_prohibit_ms", utran.timer_status_prohibit_ms, KIND_UINT, 0, 1000),
	KEY_ENUM(cell_cfg, "status", utran.status, config_utran_status_names),
	KEY(cell_cfg, "queue_pkts", utran.queue_pkts, KIND_UINT, 1, 65536),
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
	KEY(cell_cfg, "dl_rate", constant.dl_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "ul_rate", constant.ul_rate_bps, KIND_UINT, 1000, 1000000000),
	KEY(cell_cfg, "delay_ms", constant.delay_ms, KIND_UINT, 0, 10000),
	KEY(cell_cfg, "loss_dl", constant.loss_dl_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "loss_ul", constant.loss_ul_q32, KIND_PROBABILITY, 0, 1),
	KEY(cell_cfg, "queue_pkts", constant.queue_pkts, KIND_UINT, 1, 65536),
	{ 0 },
};

static const struct key nr_keys[] = {
	KEY(cell_cfg, "numerology", nr.phy.numerology, KIND_UINT, 0, 3),
	KEY_ENUM(cell_cfg, "duplex", nr.phy.duplex, config_nr_phy_duplex_names),
	KEY_ENUM(cell_cfg, "frequency_range", nr.phy.frequency_range, config_nr_phy_frequency_range_names),
	KEY(cell_cfg, "bandwidth_mhz", nr.phy.bandwidth_mhz, KIND_UINT, 5, 400),
	KEY(cell_cfg, "tdd_pattern", nr.phy.tdd_pattern, KIND_STRING, 0, 0),
	KEY(cell_cfg, "tdd_special_dl_symbols", nr.phy.tdd_special_dl_symbols, KIND_UINT, 0, 13),
	KEY(cell_cfg, "tdd_special_ul_symbols", nr.phy.tdd_special_ul_symbols, KIND_UINT, 0, 13),
	KEY_ENUM(cell_cfg, "mcs_table_dl", nr.phy.mcs_table_dl, config_nr_phy_mcs_table_dl_names),
	KEY_ENUM(cell_cfg, "mcs_table_ul", nr.phy.mcs_table_ul, config_nr_phy_mcs_table_ul_names),
	KEY(cell_cfg, "layers_dl", nr.phy.layers_dl, KIND_UINT, 1, 4),
	KEY(cell_cfg, "layers_ul", nr.phy.layers_ul, KIND_UINT, 1, 4),
	KEY(cell_cfg, "pdcch_symbols", nr.phy.pdcch_symbols, KIND_UINT, 1, 3),
	KEY(cell_cfg, "dmrs_symbols", nr.phy.dmrs_symbols, KIND_UINT, 1, 4),
	KEY(cell_cfg, "overhead_re", nr.phy.overhead_re, KIND_UINT, 0, 18),
	KEY(cell_cfg, "k0", nr.mac.k0, KIND_UINT, 0, 32),
	KEY(cell_cfg, "k1_min", nr.mac.k1_min, KIND_UINT, 0, 15),
	KEY(cell_cfg, "k2_min", nr.mac.k2_min, KIND_UINT, 1, 32),
	KEY(cell_cfg, "processing_capability", nr.mac.processing_capability, KIND_UINT, 1, 2),
	KEY(cell_cfg, "gnb_processing_us", nr.mac.gnb_processing_us, KIND_UINT, 0, 5000),
	KEY(cell_cfg, "harq_processes", nr.mac.harq_processes, KIND_UINT, 1, 16),
	KEY(cell_cfg, "sr_period_slots", nr.mac.sr_period_slots, KIND_UINT, 0, 640),
	KEY(cell_cfg, "sr_prohibit_timer_ms", nr.mac.sr_prohibit_timer_ms, KIND_UINT, 0, 128),
	KEY(cell_cfg, "sr_trans_max", nr.mac.sr_trans_max, KIND_UINT, 4, 64),
	KEY(cell_cfg, "bsr_periodic_ms", nr.mac.bsr_periodic_ms, KIND_UINT, 0, 2560),
	KEY(cell_cfg, "bsr_retx_ms", nr.mac.bsr_retx_ms, KIND_UINT, 10, 10240),
	KEY_ENUM(cell_cfg, "configured_grant", nr.mac.configured_grant, config_nr_mac_configured_grant_names),
	KEY(cell_cfg, "cg_period_slots", nr.mac.cg_period_slots, KIND_UINT, 1, 640),
	KEY(cell_cfg, "cg_rb", nr.mac.cg_rb, KIND_UINT, 1, 275),
	KEY(cell_cfg, "cg_mcs", nr.mac.cg_mcs, KIND_UINT, 0, 28),
	KEY(cell_cfg, "cg_processes", nr.mac.cg_processes, KIND_UINT, 1, 16),
	KEY(cell_cfg, "drx_cycle_ms", nr.drx.cycle_ms, KIND_UINT, 0, 10240),
	KEY(cell_cfg, "drx_short_cycle_ms", nr.drx.short_cycle_ms, KIND_UINT, 0, 640),
	KEY(cell_cfg, "drx_short_cycle_timer", nr.drx.short_cycle_timer, KIND_UINT, 1, 16),
	KEY(cell_cfg, "drx_on_duration_ms", nr.drx.on_duration_ms, KIND_UINT, 1, 1600),
	KEY(cell_cfg, "drx_inactivity_ms", nr.drx.inactivity_ms, KIND_UINT, 0, 2560),
	KEY(cell_cfg, "drx_start_offset_ms", nr.drx.start_offset_ms, KIND_UINT, 0, 10239),
	KEY(cell_cfg, "drx_harq_rtt_slots", nr.drx.harq_rtt_slots, KIND_UINT, 0, 4),
	KEY(cell_cfg, "drx_retx_slots", nr.drx.retx_slots, KIND_UINT, 0, 320),
	KEY_ENUM(cell_cfg, "random_access", nr.ra.procedure, config_nr_ra_procedure_names),
	KEY(cell_cfg, "prach_period_slots", nr.ra.prach_period_slots, KIND_UINT, 1, 1280),
	KEY(cell_cfg, "n_preambles", nr.ra.n_preambles, KIND_UINT, 1, 64),
	KEY(cell_cfg, "preamble_trans_max", nr.ra.preamble_trans_max, KIND_UINT, 3, 200),
	KEY(cell_cfg, "rar_delay_slots", nr.ra.rar_delay_slots, KIND_UINT, 1, 40),
	KEY(cell_cfg, "response_window_slots", nr.ra.response_window_slots, KIND_UINT, 4, 80),
	KEY(cell_cfg, "backoff_max_ms", nr.ra.backoff_max_ms, KIND_UINT, 0, 1920),
	KEY(cell_cfg, "contention_resolution_ms", nr.ra.contention_resolution_ms, KIND_UINT, 8, 64),
	KEY(cell_cfg, "ra_rb", nr.ra.rb, KIND_UINT, 1, 32),
	KEY(cell_cfg, "outer_loop", nr.link_adaptation.outer_loop, KIND_BOOL, 0, 1),
	KEY(cell_cfg, "target_bler", nr.link_adaptation.target_bler_q32, KIND_PROBABILITY, 0, 0.5),
	KEY(cell_cfg, "outer_loop_step_db", nr.link_adaptation.outer_loop_step_cdb, KIND_DB_TO_CDB, 0.01, 5),
	KEY(cell_cfg, "sdap_header", nr.sdap_header, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "aqm", nr.aqm.mode, config_nr_aqm_mode_names),
	KEY(cell_cfg, "aqm_uplink", nr.aqm.uplink, KIND_BOOL, 0, 1),
	KEY_ENUM(cell_cfg, "aqm_l4s_id", nr.aqm.l4s_id, config_nr_aqm_l4s_id_names),
	KEY(cell_cfg, "aqm_mark_from_us", nr.aqm.mark_from_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "aqm_mark_range_us", nr.aqm.mark_range_us, KIND_UINT, 0, 1000000),
	KEY(cell_cfg, "aqm_target_ms", nr.aqm.target_ms, KIND_UINT, 1, 500),
	KEY(cell_cfg, "aqm_tupdate_ms", nr.aqm.tupdate_ms, KIND_UINT, 1, 100),
	KEY(cell_cfg, "aqm_rtt_max_ms", nr.aqm.rtt_max_ms, KIND_UINT, 10, 1000),
	KEY(cell_cfg, "aqm_coupling", nr.aqm.coupling, KIND_UINT, 1, 10),
	KEY(cell_cfg, "aqm_shift_ms", nr.aqm.shift_ms, KIND_UINT, 0, 1000),
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
