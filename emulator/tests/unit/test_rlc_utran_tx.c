/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter of the UTRAN: PDUs of one size, polls and their timer.
 * Source: TS 25.322 5.5.0 9.5, 9.7.1, 11.3
 */
#include "utran_sender.h"

/* 10 + 20 octets with an indicator each, 5 of the next one; then its rest and padding. */
static void test_concatenation_and_padding(void **state)
{
	(void)state;
	setup(0);
	push(0, 10);
	push(1, 20);
	push(2, 8);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 1);
	assert_int_equal(transmit(0), 0);
	assert_int_equal(amd.n_cuts, 2);
	assert_int_equal(amd.cut[0], 10);
	assert_int_equal(amd.cut[1], 30);
	assert_int_equal(amd.len, 36);
	assert_memory_equal(buf + header + 30, pkt_sdu(&pkt[2]), 6);
	assert_false(amd.poll);
	assert_int_equal(transmit(0), 1);
	assert_int_equal(amd.n_cuts, 1);
	assert_int_equal(amd.len, 2);
	assert_memory_equal(buf + header, pkt_sdu(&pkt[2]) + 6, 2);
	assert_true(amd.poll);
	assert_int_equal(transmit(0), -1);
}

/* Whatever the memory held before, no SN has a PDU at first. */
static void test_nothing_is_sent_at_first(void **state)
{
	(void)state;
	memset(sent, 0xa5, sizeof(sent));
	setup(0);
	for (size_t sn = 0; sn < RLC_UTRAN_SLOTS; sn++)
		assert_null(sent[sn]);
}

/* 100 octets fill two data fields of 38 octets and a part of a third one. */
static void test_pdus_that_could_be_sent(void **state)
{
	(void)state;
	setup(0);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 0);
	push(0, 100);
	for (uint32_t left = 3; left > 0; left--) {
		assert_int_equal(rlc_utran_tx_pdus(&tx), left);
		assert_int_equal(transmit(0), 3 - left);
	}
	assert_int_equal(rlc_utran_tx_pdus(&tx), 0);
}

/* An SDU as long as the data field: the next PDU has the indicator, and follows without data. */
static void test_end_without_indicator(void **state)
{
	(void)state;
	setup(0);
	push(0, 38);
	assert_int_equal(transmit(0), 0);
	assert_int_equal(amd.n_cuts, 0);
	assert_int_equal(amd.len, 38);
	assert_false(amd.poll);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 1);
	assert_int_equal(transmit(0), 1);
	assert_int_equal(amd.n_cuts, 1);
	assert_int_equal(amd.cut[0], 0);
	assert_int_equal(amd.len, 0);
	assert_true(amd.poll);
	assert_ptr_equal(sent[1]->ends.head, &pkt[0]);
}

/* 37 octets: the indicator takes the last octet. */
static void test_end_with_indicator(void **state)
{
	(void)state;
	setup(0);
	push(0, 37);
	assert_int_equal(transmit(0), 0);
	assert_int_equal(amd.n_cuts, 1);
	assert_int_equal(amd.len, 37);
	assert_int_equal(transmit(0), -1);
}

static void test_retransmission(void **state)
{
	uint8_t first[SIZE];

	(void)state;
	setup(0);
	transmit_new(4);
	assert_int_equal(status(4, 2, (uint16_t[]){ 1, 3 }), 0);
	assert_int_equal(tx.vt_a, 1);
	assert_int_equal(rlc_utran_tx_vt_ms(&tx), 65);
	assert_int_equal(transmit(0), 1);
	assert_true(built.retx);
	assert_int_equal(built.vt_dat, 2);
	assert_false(amd.poll);
	memcpy(first, buf, SIZE);
	nack(4, 1);
	assert_int_equal(transmit(0), 1);
	assert_int_equal(built.vt_dat, 3);
	first[1] |= 0x4; /* P: the last one to be sent again */
	assert_memory_equal(buf, first, SIZE);
	assert_int_equal(status(3, 0, NULL), 0);
	assert_int_equal(tx.vt_a, 4); /* the last STATUS PDU but one had PDU 3 */
}

/* An acknowledgment takes back what another STATUS PDU wanted. */
static void test_ack_of_missing(void **state)
{
	(void)state;
	setup(0);
	transmit_new(3);
	nack(3, 1);
	assert_int_equal(tx.n_retx, 1);
	assert_int_equal(status(3, 0, NULL), 0);
	assert_int_equal(tx.n_retx, 0);
	assert_int_equal(tx.vt_a, 3);
}

static void test_bitmap(void **state)
{
	const struct rlc_utran_status s = {
		2,
		{ { .type = RLC_UTRAN_SUFI_BITMAP, .n = 1, .sn = { 1 }, .bitmap = { 0x5f } },
		  { .type = RLC_UTRAN_SUFI_ACK, .sn = { 9 } } },
	};

	(void)state;
	setup(0);
	transmit_new(9);
	assert_int_equal(rlc_utran_tx_status(&tx, &s, &out), 0);
	assert_int_equal(transmit(0), 1); /* 0101 1111 from PDU 1 on */
	assert_int_equal(transmit(0), 3);
	assert_int_equal(tx.n_retx, 0);
}

static void test_erroneous_sn(void **state)
{
	(void)state;
	setup(0);
	transmit_new(3);
	assert_int_equal(status(4, 0, NULL), -EBADMSG);
	assert_int_equal(status(2, 0, NULL), 0);
	assert_int_equal(status(1, 0, NULL), -EBADMSG); /* late */
	assert_int_equal(tx.vt_a, 2);
}

static void test_poll_pdu(void **state)
{
	(void)state;
	setup_all(64, 0, 3, 100);
	push(0, 1000);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(transmit(0), i);
		assert_int_equal(amd.poll, i % 3 == 2);
	}
}

static void test_poll_window(void **state)
{
	(void)state;
	setup_all(8, 0, NEVER_POLL, 75);
	push(0, 1000);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(transmit(0), i);
		assert_int_equal(amd.poll, i >= 5);
	}
	assert_true(rlc_utran_tx_stalled(&tx));
	assert_int_equal(transmit(0), -1);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 0);
	assert_int_equal(status(3, 0, NULL), 0);
	assert_int_equal(rlc_utran_tx_pdus(&tx), 3);
}

/* Timer_Poll: the last PDU again, with a poll, when there is nothing else. */
static void test_timer_poll(void **state)
{
	(void)state;
	setup(0);
	push(0, 60);
	assert_int_equal(transmit(5), 0);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	assert_int_equal(transmit(6), 1);
	assert_int_equal(tx.poll_expiry_ns, 6 + T_POLL_NS);
	rlc_utran_tx_poll_expire(&tx);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	assert_int_equal(transmit(200), 1);
	assert_true(amd.poll);
	assert_int_equal(tx.poll_expiry_ns, 200 + T_POLL_NS);
	assert_int_equal(transmit(200), -1);
}

/* New data carry the poll when there are some. */
static void test_timer_poll_new_data(void **state)
{
	(void)state;
	setup(0);
	push(0, 10);
	assert_int_equal(transmit(0), 0);
	push(1, 100);
	rlc_utran_tx_poll_expire(&tx);
	assert_int_equal(transmit(0), 1);
	assert_true(amd.poll);
}

/* What was to be sent again with the poll is acknowledged before: the next PDU has the poll, though
 * another one follows it. */
static void test_a_poll_that_is_due_stays_due(void **state)
{
	(void)state;
	setup(0);
	push(0, 10);
	assert_int_equal(transmit(0), 0);
	rlc_utran_tx_poll_expire(&tx);
	assert_int_equal(status(1, 0, NULL), 0);
	assert_int_equal(transmit(0), -1);
	push(1, 60);
	assert_int_equal(transmit(1), 1);
	assert_true(amd.poll);
	assert_int_equal(transmit(1), 2);
	assert_true(amd.poll); /* as the last one */
}

/* It stops when all PDUs are acknowledged that were sent before the poll, or its own is missing. */
static void test_timer_poll_stops(void **state)
{
	(void)state;
	setup(0);
	push(0, 110);
	for (int i = 0; i < 3; i++)
		assert_int_equal(transmit(0), i);
	nack(3, 1);
	assert_int_equal(tx.poll_expiry_ns, T_POLL_NS);
	assert_int_equal(transmit(7), 1);
	assert_int_equal(tx.poll_expiry_ns, 7 + T_POLL_NS);
	assert_int_equal(status(3, 0, NULL), 0);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	push(1, 10);
	assert_int_equal(transmit(8), 3);
	assert_int_equal(tx.poll_expiry_ns, 8 + T_POLL_NS);
	nack(4, 3);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concatenation_and_padding),
		cmocka_unit_test(test_nothing_is_sent_at_first),
		cmocka_unit_test(test_pdus_that_could_be_sent),
		cmocka_unit_test(test_end_without_indicator),
		cmocka_unit_test(test_end_with_indicator),
		cmocka_unit_test(test_retransmission),
		cmocka_unit_test(test_ack_of_missing),
		cmocka_unit_test(test_bitmap),
		cmocka_unit_test(test_erroneous_sn),
		cmocka_unit_test(test_poll_pdu),
		cmocka_unit_test(test_poll_window),
		cmocka_unit_test(test_timer_poll),
		cmocka_unit_test(test_timer_poll_new_data),
		cmocka_unit_test(test_a_poll_that_is_due_stays_due),
		cmocka_unit_test(test_timer_poll_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
