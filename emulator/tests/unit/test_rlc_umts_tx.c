/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM transmitter of the UTRAN: PDUs of one size, polls, timers, MaxDAT and
 * the discard that follows. Source: TS 25.322 5.5.0 9.5, 9.7.1, 9.7.3, 11.3, 11.6
 */
#include "unit.h"

#include "pool.h"
#include "rlc/umts/umts.h"

#define PKTS       100
#define SIZE       40
#define T_POLL_NS  100
#define T_MRW_NS   70
#define NEVER_POLL 0

static struct pkt pkt[PKTS];
static struct rlc_pdu *sent[UMTS_SLOTS];
static struct rlc_pool pool;
static struct rlc_umts_tx tx;
static struct rlc_out out;

/* The PDU built last. */
static uint8_t buf[SIZE];
static struct rlc_umts_built built;
static struct rlc_tx_pdu elements;
static struct umts_amd amd;
static size_t header;

static void setup_all(uint16_t window, uint8_t max_dat, uint16_t poll_pdu, uint8_t poll_window)
{
	const struct rlc_umts_cfg cfg = {
		.pdu_size = SIZE,
		.window = window,
		.max_dat = max_dat,
		.poll_pdu = poll_pdu,
		.poll_window = poll_window,
		.timer_poll_ns = T_POLL_NS,
		.timer_mrw_ns = T_MRW_NS,
		.queue_limit = PKTS,
	};

	pool_fill(&pool);
	out = (struct rlc_out){ 0 };
	rlc_umts_tx_init(&tx, &cfg, sent, &pool);
}

static void setup(uint8_t max_dat)
{
	setup_all(64, max_dat, NEVER_POLL, 100);
}

static void push(uint32_t i, uint16_t len)
{
	pkt[i] = (struct pkt){ .id = i, .len = len, .sdu_len = len };
	for (uint16_t k = 0; k < len; k++)
		pkt_sdu(&pkt[i])[k] = (uint8_t)(i * 37 + k);
	rlc_sdu_queue_push(&tx.queue, &pkt[i]);
}

/* The next PDU. Return: its SN, or -1 when there is none. */
static int transmit(int64_t now_ns)
{
	memset(buf, 0xaa, sizeof(buf));
	built = rlc_umts_tx_build(&tx, now_ns, buf, &elements);
	if (built.size == 0)
		return -1;
	assert_int_equal(built.size, SIZE);
	assert_int_equal(umts_amd_unpack(&amd, &header, buf, SIZE), 0);
	assert_int_equal(amd.sn, built.sn);
	assert_int_equal(amd.poll, built.poll);
	return amd.sn;
}

/* New PDUs 0..@n - 1 out of SDU 0, which has one more. */
static void transmit_new(uint16_t n)
{
	push(0, (uint16_t)(38 * n + 1));
	for (uint16_t i = 0; i < n; i++)
		assert_int_equal(transmit(0), i);
}

static int status(uint16_t lsn, uint8_t n, const uint16_t *missing)
{
	static struct umts_status s;

	s.n = 0;
	if (n > 0) {
		s.sufi[s.n] = (struct umts_sufi){ .type = UMTS_SUFI_LIST, .n = n };
		memcpy(s.sufi[s.n++].sn, missing, n * sizeof(*missing));
	}
	s.sufi[s.n++] = (struct umts_sufi){ .type = UMTS_SUFI_ACK, .sn = { lsn } };
	return rlc_umts_tx_status(&tx, &s, &out);
}

static void nack(uint16_t lsn, uint16_t sn)
{
	assert_int_equal(status(lsn, 1, &sn), 0);
}

static void mrw_ack(uint16_t sn_ack, uint8_t n)
{
	const struct umts_status s = {
		1, { { .type = UMTS_SUFI_MRW_ACK, .n_li = n, .sn = { sn_ack } } }
	};

	assert_int_equal(rlc_umts_tx_status(&tx, &s, &out), 0);
}

/* The MRW that is due has these contents. */
static void expect_mrw(int64_t now_ns, uint8_t length, uint16_t sn_mrw, uint8_t n_length)
{
	struct umts_status s;
	uint8_t pdu[UMTS_MRW_BYTES];

	assert_int_equal(rlc_umts_tx_mrw_build(&tx, UMTS_MRW_BYTES - 1, now_ns, pdu), 0);
	assert_int_equal(rlc_umts_tx_mrw_build(&tx, UMTS_MRW_BYTES, now_ns, pdu), UMTS_MRW_BYTES);
	assert_int_equal(umts_status_unpack(&s, pdu, sizeof(pdu)), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.sufi[0].type, UMTS_SUFI_MRW);
	assert_int_equal(s.sufi[0].n, length);
	assert_int_equal(s.sufi[0].sn[0], sn_mrw);
	assert_int_equal(s.sufi[0].n_li, n_length);
	assert_int_equal(rlc_umts_tx_mrw_build(&tx, UMTS_MRW_BYTES, now_ns, pdu), 0);
	assert_int_equal(tx.mrw_expiry_ns, now_ns + T_MRW_NS);
}

static void expect_discarded(uint32_t n, const uint32_t *ids)
{
	assert_int_equal(out.discarded.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(pkt_dequeue(&out.discarded)->id, ids[i]);
}

/* 10 + 20 octets with an indicator each, 5 of the next one; then its rest and padding. */
static void test_concatenation_and_padding(void **state)
{
	(void)state;
	setup(0);
	push(0, 10);
	push(1, 20);
	push(2, 8);
	assert_int_equal(rlc_umts_tx_pdus(&tx), 1);
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
	assert_int_equal(rlc_umts_tx_pdus(&tx), 1);
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
	assert_int_equal(rlc_umts_tx_vt_ms(&tx), 65);
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
	const struct umts_status s = {
		2,
		{ { .type = UMTS_SUFI_BITMAP, .n = 1, .sn = { 1 }, .bitmap = { 0x5f } },
		  { .type = UMTS_SUFI_ACK, .sn = { 9 } } },
	};

	(void)state;
	setup(0);
	transmit_new(9);
	assert_int_equal(rlc_umts_tx_status(&tx, &s, &out), 0);
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
	assert_true(rlc_umts_tx_stalled(&tx));
	assert_int_equal(transmit(0), -1);
	assert_int_equal(rlc_umts_tx_pdus(&tx), 0);
	assert_int_equal(status(3, 0, NULL), 0);
	assert_int_equal(rlc_umts_tx_pdus(&tx), 3);
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
	rlc_umts_tx_poll_expire(&tx);
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
	rlc_umts_tx_poll_expire(&tx);
	assert_int_equal(transmit(0), 1);
	assert_true(amd.poll);
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

/* PDU 1 is missing for the third time: the SDU goes of which it has a part, and none behind. */
static void test_max_dat(void **state)
{
	(void)state;
	setup(3);
	push(0, 30); /* in PDU 0 */
	push(1, 50); /* 7 octets in PDU 0, 38 in PDU 1, 5 in PDU 2 */
	push(2, 60); /* 32 octets in PDU 2 */
	push(3, 60);
	for (int i = 0; i < 4; i++)
		assert_int_equal(transmit(0), i);
	assert_int_equal(pkt_dequeue(&sent[0]->ends)->id, 0); /* delivered */
	for (uint8_t vt_dat = 2; vt_dat <= 3; vt_dat++) {
		nack(2, 1);
		assert_false(tx.mrw_active);
		assert_int_equal(transmit(0), 1);
		assert_int_equal(built.vt_dat, vt_dat);
	}
	nack(2, 1);
	assert_int_equal(transmit(0), 4); /* new data go on */
	expect_mrw(50, 1, 2, 1);
	mrw_ack(2, 1);
	assert_int_equal(tx.vt_a, 2);
	nack(4, 2); /* PDU 2 goes on for the sake of SDU 2 */
	assert_int_equal(transmit(0), 2);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 2);
	assert_int_equal(status(3, 0, NULL), 0);
	expect_discarded(1, (uint32_t[]){ 1 });
}

/* All that is not acknowledged before the PDU goes with it. Source: 11.6 */
static void test_max_dat_takes_all_before(void **state)
{
	(void)state;
	setup(1);
	for (uint32_t i = 0; i < 4; i++)
		push(i, 37);
	for (int i = 0; i < 4; i++)
		assert_int_equal(transmit(0), i);
	assert_int_equal(pkt_dequeue(&sent[0]->ends)->id, 0);
	assert_int_equal(status(3, 2, (uint16_t[]){ 1, 2 }), 0);
	expect_mrw(0, 1, 3, 0);
	mrw_ack(3, 0);
	expect_discarded(2, (uint32_t[]){ 1, 2 });
	assert_int_equal(tx.vt_a, 3);
}

/* One SDU in three PDUs and padding: the window moves behind it. */
static void setup_mrw(void)
{
	setup(1);
	push(0, 100);
	for (int i = 0; i < 3; i++)
		assert_int_equal(transmit(0), i);
	nack(3, 1);
	assert_int_equal(tx.n_retx, 0);
	assert_true(tx.mrw_due);
	assert_int_equal(transmit(0), -1);
	expect_mrw(50, 1, 3, 0);
	assert_int_equal(out.discarded.n, 0); /* the receiver may still have it */
}

static void test_mrw_ack(void **state)
{
	(void)state;
	setup_mrw();
	nack(3, 1); /* it is not sent again */
	assert_int_equal(transmit(0), -1);
	mrw_ack(2, 0);
	mrw_ack(3, 1);
	assert_true(tx.mrw_active);
	mrw_ack(3, 0);
	assert_false(tx.mrw_active);
	assert_int_equal(tx.mrw_expiry_ns, CELL_NEVER);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
	assert_int_equal(tx.vt_a, 3);
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Timer_MRW: the same MRW again. */
static void test_timer_mrw(void **state)
{
	(void)state;
	setup_mrw();
	assert_int_equal(tx.vt_mrw, 1);
	rlc_umts_tx_mrw_expire(&tx);
	expect_mrw(200, 1, 3, 0);
	assert_int_equal(tx.vt_mrw, 2);
}

/* An acknowledgment of PDUs behind SN_MRW says that it has come. */
static void test_mrw_ends_with_ack(void **state)
{
	(void)state;
	setup_mrw();
	push(1, 10);
	assert_int_equal(transmit(60), 3);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 1);
	assert_int_equal(status(4, 0, NULL), 0);
	assert_false(tx.mrw_active);
	expect_discarded(1, (uint32_t[]){ 0 });
}

/* The receiver was told of nothing but took the SDU: it is not discarded. */
static void test_delivered_meanwhile(void **state)
{
	(void)state;
	setup_mrw();
	(void)pkt_dequeue(&sent[2]->ends);
	mrw_ack(3, 0);
	expect_discarded(0, NULL);
}

/* The rest of an SDU that was not sent: an SN stands for it, and its bytes leave the queue. */
static void test_discard_of_unsent_rest(void **state)
{
	(void)state;
	setup(1);
	push(0, 200);
	push(1, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(transmit(0), i);
	nack(2, 0);
	assert_int_equal(tx.queue.bytes, 10);
	expect_mrw(0, 1, 3, 0);
	assert_int_equal(transmit(0), 3);
	assert_memory_equal(buf + header, pkt_sdu(&pkt[1]), 10);
	assert_int_equal(pkt_dequeue(&sent[3]->ends)->id, 1);
	mrw_ack(4, 0); /* PDU 3 had come */
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(tx.vt_a, 4);
}

/* The same for an SDU whose end waits for its indicator, beyond a full window: LENGTH is 0. */
static void test_discard_without_indicator(void **state)
{
	(void)state;
	setup_all(2, 1, NEVER_POLL, 100);
	push(0, 76);
	push(1, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(transmit(0), i);
	nack(2, 0);
	expect_mrw(0, 0, 3, 0);
	assert_int_equal(transmit(0), -1);
	mrw_ack(3, 0);
	expect_discarded(1, (uint32_t[]){ 0 });
	assert_int_equal(transmit(0), 3);
	assert_int_equal(amd.cut[0], 10);
}

/* Another discard waits for the end of the first one. */
static void test_discards_one_by_one(void **state)
{
	(void)state;
	setup_mrw();
	push(1, 10);
	assert_int_equal(transmit(60), 3);
	nack(4, 3);
	assert_int_equal(tx.sn_mrw, 3);
	assert_false(tx.mrw_due);
	mrw_ack(3, 0);
	expect_discarded(1, (uint32_t[]){ 0 });
	expect_mrw(90, 1, 4, 0);
	mrw_ack(4, 0);
	expect_discarded(1, (uint32_t[]){ 1 });
}

/* Timer_Poll expires after the last transmission that a PDU may have. */
static void test_timer_poll_max_dat(void **state)
{
	(void)state;
	setup(2);
	push(0, 10);
	assert_int_equal(transmit(0), 0);
	rlc_umts_tx_poll_expire(&tx);
	assert_int_equal(transmit(100), 0);
	rlc_umts_tx_poll_expire(&tx);
	assert_int_equal(transmit(200), -1);
	expect_mrw(200, 1, 1, 0);
}

static void test_reset(void **state)
{
	(void)state;
	setup_mrw();
	push(1, 38);
	push(2, 10);
	assert_int_equal(transmit(0), 3);
	rlc_umts_tx_reset(&tx, &out);
	expect_discarded(3, (uint32_t[]){ 0, 1, 2 });
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(rlc_umts_tx_pdus(&tx), 0);
	assert_int_equal(tx.vt_s, 0); /* all begins anew */
	assert_int_equal(tx.vt_a, 0);
	assert_int_equal(tx.poll_expiry_ns, CELL_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concatenation_and_padding),
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
		cmocka_unit_test(test_timer_poll_stops),
		cmocka_unit_test(test_max_dat),
		cmocka_unit_test(test_max_dat_takes_all_before),
		cmocka_unit_test(test_mrw_ack),
		cmocka_unit_test(test_timer_mrw),
		cmocka_unit_test(test_mrw_ends_with_ack),
		cmocka_unit_test(test_delivered_meanwhile),
		cmocka_unit_test(test_discard_of_unsent_rest),
		cmocka_unit_test(test_discard_without_indicator),
		cmocka_unit_test(test_discards_one_by_one),
		cmocka_unit_test(test_timer_poll_max_dat),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
