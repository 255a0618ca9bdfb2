/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - what UEs measure of the eNBs, and when they report event A3. */
#ifndef MEASURE_H
#define MEASURE_H

#include "ran/lte/state.h"

/**
 * measure_take() - @u measured the eNB @enb
 *
 * Measurements of one time come in the order of eNBs; that of the last one tells whether the event
 * is entered or left.
 */
void measure_take(struct lte *lte, struct ue *u, uint8_t enb, int32_t rsrp_cdbm);

/** measure_next_ns() - when @u next reports, unless it measures something else; or CELL_NEVER */
int64_t measure_next_ns(const struct lte *lte, const struct ue *u);

/** measure_report() - the report of that time. Return: the best eNB that is due */
uint8_t measure_report(const struct lte *lte, struct ue *u);

/** measure_restart() - @u changes its cell: what was about to be reported is not. Source: TS 36.331
 * 5.5.6.1 */
void measure_restart(struct ue *u);

#endif
