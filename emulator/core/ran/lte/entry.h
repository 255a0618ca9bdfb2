/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - a UE comes into a cell: what it has there, and what its eNB hears and asks for. */
#ifndef LTE_ENTRY_H
#define LTE_ENTRY_H

#include "ran/lte/state.h"

/** entry_signalling_ns() - of a message between eNBs, or to the MME */
int64_t entry_signalling_ns(const struct lte *lte);

/** entry_msg3_ns() - from the answer to a preamble until the eNB has message 3 */
int64_t entry_msg3_ns(const struct lte *lte);

/** entry_take() - @u is in the cell of @enb, and has its channel and a C-RNTI there */
void entry_take(struct lte *lte, struct ue *u, uint8_t enb);

/** entry_report_buffer() - the eNB of @u hears what waits for the uplink */
void entry_report_buffer(struct lte *lte, struct ue *u);

/** entry_ask_for_path() - @from asks for the path of @u to @to */
void entry_ask_for_path(struct lte *lte, struct ue *u, uint8_t from, uint8_t to);

#endif
