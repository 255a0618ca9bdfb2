/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - MAC PDUs of NR: subPDUs, each a subheader with an SDU or a control element behind it.
 *
 * The downlink has control elements first, the uplink after the SDUs, and padding is last. A PDU
 * is written in place: RLC puts an SDU where nr_pdu_at() says, and nr_pdu_sdu() writes its
 * subheader in front of it. It is read by an iterator, in place as well. There is no bound on SDUs
 * but the size of the block. Source: TS 38.321 6.1.2, 6.1.3, 6.2.1, 6.2.2
 */
#ifndef NR_PDU_H
#define NR_PDU_H

#include <stdbool.h>
#include <stdint.h>

#include "mac/nr/bsr.h"

/* LCIDs. Source: TS 38.321 Tables 6.2.1-1 (DL-SCH), 6.2.1-2 (UL-SCH) */
#define NR_LCID_CCCH               0 /* DL; UL: of 64 bits */
#define NR_LCID_FIRST              1 /* signalling and data radio bearers */
#define NR_LCID_LAST               32
#define NR_LCID_UL_CCCH_48         52
#define NR_LCID_UL_CG_CONFIRMATION 55
#define NR_LCID_UL_PHR             57 /* single entry */
#define NR_LCID_UL_CRNTI           58
#define NR_LCID_UL_SHORT_TRUNCATED 59
#define NR_LCID_UL_LONG_TRUNCATED  60
#define NR_LCID_UL_SHORT_BSR       61
#define NR_LCID_UL_LONG_BSR        62
#define NR_LCID_DL_SCELLS          58 /* activation and deactivation, of one octet */
#define NR_LCID_DL_LONG_DRX        59
#define NR_LCID_DL_DRX             60
#define NR_LCID_DL_TA              61
#define NR_LCID_DL_CONTENTION      62
#define NR_LCID_PADDING            63

#define NR_CONTENTION_BYTES    6 /* of UL CCCH that come back: its first 48 bits */
#define NR_SUBHEADER_MAX       3
#define NR_CRNTI_CE_BYTES      3 /* these with their subheaders */
#define NR_PHR_CE_BYTES        3
#define NR_TA_CE_BYTES         2
#define NR_CONTENTION_CE_BYTES 7
#define NR_EMPTY_CE_BYTES      1 /* DRX commands, confirmation of configured grants */

enum nr_link { NR_DL, NR_UL };

/* Single-entry power headroom report: levels, 0..63. Source: TS 38.321 6.1.3.8 */
struct nr_phr {
	uint8_t headroom;
	uint8_t pcmax;
};

/* A control element; which one its LCID says, together with the direction. */
struct nr_ce {
	uint8_t lcid;
	union {
		uint16_t crnti;
		struct nr_bsr bsr;
		struct nr_phr phr;
		struct {
			uint8_t tag;   /* 0..3 */
			uint8_t value; /* 0..63 */
		} ta;
		uint8_t contention[NR_CONTENTION_BYTES];
		uint8_t scells; /* bit i: C_i, bit 0 is reserved. Source: TS 38.321 6.1.3.10 */
	};
};

/* A PDU that is being written. */
struct nr_pdu_builder {
	uint8_t *buf;
	uint32_t size;     /* of the transport block */
	uint32_t used;     /* bytes written */
	uint32_t reserved; /* for control elements that come after the SDUs */
	uint8_t link;      /* enum nr_link */
	uint8_t stage;     /* what may come next: order of subPDUs */
};

void nr_pdu_start(struct nr_pdu_builder *b, enum nr_link link, uint8_t *buf, uint32_t size);

/** nr_pdu_left() - bytes not yet written and not reserved */
uint32_t nr_pdu_left(const struct nr_pdu_builder *b);

/** nr_pdu_reserve() - keep @bytes for control elements of the uplink, of what is left */
void nr_pdu_reserve(struct nr_pdu_builder *b, uint32_t bytes);

/** nr_pdu_room() - size of the largest SDU that still fits, 0 when none does */
uint32_t nr_pdu_room(const struct nr_pdu_builder *b);

/** nr_pdu_at() - where the next SDU is to be written, nr_pdu_room() bytes at most */
uint8_t *nr_pdu_at(const struct nr_pdu_builder *b);

/**
 * nr_pdu_sdu() - what was written at nr_pdu_at() is an SDU of @len bytes of channel @lcid
 *
 * A short SDU where a long one had had room is moved by a byte, as its subheader has one less.
 * Return: its offset in the PDU.
 */
uint32_t nr_pdu_sdu(struct nr_pdu_builder *b, uint8_t lcid, uint32_t len);

/** nr_pdu_ce() - a control element; it takes from what was reserved */
void nr_pdu_ce(struct nr_pdu_builder *b, const struct nr_ce *ce);

/** nr_bsr_ce() - a report as a control element */
struct nr_ce nr_bsr_ce(const struct nr_bsr *bsr);

/** nr_ce_bytes() - its size, subheader included */
uint32_t nr_ce_bytes(enum nr_link link, const struct nr_ce *ce);

/** nr_pdu_end() - fill the block up. Return: bytes of padding, subheader included. */
uint32_t nr_pdu_end(struct nr_pdu_builder *b);

/* A PDU that is being read. */
struct nr_pdu_reader {
	const uint8_t *buf;
	uint32_t len;
	uint32_t at;
	uint8_t link;
	uint8_t stage;
};

struct nr_subpdu {
	uint8_t lcid;
	bool is_sdu; /* else a control element, or padding */
	uint32_t off;
	uint32_t len;
};

void nr_pdu_read(struct nr_pdu_reader *r, enum nr_link link, const uint8_t *buf, uint32_t len);

/**
 * nr_pdu_next() - the next subPDU
 *
 * Return: 1; 0 at the end; -EBADMSG: a length beyond the PDU, an SDU of none, a reserved bit, an
 * LCID that this network does not use, or subPDUs in the wrong order.
 */
int nr_pdu_next(struct nr_pdu_reader *r, struct nr_subpdu *ret);

/** nr_pdu_check() - read all of a PDU. Return: bytes of padding, subheader included, or -EBADMSG */
int32_t nr_pdu_check(enum nr_link link, const uint8_t *buf, uint32_t len);

/** nr_ce_unpack() - the control element that @s of @r's PDU is. Return: 0 or -EBADMSG */
int nr_ce_unpack(struct nr_ce *ret, const struct nr_pdu_reader *r, const struct nr_subpdu *s);

#endif
