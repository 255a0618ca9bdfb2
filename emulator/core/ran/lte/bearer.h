/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bearer.h - PDCP and RLC of one direction of a radio bearer, whichever mode. */
#ifndef BEARER_H
#define BEARER_H

#include "ran/lte/bearer_tx.h"

/** bearer_bytes() - what the start of @b could send now. Source: TS 36.322 4.5 */
static inline uint32_t bearer_bytes(const struct bearer *b)
{
	/* No RLC at either end: between a radio link failure and the re-establishment, or after a
	 * stop. */
	if (b->stopped || b->outage_expiry_ns != CELL_NEVER)
		return 0;
	return qos_allowed(&b->qos, b->rlc.mode->bytes_waiting(&b->rlc), b->rlc.queue,
	                   b->rlc.cell->event_ns);
}

/** bearer_fits() - all of bearer_bytes() fits @room bytes of a MAC PDU */
bool bearer_fits(const struct bearer *b, uint32_t room);

/**
 * bearer_receive() - an RLC PDU arrived at the end of @b
 * @ends:   taken over
 * @ret_up: what PDCP delivers
 */
void bearer_receive(struct lte *lte, struct bearer *b, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends, struct pdcp_out *ret_up);

/** bearer_next_ns() - when the first timer of @b expires, CELL_NEVER when none runs */
static inline int64_t bearer_next_ns(const struct bearer *b)
{
	int64_t t_ns = b->rlc.expiry_ns;

	t_ns = b->pdcp_rx.expiry_ns < t_ns ? b->pdcp_rx.expiry_ns : t_ns;
	t_ns = b->qos.opens_ns < t_ns ? b->qos.opens_ns : t_ns;
	return b->outage_expiry_ns < t_ns ? b->outage_expiry_ns : t_ns;
}

/** bearer_expire() - the timer of bearer_next_ns() expired; @ret_up: what PDCP delivers */
void bearer_expire(struct lte *lte, struct bearer *b, struct pdcp_out *ret_up);

/**
 * bearer_to_pdcp() - what RLC delivered at the end of @b
 * @re:     because it is re-established
 * @ret_up: what PDCP delivers
 */
void bearer_to_pdcp(struct lte *lte, struct bearer *b, struct rlc_out *out, bool re,
                    struct pdcp_out *ret_up);

/** bearer_init_pdcp() - SNs of @b start with 0, and its PDCP holds nothing */
void bearer_init_pdcp(const struct lte *lte, struct bearer *b);

/**
 * bearer_empty() - both ends of @b give up what they hold
 * @air: and what is on the air is void; that of an acknowledged mode is in any case, as it starts
 *       again
 * @ret: the packets are appended, in no order
 */
void bearer_empty(struct lte *lte, struct bearer *b, bool air, struct pkt_queue *ret);

#endif
