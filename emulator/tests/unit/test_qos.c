/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guaranteed and maximum bit rates of a bearer, worked out by hand. Source:
 * TS 23.501 5.7.2.5, 5.7.3 */
#include <string.h>

#include "unit.h"

#include "mac/common/qos.h"

#define MS(n) ((n)*INT64_C(1000000))

/* 800 kbit/s are a byte in 10 us, and 10000 of them in a window of 100 ms. */
#define RATE_BPS  800000
#define WINDOW_MS 100
#define BURST     10000

static const struct cell_bearer_cfg limited = { .mbr_dl_bps = RATE_BPS,
	                                        .averaging_window_ms = WINDOW_MS };
static const struct cell_bearer_cfg guaranteed = { .gbr_dl_bps = RATE_BPS,
	                                           .averaging_window_ms = WINDOW_MS,
	                                           .priority_level = 20 };

static void fill(struct rlc_sdu_queue *q, struct pkt *pkt, uint32_t n, uint16_t len)
{
	*q = (struct rlc_sdu_queue){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		memset(&pkt[i], 0, sizeof(pkt[i]));
		pkt[i].sdu_len = len;
		rlc_sdu_queue_push(q, &pkt[i]);
	}
}

static void test_what_exceeds_the_maximum_waits(void **state)
{
	static struct pkt pkt[20];
	struct rlc_sdu_queue q;
	struct qos qos;

	(void)state;
	qos_init(&qos, &limited, CELL_DIR_DL, 0);
	fill(&q, pkt, 20, 1000);
	assert_int_equal(qos_held(&qos, &q, 0), 20000 - BURST);
	assert_int_equal(qos_allowed(&qos, 20000 + 7, &q, 0), BURST + 7); /* and what is no SDU */
	assert_int_equal(qos_packets(&qos, &q, 0), 11);
	qos_sent(&qos, BURST - 400, 0);
	assert_int_equal(qos_held(&qos, &q, 0), 19000); /* the first packet leaves whole */
	assert_int_equal(qos.opens_ns, CELL_NEVER);
	qos_sent(&qos, 1000, 0);
	assert_int_equal(qos_held(&qos, &q, 0), 20000); /* 600 bytes are owed: 6 ms */
	assert_int_equal(qos.opens_ns, MS(6));
	assert_int_equal(qos_held(&qos, &q, MS(6) - 1000), 20000);
	assert_int_equal(qos_held(&qos, &q, MS(6)), 19000);
	assert_int_equal(qos_held(&qos, &q, MS(6 + 50)), 15000);
	assert_int_equal(qos_held(&qos, &q, MS(3600000)), 20000 - BURST); /* no more adds up */
}

static void test_a_packet_that_began_ends(void **state)
{
	static struct pkt pkt[2];
	struct rlc_sdu_queue q;
	struct qos qos;

	(void)state;
	qos_init(&qos, &limited, CELL_DIR_DL, 0);
	fill(&q, pkt, 2, 1000);
	qos_sent(&qos, BURST + 300, 0);
	assert_int_equal(qos_held(&qos, &q, 0), 2000);
	q.head_sent = 300;
	q.bytes -= 300;
	assert_int_equal(qos_held(&qos, &q, 0), 1000);
}

static void test_what_is_guaranteed_goes_ahead(void **state)
{
	struct qos qos;

	(void)state;
	qos_init(&qos, &guaranteed, CELL_DIR_DL, 0);
	assert_true(qos.goes_ahead && qos.gbr);
	assert_int_equal(qos_ahead(&qos, 3000, 1000, 0), 3000);
	assert_int_equal(qos_ahead(&qos, 50000, 1000, 0), BURST);
	qos_sent(&qos, BURST - 900, 0);
	assert_int_equal(qos_ahead(&qos, 3000, 1000, 0), 0); /* not a part of a packet */
	assert_int_equal(qos_ahead(&qos, 3000, 1000, MS(1)), 1000);
	qos_sent(&qos, 50000, MS(1)); /* what others left is not owed */
	assert_int_equal(qos_ahead(&qos, 3000, 1000, MS(11) - 1000), 0);
	assert_int_equal(qos_ahead(&qos, 3000, 1000, MS(11)), 1000);
}

static void test_directions_have_rates_of_their_own(void **state)
{
	struct cell_bearer_cfg cfg = guaranteed;
	struct qos qos;

	(void)state;
	qos_init(&qos, &cfg, CELL_DIR_UL, 0);
	assert_false(qos.goes_ahead);
	assert_int_equal(qos_ahead(&qos, 1000, 1000, 0), 0);
	cfg.gbr_ul_bps = cfg.mbr_ul_bps = 2 * RATE_BPS;
	qos_init(&qos, &cfg, CELL_DIR_UL, 0);
	assert_int_equal(qos_ahead(&qos, 50000, 1000, 0), 2 * BURST);
	assert_int_equal(qos.most.rate_bps, 2 * RATE_BPS);
	qos_init(&qos, &cfg, CELL_DIR_SL, 0);
	assert_false(qos.goes_ahead);
	assert_int_equal(qos.most.rate_bps, 0);
}

/* Without a guaranteed rate the level says it all; 90 is that of 5QI 9. */
static void test_levels(void **state)
{
	struct qos qos;

	(void)state;
	qos_init(&qos, &(struct cell_bearer_cfg){ .priority_level = 70, .pdb_ms = 100 },
	         CELL_DIR_DL, 0);
	assert_int_equal(qos_ahead(&qos, 1234567, 1000, 0), 1234567);
	assert_int_equal(qos.budget_ns, MS(100));
	qos_init(&qos, &(struct cell_bearer_cfg){ .priority_level = 90 }, CELL_DIR_DL, 0);
	assert_int_equal(qos_ahead(&qos, 1000, 1000, 0), 0);
	qos_init(&qos, &(struct cell_bearer_cfg){ 0 }, CELL_DIR_DL, 0);
	assert_int_equal(qos_ahead(&qos, 1000, 1000, 0), 0);
	assert_int_equal(qos.level, 90);
	assert_int_equal(qos.budget_ns, MS(300));
}

/* A window that is short for its rate holds a packet. */
static void test_a_packet_always_fits(void **state)
{
	struct cell_bearer_cfg cfg = { .gbr_dl_bps = 1000, .averaging_window_ms = 1 };
	struct qos qos;

	(void)state;
	qos_init(&qos, &cfg, CELL_DIR_DL, 0);
	assert_int_equal(qos_ahead(&qos, 1500, 1500, 0), 1500);
}

static void test_largest_rates(void **state)
{
	struct cell_bearer_cfg cfg = { .mbr_dl_bps = UINT32_MAX, .averaging_window_ms = 4095 };
	static struct pkt pkt[2];
	struct rlc_sdu_queue q;
	struct qos qos;

	(void)state;
	qos_init(&qos, &cfg, CELL_DIR_DL, 0);
	fill(&q, pkt, 2, 1000);
	qos_sent(&qos, UINT32_MAX, MS(1));
	assert_int_equal(qos_held(&qos, &q, MS(1)), 2000); /* 4295 MB against 2199 */
	assert_int_equal(qos_held(&qos, &q, INT64_MAX / 2), 0);
}

static void test_claims_are_in_order(void **state)
{
	static const struct qos_claim asked[] = { { .level = 70, .deadline_ns = 5, .flow = 0 },
		                                  { .level = 20, .deadline_ns = 9, .flow = 1 },
		                                  { .level = 70, .deadline_ns = 3, .flow = 2 },
		                                  { .level = 20, .deadline_ns = 9, .flow = 3 },
		                                  { .level = 90, .deadline_ns = 0, .flow = 4 } };
	static const uint16_t expected[] = { 1, 3, 2, 0, 4 };
	struct qos_claim claims[COUNT(asked)];
	uint32_t n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(asked); i++)
		qos_claim_add(claims, &n, asked[i]);
	assert_int_equal(n, COUNT(asked));
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(claims[i].flow, expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_exceeds_the_maximum_waits),
		cmocka_unit_test(test_a_packet_that_began_ends),
		cmocka_unit_test(test_what_is_guaranteed_goes_ahead),
		cmocka_unit_test(test_directions_have_rates_of_their_own),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_a_packet_always_fits),
		cmocka_unit_test(test_largest_rates),
		cmocka_unit_test(test_claims_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
