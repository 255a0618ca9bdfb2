/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PDCP numbering and header. Source: TS 36.323 6.2.3 (12 bits), 6.2.4 (7 bits) */
#include "unit.h"

#include "pdcp/lte/pdcp.h"

#define T_REORDERING_NS 50

static struct pdcp_out out;

static void fill(struct pkt *p, uint16_t len)
{
	*p = (struct pkt){ .len = len };
	memset(pkt_data(p), 0x5a, len);
}

/* D/C = 1, three reserved bits 0, SN high nibble; SN low byte. */
static void test_header_12_bits(void **state)
{
	struct pdcp_tx tx;
	struct pkt p;

	(void)state;
	pdcp_tx_init(&tx, 12);
	tx.next_sn = 0xabc;
	fill(&p, 100);
	pdcp_transmit(&tx, &p, 777);
	assert_int_equal(p.sdu_len, 102);
	assert_int_equal(p.queued_ns, 777);
	assert_int_equal(pkt_sdu(&p)[0], 0x8a);
	assert_int_equal(pkt_sdu(&p)[1], 0xbc);
	assert_int_equal(pkt_sdu(&p)[2], 0x5a);
	assert_int_equal(tx.next_sn, 0xabd);
}

static void test_header_7_bits(void **state)
{
	struct pdcp_tx tx;
	struct pkt p;

	(void)state;
	pdcp_tx_init(&tx, 7);
	tx.next_sn = 0x25;
	fill(&p, CELL_UE_MTU_MAX);
	pdcp_transmit(&tx, &p, 0);
	assert_int_equal(p.sdu_len, CELL_UE_MTU_MAX + 1);
	assert_int_equal(pkt_sdu(&p)[0], 0xa5);
	assert_int_equal(pkt_sdu(&p)[1], 0x5a);
}

/* Both ends count modulo 2^bits. */
static void wrap(uint8_t sn_bits, bool reordering)
{
	const uint32_t n = UINT32_C(1) << sn_bits;
	struct pdcp_tx tx;
	struct pdcp_rx rx;
	struct pkt p;

	pdcp_tx_init(&tx, sn_bits);
	pdcp_rx_init(&rx, sn_bits, reordering ? PDCP_ORDER_TIMER : PDCP_ORDER_NONE,
	             T_REORDERING_NS);
	for (uint32_t i = 0; i < 3 * n + 1; i++) {
		fill(&p, 40);
		pdcp_transmit(&tx, &p, 0);
		assert_int_equal(pdcp_receive(&rx, &p, false, 0, &out), i % n);
		assert_int_equal(p.sdu_len, 0);
		assert_ptr_equal(pkt_dequeue(&out.delivered), &p);
	}
}

static void test_wrap(void **state)
{
	(void)state;
	wrap(7, false);
	wrap(12, false);
	wrap(7, true);
	wrap(12, true);
}

static void test_malformed(void **state)
{
	struct pdcp_tx tx;
	struct pdcp_rx rx;
	struct pkt p;

	(void)state;
	out = (struct pdcp_out){ 0 };
	pdcp_tx_init(&tx, 12);
	pdcp_rx_init(&rx, 12, PDCP_ORDER_NONE, T_REORDERING_NS);
	fill(&p, 40);
	pdcp_transmit(&tx, &p, 0);
	pkt_sdu(&p)[0] &= 0x7f; /* D/C = 0: control PDU */
	assert_int_equal(pdcp_receive(&rx, &p, false, 0, &out), -EBADMSG);
	assert_ptr_equal(pkt_dequeue(&out.discarded), &p);
	fill(&p, 0); /* header without payload */
	pdcp_transmit(&tx, &p, 0);
	assert_int_equal(pdcp_receive(&rx, &p, false, 0, &out), -EBADMSG);
	assert_ptr_equal(pkt_dequeue(&out.discarded), &p);
}

/* Ten PDUs, the receiver's state, and what comes out of it. */
static struct pkt pkt[300];
static struct pdcp_rx rx;

static void number(uint8_t sn_bits, uint32_t n)
{
	struct pdcp_tx tx;

	out = (struct pdcp_out){ 0 };
	pdcp_tx_init(&tx, sn_bits);
	pdcp_rx_init(&rx, sn_bits, PDCP_ORDER_TIMER, T_REORDERING_NS);
	for (uint32_t i = 0; i < n; i++) {
		fill(&pkt[i], 40);
		pkt[i].id = i;
		pdcp_transmit(&tx, &pkt[i], 0);
	}
}

/* PDU @i arrives. Return: packets delivered so far and not looked at yet. */
static uint32_t receive(uint32_t i, int64_t now_ns)
{
	(void)pdcp_receive(&rx, &pkt[i], false, now_ns, &out);
	return out.delivered.n;
}

static void expect_delivered(uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		assert_ptr_equal(pkt_dequeue(&out.delivered), &pkt[i]);
	assert_int_equal(out.delivered.n, 0);
}

/* 0, 3, 2, 1: what comes early waits; the timer runs from 3 on, until 1 has come. */
static void test_reordering(void **state)
{
	(void)state;
	number(12, 10);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(3, 100), 1);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS);
	assert_int_equal(receive(2, 110), 1);
	assert_int_equal(receive(1, 120), 4);
	expect_delivered(0, 3);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
}

/* One that comes between two that wait goes up between them. */
static void test_reordering_in_the_middle(void **state)
{
	(void)state;
	number(12, 10);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(receive(5, 0), 0);
	assert_int_equal(receive(4, 0), 0);
	assert_int_equal(receive(3, 0), 0);
	assert_int_equal(receive(1, 0), 0);
	assert_int_equal(receive(0, 0), 6);
	expect_delivered(0, 5);
}

/* 1 is lost: 2 and 3 go up when the timer expires; a late 1 is discarded. */
static void test_reordering_expires(void **state)
{
	(void)state;
	number(12, 10);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(3, 110);
	expect_delivered(0, 0);
	pdcp_expire(&rx, rx.expiry_ns, &out);
	expect_delivered(2, 3);
	assert_int_equal(rx.rx_deliv, 4);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(receive(1, 200), 0);
	assert_ptr_equal(pkt_dequeue(&out.discarded), &pkt[1]);
}

/* A second gap behind the one given up starts the timer again. */
static void test_second_gap(void **state)
{
	(void)state;
	number(12, 10);
	(void)receive(1, 0); /* timer for 0 */
	(void)receive(3, 10);
	pdcp_expire(&rx, 50, &out);
	expect_delivered(1, 1);
	assert_int_equal(rx.expiry_ns, 50 + T_REORDERING_NS);
	assert_int_equal(receive(2, 60), 2);
	expect_delivered(2, 3);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
}

static void test_duplicate(void **state)
{
	struct pkt copy;

	(void)state;
	number(12, 10);
	(void)receive(2, 0);
	fill(&copy, 40);
	copy.sdu_len = 42;
	memcpy(pkt_sdu(&copy), "\x80\x02", 2);
	(void)pdcp_receive(&rx, &copy, false, 0, &out);
	assert_ptr_equal(pkt_dequeue(&out.discarded), &copy);
}

/* 7 bits: out of order across the wrap. */
static void test_reordering_across_wrap(void **state)
{
	(void)state;
	number(7, 300);
	for (uint32_t i = 0; i < 126; i++)
		(void)receive(i, 0);
	expect_delivered(0, 125);
	for (uint32_t i = 140; i > 126; i--)
		assert_int_equal(receive(i, 0), 0);
	assert_int_equal(receive(126, 0), 15);
	expect_delivered(126, 140);
}

/* --- AM across a re-establishment. Source: TS 36.323 5.1.2.1.4 --- */

/* The PDU with @sn arrives. Return: how many SDUs went up. */
static uint32_t arrive(struct pdcp_rx *rx, struct pkt *p, uint16_t sn, bool re,
                       struct pdcp_out *out)
{
	struct pdcp_tx tx;
	uint32_t before = out->delivered.n;

	pdcp_tx_init(&tx, 12);
	tx.next_sn = sn;
	fill(p, 40);
	pdcp_transmit(&tx, p, 0);
	assert_int_equal(pdcp_receive(rx, p, re, 0, out), sn);
	return out->delivered.n - before;
}

static void test_reestablishment_waits_for_gaps(void **state)
{
	struct pkt pkt[8] = { 0 };
	struct pdcp_out out = { 0 };
	struct pdcp_rx rx;

	(void)state;
	pdcp_rx_init(&rx, 12, PDCP_ORDER_AM, 0);
	assert_int_equal(arrive(&rx, &pkt[0], 0, false, &out), 1);
	assert_int_equal(arrive(&rx, &pkt[1], 2, true, &out), 0); /* 1 is missing */
	assert_int_equal(arrive(&rx, &pkt[2], 3, true, &out), 0);
	/* The target sends what the source has no acknowledgment for. */
	assert_int_equal(arrive(&rx, &pkt[3], 0, false, &out), 0);
	assert_int_equal(arrive(&rx, &pkt[4], 1, false, &out), 3);
	assert_int_equal(arrive(&rx, &pkt[5], 2, false, &out), 0);
	assert_int_equal(out.duplicates.n, 2);
	assert_int_equal(arrive(&rx, &pkt[6], 4, false, &out), 1);
	assert_int_equal(out.discarded.n, 0);
}

/* In normal operation RLC is in order: what is missing will not come, or comes too late. */
static void test_a_gap_is_passed_over(void **state)
{
	struct pkt pkt[4] = { 0 };
	struct pdcp_out out = { 0 };
	struct pdcp_rx rx;

	(void)state;
	pdcp_rx_init(&rx, 12, PDCP_ORDER_AM, 0);
	assert_int_equal(arrive(&rx, &pkt[0], 1, true, &out), 0);
	assert_int_equal(arrive(&rx, &pkt[1], 3, false, &out), 2);
	assert_int_equal(arrive(&rx, &pkt[2], 2, false, &out), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(arrive(&rx, &pkt[3], 1, false, &out), 0);
	assert_int_equal(out.duplicates.n, 1);
}

/* An SN that was used a turn ago is new again. */
static void test_duplicates_after_a_turn(void **state)
{
	struct pdcp_out out = { 0 };
	struct pdcp_rx rx;

	(void)state;
	pdcp_rx_init(&rx, 12, PDCP_ORDER_AM, 0);
	for (uint32_t i = 0; i < 10000; i++) {
		struct pkt p = { 0 };

		if (i % 3 == 0)
			continue;
		assert_int_equal(arrive(&rx, &p, i % 4096, false, &out), 1);
		out.delivered = (struct pkt_queue){ 0 };
		if (i % 5 == 0) {
			struct pkt again = { 0 };

			assert_int_equal(arrive(&rx, &again, i % 4096, false, &out), 0);
		}
		out.duplicates = (struct pkt_queue){ 0 };
	}
	assert_int_equal(out.discarded.n, 0);
}

/* D/C 0, type 000, FMS 0xffe; of the SNs from 0xfff on the second and the tenth are there. */
static void test_a_status_report(void **state)
{
	static const uint8_t expected[] = { 0x0f, 0xfe, 0x40, 0x40 };
	struct pdcp_out up = { 0 };
	struct pdcp_status status;
	uint8_t buf[PDCP_STATUS_MAX];
	struct pkt pkt[3] = { 0 };
	struct pdcp_rx rx;

	(void)state;
	pdcp_rx_init(&rx, 12, PDCP_ORDER_AM, 0);
	rx.rx_deliv = 0x3ffe;
	assert_int_equal(pdcp_status_pack(&rx, buf), 2); /* no gap: nothing behind the FMS */
	assert_int_equal(arrive(&rx, &pkt[0], 0x000, true, &up), 0);
	assert_int_equal(arrive(&rx, &pkt[1], 0x008, true, &up), 0);
	assert_int_equal(pdcp_status_pack(&rx, buf), sizeof(expected));
	assert_memory_equal(buf, expected, sizeof(expected));
	assert_int_equal(pdcp_status_unpack(&status, buf, sizeof(expected)), 0);
	for (uint16_t sn = 0; sn < 4096; sn++)
		assert_int_equal(pdcp_status_has(&status, sn),
		                 sn == 0 || sn == 8 || (sn >= 0x7fe && sn < 0xffe));
	status.known = false;
	assert_false(pdcp_status_has(&status, 0));
	/* The largest: all of the window but the first are there. */
	assert_int_equal(arrive(&rx, &pkt[2], (0xffe + 2047) & 4095, true, &up), 0);
	assert_int_equal(pdcp_status_pack(&rx, buf), PDCP_STATUS_MAX);
	assert_int_equal(buf[PDCP_STATUS_MAX - 1], 0x02);
}

static void test_what_is_no_status_report(void **state)
{
	static const uint8_t data[] = { 0x80, 0 }, feedback[] = { 0x10, 0 };
	static const uint8_t large[PDCP_STATUS_MAX + 1];
	struct pdcp_status status;

	(void)state;
	assert_int_equal(pdcp_status_unpack(&status, data, sizeof(data)), -EBADMSG);
	assert_int_equal(pdcp_status_unpack(&status, feedback, sizeof(feedback)), -EBADMSG);
	assert_int_equal(pdcp_status_unpack(&status, large, 1), -EBADMSG);
	assert_int_equal(pdcp_status_unpack(&status, large, sizeof(large)), -EBADMSG);
}

static void test_a_number_given_before_stays(void **state)
{
	struct pkt p = { 0 };
	struct pdcp_tx tx;

	(void)state;
	pdcp_tx_init(&tx, 12);
	tx.next_sn = 7;
	fill(&p, 40);
	p.has_pdcp_sn = true;
	p.pdcp_sn = 4095;
	pdcp_transmit(&tx, &p, 0);
	assert_int_equal(pdcp_sn(pkt_sdu(&p), 12), 4095);
	assert_int_equal(tx.next_sn, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_12_bits),
		cmocka_unit_test(test_header_7_bits),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_reordering_in_the_middle),
		cmocka_unit_test(test_reordering_expires),
		cmocka_unit_test(test_second_gap),
		cmocka_unit_test(test_duplicate),
		cmocka_unit_test(test_reordering_across_wrap),
		cmocka_unit_test(test_reestablishment_waits_for_gaps),
		cmocka_unit_test(test_a_gap_is_passed_over),
		cmocka_unit_test(test_duplicates_after_a_turn),
		cmocka_unit_test(test_a_status_report),
		cmocka_unit_test(test_what_is_no_status_report),
		cmocka_unit_test(test_a_number_given_before_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
