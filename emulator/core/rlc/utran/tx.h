/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx.h - what both parts of the transmitting half ask of the PDUs that it keeps; see am.h. */
#ifndef RLC_UTRAN_TX_H
#define RLC_UTRAN_TX_H

#include "rlc/utran/am.h"

/** rlc_utran_tx_dist() - PDUs from VT(A) to @sn: SNs are compared with VT(A) as base */
static inline uint16_t rlc_utran_tx_dist(const struct rlc_utran_tx *tx, uint16_t sn)
{
	return (uint16_t)((sn - tx->vt_a) & RLC_UTRAN_SN_MASK);
}

/** rlc_utran_tx_new_left() - there are bytes for new PDUs, or an SDU's end is still to be said */
static inline bool rlc_utran_tx_new_left(const struct rlc_utran_tx *tx)
{
	return tx->queue.bytes > 0 || tx->unmarked;
}

/** rlc_utran_tx_may_send() - @pdu was sent less than MaxDAT times */
static inline bool rlc_utran_tx_may_send(const struct rlc_utran_tx *tx, const struct rlc_pdu *pdu)
{
	return tx->max_dat == 0 || pdu->retx_count < tx->max_dat;
}

/** rlc_utran_tx_forget() - @pdu is missing no more: it was sent again, has come, or is discarded */
static inline void rlc_utran_tx_forget(struct rlc_utran_tx *tx, struct rlc_pdu *pdu)
{
	if (pdu->considered && rlc_utran_tx_may_send(tx, pdu))
		tx->n_retx--;
	pdu->considered = false;
}

#endif
