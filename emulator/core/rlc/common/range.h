/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - a small set of byte ranges of one PDU's data field.
 *
 * The AM receiver keeps what has come of a PDU, the AM transmitter what it has
 * to send again. Ranges are half open, sorted, and never touch each other.
 */
#ifndef RLC_RANGE_H
#define RLC_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#define RLC_RANGES_MAX 16

struct rlc_ranges {
	uint16_t n;
	struct {
		uint16_t from;
		uint16_t to;
	} at[RLC_RANGES_MAX];
};

/** rlc_ranges_add() - unite with @from..@to. Return: false, and no change, when the set is full. */
bool rlc_ranges_add(struct rlc_ranges *r, uint16_t from, uint16_t to);

/** rlc_ranges_cover() - every byte of @from..@to is in the set; true for an empty range */
bool rlc_ranges_cover(const struct rlc_ranges *r, uint16_t from, uint16_t to);

/** rlc_ranges_take() - remove what lies before @to of the first range, which starts before @to */
void rlc_ranges_take(struct rlc_ranges *r, uint16_t to);

#endif
