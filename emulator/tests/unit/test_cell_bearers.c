/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UEs with several bearers: which packets each takes, its logical channel, and who comes first in
 * a transport block. Packets are IPv4 with UDP; the destination port says which bearer is meant.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cellcore.h"
#include "ran/channel/channel.h"
#include "rlc/common/lcid.h"
#include "unit.h"

#define MS(n)    ((n)*INT64_C(1000000))
#define NETWORK  (1 | CELL_PORT_NETWORK)
#define BULK     5201
#define CALL     5202
#define LEN      1000
#define TAGS_MAX 16384

struct net {
	struct cell_cfg cfg;
	struct cell_bearer_cfg bearer[2 * CELL_MAX_BEARERS];
	struct cell *cell;
	void *mem;
	struct cell_out *out;
	size_t n_out;
	uint64_t n_pushed;
	uint16_t port[TAGS_MAX]; /* of every packet pushed */
	int64_t t_ns[TAGS_MAX];  /* at which it was delivered, 0: it was not */
	uint32_t n_delivered;
	uint32_t n_dropped[CELL_DROP_COUNT];
	uint64_t lcid_bytes[32]; /* of SDUs in RLC PDUs */
	uint32_t n_bulk_parts;   /* packets to BULK and segments of them in RLC PDUs */
	bool mixed;              /* a row of RLC had another LCID than its packet's bearer */
};

/* UE 1 talks to the network, its default bearer in AM. */
static void setup(struct net *n)
{
	*n = (struct net){ 0 };
	cell_cfg_default(&n->cfg);
	n->cfg.n_ue = 1;
	n->cfg.ue[0].peer = CELL_PEER_NETWORK;
	n->cfg.ue[0].mode = CELL_MODE_IM;
	n->cfg.rlc.mode = CELL_RLC_AM;
	n->cfg.bearer = n->bearer;
}

/* A dedicated UM bearer of UE @ue that takes what goes to @port, at the server or the UE. */
static struct cell_bearer_cfg *add(struct net *n, uint8_t ue, uint16_t port)
{
	struct cell_bearer_cfg *b = &n->bearer[n->cfg.n_bearers++];

	*b = cell_cfg_bearer(&n->cfg);
	b->ue = ue;
	b->rlc.mode = CELL_RLC_UM;
	b->n_filters = 2;
	b->filter[0] = b->filter[1] =
		(struct cell_filter){ .protocol = CELL_PROTOCOL_UDP, .dscp = CELL_DSCP_ANY };
	b->filter[0].remote_port = port;
	b->filter[1].local_port = port;
	return b;
}

static void start(struct net *n)
{
	n->mem = malloc(cell_size(&n->cfg));
	n->n_out = cell_out_min(&n->cfg);
	n->out = malloc(n->n_out * sizeof(*n->out));
	assert_int_equal(cell_init(&n->cell, n->mem, cell_size(&n->cfg), &n->cfg, 0), 0);
}

static void make(uint8_t data[LEN], uint16_t port, uint64_t tag)
{
	for (uint32_t i = 0; i < LEN; i++)
		data[i] = (uint8_t)(tag * 131 + i * 7);
	memset(data, 0, 28);
	data[0] = 0x45;
	data[2] = LEN >> 8;
	data[3] = LEN & 0xff;
	data[9] = 17;
	data[22] = (uint8_t)(port >> 8);
	data[23] = (uint8_t)port;
}

static void push(struct net *n, uint8_t at, uint16_t port, int64_t t_ns)
{
	uint64_t tag = ++n->n_pushed;
	uint8_t data[LEN];

	assert_true(tag < TAGS_MAX);
	n->port[tag] = port;
	make(data, port, tag);
	assert_int_equal(cell_push(n->cell, at, data, LEN, tag, t_ns), 0);
}

static void look_at(struct net *n, const struct cell_out *o)
{
	uint8_t data[LEN];

	if (o->type == CELL_OUT_DELIVER) {
		make(data, n->port[o->tag], o->tag);
		assert_int_equal(o->len, LEN);
		assert_memory_equal(o->data, data, LEN);
		assert_int_equal(n->t_ns[o->tag], 0); /* once */
		n->t_ns[o->tag] = o->t_ns;
		n->n_delivered++;
	} else if (o->type == CELL_OUT_DROP) {
		n->n_dropped[o->reason]++;
	} else if (o->type == CELL_OUT_RECORD && o->record.event == CELL_EV_RLC_TX) {
		uint8_t lcid = o->record.lcid;
		bool am = lcid == LCID_AM || lcid == LCID_AM + 1;

		n->lcid_bytes[lcid] += (uint64_t)o->record.value;
		n->n_bulk_parts += n->port[o->record.tag] == BULK;
		n->mixed |= am != (n->port[o->record.tag] == BULK);
	}
}

static void until(struct net *n, int64_t t_ns)
{
	size_t got;
	int r;

	do {
		r = cell_advance(n->cell, t_ns, n->out, n->n_out, &got);
		for (size_t i = 0; i < got; i++)
			look_at(n, &n->out[i]);
	} while (r == -EAGAIN);
	assert_int_equal(r, 0);
}

static void finish(struct net *n)
{
	size_t got;

	assert_int_equal(cell_done(n->cell, n->out, n->n_out, &got), 0);
	free(n->mem);
	free(n->out);
}

static void test_each_packet_takes_its_bearer(void **state)
{
	struct net n;

	(void)state;
	setup(&n);
	(void)add(&n, 1, CALL);
	start(&n);
	for (int i = 0; i < 40; i++) {
		push(&n, NETWORK, i % 3 ? BULK : CALL, MS(1 + i));
		push(&n, 1, i % 2 ? BULK : CALL, MS(1 + i));
		until(&n, MS(1 + i));
	}
	until(&n, MS(2000));
	assert_int_equal(n.n_delivered, 80);
	assert_false(n.mixed);
	assert_true(n.lcid_bytes[LCID_AM] > 0 && n.lcid_bytes[LCID_UM_10] > 0);
	finish(&n);
}

/* Keeping room for each bearer leaves none unused, as long as anything waits. */
static void test_blocks_of_several_bearers_are_full(void **state)
{
	struct cell_stats stats;
	struct net n;

	(void)state;
	setup(&n);
	(void)add(&n, 1, CALL);
	start(&n);
	for (int i = 0; i < 100; i++)
		push(&n, NETWORK, i % 2 ? BULK : CALL, MS(1));
	until(&n, MS(10));
	cell_stats(n.cell, &stats);
	assert_true(stats.mac_pdus[CELL_DIR_DL] > 1);
	assert_true(n.n_delivered < 100);
	assert_int_equal(stats.mac_padding_bytes[CELL_DIR_DL], 0);
	finish(&n);
}

/* Eight packets of the default bearer wait when one of a higher priority comes. */
static void test_a_higher_priority_overtakes(void **state)
{
	struct net n;

	(void)state;
	setup(&n);
	n.cfg.lte.n_rb = 6;
	add(&n, 1, CALL)->priority = 1;
	start(&n);
	for (int i = 0; i < 8; i++)
		push(&n, NETWORK, BULK, MS(10));
	push(&n, NETWORK, CALL, MS(10));
	until(&n, MS(500));
	assert_int_equal(n.n_delivered, 9);
	for (int tag = 1; tag <= 8; tag++)
		assert_true(n.t_ns[9] <= n.t_ns[tag]);
	finish(&n);
}

/* Of one priority the default bearer is last, wherever it is in the list. */
static void test_the_default_bearer_is_last_of_its_priority(void **state)
{
	struct net n;

	(void)state;
	setup(&n);
	n.cfg.lte.n_rb = 6;
	n.bearer[n.cfg.n_bearers] = cell_cfg_bearer(&n.cfg);
	n.bearer[n.cfg.n_bearers++].ue = 1;
	add(&n, 1, CALL)->priority = CELL_PRIORITY_LAST;
	start(&n);
	for (int i = 0; i < 8; i++)
		push(&n, NETWORK, BULK, MS(10));
	push(&n, NETWORK, CALL, MS(10));
	until(&n, MS(500));
	for (int tag = 1; tag <= 8; tag++)
		assert_true(n.t_ns[9] <= n.t_ns[tag]);
	finish(&n);
}

/* Both wait all the time: the default bearer gets its prioritised bit rate, and no more. */
static void check_share(uint32_t rate_bps)
{
	uint64_t rate = rate_bps / 8, waiting = 1500;
	struct net n;

	setup(&n);
	n.cfg.lte.n_rb = 15;
	n.bearer[n.cfg.n_bearers] = cell_cfg_bearer(&n.cfg);
	n.bearer[n.cfg.n_bearers].prioritised_rate_bps = rate_bps;
	n.bearer[n.cfg.n_bearers++].ue = 1;
	add(&n, 1, CALL)->priority = 1;
	start(&n);
	for (uint64_t i = 0; i < waiting; i++)
		push(&n, NETWORK, CALL, MS(1));
	for (uint64_t i = 0; i < waiting; i++)
		push(&n, NETWORK, BULK, MS(1));
	until(&n, MS(1001) - 1);
	assert_true(n.lcid_bytes[LCID_UM_10] < waiting * LEN * 99 / 100); /* it still waits */
	/* A bucket of 100 ms, and a grant's rounding to a header, to either side. */
	assert_true(n.lcid_bytes[LCID_AM] * 100 >= rate * 95);
	assert_true(n.lcid_bytes[LCID_AM] * 100 <= rate * 111);
	finish(&n);
}

static void test_a_prioritised_bit_rate(void **state)
{
	(void)state;
	check_share(0);
	check_share(400000);
	check_share(2000000);
}

static void nr(struct net *n)
{
	n->cfg.system = CELL_SYSTEM_NR;
	n->cfg.nr.phy.bandwidth_mhz = 5;
	n->cfg.rlc.mode = CELL_RLC_UM;
	n->cfg.rlc.um.sn_bits = 12;
	n->cfg.pdcp.sn_bits = 18;
}

/*
 * The default bearer has a bit rate of @rate_bps that is less than a packet in each block, and a
 * higher priority would take all. It gets that rate, and of its packets none is cut that fits a
 * block: a packet waits until its rate has room for it.
 * Source: TS 36.321 5.4.3.1, TS 38.321 5.4.3.1.3
 */
static void check_low_rate(void (*system)(struct net *n), uint32_t rate_bps)
{
	uint64_t sent = 0, seconds = 2;
	struct net n;

	setup(&n);
	n.cfg.lte.n_rb = 15;
	n.cfg.rlc.mode = CELL_RLC_UM;
	if (system)
		system(&n);
	n.bearer[n.cfg.n_bearers] = cell_cfg_bearer(&n.cfg);
	n.bearer[n.cfg.n_bearers].prioritised_rate_bps = rate_bps;
	n.bearer[n.cfg.n_bearers++].ue = 1;
	add(&n, 1, CALL)->priority = 1;
	start(&n);
	for (int i = 0; i < 200; i++)
		push(&n, NETWORK, BULK, MS(1));
	for (uint64_t ms = 1; ms <= 1000 * seconds; ms++) {
		while (n.n_pushed - n.n_delivered < 300)
			push(&n, NETWORK, CALL, MS((int64_t)ms));
		until(&n, MS((int64_t)ms + 1) - 1);
	}
	for (uint64_t tag = 1; tag <= 200; tag++)
		sent += n.t_ns[tag] ? LEN : 0;
	assert_true(sent * 8 * 10 >= rate_bps * seconds * 9);
	assert_true(sent * 8 * 10 <= rate_bps * seconds * 11);
	assert_true(n.n_bulk_parts <= sent / LEN + 1); /* the last one may be on its way */
	finish(&n);
}

static void test_a_low_bit_rate(void **state)
{
	(void)state;
	check_low_rate(NULL, 64000);
	check_low_rate(NULL, 256000);
	check_low_rate(nr, 64000);
	check_low_rate(nr, 256000);
}

static void test_a_mode_switch_flushes_every_bearer(void **state)
{
	struct cell_cmd cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM };
	struct net n;

	(void)state;
	setup(&n);
	n.cfg.n_ue = 2;
	for (uint8_t i = 0; i < 2; i++) {
		n.cfg.ue[i].peer = (uint8_t)(2 - i);
		n.cfg.ue[i].mode = CELL_MODE_DM;
		(void)add(&n, (uint8_t)(i + 1), CALL);
	}
	start(&n);
	push(&n, 1, CALL, MS(1)); /* both by sidelink */
	push(&n, 1, BULK, MS(1));
	until(&n, MS(100));
	assert_int_equal(n.n_delivered, 2);
	assert_true(n.lcid_bytes[LCID_AM + 1] > 0 && n.lcid_bytes[LCID_UM_10 + 1] > 0);
	push(&n, 1, CALL, MS(200));
	push(&n, 1, BULK, MS(200));
	assert_int_equal(cell_apply(n.cell, &cmd, MS(200)), 0);
	until(&n, MS(300));
	assert_int_equal(n.n_dropped[CELL_DROP_MODE_SWITCH], 2);
	push(&n, 1, CALL, MS(300)); /* both by way of the eNB */
	push(&n, 1, BULK, MS(300));
	until(&n, MS(500));
	assert_int_equal(n.n_delivered, 4);
	assert_false(n.mixed);
	finish(&n);
}

static void test_ues_with_different_modes(void **state)
{
	struct net n;

	(void)state;
	setup(&n);
	n.cfg.n_ue = 2;
	n.cfg.ue[1].peer = CELL_PEER_NETWORK;
	n.cfg.ue[1].mode = CELL_MODE_IM;
	n.bearer[0] = cell_cfg_bearer(&n.cfg);
	n.bearer[0].ue = 2;
	n.bearer[0].rlc.mode = CELL_RLC_UM;
	n.bearer[0].rlc.um.sn_bits = 5;
	n.cfg.n_bearers = 1;
	start(&n);
	push(&n, 1, BULK, MS(1));
	push(&n, 2, CALL, MS(1));
	until(&n, MS(100));
	assert_int_equal(n.n_delivered, 2);
	assert_true(n.lcid_bytes[LCID_AM] > 0 && n.lcid_bytes[LCID_UM_5] > 0);
	finish(&n);
}

static void test_logical_channels(void **state)
{
	static const uint8_t lcids[] = {
		LCID_AM,      LCID_UM_10,      LCID_AM + 1, LCID_UM_10 + 1,
		LCID_AM_MORE, LCID_UM_10_MORE, LCID_UM_5,   LCID_UM_5 + 1
	};
	const char *field, *range;
	struct net n;

	(void)state;
	setup(&n);
	for (size_t k = 1; k < sizeof(lcids); k++) {
		struct cell_bearer_cfg *b = add(&n, 1, (uint16_t)(6000 + k));

		b->rlc.mode = k % 2 || k > 5 ? CELL_RLC_UM : CELL_RLC_AM;
		b->rlc.um.sn_bits = k > 5 ? 5 : 10;
	}
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), 0);
	for (size_t k = 0; k < sizeof(lcids); k++)
		assert_int_equal(channel_lcid(&n.cfg, 1, (uint8_t)k, CELL_DIR_DL), lcids[k]);
	n.bearer[6].rlc.um.sn_bits = 10; /* a fourth one */
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "bearer.rlc.mode");
}

static void test_configurations_that_cannot_be(void **state)
{
	const char *field, *range;
	struct net n;

	(void)state;
	setup(&n);
	n.bearer[0] = n.bearer[1] = cell_cfg_bearer(&n.cfg);
	n.bearer[0].ue = n.bearer[1].ue = 1; /* two default bearers */
	n.cfg.n_bearers = 2;
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "bearer.ue");
	n.cfg.n_bearers = 1;
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), 0);
	n.bearer[0].priority = 0;
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "priority");
	n.bearer[0].priority = 1;
	n.bearer[0].ue = 2; /* no such UE */
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "bearer.ue");
}

/* With a UE as peer both ends need the bearer. */
static void test_a_direct_bearer_of_one_side_only(void **state)
{
	const char *field, *range;
	struct net n;

	(void)state;
	setup(&n);
	n.cfg.n_ue = 2;
	n.cfg.ue[0].peer = 2;
	n.cfg.rlc.mode = CELL_RLC_UM;
	add(&n, 1, CALL)->rlc.mode = CELL_RLC_AM;
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), -EINVAL);
	assert_string_equal(field, "bearer.rlc.mode");
	add(&n, 2, CALL)->rlc.mode = CELL_RLC_AM;
	assert_int_equal(cell_cfg_check(&n.cfg, &field, &range), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_packet_takes_its_bearer),
		cmocka_unit_test(test_blocks_of_several_bearers_are_full),
		cmocka_unit_test(test_a_higher_priority_overtakes),
		cmocka_unit_test(test_the_default_bearer_is_last_of_its_priority),
		cmocka_unit_test(test_a_prioritised_bit_rate),
		cmocka_unit_test(test_a_low_bit_rate),
		cmocka_unit_test(test_a_mode_switch_flushes_every_bearer),
		cmocka_unit_test(test_ues_with_different_modes),
		cmocka_unit_test(test_logical_channels),
		cmocka_unit_test(test_configurations_that_cannot_be),
		cmocka_unit_test(test_a_direct_bearer_of_one_side_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
