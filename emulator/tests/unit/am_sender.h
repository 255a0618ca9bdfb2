/* SPDX-License-Identifier: GPL-2.0-or-later */
/* am_sender.h - an AM transmitter, what it sends and what it is told of it */
#ifndef AM_SENDER_H
#define AM_SENDER_H

#include "unit.h"

#include "base/rng.h"
#include "pool.h"
#include "rlc/lte/am/am.h"

#define PKTS       2100
#define T_POLL_NS  45
#define NEVER_POLL 1000000 /* pollPDU and pollByte that are not reached */
#define ROOM       100

static struct pkt pkt[PKTS];
static struct rlc_pdu *sent[AM_SLOTS];
static struct rlc_pool pool;
static struct rlc_am_tx tx;

/* The PDU built last, and the data fields of all when they were new. */
static uint8_t buf[POOL_BYTES + 100];
static struct rlc_am_built built;
static struct am_pdu am;
static size_t header;
static uint8_t original[AM_SLOTS][POOL_BYTES];

static inline void setup_polls(uint32_t poll_pdu, uint32_t poll_byte, uint8_t max_retx_threshold)
{
	const struct rlc_am_cfg cfg = {
		.poll_pdu = poll_pdu,
		.poll_byte = poll_byte,
		.max_retx_threshold = max_retx_threshold,
		.t_poll_retransmit_ns = T_POLL_NS,
		.queue_limit = PKTS,
	};

	pool_fill(&pool);
	rlc_am_tx_init(&tx, &cfg, sent, &pool);
}

static inline void setup(void)
{
	setup_polls(NEVER_POLL, NEVER_POLL, 8);
}

static inline void push(uint32_t first, uint32_t n, uint16_t len)
{
	for (uint32_t i = first; i < first + n; i++) {
		pkt[i] = (struct pkt){ .id = i, .len = len, .sdu_len = len };
		for (uint16_t k = 0; k < len; k++)
			pkt_sdu(&pkt[i])[k] = (uint8_t)(i * 37 + k);
		rlc_sdu_queue_push(&tx.queue, &pkt[i]);
	}
}

/* Build a PDU of at most @max bytes. Its header says what the caller is told, its data are right.
 */
static inline uint32_t send_at(uint32_t max, int64_t now_ns)
{
	static struct rlc_tx_pdu elements;

	memset(buf, 0, sizeof(buf));
	built = rlc_am_tx_build(&tx, max, now_ns, buf, &elements);
	if (built.size == 0)
		return 0;
	assert_true(built.size <= max);
	assert_int_equal(am_unpack(&am, &header, buf, built.size), 0);
	assert_int_equal(am.sn, built.sn);
	assert_int_equal(am.so, built.so);
	assert_int_equal(am.poll, built.poll);
	assert_int_equal(built.size - header, built.data);
	if (!built.retx)
		memcpy(original[am.sn], buf + header, built.data);
	assert_memory_equal(buf + header, original[am.sn] + am.so, built.data);
	return built.size;
}

static inline uint32_t transmit(uint32_t max)
{
	return send_at(max, 0);
}

/* @n new PDUs of one SDU of @len bytes each. */
static inline void transmit_new(uint32_t n, uint16_t len)
{
	push(0, n, len);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(transmit(len + 2u), len + 2);
}

/* The receiver takes the packets out of what it has; only then it acknowledges. */
static inline void deliver(uint16_t ack_sn, uint16_t n, const struct am_nack *nacks)
{
	for (uint16_t sn = tx.vt_a; sn != ack_sn && sent[sn]; sn = (sn + 1) % AM_SLOTS) {
		bool missing = false;

		for (uint16_t i = 0; i < n; i++)
			missing |= nacks[i].sn == sn;
		while (!missing && sent[sn]->ends.head)
			(void)pkt_dequeue(&sent[sn]->ends);
	}
}

static inline int status(uint16_t ack_sn, uint16_t n, const struct am_nack *nack)
{
	deliver(ack_sn, n, nack);
	static struct am_status s;

	s.ack_sn = ack_sn;
	s.n = n;
	if (n > 0)
		memcpy(s.nack, nack, n * sizeof(*nack));
	return rlc_am_tx_status(&tx, &s);
}

static inline void ack(uint16_t ack_sn)
{
	assert_int_equal(status(ack_sn, 0, NULL), 0);
}

static inline void nack(uint16_t sn)
{
	const struct am_nack n = { .sn = sn, .so_end = AM_SO_END };

	assert_int_equal(status(tx.vt_s, 1, &n), 0);
}

static inline void nack_bytes(uint16_t sn, uint16_t so_start, uint16_t so_end)
{
	const struct am_nack n = {
		.sn = sn, .has_so = true, .so_start = so_start, .so_end = so_end
	};

	assert_int_equal(status(tx.vt_s, 1, &n), 0);
}

/* The last PDU was a segment from @so with @n elements of @len. */
static inline void expect_segment(uint16_t so, bool lsf, uint8_t fi, uint16_t n,
                                  const uint16_t *len)
{
	assert_true(am.rf);
	assert_int_equal(am.so, so);
	assert_int_equal(am.lsf, lsf);
	assert_int_equal(am.fi, fi);
	assert_int_equal(am.n, n);
	for (uint16_t i = 0; i < n; i++)
		assert_int_equal(am.len[i], len[i]);
}

static inline void expect_all_free(void)
{
	assert_int_equal(pool.n_free, POOL_PDUS);
	assert_int_equal(tx.vt_a, tx.vt_s);
	assert_int_equal(tx.n_retx, 0);
	assert_int_equal(tx.retx_bytes, 0);
	assert_int_equal(tx.expiry_ns, CELL_NEVER);
}

#endif
