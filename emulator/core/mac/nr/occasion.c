/* SPDX-License-Identifier: GPL-2.0-or-later */
/* occasion.c - slots that come again; see occasion.h. */
#include "mac/nr/occasion.h"

#include <stddef.h>

#include "phy/nr/carrier.h"

bool nr_occasion_is(const struct nr_occasions *o, const struct nr_tdd *tdd, uint32_t slot)
{
	return o->period && slot >= o->offset && (slot - o->offset) % o->period == 0 &&
	       nr_ul_symbols(tdd, slot) >= o->symbols;
}

uint32_t nr_occasion_next(const struct nr_occasions *o, const struct nr_tdd *tdd, uint32_t slot)
{
	uint32_t n = tdd->n_slots ? tdd->n_slots : 1, next = o->offset;

	if (o->period == 0)
		return NR_SLOT_NEVER;
	if (slot > o->offset)
		next += (slot - o->offset + o->period - 1) / o->period * o->period;
	/* After as many periods as the pattern has slots it is where it started. */
	for (uint32_t i = 0; i < n; i++, next += o->period)
		if (nr_ul_symbols(tdd, next) >= o->symbols)
			return next;
	return NR_SLOT_NEVER;
}

uint8_t nr_cg_harq_id(uint8_t mu, uint32_t slot, uint32_t period, uint8_t n_processes)
{
	uint32_t in_cycle = slot % (NR_SFNS * nr_slots_per_frame(mu));

	return (uint8_t)(in_cycle / period % n_processes);
}

/* A period that numerologies from @mu_min to @mu_max have. */
struct period {
	uint16_t slots;
	uint8_t mu_min;
	uint8_t mu_max;
};

static bool is_one_of(const struct period *periods, size_t n, uint8_t mu, uint32_t slots)
{
	for (size_t i = 0; i < n; i++)
		if (periods[i].slots == slots)
			return mu >= periods[i].mu_min && mu <= periods[i].mu_max;
	return false;
}

bool nr_cg_period_ok(uint8_t mu, uint32_t slots)
{
	static const struct period periods[] = {
		{ 1, 0, 3 },    { 2, 0, 3 },    { 4, 0, 3 },   { 5, 0, 3 },    { 8, 0, 3 },
		{ 10, 0, 3 },   { 16, 0, 3 },   { 20, 0, 3 },  { 32, 0, 3 },   { 40, 0, 3 },
		{ 64, 0, 3 },   { 80, 0, 3 },   { 128, 0, 3 }, { 160, 0, 3 },  { 256, 1, 3 },
		{ 320, 0, 3 },  { 512, 2, 3 },  { 640, 0, 3 }, { 1024, 3, 3 }, { 1280, 1, 3 },
		{ 2560, 2, 3 }, { 5120, 3, 3 },
	};

	return is_one_of(periods, sizeof(periods) / sizeof(periods[0]), mu, slots);
}

bool nr_sr_period_ok(uint8_t mu, uint32_t slots)
{
	static const struct period periods[] = {
		{ 1, 0, 3 },   { 2, 0, 3 },   { 4, 0, 3 },   { 5, 0, 0 },  { 8, 0, 3 },
		{ 10, 0, 1 },  { 16, 0, 3 },  { 20, 0, 2 },  { 40, 0, 3 }, { 80, 0, 3 },
		{ 160, 1, 3 }, { 320, 2, 3 }, { 640, 3, 3 },
	};

	return is_one_of(periods, sizeof(periods) / sizeof(periods[0]), mu, slots);
}
