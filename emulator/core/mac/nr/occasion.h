/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * occasion.h - slots that come again: of Scheduling Requests, configured grants, preambles.
 *
 * All of them are slots whose number, less an offset, is a multiple of a period. Those that the
 * TDD pattern gives to the downlink are not there. SFNs start again after 10.24 s, which no period
 * sees that is a power of two of frames; others are counted on, as N in TS 38.321 5.8.2 is.
 * Source: TS 38.213 9.2.4 (SR); TS 38.321 5.8.2, 5.4.1 (configured grants); TS 38.211 6.3.3.2
 * (PRACH)
 */
#ifndef NR_OCCASION_H
#define NR_OCCASION_H

#include <stdbool.h>
#include <stdint.h>

#include "phy/nr/tdd.h"

struct nr_occasions {
	uint32_t period; /* slots; 0: there are none */
	uint32_t offset; /* of the first one: none is before it */
	uint8_t symbols; /* uplink symbols that each needs in its slot */
};

/** nr_occasion_is() - @slot is one */
bool nr_occasion_is(const struct nr_occasions *o, const struct nr_tdd *tdd, uint32_t slot);

/** nr_occasion_next() - the first one from @slot on; NR_SLOT_NEVER when there is none */
uint32_t nr_occasion_next(const struct nr_occasions *o, const struct nr_tdd *tdd, uint32_t slot);

/* Configured grants of type 2 are occasions whose offset is the slot of the first block that the
 * activation names; those of type 1 have the offset of RRC. */

/**
 * nr_cg_harq_id() - HARQ process of the configured grant in @slot
 * @slot: within the 1024 frames of an SFN cycle or beyond
 * @period: of the configured grant, in slots
 *
 * Source: TS 38.321 5.4.1
 */
uint8_t nr_cg_harq_id(uint8_t mu, uint32_t slot, uint32_t period, uint8_t n_processes);

/** nr_cg_period_ok() - a period that RRC can give. Source: TS 38.331 ConfiguredGrantConfig */
bool nr_cg_period_ok(uint8_t mu, uint32_t slots);

/** nr_sr_period_ok() - the same of SRs. Source: TS 38.331 SchedulingRequestResourceConfig */
bool nr_sr_period_ok(uint8_t mu, uint32_t slots);

#endif
