/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utran.h - one UE on a dedicated channel (DCH) of the UTRAN, in place of a cell of LTE.
 *
 * In every TTI of a direction a fixed number of transport blocks goes on the
 * air, each with one RLC PDU of a fixed size: first an MRW and a STATUS PDU if they
 * are due, in turn so that none starves the other where a TTI has one block; then
 * AMD PDUs as long as there are any. A block is received, or
 * lost, at the end of its TTI and a delay. The eNB's place is that of Node B and RNC.
 * Two opposite legs are one AM entity each way: a leg carries the STATUS PDUs
 * of the other one. IP packets are RLC SDUs: PDCP has no header without header compression.
 * Source: DeMey 2005 sections II and IV; TS 25.322 5.5.0 9.7.2, 11.6
 */
#ifndef UTRAN_H
#define UTRAN_H

#include "cell.h"
#include "rlc/umts/umts.h"

#define UTRAN_PDUS_MAX 64 /* transport blocks of a TTI in one direction */

struct utran_leg {
	struct rlc_umts_tx tx; /* at its start */
	struct rlc_umts_rx rx; /* at its end */
	struct rng loss_rng;
	uint32_t bler_q32;
	uint16_t tti_pdus;
	bool status_next;               /* of STATUS PDU and MRW, if both are due */
	int64_t arrival_ns[UMTS_SLOTS]; /* by SN: of the AMD PDU sent last that is not lost */
};

struct utran {
	struct utran_leg leg[2]; /* CELL_DIR_UL, CELL_DIR_DL */
	int64_t tti_ns;
	int64_t delay_ns;          /* end of a TTI to RLC at the other end */
	int64_t next_tti_ns;       /* begin of the first TTI that was not processed */
	struct umts_status status; /* being built or read; too large for the stack */
};

/** utran_pdus() - transport blocks of a TTI at @rate_bps; 0 when that is no whole number */
uint32_t utran_pdus(const struct cell_cfg *cfg, uint32_t rate_bps);

/** utran_pdus_needed() - PDUs that are on the air, or in outputs of one advance */
size_t utran_pdus_needed(const struct cell_cfg *cfg);

/** utran_rlc_pdus_needed() - of all windows */
size_t utran_rlc_pdus_needed(const struct cell_cfg *cfg);

#define UTRAN_WINDOW_SLOTS (2 * 2 * UMTS_SLOTS) /* of transmitter and receiver, both ways */

/** utran_init() - @c->utran and @c->rlc_pool have their memory; @windows has UTRAN_WINDOW_SLOTS */
void utran_init(struct cell *c, struct rlc_pdu **windows);

/** utran_out_min() - outputs that one event may produce */
size_t utran_out_min(const struct cell_cfg *cfg);

/** utran_tti_pdus() - PDUs that one TTI may take */
static inline uint32_t utran_tti_pdus(const struct utran *u)
{
	return (uint32_t)u->leg[CELL_DIR_UL].tti_pdus + u->leg[CELL_DIR_DL].tti_pdus;
}

/** utran_ingress() - a packet arrived at its port */
void utran_ingress(struct cell *c, struct pkt *p);

/** utran_next() - time of the next block received, timer or TTI with something to send */
int64_t utran_next(const struct cell *c);

/** utran_process() - the event of utran_next(); of several at one time one, in that order */
void utran_process(struct cell *c);

/** utran_next_output() - see cell_next_output() */
int64_t utran_next_output(const struct cell *c);

/** utran_tti_from() - begin of the first TTI at or after @t_ns that was not processed */
int64_t utran_tti_from(const struct cell *c, int64_t t_ns);

/** utran_empty() - all packets that are held, in no order */
void utran_empty(struct cell *c, struct pkt_queue *ret);

#endif
