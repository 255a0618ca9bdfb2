/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random access in four and two steps, configured grants and DRX, worked out by hand. Occasions for
 * preambles are slots 4, 24, 44 and so on, which are uplink slots of DDDSU.
 * Source: TS 38.321 5.1, 5.7, 5.8.2; TS 38.214 6.1.2.1.1
 */
#include "nr_run.h"
#include "unit.h"

static void expect_at(const struct run *r, enum cell_event event, uint8_t node, size_t n,
                      int64_t t_ns)
{
	assert_int_equal(run_find(r, event, node, n)->t_ns, t_ns);
}

/* What UE 1 reports of its uplink from @t_ns on; 0 is an uplink without range. */
static void uplink(struct run *r, uint8_t cqi, int64_t t_ns)
{
	const struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL,
		                      .ue = 1,
		                      .dir = CELL_DIR_UL,
		                      .cqi = cqi,
		                      .sinr_cdb = CELL_SINR_UNKNOWN };

	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

/*
 * Preamble in slot 4, answer 4 slots later; message 3 is k2_min and 3 more after that or later:
 * slot 19. It is decoded in slot 20, and the grant to the C-RNTI, in slot 25 for slot 29, ends it.
 */
static void test_four_steps(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_period_slots = 0;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_RA_PREAMBLE, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(4));
	assert_int_equal(rec->value, 1);
	rec = run_find(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(8));
	assert_int_equal(rec->value, 11);
	assert_int_equal(rec->rb, 4);
	/* 624 resource elements of 2 bits at rate 120/1024 are 146 bits, 144 in steps of 8. */
	assert_int_equal(rec->bytes, 18);
	rec = run_find(&r, CELL_EV_MAC_TX, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(19));
	assert_int_equal(rec->aux, 1);
	/* C-RNTI 3, short BSR 2: 13 left, of which 2 and 2 are headers of MAC and RLC. */
	assert_int_equal(run_find(&r, CELL_EV_RLC_TX, 1, 0)->value, 9);
	rec = run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(20) + GNB_DECODE);
	assert_int_equal(rec->bytes, 74); /* of 54. Source: TS 38.321 Table 6.1.3.1-1 */
	expect_at(&r, CELL_EV_RA_END, 1, 0, SLOT(25));
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(30) + GNB_DECODE);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 0);
	/* The answer is on the RA-RNTI of slot 4: 1 + 14 * 4. Source: TS 38.321 5.1.3 */
	assert_int_equal(r.pdus[0].ue, 1);
	assert_int_equal(r.pdus[0].rnti_type, 2);
	assert_int_equal(r.pdus[0].rnti, 57);
	run_end(&r);
}

/* Message 3 takes all that there is: a grant comes nevertheless, as it is the answer. */
static void test_four_steps_with_nothing_left(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_period_slots = 0;
	run_start(&r);
	run_push(&r, 1, 5, SLOT(2));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(20) + GNB_DECODE);
	assert_int_equal(run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0)->bytes, 0);
	expect_at(&r, CELL_EV_RA_END, 1, 0, SLOT(25));
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.ra_timeouts, 0);
	run_end(&r);
}

/* MsgA has the BSR in slot 4; it is over with the answer in slot 8, and slot 10 grants slot 14. */
static void test_two_steps(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.ra.procedure = CELL_RA_TWO_STEP;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_MAC_TX, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(4));
	assert_int_equal(rec->aux, 3);
	expect_at(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 0, SLOT(5) + GNB_DECODE);
	expect_at(&r, CELL_EV_RA_END, 1, 0, SLOT(8));
	expect_at(&r, CELL_EV_MAC_TX, 1, 1, SLOT(14));
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(15) + GNB_DECODE);
	run_end(&r);
}

/* The message was not decoded: its answer grants another attempt at the same block, as message 3.
 */
static void test_two_steps_fall_back(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	nr_fails_once(&r);
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.ra.procedure = CELL_RA_TWO_STEP;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_HARQ_NACK, CELL_NODE_ENB, 0, SLOT(5) + GNB_DECODE);
	rec = run_find(&r, CELL_EV_RA_RESPONSE, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(8));
	assert_int_equal(rec->value, 11);
	rec = run_find(&r, CELL_EV_HARQ_TX, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(19));
	assert_int_equal(rec->block, 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* A grant ends the access while its message waits to be sent again: the gNB has had another block
 * meanwhile, whose BSR came late. The message is lost, and another access has one of its own.
 * Source: TS 38.321 5.4.4 */
static void test_two_steps_end_with_a_grant(void **state)
{
	struct cell_stats stats;
	struct run r;
	size_t sent;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.harq.n_bler = 3;
	r.cfg.harq.bler_q32[0] = r.cfg.harq.bler_q32[1] = UINT32_MAX;
	r.cfg.harq.max_attempts = 8;
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.mac.bsr_retx_ms = 1;
	r.cfg.nr.ra.procedure = CELL_RA_TWO_STEP;
	run_start(&r);
	uplink(&r, 1, SLOT(1));
	for (int i = 0; i < 4; i++)
		run_push(&r, 1, 1000, SLOT(2));
	run_until(&r, SLOT(400));
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.mac_lost[CELL_DIR_UL], 1);
	assert_int_equal(r.n_delivered, 3);
	assert_int_equal(run_count(&r, CELL_EV_RA_END, 1), stats.ra_preambles);
	sent = run_count(&r, CELL_EV_MAC_TX, 1);
	run_push(&r, 1, 60, SLOT(400));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_RA_PREAMBLE, 1, stats.ra_preambles, SLOT(404));
	expect_at(&r, CELL_EV_MAC_TX, 1, sent, SLOT(404));
	assert_int_equal(run_find(&r, CELL_EV_MAC_TX, 1, sent)->aux, 3);
	assert_int_equal(r.n_delivered, 4);
	run_end(&r);
}

/* Two UEs with the only preamble: neither is answered until their backoffs part them. */
static void test_collision(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_defaults(&r, 2);
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.ra.n_preambles = 1;
	r.cfg.nr.ra.backoff_max_ms = 960;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_push(&r, 2, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_RA_COLLISION, CELL_NODE_ENB, 0, SLOT(8));
	expect_at(&r, CELL_EV_RA_COLLISION, CELL_NODE_ENB, 1, SLOT(8));
	/* The window of 20 slots starts after the preamble. */
	expect_at(&r, CELL_EV_RA_TIMEOUT, 1, 0, SLOT(25));
	expect_at(&r, CELL_EV_RA_TIMEOUT, 2, 0, SLOT(25));
	assert_int_equal(r.n_delivered, 2);
	cell_stats(r.cell, &stats);
	assert_true(stats.ra_preambles >= 4);
	run_end(&r);
}

/* Messages that collide, more often than a block may be sent: a gNB has nothing of them that it
 * could combine, so they do not count. */
static void test_two_steps_collide(void **state)
{
	struct cell_stats stats;
	struct run r;

	(void)state;
	nr_defaults(&r, 2);
	r.cfg.harq.max_attempts = 4;
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.ra.procedure = CELL_RA_TWO_STEP;
	r.cfg.nr.ra.n_preambles = 1;
	r.cfg.nr.ra.backoff_max_ms = 5; /* less than a period: nothing parts them */
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_push(&r, 2, 60, SLOT(2));
	run_until(&r, SLOT(800));
	cell_stats(r.cell, &stats);
	assert_true(stats.ra_collisions >= 2 * 9);
	assert_int_equal(stats.mac_lost[CELL_DIR_UL], 0);
	for (size_t i = 0; i < r.n_records; i++)
		if (r.records[i].event == CELL_EV_HARQ_TX)
			assert_in_range(r.records[i].value, 1, r.cfg.harq.max_attempts);
	run_end(&r);
}

/* A BSR says 2014 bytes, and a block has room for 2005 of them. The next grant is for nine, and the
 * next BSR says ten: a grant for one byte follows. */
static void test_a_grant_for_one_byte(void **state)
{
	static const uint32_t granted[] = { 545, 2017, 22, 14 };
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	uplink(&r, 3, SLOT(1));
	for (int i = 0; i < 10; i++)
		run_push(&r, 1, 250, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_BSR_RX, CELL_NODE_ENB, 1)->bytes, 10);
	assert_int_equal(run_count(&r, CELL_EV_GRANT, CELL_NODE_ENB), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, i)->bytes, granted[i]);
	run_end(&r);
}

/* After sr-TransMax requests without an answer. An uplink without range has none. */
static void test_requests_in_vain(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_trans_max = 4;
	run_start(&r);
	uplink(&r, 0, SLOT(1));
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, SLOT(100) - 1);
	uplink(&r, 10, SLOT(100));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < 4; i++)
		expect_at(&r, CELL_EV_SR, 1, i, SLOT(4 + 10 * (int64_t)i));
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 4);
	/* In slot 44 it turns to random access, which waits for a channel. */
	expect_at(&r, CELL_EV_RA_PREAMBLE, 1, 0, SLOT(104));
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Those that the gNB misses have no answer either. */
static void test_requests_are_missed(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_trans_max = 4;
	r.cfg.nr.mac.sr_missed_q32 = UINT32_MAX;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 4);
	expect_at(&r, CELL_EV_RA_PREAMBLE, 1, 0, SLOT(44));
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);

	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_missed_q32 = UINT32_MAX / 4;
	run_start(&r);
	for (int64_t i = 0; i < 200; i++)
		run_push(&r, 1, 60, SLOT(2 + 200 * i));
	run_until(&r, RUN_FOREVER);
	/* 3 of 4: 267 requests for 200 grants, give or take 3 standard deviations. */
	assert_in_range(run_count(&r, CELL_EV_SR, 1), 238, 296);
	assert_int_equal(run_count(&r, CELL_EV_RA_PREAMBLE, 1), 0);
	assert_int_equal(r.n_delivered, 200);
	run_end(&r);
}

/* A channel says which CQI the UE reports, whatever its SINR, and comes with what the UE measures
 * of its gNB. */
static void test_channel(void **state)
{
	struct cell_cmd cmd = {
		.type = CELL_CMD_CHANNEL, .ue = 1, .dir = CELL_DIR_UL, .cqi = 3, .sinr_cdb = 3000
	};
	const struct cell_cmd measured = { .type = CELL_CMD_MEASURE, .ue = 1, .rsrp_cdbm = -8000 };
	const struct cell_cmd another = { .type = CELL_CMD_MEASURE, .ue = 1, .enb = 1 };
	const struct cell_cmd handover = { .type = CELL_CMD_HANDOVER, .ue = 1 };
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	run_start(&r);
	assert_int_equal(run_cmd(&r, &cmd, SLOT(1)), 0);
	assert_int_equal(run_cmd(&r, &measured, SLOT(1)), 0);
	assert_int_equal(run_cmd(&r, &another, SLOT(1)), -EINVAL);
	assert_int_equal(run_cmd(&r, &handover, SLOT(1)), -EINVAL);
	run_push(&r, 1, 60, SLOT(2));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_find(&r, CELL_EV_CHANNEL, 1, 0)->cqi, 3);
	assert_int_equal(run_find(&r, CELL_EV_CHANNEL, 1, 0)->value, 3000);
	assert_int_equal(run_count(&r, CELL_EV_CHANNEL, 1), 1);
	assert_int_equal(r.n_delivered, 1);
	run_end(&r);
}

/* Type 1: data leave in the next configured slot, 4 and every 10, without being asked for. */
static void test_configured_grant(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.configured_grant = CELL_CG_TYPE1;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_push(&r, 1, 60, SLOT(5));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_MAC_TX, 1, 0);
	assert_int_equal(rec->t_ns, SLOT(4));
	assert_int_equal(rec->aux, 2);
	assert_int_equal(rec->rb, 4);
	assert_int_equal(rec->mcs, 10);
	expect_at(&r, CELL_EV_PKT_OUT, CELL_NODE_ENB, 0, SLOT(5) + GNB_DECODE);
	expect_at(&r, CELL_EV_MAC_TX, 1, 1, SLOT(14));
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 0);
	assert_int_equal(r.pdus[0].rnti_type, 5); /* CS-RNTI */
	run_end(&r);
}

/* Type 2: from the first BSR on. */
static void test_configured_grant_on_demand(void **state)
{
	const struct cell_record *rec;
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.configured_grant = CELL_CG_TYPE2;
	run_start(&r);
	run_push(&r, 1, 60, SLOT(2));
	run_push(&r, 1, 60, SLOT(41));
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_SR, 1, 0, SLOT(4));
	rec = run_find(&r, CELL_EV_CG_ACTIVE, CELL_NODE_ENB, 0);
	assert_int_equal(rec->t_ns, SLOT(15) + GNB_DECODE);
	assert_int_equal(rec->value, 10);
	expect_at(&r, CELL_EV_MAC_TX, 1, 1, SLOT(44));
	assert_int_equal(run_count(&r, CELL_EV_SR, 1), 1);
	run_end(&r);
}

/* On for 4 slots of every 40: a packet in slot 10 waits for slot 40. */
static void test_drx(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.drx.cycle_ms = 20;
	r.cfg.nr.drx.on_duration_ms = 2;
	r.cfg.nr.drx.inactivity_ms = 5;
	run_start(&r);
	run_push(&r, TO_UE(1), 100, SLOT(10));
	run_push(&r, TO_UE(1), 100, SLOT(48)); /* the inactivity timer runs until slot 50 */
	run_push(&r, TO_UE(1), 100, SLOT(62));
	run_push(&r, 1, 60, SLOT(132)); /* a request keeps the UE awake for its grant */
	run_until(&r, RUN_FOREVER);
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0, SLOT(40));
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 1, SLOT(48));
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 2, SLOT(80));
	expect_at(&r, CELL_EV_SR, 1, 0, SLOT(134));
	expect_at(&r, CELL_EV_MAC_TX, 1, 0, SLOT(144));
	run_end(&r);
}

/* A UE that sent a NACK listens for the repetition, 5 slots after it and 16 slots long, also when
 * the gNB heard an ACK: what comes meanwhile is sent then. Source: TS 38.321 5.7 */
static void test_drx_after_a_nack_that_was_heard_as_ack(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	nr_fails_once(&r);
	r.cfg.harq.nack_to_ack_q32 = UINT32_MAX;
	r.cfg.nr.drx.cycle_ms = 20;
	r.cfg.nr.drx.on_duration_ms = 2;
	r.cfg.nr.drx.inactivity_ms = 0;
	run_start(&r);
	run_push(&r, TO_UE(1), 100, SLOT(40)); /* its feedback is in slot 44 */
	run_push(&r, TO_UE(1), 100, SLOT(46));
	run_push(&r, TO_UE(1), 100, SLOT(75)); /* that of slot 50 is in 54: until slot 74 */
	run_until(&r, RUN_FOREVER);
	assert_int_equal(run_count(&r, CELL_EV_HARQ_TX, CELL_NODE_ENB), 0);
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 0, SLOT(40));
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 1, SLOT(50)); /* 49 is an uplink slot */
	expect_at(&r, CELL_EV_MAC_TX, CELL_NODE_ENB, 2, SLOT(80));
	run_end(&r);
}

static void expect_period(struct run *r, uint8_t mu, const char *field)
{
	const char *got = NULL, *range;

	r->cfg.nr.phy.numerology = mu;
	r->cfg.nr.phy.bandwidth_mhz = 40;
	assert_int_equal(cell_cfg_check(&r->cfg, &got, &range) < 0, field != NULL);
	if (field)
		assert_string_equal(got, field);
}

/* 5 slots are a period of requests at 15 kHz only, 320 from 60 kHz on; 512 one of configured
 * grants from 60 kHz on. Source: TS 38.331 SchedulingRequestResourceConfig, ConfiguredGrantConfig
 */
static void test_periods_by_numerology(void **state)
{
	struct run r;

	(void)state;
	nr_defaults(&r, 1);
	r.cfg.nr.mac.sr_period_slots = 5;
	expect_period(&r, 0, NULL);
	expect_period(&r, 1, "nr.mac.sr_period_slots");
	r.cfg.nr.mac.sr_period_slots = 320;
	expect_period(&r, 1, "nr.mac.sr_period_slots");
	expect_period(&r, 2, NULL);
	r.cfg.nr.mac.sr_period_slots = 0;
	r.cfg.nr.mac.cg_period_slots = 512;
	expect_period(&r, 1, NULL); /* nobody has one */
	r.cfg.nr.mac.configured_grant = CELL_CG_TYPE1;
	expect_period(&r, 1, "nr.mac.cg_period_slots");
	expect_period(&r, 2, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four_steps),
		cmocka_unit_test(test_four_steps_with_nothing_left),
		cmocka_unit_test(test_two_steps),
		cmocka_unit_test(test_two_steps_end_with_a_grant),
		cmocka_unit_test(test_two_steps_fall_back),
		cmocka_unit_test(test_collision),
		cmocka_unit_test(test_two_steps_collide),
		cmocka_unit_test(test_a_grant_for_one_byte),
		cmocka_unit_test(test_requests_in_vain),
		cmocka_unit_test(test_requests_are_missed),
		cmocka_unit_test(test_channel),
		cmocka_unit_test(test_configured_grant),
		cmocka_unit_test(test_configured_grant_on_demand),
		cmocka_unit_test(test_drx),
		cmocka_unit_test(test_drx_after_a_nack_that_was_heard_as_ack),
		cmocka_unit_test(test_periods_by_numerology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
