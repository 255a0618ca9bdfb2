/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx.h - what both parts of the transmitting half ask of the PDUs that it keeps; see umts.h. */
#ifndef RLC_UMTS_TX_H
#define RLC_UMTS_TX_H

#include "rlc/umts/umts.h"

/** umts_tx_dist() - PDUs from VT(A) to @sn: SNs are compared with VT(A) as base */
static inline uint16_t umts_tx_dist(const struct rlc_umts_tx *tx, uint16_t sn)
{
	return (uint16_t)((sn - tx->vt_a) & UMTS_SN_MASK);
}

/** umts_tx_new_left() - there are bytes for new PDUs, or an SDU's end is still to be said */
static inline bool umts_tx_new_left(const struct rlc_umts_tx *tx)
{
	return tx->queue.bytes > 0 || tx->unmarked;
}

/** umts_tx_may_send() - @pdu was sent less than MaxDAT times */
static inline bool umts_tx_may_send(const struct rlc_umts_tx *tx, const struct rlc_pdu *pdu)
{
	return tx->max_dat == 0 || pdu->retx_count < tx->max_dat;
}

/** umts_tx_forget() - @pdu is missing no more: it was sent again, has come, or is discarded */
static inline void umts_tx_forget(struct rlc_umts_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->considered && umts_tx_may_send(tx, pdu))
		tx->n_retx--;
	pdu->considered = false;
}

#endif
