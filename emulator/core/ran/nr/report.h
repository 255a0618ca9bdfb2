/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - what a UE tells of its buffer: BSRs, and Scheduling Requests for grants for them. */
#ifndef NR_REPORT_H
#define NR_REPORT_H

#include "ran/nr/state.h"

void nr_report_init(struct nr_report *r, const struct nr *nr, uint8_t place);

/** nr_report_notice() - after an event: data that came to an empty channel trigger a BSR */
void nr_report_notice(struct nr *nr, struct nr_ue *u);

/** nr_report_timers() - the timers of @u that expire in @slot or before it */
void nr_report_timers(struct nr *nr, struct nr_ue *u, uint32_t slot);

/** nr_report_wants() - a new block of @u in @slot carries a BSR, if there is room */
bool nr_report_wants(const struct nr_ue *u, uint32_t slot);

/** nr_report_make() - the BSR of what waits now */
struct nr_bsr nr_report_make(const struct nr_ue *u);

/**
 * nr_report_padding() - a BSR in place of @left bytes of padding
 *
 * Return: false when there is no room for any.
 */
bool nr_report_padding(const struct nr_ue *u, uint32_t left, struct nr_bsr *ret);

/** nr_report_sent() - the block of @slot has the BSR @bsr */
void nr_report_sent(struct nr *nr, struct nr_ue *u, uint32_t slot, const struct nr_bsr *bsr,
                    bool padding);

/** nr_report_request() - send a Scheduling Request in @slot, if it is time. Return: sr-TransMax was
 * reached, so that random access has to start. */
bool nr_report_request(struct nr *nr, struct nr_ue *u, uint32_t slot);

/** nr_report_next_slot() - first slot from @from on in which one of these is due, or never */
uint32_t nr_report_next_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from);

/** nr_report_heard() - the gNB decoded a BSR of a block first sent in @slot */
void nr_report_heard(struct nr *nr, struct nr_ue *u, const struct nr_bsr *bsr, uint32_t slot);

#endif
