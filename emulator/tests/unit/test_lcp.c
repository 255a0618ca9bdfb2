/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logical channel prioritisation, worked out by hand. Source: TS 36.321, TS 38.321 5.4.3.1 */
#include "unit.h"

#include "mac/common/lcp.h"

/* 8 kbit/s are a byte in a millisecond, and at most 50 of them. */
static const struct cell_bearer_cfg cfg = { .prioritised_rate_bps = 8000, .bucket_ms = 50 };

static void test_order(void **state)
{
	static const uint8_t same[] = { 8, 8, 8 }, mixed[] = { 1, 16, 2, 2, 1 };
	uint8_t order[5];

	(void)state;
	lcp_order(1, same, order);
	assert_int_equal(order[0], 0);
	lcp_order(3, same, order); /* the default bearer last */
	assert_memory_equal(order, ((uint8_t[]){ 1, 2, 0 }), 3);
	lcp_order(5, mixed, order);
	assert_memory_equal(order, ((uint8_t[]){ 4, 0, 2, 3, 1 }), 5);
}

static void test_bucket(void **state)
{
	struct lcp_bucket b = { 0 };

	(void)state;
	assert_int_equal(lcp_keep(&b, &cfg, 0, 0, 100, 100), 0);
	assert_int_equal(lcp_keep(&b, &cfg, 10, 0, 100, 100), 10);
	assert_int_equal(lcp_keep(&b, &cfg, 10, 0, 100, 100), 10); /* not filled twice */
	assert_int_equal(lcp_keep(&b, &cfg, 10, 0, 7, 100), 7);    /* as it needs no more */
	assert_int_equal(lcp_keep(&b, &cfg, 10, 0, 100, 4), 4);    /* nor is there more */
	lcp_spend(&b, 4);
	assert_int_equal(lcp_keep(&b, &cfg, 11, 0, 100, 100), 7);
	lcp_spend(&b, 1000); /* of what was left over: no debt */
	assert_int_equal(lcp_keep(&b, &cfg, 12, 0, 100, 100), 1);
	assert_int_equal(lcp_keep(&b, &cfg, 1000, 0, 100, 100), 50);
}

/* Slots of 0.125 ms: eight of them for a byte. */
static void test_slots(void **state)
{
	struct lcp_bucket b = { 0 };

	(void)state;
	assert_int_equal(lcp_keep(&b, &cfg, 7, 3, 100, 100), 0);
	assert_int_equal(lcp_keep(&b, &cfg, 8, 3, 100, 100), 1);
	assert_int_equal(lcp_keep(&b, &cfg, 160, 3, 100, 100), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_bucket),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
