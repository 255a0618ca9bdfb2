/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsr.h - buffer size levels and formats of NR's Buffer Status Reports.
 *
 * A short report has one group of logical channels and a level of 5 bits, a long one all groups
 * with data and levels of 8 bits. Where a long one does not fit into padding it is truncated.
 * Source: TS 38.321 5.4.5, 6.1.3.1, Tables 6.1.3.1-1, 6.1.3.1-2
 */
#ifndef NR_BSR_H
#define NR_BSR_H

#include <stdbool.h>
#include <stdint.h>

#define NR_LCGS 8 /* groups of logical channels */

enum nr_bsr_format { NR_BSR_SHORT, NR_BSR_SHORT_TRUNCATED, NR_BSR_LONG, NR_BSR_LONG_TRUNCATED };

struct nr_bsr {
	uint8_t format;         /* enum nr_bsr_format */
	uint8_t lcgs;           /* bit i: group i has data (long), or is the one reported (short) */
	uint8_t n;              /* levels that are there: 1 of a short one */
	uint8_t level[NR_LCGS]; /* a short one's of 5 bits; a long one's of 8, groups rising;
	                         * a truncated one's by priority */
};

/** nr_bsr_level5() - level of a short report for @bytes, 0..31 */
uint8_t nr_bsr_level5(uint32_t bytes);

/** nr_bsr_level8() - level of a long report for @bytes, 0..254 */
uint8_t nr_bsr_level8(uint32_t bytes);

/**
 * nr_bsr_bytes5() - what a gNB reads from a level: its upper bound
 * nr_bsr_bytes8() - the same for a long report
 *
 * The last level has none; the gNB then takes twice its lower bound.
 */
uint32_t nr_bsr_bytes5(uint8_t level);
uint32_t nr_bsr_bytes8(uint8_t level);

/**
 * nr_bsr_make() - a regular or periodic report: short where one group at most has data, else long
 * @bytes: of each group
 */
struct nr_bsr nr_bsr_make(const uint32_t bytes[NR_LCGS]);

/**
 * nr_bsr_make_padding() - the report that fits into @left bytes of padding, subheader included
 * @order: groups by their highest priority, those first that a truncated report names first
 *
 * Return: false when none fits.
 */
bool nr_bsr_make_padding(struct nr_bsr *ret, const uint32_t bytes[NR_LCGS],
                         const uint8_t order[NR_LCGS], uint32_t left);

/** nr_bsr_ce_bytes() - size of the report as a control element, subheader included */
uint32_t nr_bsr_ce_bytes(const struct nr_bsr *bsr);

/**
 * nr_bsr_read() - bytes of each group as a gNB reads them
 * @order: as for nr_bsr_make_padding(): which groups the levels of a truncated report are of
 *
 * A group that a short or long report does not name has nothing; what a truncated one does not
 * tell is not known.
 * @ret: of groups that the report says nothing of, left as it is
 */
void nr_bsr_read(const struct nr_bsr *bsr, const uint8_t order[NR_LCGS], uint32_t ret[NR_LCGS]);

#endif
