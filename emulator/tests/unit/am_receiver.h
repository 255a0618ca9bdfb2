/* SPDX-License-Identifier: GPL-2.0-or-later */
/* am_receiver.h - an AM receiver, a stream of SDUs for it and what it is expected to do */
#ifndef AM_RECEIVER_H
#define AM_RECEIVER_H

#include "unit.h"

#include "pool.h"
#include "rlc/lte/am/am.h"

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

static inline uint8_t stream(uint32_t at)
{
	return (uint8_t)(at / sdu_len * 37 + at % sdu_len);
}

static inline void setup_stream(uint32_t pdu, uint32_t sdu, enum cell_delivery delivery)
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
static inline void setup(void)
{
	setup_stream(20, 20, CELL_DELIVERY_IN_SEQUENCE);
}

/* The sender keeps PDU @i with the packets that end in it. */
static inline void send(uint32_t i)
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
static inline void describe(struct am_pdu *am, uint32_t from, uint32_t to)
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
static inline uint32_t receive_part(uint32_t i, uint32_t from, uint32_t to, bool poll,
                                    int64_t now_ns)
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

static inline uint32_t receive_again(uint32_t i, bool poll, int64_t now_ns)
{
	return receive_part(i, 0, pdu_len, poll, now_ns);
}

/* A whole PDU for the first time. */
static inline uint32_t receive(uint32_t i, int64_t now_ns)
{
	send(i);
	return receive_again(i, false, now_ns);
}

static inline uint32_t receive_poll(uint32_t i, int64_t now_ns)
{
	send(i);
	return receive_again(i, true, now_ns);
}

/* PDUs @first..@last that need no attention. */
static inline void receive_all(uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		assert_int_equal(receive(i, 0), pdu_len / sdu_len);
}

static inline void expire(void)
{
	assert_int_not_equal(rx.reordering_expiry_ns, CELL_NEVER);
	rlc_am_rx_expire(&rx, rx.reordering_expiry_ns);
}

static inline void expect_vars(uint16_t vr_r, uint16_t vr_ms, uint16_t vr_h)
{
	assert_int_equal(rx.reassembly.lower, vr_r);
	assert_int_equal(rx.vr_ms, vr_ms);
	assert_int_equal(rx.vr_h, vr_h);
}

static inline void expect_timer(int64_t expiry_ns, uint16_t vr_x)
{
	assert_int_equal(rx.reordering_expiry_ns, expiry_ns);
	assert_int_equal(rx.vr_x, vr_x);
}

/* The next SDU delivered is @id, with its bytes. */
static inline void expect_delivered(uint32_t id)
{
	struct pkt *p = pkt_dequeue(&out.delivered);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	for (uint32_t i = 0; i < sdu_len; i++)
		assert_int_equal(pkt_sdu(p)[i], stream(id * sdu_len + i));
	memset(pkt_sdu(p), 0xee, sdu_len);
}

/* The STATUS PDU built in @max bytes has @size and says @ack_sn and these whole PDUs. */
static inline void expect_status(uint32_t max, uint32_t size, uint16_t ack_sn, uint16_t n,
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

static inline void expect_portion(uint16_t i, uint16_t sn, uint16_t so_start, uint16_t so_end)
{
	assert_int_equal(status.nack[i].sn, sn);
	assert_true(status.nack[i].has_so);
	assert_int_equal(status.nack[i].so_start, so_start);
	assert_int_equal(status.nack[i].so_end, so_end);
}

#endif
