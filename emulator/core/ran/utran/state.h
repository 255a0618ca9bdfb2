/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - UEs on dedicated channels (DCH) of the UTRAN, each on its own, in place of a cell of
 * LTE.
 *
 * In every TTI of a direction a fixed number of transport blocks goes on the
 * air, each with one RLC PDU of a fixed size: first an MRW and a STATUS PDU if they
 * are due, in turn so that none starves the other where a TTI has one block; then
 * AMD PDUs as long as there are any. With CELL_STATUS_PIGGYBACK a control PDU waits if an AMD PDU
 * of this TTI or, at first, the next one will have room for it behind its data; with
 * CELL_STATUS_CHANNEL it has a block beside. A block is received, or
 * lost, at the end of its TTI and a delay. The eNB's place is that of Node B and RNC.
 * Two opposite channels are one AM entity each way: a channel carries the STATUS PDUs
 * of the other one. IP packets are RLC SDUs: PDCP has no header without header compression.
 * Source: DeMey 2005 sections II and IV; TS 25.322 5.5.0 9.7.2, 11.6
 */
#ifndef UTRAN_STATE_H
#define UTRAN_STATE_H

#include "base/cell.h"
#include "base/out.h"
#include "base/rng.h"
#include "mac/common/tb.h"
#include "ran/independent/independent.h"
#include "rlc/utran/am.h"

#define UTRAN_PDUS_MAX     64 /* transport blocks of a TTI in one direction */
#define UTRAN_WINDOW_SLOTS (2 * 2 * RLC_UTRAN_SLOTS) /* of transmitter and receiver, both ways */

struct utran_dch {
	struct rlc_utran_tx tx; /* at its start */
	struct rlc_utran_rx rx; /* at its end */
	struct rng loss_rng;
	uint32_t bler_q32;
	uint16_t tti_pdus;
	bool status_next;                    /* of STATUS PDU and MRW, if both are due */
	bool put_off;                        /* a control PDU has waited since the TTI before */
	int64_t arrival_ns[RLC_UTRAN_SLOTS]; /* by SN: of the AMD PDU sent last that is not lost */
};

/* A UE's channel. */
struct utran_link {
	struct independent_link link; /* first */
	struct out_at at[2];          /* as rows name them: CELL_DIR_UL, CELL_DIR_DL */
	struct utran_dch dch[2];      /* CELL_DIR_UL, CELL_DIR_DL */
	int64_t tti_ns;
	int64_t delay_ns;       /* end of a TTI to RLC at the other end */
	int64_t next_tti_ns;    /* start of the first TTI that was not processed */
	struct tb_queue air[2]; /* in flight, by decode time */
};

/* What all channels use, one at a time. */
struct utran {
	struct independent independent; /* first */
	struct tb_pool blocks;
	struct rlc_pool rlc_pool;
	struct rlc_pdu **window;        /* @UTRAN_WINDOW_SLOTS of each UE */
	struct rlc_tx_pdu tx_pdu;       /* the PDU being built; too large for the stack */
	struct rlc_utran_status status; /* being built or read; likewise */
};

static inline struct utran *utran_of(const struct utran_link *u)
{
	return (struct utran *)u->link.cell;
}

#endif
