/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defaults and limits of a configuration. */
#include "unit.h"

#include "base/limit.h"
#include "cellcore.h"
#include "cfg_values.h"

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
	assert_int_equal(cfg.lte.n_rb, 50);
	assert_int_equal(cfg.n_ue, 2);
	assert_int_equal(cfg.n_enb, 1);
	assert_int_equal(cfg.handover.procedure, CELL_HO_STANDARD);
	assert_int_equal(cfg.handover.forwarding, 1);
	assert_int_equal(cfg.handover.reordering, 1);
	assert_int_equal(cfg.handover.detach_ms, 30);
	assert_int_equal(cfg.handover.prediction_ms, 130);
	assert_int_equal(cfg.handover.prediction_timeout_ms, 1000);
	assert_int_equal(cfg.handover.end_marker_ms, 200);
	assert_int_equal(cfg.handover.end_markers, 1);
	assert_int_equal(cfg.handover.end_marker_gap_ms, 20);
	assert_int_equal(cfg.handover.signalling_us, 4000);
	assert_int_equal(cfg.lte.timing.rar_delay_tti, 3);
	assert_int_equal(cfg.lte.timing.rar_to_msg3_tti, 2);
	assert_int_equal(cfg.lte.timing.grant_to_tx_tti, 2);
	assert_int_equal(cfg.lte.timing.decode_tti, 4);
	assert_int_equal(cfg.lte.timing.dl_sched_to_tx_tti, 1);
	assert_int_equal(cfg.lte.timing.processing_lead_ns, 250000);
	assert_int_equal(cfg.lte.ra.rac_timeout_tti, 10);
	assert_int_equal(cfg.lte.ra.backoff_max_ms, 20);
	assert_int_equal(cfg.lte.ra.n_preambles, 52);
	assert_int_equal(cfg.lte.ra.prach_period_tti, 1);
	assert_int_equal(cfg.lte.mac.bsr_grant_rb, 1);
	assert_int_equal(cfg.lte.mac.bandwidth_stealing, 1);
	assert_int_equal(cfg.lte.mac.trailing_bsr, 1);
	assert_int_equal(cfg.lte.mac.enb_overhears_dm, 0);
	assert_int_equal(cfg.scheduler, CELL_SCHED_RR);
	assert_int_equal(cfg.lte.mac.ul_always_scheduled, 0);
	assert_int_equal(cfg.lte.dl_carriers, 1);
	assert_int_equal(cfg.lte.dl_codewords, 1);
	assert_int_equal(cfg.harq.max_attempts, 1);
	assert_int_equal(cfg.harq.dl_rtt_tti, 8);
	assert_int_equal(cfg.harq.n_bler, 5);
	assert_int_equal(cfg.rlc.mode, CELL_RLC_UM);
	assert_int_equal(cfg.rlc.delivery, CELL_DELIVERY_IN_SEQUENCE);
	assert_int_equal(cfg.rlc.t_reordering_ms, 35);
	assert_int_equal(cfg.rlc.queue_pkts, 4096);
	assert_int_equal(cfg.rlc.um.sn_bits, 10);
	assert_int_equal(cfg.rlc.am.on_max_retx, CELL_MAX_RETX_REESTABLISH);
	assert_int_equal(cfg.rlc.am.max_retx_threshold, 8);
	assert_int_equal(cfg.rlc.am.poll_pdu, 16);
	assert_int_equal(cfg.rlc.am.poll_byte, 25000);
	assert_int_equal(cfg.rlc.am.t_poll_retransmit_ms, 45);
	assert_int_equal(cfg.rlc.am.t_status_prohibit_ms, 10);
	assert_int_equal(cfg.rlc.am.reestablish_ms, 100);
	assert_int_equal(cfg.pdcp.sn_bits, 12);
	assert_int_equal(cfg.pdcp.discard_timer_ms, 0);
	assert_int_equal(cfg.pdcp.t_reordering_ms, 50);
	assert_int_equal(cfg.pdcp.status_report, 1);
	assert_int_equal(cfg.utran.tti_ms, 10);
	assert_int_equal(cfg.utran.pdu_bytes, 40);
	assert_int_equal(cfg.utran.dl_rate_bps, 384000);
	assert_int_equal(cfg.utran.ul_rate_bps, 32000);
	assert_int_equal(cfg.utran.max_dat, 6);
	assert_int_equal(cfg.utran.tx_window_pdus, 1024);
	assert_int_equal(cfg.utran.poll_pdu, 256);
	assert_int_equal(cfg.utran.poll_window_percent, 99);
	assert_int_equal(cfg.utran.timer_poll_ms, 85);
	assert_int_equal(cfg.utran.timer_mrw_ms, 100);
	assert_int_equal(cfg.utran.timer_status_prohibit_ms, 40);
	assert_int_equal(cfg.utran.queue_pkts, 4096);
	assert_int_equal(cfg.recorded.queue_pkts, 1000);
	assert_int_equal(cfg.recorded.bytes, 1500);
	assert_int_equal(cfg.max_pkts, 8192);
	assert_int_equal(cfg.max_cmds, 64);
	for (size_t i = 0; i < COUNT(bler); i++)
		assert_int_equal(cfg.harq.bler_q32[i], (uint32_t)(bler[i] * UINT32_MAX));
	assert_int_equal(cfg.crowd.n_cqi, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(cfg.crowd.cqi[i], 7 + 2 * i);
	assert_int_equal(cfg.rlc.t_reassembly_ms, 35);
	for (uint8_t i = 0; i < 2; i++) {
		assert_int_equal(cfg.ue[i].rnti, 61 + i);
		assert_int_equal(cfg.ue[i].peer, 2 - i);
		assert_int_equal(cfg.ue[i].mode, CELL_MODE_DM);
		assert_int_equal(cfg.ue[i].cqi_ul, 15);
		assert_int_equal(cfg.ue[i].cqi_dl, 15);
		assert_int_equal(cfg.ue[i].cqi_sl, 15);
	}
}

/* Whether @name is blamed, with these words. Of a UE's field it is called without the UE. */
static bool is_said(const struct cell_cfg *cfg, const char *name, const char *words)
{
	const char *field = "", *range = "", *within = strchr(name, ']');

	return cell_cfg_check(cfg, &field, &range) == -EINVAL && strcmp(range, words) == 0 &&
	       strcmp(field, within ? within + 2 : name) == 0;
}

/* Whether @name is the one to blame for what it is. */
#define TO_BLAME(name, value, allowed)                                                             \
	(cell_cfg_default(&cfg), cfg.name = (value), is_said(&cfg, #name, allowed))

static void put(void *base, const struct limit *l, uint64_t value)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	memcpy((uint8_t *)base + l->offset,
	       l->size == 1   ? &u8
	       : l->size == 2 ? (void *)&u16
	                      : &u32,
	       l->size);
}

/* Whether the field of @l is the one to blame when it has this value; @of_ue: it is UE 2's. */
static bool is_blamed(const struct limit *l, uint64_t value, bool of_ue)
{
	struct cell_cfg cfg;

	cell_cfg_default(&cfg);
	put(of_ue ? (void *)&cfg.ue[1] : &cfg, l, value);
	return is_said(&cfg, l->field, l->range);
}

/* Both ends, which are allowed, and what is beyond, where the field can hold it. */
static void check_ends(const struct limit *l, bool of_ue)
{
	uint64_t most = (UINT64_C(1) << 8 * l->size) - 1;

	assert_false(is_blamed(l, l->min, of_ue));
	assert_false(is_blamed(l, l->max, of_ue));
	assert_true(l->max == most || is_blamed(l, l->max + UINT64_C(1), of_ue));
	assert_true(l->min == 0 || is_blamed(l, l->min - 1, of_ue));
}

/* Every range that the models of scenarios have, and those of counts, which no model has. */
static void test_limits(void **state)
{
	static const struct limit of_cell[] = {
		CFG_LIMITS,
		LIMIT(cell_cfg, n_ue, 1, 100),
		LIMIT(cell_cfg, n_enb, 1, 4),
		LIMIT(cell_cfg, harq.n_bler, 1, 8),
		LIMIT(cell_cfg, max_cmds, 1, 65536),
	};
	static const struct limit of_ue[] = { CFG_UE_LIMITS };

	(void)state;
	for (size_t i = 0; i < COUNT(of_cell); i++)
		check_ends(&of_cell[i], false);
	for (size_t i = 0; i < COUNT(of_ue); i++)
		check_ends(&of_ue[i], true);
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
	assert_true(TO_BLAME(rlc.um.sn_bits, 6, "5 or 10"));
	assert_true(TO_BLAME(rlc.um.sn_bits, 12, "5 or 10"));
	assert_false(TO_BLAME(rlc.um.sn_bits, 5, "5 or 10"));
	assert_true(TO_BLAME(pdcp.sn_bits, 8, "7 or 12"));
	assert_true(TO_BLAME(pdcp.sn_bits, 15, "7 or 12"));
	assert_true(TO_BLAME(pdcp.sn_bits, 18, "7 or 12"));
	assert_false(TO_BLAME(pdcp.sn_bits, 7, "7 or 12"));
	assert_true(TO_BLAME(ue[1].peer, 2, "another UE or the network")); /* itself */
	assert_true(TO_BLAME(ue[1].peer, 3, "another UE or the network")); /* there are two */
	cell_cfg_default(&cfg);
	cfg.ue[1].peer = CELL_PEER_NETWORK;
	BLAMED("mode", "im to the network");
	cell_cfg_default(&cfg);
	cfg.harq.bler_q32[3] = cfg.harq.bler_q32[2] + 1;
	BLAMED("harq.bler", "not increasing");
	cfg.harq.bler_q32[3]--;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

/* A grant and a decoding fit the eight sub-frames of synchronous HARQ. */
static void test_harq_in_time(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.lte.timing.decode_tti = 7;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.harq.max_attempts = 2;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "lte.timing.decode_tti");
	assert_string_equal(range, "with HARQ at most 8 together with lte.timing.grant_to_tx_tti");
	cfg.lte.timing.decode_tti = 6; /* and two for the grant */
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

static void test_a_resource_block_for_each_that_is_always_scheduled(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.lte.mac.ul_always_scheduled = 1;
	cfg.lte.n_rb = 6;
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
	assert_string_equal(field, "lte.mac.ul_always_scheduled");
	/* In AM two have to be each other's peer. */
	cfg.lte.mac.ul_always_scheduled = 0;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc.mode = CELL_RLC_AM;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "peer");
	assert_string_equal(range, "the UE whose peer this one is, with RLC AM");
}

/* Two eNBs, UEs that talk to the network. */
static void several_enbs(struct cell_cfg *cfg)
{
	cell_cfg_default(cfg);
	cfg->n_enb = 2;
	cfg->gtpu.sgw_addr = 1;
	for (uint32_t i = 0; i < 2; i++) {
		cfg->gtpu.enb_addr[i] = 2 + i;
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
	cfg.gtpu.enb_addr[1] = 0;
	BLAMED("gtpu.enb_addr", "with an S-GW one for each eNB");
	several_enbs(&cfg);
	cfg.handover.procedure = CELL_HO_CONDITIONAL;
	BLAMED("handover.procedure", "standard, fast_path_switch or prediction");
	several_enbs(&cfg);
	cfg.ue[1].addr = 0;
	BLAMED("addr", "with an S-GW one for each UE whose peer is the network");
	cfg.gtpu.sgw_addr = 0; /* without one nobody needs any */
	cfg.gtpu.enb_addr[0] = 0;
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
	cfg.pdcp.reordering = 1;
	BLAMED("pdcp.reordering", "0 with several eNBs");
	several_enbs(&cfg);
	cfg.rlc.delivery = CELL_DELIVERY_OUT_OF_SEQUENCE;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc.mode = CELL_RLC_AM;
	BLAMED("rlc.delivery", "in_sequence with several eNBs and RLC AM");
	several_enbs(&cfg);
	cfg.pdcp.sn_bits = 7;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.rlc.mode = CELL_RLC_AM;
	BLAMED("pdcp.sn_bits", "12 with several eNBs and RLC AM");
	several_enbs(&cfg);
	cfg.handover.prediction_timeout_ms = 8; /* two messages of 4 ms */
	BLAMED("handover.prediction_timeout_ms",
	       "longer than two messages of handover.signalling_us");
	cfg.handover.prediction_timeout_ms = 9;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
}

/* A RAR that comes with the timeout or after it would never be used. */
static void test_rar_before_timeout(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.lte.ra.rac_timeout_tti = 4;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	cfg.lte.ra.rac_timeout_tti = 3;
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "lte.timing.rar_delay_tti");
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
	cfg.lte.n_rb = 0;
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
