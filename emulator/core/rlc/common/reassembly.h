/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reassembly.h - SDUs out of received PDUs, in or out of sequence.
 *
 * A receiving entity keeps PDUs in a window by SN and says when one arrived
 * and when, in order of SN, one is released: everything before it has come or
 * was given up. In sequence (the standard) SDUs are delivered when every byte
 * before their end has come or was given up; out of sequence as soon as their
 * last missing byte arrives.
 *
 * A receiving entity takes PDUs of any bytes. Invalid and contradictory ones it discards
 * (TS 36.322 5.5.1), and an SDU for which no packet of the transmitter is there
 * goes nowhere. Both are counted. Its memory and its work for a PDU have a bound.
 * Source: TS 36.322 5.1.2.2.3, 5.1.3.2.3; Park 2013, section 4
 */
#ifndef RLC_REASSEMBLY_H
#define RLC_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"
#include "rlc/common/pdu.h"

#define RLC_SDU_MAX (3 + CELL_UE_MTU_MAX) /* with a PDCP header, of NR the longest */

/* Bytes of one SDU put together. */
struct rlc_sdu {
	bool open; /* holds the SDU's start */
	uint16_t len;
	uint8_t data[RLC_SDU_MAX];
};

/** rlc_sdu_start() - @sdu is empty and open */
void rlc_sdu_start(struct rlc_sdu *sdu);

/** rlc_sdu_append() - more of it, if it is open */
void rlc_sdu_append(struct rlc_sdu *sdu, const uint8_t *data, uint32_t len);

struct rlc_reassembly {
	struct rlc_pdu **window; /* mask + 1 slots, by SN */
	struct rlc_pdu **sent;   /* AM: the transmitter's PDUs, which keep `ends` */
	struct rlc_pool *pool;
	uint16_t mask;
	uint16_t lower;      /* SN to be released next */
	uint16_t lower_from; /* bytes of that PDU gone through before it is complete */
	bool out_of_sequence;
	struct rlc_sdu tail; /* SDU that started in the PDUs released and goes on */
	struct rlc_sdu whole;
};

/* What a receiving entity finished or gave up, for the caller to handle. */
struct rlc_out {
	struct pkt_queue delivered; /* reassembled SDUs */
	struct pkt_queue discarded; /* packets that cannot be completed */
	uint32_t discarded_pdus;
	uint32_t foreign_sdus; /* that no packet stands for: from PDUs that no transmitter here sent
	                        */
};

/** rlc_reassembly_init() - @window has @mask + 1 empty slots; @sent is NULL for UM */
void rlc_reassembly_init(struct rlc_reassembly *r, uint16_t mask, enum cell_delivery delivery,
                         struct rlc_pdu **window, struct rlc_pdu **sent, struct rlc_pool *pool);

/**
 * rlc_reassembly_arrived() - bytes @from..@to of PDU @sn are there now
 * @before: what was there of it before
 *
 * Out of sequence, delivers what they complete.
 */
void rlc_reassembly_arrived(struct rlc_reassembly *r, uint16_t sn, uint16_t from, uint16_t to,
                            const struct rlc_ranges *before, struct rlc_out *out);

/**
 * rlc_reassembly_advance() - go through the bytes of PDU `lower` that follow on those before
 *
 * In sequence, delivers what is complete with them.
 */
void rlc_reassembly_advance(struct rlc_reassembly *r, struct rlc_out *out);

/**
 * rlc_reassembly_release() - nothing before SN `lower` comes any more, or all of it has come
 *
 * In sequence, delivers what is complete with that PDU. Its slot is emptied,
 * `lower` moves on, packets that cannot be completed are discarded.
 */
void rlc_reassembly_release(struct rlc_reassembly *r, struct rlc_out *out);

/**
 * rlc_reassembly_finish() - nothing more comes: deliver every SDU that is complete, in order
 *
 * Only for AM in sequence; the window is to be emptied afterwards. Source: TS 36.322 5.4
 */
void rlc_reassembly_finish(struct rlc_reassembly *r, struct rlc_out *out);

#endif
