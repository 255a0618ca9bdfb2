/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - RLC data PDUs kept by an entity: received ones until their SDUs
 * are complete, sent AM ones until they are acknowledged.
 *
 * Both are a data field with the boundaries of the SDUs in it (`cut`), from
 * which a header for all of it or for any part can be made.
 *
 * Besides its bytes a PDU carries the packets whose last byte is in it
 * (`ends`, in order). The protocol never decides by that list: it exists so
 * that every packet is accounted for exactly once, whatever is lost.
 */
#ifndef RLC_PDU_H
#define RLC_PDU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pkt.h"
#include "rlc/common/li.h"
#include "rlc/common/range.h"

struct rlc_pdu {
	struct rlc_pdu *next;
	struct pkt_queue ends;
	uint8_t *data; /* data field */
	uint16_t len;  /* its bytes; of a received one 0 until its last byte came */
	uint16_t n_cuts;
	uint16_t cut[RLC_ELEMENTS_MAX + 1]; /* offsets at which one SDU ends and another starts */
	struct rlc_ranges ranges;           /* received, or to be sent again */
	uint8_t retx_count;                 /* RETX_COUNT */
	bool considered;                    /* RETX_COUNT counts from here on */
	bool acked;
	bool polled; /* a received one whose poll is not answered yet */
};

/* An SDU whose last byte was sent and that its transmitter still keeps. */
struct rlc_kept_sdu {
	struct pkt *p; /* the caller takes it over; NULL when the receiver has it */
	const uint8_t *data;
	uint16_t len;
	bool confirmed; /* all of it is acknowledged */
};

/* Free PDUs; the one freed last is the next to be used, as it is in the cache. */
struct rlc_pool {
	struct rlc_pdu *free;
	uint32_t n_free;
	uint16_t data_max; /* bytes at rlc_pdu.data */
	struct rlc_pdu
		*fresh; /* @n_fresh, never used yet, and their data: taken when none is free */
	uint8_t *fresh_data;
	uint32_t n_fresh;
};

/** rlc_pool_get() - an empty PDU; the pool has enough for all windows */
struct rlc_pdu *rlc_pool_get(struct rlc_pool *pool);

/** rlc_pool_put() - give back @pdu, whose packets have gone elsewhere */
void rlc_pool_put(struct rlc_pool *pool, struct rlc_pdu *pdu);

/** rlc_pdu_add_cut() - Return: false when there are too many */
bool rlc_pdu_add_cut(struct rlc_pdu *pdu, uint16_t offset);

bool rlc_pdu_has_cut(const struct rlc_pdu *pdu, uint16_t offset);

/** rlc_pdu_cut_after() - the first cut behind @offset, UINT16_MAX when there is none */
uint16_t rlc_pdu_cut_after(const struct rlc_pdu *pdu, uint16_t offset);

/** rlc_pdu_add_elements() - the cuts of @n elements of a PDU or segment that starts at @so */
bool rlc_pdu_add_elements(struct rlc_pdu *pdu, uint16_t so, uint8_t fi, uint16_t n,
                          const uint16_t *len);

/** rlc_pdu_complete() - all of a received PDU is there */
static inline bool rlc_pdu_complete(const struct rlc_pdu *pdu)
{
	return pdu->len > 0 && rlc_ranges_cover(&pdu->ranges, 0, pdu->len);
}

/** rlc_pdu_take() - the packet of @pdu that ends at @offset, out of its list; NULL if none */
struct pkt *rlc_pdu_take(struct rlc_pdu *pdu, uint16_t offset);

#endif
