/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter: STATUS PDUs that it gets, SNs that wrap, re-establishment.
 * Source: TS 36.322 5.2.1, 5.4; variables are named as there.
 */
#include "am_sender.h"

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
	struct rlc_am_tx fresh;

	(void)state;
	setup();
	fresh = tx;
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
	tx.queue.bytes = 0;
	assert_memory_equal(&tx, &fresh, sizeof(tx));
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
 * started in it; PDU 2 is acknowledged, PDU 1 and 3 are not. */
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
		cmocka_unit_test(test_ack_everything),
		cmocka_unit_test(test_acks_around_nacks),
		cmocka_unit_test(test_ack_out_of_range),
		cmocka_unit_test(test_late_status),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_stall_across_wrap),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_unconfirmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
