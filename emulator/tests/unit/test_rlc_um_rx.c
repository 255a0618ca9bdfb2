/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC UM receiver: reordering, t-Reordering, reassembly.
 * Source: TS 36.322 5.1.2.2; variables are named as there.
 */
#include "unit.h"

#include "pool.h"
#include "rlc/um/pdu.h"
#include "rlc/um/um.h"

#define PDUS            80
#define SDU_BYTES       20
#define T_REORDERING_NS 35

/* PDU i carries SN i mod 2^sn_bits and, by cut(), whole SDUs or segments. */
static struct {
	uint8_t buf[100];
	uint32_t len;
	struct pkt_queue ends;
} pdu[PDUS];
static struct pkt pkt[PDUS];
static struct rlc_pdu *window[1024];
static struct rlc_pool pool;
static struct rlc_um_rx rx;
static struct rlc_out out;

/* @per_sdu PDUs for every SDU of SDU_BYTES, to a receiver that delivers as @delivery says. */
static void cut_for(uint8_t sn_bits, uint32_t per_sdu, enum cell_delivery delivery)
{
	struct rlc_um_tx tx;
	static struct rlc_tx_pdu info;
	uint32_t header = (uint32_t)um_header_bytes(sn_bits, 1);

	memset(pdu, 0, sizeof(pdu));
	rlc_um_tx_init(&tx, sn_bits, PDUS);
	for (uint32_t i = 0; i < PDUS / per_sdu; i++) {
		pkt[i] = (struct pkt){ .id = i, .len = SDU_BYTES, .sdu_len = SDU_BYTES };
		memset(pkt_sdu(&pkt[i]), (int)i, SDU_BYTES);
		rlc_sdu_queue_push(&tx.queue, &pkt[i]);
	}
	for (uint32_t i = 0; i < PDUS / per_sdu * per_sdu; i++)
		pdu[i].len = rlc_um_tx_build(&tx, header + SDU_BYTES / per_sdu, pdu[i].buf,
		                             &pdu[i].ends, &info);
	for (uint32_t i = 0; i < PDUS; i++) /* the receiver must not find them there */
		memset(pkt_data(&pkt[i]), 0xee, SDU_BYTES);
	pool_fill(&pool);
	rlc_um_rx_init(&rx, sn_bits, T_REORDERING_NS, delivery, window, &pool);
}

static void cut(uint8_t sn_bits, uint32_t per_sdu)
{
	cut_for(sn_bits, per_sdu, CELL_DELIVERY_IN_SEQUENCE);
}

/* What was sent before does not matter: the receiver waits for @sn. */
static void expect_from(uint16_t sn)
{
	rx.vr_ur = rx.vr_uh = rx.reassembly.lower = sn;
}

static int receive_pdu(uint32_t i, int64_t now_ns)
{
	return rlc_um_rx_receive(&rx, pdu[i].buf, pdu[i].len, &pdu[i].ends, now_ns, &out);
}

/* Receive PDU @i at @now_ns. Return: SDUs that came out. */
static uint32_t receive(uint32_t i, int64_t now_ns)
{
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(i, now_ns), i % (1u << rx.sn_bits));
	return out.delivered.n;
}

static uint32_t expire(void)
{
	int64_t now_ns = rx.expiry_ns;

	assert_int_not_equal(now_ns, CELL_NEVER);
	out = (struct rlc_out){ 0 };
	rlc_um_rx_expire(&rx, now_ns, &out);
	return out.delivered.n;
}

/* The next SDU delivered is @id, with its bytes. */
static void expect_delivered(uint32_t id)
{
	struct pkt *p = pkt_dequeue(&out.delivered);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	for (uint32_t i = 0; i < SDU_BYTES; i++)
		assert_int_equal(pkt_sdu(p)[i], (uint8_t)id);
}

static void test_in_order(void **state)
{
	(void)state;
	cut(10, 1);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_delivered(i);
		assert_int_equal(rx.expiry_ns, CELL_NEVER);
	}
	assert_int_equal(rx.vr_ur, 5);
	assert_int_equal(rx.vr_uh, 5);
}

/* 0, 2, 3, 1: the gap holds 2 and 3 back and the timer runs until it is filled. */
static void test_reordering(void **state)
{
	(void)state;
	cut(10, 1);
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 0);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS);
	assert_int_equal(rx.vr_ux, 3);
	assert_int_equal(receive(3, 110), 0);
	assert_int_equal(rx.expiry_ns, 100 + T_REORDERING_NS); /* not restarted */
	assert_int_equal(receive(1, 120), 3);
	for (uint32_t i = 1; i <= 3; i++)
		expect_delivered(i);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(rx.vr_ur, 4);
}

/* 0, 2, expiry: 2 is released, vr_ur passes it, a late 1 is discarded. */
static void test_expiry(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	assert_int_equal(expire(), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.expiry_ns, CELL_NEVER);
	assert_int_equal(receive(1, 140), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(3, 150), 1);
}

/*
 * 0, 2 (timer for the gap at 1, vr_ux 3), 4: at expiry 2 comes out; the gap at
 * 3 starts the timer anew with vr_ux = 5, at whose expiry 4 comes out.
 */
static void test_second_gap_restarts_timer(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 120);
	assert_int_equal(expire(), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.vr_ux, 5);
	assert_int_equal(rx.expiry_ns, 100 + 2 * T_REORDERING_NS);
	assert_int_equal(expire(), 1);
	expect_delivered(4);
	assert_int_equal(rx.vr_ur, 5);
}

/* Filling the gap that started the timer restarts it for the next one. */
static void test_timer_follows_gap(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 110);
	assert_int_equal(receive(1, 120), 2); /* vr_ur 3 >= vr_ux 3 */
	assert_int_equal(rx.vr_ux, 5);
	assert_int_equal(rx.expiry_ns, 120 + T_REORDERING_NS);
}

static void test_duplicates(void **state)
{
	(void)state;
	cut(10, 1);
	(void)receive(0, 0);
	(void)receive(2, 0);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(2, 0), 2); /* waits already */
	assert_int_equal(out.discarded_pdus, 1);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(0, 0), 0); /* below vr_ur */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(1, 0), 2);
}

/* A PDU beyond the window moves it: what falls out is released without a timer. */
static void test_window_pushed(void **state)
{
	(void)state;
	cut(5, 1); /* UM_Window_Size 16 */
	(void)receive(0, 0);
	(void)receive(2, 0);
	/* SN 17: vr_uh 18, window 2..17; vr_ur 1 is outside, so it becomes 2. */
	assert_int_equal(receive(17, 0), 1);
	expect_delivered(2);
	assert_int_equal(rx.vr_ur, 3);
	assert_int_equal(rx.vr_uh, 18);
}

/* 20 PDUs lost with 5 bits: SN 20 is in the lower half and taken for an old one. */
static void test_window_ambiguity(void **state)
{
	(void)state;
	cut(5, 1);
	assert_int_equal(receive(20, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.vr_ur, 0);
}

static void test_sn_wrap(void **state)
{
	(void)state;
	cut(5, 1);
	for (uint32_t i = 0; i < 31; i++)
		assert_int_equal(receive(i, 0), 1);
	assert_int_equal(receive(32, 0), 0); /* SN 0; 31 is missing */
	assert_int_equal(receive(33, 0), 0);
	assert_int_equal(receive(31, 0), 3);
	for (uint32_t i = 31; i <= 33; i++)
		expect_delivered(i);
	for (uint32_t i = 34; i < PDUS; i++)
		assert_int_equal(receive(i, 0), 1);
}

/* 10 bits from SN 1022: neither reordering nor expiry minds the wrap. */
static void test_sn_wrap_10_bits(void **state)
{
	(void)state;
	cut(10, 1);
	expect_from(1022);
	for (uint32_t i = 0; i < 6; i++) { /* SNs 1022, 1023, 0, 1, 2, 3 */
		struct um_pdu um = { .sn = (uint16_t)((1022 + i) % 1024), .n = 1 };

		(void)um_pack(&um, 10, pdu[i].buf);
	}
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(1, 0), 1023);
	assert_int_equal(receive_pdu(3, 0), 1);
	assert_int_equal(out.delivered.n, 0);
	assert_int_equal(rx.vr_ux, 0); /* of 1023, which came first */
	assert_int_equal(expire(), 1);
	assert_int_equal(rx.vr_ur, 0);
	assert_int_equal(rx.vr_ux, 2);
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(2, 0), 0);
	assert_int_equal(out.delivered.n, 2);
}

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

/* The beginning is lost: the rest is not taken for an SDU. */
static void test_lost_beginning(void **state)
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
 * SDUs of five PDUs. PDUs 0 and 1 begin SDU 0, then 32 are lost, a whole turn
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

static void test_malformed(void **state)
{
	(void)state;
	cut(10, 1);
	pdu[0].len = 2; /* a header without data */
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(0, 0), -EBADMSG);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.vr_uh, 0);
}

/* As long as a PDU can be, and a byte longer. */
static void test_largest_pdu(void **state)
{
	static uint8_t buf[POOL_BYTES + 3];
	struct pkt_queue none = { 0 };

	(void)state;
	cut(10, 1);
	out = (struct rlc_out){ 0 };
	buf[0] = 0; /* SN 0 in two bytes */
	assert_int_equal(rlc_um_rx_receive(&rx, buf, POOL_BYTES + 2, &none, 0, &out), 0);
	buf[1] = 1;
	assert_int_equal(rlc_um_rx_receive(&rx, buf, POOL_BYTES + 3, &none, 0, &out), -EBADMSG);
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

/* A first PDU that says that its SDU began before it: of that nothing is there. */
static void test_begins_with_the_end_of_an_sdu(void **state)
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
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_second_gap_restarts_timer),
		cmocka_unit_test(test_timer_follows_gap),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_window_pushed),
		cmocka_unit_test(test_window_ambiguity),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_sn_wrap_10_bits),
		cmocka_unit_test(test_lost_segment),
		cmocka_unit_test(test_lost_beginning),
		cmocka_unit_test(test_halves_of_two_sdus),
		cmocka_unit_test(test_full_turn_lost),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_largest_pdu),
		cmocka_unit_test(test_out_of_sequence),
		cmocka_unit_test(test_out_of_sequence_pieces),
		cmocka_unit_test(test_out_of_sequence_after_release),
		cmocka_unit_test(test_foreign_pdu),
		cmocka_unit_test(test_begins_with_the_end_of_an_sdu),
		cmocka_unit_test(test_reestablishment_forgets_what_was_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
