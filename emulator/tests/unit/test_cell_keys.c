/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fuzzer's plans have every key that is declared, at both ends of its range and between. */
#include <stdlib.h>

#include "base/limit.h"
#include "cell_plan.h"
#include "cfg_values.h"
#include "unit.h"

#define INPUTS      1000000
#define INPUT_BYTES 400

static const struct limit cell_keys[] = { CFG_DRAWN };
static const struct limit ue_keys[] = { CFG_UE_DRAWN };
static const struct limit bearer_keys[] = { CFG_BEARER_DRAWN };
static const struct limit filter_keys[] = { CFG_FILTER_DRAWN };

struct seen {
	bool low, high, between;
};

static struct seen of_cell[COUNT(cell_keys)], of_ue[COUNT(ue_keys)];
static struct seen of_bearer[COUNT(bearer_keys)], of_filter[COUNT(filter_keys)];

static uint32_t value_at(const void *base, const struct limit *l)
{
	const uint8_t *at = (const uint8_t *)base + l->offset;
	uint32_t four = 0;
	uint16_t two = 0;

	if (l->size == 1)
		return *at;
	memcpy(&two, at, sizeof(two));
	if (l->size == 4)
		memcpy(&four, at, sizeof(four));
	return l->size == 2 ? two : four;
}

static void look(struct seen *seen, const struct limit *keys, size_t n, const void *base)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = value_at(base, &keys[i]);

		seen[i].low |= value == keys[i].min;
		seen[i].high |= value == keys[i].max;
		seen[i].between |= value > keys[i].min && value < keys[i].max;
	}
}

/* @max_pkts: its greatest value takes more memory than a fuzzer has. */
static bool all_drawn(const struct seen *seen, const struct limit *key)
{
	bool between =
		seen->between || key->max - key->min <= 1 || strstr(key->field, "sn_bits") != NULL;

	return seen->low && (seen->high || strcmp(key->field, "max_pkts") == 0) && between;
}

/* The first key that was not drawn at both ends and between; @n when there is none. */
static size_t first_missing(const struct seen *seen, const struct limit *keys, size_t n)
{
	size_t i = 0;

	while (i < n && all_drawn(&seen[i], &keys[i]))
		i++;
	return i;
}

static void check(const struct seen *seen, const struct limit *keys, size_t n)
{
	size_t i = first_missing(seen, keys, n);

	if (i < n)
		fail_msg("%s: low %d, high %d, between %d", keys[i].field, seen[i].low,
		         seen[i].high, seen[i].between);
}

static bool nothing_missing(void)
{
	return first_missing(of_cell, cell_keys, COUNT(cell_keys)) == COUNT(cell_keys) &&
	       first_missing(of_ue, ue_keys, COUNT(ue_keys)) == COUNT(ue_keys) &&
	       first_missing(of_bearer, bearer_keys, COUNT(bearer_keys)) == COUNT(bearer_keys) &&
	       first_missing(of_filter, filter_keys, COUNT(filter_keys)) == COUNT(filter_keys);
}

static void draw_one(uint32_t *state)
{
	static uint8_t bytes[INPUT_BYTES];
	static struct plan plan;
	struct fuzz_input in = { .at = bytes, .left = sizeof(bytes) };

	for (size_t i = 0; i < sizeof(bytes); i++) {
		*state = *state * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(*state >> 24);
	}
	if (!plan_read(&plan, &in))
		return;
	look(of_cell, cell_keys, COUNT(cell_keys), &plan.cfg);
	for (uint8_t i = 0; i < plan.cfg.n_ue; i++)
		look(of_ue, ue_keys, COUNT(ue_keys), &plan.cfg.ue[i]);
	for (uint32_t i = 0; i < plan.cfg.n_bearers; i++) {
		look(of_bearer, bearer_keys, COUNT(bearer_keys), &plan.bearer[i]);
		look(of_filter, filter_keys, COUNT(filter_keys), &plan.bearer[i].filter[0]);
	}
}

static void test_every_key_is_drawn(void **state)
{
	uint32_t x = 1;

	(void)state;
	for (int n = 0; n < INPUTS && !nothing_missing(); n++)
		draw_one(&x);
	check(of_cell, cell_keys, COUNT(cell_keys));
	check(of_ue, ue_keys, COUNT(ue_keys));
	check(of_bearer, bearer_keys, COUNT(bearer_keys));
	check(of_filter, filter_keys, COUNT(filter_keys));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_key_is_drawn) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
