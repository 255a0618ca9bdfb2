/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logical channel prioritisation, worked out by hand. Source: TS 36.321, TS 38.321 5.4.3.1 */
#include <string.h>

#include "unit.h"

#include "mac/common/lcp.h"

/* 8 kbit/s are a byte in a millisecond, and at most 50 of them. */
static const struct cell_bearer_cfg cfg = { .prioritised_rate_bps = 8000, .bucket_ms = 50 };

static void test_order(void **state)
{
	static const uint16_t same[] = { 8, 8, 8 }, mixed[] = { 1, 16, 2, 2, 1 };
	uint8_t order[5];

	(void)state;
	lcp_order(1, same, order);
	assert_int_equal(order[0], 0);
	lcp_order(3, same, order); /* the default bearer last */
	assert_memory_equal(order, ((uint8_t[]){ 1, 2, 0 }), 3);
	lcp_order(5, mixed, order);
	assert_memory_equal(order, ((uint8_t[]){ 4, 0, 2, 3, 1 }), 5);
}

/* SDUs of @len bytes each, of the first of which @head_sent were sent; headers of 6 and 2 bytes. */
static struct lcp_waiting waiting(struct pkt pkt[3], uint16_t len, uint16_t head_sent,
                                  struct rlc_sdu_queue *q)
{
	*q = (struct rlc_sdu_queue){ .head_sent = head_sent };
	memset(pkt, 0, 3 * sizeof(*pkt));
	for (int i = 0; i < 3; i++) {
		pkt[i].sdu_len = len;
		rlc_sdu_queue_push(q, &pkt[i]);
	}
	q->bytes -= head_sent;
	return (struct lcp_waiting){ .queue = q, .bytes = q->bytes, .headers = 6, .sdu_header = 2 };
}

static void test_whole_sdus(void **state)
{
	struct rlc_sdu_queue q;
	struct lcp_bucket b = { 0 };
	struct pkt pkt[3];
	struct lcp_waiting w = waiting(pkt, 100, 0, &q);

	(void)state;
	assert_int_equal(lcp_keep(&b, &cfg, 0, 0, w, 1000), 0); /* nothing in the bucket */
	assert_int_equal(lcp_keep(&b, &cfg, 1, 0, w, 1000), 108);
	assert_int_equal(lcp_keep(&b, &cfg, 1, 0, w, 1000), 108); /* not filled twice */
	assert_int_equal(lcp_keep(&b, &cfg, 1, 0, w, 50), 50);    /* there is no more room */
	w = waiting(pkt, 20, 0, &q);
	assert_int_equal(lcp_keep(&b, &cfg, 21, 0, w, 1000), 50); /* 21 bytes are two SDUs */
	w = waiting(pkt, 20, 15, &q);
	assert_int_equal(lcp_keep(&b, &cfg, 21, 0, w, 1000), 6 + 5 + 2 + 20 + 2);
	w.bytes += 30; /* before the queue */
	assert_int_equal(lcp_keep(&b, &cfg, 21, 0, w, 1000), 6 + 30 + 2);
	assert_int_equal(lcp_keep(&b, &cfg, 1000, 0, w, 1000), 6 + 30 + 2 + 5 + 2 + 20 + 2);
	w.bytes = q.bytes + 2; /* all of both, which is less than is in the bucket */
	assert_int_equal(lcp_keep(&b, &cfg, 1000, 0, w, 1000), 6 + 2 + 2 + 5 + 2 + 2 * (20 + 2));
	w.bytes = 0; /* none of it may leave */
	assert_int_equal(lcp_keep(&b, &cfg, 1000, 0, w, 1000), 0);
}

/* The bucket is overdrawn by an SDU of 100 bytes, and pays that back at a byte a millisecond. */
static void test_debt(void **state)
{
	struct rlc_sdu_queue q;
	struct lcp_bucket b = { 0 };
	struct pkt pkt[3];
	struct lcp_waiting w = waiting(pkt, 100, 0, &q);

	(void)state;
	assert_int_equal(lcp_keep(&b, &cfg, 1, 0, w, 1000), 108);
	lcp_spend(&b, 100);
	assert_int_equal(lcp_keep(&b, &cfg, 100, 0, w, 1000), 0);
	assert_int_equal(lcp_keep(&b, &cfg, 101, 0, w, 1000), 108);
	(void)lcp_keep(&b, &cfg, 1000, 0, w, 1000); /* 50 bytes at most */
	lcp_spend(&b, 100);
	assert_int_equal(lcp_keep(&b, &cfg, 1050, 0, w, 1000), 0);
	assert_int_equal(lcp_keep(&b, &cfg, 1051, 0, w, 1000), 108);
}

/* Slots of 0.125 ms: eight of them for a byte. */
static void test_slots(void **state)
{
	struct rlc_sdu_queue q;
	struct lcp_bucket b = { 0 };
	struct pkt pkt[3];
	struct lcp_waiting w = waiting(pkt, 1, 0, &q);

	(void)state;
	assert_int_equal(lcp_keep(&b, &cfg, 8, 3, w, 100), 6 + 1 + 2);
	assert_int_equal(lcp_keep(&b, &cfg, 9, 3, w, 100), 6 + 2 * (1 + 2)); /* a part is a byte */
	lcp_spend(&b, 2);
	assert_int_equal(lcp_keep(&b, &cfg, 16, 3, w, 100), 0);
	assert_int_equal(lcp_keep(&b, &cfg, 17, 3, w, 100), 6 + 1 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_whole_sdus),
		cmocka_unit_test(test_debt),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
