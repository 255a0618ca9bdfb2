/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NR's RLC AM receiver: delivery, variables, t-Reassembly, STATUS PDUs, t-StatusProhibit.
 * Source: TS 38.322 5.2.3.2, 5.3.4; variables are named as there.
 */
#include "nr_store.h"

#include "rlc/nr/am.h"

#define T_REASSEMBLY_NS 20
#define T_PROHIBIT_NS   10
#define LEN             100

static struct nr_am_tx tx; /* it has sent the SDUs that arrive */
static struct nr_am_rx rx;
static uint32_t slot[131072];
static uint64_t words[2 * 2048];
static struct rlc_out out;
static uint8_t buf[2000];

static void setup_of(uint8_t sn_bits)
{
	const struct nr_am_cfg cfg = { .sn_bits = sn_bits,
		                       .poll_pdu = 1000000,
		                       .poll_byte = 1000000,
		                       .max_retx_threshold = 8,
		                       .queue_limit = PKTS };

	setup_store(STORED);
	memset(slot, 0xee, sizeof(slot));
	memset(words, 0xee, sizeof(words));
	nr_am_tx_init(&tx, &cfg, slot, store);
	nr_am_rx_init(&rx, sn_bits, T_REASSEMBLY_NS, T_PROHIBIT_NS, words, &tx, store);
	out = (struct rlc_out){ 0 };
}

static void setup(void)
{
	setup_of(18);
}

/* SDUs up to @sn are on their way. */
static void send_to(uint32_t sn)
{
	for (uint32_t i = tx.tx_next; i <= sn; i++) {
		rlc_sdu_queue_push(&tx.queue, make_pkt(i, LEN));
		assert_int_not_equal(nr_am_tx_build(&tx, sizeof(buf), 0, buf).size, 0);
	}
}

/* Bytes @from..@to of SDU @sn arrive. Return: SDUs that came out. */
static uint32_t receive_part(uint32_t sn, uint32_t from, uint32_t to, bool poll, int64_t now_ns)
{
	struct nr_pdu pdu = {
		.sn = sn, .so = (uint16_t)from, .si = nr_si(from, to, LEN), .poll = poll
	};
	uint32_t n;

	send_to(sn);
	n = nr_am_pack(&pdu, rx.sn_bits, buf);
	for (uint32_t k = from; k < to; k++)
		buf[n++] = byte_of(sn, k);
	out = (struct rlc_out){ 0 };
	assert_int_equal(nr_am_rx_receive(&rx, buf, n, now_ns, &out), sn);
	assert_int_equal(out.foreign_sdus, 0);
	return out.delivered.n;
}

static uint32_t receive(uint32_t sn, int64_t now_ns)
{
	return receive_part(sn, 0, LEN, false, now_ns);
}

static uint32_t receive_poll(uint32_t sn, int64_t now_ns)
{
	return receive_part(sn, 0, LEN, true, now_ns);
}

static void expect(uint32_t next, uint32_t highest_status, uint32_t next_highest)
{
	assert_int_equal(rx.rx_next, next);
	assert_int_equal(rx.rx_highest_status, highest_status);
	assert_int_equal(rx.rx_next_highest, next_highest);
}

static void expect_timer(int64_t expiry_ns, uint32_t trigger)
{
	assert_int_equal(rx.reassembly_expiry_ns, expiry_ns);
	assert_int_equal(rx.rx_next_status_trigger, trigger);
}

/* The STATUS PDU built in @max bytes has @size and says @ack_sn and these NACKs. */
static void expect_status(uint32_t max, uint32_t size, uint32_t ack_sn, uint32_t n,
                          const struct nr_nack *nack)
{
	uint32_t all = nr_am_rx_status_bytes(&rx), got_sn, got_n;
	struct nr_status_reader r;
	struct nr_nack read;

	assert_int_equal(nr_am_rx_status_build(&rx, max, 0, buf, &got_sn, &got_n), size);
	assert_true(size <= all);
	assert_int_equal(got_sn, ack_sn);
	assert_int_equal(got_n, n);
	assert_int_equal(nr_status_open(&r, rx.sn_bits, buf, size), 0);
	assert_int_equal(r.ack_sn, ack_sn);
	assert_int_equal(r.n, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(nr_status_next(&r, &read));
		assert_int_equal(read.sn, nack[i].sn);
		assert_int_equal(read.range, nack[i].range);
		assert_int_equal(read.so_start, nack[i].so_start);
		assert_int_equal(read.so_end, nack[i].so_end);
	}
	assert_false(rx.status_due);
	rx.prohibit_expiry_ns = CELL_NEVER; /* later */
}

static struct nr_nack missing(uint32_t sn, uint16_t range, uint16_t so_start, uint16_t so_end)
{
	return (struct nr_nack){ .sn = sn, .range = range, .so_start = so_start, .so_end = so_end };
}

/* --- variables and t-Reassembly: TS 38.322 5.2.3.2.3, 5.2.3.2.4 --- */

static void test_in_order(void **state)
{
	(void)state;
	setup();
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_sdu(&out.delivered, i);
		expect(i + 1, i + 1, i + 1);
		assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
		assert_false(rx.status_due);
	}
}

/* 0, 2, 3, 1: each goes up as it comes; the timer runs until the gap is filled. */
static void test_no_order(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	assert_int_equal(receive(2, 100), 1);
	expect_sdu(&out.delivered, 2);
	expect(1, 1, 3);
	expect_timer(100 + T_REASSEMBLY_NS, 3);
	assert_int_equal(receive(3, 110), 1);
	expect(1, 1, 4);
	expect_timer(100 + T_REASSEMBLY_NS, 3); /* not restarted */
	assert_int_equal(receive(1, 120), 1);
	expect_sdu(&out.delivered, 1);
	expect(4, 4, 4);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
}

/* RX_Next passes what started the timer, but 3 is missing before 4: it starts again. */
static void test_the_timer_starts_again(void **state)
{
	(void)state;
	setup();
	(void)receive(1, 100);
	expect_timer(100 + T_REASSEMBLY_NS, 2);
	(void)receive(2, 105);
	(void)receive(4, 110);
	expect_timer(100 + T_REASSEMBLY_NS, 2);
	(void)receive(0, 115);
	expect(3, 3, 5);
	expect_timer(115 + T_REASSEMBLY_NS, 5);
}

/* A gap between segments counts, bytes that may still follow do not. */
static void test_gap_within_an_sdu(void **state)
{
	(void)state;
	setup();
	assert_int_equal(receive_part(0, 0, 30, false, 100), 0);
	expect(0, 0, 1);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
	assert_int_equal(receive_part(0, 60, LEN, false, 110), 0);
	expect_timer(110 + T_REASSEMBLY_NS, 1);
	assert_int_equal(receive_part(0, 30, 60, false, 115), 1);
	expect_sdu(&out.delivered, 0);
	expect(1, 1, 1);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
}

/* RX_Next_Status_Trigger is RX_Next + 1, whose SDU has no gap any more: the timer stops. */
static void test_the_timer_stops_without_a_gap(void **state)
{
	(void)state;
	setup();
	(void)receive_part(0, 0, 30, false, 100);
	(void)receive_part(0, 50, 60, false, 100);
	expect_timer(100 + T_REASSEMBLY_NS, 1);
	assert_int_equal(receive_part(0, 30, 50, false, 110), 0);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
	expect(0, 0, 1);
}

static void test_expiry(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(5, 110);
	nr_am_rx_expire(&rx, 120);
	expect(1, 3, 6); /* 3 is the first that is missing from the trigger on */
	assert_true(rx.status_due);
	expect_timer(120 + T_REASSEMBLY_NS, 6); /* for 3 and 4 */
	expect_status(100, 6, 3, 1, (struct nr_nack[]){ missing(1, 1, 0, NR_SO_END) });
	nr_am_rx_expire(&rx, 140);
	expect(1, 6, 6);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
	expect_status(
		100, 10, 6, 2,
		(struct nr_nack[]){ missing(1, 1, 0, NR_SO_END), missing(3, 2, 0, NR_SO_END) });
	assert_int_equal(receive(1, 200), 1);
	expect(3, 6, 6);
}

/* RX_Highest_Status comes to an SDU with a gap, and to no other: the timer runs for it. */
static void test_expiry_before_a_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(1, 100);
	(void)receive_part(2, 0, 10, false, 105);
	(void)receive_part(2, 20, 30, false, 106);
	nr_am_rx_expire(&rx, 120);
	expect(0, 2, 3);
	expect_timer(120 + T_REASSEMBLY_NS, 3);
	(void)receive_part(2, 10, 20, false, 125);
	expect(0, 2, 3);
	expect_timer(120 + T_REASSEMBLY_NS, 3); /* RX_Next is 0 still */
}

static void test_duplicates(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 0);
	assert_int_equal(receive(0, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	(void)receive_part(3, 0, 50, false, 0);
	(void)receive_part(3, 10, 40, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_part(3, 40, LEN, false, 0), 1); /* overlaps */
	expect_sdu(&out.delivered, 3);
	(void)receive_part(4, 0, 50, false, 0);
	assert_int_equal(receive(4, 0), 1); /* all of it after all */
	assert_int_equal(rx.window.n_parts, 0);
}

/* 2048 SNs from RX_Next on; what is beyond is discarded, and its poll answered. */
static void test_window(void **state)
{
	(void)state;
	setup_of(12);
	assert_int_equal(receive(2047, 0), 1);
	expect(0, 0, 2048);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 0);
	buf[0] = 0xc8; /* 2048, with a poll */
	buf[1] = 0x00;
	assert_int_equal(nr_am_rx_receive(&rx, buf, 10, 0, &out), 2048);
	assert_int_equal(out.discarded_pdus, 1);
	assert_true(rx.status_due);
	expect(0, 0, 2048);
	assert_int_equal(receive(0, 0), 1);
	expect(1, 1, 2048);
}

/* The window moves over the end of SNs, where bits of the turn before lie. */
static void test_turn(void **state)
{
	(void)state;
	setup_of(12);
	for (uint32_t i = 0; i < 4090; i++) {
		assert_int_equal(receive(i, 0), 1);
		tx.tx_next = (i + 1) % 4096;
		while (tx.first) /* it is acknowledged */
			nr_am_tx_status(&tx, (struct nr_status_reader){ .ack_sn = tx.tx_next });
	}
	expect(4090, 4090, 4090);
	for (uint32_t i = 0; i < 10; i++) {
		struct nr_pdu pdu = { .sn = (4090 + 2 * i) % 4096, .si = NR_SI_ALL };

		out = (struct rlc_out){ 0 };
		assert_int_equal(nr_am_rx_receive(&rx, buf, nr_am_pack(&pdu, 12, buf) + 5, 0, &out),
		                 pdu.sn);
		assert_int_equal(out.discarded_pdus, 0);
	}
	expect(4091, 4091, (4090 + 19) % 4096);
}

/* --- STATUS PDUs: TS 38.322 5.3.4 --- */

/* The poll of an SDU in order is answered at once. */
static void test_poll(void **state)
{
	(void)state;
	setup();
	(void)receive_poll(0, 0);
	assert_true(nr_am_rx_status_ready(&rx));
	assert_int_equal(nr_am_rx_status_bytes(&rx), 3);
	expect_status(100, 3, 1, 0, NULL);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 0);
}

/* Behind a gap it is answered when RX_Highest_Status has passed it: the gap is filled, or lost. */
static void test_delayed_poll(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive_poll(2, 0);
	assert_false(rx.status_due);
	(void)receive(1, 0);
	expect_status(100, 3, 3, 0, NULL);
	(void)receive_poll(4, 0);
	(void)receive_poll(6, 0);
	assert_false(rx.status_due);
	nr_am_rx_expire(&rx, 20);
	expect_status(100, 6, 5, 1, (struct nr_nack[]){ missing(3, 1, 0, NR_SO_END) });
	(void)receive(5, 30); /* 5 and 6 are behind RX_Highest_Status now */
	expect_status(100, 6, 7, 1, (struct nr_nack[]){ missing(3, 1, 0, NR_SO_END) });
}

/* The poll of a segment is not answered before its SDU is complete, or lost. */
static void test_poll_of_a_segment(void **state)
{
	(void)state;
	setup();
	(void)receive_part(0, 50, LEN, true, 0);
	assert_false(rx.status_due);
	(void)receive_part(0, 0, 50, false, 0);
	assert_true(rx.status_due);
}

static void test_poll_of_a_duplicate(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive_poll(0, 0);
	expect_status(100, 3, 1, 0, NULL);
}

static void test_prohibit(void **state)
{
	uint32_t ack_sn, n;

	(void)state;
	setup();
	(void)receive(0, 0);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 0); /* nobody polled */
	assert_int_equal(nr_am_rx_status_build(&rx, 100, 50, buf, &ack_sn, &n), 0);
	setup();
	(void)receive_poll(0, 0);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 3);
	assert_int_equal(nr_am_rx_status_build(&rx, 100, 50, buf, &ack_sn, &n), 3);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 0); /* it has left */
	assert_int_equal(rx.prohibit_expiry_ns, 50 + T_PROHIBIT_NS);
	(void)receive_poll(1, 51);
	assert_true(rx.status_due);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 0);
	assert_int_equal(nr_am_rx_status_build(&rx, 100, 51, buf, &ack_sn, &n), 0);
	rx.prohibit_expiry_ns = CELL_NEVER; /* it expired */
	expect_status(100, 3, 2, 0, NULL);
}

/* Parts of SDUs; and runs over several SDUs, of which the first and the last may be parts. */
static void test_portions(void **state)
{
	(void)state;
	setup();
	(void)receive_part(0, 20, 40, false, 0);
	(void)receive_part(0, 60, 80, false, 0);
	(void)receive_part(3, 10, LEN, false, 0); /* missing: 80 of 0 to 10 of 3 */
	(void)receive_part(4, 0, LEN - 1, false, 0);
	(void)receive(6, 0);
	nr_am_rx_expire(&rx, 20); /* for what started the timer, which starts again */
	nr_am_rx_expire(&rx, 40);
	expect_status(100, 3 + 7 + 7 + 8 + 8, 7, 4,
	              (struct nr_nack[]){ missing(0, 1, 0, 19), missing(0, 1, 40, 59),
	                                  missing(0, 4, 80, 9), missing(4, 2, 99, NR_SO_END) });
}

/* A range has 255 SDUs at most. */
static void test_long_range(void **state)
{
	(void)state;
	setup();
	(void)receive(600, 0);
	nr_am_rx_expire(&rx, 20);
	expect_status(100, 3 + 3 * 4, 601, 3,
	              (struct nr_nack[]){ missing(0, 255, 0, NR_SO_END),
	                                  missing(255, 255, 0, NR_SO_END),
	                                  missing(510, 90, 0, NR_SO_END) });
}

/* Without room for all of it a STATUS PDU ends earlier: ACK_SN is the first not named. */
static void test_short_status(void **state)
{
	const struct nr_nack nacks[] = { missing(0, 1, 0, 9), missing(0, 1, 20, 29),
		                         missing(2, 1, 0, NR_SO_END), missing(4, 1, 0, 49) };

	(void)state;
	setup();
	(void)receive_part(0, 10, 20, false, 0);
	(void)receive_part(0, 30, LEN, false, 0);
	(void)receive(1, 0);
	(void)receive(3, 0);
	(void)receive_part(4, 50, LEN, false, 0);
	(void)receive(5, 0);
	nr_am_rx_expire(&rx, 20); /* for what started the timer, which starts again */
	nr_am_rx_expire(&rx, 40);
	assert_int_equal(nr_am_rx_status_bytes(&rx), 3 + 7 + 7 + 3 + 7);
	rx.status_due = true;
	expect_status(27, 27, 6, 4, nacks);
	rx.status_due = true;
	expect_status(26, 20, 4, 3, nacks);
	rx.status_due = true;
	expect_status(19, 17, 2, 2, nacks);
	rx.status_due = true;
	expect_status(16, 10, 2, 1, nacks); /* a part of 0 is named: 2 is the next missing */
	rx.status_due = true;
	expect_status(9, 3, 0, 0, nacks);
	rx.status_due = true;
	assert_int_equal(
		nr_am_rx_status_build(&rx, 2, 0, buf, (uint32_t[1]){ 0 }, (uint32_t[1]){ 0 }), 0);
	assert_true(rx.status_due);
}

static void test_status_of_12_bits(void **state)
{
	(void)state;
	setup_of(12);
	(void)receive(0, 0);
	(void)receive(2, 0);
	nr_am_rx_expire(&rx, 20);
	expect_status(100, 5, 3, 1, (struct nr_nack[]){ missing(1, 1, 0, NR_SO_END) });
}

/* --- what no transmitter here sends --- */

static void test_garbage(void **state)
{
	(void)state;
	setup();
	memset(buf, 0, sizeof(buf));
	buf[0] = 0x80;
	assert_int_equal(nr_am_rx_receive(&rx, buf, 3, 0, &out), -EBADMSG);
	assert_int_equal(nr_am_rx_receive(&rx, buf, 3 + NR_SDU_MAX + 1, 0, &out), -EBADMSG);
	buf[0] = 0xb0; /* from 1500 on, 10 bytes */
	buf[3] = 1500 >> 8;
	buf[4] = 1500 & 0xff;
	assert_int_equal(nr_am_rx_receive(&rx, buf, 15, 0, &out), -EBADMSG);
	assert_int_equal(out.discarded_pdus, 3);
	expect(0, 0, 0);
	buf[0] = 0x80;
	assert_int_equal(nr_am_rx_receive(&rx, buf, 10, 0, &out), 0); /* sent by nobody */
	assert_int_equal(out.foreign_sdus, 1);
	send_to(1);
	buf[0] = 0x80;
	buf[2] = 1;
	assert_int_equal(nr_am_rx_receive(&rx, buf, 10, 0, &out), 1); /* of another length */
	assert_int_equal(out.discarded.n, 1);
}

/* Without memory a segment is discarded, and asked for again. */
static void test_no_memory(void **state)
{
	(void)state;
	setup();
	send_to(5);
	store->fresh_parts = 1;
	(void)receive_part(0, 0, 50, false, 0);
	(void)receive_part(1, 50, LEN, true, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_true(rx.status_due);
	expect(0, 0, 1);
	assert_int_equal(receive(1, 0), 1); /* a whole one needs none */
}

/* It is as it was at first, field by field. */
static void test_reset(void **state)
{
	struct nr_am_rx fresh;

	(void)state;
	setup();
	fresh = rx;
	(void)receive_part(0, 0, 50, false, 0);
	(void)receive_poll(2, 0);
	nr_am_rx_expire(&rx, 20);
	nr_am_rx_reset(&rx);
	expect(0, 0, 0);
	assert_memory_equal(&rx, &fresh, sizeof(rx));
	assert_int_equal(rx.window.n_parts, 0);
	assert_int_equal(rx.reassembly_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_no_order),
		cmocka_unit_test(test_the_timer_starts_again),
		cmocka_unit_test(test_gap_within_an_sdu),
		cmocka_unit_test(test_the_timer_stops_without_a_gap),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_expiry_before_a_gap),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_turn),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_delayed_poll),
		cmocka_unit_test(test_poll_of_a_segment),
		cmocka_unit_test(test_poll_of_a_duplicate),
		cmocka_unit_test(test_prohibit),
		cmocka_unit_test(test_portions),
		cmocka_unit_test(test_long_range),
		cmocka_unit_test(test_short_status),
		cmocka_unit_test(test_status_of_12_bits),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
