/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC UM receiver: SDUs out of PDUs, in sequence and out of sequence, when PDUs are lost, and of
 * which this side knows no packet.
 * Source: TS 36.322 5.1.2.2.3; Park 2013, section 4
 */
#include "um_receiver.h"

/* Four PDUs an SDU; of the second one the third PDU is lost. */
static void test_lost_segment(void **state)
{
	(void)state;
	cut(10, 4);
	for (uint32_t i = 0; i < 12; i++) {
		if (i == 6)
			continue;
		(void)receive(i, 0);
		if (i == 3)
			expect_delivered(0);
	}
	assert_int_equal(expire(), 1);
	expect_delivered(2);
	assert_int_equal(out.discarded.n, 1);
	assert_ptr_equal(out.discarded.head, &pkt[1]);
}

/* The start is lost: the rest is not taken for an SDU. */
static void test_lost_start(void **state)
{
	(void)state;
	cut(10, 2);
	expect_from(1);
	assert_int_equal(receive(1, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(receive(3, 0), 1);
	expect_delivered(1);
}

/* Both lost PDUs lie between two halves that would fit together by their length. */
static void test_halves_of_two_sdus(void **state)
{
	(void)state;
	cut(10, 2);
	assert_int_equal(receive(0, 0), 0);
	assert_int_equal(receive(3, 0), 0);
	assert_int_equal(expire(), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_ptr_equal(out.discarded.head, &pkt[1]);
}

/*
 * SDUs of five PDUs. PDUs 0 and 1 start SDU 0, then 32 are lost, a whole turn
 * of 5-bit SNs: PDU 34 has the SN that should follow and is the end of SDU 6.
 * Together they have 12 bytes of 20 and nobody's packet comes of them.
 */
static void test_full_turn_lost(void **state)
{
	(void)state;
	cut(5, 5);
	(void)receive(0, 0);
	(void)receive(1, 0);
	assert_int_equal(receive(34, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_ptr_equal(out.discarded.head, &pkt[6]);
	for (uint32_t i = 35; i < 39; i++)
		assert_int_equal(receive(i, 0), 0);
	assert_int_equal(receive(39, 0), 1);
	expect_delivered(7);
}

/* Out of sequence nothing waits for a gap before it. */
static void test_out_of_sequence(void **state)
{
	(void)state;
	cut_for(10, 1, CELL_DELIVERY_OUT_OF_SEQUENCE);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 1);
	expect_delivered(2);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS); /* the gap is still waited for */
	assert_int_equal(receive(1, 110), 1);
	expect_delivered(1);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
}

/* Four PDUs an SDU, in the worst order: it goes up with its last piece, once. */
static void test_out_of_sequence_pieces(void **state)
{
	static const uint32_t order[] = { 3, 9, 1, 8, 0, 11, 10, 2 };

	(void)state;
	cut_for(10, 4, CELL_DELIVERY_OUT_OF_SEQUENCE);
	for (size_t i = 0; i < COUNT(order); i++) {
		uint32_t n = receive(order[i], 0);

		assert_int_equal(n, order[i] == 10 || order[i] == 2);
		if (n)
			expect_delivered(order[i] / 4);
	}
	assert_int_equal(expire(), 0); /* SDU 1 never came */
	assert_int_equal(out.discarded.n, 0);
	assert_int_equal(rx.vr_ur, 12);
}

/* The tail of a released PDU still counts for an SDU that ends later. */
static void test_out_of_sequence_after_release(void **state)
{
	(void)state;
	cut_for(10, 2, CELL_DELIVERY_OUT_OF_SEQUENCE);
	assert_int_equal(receive(0, 0), 0);
	assert_int_equal(rx.vr_ur, 1);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(receive(3, 0), 1);
	expect_delivered(1);
	assert_int_equal(receive(1, 0), 1);
	expect_delivered(0);
	assert_int_equal(pool.n_free, POOL_PDUS); /* nothing is kept */
}

/* A first PDU that says that its SDU started before it: of that nothing is there. */
static void test_starts_with_the_end_of_an_sdu(void **state)
{
	(void)state;
	for (int delivery = 0; delivery < CELL_DELIVERY_COUNT; delivery++) {
		cut_for(5, 1, (enum cell_delivery)delivery);
		rx.reassembly.tail.len = 0; /* of the receiver before */
		pdu[0].buf[0] |= 0x80;      /* FI */
		assert_int_equal(receive(0, 0), 0);
		assert_int_equal(out.discarded.n, 1);
		assert_int_equal(receive(1, 0), 1);
	}
}

/* Half an SDU is forgotten with everything else; its other half is none. */
static void test_reestablishment_forgets_what_was_begun(void **state)
{
	(void)state;
	cut(5, 2);
	assert_int_equal(receive(0, 0), 0);
	rlc_um_rx_reestablish(&rx, &out);
	assert_int_equal(rx.vr_ur, 0);
	expect_from(1);
	assert_int_equal(receive(1, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(receive(2, 0) + receive(3, 0), 1);
}

/* SDUs of which this side knows no packet: counted, and those of ours go on. */
static void test_foreign_pdu(void **state)
{
	struct pkt_queue none = { 0 };

	(void)state;
	cut(5, 1);
	out = (struct rlc_out){ 0 };
	assert_int_equal(rlc_um_rx_receive(&rx, pdu[0].buf, pdu[0].len, &none, 0, &out), 0);
	assert_int_equal(out.foreign_sdus, 1);
	assert_int_equal(out.delivered.n + out.discarded.n, 0);
	assert_int_equal(receive(1, 0), 1);
	expect_delivered(1);
	/* A packet beside a PDU in which it does not end is given up with it. */
	pdu[2].ends.head->end_offset = SDU_BYTES - 1;
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(out.foreign_sdus, 1);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_segment),
		cmocka_unit_test(test_lost_start),
		cmocka_unit_test(test_halves_of_two_sdus),
		cmocka_unit_test(test_full_turn_lost),
		cmocka_unit_test(test_out_of_sequence),
		cmocka_unit_test(test_out_of_sequence_pieces),
		cmocka_unit_test(test_out_of_sequence_after_release),
		cmocka_unit_test(test_starts_with_the_end_of_an_sdu),
		cmocka_unit_test(test_reestablishment_forgets_what_was_begun),
		cmocka_unit_test(test_foreign_pdu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
