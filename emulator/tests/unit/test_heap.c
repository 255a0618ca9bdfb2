/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap of what is due, against looking at everything. */
#include <stdlib.h>

#include "unit.h"

#include "base/heap.h"
#include "base/rng.h"
#include "cellcore.h"

#define IDS 50

struct model {
	struct heap heap;
	int64_t t_ns[IDS];
	void *mem;
};

static void start(struct model *m)
{
	struct arena sizes = { 0 }, a = { 0 };

	(void)heap_take(&sizes, IDS);
	m->mem = a.base = malloc(sizes.used);
	assert_non_null(m->mem);
	m->heap = heap_take(&a, IDS);
	heap_init(&m->heap, IDS);
	for (uint32_t id = 0; id < IDS; id++)
		m->t_ns[id] = CELL_NEVER;
}

static void set(struct model *m, uint32_t id, int64_t t_ns)
{
	heap_set(&m->heap, id, t_ns);
	m->t_ns[id] = t_ns;
}

/* The lowest number of those that are due first. */
static struct heap_entry first(const struct model *m)
{
	struct heap_entry e = { .t_ns = CELL_NEVER };

	for (uint32_t id = 0; id < IDS; id++)
		if (m->t_ns[id] < e.t_ns)
			e = (struct heap_entry){ .t_ns = m->t_ns[id], .id = id };
	return e;
}

static void test_nothing_is_due(void **state)
{
	struct model m;

	(void)state;
	start(&m);
	assert_int_equal(heap_first(&m.heap).t_ns, CELL_NEVER);
	heap_set(&m.heap, 3, CELL_NEVER);
	assert_int_equal(heap_first(&m.heap).t_ns, CELL_NEVER);
	free(m.mem);
}

/* Few times, so that many things are due at one. */
static void test_first_of_all(void **state)
{
	struct model m;
	struct rng rng;

	(void)state;
	start(&m);
	rng_init(&rng, 1, "heap", 0);
	for (int i = 0; i < 100000; i++) {
		uint32_t id = rng_below(&rng, IDS), t = rng_below(&rng, 20);

		set(&m, id, t < 16 ? (int64_t)t : CELL_NEVER);
		assert_int_equal(heap_first(&m.heap).t_ns, first(&m).t_ns);
		assert_int_equal(heap_first(&m.heap).id, first(&m).id);
	}
	free(m.mem);
}

/* Taken out one by one they come in the order of their times, then of their numbers. */
static void test_order(void **state)
{
	struct model m;

	(void)state;
	start(&m);
	for (uint32_t id = 0; id < IDS; id++)
		set(&m, id, (int64_t)(id * 7 % 5));
	for (uint32_t i = 0; i < IDS; i++) {
		struct heap_entry e = heap_first(&m.heap);

		assert_int_equal(e.t_ns, i / (IDS / 5));
		assert_int_equal(e.id, first(&m).id);
		set(&m, e.id, CELL_NEVER);
	}
	assert_int_equal(heap_first(&m.heap).t_ns, CELL_NEVER);
	free(m.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_due),
		cmocka_unit_test(test_first_of_all),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
