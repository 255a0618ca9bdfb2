/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.h - a recording of one direction of a link, for tests of trains */
#ifndef RECORDING_H
#define RECORDING_H

#include "ran/recorded/train.h"
#include "unit.h"

static const uint32_t one_ms[] = { 0 };
static const uint32_t three_ms[] = { 0, 5, 9 };

/* A recording of the downlink whose trains are @record, in opportunities of 1500 bytes. */
static inline void setup(struct cell_recorded *link, const struct cell_train *record, uint32_t n,
                         const uint32_t *offset_ms, uint32_t n_offsets)
{
	*link = (struct cell_recorded){ .bytes = 1500, .downlink_gap_ms = 50, .uplink_gap_ms = 70 };
	link->way[CELL_DIR_DL] = (struct cell_recording){ .train = record,
		                                          .n_trains = n,
		                                          .train_offset_ms = offset_ms,
		                                          .n_train_offsets = n_offsets };
}

#endif
