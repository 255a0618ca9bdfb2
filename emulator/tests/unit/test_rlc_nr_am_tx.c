/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NR's RLC AM transmitter: segments, window, polls, retransmissions, acknowledgments.
 * Source: TS 38.322 5.2.3.1, 5.3; variables are named as there.
 */
#include "nr_store.h"

#include "rlc/nr/am.h"

#define T_POLL_NS  45
#define NEVER_POLL 1000000 /* pollPDU and pollByte that are not reached */
#define LEN        100

static struct nr_am_tx tx;
static uint32_t slot[131072];
static uint8_t buf[2000];
static struct nr_am_built built;
static struct nr_pdu pdu; /* the header of the PDU built last */

static void setup_polls(uint8_t sn_bits, uint32_t poll_pdu, uint32_t poll_byte, uint8_t max_retx)
{
	const struct nr_am_cfg cfg = {
		.sn_bits = sn_bits,
		.poll_pdu = poll_pdu,
		.poll_byte = poll_byte,
		.max_retx_threshold = max_retx,
		.t_poll_retransmit_ns = T_POLL_NS,
		.queue_limit = PKTS,
	};

	setup_store(STORED);
	memset(slot, 0xee, sizeof(slot));
	nr_am_tx_init(&tx, &cfg, slot, store);
}

static void setup(void)
{
	setup_polls(18, NEVER_POLL, NEVER_POLL, 8);
}

static void push(uint32_t first, uint32_t n, uint16_t len)
{
	for (uint32_t i = first; i < first + n; i++)
		rlc_sdu_queue_push(&tx.queue, make_pkt(i, len));
}

/* A PDU of at most @max bytes, whose bytes are those of packet @pkt, or of none for its size 0. */
static uint32_t send_at(uint32_t max, int64_t now_ns)
{
	int header;

	built = nr_am_tx_build(&tx, max, now_ns, buf);
	if (built.size == 0)
		return 0;
	assert_true(built.size <= max);
	header = nr_am_unpack(&pdu, tx.sn_bits, buf, built.size);
	assert_true(header > 0);
	assert_int_equal(pdu.sn, built.sn);
	assert_int_equal(pdu.so, built.so);
	assert_int_equal(pdu.poll, built.poll);
	assert_int_equal(built.size - (uint32_t)header, built.data);
	for (uint32_t k = 0; k < built.data; k++)
		assert_int_equal(buf[(uint32_t)header + k], byte_of(built.pkt, built.so + k));
	return built.size;
}

static uint32_t transmit(uint32_t max)
{
	return send_at(max, 0);
}

/* @n new SDUs, each in a PDU of its own. */
static void transmit_new(uint32_t n)
{
	push(0, n, LEN);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(transmit(2000), LEN + 3);
}

static void expect_segment(uint32_t sn, enum nr_si si, uint16_t so, uint16_t data)
{
	assert_int_equal(pdu.sn, sn);
	assert_int_equal(pdu.si, si);
	assert_int_equal(pdu.so, so);
	assert_int_equal(built.data, data);
}

/* The receiver takes the packets of SDUs before it acknowledges them. */
static void deliver(uint32_t first, uint32_t n)
{
	for (uint32_t sn = first; sn < first + n; sn++)
		assert_non_null(nr_am_tx_deliver(&tx, sn));
}

static int status(uint32_t ack_sn, uint32_t n, const struct nr_nack *nack)
{
	struct nr_status_writer w;
	struct nr_status_reader r;
	uint8_t bytes[500];

	nr_status_start(&w, tx.sn_bits, bytes);
	for (uint32_t i = 0; i < n; i++)
		nr_status_add(&w, &nack[i]);
	assert_int_equal(nr_status_open(&r, tx.sn_bits, bytes, nr_status_end(&w, ack_sn)), 0);
	return nr_am_tx_status(&tx, r);
}

static void ack(uint32_t ack_sn)
{
	assert_int_equal(status(ack_sn, 0, NULL), 0);
}

static struct nr_nack whole(uint32_t sn, uint16_t range)
{
	return (struct nr_nack){ .sn = sn, .range = range, .so_end = NR_SO_END };
}

static struct nr_nack part(uint32_t sn, uint16_t range, uint16_t so_start, uint16_t so_end)
{
	return (struct nr_nack){
		.sn = sn, .range = range, .has_so = true, .so_start = so_start, .so_end = so_end
	};
}

static void nack(uint32_t ack_sn, struct nr_nack n)
{
	assert_int_equal(status(ack_sn, 1, &n), 0);
}

/* --- new data --- */

static void test_one_sdu_to_a_pdu(void **state)
{
	(void)state;
	setup();
	push(0, 2, LEN);
	assert_ptr_equal(nr_am_tx_fresh(&tx, 2000), &pkt[0]);
	assert_int_equal(nr_am_tx_bytes(&tx), 2 * LEN);
	assert_int_equal(transmit(2000), LEN + 3); /* nothing is joined to it */
	expect_segment(0, NR_SI_ALL, 0, LEN);
	assert_true(built.ends);
	assert_int_equal(nr_am_tx_bytes(&tx), LEN);
	assert_int_equal(transmit(2000), LEN + 3);
	expect_segment(1, NR_SI_ALL, 0, LEN);
	assert_int_equal(transmit(2000), 0);
	assert_null(nr_am_tx_fresh(&tx, 2000));
	assert_int_equal(tx.tx_next, 2);
	assert_int_equal(nr_am_tx_next_ack(&tx), 0);
}

static void test_segments(void **state)
{
	(void)state;
	setup();
	push(0, 2, LEN);
	assert_int_equal(transmit(3), 0);
	assert_null(nr_am_tx_fresh(&tx, 3));
	assert_int_equal(tx.tx_next, 0);
	assert_int_equal(transmit(43), 43);
	expect_segment(0, NR_SI_FIRST, 0, 40);
	assert_int_equal(tx.tx_next, 1);
	assert_null(nr_am_tx_fresh(&tx, 2000));
	assert_int_equal(transmit(5), 0);
	assert_int_equal(transmit(6), 6);
	expect_segment(0, NR_SI_MIDDLE, 40, 1);
	assert_int_equal(transmit(64), 64);
	expect_segment(0, NR_SI_LAST, 41, 59);
	assert_true(built.ends);
	assert_int_equal(tx.queue.head_sent, 0);
	assert_int_equal(transmit(2000), LEN + 3);
	expect_segment(1, NR_SI_ALL, 0, LEN);
}

/* AM_Window_Size is 2048; SN 0 is used again behind 4095. */
static void test_window(void **state)
{
	(void)state;
	setup_polls(12, NEVER_POLL, NEVER_POLL, 8);
	push(0, 4099, 1);
	for (uint32_t i = 0; i < 2048; i++) {
		assert_false(built.poll && i > 0);
		assert_int_equal(transmit(2000), 3);
	}
	assert_true(built.poll); /* no new SDU can follow */
	assert_true(nr_am_tx_stalled(&tx));
	assert_int_equal(transmit(2000), 0);
	assert_null(nr_am_tx_fresh(&tx, 2000));
	assert_int_equal(nr_am_tx_bytes(&tx), 0);
	deliver(0, 2048);
	ack(1);
	assert_int_equal(transmit(2000), 3);
	assert_int_equal(built.sn, 2048);
	assert_int_equal(transmit(2000), 0);
	ack(2048);
	for (uint32_t i = 2049; i < 4096; i++)
		assert_int_equal(transmit(2000), 3);
	assert_int_equal(transmit(2000), 0);
	deliver(2048, 1);
	ack(2049);
	assert_int_equal(transmit(2000), 3);
	assert_int_equal(built.sn, 0);
}

/* What is left of an SDU that has its place in the full window is sent. */
static void test_the_window_is_full_within_an_sdu(void **state)
{
	(void)state;
	setup_polls(12, NEVER_POLL, NEVER_POLL, 8);
	push(0, 2050, 10);
	for (uint32_t i = 0; i < 2047; i++)
		(void)transmit(2000);
	assert_int_equal(transmit(5), 5);
	assert_false(built.poll);
	assert_false(nr_am_tx_stalled(&tx));
	assert_int_equal(nr_am_tx_bytes(&tx), 7);
	assert_int_equal(transmit(2000), 11);
	assert_true(built.poll);
	assert_int_equal(transmit(2000), 0);
}

/* Without memory for another SDU it is as with a full window. */
static void test_memory(void **state)
{
	(void)state;
	setup();
	setup_store(2);
	tx.store = store;
	push(0, 3, LEN);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_false(built.poll);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_true(built.poll);
	assert_int_equal(transmit(2000), 0);
	assert_int_equal(nr_am_tx_bytes(&tx), 0);
	deliver(0, 1);
	ack(1);
	assert_int_equal(transmit(2000), LEN + 3);
}

/* --- polls: TS 38.322 5.3.3 --- */

static void test_poll_pdu(void **state)
{
	(void)state;
	setup_polls(18, 4, NEVER_POLL, 8);
	push(0, 9, LEN);
	for (uint32_t i = 1; i <= 8; i++) {
		assert_int_equal(send_at(2000, i), LEN + 3);
		assert_int_equal(built.poll, i % 4 == 0);
	}
	assert_int_equal(tx.poll_sn, 7);
	assert_int_equal(tx.expiry_ns, 8 + T_POLL_NS);
}

/* 250 bytes: two SDUs and the half of a third. Segments count as PDUs, too, but not as SDUs. */
static void test_poll_byte(void **state)
{
	(void)state;
	setup_polls(18, NEVER_POLL, 250, 8);
	push(0, 9, LEN);
	(void)transmit(2000);
	(void)transmit(2000);
	assert_int_equal(transmit(52), 52);
	assert_false(built.poll); /* 249 */
	assert_int_equal(transmit(6), 6);
	assert_true(built.poll);
	assert_int_equal(tx.poll_sn, 2);
	assert_int_equal(tx.byte_without_poll, 0);
}

static void test_last_pdu_polls(void **state)
{
	(void)state;
	setup();
	push(0, 1, LEN);
	assert_int_equal(transmit(50), 50);
	assert_false(built.poll);
	(void)transmit(2000);
	assert_true(built.poll);
}

/* The timer ends with a STATUS PDU that says anything of POLL_SN, and not with one before. */
static void test_poll_answered(void **state)
{
	(void)state;
	setup();
	transmit_new(3);
	assert_int_equal(tx.poll_sn, 2);
	assert_int_equal(tx.expiry_ns, T_POLL_NS);
	deliver(0, 2);
	ack(2);
	assert_int_equal(tx.expiry_ns, T_POLL_NS);
	nack(3, whole(2, 1));
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
}

/* Nothing is left to send: the SDU with the highest SN is sent again, with a poll. */
static void test_poll_retransmit(void **state)
{
	(void)state;
	setup();
	transmit_new(3);
	nr_am_tx_expire(&tx);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	assert_int_equal(nr_am_tx_bytes(&tx), LEN);
	assert_int_equal(send_at(2000, 100), LEN + 3);
	assert_true(built.retx && built.poll);
	assert_int_equal(built.sn, 2);
	assert_int_equal(tx.expiry_ns, 100 + T_POLL_NS);
	/* What was delivered is sent again, too, as its bytes are kept. */
	memset(pkt_sdu(nr_am_tx_deliver(&tx, 2)), 0xee, LEN); /* the receiver's buffer */
	nr_am_tx_expire(&tx);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_int_equal(built.sn, 2);
}

/* With something to send the next PDU polls, and nothing is sent again. */
static void test_poll_retransmit_with_new_data(void **state)
{
	(void)state;
	setup();
	transmit_new(1);
	push(1, 2, LEN);
	nr_am_tx_expire(&tx);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_true(built.poll);
	assert_int_equal(built.sn, 1);
	assert_int_equal(tx.poll_sn, 1);
}

/* A late STATUS PDU acknowledges what was to carry the poll: the newest SDU asks. */
static void test_the_poll_loses_its_sdu(void **state)
{
	(void)state;
	setup();
	transmit_new(3);
	nack(1, whole(0, 0));
	nr_am_tx_expire(&tx);
	assert_int_equal(nr_am_tx_bytes(&tx), LEN);
	deliver(0, 1);
	ack(1);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_int_equal(built.sn, 2);
	assert_true(built.retx && built.poll);
}

/* --- STATUS PDUs --- */

static void test_ack(void **state)
{
	(void)state;
	setup();
	transmit_new(5);
	assert_int_equal(store->n_sdus, STORED - 5);
	deliver(0, 5);
	ack(3);
	assert_int_equal(nr_am_tx_next_ack(&tx), 3);
	ack(5);
	assert_int_equal(nr_am_tx_next_ack(&tx), 5);
	assert_null(tx.first);
	assert_null(tx.last);
	assert_int_equal(store->n_sdus, STORED);
	assert_int_equal(status(6, 0, NULL), -EBADMSG); /* never sent */
	assert_int_equal(status(4, 0, NULL), -EBADMSG); /* of before */
}

static void test_nack_whole(void **state)
{
	(void)state;
	setup();
	transmit_new(5);
	deliver(0, 1);
	deliver(2, 3);
	nack(5, whole(1, 1));
	assert_int_equal(nr_am_tx_next_ack(&tx), 1);
	assert_int_equal(store->n_sdus, STORED - 1); /* 2 to 4 are acknowledged */
	assert_int_equal(tx.retx_bytes, LEN);
	assert_int_equal(transmit(2000), LEN + 3);
	assert_true(built.retx);
	expect_segment(1, NR_SI_ALL, 0, LEN);
	assert_true(built.poll); /* both buffers are empty again */
	deliver(1, 1);
	ack(5);
	assert_null(tx.first);
}

/* Bytes 20 to 79 of an SDU, in a grant for 30 and then the rest. */
static void test_nack_part(void **state)
{
	(void)state;
	setup();
	transmit_new(2);
	deliver(1, 1);
	nack(2, part(0, 1, 20, 79));
	assert_int_equal(nr_am_tx_bytes(&tx), 60);
	assert_int_equal(transmit(5), 0);
	assert_int_equal(transmit(35), 35);
	expect_segment(0, NR_SI_MIDDLE, 20, 30);
	assert_false(built.poll);
	assert_int_equal(transmit(35), 35);
	expect_segment(0, NR_SI_MIDDLE, 50, 30);
	assert_true(built.poll);
	nack(2, part(0, 1, 0, 9));
	assert_int_equal(transmit(2000), 13);
	expect_segment(0, NR_SI_FIRST, 0, 10);
	nack(2, part(0, 1, 90, NR_SO_END));
	assert_int_equal(transmit(2000), 15);
	expect_segment(0, NR_SI_LAST, 90, 10);
	/* An SDU that was sent whole is cut when it is sent again. */
	nack(2, whole(0, 1));
	assert_int_equal(transmit(13), 13);
	expect_segment(0, NR_SI_FIRST, 0, 10);
}

/* SOstart is of the first SDU of a range, SOend of the last: SOend may be less. */
static void test_nack_range(void **state)
{
	(void)state;
	setup();
	transmit_new(6);
	deliver(0, 1);
	deliver(5, 1);
	nack(6, part(1, 4, 70, 9));
	assert_int_equal(nr_am_tx_bytes(&tx), 30 + 100 + 100 + 10);
	(void)transmit(2000);
	expect_segment(1, NR_SI_LAST, 70, 30);
	(void)transmit(2000);
	expect_segment(2, NR_SI_ALL, 0, LEN);
	(void)transmit(2000);
	expect_segment(3, NR_SI_ALL, 0, LEN);
	(void)transmit(2000);
	expect_segment(4, NR_SI_FIRST, 0, 10);
	assert_int_equal(transmit(2000), 0);
	assert_int_equal(nr_am_tx_next_ack(&tx), 1);
}

/* Two portions of an SDU, and retransmissions come before new data and in order of SN. */
static void test_portions(void **state)
{
	const struct nr_nack nacks[] = { part(0, 1, 0, 9), part(0, 1, 50, NR_SO_END), whole(2, 1) };

	(void)state;
	setup();
	transmit_new(3);
	push(3, 1, LEN);
	deliver(1, 1);
	assert_int_equal(status(3, 3, nacks), 0);
	assert_null(nr_am_tx_fresh(&tx, 2000));
	assert_int_equal(tx.first->retx_count, 0);
	(void)transmit(2000);
	expect_segment(0, NR_SI_FIRST, 0, 10);
	(void)transmit(2000);
	expect_segment(0, NR_SI_LAST, 50, 50);
	(void)transmit(2000);
	expect_segment(2, NR_SI_ALL, 0, LEN);
	(void)transmit(2000);
	assert_false(built.retx);
	expect_segment(3, NR_SI_ALL, 0, LEN);
}

/* The receiver asks for all behind what it has; what was not sent yet is not sent again. */
static void test_nack_of_an_sdu_that_was_begun(void **state)
{
	(void)state;
	setup();
	push(0, 1, LEN);
	assert_int_equal(transmit(43), 43);
	assert_int_equal(transmit(15), 15);
	nack(1, part(0, 1, 30, NR_SO_END));
	assert_int_equal(tx.retx_bytes, 20);
	(void)transmit(2000);
	expect_segment(0, NR_SI_MIDDLE, 30, 20);
	assert_false(built.poll);
	(void)transmit(2000);
	assert_false(built.retx);
	expect_segment(0, NR_SI_LAST, 50, 50);
}

/* A late STATUS PDU names SDUs that were acknowledged since, and the rest of their range. */
static void test_late_status(void **state)
{
	(void)state;
	setup();
	transmit_new(6);
	deliver(0, 3);
	deliver(5, 1);
	ack(3);
	nack(6, whole(1, 4));
	assert_int_equal(tx.n_retx, 2); /* 3 and 4 */
	assert_int_equal(tx.first->sn, 3);
	setup();
	transmit_new(6);
	deliver(0, 6);
	ack(3);
	nack(5, whole(1, 2));
	assert_int_equal(tx.n_retx, 0);
	assert_int_equal(tx.first->sn, 5);
}

/* RETX_COUNT: 0 the first time; what is pending or named twice in a STATUS PDU counts once. */
static void test_retx_count(void **state)
{
	const struct nr_nack twice[] = { part(0, 1, 0, 9), part(0, 1, 50, 59) };

	(void)state;
	setup_polls(18, NEVER_POLL, NEVER_POLL, 2);
	transmit_new(1);
	nack(1, whole(0, 1));
	assert_int_equal(tx.first->retx_count, 0);
	nack(1, whole(0, 1)); /* pending */
	assert_int_equal(tx.first->retx_count, 0);
	(void)transmit(2000);
	assert_int_equal(status(1, 2, twice), 0);
	assert_int_equal(tx.first->retx_count, 1);
	assert_false(tx.max_retx_reached);
	(void)transmit(2000);
	(void)transmit(2000);
	nr_am_tx_expire(&tx);
	assert_int_equal(tx.first->retx_count, 2);
	assert_true(tx.max_retx_reached);
}

/* --- packets --- */

/* The packet goes to the receiver in another buffer, once; the bytes stay. */
static void test_deliver(void **state)
{
	struct pkt *p;

	(void)state;
	setup();
	push(0, 1, LEN);
	pkt[0].tag = 77;
	assert_null(nr_am_tx_deliver(&tx, 0)); /* not sent */
	(void)transmit(50);
	assert_null(nr_am_tx_deliver(&tx, 0)); /* not all of it */
	(void)transmit(2000);
	p = nr_am_tx_deliver(&tx, 0);
	assert_non_null(p);
	assert_ptr_not_equal(p, &pkt[0]);
	assert_int_equal(p->id, 0);
	assert_int_equal(p->tag, 77);
	assert_int_equal(p->sdu_len, LEN);
	assert_null(nr_am_tx_deliver(&tx, 0)); /* it is delivered */
	assert_null(nr_am_tx_deliver(&tx, 1));
	ack(1);
	assert_null(nr_am_tx_deliver(&tx, 0));
}

/* After a failure what was not delivered is sent again, from its first byte, in order. */
static void test_reset(void **state)
{
	struct nr_am_tx fresh;

	(void)state;
	setup();
	fresh = tx;
	transmit_new(4);
	push(4, 2, LEN);
	(void)transmit(50);
	deliver(1, 1);
	nack(2, whole(0, 1));
	nr_am_tx_reset(&tx);
	assert_int_equal(store->n_sdus, STORED);
	assert_int_equal(tx.queue.bytes, 5 * LEN);
	assert_int_equal(nr_am_tx_bytes(&tx), 5 * LEN);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
	fresh.queue = tx.queue;
	fresh.n_status = tx.n_status; /* it never starts again */
	assert_memory_equal(&tx, &fresh, sizeof(tx));
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(transmit(2000), LEN + 3);
		assert_int_equal(built.pkt, i + (i > 0)); /* all but 1 */
		assert_int_equal(built.sn, i);
	}
}

static uint32_t visited;

static void visit(void *arg, struct rlc_kept_sdu sdu)
{
	const uint32_t *expected = arg;

	assert_int_equal(sdu.data[0], byte_of(expected[visited], 0));
	assert_int_equal(sdu.len, LEN);
	assert_false(sdu.confirmed);
	assert_int_equal(sdu.p == NULL, expected[visited] == 1); /* that one was delivered */
	visited++;
}

static void test_kept(void **state)
{
	uint32_t expected[] = { 1, 2 };

	(void)state;
	setup();
	transmit_new(3);
	push(3, 2, LEN);
	(void)transmit(50); /* started: in the queue */
	deliver(0, 2);
	ack(1);
	visited = 0;
	nr_am_tx_kept(&tx, visit, expected);
	assert_int_equal(visited, 2);
	nr_am_tx_reset(&tx);
	assert_int_equal(tx.queue.sdus.n, 2);
	assert_int_equal(tx.queue.bytes, 2 * LEN);
	assert_int_equal(store->n_sdus, STORED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_sdu_to_a_pdu),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_the_window_is_full_within_an_sdu),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_poll_pdu),
		cmocka_unit_test(test_poll_byte),
		cmocka_unit_test(test_last_pdu_polls),
		cmocka_unit_test(test_poll_answered),
		cmocka_unit_test(test_poll_retransmit),
		cmocka_unit_test(test_poll_retransmit_with_new_data),
		cmocka_unit_test(test_the_poll_loses_its_sdu),
		cmocka_unit_test(test_ack),
		cmocka_unit_test(test_nack_whole),
		cmocka_unit_test(test_nack_part),
		cmocka_unit_test(test_nack_range),
		cmocka_unit_test(test_portions),
		cmocka_unit_test(test_nack_of_an_sdu_that_was_begun),
		cmocka_unit_test(test_late_status),
		cmocka_unit_test(test_retx_count),
		cmocka_unit_test(test_deliver),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
