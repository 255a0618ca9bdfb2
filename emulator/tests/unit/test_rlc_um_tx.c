/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RLC UM transmitter: segmentation, concatenation, SN. Source: TS 36.322 5.1.2.1 */
#include "unit.h"

#include "rlc/lte/um/pdu.h"
#include "rlc/lte/um/um.h"

static struct pkt pkt[300];
static struct rlc_tx_pdu info;
static uint8_t buf[9500];

/* Packets of @len SDU bytes (no PDCP header here), filled with their number. */
static void push(struct rlc_um_tx *tx, uint32_t first, uint32_t n, uint16_t len)
{
	for (uint32_t i = first; i < first + n; i++) {
		pkt[i] = (struct pkt){ .id = i, .tag = 1000 + i, .len = len, .sdu_len = len };
		memset(pkt_sdu(&pkt[i]), (int)i, len);
		rlc_sdu_queue_push(&tx->queue, &pkt[i]);
	}
}

static void expect_header(uint32_t len, uint16_t sn, uint8_t fi, uint16_t n)
{
	struct um_pdu pdu;
	size_t header;

	assert_int_equal(um_unpack(&pdu, &header, 10, buf, len), 0);
	assert_int_equal(pdu.sn, sn);
	assert_int_equal(pdu.fi, fi);
	assert_int_equal(pdu.n, n);
}

/* 100 bytes in PDUs of at most 42: header 2, so 40 + 40 + 20. */
static void test_segmentation(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 10);
	push(&tx, 7, 1, 100);
	assert_int_equal(rlc_um_tx_build(&tx, 42, buf, &ends, &info), 42);
	expect_header(42, 0, RLC_FI_LAST_CONTINUES, 1);
	assert_false(info.element[0].ends);
	assert_int_equal(tx.queue.bytes, 60);
	assert_int_equal(rlc_um_tx_build(&tx, 42, buf, &ends, &info), 42);
	expect_header(42, 1, RLC_FI_FIRST_CONTINUES | RLC_FI_LAST_CONTINUES, 1);
	assert_int_equal(ends.n, 0);
	assert_int_equal(rlc_um_tx_build(&tx, 42, buf, &ends, &info), 22);
	expect_header(22, 2, RLC_FI_FIRST_CONTINUES, 1);
	assert_int_equal(info.element[0].pkt, 7);
	assert_int_equal(info.element[0].tag, 1007);
	assert_int_equal(info.len[0], 20);
	assert_true(info.element[0].ends);
	assert_int_equal(ends.n, 1);
	assert_int_equal(tx.queue.bytes, 0);
}

/* Three of 30 bytes in 80: header 2 + 3 (two indicators), 30 + 30 + 15 of the third. */
static void test_concatenation(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 10);
	push(&tx, 1, 3, 30);
	assert_int_equal(rlc_um_tx_build(&tx, 80, buf, &ends, &info), 80);
	expect_header(80, 0, RLC_FI_LAST_CONTINUES, 3);
	assert_int_equal(info.n, 3);
	assert_int_equal(info.len[2], 15);
	assert_int_equal(buf[5], 1);
	assert_int_equal(buf[5 + 30], 2);
	assert_int_equal(buf[5 + 60], 3);
	assert_int_equal(ends.n, 2);
	assert_int_equal(tx.queue.bytes, 15);
}

/* 32 bytes: the SDU fills the PDU; an indicator and a byte more would need 35. */
static void test_no_room_for_another_indicator(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 10);
	push(&tx, 1, 2, 30);
	assert_int_equal(rlc_um_tx_build(&tx, 34, buf, &ends, &info), 32);
	expect_header(32, 0, 0, 1);
	push(&tx, 3, 1, 30);
	assert_int_equal(rlc_um_tx_build(&tx, 35, buf, &ends, &info), 35);
	expect_header(35, 1, RLC_FI_LAST_CONTINUES, 2);
	assert_int_equal(info.len[1], 1);
}

static void test_nothing_to_send(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 10);
	assert_int_equal(rlc_um_tx_build(&tx, 100, buf, &ends, &info), 0);
	push(&tx, 1, 1, 30);
	for (uint32_t max = 0; max <= 2; max++) /* the header alone is 2 */
		assert_int_equal(rlc_um_tx_build(&tx, max, buf, &ends, &info), 0);
	assert_int_equal(tx.vt_us, 0); /* no SN was used */
	assert_int_equal(rlc_um_tx_build(&tx, 3, buf, &ends, &info), 3);
}

static void test_element_limit(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 300);
	push(&tx, 0, 300, 3);
	(void)rlc_um_tx_build(&tx, 9000, buf, &ends, &info);
	assert_int_equal(info.n, RLC_ELEMENTS_MAX);
	assert_int_equal(ends.n, RLC_ELEMENTS_MAX);
	assert_int_equal(tx.queue.sdus.n, 300 - RLC_ELEMENTS_MAX);
}

static void sn_wrap(uint8_t sn_bits)
{
	const uint32_t n = UINT32_C(1) << sn_bits;
	struct rlc_um_tx tx;

	rlc_um_tx_init(&tx, sn_bits, 10);
	for (uint32_t i = 0; i < 2 * n + 3; i++) {
		struct pkt_queue ends = { 0 };
		struct um_pdu pdu;
		size_t header;
		uint32_t len;

		push(&tx, 1, 1, 30);
		len = rlc_um_tx_build(&tx, 100, buf, &ends, &info);
		assert_int_equal(um_unpack(&pdu, &header, sn_bits, buf, len), 0);
		assert_int_equal(pdu.sn, i % n);
		assert_int_equal(info.sn, i % n);
	}
}

static void test_sn_wrap(void **state)
{
	(void)state;
	sn_wrap(5);
	sn_wrap(10);
}

static void test_queue_limit(void **state)
{
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 2);
	push(&tx, 1, 1, 30);
	assert_false(rlc_sdu_queue_full(&tx.queue));
	push(&tx, 2, 1, 30);
	assert_true(rlc_sdu_queue_full(&tx.queue));
	assert_int_equal(tx.queue.bytes, 60);
	assert_ptr_equal(rlc_sdu_queue_discard(&tx.queue), &pkt[1]);
	assert_false(rlc_sdu_queue_full(&tx.queue));
}

/* An SDU of which a part was sent stays. Source: TS 36.322 4.2.1.2.2 */
static void test_discard(void **state)
{
	struct pkt_queue ends = { 0 };
	struct rlc_um_tx tx;

	(void)state;
	rlc_um_tx_init(&tx, 10, 10);
	assert_null(rlc_sdu_queue_discard(&tx.queue));
	push(&tx, 1, 2, 30);
	(void)rlc_um_tx_build(&tx, 12, buf, &ends, &info);
	assert_null(rlc_sdu_queue_discard(&tx.queue));
	(void)rlc_um_tx_build(&tx, 22, buf, &ends, &info);
	assert_ptr_equal(rlc_sdu_queue_discard(&tx.queue), &pkt[2]);
	assert_int_equal(tx.queue.bytes, 0);
	assert_int_equal(tx.queue.sdus.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segmentation),
		cmocka_unit_test(test_concatenation),
		cmocka_unit_test(test_no_room_for_another_indicator),
		cmocka_unit_test(test_nothing_to_send),
		cmocka_unit_test(test_element_limit),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_queue_limit),
		cmocka_unit_test(test_discard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
