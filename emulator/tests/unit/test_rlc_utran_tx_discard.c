/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter of the UTRAN: MaxDAT and the discard that follows.
 * Source: TS 25.322 5.5.0 9.5, 9.7.3, 11.6
 */
#include "utran_sender.h"

/* PDU 1 is missing for the third time: the SDU goes of which it has a part, and none behind. */
static void test_max_dat(void **state)
{
	(void)state;
	setup(3);
	push(0, 30); /* in PDU 0 */
	push(1, 50); /* 7 octets in PDU 0, 38 in PDU 1, 5 in PDU 2 */
	push(2, 60); /* 32 octets in PDU 2 */
	push(3, 60);
	for (int i = 0; i < 4; i++)
		assert_int_equal(transmit(0), i);
	assert_int_equal(pkt_dequeue(&sent[0]->ends)->id, 0); /* delivered */
	for (uint8_t vt_dat = 2; vt_dat <= 3; vt_dat++) {
		nack(2, 1);
		assert_false(tx.mrw_active);
		assert_int_equal(transmit(0), 1);
		assert_int_equal(built.vt_dat, vt_dat);
	}
	nack(2, 1);
	assert_int_equal(transmit(0), 4); /* new data go on */
	expect_mrw(50, 1, 2, 1);
	mrw_ack(2, 1);
	assert_int_equal(tx.vt_a, 2);
	nack(4, 2); /* PDU 2 goes on for the sake of SDU 2 */
	assert_int_equal(transmit(0), 2);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 2);
	assert_int_equal(status(3, 0, NULL), 0);
	expect_discarded(1, (uint32_t[]){ 1 });
}

/* All that is not acknowledged before the PDU goes with it. Source: 11.6 */
static void test_max_dat_takes_all_before(void **state)
{
	(void)state;
	setup(1);
	for (uint32_t i = 0; i < 4; i++)
		push(i, 37);
	for (int i = 0; i < 4; i++)
		assert_int_equal(transmit(0), i);
	assert_int_equal(pkt_dequeue(&sent[0]->ends)->id, 0);
	assert_int_equal(status(3, 2, (uint16_t[]){ 1, 2 }), 0);
	expect_mrw(0, 1, 3, 0);
	mrw_ack(3, 0);
	expect_discarded(2, (uint32_t[]){ 1, 2 });
	assert_int_equal(tx.vt_a, 3);
}

/* One SDU in three PDUs and padding: the window moves behind it. */
static void setup_mrw(void)
{
	setup(1);
	push(0, 100);
	for (int i = 0; i < 3; i++)
		assert_int_equal(transmit(0), i);
	nack(3, 1);
	assert_int_equal(tx.n_retx, 0);
	assert_true(tx.mrw_due);
	assert_int_equal(transmit(0), -1);
	expect_mrw(50, 1, 3, 0);
	assert_int_equal(out.discarded.n, 0); /* the receiver may still have it */
}

static void test_mrw_ack(void **state)
{
	(void)state;
	setup_mrw();
	nack(3, 1); /* it is not sent again */
	assert_int_equal(transmit(0), -1);
	mrw_ack(2, 0);
	mrw_ack(3, 1);
	assert_true(tx.mrw_active);
	mrw_ack(3, 0);
	assert_false(tx.mrw_active);
	assert_int_equal(tx.mrw_expiry_ns, CELL_NEVER);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	assert_int_equal(tx.vt_a, 3);
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Timer_MRW: the same MRW again. */
static void test_timer_mrw(void **state)
{
	(void)state;
	setup_mrw();
	assert_int_equal(tx.vt_mrw, 1);
	rlc_utran_tx_mrw_expire(&tx);
	expect_mrw(200, 1, 3, 0);
	assert_int_equal(tx.vt_mrw, 2);
}

/* An acknowledgment of PDUs behind SN_MRW says that it has come. */
static void test_mrw_ends_with_ack(void **state)
{
	(void)state;
	setup_mrw();
	push(1, 10);
	assert_int_equal(transmit(60), 3);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 1);
	assert_int_equal(status(4, 0, NULL), 0);
	assert_false(tx.mrw_active);
	expect_discarded(1, (uint32_t[]){ 0 });
}

/* The receiver was told of nothing but took the SDU: it is not discarded. */
static void test_delivered_meanwhile(void **state)
{
	(void)state;
	setup_mrw();
	(void)pkt_dequeue(&sent[2]->ends);
	mrw_ack(3, 0);
	expect_discarded(0, NULL);
}

/* The rest of an SDU that was not sent: an SN stands for it, and its bytes leave the queue. */
static void test_discard_of_unsent_rest(void **state)
{
	(void)state;
	setup(1);
	push(0, 200);
	push(1, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(transmit(0), i);
	nack(2, 0);
	assert_int_equal(tx.queue.bytes, 10);
	expect_mrw(0, 1, 3, 0);
	assert_int_equal(transmit(0), 3);
	assert_memory_equal(buf + header, pkt_sdu(&pkt[1]), 10);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 1);
	mrw_ack(4, 0); /* PDU 3 had come */
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(tx.vt_a, 4);
}

/* The same for an SDU whose end waits for its indicator, beyond a full window: LENGTH is 0. */
static void test_discard_without_indicator(void **state)
{
	(void)state;
	setup_all(2, 1, NEVER_POLL, 100);
	push(0, 76);
	push(1, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(transmit(0), i);
	nack(2, 0);
	expect_mrw(0, 0, 3, 0);
	assert_int_equal(transmit(0), -1);
	mrw_ack(3, 0);
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(transmit(0), 3);
	assert_int_equal(amd.cut[0], 10);
}

/* Another discard waits for the end of the first one. */
static void test_discards_one_by_one(void **state)
{
	(void)state;
	setup_mrw();
	push(1, 10);
	assert_int_equal(transmit(60), 3);
	nack(4, 3);
	assert_int_equal(tx.sn_mrw, 3);
	assert_false(tx.mrw_due);
	mrw_ack(3, 0);
	expect_discarded(1, (uint32_t[]){ 0 });
	expect_mrw(90, 1, 4, 0);
	mrw_ack(4, 0);
	expect_discarded(1, (uint32_t[]){ 1 });
}

/* Timer_Poll expires after the last transmission that a PDU may have. */
static void test_timer_poll_max_dat(void **state)
{
	(void)state;
	setup(2);
	push(0, 10);
	assert_int_equal(transmit(0), 0);
	rlc_utran_tx_poll_expire(&tx);
	assert_int_equal(transmit(100), 0);
	rlc_utran_tx_poll_expire(&tx);
	assert_int_equal(transmit(200), -1);
	expect_mrw(200, 1, 1, 0);
}

/* It is as it was at first, field by field. */
static void test_reset(void **state)
{
	struct rlc_utran_tx fresh;

	(void)state;
	setup(1);
	fresh = tx;
	setup_mrw();
	push(1, 38);
	push(2, 10);
	assert_int_equal(transmit(0), 3);
	rlc_utran_tx_reset(&tx, &out);
	expect_discarded(3, (uint32_t[]){ 0, 1, 2 });
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 0);
	assert_int_equal(tx.vt_s, 0); /* all starts again */
	assert_int_equal(tx.vt_a, 0);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	assert_false(tx.mrw_active);
	fresh.vt_mrw = tx.vt_mrw; /* of the last discard, which mean nothing any more */
	fresh.length = tx.length;
	fresh.sn_mrw = tx.sn_mrw;
	fresh.n_discards = tx.n_discards;
	memcpy(fresh.missing, tx.missing, sizeof(fresh.missing));
	assert_memory_equal(&tx, &fresh, sizeof(tx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_max_dat),
		cmocka_unit_test(test_max_dat_takes_all_before),
		cmocka_unit_test(test_mrw_ack),
		cmocka_unit_test(test_timer_mrw),
		cmocka_unit_test(test_mrw_ends_with_ack),
		cmocka_unit_test(test_delivered_meanwhile),
		cmocka_unit_test(test_discard_of_unsent_rest),
		cmocka_unit_test(test_discard_without_indicator),
		cmocka_unit_test(test_discards_one_by_one),
		cmocka_unit_test(test_timer_poll_max_dat),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
