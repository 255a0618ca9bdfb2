/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tdd.c - TDD patterns; see tdd.h. */
#include "phy/nr/tdd.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "phy/nr/carrier.h"

/* dl-UL-TransmissionPeriodicity, with those of 3 and 4 ms that release 15.3 added. Which of them
 * a numerology can have follows from whole slots. Source: TS 38.213 11.1; TS 38.331 */
static bool is_period(uint8_t mu, size_t n_slots)
{
	static const uint16_t periods_us[] = { 500,  625,  1000, 1250, 2000,
		                               2500, 3000, 4000, 5000, 10000 };

	for (size_t i = 0; i < sizeof(periods_us) / sizeof(periods_us[0]); i++)
		if (n_slots * 1000 == (size_t)periods_us[i] << mu)
			return true;
	return false;
}

/* Length of the pattern at the start of @word: downlink, special, uplink. */
static size_t one_pattern(const char *word)
{
	size_t n = strspn(word, "D");

	n += word[n] == 'S';
	return n + strspn(word + n, "U");
}

static enum nr_tdd_fault check_word(uint8_t mu, const char *word)
{
	size_t n = strlen(word), first, second;

	if (n == 0 || n > NR_TDD_SLOTS_MAX || strspn(word, "DSU") != n)
		return NR_TDD_LETTER;
	first = one_pattern(word);
	second = one_pattern(word + first);
	if (first + second != n || (second && word[first] != 'D'))
		return NR_TDD_ORDER;
	if (!is_period(mu, first) || (second && !is_period(mu, second)))
		return NR_TDD_PERIOD;
	return (20u << mu) % n == 0 ? NR_TDD_OK : NR_TDD_PERIOD;
}

/* Downlink up to the end of a slot, and uplink from the start of the next: nobody can turn round.
 */
static enum nr_tdd_fault check_turns(const struct nr_tdd *tdd)
{
	unsigned dl = 0, ul = 0;

	for (uint8_t i = 0; i < tdd->n_slots; i++) {
		uint8_t next = (uint8_t)((i + 1) % tdd->n_slots);

		if (tdd->dl_symbols[i] == NR_SYMBOLS && tdd->ul_symbols[next] == NR_SYMBOLS)
			return NR_TDD_GUARD;
		dl += tdd->dl_symbols[i];
		ul += tdd->ul_symbols[i];
	}
	return dl && ul ? NR_TDD_OK : NR_TDD_ONE_WAY;
}

enum nr_tdd_fault nr_tdd_init(struct nr_tdd *ret, uint8_t mu, const char *pattern,
                              uint8_t special_dl, uint8_t special_ul)
{
	enum nr_tdd_fault fault;

	*ret = (struct nr_tdd){ 0 };
	if (!pattern)
		return NR_TDD_OK;
	fault = check_word(mu, pattern);
	if (fault)
		return fault;
	if (strchr(pattern, 'S') && special_dl + special_ul >= NR_SYMBOLS)
		return NR_TDD_GUARD;
	for (; pattern[ret->n_slots]; ret->n_slots++) {
		char letter = pattern[ret->n_slots];

		ret->dl_symbols[ret->n_slots] = letter == 'D'   ? NR_SYMBOLS
		                                : letter == 'S' ? special_dl
		                                                : 0;
		ret->ul_symbols[ret->n_slots] = letter == 'U'   ? NR_SYMBOLS
		                                : letter == 'S' ? special_ul
		                                                : 0;
	}
	return check_turns(ret);
}

uint8_t nr_dl_symbols(const struct nr_tdd *tdd, uint32_t slot)
{
	return tdd->n_slots ? tdd->dl_symbols[slot % tdd->n_slots] : NR_SYMBOLS;
}

uint8_t nr_ul_symbols(const struct nr_tdd *tdd, uint32_t slot)
{
	return tdd->n_slots ? tdd->ul_symbols[slot % tdd->n_slots] : NR_SYMBOLS;
}

static uint32_t next(const struct nr_tdd *tdd, const uint8_t *symbols_of, uint32_t slot,
                     uint8_t symbols)
{
	if (tdd->n_slots == 0)
		return slot;
	for (uint32_t i = 0, at = slot % tdd->n_slots; i < tdd->n_slots; i++) {
		if (symbols_of[at] >= symbols)
			return slot + i;
		at = at + 1u == tdd->n_slots ? 0 : at + 1;
	}
	return NR_SLOT_NEVER;
}

uint32_t nr_next_dl(const struct nr_tdd *tdd, uint32_t slot, uint8_t symbols)
{
	return next(tdd, tdd->dl_symbols, slot, symbols);
}

uint32_t nr_next_ul(const struct nr_tdd *tdd, uint32_t slot, uint8_t symbols)
{
	return next(tdd, tdd->ul_symbols, slot, symbols);
}

uint32_t nr_feedback_slot(const struct nr_tdd *tdd, uint32_t slot, uint8_t k1_min)
{
	uint8_t most = 0;

	for (uint8_t i = 0; i < tdd->n_slots; i++)
		most = tdd->ul_symbols[i] > most ? tdd->ul_symbols[i] : most;
	return nr_next_ul(tdd, slot + k1_min, most);
}
