/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coreset.h - how many DCIs the control resource set of a downlink slot has room for. */
#ifndef CORESET_H
#define CORESET_H

#include <stdint.h>

#include "phy/nr/cqi.h"

/** coreset_cces() - control channel elements of @symbols symbols on all @n_rb resource blocks: six
 * blocks and symbols each, and resource blocks by sixes. Source: TS 38.211 7.3.2.2 */
uint16_t coreset_cces(uint16_t n_rb, uint8_t symbols);

/**
 * coreset_level() - aggregation level for a UE that reported @cqi: log2 of the CCEs of its DCIs
 * @cces: of the slot, which the level does not exceed
 *
 * As in LTE: the least one whose code rate is at most two thirds of what the CQI promises data. A
 * CCE has 54 resource elements beside its reference signals, and a DCI of formats 0_1 and 1_1 about
 * 70 bits with its CRC. Source: TS 38.211 7.3.2.2, 7.4.1.3; TS 38.212 7.3.1
 */
uint8_t coreset_level(enum nr_table table, uint16_t cces, uint8_t cqi);

/** coreset_candidates() - of a UE's search space at this level, 17 in all: within what a UE decodes
 * in a slot of any numerology. Source: TS 38.213 Table 10.1-2 */
uint8_t coreset_candidates(uint8_t level);

#endif
