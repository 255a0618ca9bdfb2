/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drb.h - SDAP, PDCP and RLC of one direction of a data radio bearer. */
#ifndef NR_DRB_H
#define NR_DRB_H

#include "ran/nr/drb_tx.h"

/* Memory of a bearer's entities. */
struct drb_memory {
	uint8_t *rlc_state;
	struct rlc_pdu **window;
	uint64_t *pdcp_words;
	struct fq_flow *flow;
};

/** drb_init() - the next bearer of @sch, which is the UE's bearer @k; it takes its memory, of
 * drb_needs(), from the start of @memory. Its reverse direction is the caller's to set, and
 * of one on a second cell PDCP. */
void drb_init(struct drb *b, struct nr *nr, struct nr_sch *sch, uint8_t k,
              struct drb_memory *memory);

/** drb_needs() - bytes of state, entries of windows and words that a bearer takes */
void drb_needs(const struct cell_bearer_cfg *cfg, size_t *ret_state, size_t *ret_window,
               size_t *ret_words);

/** drb_mode() - the mode of RLC of a bearer */
const struct rlc_mode *drb_mode(const struct cell_bearer_cfg *cfg);

/** drb_bytes() - what the start of @b could send now. Source: TS 38.322 5.5 */
static inline uint32_t drb_bytes(const struct drb *b)
{
	/* No RLC at either end: between a radio link failure and the re-establishment, or after a
	 * stop. */
	if (b->stopped || b->suspended || b->outage_expiry_ns != CELL_NEVER)
		return 0;
	return qos_allowed(&b->qos, b->rlc.mode->bytes_waiting(&b->rlc), b->rlc.queue,
	                   b->rlc.cell->event_ns);
}

/** drb_packets() - SDUs that the start of @b could send now, about */
static inline uint32_t drb_packets(const struct drb *b)
{
	return qos_packets(&b->qos, b->rlc.queue, b->rlc.cell->event_ns);
}

/**
 * drb_receive() - an RLC PDU arrived at the end of @b
 * @ends: taken over
 */
void drb_receive(struct nr *nr, struct drb *b, const uint8_t *buf, uint32_t len,
                 struct pkt_queue *ends);

/** drb_next_ns() - when the first timer of @b expires, CELL_NEVER when none runs */
static inline int64_t drb_next_ns(const struct drb *b)
{
	int64_t t_ns = b->rlc.expiry_ns;

	t_ns = b->pdcp_rx.expiry_ns < t_ns ? b->pdcp_rx.expiry_ns : t_ns;
	t_ns = b->qos.opens_ns < t_ns ? b->qos.opens_ns : t_ns;
	return b->outage_expiry_ns < t_ns ? b->outage_expiry_ns : t_ns;
}

/** drb_expire() - the timer of drb_next_ns() expired */
void drb_expire(struct nr *nr, struct drb *b);

/** drb_to_pdcp() - what RLC delivered or gave up at the end of @b */
void drb_to_pdcp(struct nr *nr, struct drb *b, struct rlc_out *out);

/** drb_deliver() - what PDCP at the end of @b delivered leaves the network */
void drb_deliver(struct nr *nr, struct drb *b, struct pdcp_nr_out *up);

/** drb_report() - the UE's status report of what it has of @dl; NULL where none is configured.
 * Source: TS 38.323 5.4.1 */
struct pkt *drb_report(struct nr *nr, const struct drb *dl);

/** drb_know_status() - the gNB at the end of @b knows with which COUNT it is to start */
void drb_know_status(struct nr *nr, struct drb *b);

/** drb_empty_rlc() - its RLC gives up what it holds, to @ret, in no order, and starts again */
void drb_empty_rlc(struct nr *nr, struct drb *b, struct pkt_queue *ret);

/** drb_empty() - both ends of @b give up what they hold, to @ret, in no order */
void drb_empty(struct nr *nr, struct drb *b, struct pkt_queue *ret);

#endif
