/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defaults and limits of a configuration. */
#include "unit.h"

#include "cellcore.h"

/* Values of Table 1 and Figure 4 of the paper. */
static void test_default_is_the_paper(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);
	assert_int_equal(cfg.n_rb, 50); /* 10 MHz */
	assert_int_equal(cfg.rac_timeout_tti, 10);
	assert_int_equal(cfg.rar_delay_tti, 3);
	assert_int_equal(cfg.decode_tti, 4);
	assert_int_equal(cfg.um_sn_bits, 10);
	assert_int_equal(cfg.ue[0].peer, 2);
	assert_int_equal(cfg.ue[1].peer, 1);
}

/* A value just allowed, one just not, and who is to blame. */
#define EDGE(name, good, bad)                                                                      \
	do {                                                                                       \
		cell_cfg_default(&cfg);                                                            \
		cfg.rac_timeout_tti = 1000;                                                        \
		cfg.name = (good);                                                                 \
		assert_int_equal(cell_cfg_check(&cfg, &field, &range), 0);                         \
		cfg.name = (bad);                                                                  \
		assert_int_equal(cell_cfg_check(&cfg, &field, &range), -EINVAL);                   \
		assert_non_null(strstr("." #name, field));                                         \
		assert_true(strlen(range) > 0);                                                    \
	} while (0)

static void test_limits(void **state)
{
	const char *field, *range;
	struct cell_cfg cfg;

	(void)state;
	EDGE(n_rb, 6, 5);
	EDGE(n_rb, 110, 111);
	EDGE(n_ue, 2, 0);
	EDGE(rar_delay_tti, 1, 0);
	EDGE(rar_delay_tti, 12, 13);
	EDGE(grant_to_tx_tti, 1, 0);
	EDGE(grant_to_tx_tti, 8, 9);
	EDGE(decode_tti, 1, 0);
	EDGE(decode_tti, 8, 9);
	EDGE(dl_sched_to_tx_tti, 1, 0);
	EDGE(dl_sched_to_tx_tti, 8, 9);
	EDGE(processing_lead_ns, 999999, 1000000);
	EDGE(rac_timeout_tti, 1000, 1001);
	EDGE(backoff_max_ms, 960, 961);
	EDGE(n_preambles, 1, 0);
	EDGE(n_preambles, 64, 65);
	EDGE(prach_period_tti, 1, 0);
	EDGE(prach_period_tti, 20, 21);
	EDGE(bsr_grant_rb, 1, 0);
	EDGE(bsr_grant_rb, 6, 7);
	EDGE(bandwidth_stealing, 1, 2);
	EDGE(trailing_bsr, 1, 2);
	EDGE(enb_overhears_dm, 1, 2);
	EDGE(scheduler, 0, CELL_SCHED_COUNT);
	EDGE(um_sn_bits, 5, 6);
	EDGE(um_sn_bits, 10, 12);
	EDGE(t_reordering_ms, 200, 201);
	EDGE(rlc_queue_pkts, 1, 0);
	EDGE(rlc_queue_pkts, 65536, 65537);
	EDGE(pdcp_sn_bits, 7, 8);
	EDGE(pdcp_sn_bits, 12, 15);
	EDGE(discard_timer_ms, 1500, 1501);
	EDGE(max_pkts, 16, 15);
	EDGE(max_pkts, 65536, 65537);
	EDGE(max_cmds, 1, 0);
	EDGE(max_cmds, 65536, 65537);
	EDGE(ue[1].rnti, 65523, 65524);
	EDGE(ue[1].rnti, 1, 0);
	EDGE(ue[1].mode, CELL_MODE_DM, CELL_MODE_COUNT);
	EDGE(ue[1].cqi_ul, 1, 0);
	EDGE(ue[1].cqi_dl, 15, 16);
	EDGE(ue[1].cqi_sl, 15, 16);
	EDGE(ue[1].peer, 1, 2); /* itself */
	EDGE(ue[1].peer, 1, 3); /* there are two */
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
		cmocka_unit_test(test_default_is_the_paper),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_rar_before_timeout),
		cmocka_unit_test(test_init_errors),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
