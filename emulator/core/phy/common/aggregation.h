/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aggregation.h - how many control channel elements a DCI takes. */
#ifndef AGGREGATION_H
#define AGGREGATION_H

#include <stdint.h>

/**
 * aggregation_level() - log2 of the CCEs of a DCI, for a code rate of at most two thirds of what
 * the CQI promises data
 * @bits: of the DCI, in the unit of @promised
 * @promised: bits of a resource element by the CQI, in a fraction of the system's own
 * @re: resource elements of a CCE
 * @max: highest level of the system
 * @cces: of the sub-frame or slot, which the level does not exceed
 */
static inline uint8_t aggregation_level(uint64_t bits, uint64_t promised, uint32_t re, uint8_t max,
                                        uint16_t cces)
{
	uint8_t level = 0;

	while (level < max && 2u << level <= cces &&
	       bits * 3 / 2 > promised * ((uint64_t)re << level))
		level++;
	return level;
}

#endif
