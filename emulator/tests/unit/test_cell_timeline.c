/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When things happen to one packet. Source: Nardini, Figure 4: preamble at 0,
 * RAR at 3, BSR at 5, decoded and granted at 9, data at 11, decoded at 15 ms;
 * a PDU is decoded processing_lead_us before the boundary.
 */
#include "run.h"
#include "unit.h"

#define LEAD_NS 250000

static void expect_at(const struct run *r, enum cell_event event, uint8_t node, size_t n,
                      int64_t t_ns)
{
	assert_int_equal(run_find(r, event, node, n)->t_ns, t_ns);
}

static void test_direct_mode(void **state)
{
	const struct cell_record *rec;
	struct cell_stats stats;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_PKT_IN, 1, 0, 0);
	expect_at(&r, CELL_EV_RA_PREAMBLE, 1, 0, 0);
	rec = run_find(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, MS(3));
	assert_int_equal(rec->value, 2); /* TTIs to the transmission */
	assert_int_equal(rec->rb, 1);
	assert_int_equal(rec->bytes, 89);
	assert_int_equal(rec->sn, run_find(&r, CELL_EV_RA_PREAMBLE, 1, 0)->sn);
	/* 1000 + 2 bytes of PDCP header: level 31 is 968..1132. */
	rec = run_find(&r, CELL_EV_BSR_TX, 1, 0);
	assert_int_equal(rec->t_ns, MS(5));
	assert_int_equal(rec->sn, 1); /* LCG of the direct bearer */
	assert_int_equal(rec->bytes, 1002);
	assert_int_equal(rec->value, 31);
	rec = run_find(&r, CELL_EV_MAC_TX, 1, 0);
	assert_int_equal(rec->t_ns, MS(5));
	assert_int_equal(rec->aux, 1);
	/* C-RNTI 3, short BSR 2; the rest of 89 is padding. */
	assert_int_equal(rec->value, 84);
	expect_at(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0, MS(9) - LEAD_NS);
	/*
	 * For 1132 + 8 + 1132 / 28 = 1180 bytes I_TBS 26 needs 13 PRBs (9528
	 * bits); DFT sizes make it 15.
	 */
	rec = run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, MS(9));
	assert_int_equal(rec->dir, CELL_DIR_SL);
	assert_int_equal(rec->peer, 1);
	assert_int_equal(rec->rb, 15);
	assert_int_equal(rec->value, 2);
	assert_int_equal(rec->mcs, 28);
	assert_int_equal(rec->cqi, 15);
	rec = run_find(&r, CELL_EV_RLC_TX, 1, 0);
	assert_int_equal(rec->t_ns, MS(11));
	assert_int_equal(rec->value, 1002);
	assert_int_equal(rec->aux, 1);
	expect_at(&r, CELL_EV_MAC_TX, 1, 1, MS(11));
	expect_at(&r, CELL_EV_RLC_RX, 2, 0, MS(15) - LEAD_NS);
	rec = run_find(&r, CELL_EV_PKT_OUT, 2, 0);
	assert_int_equal(rec->t_ns, MS(15) - LEAD_NS);
	assert_int_equal(rec->value, 14750);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].ue, 2);
	assert_int_equal(r.delivered[0].tag, 1);
	assert_int_equal(run_count(&r, CELL_EV_MAC_TX, CELL_NODE_ENB), 0);
	cell_stats(r.cell, &stats);
	/* Something was to be done in sub-frames 0, 3, 5, 9 and 11; empty ones cost nothing. */
	assert_in_range(stats.ttis_active, 5, 12);
	/* After the RAR, and what is left beside the data. */
	assert_int_equal(stats.bsrs, run_count(&r, CELL_EV_BSR_TX, 1));
	for (size_t i = 0; i < r.n_pdus; i++) {
		const struct cell_pdu_info *pdu = &r.pdus[i];
		bool rar = pdu->dir == CELL_DIR_DL;

		assert_int_equal(pdu->rnti_type, rar ? 2 : 3);
		assert_int_equal(pdu->rnti, rar ? 1 + 3 : 61); /* the RAR's in sub-frame 3 */
		assert_int_equal(pdu->ue, 1);
	}
	run_end(&r);
}

/* The same up to 15 ms at the eNB; then scheduled at 15, sent at 16, decoded at 20. */
static void test_infrastructure_mode(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_MAC_TX, 1, 1, MS(11));
	expect_at(&r, CELL_EV_MAC_RX, CELL_NODE_ENB, 1, MS(15) - LEAD_NS);
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1)->dir, CELL_DIR_DL);
	expect_at(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1, MS(15));
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0, MS(16));
	/* once: what a grant is under way for is not granted again */
	assert_int_equal(run_count(&r, CELL_EV_MAC_TX, CELL_NODE_ENB), 1);
	expect_at(&r, CELL_EV_PKT_OUT, 2, 0, MS(20) - LEAD_NS);
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 2); /* one a hop */
	run_end(&r);
}

/* Arrival to delivery, for a packet too large for the RAR's grant. */
static int64_t delay_ns(const struct cell_cfg *cfg, int64_t arrival_ns)
{
	int64_t t_ns;
	struct run r;

	run_defaults(&r, CELL_MODE_DM);
	r.cfg = *cfg;
	run_start(&r);
	run_push(&r, 1, 1000, arrival_ns);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 1);
	t_ns = r.delivered[0].t_ns - arrival_ns;
	run_end(&r);
	return t_ns;
}

/* RAR delay + 2 * (grant to transmission + decoding) - lead; IM: + scheduling + decoding. */
static void test_every_delay_counts(void **state)
{
	static const struct {
		uint8_t rar, msg3, grant, decode, dl_sched;
		uint32_t lead_ns;
		int64_t dm_ms, im_ms;
	} cases[] = {
		{ 3, 2, 2, 4, 1, 250000, 15, 20 }, { 3, 2, 2, 4, 1, 0, 15, 20 },
		{ 3, 2, 2, 4, 1, 999999, 15, 20 }, { 5, 2, 2, 4, 1, 0, 17, 22 },
		{ 3, 4, 4, 4, 1, 0, 19, 24 },      { 3, 2, 2, 8, 1, 0, 23, 32 },
		{ 3, 2, 2, 4, 8, 0, 15, 27 },      { 1, 1, 1, 1, 1, 0, 5, 7 },
		{ 3, 6, 2, 4, 1, 0, 19, 24 },      { 3, 6, 4, 4, 1, 0, 21, 26 }, /* FDD */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cell_cfg cfg;

		cell_cfg_default(&cfg);
		cfg.lte.ra.rac_timeout_tti = 50; /* longer than any of them */
		cfg.lte.timing.rar_delay_tti = cases[i].rar;
		cfg.lte.timing.rar_to_msg3_tti = cases[i].msg3;
		cfg.lte.timing.grant_to_tx_tti = cases[i].grant;
		cfg.lte.timing.decode_tti = cases[i].decode;
		cfg.lte.timing.dl_sched_to_tx_tti = cases[i].dl_sched;
		cfg.lte.timing.processing_lead_ns = cases[i].lead_ns;
		assert_int_equal(delay_ns(&cfg, 0), MS(cases[i].dm_ms) - cases[i].lead_ns);
		cfg.ue[0].mode = CELL_MODE_IM;
		assert_int_equal(delay_ns(&cfg, 0), MS(cases[i].im_ms) - cases[i].lead_ns);
	}
}

/* Within a sub-frame a packet waits for the next; at a boundary it is in time. */
static void test_arrival_in_sub_frame(void **state)
{
	struct cell_cfg cfg;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.lte.timing.processing_lead_ns = 0;
	assert_int_equal(delay_ns(&cfg, MS(7)), MS(15));
	assert_int_equal(delay_ns(&cfg, MS(7) + 1), MS(16) - 1);
	assert_int_equal(delay_ns(&cfg, MS(8) - 1), MS(15) + 1);
	cfg.lte.ra.prach_period_tti = 5; /* 7 ms waits for the occasion at 10 */
	assert_int_equal(delay_ns(&cfg, MS(7)), MS(18));
	assert_int_equal(delay_ns(&cfg, MS(10)), MS(15));
}

/* 40 bytes fit the RAR's grant: 5 ms BSR and data, 9 - 10 - 14 ms downlink. */
static void test_bandwidth_stealing(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	run_push(&r, 1, 40, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].t_ns, MS(14) - LEAD_NS);
	assert_int_equal(run_find(&r, CELL_EV_BSR_TX, 1, 0)->value, 0); /* nothing left */
	assert_int_equal(run_count(&r, CELL_EV_MAC_TX, 1), 1);
	run_end(&r);

	run_defaults(&r, CELL_MODE_IM);
	r.cfg.lte.mac.bandwidth_stealing = 0;
	run_start(&r);
	run_push(&r, 1, 40, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].t_ns, MS(20) - LEAD_NS);
	run_end(&r);

	/* The RAR's grant is for the eNB: a sidelink packet cannot use it. */
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 40, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.delivered[0].t_ns, MS(15) - LEAD_NS);
	run_end(&r);
}

/*
 * Of 1002 bytes the 89 of the RAR's grant carry 89 - 3 (C-RNTI) - 2 (BSR) - 1
 * (subheader) - 2 (RLC) = 81; the BSR reports the other 921, level 30.
 */
static void test_partial_stealing(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_RLC_TX, 1, 0);
	assert_int_equal(rec->t_ns, MS(5));
	assert_int_equal(rec->value, 81);
	assert_int_equal(rec->aux, 0);
	rec = run_find(&r, CELL_EV_BSR_TX, 1, 0);
	assert_int_equal(rec->bytes, 921);
	assert_int_equal(rec->value, 30);
	run_end(&r);
}

/* The worst radio: I_TBS 0 gives 2 bytes a PRB, yet the BSR gets its grant. */
static void test_cqi_1(void **state)
{
	(void)state;
	for (int mode = 0; mode < CELL_MODE_COUNT; mode++) {
		struct run r;

		run_defaults(&r, (enum cell_mode)mode);
		r.cfg.lte.n_rb = 6;
		r.cfg.ue[0].cqi_ul = r.cfg.ue[0].cqi_sl = r.cfg.ue[1].cqi_dl = 1;
		run_start(&r);
		run_push(&r, 1, 1500, 0);
		run_until(&r, MS(2000));
		assert_int_equal(r.n_delivered, 1);
		/* 7 bytes are 3 PRBs. Source: TS 36.321 5.1.4, no grant below 56 bits */
		assert_int_equal(run_find(&r, CELL_EV_RA_RESPONSE, 0, 0)->rb, 3);
		run_end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct_mode),
		cmocka_unit_test(test_infrastructure_mode),
		cmocka_unit_test(test_every_delay_counts),
		cmocka_unit_test(test_arrival_in_sub_frame),
		cmocka_unit_test(test_bandwidth_stealing),
		cmocka_unit_test(test_partial_stealing),
		cmocka_unit_test(test_cqi_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
