/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tdd.h - which symbols of which slots are downlink and which uplink.
 *
 * A pattern is a word of D (downlink), S (special) and U (uplink), a letter for a slot, which
 * comes again and again: "DDDSU". A special slot starts with downlink symbols and ends with uplink
 * symbols; what is between is the guard, in which UEs turn round. The network may join two patterns
 * (DDDSUUDDDD is DDDSUU and DDDD). Without a pattern (FDD) every slot has all symbols of both.
 * Source: TS 38.213 11.1; TS 38.331 TDD-UL-DL-ConfigCommon
 */
#ifndef NR_TDD_H
#define NR_TDD_H

#include <stdint.h>

#define NR_TDD_SLOTS_MAX 80 /* 10 ms at numerology 3 */
#define NR_SLOT_NEVER    UINT32_MAX

struct nr_tdd {
	uint8_t n_slots; /* of the pattern; 0: FDD */
	uint8_t dl_symbols[NR_TDD_SLOTS_MAX];
	uint8_t ul_symbols[NR_TDD_SLOTS_MAX];
};

enum nr_tdd_fault {
	NR_TDD_OK,
	NR_TDD_LETTER,  /* not D, S, U, or too long, or empty */
	NR_TDD_ORDER,   /* not one or two times D, then at most one S, then U */
	NR_TDD_PERIOD,  /* a period the standard does not have, or that does not divide 20 ms */
	NR_TDD_GUARD,   /* no special slot between downlink and uplink, or one without guard */
	NR_TDD_ONE_WAY, /* nothing for the downlink, or for the uplink */
};

/**
 * nr_tdd_init() - read a pattern
 * @pattern: NULL: FDD
 * @special_dl: downlink symbols of special slots
 * @special_ul: their uplink symbols
 */
enum nr_tdd_fault nr_tdd_init(struct nr_tdd *ret, uint8_t mu, const char *pattern,
                              uint8_t special_dl, uint8_t special_ul);

/** nr_dl_symbols() - downlink symbols of a slot, from its start on */
uint8_t nr_dl_symbols(const struct nr_tdd *tdd, uint32_t slot);

/** nr_ul_symbols() - uplink symbols of a slot, up to its end */
uint8_t nr_ul_symbols(const struct nr_tdd *tdd, uint32_t slot);

/**
 * nr_next_dl() - first slot from @slot on with at least @symbols downlink symbols
 * nr_next_ul() - the same for the uplink
 *
 * Return: NR_SLOT_NEVER where the pattern has none.
 */
uint32_t nr_next_dl(const struct nr_tdd *tdd, uint32_t slot, uint8_t symbols);
uint32_t nr_next_ul(const struct nr_tdd *tdd, uint32_t slot, uint8_t symbols);

/**
 * nr_feedback_slot() - slot of the HARQ feedback of a downlink block in @slot
 *
 * The first one, @k1_min slots later or more, with as many uplink symbols as any slot has: what
 * gNBs configure as the candidates of K1.
 */
uint32_t nr_feedback_slot(const struct nr_tdd *tdd, uint32_t slot, uint8_t k1_min);

#endif
