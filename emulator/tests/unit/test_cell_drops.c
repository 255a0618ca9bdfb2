/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where packets end that do not arrive; commands and bad calls. */
#include "unit.h"

#include "run.h"

#define ALWAYS_LOST UINT32_MAX

static uint64_t drops(const struct run *r, enum cell_drop reason)
{
	struct cell_stats s;
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_dropped; i++)
		n += r->dropped[i].reason == reason;
	cell_stats(r->cell, &s);
	/* All but those that cell_push() dropped at once have an output. */
	assert_int_equal(s.pkts_dropped[reason], n);
	return n;
}

/* A lost MAC PDU takes its packets with it, when it would have been decoded. */
static void test_lost_for_good(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.ue[0].bler_sl_q32 = ALWAYS_LOST;
	run_start(&r);
	for (int i = 0; i < 20; i++)
		run_push(&r, 1, 1000, MS(40 * i));
	run_push(&r, 2, 1000, MS(1000)); /* the other direction is not concerned */
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_RADIO_LOSS), 20);
	assert_int_equal(r.n_delivered, 1);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(r.dropped[i].t_ns, MS(40 * i + 15) - 250000);
		assert_int_equal(r.dropped[i].pkt, i + 1);
		assert_int_equal(r.dropped[i].ue, 1); /* where it came from */
	}
	assert_int_equal(run_count(&r, CELL_EV_MAC_LOST, 2), 20);
	run_end(&r);
}

/* The downlink direction of the receiver has losses of its own. */
static void test_lost_in_downlink(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_IM);
	r.cfg.ue[1].bler_dl_q32 = ALWAYS_LOST;
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 2, 1000, 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_RADIO_LOSS), 1);
	assert_int_equal(r.dropped[0].tag, 1);
	assert_int_equal(r.n_delivered, 1);
	assert_int_equal(r.delivered[0].ue, 1);
	run_end(&r);
}

/*
 * Packets in several segments each at 30 % loss: those whose end is lost are
 * RADIO_LOSS, those that lack another part RLC_DISCARD; the rest is intact
 * (run.c compares) and in order.
 */
static void test_lost_segments(void **state)
{
	const int n = 300;
	uint64_t lost, discarded;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.n_rb = 6; /* a block of 6 PRBs at CQI 7 is smaller than a packet */
	r.cfg.ue[0].cqi_sl = 7;
	r.cfg.ue[0].bler_sl_q32 = UINT32_MAX / 10 * 3;
	run_start(&r);
	for (int i = 0; i < n; i++)
		run_push(&r, 1, 200, MS(i));
	run_until(&r, RUN_FOREVER);
	lost = drops(&r, CELL_DROP_RADIO_LOSS);
	discarded = drops(&r, CELL_DROP_RLC_DISCARD);
	assert_true(lost > 0 && discarded > 0 && r.n_delivered > 0);
	assert_int_equal(lost + discarded + r.n_delivered, n);
	for (size_t i = 1; i < r.n_delivered; i++)
		assert_true(r.delivered[i].tag > r.delivered[i - 1].tag);
	assert_true(run_count(&r, CELL_EV_T_REORDERING, 2) > 0);
	run_end(&r);
}

/* The BSR never arrives; each packet is dropped 50 ms after it came. */
static void test_discard_timer(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.ue[0].bler_ul_q32 = ALWAYS_LOST;
	r.cfg.pdcp.discard_timer_ms = 50;
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 1, 1000, MS(3));
	run_push(&r, 1, 1000, MS(7) + 400000);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_PDCP_DISCARD), 3);
	assert_int_equal(r.dropped[0].t_ns, MS(50));
	assert_int_equal(r.dropped[1].t_ns, MS(53));
	assert_int_equal(r.dropped[2].t_ns, MS(58)); /* at the next sub-frame */
	run_end(&r);
}

/* In a back-off of up to 960 ms nothing else happens; the timer does. */
static void test_discard_timer_in_back_off(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.ra.n_preambles = 1;
	r.cfg.lte.ra.backoff_max_ms = 960;
	r.cfg.pdcp.discard_timer_ms = 50;
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 2, 1000, 0);
	run_until(&r, MS(10));
	/* Both draws are far beyond the timer with this seed. */
	assert_true(run_find(&r, CELL_EV_RA_TIMEOUT, 1, 0)->value > 50);
	assert_true(run_find(&r, CELL_EV_RA_TIMEOUT, 2, 0)->value > 50);
	assert_int_equal(cell_next(r.cell), RUN_START_NS + MS(50));
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_PDCP_DISCARD), 2);
	assert_int_equal(r.dropped[0].t_ns, MS(50));
	assert_int_equal(r.dropped[1].t_ns, MS(50));
	run_end(&r);
}

static void test_queue_limit(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.rlc.queue_pkts = 3;
	run_start(&r);
	for (int i = 0; i < 5; i++)
		assert_int_equal(run_push(&r, 1, 1000, 0), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_QUEUE_FULL), 2);
	assert_int_equal(r.dropped[0].pkt, 4);
	assert_int_equal(r.dropped[1].pkt, 5);
	assert_int_equal(r.dropped[0].t_ns, 0);
	assert_int_equal(r.n_delivered, 3);
	run_end(&r);
}

/* 1000 bytes and a PDCP header of 2 each: the third one does not fit 2100, whatever the packets. */
static void test_queue_limit_in_bytes(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.rlc.queue_bytes = 2100;
	run_start(&r);
	for (int i = 0; i < 3; i++)
		assert_int_equal(run_push(&r, 1, 1000, 0), 0);
	assert_int_equal(run_push(&r, 1, 90, 0), 0);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(drops(&r, CELL_DROP_QUEUE_FULL), 1);
	assert_int_equal(r.dropped[0].pkt, 3);
	assert_int_equal(r.n_delivered, 3);
	run_end(&r);
}

/* Memory for 16 packets is given: the 17th is refused, and room comes back. */
static void test_packet_limit(void **state)
{
	struct cell_stats s;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.max_pkts = 16;
	run_start(&r);
	for (int i = 0; i < 16; i++)
		assert_int_equal(run_push(&r, 1, 100, 0), 0);
	assert_int_equal(run_push(&r, 1, 100, 0), -ENOBUFS);
	cell_stats(r.cell, &s);
	assert_int_equal(s.pkts_in, 17);
	assert_int_equal(s.pkts_held, 16);
	assert_int_equal(s.pkts_dropped[CELL_DROP_QUEUE_FULL], 1);
	run_until(&r, RUN_FOREVER);
	assert_int_equal(r.n_delivered, 16);
	assert_int_equal(run_push(&r, 1, 100, MS(100)), 0);
	run_end(&r);
}

/* Held at the end: in the queue, on the air, and one that has not entered yet. */
static void test_shutdown(void **state)
{
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	run_push(&r, 1, 1000, MS(10));
	run_until(&r, MS(12)); /* the first was sent at 11 ms */
	run_push(&r, 2, 1000, MS(13));
	assert_int_equal(r.n_dropped, 0);
	assert_int_equal(r.n_delivered, 0);
	run_end(&r); /* checks in = delivered + dropped */
}

/* Queued packets stay where they are, new ones take the new route. */
static void test_route(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	const struct cell_record *rec;
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.lte.mac.bandwidth_stealing = 0;
	r.cfg.lte.mode_switch.flush = CELL_FLUSH_KEEP;
	run_start(&r);
	run_push(&r, 1, 1000, 0);
	assert_int_equal(run_cmd(&r, &cmd, MS(1)), 0);
	run_push(&r, 1, 500, MS(2));
	run_until(&r, RUN_FOREVER);
	rec = run_find(&r, CELL_EV_ROUTE, 1, 0);
	assert_int_equal(rec->t_ns, MS(1));
	assert_int_equal(rec->value, CELL_MODE_IM);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, 1, 0)->dir, CELL_DIR_SL);
	assert_int_equal(run_find(&r, CELL_EV_PKT_IN, 1, 1)->dir, CELL_DIR_UL);
	/* One long BSR speaks of both bearers. */
	rec = run_find(&r, CELL_EV_BSR_TX, 1, 0);
	assert_int_equal(rec->sn, 0);
	assert_int_equal(rec->bytes, 502);
	rec = run_find(&r, CELL_EV_BSR_TX, 1, 1);
	assert_int_equal(rec->t_ns, MS(5));
	assert_int_equal(rec->sn, 1);
	assert_int_equal(rec->bytes, 1002);
	/* One transmission a sub-frame, so the eNB grants them at 9 and 10 ms. */
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 0)->t_ns, MS(9));
	assert_int_equal(run_find(&r, CELL_EV_GRANT, CELL_NODE_ENB, 1)->t_ns, MS(10));
	assert_int_equal(r.n_delivered, 2);
	run_end(&r);
}

static void test_bad_calls(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	uint8_t data[CELL_UE_MTU_MAX + 1] = { 0 };
	struct run r;
	size_t n;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	run_start(&r);
	assert_int_equal(cell_push(r.cell, 0, data, 100, 0, RUN_START_NS), -EINVAL);
	assert_int_equal(cell_push(r.cell, 3, data, 100, 0, RUN_START_NS), -EINVAL);
	assert_int_equal(cell_push(r.cell, 1, data, 0, 0, RUN_START_NS), -EMSGSIZE);
	assert_int_equal(cell_push(r.cell, 1, data, sizeof(data), 0, RUN_START_NS), -EMSGSIZE);
	assert_int_equal(cell_advance(r.cell, RUN_START_NS, r.out, cell_out_min(&r.cfg) - 1, &n),
	                 -EINVAL);
	run_until(&r, MS(5));
	assert_int_equal(cell_push(r.cell, 1, data, 100, 0, RUN_START_NS + MS(5) - 1), -EINVAL);
	assert_int_equal(cell_advance(r.cell, RUN_START_NS + MS(5) - 1, r.out, r.n_out, &n),
	                 -EINVAL);
	assert_int_equal(run_cmd(&r, &cmd, MS(5) - 1), -EINVAL);
	cmd.ue = 3;
	assert_int_equal(run_cmd(&r, &cmd, MS(5)), -EINVAL);
	cmd.ue = 1;
	cmd.mode = CELL_MODE_COUNT;
	assert_int_equal(run_cmd(&r, &cmd, MS(5)), -EINVAL);
	cmd.mode = CELL_MODE_IM;
	for (int i = 0; i < 64; i++)
		assert_int_equal(run_cmd(&r, &cmd, MS(5)), 0);
	assert_int_equal(run_cmd(&r, &cmd, MS(5)), -ENOBUFS);
	run_until(&r, MS(6));
	assert_int_equal(run_count(&r, CELL_EV_ROUTE, 1), 1); /* the mode changed once */
	assert_int_equal(cell_next(r.cell), CELL_NEVER);      /* nothing above was accepted */
	run_end(&r);
}

/* One more than the configuration says is refused; the list goes round. */
static void test_as_many_commands_as_configured(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_DM };
	struct run r;

	(void)state;
	run_defaults(&r, CELL_MODE_DM);
	r.cfg.max_cmds = 3;
	run_start(&r);
	for (int t_ms = 1; t_ms <= 4; t_ms++) {
		for (int i = 0; i < (t_ms == 2 ? 2 : 3); i++) {
			cmd.mode = cmd.mode == CELL_MODE_IM ? CELL_MODE_DM : CELL_MODE_IM;
			assert_int_equal(run_cmd(&r, &cmd, MS(t_ms)), 0);
		}
		if (t_ms != 2)
			assert_int_equal(run_cmd(&r, &cmd, MS(t_ms)), -ENOBUFS);
		run_until(&r, MS(t_ms));
		assert_int_equal(
			run_find(&r, CELL_EV_ROUTE, 1, run_count(&r, CELL_EV_ROUTE, 1) - 1)->value,
			cmd.mode);
	}
	assert_int_equal(run_count(&r, CELL_EV_ROUTE, 1), 3 + 2 + 3 + 3);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_for_good),
		cmocka_unit_test(test_lost_in_downlink),
		cmocka_unit_test(test_lost_segments),
		cmocka_unit_test(test_discard_timer),
		cmocka_unit_test(test_discard_timer_in_back_off),
		cmocka_unit_test(test_queue_limit),
		cmocka_unit_test(test_queue_limit_in_bytes),
		cmocka_unit_test(test_packet_limit),
		cmocka_unit_test(test_shutdown),
		cmocka_unit_test(test_route),
		cmocka_unit_test(test_bad_calls),
		cmocka_unit_test(test_as_many_commands_as_configured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
