/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM receiver: reordering, t-Reordering, STATUS PDUs, reassembly.
 * Source: TS 36.322 5.1.3.2, 5.2.3; variables are named as there.
 */
#include "unit.h"

#include "pool.h"
#include "rlc/am/am.h"

#define PKTS            2200
#define T_REORDERING_NS 35
#define T_PROHIBIT_NS   10

/*
 * SDUs of sdu_len bytes make a stream that is cut into PDUs of pdu_len bytes;
 * PDU i has SN i mod 1024.
 */
static uint32_t sdu_len, pdu_len;
static struct pkt pkt[PKTS];
static struct rlc_pdu sender[AM_SLOTS];
static struct rlc_pdu *sent[AM_SLOTS];
static struct rlc_pdu *window[AM_SLOTS];
static struct rlc_pool pool;
static struct rlc_am_rx rx;
static struct rlc_out out;
static struct am_status status;

static uint8_t stream(uint32_t at)
{
	return (uint8_t)(at / sdu_len * 37 + at % sdu_len);
}

static void setup_stream(uint32_t pdu, uint32_t sdu, enum cell_delivery delivery)
{
	pdu_len = pdu;
	sdu_len = sdu;
	out = (struct rlc_out){ 0 };
	for (uint32_t i = 0; i < PKTS; i++)
		pkt[i] = (struct pkt){ .id = i, .len = (uint16_t)sdu, .sdu_len = (uint16_t)sdu };
	pool_fill(&pool);
	rlc_am_rx_init(&rx, T_REORDERING_NS, T_PROHIBIT_NS, delivery, window, sent, &pool);
}

/* PDUs of one SDU of 20 bytes, delivered in sequence. */
static void setup(void)
{
	setup_stream(20, 20, CELL_DELIVERY_IN_SEQUENCE);
}

/* The sender keeps PDU @i with the packets that end in it. */
static void send(uint32_t i)
{
	struct rlc_pdu *pdu = &sender[i % AM_SLOTS];

	*pdu = (struct rlc_pdu){ 0 };
	for (uint32_t id = i * pdu_len / sdu_len; (id + 1) * sdu_len <= (i + 1) * pdu_len; id++) {
		if ((id + 1) * sdu_len <= i * pdu_len)
			continue;
		pkt[id].end_offset = (uint16_t)((id + 1) * sdu_len - i * pdu_len);
		pkt_enqueue(&pdu->ends, &pkt[id]);
	}
	sent[i % AM_SLOTS] = pdu;
}

/* Lengths of the elements of bytes @from..@to of the stream, and how they continue. */
static void describe(struct am_pdu *am, uint32_t from, uint32_t to)
{
	am->fi = (from % sdu_len ? RLC_FI_FIRST_CONTINUES : 0) |
	         (to % sdu_len ? RLC_FI_LAST_CONTINUES : 0);
	am->n = 0;
	while (from < to) {
		uint32_t end = (from / sdu_len + 1) * sdu_len;

		end = end < to ? end : to;
		am->len[am->n++] = (uint16_t)(end - from);
		from = end;
	}
}

/* Bytes @from..@to of PDU @i arrive at @now_ns. Return: SDUs that came out. */
static uint32_t receive_part(uint32_t i, uint32_t from, uint32_t to, bool poll, int64_t now_ns)
{
	struct am_pdu am = { .rf = from > 0 || to < pdu_len,
		             .poll = poll,
		             .lsf = to == pdu_len,
		             .sn = (uint16_t)(i % AM_SLOTS),
		             .so = (uint16_t)from };
	uint8_t buf[POOL_BYTES];
	size_t n;

	describe(&am, i * pdu_len + from, i * pdu_len + to);
	n = am_pack(&am, buf);
	for (uint32_t at = from; at < to; at++)
		buf[n++] = stream(i * pdu_len + at);
	out = (struct rlc_out){ 0 };
	assert_int_equal(rlc_am_rx_receive(&rx, buf, (uint32_t)n, now_ns, &out), am.sn);
	return out.delivered.n;
}

static uint32_t receive_again(uint32_t i, bool poll, int64_t now_ns)
{
	return receive_part(i, 0, pdu_len, poll, now_ns);
}

/* A whole PDU for the first time. */
static uint32_t receive(uint32_t i, int64_t now_ns)
{
	send(i);
	return receive_again(i, false, now_ns);
}

static uint32_t receive_poll(uint32_t i, int64_t now_ns)
{
	send(i);
	return receive_again(i, true, now_ns);
}

/* PDUs @first..@last that need no attention. */
static void receive_all(uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		assert_int_equal(receive(i, 0), pdu_len / sdu_len);
}

static void expire(void)
{
	assert_int_not_equal(rx.reordering_expiry_ns, CELL_NEVER);
	rlc_am_rx_expire(&rx, rx.reordering_expiry_ns);
}

static void expect_vars(uint16_t vr_r, uint16_t vr_ms, uint16_t vr_h)
{
	assert_int_equal(rx.reassembly.lower, vr_r);
	assert_int_equal(rx.vr_ms, vr_ms);
	assert_int_equal(rx.vr_h, vr_h);
}

static void expect_timer(int64_t expiry_ns, uint16_t vr_x)
{
	assert_int_equal(rx.reordering_expiry_ns, expiry_ns);
	assert_int_equal(rx.vr_x, vr_x);
}

/* The next SDU delivered is @id, with its bytes. */
static void expect_delivered(uint32_t id)
{
	struct pkt *p = pkt_dequeue(&out.delivered);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	for (uint32_t i = 0; i < sdu_len; i++)
		assert_int_equal(pkt_sdu(p)[i], stream(id * sdu_len + i));
	memset(pkt_sdu(p), 0xee, sdu_len);
}

/* The STATUS PDU built in @max bytes has @size and says @ack_sn and these whole PDUs. */
static void expect_status(uint32_t max, uint32_t size, uint16_t ack_sn, uint16_t n,
                          const uint16_t *nack_sn)
{
	uint8_t buf[1000];

	assert_int_equal(rlc_am_rx_status_build(&rx, max, 0, buf, &status), size);
	assert_int_equal(am_status_unpack(&status, buf, size), 0);
	assert_int_equal(status.ack_sn, ack_sn);
	assert_int_equal(status.n, n);
	for (uint16_t i = 0; nack_sn && i < n; i++) {
		assert_int_equal(status.nack[i].sn, nack_sn[i]);
		assert_false(status.nack[i].has_so);
	}
	assert_false(rx.status_due);
	rx.prohibit_expiry_ns = CELL_NEVER; /* later */
}

static void expect_portion(uint16_t i, uint16_t sn, uint16_t so_start, uint16_t so_end)
{
	assert_int_equal(status.nack[i].sn, sn);
	assert_true(status.nack[i].has_so);
	assert_int_equal(status.nack[i].so_start, so_start);
	assert_int_equal(status.nack[i].so_end, so_end);
}

/* --- state variables and t-Reordering: TS 36.322 5.1.3.2.3, 5.1.3.2.4 --- */

static void test_in_order(void **state)
{
	(void)state;
	setup();
	for (uint16_t i = 0; i < 5; i++) {
		assert_int_equal(receive(i, 0), 1);
		expect_delivered(i);
		expect_vars(i + 1, i + 1, i + 1);
		assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
		assert_false(rx.status_due);
	}
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* 0, 2, 3, 1: the gap holds 2 and 3 back and the timer runs until it is filled. */
static void test_reordering(void **state)
{
	(void)state;
	setup();
	assert_int_equal(receive(0, 0), 1);
	assert_int_equal(receive(2, 100), 0);
	expect_vars(1, 1, 3);
	expect_timer(100 + T_REORDERING_NS, 3);
	assert_int_equal(receive(3, 110), 0);
	expect_vars(1, 1, 4);
	expect_timer(100 + T_REORDERING_NS, 3); /* not restarted */
	assert_int_equal(receive(1, 120), 3);
	for (uint32_t i = 1; i <= 3; i++)
		expect_delivered(i);
	expect_vars(4, 4, 4);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
}

/* 0, 2, expiry: VR(MS) passes the gap and a STATUS PDU asks for it; nothing is given up. */
static void test_expiry(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	expire();
	expect_vars(1, 3, 3);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 4);
	expect_status(100, 4, 3, 1, (const uint16_t[]){ 1 });
	assert_int_equal(receive(1, 200), 2);
	expect_delivered(1);
	expect_delivered(2);
	expect_vars(3, 3, 3);
}

/*
 * 0, 2 (timer for the gap at 1, VR(X) 3), 4: at expiry VR(MS) goes to 3, the
 * next one missing; the gap there restarts the timer with VR(X) 5.
 */
static void test_second_gap_restarts_timer(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 120);
	expire();
	expect_vars(1, 3, 5);
	expect_timer(100 + 2 * T_REORDERING_NS, 5);
	expect_status(100, 4, 3, 1, (const uint16_t[]){ 1 });
	expire();
	expect_vars(1, 5, 5);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	expect_status(100, 5, 5, 2, (const uint16_t[]){ 1, 3 });
}

/* 0, 2, 3, 4, expiry: what came behind VR(X) is passed, too. */
static void test_expiry_passes_received(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	for (uint32_t i = 2; i <= 4; i++)
		(void)receive(i, 100);
	assert_int_equal(rx.vr_x, 3);
	expire();
	expect_vars(1, 5, 5);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* Filling the gap that started the timer restarts it for the next one. */
static void test_timer_follows_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 100);
	(void)receive(4, 110);
	assert_int_equal(receive(1, 120), 2); /* VR(R) 3 = VR(X) */
	expect_vars(3, 3, 5);
	expect_timer(120 + T_REORDERING_NS, 5);
}

/* After an expiry VR(R) < VR(MS): filling the gap moves VR(R) alone, then both. */
static void test_vr_ms_ahead(void **state)
{
	(void)state;
	setup();
	(void)receive(2, 0);
	expire();
	expect_vars(0, 3, 3);
	(void)receive(0, 50);
	expect_vars(1, 3, 3);
	expect_timer(50 + T_REORDERING_NS, 3); /* VR(H) > VR(R): 5.1.3.2.3 starts it again */
	(void)receive(3, 60);
	expect_vars(1, 4, 4);
	(void)receive(1, 70);
	expect_vars(4, 4, 4);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* A PDU of which a byte is missing is as good as none. */
static void test_partly_received(void **state)
{
	(void)state;
	setup();
	send(0);
	(void)receive_part(0, 0, 19, false, 100);
	expect_vars(0, 0, 1);
	expect_timer(100 + T_REORDERING_NS, 1);
	assert_int_equal(receive_part(0, 19, 20, false, 110), 1);
	expect_delivered(0);
	expect_vars(1, 1, 1);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
}

/* The window is VR(R)..VR(R) + 511: its last one is taken, the next one is not. */
static void test_window(void **state)
{
	(void)state;
	setup();
	receive_all(0, 2);
	assert_int_equal(receive(3 + AM_WINDOW, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	expect_vars(3, 3, 3);
	assert_int_equal(receive(3 + AM_WINDOW - 1, 0), 0);
	assert_int_equal(out.discarded_pdus, 0);
	expect_vars(3, 3, 3 + AM_WINDOW);
	expire();
	assert_int_equal(rx.vr_ms, 3 + AM_WINDOW); /* VR(MR) */
	assert_int_equal(rlc_am_rx_status_bytes(&rx), (15 + 12 * 511 + 7) / 8);
	assert_int_equal(receive(3, 200), 1); /* and the window moves */
	assert_int_equal(receive(3 + AM_WINDOW, 0), 0);
	assert_int_equal(out.discarded_pdus, 0);
}

/* VR(X) at the window's upper edge: it equals VR(MR) and the timer goes on. */
static void test_timer_at_window_edge(void **state)
{
	(void)state;
	setup();
	(void)receive(AM_WINDOW - 1, 0);
	expect_timer(T_REORDERING_NS, AM_WINDOW);
	(void)receive(5, 10);
	expect_timer(T_REORDERING_NS, AM_WINDOW);
}

/* --- duplicates and segments: TS 36.322 5.1.3.2.2 --- */

static void test_duplicates(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 0);
	assert_int_equal(receive_again(2, false, 0), 0); /* waits already */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_again(0, false, 0), 0); /* below VR(R) */
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive(1, 0), 2);
	assert_int_equal(out.discarded_pdus, 0);
}

/* 0..30, 20..50, 40..60: what overlaps counts once; what brings nothing new is discarded. */
static void test_overlapping_segments(void **state)
{
	(void)state;
	setup_stream(60, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	assert_int_equal(receive_part(0, 0, 30, false, 0), 0);
	assert_int_equal(receive_part(0, 40, 60, false, 0), 0);
	assert_int_equal(receive_part(0, 10, 20, false, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_part(0, 45, 60, false, 0), 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(receive_part(0, 20, 50, false, 0), 1);
	assert_int_equal(out.discarded_pdus, 0);
	expect_delivered(0);
	expect_vars(1, 1, 1);
}

/* A segment, then the whole PDU again, as after t-PollRetransmit. */
static void test_whole_after_segment(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	(void)receive_part(0, 30, 45, false, 0);
	assert_int_equal(receive_again(0, false, 0), 3);
	for (uint32_t i = 0; i < 3; i++)
		expect_delivered(i);
}

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

/* --- STATUS PDUs: TS 36.322 5.2.3 --- */

/* A poll in sequence is below VR(MS) when it was placed: answered at once. */
static void test_poll(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
	(void)receive_poll(1, 0);
	assert_true(rx.status_due);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 2);
	expect_status(100, 2, 2, 0, NULL);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
}

/* A poll behind a gap waits until VR(MS) passes it: here by filling the gap. */
static void test_poll_waits_for_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive_poll(2, 10);
	assert_false(rx.status_due);
	(void)receive(4, 20);
	assert_false(rx.status_due);
	(void)receive(1, 30); /* VR(MS) 3 */
	assert_true(rx.status_due);
	expect_status(100, 2, 3, 0, NULL);
	(void)receive(3, 40);
	assert_false(rx.status_due); /* answered once */
}

/* Or by t-Reordering: one STATUS PDU for both reasons. */
static void test_poll_waits_for_timer(void **state)
{
	(void)state;
	setup();
	(void)receive_poll(1, 10);
	assert_false(rx.status_due);
	expire();
	expect_status(100, 4, 2, 1, (const uint16_t[]){ 0 });
	(void)receive(0, 50);
	assert_false(rx.status_due);
}

/* The timer passes the first gap only; the poll behind the second one waits on. */
static void test_poll_behind_second_gap(void **state)
{
	(void)state;
	setup();
	(void)receive(1, 10);
	(void)receive_poll(3, 20);
	expire(); /* VR(MS) 2 */
	expect_status(100, 4, 2, 1, (const uint16_t[]){ 0 });
	assert_false(rx.status_due);
	(void)receive(2, 60); /* VR(MS) 4 */
	assert_true(rx.status_due);
	expect_status(100, 4, 4, 1, (const uint16_t[]){ 0 });
}

/* Each poll is answered when VR(MS) passes it, whether another one waits or not. */
static void test_two_polls_wait(void **state)
{
	(void)state;
	setup();
	(void)receive_poll(1, 10);
	(void)receive_poll(3, 20);
	assert_false(rx.status_due);
	(void)receive(0, 30); /* VR(MS) 2 */
	expect_status(100, 2, 2, 0, NULL);
	assert_false(rx.status_due);
	(void)receive(2, 40); /* VR(MS) 4 */
	expect_status(100, 2, 4, 0, NULL);
	assert_false(rx.status_due);
}

/* A PDU that is discarded answers its poll at once: duplicate, old, or beyond the window. */
static void test_poll_of_discarded(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive(2, 0);
	(void)receive_again(2, true, 0);
	expect_status(100, 2, 1, 0, NULL); /* VR(MS) is 1: of the gap nothing is said yet */
	(void)receive_again(0, true, 0);
	expect_status(100, 2, 1, 0, NULL);
	(void)receive_poll(1 + AM_WINDOW, 0);
	expect_status(100, 2, 1, 0, NULL);
}

/* t-StatusProhibit: however often it is triggered, one STATUS PDU, and after the timer. */
static void test_status_prohibit(void **state)
{
	uint8_t buf[10];

	(void)state;
	setup();
	(void)receive_poll(0, 100);
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 100, buf, &status), 2);
	assert_int_equal(rx.prohibit_expiry_ns, 100 + T_PROHIBIT_NS);
	(void)receive_poll(1, 101);
	(void)receive_poll(2, 102);
	assert_true(rx.status_due);
	assert_int_equal(rlc_am_rx_status_bytes(&rx), 0);
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 103, buf, &status), 0);
	assert_true(rx.status_due);
	rx.prohibit_expiry_ns = CELL_NEVER; /* expired: the caller's part */
	assert_int_equal(rlc_am_rx_status_build(&rx, 10, 110, buf, &status), 2);
	assert_int_equal(status.ack_sn, 3);
	assert_int_equal(rx.prohibit_expiry_ns, 110 + T_PROHIBIT_NS);
}

static void test_no_status_prohibit(void **state)
{
	uint8_t buf[10];

	(void)state;
	setup();
	rx.t_status_prohibit_ns = 0;
	for (uint32_t i = 0; i < 2; i++) {
		(void)receive_poll(i, 0);
		assert_int_equal(rlc_am_rx_status_build(&rx, 10, 0, buf, &status), 2);
	}
}

/* Of PDU 1 there are 10..20 and 30..40 of 60; of 3 all but the middle; 2 is missing. */
static void test_status_portions(void **state)
{
	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	receive_all(0, 0);
	send(1);
	send(3);
	(void)receive_part(1, 30, 40, false, 0);
	(void)receive_part(1, 10, 20, false, 0);
	(void)receive_part(3, 0, 25, false, 0);
	(void)receive_part(3, 27, 60, false, 0);
	expire(); /* of PDU 1: VR(MS) 2 */
	expire();
	assert_int_equal(rlc_am_rx_status_bytes(&rx), (15 + 3 * 42 + 12 + 42 + 7) / 8);
	expect_status(100, 25, 4, 5, NULL);
	expect_portion(0, 1, 0, 9);
	expect_portion(1, 1, 20, 29);
	expect_portion(2, 1, 40, AM_SO_END); /* whether it ends there is not known */
	assert_int_equal(status.nack[3].sn, 2);
	assert_false(status.nack[3].has_so);
	expect_portion(4, 3, 25, 26); /* LSF came: nothing behind 60 */
}

/* 1, 3 and 5 are missing of 0..6: 27, 39 and 51 bits; ACK_SN is the first that is not told of. */
static void test_truncated(void **state)
{
	static const uint16_t nacks[] = { 1, 3, 5 };
	static const struct {
		uint32_t max, size;
		uint16_t n, ack_sn;
	} want[] = { { 100, 7, 3, 7 }, { 7, 7, 3, 7 }, { 6, 5, 2, 5 }, { 5, 5, 2, 5 },
		     { 4, 4, 1, 3 },   { 3, 2, 0, 1 }, { 2, 2, 0, 1 } };

	(void)state;
	setup();
	for (uint32_t i = 0; i <= 6; i++)
		if (i % 2 == 0)
			(void)receive(i, 0);
	expire(); /* VR(X) 3, then 7 */
	expire();
	for (size_t i = 0; i < COUNT(want); i++) {
		rx.status_due = true;
		expect_status(want[i].max, want[i].size, want[i].ack_sn, want[i].n, nacks);
	}
	rx.status_due = true;
	for (uint32_t max = 0; max < 2; max++) { /* not even ACK_SN fits: it stays due */
		uint8_t buf[2];

		assert_int_equal(rlc_am_rx_status_build(&rx, max, 0, buf, &status), 0);
		assert_true(rx.status_due);
	}
}

/*
 * PDU 1 has three holes, PDU 3 is missing: portions in order of bytes as far
 * as they fit. PDU 1 is then told of as missing, so ACK_SN is 3; a NACK of 3
 * would fit sometimes, but is behind a portion that did not.
 */
static void test_truncated_within_pdu(void **state)
{
	static const struct {
		uint32_t max, size;
		uint16_t n, ack_sn;
	} want[] = { { 20, 20, 4, 5 }, { 19, 18, 3, 3 }, { 17, 13, 2, 3 }, { 13, 13, 2, 3 },
		     { 12, 8, 1, 3 },  { 8, 8, 1, 3 },   { 7, 2, 0, 1 } };

	(void)state;
	setup_stream(60, 20, CELL_DELIVERY_IN_SEQUENCE);
	receive_all(0, 0);
	send(1);
	(void)receive_part(1, 10, 20, false, 0);
	(void)receive_part(1, 30, 40, false, 0);
	(void)receive(2, 0);
	(void)receive(4, 0);
	expire();
	expire();
	for (size_t i = 0; i < COUNT(want); i++) {
		rx.status_due = true;
		expect_status(want[i].max, want[i].size, want[i].ack_sn, want[i].n, NULL);
		for (uint16_t k = 0; k < want[i].n && k < 3; k++)
			expect_portion(k, 1, (uint16_t)(20 * k), k == 2 ? AM_SO_END : 20 * k + 9);
	}
}

/* --- SN wrap, garbage, re-establishment --- */

/* 2100 PDUs, of every eight the third comes last: the same at 1023 as anywhere. */
static void test_sn_wrap(void **state)
{
	(void)state;
	setup();
	for (uint32_t i = 0; i < 2096; i++) {
		if (i % 8 == 2)
			continue;
		assert_int_equal(receive(i, i), i % 8 < 2);
		if (i % 8 < 7)
			continue;
		expect_vars((i - 5) % 1024, (i - 5) % 1024, (i + 1) % 1024);
		assert_int_equal(receive(i - 5, i), 6);
		for (uint32_t id = i - 5; id <= i; id++)
			expect_delivered(id);
		expect_vars((i + 1) % 1024, (i + 1) % 1024, (i + 1) % 1024);
		assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	}
}

/* Of SNs 1022..2 there are 1023, 0 and 2: a STATUS PDU across the wrap. */
static void test_status_across_wrap(void **state)
{
	(void)state;
	setup();
	receive_all(0, 1021);
	(void)receive(1023, 0);
	(void)receive(1024, 0);
	(void)receive_poll(1026, 0);
	assert_false(rx.status_due);
	expire();
	expect_vars(1022, 1, 3);
	expire();
	expect_vars(1022, 3, 3);
	expect_status(100, 5, 3, 2, (const uint16_t[]){ 1022, 1 });
	rx.status_due = true;
	expect_status(4, 4, 1, 1, (const uint16_t[]){ 1022 });
	assert_int_equal(receive(1022, 0), 3);
	assert_int_equal(receive(1025, 0), 2);
	expect_vars(3, 3, 3);
}

/* No data, a control PDU, bytes beyond the largest PDU: refused, and nothing moves. */
static void test_malformed(void **state)
{
	static const uint8_t empty[] = { 0x80, 0x00 }, control[] = { 0x00, 0x00, 0x00 };
	static const uint8_t beyond[] = { 0xc0, 0x00, 0x80 | POOL_BYTES >> 8, POOL_BYTES & 0xff,
		                          0x11 };

	(void)state;
	setup();
	out = (struct rlc_out){ 0 };
	assert_int_equal(rlc_am_rx_receive(&rx, empty, sizeof(empty), 0, &out), -EBADMSG);
	assert_int_equal(rlc_am_rx_receive(&rx, control, sizeof(control), 0, &out), -EBADMSG);
	assert_int_equal(rlc_am_rx_receive(&rx, beyond, sizeof(beyond), 0, &out), -EBADMSG);
	assert_int_equal(out.discarded_pdus, 3);
	expect_vars(0, 0, 0);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Every second byte: more holes than are kept count. Nothing is lost, it only takes longer. */
static void test_too_many_holes(void **state)
{
	(void)state;
	setup_stream(60, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	for (uint32_t at = 1; at < 60; at += 2)
		(void)receive_part(0, at, at + 1, false, 0);
	assert_int_equal(window[0]->ranges.n, RLC_RANGES_MAX);
	expire();
	expect_status(200, (15 + 42 * 17 + 7) / 8, 1, 17, NULL);
	expect_portion(16, 0, 32, AM_SO_END);
	for (uint32_t at = 0; at < 58; at++)
		assert_int_equal(receive_part(0, at, at + 1, false, 0), 0);
	assert_int_equal(receive_part(0, 58, 60, false, 0) + receive_again(0, false, 0), 1);
}

static void test_reset(void **state)
{
	(void)state;
	setup();
	(void)receive(0, 0);
	(void)receive_poll(2, 0);
	(void)receive(3, 0);
	rlc_am_rx_reset(&rx);
	expect_vars(0, 0, 0);
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(rx.reordering_expiry_ns, CELL_NEVER);
	assert_int_equal(rx.prohibit_expiry_ns, CELL_NEVER);
	assert_false(rx.status_due);
	assert_int_equal(receive(0, 0), 1);
	(void)receive(1, 0);
	(void)receive(2, 0); /* which polled before the reset */
	assert_false(rx.status_due);
}

/* Before a reset SDUs go up that are complete behind gaps. PDUs of 30 bytes, SDUs of 20; PDU 1 and
 * the middle of PDU 4 are missing. Source: TS 36.322 5.4 */
static void test_finish(void **state)
{
	(void)state;
	setup_stream(30, 20, CELL_DELIVERY_IN_SEQUENCE);
	assert_int_equal(receive(0, 0), 1);
	send(1);
	assert_int_equal(receive(2, 0), 0);
	assert_int_equal(receive(3, 0), 0);
	send(4);
	assert_int_equal(receive_part(4, 0, 5, false, 0), 0);
	assert_int_equal(receive_part(4, 25, 30, false, 0), 0);
	assert_int_equal(receive(5, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 4);
	for (uint32_t id = 3; id <= 5; id++)
		expect_delivered(id);
	expect_delivered(8);
	rlc_am_rx_reset(&rx);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* Of a window whose last PDU is all that came. */
static void test_finish_of_a_whole_window(void **state)
{
	(void)state;
	setup();
	assert_int_equal(receive(AM_WINDOW - 1, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 1);
	expect_delivered(AM_WINDOW - 1);
	rlc_am_rx_reset(&rx);
}

/* An SDU of 60 bytes of which ten within a PDU are missing does not go up. */
static void test_finish_with_a_gap_in_an_sdu(void **state)
{
	(void)state;
	setup_stream(30, 60, CELL_DELIVERY_IN_SEQUENCE);
	send(0);
	assert_int_equal(receive_part(0, 0, 10, false, 0), 0);
	assert_int_equal(receive_part(0, 20, 30, false, 0), 0);
	assert_int_equal(receive(1, 0), 0);
	out = (struct rlc_out){ 0 };
	rlc_am_rx_finish(&rx, &out);
	assert_int_equal(out.delivered.n, 0);
	rlc_am_rx_reset(&rx);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* SDUs of PDUs that nobody here sent: counted, and those of ours go on. */
static void test_foreign_pdu(void **state)
{
	(void)state;
	for (int delivery = 0; delivery < CELL_DELIVERY_COUNT; delivery++) {
		setup_stream(20, 10, (enum cell_delivery)delivery);
		memset(sent, 0, sizeof(sent));
		assert_int_equal(receive_again(0, false, 0), 0);
		assert_int_equal(out.foreign_sdus, 2);
		assert_int_equal(receive(1, 0), 2);
		expect_vars(2, 2, 2);
		assert_int_equal(pool.n_free, POOL_PDUS);
	}
}

/* A segment behind the end of its PDU, or an end before what has come, is no part of it. */
static void test_segment_that_contradicts(void **state)
{
	(void)state;
	setup();
	send(0);
	pdu_len = 12; /* LSF: the PDU ends there */
	receive_part(0, 8, 12, false, 0);
	assert_int_equal(out.discarded_pdus, 0);
	pdu_len = 20;
	receive_part(0, 12, 16, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	receive_part(0, 10, 20, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(window[0]->len, 12);

	receive_part(1, 10, 15, false, 0);
	assert_int_equal(out.discarded_pdus, 0);
	pdu_len = 12;
	receive_part(1, 8, 12, false, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(window[1]->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_second_gap_restarts_timer),
		cmocka_unit_test(test_expiry_passes_received),
		cmocka_unit_test(test_timer_follows_gap),
		cmocka_unit_test(test_vr_ms_ahead),
		cmocka_unit_test(test_partly_received),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_timer_at_window_edge),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_overlapping_segments),
		cmocka_unit_test(test_whole_after_segment),
		cmocka_unit_test(test_in_sequence_segments),
		cmocka_unit_test(test_sdu_across_pdus),
		cmocka_unit_test(test_out_of_sequence),
		cmocka_unit_test(test_out_of_sequence_segments),
		cmocka_unit_test(test_out_of_sequence_within_pdu),
		cmocka_unit_test(test_out_of_sequence_after_release),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_poll_waits_for_gap),
		cmocka_unit_test(test_poll_waits_for_timer),
		cmocka_unit_test(test_poll_behind_second_gap),
		cmocka_unit_test(test_two_polls_wait),
		cmocka_unit_test(test_poll_of_discarded),
		cmocka_unit_test(test_status_prohibit),
		cmocka_unit_test(test_no_status_prohibit),
		cmocka_unit_test(test_status_portions),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_truncated_within_pdu),
		cmocka_unit_test(test_sn_wrap),
		cmocka_unit_test(test_status_across_wrap),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_too_many_holes),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_finish_of_a_whole_window),
		cmocka_unit_test(test_finish_with_a_gap_in_an_sdu),
		cmocka_unit_test(test_foreign_pdu),
		cmocka_unit_test(test_segment_that_contradicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
