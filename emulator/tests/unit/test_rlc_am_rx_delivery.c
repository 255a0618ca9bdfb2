/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RLC AM receiver: SDUs in sequence and out of it. Source: TS 36.322 5.1.3.2; Park, section 4 */
#include "am_receiver.h"

/* --- delivery --- */

/* In-sequence byte segments of VR(R)'s PDU complete SDUs before the PDU is complete. */
static void test_in_sequence_segments(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	send(1);
	assert_int_equal(receive_part(1, 0, 40, false, 0), 0); /* not in sequence yet */
	assert_int_equal(receive_part(0, 0, 30, false, 0), 1);
	expect_delivered(0);
	assert_int_equal(receive_part(0, 50, 60, false, 0), 0);
	assert_int_equal(receive_part(0, 30, 35, false, 0), 0);
	expect_vars(0, 0, 2);
	assert_int_equal(receive_part(0, 35, 50, false, 0), 4);
	for (uint32_t i = 1; i <= 4; i++)
		expect_delivered(i);
	expect_vars(1, 1, 2);
	assert_int_equal(receive_part(1, 40, 60, false, 0), 1);
	expect_delivered(5);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Three PDUs an SDU, which comes out with the last byte before it that was missing. */
static void test_sdu_across_pdus(void **state)
{
	(void)state;
	setup_stream(20, 60, CELL_DELIVERY_IN_SEQUENCE);
	for (uint32_t i = 0; i < 6; i++)
		send(i);
	for (uint32_t i = 0; i < 6; i++)
		if (i != 1)
			assert_int_equal(receive_again(i, false, 0), 0);
	assert_int_equal(receive_part(1, 10, 20, false, 0), 0);
	assert_int_equal(receive_part(1, 0, 10, false, 0), 2);
	expect_delivered(0);
	expect_delivered(1);
}

/* Out of sequence nothing waits for a gap; the gap's own way is the same. */
static void test_out_of_sequence(void **state)
{
	(void)state;
	setup_stream(20, 20, CELL_DELIVERY_OUT_OF_SEQUENCE);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 1);
	expect_delivered(2);
	expect_vars(1, 1, 3);
	expect_timer(100 + T_REORDERING_NS, 3);
	assert_int_equal(receive_again(2, false, 105), 0); /* once */
	assert_int_equal(receive(1, 110), 1);
	expect_delivered(1);
	expect_vars(3, 3, 3);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Segments of an SDU's three PDUs in the worst order: it goes up with the last piece, once. */
static void test_out_of_sequence_segments(void **state)
{
	static const uint32_t part[][3] = {
		{ 4, 5, 15 }, { 5, 0, 20 }, { 3, 0, 20 }, { 4, 0, 5 }, { 4, 0, 20 },
	};

	(void)state;
	setup_stream(20, 60, CELL_DELIVERY_OUT_OF_SEQUENCE);
	for (uint32_t i = 0; i < 6; i++)
		send(i);
	for (size_t k = 0; k < COUNT(part); k++)
		assert_int_equal(receive_part(part[k][0], part[k][1], part[k][2], false, 0),
		                 k + 1 == COUNT(part));
	expect_delivered(1);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(receive_again(i, false, 0), i == 2);
	expect_delivered(0);
	expect_vars(6, 6, 6);
}

/* The second of three PDUs has a hole when the third comes, after the start of another SDU. */
static void test_out_of_sequence_with_a_hole(void **state)
{
	(void)state;
	setup_stream(20, 60, CELL_DELIVERY_OUT_OF_SEQUENCE);
	for (uint32_t i = 0; i < 6; i++)
		send(i);
	assert_int_equal(receive_again(0, false, 0), 0);
	assert_int_equal(receive_part(1, 5, 15, false, 0), 0);
	assert_int_equal(receive_again(3, false, 0), 0);
	assert_int_equal(receive_again(2, false, 0), 0);
	assert_int_equal(receive_again(1, false, 0), 1);
	expect_delivered(0);
	assert_int_equal(receive_again(4, false, 0), 0);
	assert_int_equal(receive_again(5, false, 0), 1);
	expect_delivered(1);
}

/* Several SDUs in a PDU: each with its own last byte. */
static void test_out_of_sequence_within_pdu(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_OUT_OF_SEQUENCE);
	send(0);
	send(1);
	assert_int_equal(receive_part(1, 15, 45, false, 0), 1);
	expect_delivered(4);
	assert_int_equal(receive_part(1, 0, 15, false, 0), 1);
	expect_delivered(3);
	assert_int_equal(receive_part(1, 0, 60, false, 0), 1);
	expect_delivered(5);
	assert_int_equal(receive_again(0, false, 0), 3);
}

/* The tail of a released PDU still counts for an SDU that ends later. */
static void test_out_of_sequence_after_release(void **state)
{
	(void)state;
	setup_stream(20, 40, CELL_DELIVERY_OUT_OF_SEQUENCE);
	for (uint32_t i = 0; i < 4; i++)
		send(i);
	assert_int_equal(receive_again(0, false, 0), 0);
	expect_vars(1, 1, 1);
	assert_int_equal(receive_part(1, 10, 20, false, 0), 0);
	assert_int_equal(receive_part(1, 0, 10, false, 0), 1);
	expect_delivered(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_sequence_segments),
		cmocka_unit_test(test_sdu_across_pdus),
		cmocka_unit_test(test_out_of_sequence),
		cmocka_unit_test(test_out_of_sequence_segments),
		cmocka_unit_test(test_out_of_sequence_with_a_hole),
		cmocka_unit_test(test_out_of_sequence_within_pdu),
		cmocka_unit_test(test_out_of_sequence_after_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
