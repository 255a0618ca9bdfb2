/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NR's RLC UM: what is sent for a grant; the receiver's variables, window and t-Reassembly.
 * Source: TS 38.322 5.2.2; variables are named as there.
 */
#include "nr_store.h"

#include "rlc/nr/um.h"

#define T_NS 50
#define LEN  20

static struct nr_um_tx tx;
static struct nr_um_rx rx;
static struct rlc_out out;
static uint64_t words[32];
static uint8_t buf[2000];
static struct pkt_queue ends;
static struct nr_um_built built;

static void setup(uint8_t sn_bits)
{
	memset(words, 0xee, sizeof(words));
	setup_store(100);
	nr_um_tx_init(&tx, sn_bits, PKTS);
	nr_um_rx_init(&rx, sn_bits, T_NS, words, store);
	ends = (struct pkt_queue){ 0 };
	out = (struct rlc_out){ 0 };
}

static uint32_t transmit(uint32_t max)
{
	ends = (struct pkt_queue){ 0 };
	built = nr_um_tx_build(&tx, max, buf, &ends);
	return built.size;
}

/* --- transmitter --- */

/* 100 bytes and one of a header fit 101 bytes, and without an SN. */
static void test_whole(void **state)
{
	(void)state;
	setup(12);
	rlc_sdu_queue_push(&tx.queue, make_pkt(0, 100));
	assert_ptr_equal(nr_um_tx_fresh(&tx, 101), &pkt[0]);
	assert_int_equal(transmit(101), 101);
	assert_int_equal(buf[0], 0x00);
	assert_int_equal(buf[100], byte_of(0, 99));
	assert_int_equal(built.sn, NR_SN_NONE);
	assert_true(built.ends);
	assert_ptr_equal(ends.head, &pkt[0]);
	assert_int_equal(tx.tx_next, 0);
	assert_int_equal(transmit(101), 0);
}

/* A byte less, and it goes in segments: 98 with a header of 2, and the rest with one of 4. */
static void test_segments(void **state)
{
	(void)state;
	setup(12);
	rlc_sdu_queue_push(&tx.queue, make_pkt(0, 100));
	assert_int_equal(transmit(100), 100);
	assert_memory_equal(buf, ((uint8_t[]){ 0x40, 0x00 }), 2);
	assert_int_equal(built.sn, 0);
	assert_int_equal(built.data, 98);
	assert_null(ends.head);
	assert_null(nr_um_tx_fresh(&tx, 100)); /* it was started */
	assert_int_equal(tx.queue.bytes, 2);
	assert_int_equal(transmit(4), 0); /* no room for a byte */
	assert_int_equal(transmit(5), 5);
	assert_memory_equal(buf, ((uint8_t[]){ 0xc0, 0x00, 0x00, 98, byte_of(0, 98) }), 5);
	assert_int_equal(tx.tx_next, 0);
	assert_int_equal(transmit(100), 5);
	assert_memory_equal(buf, ((uint8_t[]){ 0x80, 0x00, 0x00, 99, byte_of(0, 99) }), 5);
	assert_ptr_equal(ends.head, &pkt[0]);
	assert_int_equal(tx.tx_next, 1);
	assert_int_equal(tx.queue.bytes, 0);
}

/* Only SDUs in segments take an SN, and there are 64. */
static void test_sn(void **state)
{
	(void)state;
	setup(6);
	for (uint32_t i = 0; i < 130; i++) {
		rlc_sdu_queue_push(&tx.queue, make_pkt(2 * i, LEN));
		rlc_sdu_queue_push(&tx.queue, make_pkt(2 * i + 1, LEN));
		assert_int_equal(transmit(LEN + 1), LEN + 1);
		assert_int_equal(transmit(LEN), LEN);
		assert_int_equal(built.sn, i % 64);
		assert_int_equal(transmit(LEN), 4);
		assert_int_equal(built.sn, i % 64);
	}
}

static void test_no_room(void **state)
{
	(void)state;
	setup(12);
	rlc_sdu_queue_push(&tx.queue, make_pkt(0, 1));
	assert_int_equal(transmit(0), 0);
	assert_int_equal(transmit(1), 0);
	assert_null(nr_um_tx_fresh(&tx, 1));
	assert_int_equal(transmit(2), 2); /* a whole one has the shorter header */
}

/* --- receiver: bytes @from..@to of SDU @sn, of packet @i, LEN bytes long --- */

static uint32_t receive_of(uint32_t i, uint32_t sn, uint32_t from, uint32_t to, int64_t now_ns)
{
	struct nr_pdu pdu = { .sn = sn, .so = (uint16_t)from, .si = nr_si(from, to, LEN) };
	uint32_t n = nr_um_pack(&pdu, rx.sn_bits, buf), got;

	ends = (struct pkt_queue){ 0 };
	for (uint32_t k = from; k < to; k++)
		buf[n++] = byte_of(i, k);
	if (to == LEN) {
		pkt_enqueue(&ends, make_pkt(i, LEN));
		memset(pkt_sdu(&pkt[i]), 0xee, LEN); /* the bytes are those of the PDUs */
	}
	out = (struct rlc_out){ 0 };
	assert_int_equal(nr_um_rx_receive(&rx, buf, n, &ends, now_ns, &out, &got), 0);
	assert_int_equal(got, pdu.si == NR_SI_ALL ? NR_SN_NONE : sn);
	assert_null(ends.head);
	return out.delivered.n;
}

static uint32_t receive(uint32_t sn, uint32_t from, uint32_t to, int64_t now_ns)
{
	return receive_of(sn, sn, from, to, now_ns);
}

static void expect(uint32_t reassembly, uint32_t highest, int64_t expiry_ns)
{
	assert_int_equal(rx.rx_next_reassembly, reassembly);
	assert_int_equal(rx.rx_next_highest, highest);
	assert_int_equal(rx.expiry_ns, expiry_ns);
}

static void test_receive_whole(void **state)
{
	(void)state;
	setup(6);
	assert_int_equal(receive(7, 0, LEN, 0), 1);
	expect_sdu(&out.delivered, 7);
	expect(0, 0, CELL_NEVER);
}

/* The last segment first: its packet waits for the bytes before, and the timer runs for them. */
static void test_receive_segments(void **state)
{
	(void)state;
	setup(6);
	assert_int_equal(receive(0, 12, LEN, 100), 0);
	expect(0, 1, 100 + T_NS);
	assert_int_equal(receive(0, 0, 5, 110), 0);
	expect(0, 1, 100 + T_NS);
	assert_int_equal(receive(0, 5, 12, 120), 1);
	expect_sdu(&out.delivered, 0);
	expect(1, 1, CELL_NEVER);
	assert_int_equal(rx.window.n_parts, 0);
	assert_int_equal(receive(0, 5, 12, 120), 0); /* late */
	assert_int_equal(out.discarded_pdus, 1);
}

/* Without a gap nothing says that more is to come: no timer. The next SDU does. */
static void test_no_timer_without_a_gap(void **state)
{
	(void)state;
	setup(6);
	assert_int_equal(receive(0, 0, 5, 100), 0);
	expect(0, 1, CELL_NEVER);
	assert_int_equal(receive(1, 0, 5, 110), 0);
	expect(0, 2, 110 + T_NS);
	assert_int_equal(rx.rx_timer_trigger, 2);
	assert_int_equal(receive(0, 5, LEN, 120), 1); /* only 1 is left, which has no gap */
	expect(1, 2, CELL_NEVER);
}

/* 1 is complete before 0: it is delivered at once, and RX_Next_Reassembly passes both. */
static void test_no_order(void **state)
{
	(void)state;
	setup(6);
	(void)receive(0, 0, 5, 0);
	(void)receive(1, 0, 5, 0);
	assert_int_equal(receive(1, 5, LEN, 0), 1);
	expect_sdu(&out.delivered, 1);
	assert_int_equal(rx.rx_next_reassembly, 0);
	assert_int_equal(receive(0, 5, LEN, 0), 1);
	expect(2, 2, CELL_NEVER);
}

/* At expiry the packet of 0 is given up, and the timer runs again for the gap of 2. */
static void test_expiry(void **state)
{
	(void)state;
	setup(6);
	(void)receive(0, 5, LEN, 100);
	(void)receive(1, 0, 5, 110);
	(void)receive(2, 5, LEN, 120);
	out = (struct rlc_out){ 0 };
	nr_um_rx_expire(&rx, 150, &out);
	assert_int_equal(rx.rx_next_reassembly, 1);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(out.discarded.head->id, 0);
	assert_int_equal(out.discarded_pdus, 1);
	expect(1, 3, 150 + T_NS);
	assert_int_equal(rx.rx_timer_trigger, 3);
	out = (struct rlc_out){ 0 };
	nr_um_rx_expire(&rx, 200, &out);
	expect(3, 3, CELL_NEVER);
	assert_int_equal(out.discarded.n, 1); /* of 1 no packet had come */
	assert_int_equal(out.discarded_pdus, 2);
	assert_int_equal(rx.window.n_parts, 0);
}

/* SN 40 ends a window of 32 that starts with 9: what is before is given up. */
static void test_window(void **state)
{
	(void)state;
	setup(6);
	(void)receive(0, 5, LEN, 0);
	(void)receive(9, 0, 5, 0);
	assert_int_equal(receive(31, 0, 5, 0), 0);
	expect(0, 32, T_NS);
	assert_int_equal(receive(40, 0, 5, 7), 0);
	assert_int_equal(out.discarded.n, 1);
	expect(9, 41, 7 + T_NS); /* what started the timer has left the window */
	assert_int_equal(rx.rx_timer_trigger, 41);
	assert_int_equal(receive(9, 5, LEN, 8), 1);
	expect(10, 41, 7 + T_NS);
	assert_int_equal(receive_of(1, 9, 5, LEN, 8), 0); /* again, in the window but done */
	assert_int_equal(out.discarded.n, 1);
	expect(10, 41, 7 + T_NS);
}

/* As far ahead as an SN can be: a window behind the highest one, of which nothing remains. */
static void test_a_window_further(void **state)
{
	(void)state;
	setup(6);
	(void)receive(0, 5, LEN, 0);
	(void)receive(31, 0, 5, 0);
	assert_int_equal(receive(63, 0, 5, 9), 0);
	expect(32, 0, 9 + T_NS);
	assert_int_equal(rx.window.n_parts, 1);
}

static void test_window_of_12_bits(void **state)
{
	(void)state;
	setup(12);
	(void)receive(0, 5, LEN, 0);
	assert_int_equal(receive(2047, 0, 5, 0), 0);
	expect(0, 2048, T_NS);
	assert_int_equal(receive(2048, 0, 5, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.rx_next_reassembly, 1);
	assert_int_equal(receive_of(1, 4095, 0, 5, 0), 0); /* ahead by 2047 */
	assert_int_equal(rx.rx_next_highest, 0);
}

/* --- what no transmitter here sends --- */

static void test_garbage(void **state)
{
	struct pkt_queue none = { 0 };
	uint32_t sn;

	(void)state;
	setup(6);
	out = (struct rlc_out){ 0 };
	memset(buf, 0x80, sizeof(buf));
	pkt_enqueue(&none, make_pkt(0, LEN));
	assert_int_equal(nr_um_rx_receive(&rx, buf, 3, &none, 0, &out, &sn), -EBADMSG);
	assert_int_equal(out.discarded.n, 1); /* its packet is not lost */
	assert_int_equal(nr_um_rx_receive(&rx, buf, 1600, &none, 0, &out, &sn), -EBADMSG);
	buf[0] = 0;
	assert_int_equal(nr_um_rx_receive(&rx, buf, 5, &none, 0, &out, &sn), 0);
	assert_int_equal(out.foreign_sdus, 1);
	pkt_enqueue(&none, make_pkt(1, LEN));
	assert_int_equal(nr_um_rx_receive(&rx, buf, 5, &none, 0, &out, &sn), 0);
	assert_int_equal(out.discarded.n, 2); /* another length */
}

/* Segments that contradict what came before: behind the end, another end, an end too early. */
static void test_contradictions(void **state)
{
	struct nr_window *w = &rx.window;
	struct nr_pdu last = { .sn = 3, .so = 8, .si = NR_SI_LAST };
	struct nr_pdu middle = { .sn = 3, .so = 10, .si = NR_SI_MIDDLE };

	(void)state;
	setup(6);
	assert_non_null(nr_window_add(w, &last, buf, 4));
	assert_null(nr_window_add(w, &middle, buf, 4));
	assert_null(nr_window_add(w, &last, buf, 5));
	last.so = 2;
	assert_null(nr_window_add(w, &last, buf, 4));
	middle.sn = last.sn = 4;
	assert_non_null(nr_window_add(w, &middle, buf, 4));
	last.so = 9;
	assert_null(nr_window_add(w, &last, buf, 4));
	last.so = 10;
	assert_non_null(nr_window_add(w, &last, buf, 5));
}

/* Without memory for its segments an SDU is lost; those that have it are not. */
static void test_no_memory(void **state)
{
	(void)state;
	setup(6);
	setup_store(2);
	rx.window.store = store;
	(void)receive(0, 0, 5, 0);
	(void)receive(1, 0, 5, 0);
	assert_int_equal(receive(2, 5, LEN, 0), 0);
	assert_int_equal(out.discarded.n, 1);
	assert_int_equal(rx.rx_next_highest, 2);
	assert_int_equal(receive(0, 5, LEN, 0), 1);
	assert_int_equal(receive(2, 5, LEN, 0), 0);
	assert_int_equal(rx.rx_next_highest, 3);
}

static void test_reset(void **state)
{
	struct pkt_queue left = { 0 };
	struct nr_um_rx fresh;

	(void)state;
	setup(6);
	fresh = rx;
	(void)receive(3, 5, LEN, 0);
	(void)receive(4, 0, 5, 0);
	nr_um_rx_reset(&rx, &left);
	assert_int_equal(left.n, 1);
	assert_int_equal(rx.window.n_parts, 0);
	expect(0, 0, CELL_NEVER);
	assert_memory_equal(&rx, &fresh, sizeof(rx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_sn),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_receive_whole),
		cmocka_unit_test(test_receive_segments),
		cmocka_unit_test(test_no_timer_without_a_gap),
		cmocka_unit_test(test_no_order),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_a_window_further),
		cmocka_unit_test(test_window_of_12_bits),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
