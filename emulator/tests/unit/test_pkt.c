/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues of packets: wherever one is put in or taken out, the order, the end and the number are
 * right. */
#include "base/pkt.h"
#include "unit.h"

static struct pkt pkt[4];

static void check(const struct pkt_queue *q, const struct pkt *const *expected, uint32_t n)
{
	const struct pkt *p = q->head;

	assert_int_equal(q->n, n);
	for (uint32_t i = 0; i < n; i++, p = p->next)
		assert_ptr_equal(p, expected[i]);
	assert_null(p);
	assert_ptr_equal(q->tail, n ? expected[n - 1] : NULL);
}

#define CHECK(q, ...)                                                                              \
	do {                                                                                       \
		const struct pkt *const expected[] = { __VA_ARGS__ };                              \
                                                                                                   \
		check(q, expected, COUNT(expected));                                               \
	} while (0)

static void test_first_in_first_out(void **state)
{
	struct pkt_queue q = { 0 };

	(void)state;
	assert_null(pkt_dequeue(&q));
	pkt_enqueue(&q, &pkt[0]);
	CHECK(&q, &pkt[0]);
	pkt_enqueue(&q, &pkt[1]);
	CHECK(&q, &pkt[0], &pkt[1]);
	assert_ptr_equal(pkt_dequeue(&q), &pkt[0]);
	CHECK(&q, &pkt[1]);
	assert_ptr_equal(pkt_dequeue(&q), &pkt[1]);
	check(&q, NULL, 0);
}

static void test_insert_and_remove(void **state)
{
	struct pkt_queue q = { 0 };

	(void)state;
	pkt_queue_insert(&q, NULL, &pkt[1]);
	CHECK(&q, &pkt[1]);
	pkt_queue_insert(&q, NULL, &pkt[0]);
	CHECK(&q, &pkt[0], &pkt[1]);
	pkt_queue_insert(&q, &pkt[1], &pkt[3]);
	CHECK(&q, &pkt[0], &pkt[1], &pkt[3]);
	pkt_queue_insert(&q, &pkt[1], &pkt[2]);
	CHECK(&q, &pkt[0], &pkt[1], &pkt[2], &pkt[3]);
	assert_ptr_equal(pkt_queue_remove(&q, &pkt[0]), &pkt[1]);
	CHECK(&q, &pkt[0], &pkt[2], &pkt[3]);
	assert_ptr_equal(pkt_queue_remove(&q, &pkt[2]), &pkt[3]);
	CHECK(&q, &pkt[0], &pkt[2]);
	assert_ptr_equal(pkt_queue_remove(&q, NULL), &pkt[0]);
	CHECK(&q, &pkt[2]);
	assert_ptr_equal(pkt_queue_remove(&q, NULL), &pkt[2]);
	check(&q, NULL, 0);
}

static void test_move(void **state)
{
	struct pkt_queue a = { 0 }, b = { 0 };

	(void)state;
	pkt_queue_move(&a, &b);
	check(&a, NULL, 0);
	pkt_enqueue(&b, &pkt[0]);
	pkt_queue_move(&a, &b);
	CHECK(&a, &pkt[0]);
	check(&b, NULL, 0);
	pkt_queue_move(&a, &b);
	CHECK(&a, &pkt[0]);
	pkt_enqueue(&b, &pkt[1]);
	pkt_enqueue(&b, &pkt[2]);
	pkt_queue_move(&a, &b);
	CHECK(&a, &pkt[0], &pkt[1], &pkt[2]);
	check(&b, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_in_first_out),
		cmocka_unit_test(test_insert_and_remove),
		cmocka_unit_test(test_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
