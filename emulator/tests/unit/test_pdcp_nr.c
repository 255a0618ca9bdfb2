/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PDCP of NR: headers, COUNTs, order, t-Reordering, status reports.
 * Source: TS 38.323 5.2, 5.4, 6.2; variables are named as there.
 */
#include "unit.h"

#include "pdcp/nr/pdcp.h"

#define T_REORDERING_NS 220
#define PKTS            300

static struct pkt pkt[PKTS];
static uint64_t words[131072 / 64];
static struct pdcp_nr_tx tx;
static struct pdcp_nr_rx rx;
static struct pdcp_nr_out out;

static void setup(uint8_t sn_bits, bool out_of_order)
{
	memset(words, 0xee, sizeof(words));
	pdcp_nr_tx_init(&tx, sn_bits);
	pdcp_nr_rx_init(&rx, sn_bits, out_of_order, T_REORDERING_NS, words);
	out = (struct pdcp_nr_out){ 0 };
}

static struct pkt *waiting(uint32_t i)
{
	pkt_reset(&pkt[i]);
	pkt[i].id = i;
	pkt[i].len = 40;
	pdcp_nr_accept(&tx, &pkt[i], 0, 7);
	return &pkt[i];
}

/* The PDU with @count arrives in packet @i. Return: SDUs that came out. */
static uint32_t receive_as(uint32_t i, uint32_t count, int64_t now_ns)
{
	struct pkt *p = waiting(i);
	struct pdcp_nr_tx at = { .tx_next = count, .sn_bits = rx.sn_bits };

	pdcp_nr_number(&at, p);
	out = (struct pdcp_nr_out){ 0 };
	assert_int_equal(pdcp_nr_receive(&rx, p, now_ns, &out), 0);
	return out.delivered.n;
}

static uint32_t receive(uint32_t count, int64_t now_ns)
{
	return receive_as(count, count, now_ns);
}

static void expect(uint32_t rx_deliv, uint32_t rx_next)
{
	assert_int_equal(rx.rx_deliv, rx_deliv);
	assert_int_equal(rx.rx_next, rx_next);
}

static void expect_delivered(uint32_t count)
{
	struct pkt *p = pkt_dequeue(&out.delivered);

	assert_non_null(p);
	assert_int_equal(p->count, count);
	assert_int_equal(p->sdu_len, 0);
}

/* A packet has its size when it starts to wait, and its COUNT when it is sent. */
static void test_headers(void **state)
{
	struct pkt *first, *second;

	(void)state;
	setup(18, false);
	first = waiting(0);
	second = waiting(1);
	assert_int_equal(first->sdu_len, 43);
	assert_int_equal(first->queued_ns, 7);
	tx.tx_next = 0x2abcd;
	pdcp_nr_number(&tx, second); /* the first one was dropped */
	assert_memory_equal(pkt_sdu(second), ((uint8_t[]){ 0x82, 0xab, 0xcd }), 3);
	assert_int_equal(pdcp_nr_sn(pkt_sdu(second), 18), 0x2abcd);
	pdcp_nr_number(&tx, second); /* sent again after a failure */
	assert_memory_equal(pkt_sdu(second), ((uint8_t[]){ 0x82, 0xab, 0xcd }), 3);
	assert_int_equal(tx.tx_next, 0x2abce);
	tx.tx_next = 0x7ffff;
	pdcp_nr_number(&tx, waiting(2));
	assert_memory_equal(pkt_sdu(&pkt[2]), ((uint8_t[]){ 0x83, 0xff, 0xff }), 3);
	assert_int_equal(tx.tx_next, 0x80000); /* a COUNT goes on */
	setup(12, false);
	tx.tx_next = 0x1abc;
	pdcp_nr_number(&tx, waiting(3));
	assert_int_equal(pkt[3].sdu_len, 42);
	assert_memory_equal(pkt_sdu(&pkt[3]), ((uint8_t[]){ 0x8a, 0xbc }), 2);
	pdcp_nr_accept(&tx, &pkt[4], 1, 0); /* with a header of SDAP */
	assert_int_equal(pkt[4].sdu_len, pkt[4].len + 3);
}

static void test_in_order(void **state)
{
	(void)state;
	setup(18, false);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_delivered(i);
		expect(i + 1, i + 1);
		assert_int_equal(rx.expiry_ns, CELL_NEVER);
	}
}

/* 0, 2, 3, 1: the gap holds 2 and 3 back and the timer runs until it is filled. */
static void test_gap(void **state)
{
	(void)state;
	setup(18, false);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 0);
	expect(1, 3);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS);
	assert_int_equal(rx.rx_reord, 3);
	assert_int_equal(receive(3, 110), 0);
	assert_int_equal(rx.n_held, 2);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS); /* not restarted */
	assert_int_equal(receive(1, 120), 3);
	for (uint32_t i = 1; i <= 3; i++)
		expect_delivered(i);
	expect(4, 4);
	assert_int_equal(rx.n_held, 0);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
}

/* 0, 2, 5: at expiry 2 goes up, and the timer runs again for what is missing before 6. */
static void test_expiry(void **state)
{
	(void)state;
	setup(18, false);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(5, 150);
	out = (struct pdcp_nr_out){ 0 };
	pdcp_nr_expire(&rx, 320, &out);
	expect_delivered(2);
	assert_int_equal(out.delivered.n, 0);
	expect(3, 6);
	assert_int_equal(rx.rx_reord, 6);
	assert_int_equal(rx.expiry_ns, 320 + T_REORDERING_NS);
	assert_int_equal(receive(1, 330), 0); /* too late */
	assert_int_equal(out.discarded.n, 1);
	pdcp_nr_expire(&rx, 540, &out);
	expect_delivered(5);
	expect(6, 6);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
}

/* RX_DELIV passes RX_REORD, but 3 is missing before 5: the timer starts again. */
static void test_the_timer_starts_again(void **state)
{
	(void)state;
	setup(18, false);
	(void)receive(1, 100);
	(void)receive(2, 110);
	(void)receive(4, 120);
	assert_int_equal(rx.rx_reord, 2);
	assert_int_equal(receive(0, 130), 3);
	expect(3, 5);
	assert_int_equal(rx.rx_reord, 5);
	assert_int_equal(rx.expiry_ns, 130 + T_REORDERING_NS);
}

/* What came stays known, however far ahead the next one is. */
static void test_far_ahead(void **state)
{
	(void)state;
	setup(12, true);
	(void)receive_as(0, 1000, 0);
	(void)receive_as(1, 1500, 0);
	(void)receive_as(2, 2047, 0);
	expect(0, 2048);
	for (uint32_t i = 0; i < 2048; i++)
		assert_int_equal(bits_get(rx.received, i), i == 1000 || i == 1500 || i == 2047);
}

static void test_duplicates(void **state)
{
	(void)state;
	setup(18, false);
	(void)receive(0, 0);
	(void)receive(2, 0);
	assert_int_equal(receive_as(10, 0, 0), 0);
	assert_int_equal(out.duplicates.n, 1);
	assert_int_equal(receive_as(11, 2, 0), 0);
	assert_int_equal(out.duplicates.n, 1);
	assert_int_equal(rx.n_held, 1);
	expect(1, 3);
}

/* Everything goes up at once, but nothing twice; the variables and the timer are as ever. */
static void test_out_of_order_delivery(void **state)
{
	(void)state;
	setup(18, true);
	assert_int_equal(receive(2, 100), 1);
	expect_delivered(2);
	expect(0, 3);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS);
	assert_int_equal(receive_as(10, 2, 110), 0);
	assert_int_equal(out.duplicates.n, 1);
	assert_int_equal(receive(0, 120), 1);
	expect(1, 3);
	out = (struct pdcp_nr_out){ 0 };
	pdcp_nr_expire(&rx, 320, &out);
	assert_int_equal(out.delivered.n, 0);
	expect(3, 3);
	assert_int_equal(receive(1, 330), 0); /* late is late */
	assert_int_equal(out.discarded.n, 1);
}

static void test_infinite(void **state)
{
	(void)state;
	setup(18, false);
	rx.t_reordering_ns = CELL_NEVER;
	(void)receive(1, 100);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(receive(0, INT64_C(1) << 60), 2);
}

/* SNs start again and COUNTs go on; what is half a turn away or more is of another turn. */
static void test_count(void **state)
{
	const uint32_t start = (1 << 18) - 1;

	(void)state;
	setup(18, false);
	rx.rx_deliv = rx.rx_next = start;
	assert_int_equal(receive_as(0, start + 1, 0), 0); /* SN 0 */
	expect(start, start + 2);
	assert_int_equal(receive_as(1, start, 0), 2);
	expect_delivered(start);
	expect_delivered(start + 1);
	setup(12, false);
	rx.rx_deliv = rx.rx_next = 5000;                    /* SN 904 of turn 1 */
	assert_int_equal(receive_as(0, 5000 + 2047, 0), 0); /* the window's last */
	expect(5000, 7048);
	assert_int_equal(receive_as(1, 5000 + 2048, 0), 0); /* is 2048 before */
	assert_int_equal(out.discarded.n, 1);
	expect(5000, 7048);
	setup(12, false);
	assert_int_equal(receive_as(0, 4095, 0), 0); /* before the first turn */
	assert_int_equal(out.discarded.n, 1);
	expect(0, 0);
}

static void test_what_is_no_data_pdu(void **state)
{
	struct pkt *p;

	(void)state;
	setup(18, false);
	p = waiting(0);
	pkt_sdu(p)[0] = 0x00;
	assert_int_equal(pdcp_nr_receive(&rx, p, 0, &out), -EBADMSG);
	p = waiting(1);
	pdcp_nr_number(&tx, p);
	p->sdu_len = 3;
	assert_int_equal(pdcp_nr_receive(&rx, p, 0, &out), -EBADMSG);
	assert_int_equal(out.discarded.n, 2);
}

static void test_empty(void **state)
{
	struct pkt_queue left = { 0 };

	(void)state;
	setup(18, false);
	for (uint32_t i = 1; i < PKTS; i++)
		assert_int_equal(receive(i, 0), 0);
	pdcp_nr_empty(&rx, &left);
	assert_int_equal(left.n, PKTS - 1);
	assert_int_equal(rx.n_held, 0);
}

/* --- status reports: TS 38.323 5.4.1, 6.2.3.1 --- */

static void test_status_report(void **state)
{
	struct pdcp_nr_status s = { 0 };
	uint8_t buf[16];

	(void)state;
	assert_false(pdcp_nr_status_has(&s, 0)); /* none was heard */
	setup(18, false);
	for (uint32_t i = 0; i < 5; i++)
		(void)receive(i, 0);
	assert_int_equal(pdcp_nr_status_pack(&rx, 16, buf), 5); /* nothing is missing */
	assert_memory_equal(buf, ((uint8_t[]){ 0, 0, 0, 0, 5 }), 5);
	(void)receive(6, 0);
	(void)receive(8, 0);
	assert_int_equal(pdcp_nr_status_pack(&rx, 16, buf), 6);
	assert_memory_equal(buf, ((uint8_t[]){ 0, 0, 0, 0, 5, 0xa0 }), 6);
	assert_int_equal(pdcp_nr_status_open(&s, buf, 6), 0);
	for (uint32_t count = 0; count < 20; count++)
		assert_int_equal(pdcp_nr_status_has(&s, count),
		                 count < 5 || count == 6 || count == 8);
	(void)receive(15, 0);
	assert_int_equal(pdcp_nr_status_pack(&rx, 16, buf), 7); /* ten behind the first */
	assert_memory_equal(buf + 5, ((uint8_t[]){ 0xa0, 0x40 }), 2);
	assert_int_equal(pdcp_nr_status_pack(&rx, 6, buf), 6); /* as much as fits */
	assert_int_equal(pdcp_nr_status_open(&s, buf, 6), 0);
	assert_false(pdcp_nr_status_has(&s, 15));
	rx.rx_deliv = rx.rx_next = 0x12345678;
	assert_int_equal(pdcp_nr_status_pack(&rx, 5, buf), 5);
	assert_memory_equal(buf, ((uint8_t[]){ 0, 0x12, 0x34, 0x56, 0x78 }), 5);
}

/* The bitmap ends with its last bit; what is in memory behind it says nothing. */
static void test_last_bit_of_a_status_report(void **state)
{
	static const uint8_t buf[] = { 0, 0, 0, 0, 5, 0x01, 0xff };
	struct pdcp_nr_status s;

	(void)state;
	assert_int_equal(pdcp_nr_status_open(&s, buf, 6), 0);
	assert_int_equal(s.n, 8);
	for (uint32_t count = 0; count < 25; count++)
		assert_int_equal(pdcp_nr_status_has(&s, count), count < 5 || count == 13);
}

static void test_what_is_no_status_report(void **state)
{
	struct pdcp_nr_status s;

	(void)state;
	assert_int_equal(pdcp_nr_status_open(&s, (uint8_t[]){ 0, 0, 0, 0 }, 4), -EBADMSG);
	assert_int_equal(pdcp_nr_status_open(&s, (uint8_t[]){ 0x80, 0, 0, 0, 0 }, 5), -EBADMSG);
	assert_int_equal(pdcp_nr_status_open(&s, (uint8_t[]){ 0x10, 0, 0, 0, 0 }, 5), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_the_timer_starts_again),
		cmocka_unit_test(test_far_ahead),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_out_of_order_delivery),
		cmocka_unit_test(test_infinite),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_what_is_no_data_pdu),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_status_report),
		cmocka_unit_test(test_last_bit_of_a_status_report),
		cmocka_unit_test(test_what_is_no_status_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
