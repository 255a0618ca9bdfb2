/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - what radio.trace tells of a dedicated channel; docs/trace-format.md has the
 * fields. */
#ifndef UTRAN_TRACE_H
#define UTRAN_TRACE_H

#include "ran/utran/state.h"

/** utran_record() - a row of what happened at the start of direction @dir, or at its end */
void utran_record(struct utran_link *u, int dir, bool at_end, struct cell_record r);

/** utran_record_buffer() - SDUs that wait at the start of direction @dir */
void utran_record_buffer(struct utran_link *u, int dir);

/** utran_record_data() - AMD PDU @b of utran.tx_pdu goes on the air on direction @dir */
void utran_record_data(struct utran_link *u, int dir, const struct rlc_utran_built *b);

/**
 * utran_record_status() - the STATUS PDU in utran.status, of @len bytes, is sent or received
 *
 * ACK_SN and the number of PDUs named missing; or SN_MRW with 1 in aux. @piggybacked: 2 in aux.
 */
void utran_record_status(struct utran_link *u, int dir, bool at_end, uint32_t len,
                         bool piggybacked);

/** utran_record_discard() - the SDUs of a discard that the transmitter of direction @dir has
 * started */
void utran_record_discard(struct utran_link *u, int dir);

#endif
