/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdcch.h - how many DCIs the control region of a downlink sub-frame has room for. */
#ifndef PDCCH_H
#define PDCCH_H

#include <stdint.h>

/* Symbols of the control region of a carrier of up to ten resource blocks: one more than CFI says.
 * Source: TS 36.211 6.7, Table 6.7-1 */
#define PDCCH_NARROW_RB 10

/** pdcch_symbols() - of the control region with this CFI. Source: TS 36.212 5.3.4 */
uint8_t pdcch_symbols(uint16_t n_rb, uint8_t cfi);

/**
 * pdcch_cces() - control channel elements of a sub-frame with this CFI, 1..3
 *
 * Nine groups of four resource elements each: those of the control region that reference signals
 * of two antenna ports, PCFICH and PHICH (Ng = 1) leave.
 * Source: TS 36.211 6.2.4, 6.7.4, 6.8.1, 6.9
 */
uint16_t pdcch_cces(uint16_t n_rb, uint8_t cfi);

/**
 * pdcch_level() - aggregation level for a UE that reported @cqi: log2 of the CCEs of its DCIs
 * @cces: of the sub-frame, which the level does not exceed
 *
 * The least one whose code rate is at most two thirds of what the CQI promises data; a DCI has the
 * size of formats 0 and 1A. Source: TS 36.212 5.3.3.1.3; srsRAN 4G, get_aggr_level()
 */
uint8_t pdcch_level(uint16_t n_rb, uint16_t cces, uint8_t cqi);

/** pdcch_candidates() - of a UE's search space at this level. Source: TS 36.213 Table 9.1.1-1 */
uint8_t pdcch_candidates(uint8_t level);

#endif
