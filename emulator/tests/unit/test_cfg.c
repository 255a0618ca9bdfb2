/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defaults and limits of a configuration. */
#include "unit.h"

#include "cellcore.h"

/* Tables 1 and Figure 4 of Nardini, Tables I and II of Pacifico, TS 36.321, 36.331 and 25.331,
 * EURANE. */
static void test_default_is_the_papers(void **state)
{
	static const double bler[] = { 0.1, 0.01, 0.005, 0.002, 0.001 }; /* Park 2013, section 3 */
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	assert_int_equal(cfg.seed, 1);
	assert_int_equal(cfg.n_rb, 50);
	assert_int_equal(cfg.n_ue, 2);
	assert_int_equal(cfg.n_enb, 1);
	assert_int_equal(cfg.ho_procedure, CELL_HO_STANDARD);
	assert_int_equal(cfg.ho_forwarding, 1);
	assert_int_equal(cfg.ho_reordering, 1);
	assert_int_equal(cfg.ho_detach_ms, 30);
	assert_int_equal(cfg.ho_prediction_ms, 130);
	assert_int_equal(cfg.ho_prediction_timeout_ms, 1000);
	assert_int_equal(cfg.ho_end_marker_ms, 200);
	assert_int_equal(cfg.ho_end_markers, 1);
	assert_int_equal(cfg.ho_end_marker_gap_ms, 20);
	assert_int_equal(cfg.ho_signalling_us, 4000);
	assert_int_equal(cfg.rar_delay_tti, 3);
	assert_int_equal(cfg.rar_to_msg3_tti, 2);
	assert_int_equal(cfg.grant_to_tx_tti, 2);
	assert_int_equal(cfg.decode_tti, 4);
	assert_int_equal(cfg.dl_sched_to_tx_tti, 1);
	assert_int_equal(cfg.processing_lead_ns, 250000);
	assert_int_equal(cfg.rac_timeout_tti, 10);
	assert_int_equal(cfg.backoff_max_ms, 20);
	assert_int_equal(cfg.n_preambles, 52);
	assert_int_equal(cfg.prach_period_tti, 1);
	assert_int_equal(cfg.bsr_grant_rb, 1);
	assert_int_equal(cfg.bandwidth_stealing, 1);
	assert_int_equal(cfg.trailing_bsr, 1);
	assert_int_equal(cfg.enb_overhears_dm, 0);
	assert_int_equal(cfg.scheduler, CELL_SCHED_RR);
	assert_int_equal(cfg.ul_always_scheduled, 0);
	assert_int_equal(cfg.dl_carriers, 1);
	assert_int_equal(cfg.dl_codewords, 1);
	assert_int_equal(cfg.harq_max_attempts, 1);
	assert_int_equal(cfg.harq_dl_rtt_tti, 8);
	assert_int_equal(cfg.n_harq_bler, 5);
	assert_int_equal(cfg.rlc_mode, CELL_RLC_UM);
	assert_int_equal(cfg.delivery, CELL_DELIVERY_IN_SEQUENCE);
	assert_int_equal(cfg.t_reordering_ms, 35);
	assert_int_equal(cfg.rlc_queue_pkts, 4096);
	assert_int_equal(cfg.um_sn_bits, 10);
	assert_int_equal(cfg.am_on_max_retx, CELL_MAX_RETX_REESTABLISH);
	assert_int_equal(cfg.am_max_retx_threshold, 8);
	assert_int_equal(cfg.am_poll_pdu, 16);
	assert_int_equal(cfg.am_poll_byte, 25000);
	assert_int_equal(cfg.am_t_poll_retransmit_ms, 45);
	assert_int_equal(cfg.am_t_status_prohibit_ms, 10);
	assert_int_equal(cfg.am_reestablish_ms, 100);
	assert_int_equal(cfg.pdcp_sn_bits, 12);
	assert_int_equal(cfg.discard_timer_ms, 0);
	assert_int_equal(cfg.pdcp_t_reordering_ms, 50);
	assert_int_equal(cfg.pdcp_status_report, 1);
	assert_int_equal(cfg.utran_tti_ms, 10);
	assert_int_equal(cfg.utran_pdu_bytes, 40);
	assert_int_equal(cfg.utran_dl_rate_bps, 384000);
	assert_int_equal(cfg.utran_ul_rate_bps, 32000);
	assert_int_equal(cfg.utran_max_dat, 6);
	assert_int_equal(cfg.utran_tx_window_pdus, 1024);
	assert_int_equal(cfg.utran_poll_pdu, 256);
	assert_int_equal(cfg.utran_poll_window_percent, 99);
	assert_int_equal(cfg.utran_timer_poll_ms, 85);
	assert_int_equal(cfg.utran_timer_mrw_ms, 100);
	assert_int_equal(cfg.utran_timer_status_prohibit_ms, 40);
	assert_int_equal(cfg.utran_queue_pkts, 4096);
	assert_int_equal(cfg.recorded.queue_pkts, 1000);
	assert_int_equal(cfg.recorded.bytes, 1500);
	assert_int_equal(cfg.max_pkts, 8192);
	assert_int_equal(cfg.max_cmds, 64);
	for (size_t i = 0; i < COUNT(bler); i++)
		assert_int_equal(cfg.harq_bler_q32[i], (uint32_t)(bler[i] * UINT32_MAX));
	for (uint8_t i = 0; i < 2; i++) {
		assert_int_equal(cfg.ue[i].rnti, 61 + i);
		assert_int_equal(cfg.ue[i].peer, 2 - i);
		assert_int_equal(cfg.ue[i].mode, CELL_MODE_DM);
		assert_int_equal(cfg.ue[i].cqi_ul, 15);
		assert_int_equal(cfg.ue[i].cqi_dl, 15);
		assert_int_equal(cfg.ue[i].cqi_sl, 15);
	}
}

/* Whether @name is the one to blame for what it is. */
#define TO_BLAME(name, value, allowed)                                                             \
	(cell_cfg_default(&cfg), cfg.name = (value), range = "",                                   \
	 cell_cfg_check(&cfg, &field, &range) == -EINVAL && strcmp(range, allowed) == 0 &&         \
	         strcmp(field, strrchr("." #name, '.') + 1) == 0)

/* Both ends, which are allowed, and what is beyond, where there is something. */
#define LIMIT(name, low, high)                                                                     \
	do {                                                                                       \
		const char *const allowed = #low ".." #high;                                       \
                                                                                                   \
		assert_false(TO_BLAME(name, low, allowed));                                        \
		assert_false(TO_BLAME(name, high, allowed));                                       \
		assert_true(TO_BLAME(name, high + 1, allowed));                                    \
		if (low)                                                                           \
			assert_true(TO_BLAME(name, low - 1, allowed));                             \
	} while (0)

static void test_limits(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	LIMIT(n_rb, 6, 110);
	LIMIT(n_ue, 1, 100);
	LIMIT(n_enb, 1, 4);
	LIMIT(gtpu_ecn, 0, 1);
	LIMIT(ho_procedure, 0, 4);
	LIMIT(ho_rrc_processing_ms, 0, 100);
	LIMIT(ho_cond_threshold1, 0, 127);
	LIMIT(ho_forwarding, 0, 1);
	LIMIT(ho_reordering, 0, 1);
	LIMIT(ho_detach_ms, 0, 10000);
	LIMIT(ho_prediction_ms, 1, 10000);
	LIMIT(ho_prediction_timeout_ms, 1, 60000);
	LIMIT(ho_end_marker_ms, 1, 60000);
	LIMIT(ho_end_markers, 1, 16);
	LIMIT(ho_end_marker_gap_ms, 1, 1000);
	LIMIT(ho_signalling_us, 0, 1000000);
	LIMIT(rar_delay_tti, 1, 12);
	LIMIT(rar_to_msg3_tti, 1, 8);
	LIMIT(grant_to_tx_tti, 1, 8);
	LIMIT(decode_tti, 1, 8);
	LIMIT(dl_sched_to_tx_tti, 1, 8);
	LIMIT(processing_lead_ns, 0, 999999);
	LIMIT(rac_timeout_tti, 2, 1000);
	LIMIT(backoff_max_ms, 0, 960);
	LIMIT(n_preambles, 1, 64);
	LIMIT(prach_period_tti, 1, 20);
	LIMIT(bsr_grant_rb, 1, 6);
	LIMIT(bandwidth_stealing, 0, 1);
	LIMIT(trailing_bsr, 0, 1);
	LIMIT(enb_overhears_dm, 0, 1);
	LIMIT(scheduler, 0, 4);
	LIMIT(pf_average_tti, 1, 100000);
	LIMIT(ul_always_scheduled, 0, 1);
	LIMIT(dl_carriers, 1, 5);
	LIMIT(dl_codewords, 1, 2);
	LIMIT(harq_max_attempts, 1, 8);
	LIMIT(harq_errors, 0, 1);
	LIMIT(harq_dl_rtt_tti, 8, 32);
	LIMIT(n_harq_bler, 1, 8);
	LIMIT(control_errors, 0, 1);
	LIMIT(control_dtx, 0, 1);
	LIMIT(grants_ignore_headers, 0, 1);
	LIMIT(rlc_queue_bytes, 0, 100000000);
	LIMIT(rlc_mode, 0, 2);
	LIMIT(delivery, 0, 1);
	LIMIT(am_on_max_retx, 0, 1);
	LIMIT(am_max_retx_threshold, 1, 32);
	LIMIT(am_poll_pdu, 1, 1024);
	LIMIT(am_poll_byte, 1, 10000000);
	LIMIT(am_t_poll_retransmit_ms, 5, 500);
	LIMIT(am_t_status_prohibit_ms, 0, 500);
	LIMIT(am_reestablish_ms, 0, 10000);
	LIMIT(mode_select_ms, 0, 60000);
	LIMIT(mode_flush, 0, 2);
	LIMIT(mode_flush_air, 0, 1);
	LIMIT(pdcp_reordering, 0, 1);
	LIMIT(pdcp_t_reordering_ms, 0, 3000);
	LIMIT(pdcp_status_report, 0, 1);
	LIMIT(t_reordering_ms, 0, 200);
	LIMIT(rlc_queue_pkts, 1, 65536);
	LIMIT(discard_timer_ms, 0, 1500);
	LIMIT(max_pkts, 16, 65536);
	LIMIT(max_cmds, 1, 65536);
	LIMIT(system, 0, 4);
	LIMIT(utran_pdu_bytes, 8, 126);
	LIMIT(utran_delay_ms, 0, 200);
	LIMIT(utran_max_dat, 1, 40);
	LIMIT(utran_tx_window_pdus, 1, 2047);
	LIMIT(utran_poll_pdu, 0, 4095);
	LIMIT(utran_poll_window_percent, 1, 100);
	LIMIT(utran_timer_poll_ms, 10, 1000);
	LIMIT(utran_timer_mrw_ms, 10, 1000);
	LIMIT(utran_timer_status_prohibit_ms, 0, 1000);
	LIMIT(utran_queue_pkts, 1, 65536);
	LIMIT(ue[1].rnti, 1, 65523);
	LIMIT(ue[1].mode, 0, 1);
	LIMIT(ue[1].cqi_ul, 1, 15);
	LIMIT(ue[1].cqi_dl, 1, 15);
	LIMIT(ue[1].cqi_sl, 1, 15);
}

#define BLAMED(who, why)                                                                           \
	do {                                                                                       \
		assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);                   \
		assert_string_equal(field, who);                                                   \
		assert_string_equal(range, why);                                                   \
	} while (0)

/* What is no range: the only values, and what others say. */
static void test_values_that_do_not_go_together(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	assert_true(TO_BLAME(um_sn_bits, 6, "5 or 10"));
	assert_true(TO_BLAME(um_sn_bits, 12, "5 or 10"));
	assert_false(TO_BLAME(um_sn_bits, 5, "5 or 10"));
	assert_true(TO_BLAME(pdcp_sn_bits, 8, "7 or 12"));
	assert_true(TO_BLAME(pdcp_sn_bits, 15, "7 or 12"));
	assert_true(TO_BLAME(pdcp_sn_bits, 18, "7 or 12"));
	assert_false(TO_BLAME(pdcp_sn_bits, 7, "7 or 12"));
	assert_true(TO_BLAME(ue[1].peer, 2, "another UE or the network")); /* itself */
	assert_true(TO_BLAME(ue[1].peer, 3, "another UE or the network")); /* there are two */
	cell_cfg_default(&cfg);
	cfg.ue[1].peer = CELL_PEER_NETWORK;
	BLAMED("mode", "im to the network");
	cell_cfg_default(&cfg);
	cfg.harq_bler_q32[3] = cfg.harq_bler_q32[2] + 1;
	BLAMED("harq_bler", "not increasing");
	cfg.harq_bler_q32[3]--;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

/* A grant and a decoding fit the eight sub-frames of synchronous HARQ. */
static void test_harq_in_time(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.decode_tti = 7;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.harq_max_attempts = 2;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "decode_tti");
	assert_string_equal(range, "with HARQ at most 8 together with grant_to_tx_tti");
	cfg.decode_tti = 6; /* and two for the grant */
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

static void test_a_resource_block_for_each_that_is_always_scheduled(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.ul_always_scheduled = 1;
	cfg.n_rb = 6;
	for (cfg.n_ue = 2; cfg.n_ue < 7; cfg.n_ue++) {
		assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
		cfg.ue[cfg.n_ue] = (struct cell_ue_cfg){ .rnti = 90,
			                                 .peer = 1,
			                                 .mode = CELL_MODE_DM,
			                                 .cqi_ul = 1,
			                                 .cqi_dl = 1,
			                                 .cqi_sl = 1 };
	}
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "ul_always_scheduled");
	/* In AM two have to be each other's peer. */
	cfg.ul_always_scheduled = 0;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc_mode = CELL_RLC_AM;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "peer");
	assert_string_equal(range, "with RLC AM each other's peer");
}

/* Two eNBs, UEs that talk to the network. */
static void several_enbs(struct cell_cfg *cfg)
{
	cell_cfg_default(cfg);
	cfg->n_enb = 2;
	cfg->sgw_gtpu_addr = 1;
	for (uint32_t i = 0; i < 2; i++) {
		cfg->enb_gtpu_addr[i] = 2 + i;
		cfg->ue[i].peer = CELL_PEER_NETWORK;
		cfg->ue[i].mode = CELL_MODE_IM;
		cfg->ue[i].addr = 4 + i;
	}
}

static void test_a_core_network(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	several_enbs(&cfg);
	cfg.ue[1].enb = 1;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.ue[1].enb = 2;
	BLAMED("enb", "less than the number of eNBs");
	several_enbs(&cfg);
	cfg.enb_gtpu_addr[1] = 0;
	BLAMED("enb_gtpu_addr", "with an S-GW one for each eNB");
	several_enbs(&cfg);
	cfg.ho_procedure = CELL_HO_CONDITIONAL;
	BLAMED("ho_procedure", "standard, fast_path_switch or prediction");
	several_enbs(&cfg);
	cfg.ue[1].addr = 0;
	BLAMED("addr", "with an S-GW one for each UE whose peer is the network");
	cfg.sgw_gtpu_addr = 0; /* without one nobody needs any */
	cfg.enb_gtpu_addr[0] = 0;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.ue[0].peer = 2;
	cfg.ue[0].enb = 1;
	BLAMED("peer", "a UE in the same cell");
}

static void test_what_a_handover_needs(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	several_enbs(&cfg);
	cfg.pdcp_reordering = 1;
	BLAMED("pdcp_reordering", "with several eNBs 0: RLC has the order");
	several_enbs(&cfg);
	cfg.delivery = CELL_DELIVERY_OUT_OF_SEQUENCE;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc_mode = CELL_RLC_AM;
	BLAMED("delivery", "with several eNBs and RLC AM in_sequence");
	several_enbs(&cfg);
	cfg.pdcp_sn_bits = 7;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc_mode = CELL_RLC_AM;
	BLAMED("pdcp_sn_bits", "with several eNBs and RLC AM 12");
	several_enbs(&cfg);
	cfg.ho_prediction_timeout_ms = 8; /* two messages of 4 ms */
	BLAMED("ho_prediction_timeout_ms", "longer than two messages of ho_signalling_us");
	cfg.ho_prediction_timeout_ms = 9;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

/* A RAR that comes with the timeout or after it would never be used. */
static void test_rar_before_timeout(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.rac_timeout_tti = 4;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rac_timeout_tti = 3;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "rar_delay_tti");
}

static void test_init_errors(void **state)
{
	static _Alignas(max_align_t) uint8_t mem[64];
	struct cell_cfg cfg;
	struct cell *c;

	(void)state;
	cell_cfg_default(&cfg);
	assert_true(cell_size(&cfg) > sizeof(mem));
	assert_int_equal(cell_init(&c, mem, sizeof(mem), &cfg, 0), -ENOMEM);
	cfg.n_rb = 0;
	assert_int_equal(cell_init(&c, mem, sizeof(mem), &cfg, 0), -EINVAL);
}

/* Every enumerator has a name of its own. */
static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < CELL_EV_COUNT; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(cell_event_name((enum cell_event)i),
			                        cell_event_name((enum cell_event)j));
	assert_string_equal(cell_event_name(CELL_EV_RA_TIMEOUT), "ra_timeout");
	assert_string_equal(cell_event_name(CELL_EV_ROUTE), "route");
	assert_string_equal(cell_drop_name(CELL_DROP_SHUTDOWN), "shutdown");
	assert_string_equal(cell_mode_name(CELL_MODE_DM), "dm");
	assert_string_equal(cell_dir_name(CELL_DIR_SL), "sl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_is_the_papers),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_values_that_do_not_go_together),
		cmocka_unit_test(test_harq_in_time),
		cmocka_unit_test(test_a_resource_block_for_each_that_is_always_scheduled),
		cmocka_unit_test(test_a_core_network),
		cmocka_unit_test(test_what_a_handover_needs),
		cmocka_unit_test(test_rar_before_timeout),
		cmocka_unit_test(test_init_errors),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
