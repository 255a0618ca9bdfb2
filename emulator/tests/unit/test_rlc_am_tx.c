/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter: polling, retransmission, re-segmentation, RETX_COUNT.
 * Source: TS 36.322 5.1.3.1, 5.2.1, 5.2.2; variables are named as there.
 */
#include "unit.h"

#include "base/rng.h"
#include "pool.h"
#include "rlc/am/am.h"

#define PKTS       2100
#define T_POLL_NS  45
#define NEVER_POLL 1000000 /* pollPDU and pollByte that are not reached */
#define ROOM       100

static struct pkt pkt[PKTS];
static struct rlc_pdu *sent[AM_SLOTS];
static struct rlc_pool pool;
static struct rlc_am_tx tx;

/* The PDU built last, and the data fields of all when they were new. */
static uint8_t buf[POOL_BYTES + 100];
static struct rlc_am_built built;
static struct am_pdu am;
static size_t header;
static uint8_t original[AM_SLOTS][POOL_BYTES];

static void setup_polls(uint32_t poll_pdu, uint32_t poll_byte, uint8_t max_retx_threshold)
{
	const struct rlc_am_cfg cfg = {
		.poll_pdu = poll_pdu,
		.poll_byte = poll_byte,
		.max_retx_threshold = max_retx_threshold,
		.t_poll_retransmit_ns = T_POLL_NS,
		.queue_limit = PKTS,
	};

	pool_fill(&pool);
	rlc_am_tx_init(&tx, &cfg, sent, &pool);
}

static void setup(void)
{
	setup_polls(NEVER_POLL, NEVER_POLL, 8);
}

static void push(uint32_t first, uint32_t n, uint16_t len)
{
	for (uint32_t i = first; i < first + n; i++) {
		pkt[i] = (struct pkt){ .id = i, .len = len, .sdu_len = len };
		for (uint16_t k = 0; k < len; k++)
			pkt_sdu(&pkt[i])[k] = (uint8_t)(i * 37 + k);
		rlc_sdu_queue_push(&tx.queue, &pkt[i]);
	}
}

/* Build a PDU of at most @max bytes. Its header says what the caller is told, its data are right.
 */
static uint32_t send_at(uint32_t max, int64_t now_ns)
{
	static struct rlc_tx_pdu elements;

	memset(buf, 0, sizeof(buf));
	built = rlc_am_tx_build(&tx, max, now_ns, buf, &elements);
	if (built.size == 0)
		return 0;
	assert_true(built.size <= max);
	assert_int_equal(am_unpack(&am, &header, buf, built.size), 0);
	assert_int_equal(am.sn, built.sn);
	assert_int_equal(am.so, built.so);
	assert_int_equal(am.poll, built.poll);
	assert_int_equal(built.size - header, built.data);
	if (!built.retx)
		memcpy(original[am.sn], buf + header, built.data);
	assert_memory_equal(buf + header, original[am.sn] + am.so, built.data);
	return built.size;
}

static uint32_t transmit(uint32_t max)
{
	return send_at(max, 0);
}

/* @n new PDUs of one SDU of @len bytes each. */
static void transmit_new(uint32_t n, uint16_t len)
{
	push(0, n, len);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(transmit(len + 2u), len + 2);
}

/* The receiver takes the packets out of what it has; only then it acknowledges. */
static void deliver(uint16_t ack_sn, uint16_t n, const struct am_nack *nacks)
{
	for (uint16_t sn = tx.vt_a; sn != ack_sn && sent[sn]; sn = (sn + 1) % AM_SLOTS) {
		bool missing = false;

		for (uint16_t i = 0; i < n; i++)
			missing |= nacks[i].sn == sn;
		while (!missing && sent[sn]->ends.head)
			(void)pkt_dequeue(&sent[sn]->ends);
	}
}

static int status(uint16_t ack_sn, uint16_t n, const struct am_nack *nack)
{
	deliver(ack_sn, n, nack);
	static struct am_status s;

	s.ack_sn = ack_sn;
	s.n = n;
	if (n > 0)
		memcpy(s.nack, nack, n * sizeof(*nack));
	return rlc_am_tx_status(&tx, &s);
}

static void ack(uint16_t ack_sn)
{
	assert_int_equal(status(ack_sn, 0, NULL), 0);
}

static void nack(uint16_t sn)
{
	const struct am_nack n = { .sn = sn, .so_end = AM_SO_END };

	assert_int_equal(status(tx.vt_s, 1, &n), 0);
}

static void nack_bytes(uint16_t sn, uint16_t so_start, uint16_t so_end)
{
	const struct am_nack n = {
		.sn = sn, .has_so = true, .so_start = so_start, .so_end = so_end
	};

	assert_int_equal(status(tx.vt_s, 1, &n), 0);
}

/* The last PDU was a segment from @so with @n elements of @len. */
static void expect_segment(uint16_t so, bool lsf, uint8_t fi, uint16_t n, const uint16_t *len)
{
	assert_true(am.rf);
	assert_int_equal(am.so, so);
	assert_int_equal(am.lsf, lsf);
	assert_int_equal(am.fi, fi);
	assert_int_equal(am.n, n);
	for (uint16_t i = 0; i < n; i++)
		assert_int_equal(am.len[i], len[i]);
}

static void expect_all_free(void)
{
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(tx.vt_a, tx.vt_s);
	assert_int_equal(tx.n_retx, 0);
	assert_int_equal(tx.retx_bytes, 0);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
}

/* --- new PDUs --- */

/* 100 bytes in PDUs of at most 42: header 2, so 40 + 40 + 20. */
static void test_segmentation(void **state)
{
	static const uint8_t fi[] = { RLC_FI_LAST_CONTINUES, 3, RLC_FI_FIRST_CONTINUES };

	(void)state;
	setup();
	push(0, 1, 100);
	for (uint16_t sn = 0; sn < 3; sn++) {
		assert_int_equal(transmit(42), sn < 2 ? 42 : 22);
		assert_false(built.retx);
		assert_false(am.rf);
		assert_int_equal(am.sn, sn);
		assert_int_equal(am.fi, fi[sn]);
		assert_int_equal(am.n, 1);
		assert_int_equal(am.poll, sn == 2);
	}
	assert_int_equal(tx.vt_s, 3);
	assert_int_equal(tx.vt_a, 0);
	assert_int_equal(pool.n_free, POOL_PDUS - 3);
	assert_int_equal(transmit(ROOM), 0);
}

/* Header and a byte of data need three bytes; without them no SN is used. */
static void test_no_room(void **state)
{
	(void)state;
	setup();
	push(0, 1, 30);
	for (uint32_t max = 0; max <= 2; max++)
		assert_int_equal(transmit(max), 0);
	assert_int_equal(tx.vt_s, 0);
	assert_int_equal(transmit(3), 3);
}

/* --- polling: TS 36.322 5.2.2.1 --- */

/* pollPDU 4: the fourth and the eighth of nine, and the last, which empties the buffer. */
static void test_poll_pdu(void **state)
{
	(void)state;
	setup_polls(4, NEVER_POLL, 8);
	push(0, 9, 20);
	for (uint16_t sn = 0; sn < 9; sn++) {
		(void)transmit(22);
		assert_int_equal(am.poll, sn == 3 || sn == 7 || sn == 8);
	}
}

/* pollByte 100 with 25 bytes each: the fourth; with 26 the fourth again (78 are not enough). */
static void test_poll_byte(void **state)
{
	(void)state;
	for (uint16_t len = 25; len <= 26; len++) {
		setup_polls(NEVER_POLL, 100, 8);
		push(0, 10, len);
		for (uint16_t sn = 0; sn < 9; sn++) {
			(void)transmit(len + 2u);
			assert_int_equal(am.poll, sn == 3 || sn == 7);
		}
	}
}

/* Any poll sets both counters to 0: here the one of an empty buffer. */
static void test_poll_resets_counters(void **state)
{
	(void)state;
	setup_polls(3, 60, 8);
	transmit_new(2, 20);
	assert_true(am.poll);
	assert_int_equal(tx.pdu_without_poll, 0);
	assert_int_equal(tx.byte_without_poll, 0);
	push(2, 4, 19);
	for (uint16_t sn = 2; sn < 5; sn++) {
		(void)transmit(21);
		assert_int_equal(am.poll, sn == 4); /* 57 bytes, but three PDUs */
	}
}

/* Retransmitted bytes are not new ones: neither counter counts them. */
static void test_retransmission_is_not_counted(void **state)
{
	(void)state;
	setup_polls(100, 1000, 8);
	push(0, 3, 20);
	(void)transmit(22);
	(void)transmit(22);
	nack(0);
	(void)transmit(22);
	assert_true(built.retx);
	assert_false(am.poll); /* an SDU waits still */
	assert_int_equal(tx.pdu_without_poll, 2);
	assert_int_equal(tx.byte_without_poll, 40);
}

/* The poll is in the last retransmission when both buffers are empty after it. */
static void test_poll_after_last_retransmission(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 2, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(4, 20);
	assert_int_equal(status(4, 2, nacks), 0);
	assert_int_equal(transmit(ROOM), 22);
	assert_false(am.poll);
	assert_int_equal(transmit(ROOM), 22);
	assert_true(am.poll);
	assert_int_equal(tx.poll_sn, 3); /* VT(S) - 1, not the PDU that polls */
}

/* AM_Window_Size 512: SN 511 fills the window, polls, and nothing new follows. */
static void test_window_stall(void **state)
{
	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++) {
		assert_false(rlc_am_tx_stalled(&tx));
		(void)transmit(22);
		assert_int_equal(am.sn, sn);
		assert_int_equal(am.poll, sn == AM_WINDOW - 1);
	}
	assert_true(rlc_am_tx_stalled(&tx));
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
	assert_int_equal(transmit(22), 0);
	ack(2); /* room for two: the second one polls */
	assert_int_equal(rlc_am_tx_bytes(&tx), 88 * 20);
	(void)transmit(22);
	assert_false(am.poll);
	(void)transmit(22);
	assert_int_equal(am.sn, 513);
	assert_true(am.poll);
	assert_int_equal(transmit(22), 0);
}

/* While the window is stalled every PDU polls, retransmissions too: no new one can follow. */
static void test_poll_while_stalled(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 5, .so_end = AM_SO_END } };

	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	assert_int_equal(status(6, 2, nacks), 0);
	(void)transmit(22);
	assert_true(built.retx);
	assert_true(am.poll);
	(void)transmit(22);
	assert_true(built.retx);
	assert_true(am.poll);
	assert_int_equal(tx.poll_sn, AM_WINDOW - 1);
}

/* --- t-PollRetransmit: TS 36.322 5.2.2.2, 5.2.2.3 --- */

/* Started by a poll, restarted by the next one. */
static void test_timer_runs(void **state)
{
	(void)state;
	setup();
	push(0, 1, 20);
	(void)send_at(ROOM, 100);
	assert_int_equal(tx.expiry_ns, 100 + T_POLL_NS);
	assert_int_equal(tx.poll_sn, 0);
	push(1, 1, 20);
	(void)send_at(ROOM, 120);
	assert_int_equal(tx.expiry_ns, 120 + T_POLL_NS);
	assert_int_equal(tx.poll_sn, 1);
}

/* Only what tells something about POLL_SN stops it: ACK_SN beyond it, also with a NACK of it. */
static void test_timer_stops(void **state)
{
	(void)state;
	setup();
	transmit_new(3, 20);
	assert_int_equal(tx.poll_sn, 2);
	ack(2);
	assert_int_equal(tx.expiry_ns, T_POLL_NS);
	nack(2);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	(void)send_at(ROOM, 10);
	assert_int_equal(tx.expiry_ns, 10 + T_POLL_NS);
	ack(3);
	expect_all_free();
}

/* Nothing else to send: the PDU with SN VT(S) - 1 goes again and polls. */
static void test_timer_expires(void **state)
{
	(void)state;
	setup();
	transmit_new(3, 20);
	rlc_am_tx_expire(&tx);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	assert_int_equal(send_at(ROOM, 50), 22);
	assert_true(built.retx);
	assert_int_equal(am.sn, 2);
	assert_true(am.poll);
	assert_int_equal(tx.expiry_ns, 50 + T_POLL_NS);
	assert_int_equal(transmit(ROOM), 0);
}

/* VT(S) - 1 was acknowledged already: another one that was not. */
static void test_timer_expires_last_acked(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(4, 20);
	assert_int_equal(status(4, 1, nacks), 0);
	(void)transmit(ROOM);
	rlc_am_tx_expire(&tx);
	assert_int_equal(transmit(ROOM), 22);
	assert_int_equal(am.sn, 1);
}

/* New data can go: no retransmission, the next new PDU polls. */
static void test_timer_expires_with_data(void **state)
{
	(void)state;
	setup();
	transmit_new(1, 20);
	push(1, 3, 20);
	rlc_am_tx_expire(&tx);
	(void)transmit(22);
	assert_false(built.retx);
	assert_true(am.poll);
	(void)transmit(22);
	assert_false(am.poll);
}

/* With a stalled window there are data but none can go: VT(S) - 1 again. */
static void test_timer_expires_stalled(void **state)
{
	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	rlc_am_tx_expire(&tx);
	assert_int_equal(transmit(22), 22);
	assert_true(built.retx);
	assert_int_equal(am.sn, AM_WINDOW - 1);
	assert_true(am.poll);
}

/* Also when others wait to be sent again: behind them, with no data of its own lost. */
static void test_timer_expires_stalled_and_pending(void **state)
{
	static const struct am_nack oldest = { .sn = 0, .so_end = AM_SO_END };

	(void)state;
	setup();
	push(0, 600, 20);
	for (uint16_t sn = 0; sn < AM_WINDOW; sn++)
		(void)transmit(22);
	assert_int_equal(status(1, 1, &oldest), 0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	rlc_am_tx_expire(&tx);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	(void)transmit(22);
	assert_int_equal(am.sn, 0);
	assert_true(am.poll);
	(void)transmit(22);
	assert_int_equal(am.sn, AM_WINDOW - 1);
	rlc_am_tx_expire(&tx);
	rlc_am_tx_expire(&tx); /* pending: not considered once more */
	(void)transmit(22);
	assert_int_equal(built.retx_count, 1);
}

/* --- retransmission: TS 36.322 5.2.1 --- */

/* The whole PDU again: same SN, same bytes, no segment; before anything new. */
static void test_retransmission(void **state)
{
	(void)state;
	setup();
	push(0, 4, 20);
	(void)transmit(22);
	(void)transmit(22);
	(void)transmit(22);
	nack(1);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20 + 20);
	assert_int_equal(transmit(22), 22);
	assert_true(built.retx);
	assert_false(am.rf);
	assert_int_equal(am.sn, 1);
	assert_int_equal(am.fi, 0);
	assert_int_equal(transmit(22), 22);
	assert_false(built.retx);
	assert_int_equal(am.sn, 3);
}

/* Several go in order of SN, however small the PDU that would follow. */
static void test_retransmission_order(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END },
		                                { .sn = 2, .so_end = AM_SO_END },
		                                { .sn = 4, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(6, 20);
	assert_int_equal(status(6, 3, nacks), 0);
	for (int i = 0; i < 3; i++) {
		(void)transmit(ROOM);
		assert_int_equal(am.sn, nacks[i].sn);
	}
	assert_int_equal(transmit(ROOM), 0);
}

/* One PDU of three SDUs of 30 bytes: 0..30, 30..60, 60..90; header 2 + 3. */
static void three_in_one(void)
{
	setup();
	push(0, 3, 30);
	assert_int_equal(transmit(95), 95);
	assert_int_equal(am.n, 3);
}

/*
 * In 46 bytes: header 4, an indicator 2, data 40. So 30 + 10, then 20 + 20,
 * then the last 10, which need no indicator.
 */
static void test_resegmentation(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	assert_int_equal(transmit(46), 46);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 2, (const uint16_t[]){ 30, 10 });
	assert_false(am.poll);
	assert_int_equal(rlc_am_tx_bytes(&tx), 50);
	assert_int_equal(transmit(46), 46);
	expect_segment(40, false, 3, 2, (const uint16_t[]){ 20, 20 });
	assert_false(am.poll);
	assert_int_equal(transmit(46), 14);
	expect_segment(80, true, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 10 });
	assert_true(am.poll); /* the last byte to be sent again */
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
}

/* Segments that end where SDUs end: the framing info says so on both sides. */
static void test_resegmentation_at_boundaries(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	for (uint16_t i = 0; i < 3; i++) {
		assert_int_equal(transmit(34), 34);
		expect_segment((uint16_t)(30 * i), i == 2, 0, 1, (const uint16_t[]){ 30 });
	}
}

/* 35 and 36 bytes do not hold an indicator and a byte more than 34; 37 do. */
static void test_resegmentation_indicator(void **state)
{
	(void)state;
	for (uint32_t max = 35; max <= 36; max++) {
		three_in_one();
		nack(0);
		assert_int_equal(transmit(max), 34);
		expect_segment(0, false, 0, 1, (const uint16_t[]){ 30 });
	}
	three_in_one();
	nack(0);
	assert_int_equal(transmit(37), 37);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 2, (const uint16_t[]){ 30, 1 });
}

/* One byte at a time: header 4 and a byte; four bytes hold nothing. */
static void test_smallest_segments(void **state)
{
	(void)state;
	three_in_one();
	nack(0);
	for (uint16_t i = 0; i < 90; i++) {
		uint8_t fi = (i % 30 ? RLC_FI_FIRST_CONTINUES : 0) |
		             (i % 30 < 29 ? RLC_FI_LAST_CONTINUES : 0);

		assert_int_equal(transmit(4), 0);
		assert_int_equal(transmit(5), 5);
		expect_segment(i, i == 89, fi, 1, (const uint16_t[]){ 1 });
	}
	assert_int_equal(transmit(ROOM), 0);
}

/* The PDU's own header (2 + 29 bytes for 20 SDUs) is larger than the room; a segment's is not. */
static void test_resegmentation_of_many_small(void **state)
{
	(void)state;
	setup();
	push(0, 20, 3);
	assert_int_equal(transmit(91), 91);
	nack(0);
	assert_int_equal(transmit(7), 7);
	expect_segment(0, false, 0, 1, (const uint16_t[]){ 3 });
	assert_int_equal(transmit(12), 12); /* 4 + 2 + 6 */
	expect_segment(3, false, 0, 2, (const uint16_t[]){ 3, 3 });
}

/* A portion only: bytes 25..64, of which the room cuts another segment. */
static void test_segment_of_segment(void **state)
{
	(void)state;
	three_in_one();
	nack_bytes(0, 25, 64);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(26), 26); /* 4 + 2 + 20 */
	expect_segment(25, false, 3, 2, (const uint16_t[]){ 5, 15 });
	assert_int_equal(transmit(ROOM), 26); /* 4 + 2 + 20 */
	expect_segment(45, false, 3, 2, (const uint16_t[]){ 15, 5 });
	assert_int_equal(transmit(ROOM), 0);
	nack_bytes(0, 50, 59); /* of that second one its middle, up to an SDU's end */
	assert_int_equal(transmit(ROOM), 14);
	expect_segment(50, false, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 10 });
}

/* Two holes in one PDU, in one STATUS PDU; the second one to the end. */
static void test_two_portions(void **state)
{
	static const struct am_nack nacks[] = {
		{ .sn = 0, .has_so = true, .so_start = 0, .so_end = 9 },
		{ .sn = 0, .has_so = true, .so_start = 60, .so_end = AM_SO_END },
	};

	(void)state;
	three_in_one();
	assert_int_equal(status(1, 2, nacks), 0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(ROOM), 14);
	expect_segment(0, false, RLC_FI_LAST_CONTINUES, 1, (const uint16_t[]){ 10 });
	assert_int_equal(transmit(ROOM), 34);
	expect_segment(60, true, 0, 1, (const uint16_t[]){ 30 });
	assert_int_equal(transmit(ROOM), 0);
}

/* SOstart 0 to the last byte is the whole PDU, which goes as one; SO beyond it asks for nothing. */
static void test_portion_edges(void **state)
{
	(void)state;
	three_in_one();
	nack_bytes(0, 0, 89);
	assert_int_equal(transmit(95), 95);
	assert_false(am.rf);
	nack_bytes(0, 90, 200);
	assert_int_equal(rlc_am_tx_bytes(&tx), 0);
	assert_int_equal(tx.vt_a, 0); /* nor is it an acknowledgment */
	nack_bytes(0, 89, 200);
	assert_int_equal(transmit(95), 5);
	expect_segment(89, true, RLC_FI_FIRST_CONTINUES, 1, (const uint16_t[]){ 1 });
}

/* Elements that bytes @from..@to of a PDU with @boundary have. */
static uint16_t elements(const bool *boundary, uint16_t from, uint16_t to)
{
	uint16_t n = 1;

	for (uint16_t i = (uint16_t)(from + 1); i < to; i++)
		n = (uint16_t)(n + boundary[i]);
	return n;
}

/* The last PDU tells of its bytes' boundaries what @boundary says, and could not be longer. */
static void expect_faithful(const bool *boundary, uint16_t len, uint32_t max)
{
	uint16_t at = am.so, to = (uint16_t)(am.so + built.data);

	assert_int_equal(!(am.fi & RLC_FI_FIRST_CONTINUES), boundary[at]);
	assert_int_equal(am.n, elements(boundary, at, to));
	for (uint16_t i = 0; i + 1 < am.n; i++) {
		at = (uint16_t)(at + am.len[i]);
		assert_true(boundary[at]);
	}
	assert_int_equal(!(am.fi & RLC_FI_LAST_CONTINUES), boundary[to]);
	assert_int_equal(am.rf, built.data < len);
	assert_int_equal(am.lsf, to == len);
	if (to < len)
		assert_true(am_header_bytes(true, elements(boundary, am.so, (uint16_t)(to + 1))) +
		                    built.data + 1 >
		            max);
}

/* PDUs of random SDUs in random rooms: every segment is faithful, all bytes come once, in order. */
static void test_random_resegmentation(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "resegmentation", 0);
	for (int round = 0; round < 500; round++) {
		uint16_t n = (uint16_t)(1 + rng_below(&rng, 30)), len = 0;
		bool boundary[POOL_BYTES + 1] = { [0] = true };

		setup();
		for (uint16_t i = 0; i < n; i++) {
			uint16_t sdu = (uint16_t)(1 + rng_below(&rng, 25));

			push(i, 1, sdu);
			len = (uint16_t)(len + sdu);
			boundary[len] = true;
		}
		(void)transmit(POOL_BYTES);
		assert_int_equal(built.data, len);
		nack(0);
		for (uint16_t so = 0; so < len; so = (uint16_t)(so + built.data)) {
			uint32_t max = 5 + rng_below(&rng, 60);

			assert_true(transmit(max) > 0);
			assert_int_equal(am.so, so);
			expect_faithful(boundary, len, max);
		}
		assert_int_equal(tx.n_retx, 0);
		ack(1);
		expect_all_free();
	}
}

/* --- STATUS PDUs --- */

/* ACK of everything frees all PDUs, also those that wait to be sent again. */
static void test_ack_everything(void **state)
{
	(void)state;
	setup();
	transmit_new(10, 20);
	nack(3);
	assert_int_equal(tx.vt_a, 3);
	assert_int_equal(pool.n_free, POOL_PDUS - 7);
	ack(10);
	expect_all_free();
	assert_int_equal(transmit(ROOM), 0);
}

/* ACK 5 with NACK 1 and 3: what is between them is kept until VT(A) passes it. */
static void test_acks_around_nacks(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END },
		                                { .sn = 3, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(6, 20);
	assert_int_equal(status(5, 2, nacks), 0);
	assert_int_equal(tx.vt_a, 1);
	assert_int_equal(tx.n_retx, 2);
	assert_int_equal(status(5, 1, &nacks[1]), 0);
	assert_int_equal(tx.vt_a, 3);
	assert_int_equal(tx.n_retx, 1);
	ack(5);
	assert_int_equal(tx.vt_a, 5);
	assert_int_equal(tx.n_retx, 0);
	ack(6);
	expect_all_free();
}

/* An acknowledgment of what was never sent changes nothing; nor does one of long ago. */
static void test_ack_out_of_range(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 3, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(6, 20);
	ack(2);
	assert_int_equal(status(7, 1, nacks), -EBADMSG);
	assert_int_equal(status(1, 0, NULL), -EBADMSG);
	assert_int_equal(status(2 + AM_WINDOW, 0, NULL), -EBADMSG);
	assert_int_equal(tx.vt_a, 2);
	assert_int_equal(tx.n_retx, 0);
	assert_int_equal(tx.expiry_ns, T_POLL_NS);
	ack(2); /* nothing new */
	assert_int_equal(tx.vt_a, 2);
}

/*
 * HARQ lets a STATUS PDU overtake another: the late one says NACK 1 and 3,
 * though VT(A) is 3 already. That 1 is old does not make 3 an acknowledged one.
 */
static void test_late_status(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 1, .so_end = AM_SO_END },
		                                { .sn = 3, .so_end = AM_SO_END } };

	(void)state;
	setup();
	transmit_new(6, 20);
	assert_int_equal(status(6, 1, &nacks[1]), 0);
	assert_int_equal(tx.vt_a, 3);
	assert_int_equal(status(5, 2, nacks), 0);
	assert_int_equal(tx.vt_a, 3);
	assert_int_equal(transmit(ROOM), 22);
	assert_int_equal(am.sn, 3);
}

/* --- RETX_COUNT and maxRetxThreshold: TS 36.322 5.2.1 --- */

/* The first consideration sets 0; with threshold 3 the fourth one fails. */
static void test_max_retx_threshold(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 3);
	transmit_new(2, 20);
	for (uint8_t count = 0; count < 3; count++) {
		nack(1);
		assert_false(tx.max_retx_reached);
		assert_int_equal(transmit(ROOM), 22);
		assert_int_equal(built.retx_count, count);
	}
	nack(1);
	assert_true(tx.max_retx_reached);
}

/* Threshold 1: the second consideration. Every PDU has its own count. */
static void test_max_retx_threshold_1(void **state)
{
	static const struct am_nack nacks[] = { { .sn = 0, .so_end = AM_SO_END },
		                                { .sn = 1, .so_end = AM_SO_END } };

	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 1);
	transmit_new(2, 20);
	assert_int_equal(status(2, 2, nacks), 0);
	(void)transmit(ROOM);
	(void)transmit(ROOM);
	assert_false(tx.max_retx_reached);
	nack(1);
	assert_true(tx.max_retx_reached);
}

/* What is pending already is not counted again. */
static void test_pending_is_not_counted(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 1);
	transmit_new(2, 20);
	for (int i = 0; i < 5; i++)
		nack(1);
	nack_bytes(1, 5, 10);
	assert_false(tx.max_retx_reached);
	assert_int_equal(rlc_am_tx_bytes(&tx), 20);
	(void)transmit(ROOM);
	assert_int_equal(built.retx_count, 0);
}

/* A portion that is not pending counts, though another one of the PDU still is. */
static void test_portion_not_pending_is_counted(void **state)
{
	(void)state;
	setup();
	transmit_new(1, 40);
	nack(0);
	assert_int_equal(transmit(24), 24); /* bytes 0..20 */
	nack(0);
	assert_int_equal(rlc_am_tx_bytes(&tx), 40);
	assert_int_equal(transmit(ROOM), 42);
	assert_int_equal(built.retx_count, 1);
}

/* Two portions of one PDU in one STATUS PDU are one consideration. */
static void test_portions_of_one_status(void **state)
{
	static const struct am_nack nacks[] = {
		{ .sn = 0, .has_so = true, .so_start = 0, .so_end = 9 },
		{ .sn = 0, .has_so = true, .so_start = 20, .so_end = 29 },
	};

	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 2);
	transmit_new(1, 40);
	for (uint8_t count = 0; count < 2; count++) {
		assert_int_equal(status(1, 2, nacks), 0);
		assert_false(tx.max_retx_reached);
		(void)transmit(ROOM);
		(void)transmit(ROOM);
		assert_int_equal(built.retx_count, count);
	}
	assert_int_equal(status(1, 2, nacks), 0);
	assert_true(tx.max_retx_reached);
}

/* t-PollRetransmit's considerations count like those of NACKs. */
static void test_expiry_is_counted(void **state)
{
	(void)state;
	setup_polls(NEVER_POLL, NEVER_POLL, 2);
	transmit_new(1, 20);
	for (uint8_t count = 0; count < 2; count++) {
		rlc_am_tx_expire(&tx);
		assert_false(tx.max_retx_reached);
		(void)transmit(ROOM);
		assert_int_equal(built.retx_count, count);
	}
	rlc_am_tx_expire(&tx);
	assert_true(tx.max_retx_reached);
}

/* --- SN wrap and re-establishment --- */

/* 2100 PDUs through a window of eight: SNs modulo 1024, of eight the third and last again. */
static void test_sn_wrap(void **state)
{
	(void)state;
	setup();
	push(0, PKTS, 20);
	for (uint32_t i = 0; i < PKTS; i++) {
		struct am_nack nacks[] = { { .sn = (uint16_t)((i - 5) % 1024),
			                     .so_end = AM_SO_END },
			                   { .sn = (uint16_t)(i % 1024), .so_end = AM_SO_END } };

		(void)transmit(22);
		assert_int_equal(am.sn, i % 1024);
		if (i % 8 != 7)
			continue;
		assert_int_equal(status(tx.vt_s, 2, nacks), 0);
		assert_int_equal(tx.vt_a, nacks[0].sn);
		for (int k = 0; k < 2; k++) {
			(void)transmit(22);
			assert_true(built.retx);
			assert_int_equal(am.sn, nacks[k].sn);
		}
		ack(tx.vt_s);
		assert_int_equal(tx.vt_a, (i + 1) % 1024);
	}
	ack(PKTS % 1024);
	expect_all_free();
}

/* The window stalls across the wrap as it does before it. */
static void test_stall_across_wrap(void **state)
{
	(void)state;
	setup();
	push(0, 1600, 20);
	for (uint16_t i = 0; i < 1000; i++) {
		(void)transmit(22);
		if (i % 100 == 99)
			ack(tx.vt_s);
	}
	for (uint16_t i = 0; i < AM_WINDOW; i++)
		assert_int_equal(transmit(22), 22);
	assert_true(am.poll);
	assert_int_equal(am.sn, (1000 + AM_WINDOW - 1) % 1024);
	assert_int_equal(transmit(22), 0);
	assert_int_equal(status((1000 + AM_WINDOW + 1) % 1024, 0, NULL), -EBADMSG);
	ack((1000 + AM_WINDOW) % 1024);
	assert_int_equal(tx.vt_a, 488);
}

/* Re-establishment: what was not delivered is queued again, whole, in order, from SN 0. */
static void test_reset(void **state)
{
	(void)state;
	setup();
	push(0, 5, 30);
	(void)transmit(32);
	(void)transmit(32);
	(void)transmit(20); /* a part of SDU 2 */
	ack(1);
	deliver(2, 0, NULL); /* SDU 1 was delivered, only its ACK did not come */
	rlc_am_tx_reset(&tx);
	expect_all_free();
	assert_int_equal(tx.vt_s, 0);
	assert_int_equal(tx.queue.bytes, 90);
	for (uint32_t id = 2; id < 5; id++)
		assert_int_equal(pkt_dequeue(&tx.queue.sdus)->id, id);
	assert_null(tx.queue.sdus.head);
}

static struct rlc_kept_sdu visited[8];
static uint8_t visited_data[8][64];
static uint32_t n_visited;

static void visit(void *arg, struct rlc_kept_sdu sdu)
{
	(void)arg;
	memcpy(visited_data[n_visited], sdu.data, sdu.len);
	visited[n_visited++] = sdu;
}

static void expect_visited(uint32_t i, uint32_t id, bool with_packet, bool confirmed)
{
	assert_ptr_equal(visited[i].p, with_packet ? &pkt[id] : NULL);
	assert_int_equal(visited[i].confirmed, confirmed);
	assert_int_equal(visited[i].len, 20);
	assert_memory_equal(visited_data[i], pkt_sdu(&pkt[id]), 20);
}

/* SDUs 0..5 of 20 bytes in PDUs of 30. PDU 0 is acknowledged and forgotten, but not that SDU 1
 * began in it; PDU 2 is acknowledged, PDU 1 and 3 are not. */
static void test_unconfirmed(void **state)
{
	const struct am_nack missing = { .sn = 1, .so_end = AM_SO_END };

	(void)state;
	setup();
	push(0, 6, 20);
	for (int i = 0; i < 4; i++)
		assert_int_equal(transmit(30 + 4), 34);
	assert_int_equal(status(3, 1, &missing), 0);
	n_visited = 0;
	rlc_am_tx_unconfirmed(&tx, visit, NULL);
	assert_int_equal(n_visited, 5);
	expect_visited(0, 1, true, false);
	expect_visited(1, 2, true, false);
	expect_visited(2, 3, false, true);
	expect_visited(3, 4, true, false);
	expect_visited(4, 5, true, false);
	rlc_am_tx_reset(&tx);
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(tx.queue.sdus.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segmentation),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_poll_pdu),
		cmocka_unit_test(test_poll_byte),
		cmocka_unit_test(test_poll_resets_counters),
		cmocka_unit_test(test_retransmission_is_not_counted),
		cmocka_unit_test(test_poll_after_last_retransmission),
		cmocka_unit_test(test_window_stall),
		cmocka_unit_test(test_poll_while_stalled),
		cmocka_unit_test(test_timer_runs),
		cmocka_unit_test(test_timer_stops),
		cmocka_unit_test(test_timer_expires),
		cmocka_unit_test(test_timer_expires_last_acked),
		cmocka_unit_test(test_timer_expires_with_data),
		cmocka_unit_test(test_timer_expires_stalled),
		cmocka_unit_test(test_timer_expires_stalled_and_pending),
		cmocka_unit_test(test_retransmission),
		cmocka_unit_test(test_retransmission_order),
		cmocka_unit_test(test_resegmentation),
		cmocka_unit_test(test_resegmentation_at_boundaries),
		cmocka_unit_test(test_resegmentation_indicator),
		cmocka_unit_test(test_smallest_segments),
		cmocka_unit_test(test_resegmentation_of_many_small),
		cmocka_unit_test(test_segment_of_segment),
		cmocka_unit_test(test_two_portions),
		cmocka_unit_test(test_portion_edges),
		cmocka_unit_test(test_random_resegmentation),
		cmocka_unit_test(test_ack_everything),
		cmocka_unit_test(test_acks_around_nacks),
		cmocka_unit_test(test_ack_out_of_range),
		cmocka_unit_test(test_late_status),
		cmocka_unit_test(test_max_retx_threshold),
		cmocka_unit_test(test_max_retx_threshold_1),
		cmocka_unit_test(test_pending_is_not_counted),
		cmocka_unit_test(test_portion_not_pending_is_counted),
		cmocka_unit_test(test_portions_of_one_status),
		cmocka_unit_test(test_expiry_is_counted),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_stall_across_wrap),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_unconfirmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
