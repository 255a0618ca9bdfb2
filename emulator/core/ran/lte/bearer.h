/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bearer.h - RLC and PDCP of a leg, whichever mode. */
#ifndef BEARER_H
#define BEARER_H

#include "ran/lte/state.h"

/** bearer_send() - a datagram enters @leg; one that has a PDCP SN keeps it */
void bearer_send(struct lte *lte, struct leg *leg, struct pkt *p);

/** bearer_bytes() - what the start of @leg could send now. Source: TS 36.322 4.5 */
uint32_t bearer_bytes(const struct lte *lte, const struct leg *leg);

/** bearer_queue() - SDUs that wait at the start of @leg */
struct rlc_sdu_queue *bearer_queue(const struct leg *leg);

/** bearer_fits() - all of bearer_bytes() fits @room bytes of a MAC PDU */
bool bearer_fits(const struct lte *lte, const struct leg *leg, uint32_t room);

/**
 * bearer_fill() - build RLC PDUs for a MAC PDU of @tbs bytes into lte->rlc_buf
 * @mac: has its control elements; its SDUs are set
 * @pdu: gets the packets of a UM PDU
 */
void bearer_fill(struct lte *lte, struct leg *leg, struct mac_pdu *mac, uint32_t tbs,
                 struct pdu *pdu);

/** bearer_record_buffer() - add a row that tells what waits at the start of @leg */
void bearer_record_buffer(struct lte *lte, const struct leg *leg);

/**
 * bearer_receive() - an RLC PDU arrived at the end of @leg
 * @ends:   taken over
 * @ret_up: what PDCP delivers
 */
void bearer_receive(struct lte *lte, struct leg *leg, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends, struct pdcp_out *ret_up);

/* Timers of a leg, in the order in which those of one time expire. */
enum leg_timer {
	LEG_T_REORDERING,
	LEG_T_POLL_RETRANSMIT,
	LEG_T_STATUS_PROHIBIT,
	LEG_T_PDCP_REORDERING,
	LEG_T_OUTAGE,
	LEG_TIMER_COUNT
};

/** bearer_expiry_ns() - when @timer expires, CELL_NEVER when it is stopped */
static inline int64_t bearer_expiry_ns(const struct leg *leg, enum leg_timer timer)
{
	switch (timer) {
	case LEG_T_REORDERING:
		return leg_is_am(leg) ? leg->am.rx.reordering_expiry_ns : leg->um.rx.expiry_ns;
	case LEG_T_POLL_RETRANSMIT:
		return leg_is_am(leg) ? leg->am.tx.expiry_ns : CELL_NEVER;
	case LEG_T_STATUS_PROHIBIT:
		return leg_is_am(leg) ? leg->am.rx.prohibit_expiry_ns : CELL_NEVER;
	case LEG_T_PDCP_REORDERING:
		return leg->pdcp_rx.expiry_ns;
	default:
		return leg->outage_expiry_ns;
	}
}

/** bearer_expire() - @timer expired; @ret_up: what PDCP delivers */
void bearer_expire(struct lte *lte, struct leg *leg, enum leg_timer timer, struct pdcp_out *ret_up);

/** bearer_discard_expired() - drop SDUs of @leg older than discardTimer */
void bearer_discard_expired(struct lte *lte, struct leg *leg);

/** bearer_discard_tti() - first sub-frame from @from in which it has something to drop */
uint32_t bearer_discard_tti(const struct lte *lte, const struct leg *leg, uint32_t from);

/**
 * bearer_to_pdcp() - what RLC delivered at the end of @leg
 * @re:     because it is re-established
 * @ret_up: what PDCP delivers
 */
void bearer_to_pdcp(struct lte *lte, struct leg *leg, struct rlc_out *out, bool re,
                    struct pdcp_out *ret_up);

/** bearer_take_blocks() - packets of UM blocks of @leg on the air or in HARQ, to @ret */
void bearer_take_blocks(struct lte *lte, const struct leg *leg, struct pkt_queue *ret);

/**
 * bearer_empty() - both ends of @leg give up what they hold
 * @air: and the blocks on the air are void; those of AM are in any case, as it begins anew
 * @ret: the packets are appended, in no order
 */
void bearer_empty(struct lte *lte, struct leg *leg, bool air, struct pkt_queue *ret);

#endif
