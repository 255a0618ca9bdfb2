/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * carrier.h - numerology of an NR carrier: slots, symbols, resource blocks.
 *
 * Numerology mu has a subcarrier spacing of 15 kHz times 2^mu and 2^mu slots in a sub-frame of
 * 1 ms. A slot has 14 symbols (normal cyclic prefix), a resource block 12 subcarriers. Slots are
 * numbered from the start of the cell on and have one length. In truth the first symbol of each
 * half of a sub-frame is 0.5 us longer, which here all symbols share.
 * Source: TS 38.211 4.2, 4.3; TS 38.101-1 Table 5.3.2-1; TS 38.101-2 Table 5.3.2-1
 */
#ifndef NR_CARRIER_H
#define NR_CARRIER_H

#include <stdint.h>

#define NR_MU_MAX      3
#define NR_SYMBOLS     14 /* of a slot */
#define NR_SUBCARRIERS 12 /* of a resource block */
#define NR_RB_MAX      273
#define NR_LAYERS_MAX  4
#define NR_SFNS        1024 /* system frame numbers */

/* Frequency ranges: below 7.125 GHz, and above 24.25 GHz. Source: TS 38.101-1 5.1 */
enum nr_range { NR_FR1, NR_FR2 };

/** nr_slots_per_subframe() - slots of 1 ms */
static inline uint32_t nr_slots_per_subframe(uint8_t mu)
{
	return 1u << mu;
}

/** nr_slots_per_frame() - slots of 10 ms. Source: TS 38.211 Table 4.3.2-1 */
static inline uint32_t nr_slots_per_frame(uint8_t mu)
{
	return 10u << mu;
}

/** nr_slot_ns() - length of a slot */
static inline int64_t nr_slot_ns(uint8_t mu)
{
	return INT64_C(1000000) >> mu;
}

/** nr_symbols_ns() - length of @n symbols, and where symbol @n of a slot starts */
static inline int64_t nr_symbols_ns(uint8_t mu, uint32_t n)
{
	return nr_slot_ns(mu) * (int64_t)n / NR_SYMBOLS;
}

/** nr_symbols_to_slots() - slots that @n symbols need, the last one in part */
static inline uint32_t nr_symbols_to_slots(uint32_t n)
{
	return (n + NR_SYMBOLS - 1) / NR_SYMBOLS;
}

/** nr_sfn() - system frame number of a slot */
static inline uint16_t nr_sfn(uint8_t mu, uint32_t slot)
{
	return (uint16_t)(slot / nr_slots_per_frame(mu) % NR_SFNS);
}

/** nr_slot_in_frame() - number of a slot in its frame */
static inline uint16_t nr_slot_in_frame(uint8_t mu, uint32_t slot)
{
	return (uint16_t)(slot % nr_slots_per_frame(mu));
}

/**
 * nr_n_rb() - resource blocks of a carrier of @mhz
 *
 * Return: 0 where the standard has no such carrier.
 */
uint16_t nr_n_rb(enum nr_range range, uint8_t mu, uint16_t mhz);

/**
 * nr_n1_symbols() - least time from the end of a downlink block to its HARQ feedback
 * nr_n2_symbols() - least time from the end of an uplink grant to its block
 *
 * Of a UE of capability 1 without additional DM-RS, in symbols.
 * Source: TS 38.214 Tables 5.3-1, 6.4-1
 */
uint8_t nr_n1_symbols(uint8_t mu);
uint8_t nr_n2_symbols(uint8_t mu);

#endif
