/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utran_sender.h - an AM transmitter of the UTRAN, what it sends and what it is told of it */
#ifndef RLC_UTRAN_SENDER_H
#define RLC_UTRAN_SENDER_H

#include "unit.h"

#include "pool.h"
#include "rlc/utran/am.h"

#define PKTS       100
#define SIZE       40
#define T_POLL_NS  100
#define T_MRW_NS   70
#define NEVER_POLL 0

static struct pkt pkt[PKTS];
static struct rlc_pdu *sent[RLC_UTRAN_SLOTS];
static struct rlc_pool pool;
static struct rlc_utran_tx tx;
static struct rlc_out out;

/* The PDU built last. */
static uint8_t buf[SIZE];
static struct rlc_utran_built built;
static struct rlc_tx_pdu elements;
static struct rlc_utran_amd amd;
static size_t header;

static inline void setup_all(uint16_t window, uint8_t max_dat, uint16_t poll_pdu,
                             uint8_t poll_window)
{
	const struct rlc_utran_cfg cfg = {
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
	rlc_utran_tx_init(&tx, &cfg, sent, &pool);
}

static inline void setup(uint8_t max_dat)
{
	setup_all(64, max_dat, NEVER_POLL, 100);
}

static inline void push(uint32_t i, uint16_t len)
{
	pkt[i] = (struct pkt){ .id = i, .len = len, .sdu_len = len };
	for (uint16_t k = 0; k < len; k++)
		pkt_sdu(&pkt[i])[k] = (uint8_t)(i * 37 + k);
	rlc_sdu_queue_push(&tx.queue, &pkt[i]);
}

/* The next PDU. Return: its SN, or -1 when there is none. */
static inline int transmit(int64_t now_ns)
{
	memset(buf, 0xaa, sizeof(buf));
	built = rlc_utran_tx_build(&tx, now_ns, buf, &elements);
	if (built.size == 0)
		return -1;
	assert_int_equal(built.size, SIZE);
	assert_int_equal(rlc_utran_amd_unpack(&amd, &header, buf, SIZE), 0);
	assert_int_equal(amd.sn, built.sn);
	assert_int_equal(amd.poll, built.poll);
	return amd.sn;
}

/* New PDUs 0..@n - 1 out of SDU 0, which has one more. */
static inline void transmit_new(uint16_t n)
{
	push(0, (uint16_t)(38 * n + 1));
	for (uint16_t i = 0; i < n; i++)
		assert_int_equal(transmit(0), i);
}

static inline int status(uint16_t lsn, uint8_t n, const uint16_t *missing)
{
	static struct rlc_utran_status s;

	s.n = 0;
	if (n > 0) {
		s.sufi[s.n] = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_LIST, .n = n };
		memcpy(s.sufi[s.n++].sn, missing, n * sizeof(*missing));
	}
	s.sufi[s.n++] = (struct rlc_utran_sufi){ .type = RLC_UTRAN_SUFI_ACK, .sn = { lsn } };
	return rlc_utran_tx_status(&tx, &s, &out);
}

static inline void nack(uint16_t lsn, uint16_t sn)
{
	assert_int_equal(status(lsn, 1, &sn), 0);
}

static inline void mrw_ack(uint16_t sn_ack, uint8_t n)
{
	const struct rlc_utran_status s = {
		1, { { .type = RLC_UTRAN_SUFI_MRW_ACK, .n_li = n, .sn = { sn_ack } } }
	};

	assert_int_equal(rlc_utran_tx_status(&tx, &s, &out), 0);
}

/* The MRW that is due has these contents. */
static inline void expect_mrw(int64_t now_ns, uint8_t length, uint16_t sn_mrw, uint8_t n_length)
{
	struct rlc_utran_status s;
	uint8_t pdu[RLC_UTRAN_MRW_BYTES];

	assert_int_equal(rlc_utran_tx_mrw_build(&tx, RLC_UTRAN_MRW_BYTES - 1, now_ns, pdu), 0);
	assert_int_equal(rlc_utran_tx_mrw_build(&tx, RLC_UTRAN_MRW_BYTES, now_ns, pdu),
	                 RLC_UTRAN_MRW_BYTES);
	assert_int_equal(rlc_utran_status_unpack(&s, pdu, sizeof(pdu)), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.sufi[0].type, RLC_UTRAN_SUFI_MRW);
	assert_int_equal(s.sufi[0].n, length);
	assert_int_equal(s.sufi[0].sn[0], sn_mrw);
	assert_int_equal(s.sufi[0].n_li, n_length);
	assert_int_equal(rlc_utran_tx_mrw_build(&tx, RLC_UTRAN_MRW_BYTES, now_ns, pdu), 0);
	assert_int_equal(tx.mrw_expiry_ns, now_ns + T_MRW_NS);
}

static inline void expect_discarded(uint32_t n, const uint32_t *ids)
{
	assert_int_equal(out.discarded.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(pkt_dequeue(&out.discarded)->id, ids[i]);
}

#endif
