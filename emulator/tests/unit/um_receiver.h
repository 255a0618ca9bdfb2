/* SPDX-License-Identifier: GPL-2.0-or-later */
/* um_receiver.h - an RLC UM receiver, PDUs for it, and what comes out */
#ifndef UM_RECEIVER_H
#define UM_RECEIVER_H

#include "unit.h"

#include "pool.h"
#include "rlc/lte/um/pdu.h"
#include "rlc/lte/um/um.h"

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
static inline void cut_for(uint8_t sn_bits, uint32_t per_sdu, enum cell_delivery delivery)
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

static inline void cut(uint8_t sn_bits, uint32_t per_sdu)
{
	cut_for(sn_bits, per_sdu, CELL_DELIVERY_IN_SEQUENCE);
}

/* What was sent before does not matter: the receiver waits for @sn. */
static inline void expect_from(uint16_t sn)
{
	rx.vr_ur = rx.vr_uh = rx.reassembly.lower = sn;
}

static inline int receive_pdu(uint32_t i, int64_t now_ns)
{
	return rlc_um_rx_receive(&rx, pdu[i].buf, pdu[i].len, &pdu[i].ends, now_ns, &out);
}

/* Receive PDU @i at @now_ns. Return: SDUs that came out. */
static inline uint32_t receive(uint32_t i, int64_t now_ns)
{
	out = (struct rlc_out){ 0 };
	assert_int_equal(receive_pdu(i, now_ns), i % (1u << rx.sn_bits));
	return out.delivered.n;
}

static inline uint32_t expire(void)
{
	int64_t now_ns = rx.expiry_ns;

	assert_int_not_equal(now_ns, CELL_NEVER);
	out = (struct rlc_out){ 0 };
	rlc_um_rx_expire(&rx, now_ns, &out);
	return out.delivered.n;
}

/* The next SDU delivered is @id, with its bytes. */
static inline void expect_delivered(uint32_t id)
{
	struct pkt *p = pkt_dequeue(&out.delivered);

	assert_non_null(p);
	assert_int_equal(p->id, id);
	for (uint32_t i = 0; i < SDU_BYTES; i++)
		assert_int_equal(pkt_sdu(p)[i], (uint8_t)id);
}

#endif
