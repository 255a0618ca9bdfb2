/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CoDel beside the pseudo-code of RFC 8289 5, which is written down here as it is there: a queue
 * that drops in a loop until it has a packet to send.
 */
#include "unit.h"

#include <math.h>

#include "aqm/codel.h"
#include "base/rng.h"
#include "cellcore.h"

#define MS(n)    ((n)*INT64_C(1000000))
#define PKTS     4000
#define PKT      1500
#define TARGET   MS(5)
#define INTERVAL MS(100)

/* --- RFC 8289 5.4 to 5.6, with its names --- */

static struct {
	int64_t tstamp[PKTS];
	uint32_t head, tail;
	int64_t first_above_time, drop_next;
	uint32_t count, lastcount;
	bool dropping;
	bool dropped[PKTS];
} rfc;

struct dodequeue_result {
	uint32_t p; /* PKTS: NULL */
	bool ok_to_drop;
};

static int64_t rfc_control_law(int64_t t, uint32_t count)
{
	return t + (int64_t)((double)INTERVAL / sqrt(count));
}

static struct dodequeue_result rfc_dodequeue(int64_t now)
{
	struct dodequeue_result r = { .p = PKTS };

	if (rfc.head == rfc.tail) {
		rfc.first_above_time = 0;
		return r;
	}
	r.p = rfc.head++;
	if (now - rfc.tstamp[r.p] < TARGET || (rfc.tail - rfc.head) * PKT <= CELL_UE_MTU_MAX) {
		rfc.first_above_time = 0;
	} else if (rfc.first_above_time == 0) {
		rfc.first_above_time = now + INTERVAL;
	} else if (now >= rfc.first_above_time) {
		r.ok_to_drop = true;
	}
	return r;
}

static uint32_t rfc_dequeue(int64_t now)
{
	struct dodequeue_result r = rfc_dodequeue(now);
	uint32_t delta;

	if (rfc.dropping) {
		if (!r.ok_to_drop)
			rfc.dropping = false;
		while (now >= rfc.drop_next && rfc.dropping) {
			rfc.dropped[r.p] = true;
			++rfc.count;
			r = rfc_dodequeue(now);
			if (!r.ok_to_drop)
				rfc.dropping = false;
			else
				rfc.drop_next = rfc_control_law(rfc.drop_next, rfc.count);
		}
	} else if (r.ok_to_drop) {
		rfc.dropped[r.p] = true;
		r = rfc_dodequeue(now);
		rfc.dropping = true;
		delta = rfc.count - rfc.lastcount;
		rfc.count = 1;
		if (delta > 1 && now - rfc.drop_next < 16 * INTERVAL)
			rfc.count = delta;
		rfc.drop_next = rfc_control_law(now, rfc.count);
		rfc.lastcount = rfc.count;
	}
	return r.p;
}

/* --- beside it --- */

static const struct codel_cfg cfg = { .target_ns = TARGET, .interval_ns = INTERVAL };
static struct codel codel;
static uint32_t head, n_dropped;

/* Packets until one is sent. Return: which one, PKTS: there is none. */
static uint32_t dequeue(int64_t now)
{
	while (head < rfc.tail) {
		uint32_t p = head++;
		enum aqm_verdict verdict = codel_decide(&codel, &cfg, now - rfc.tstamp[p],
		                                        (rfc.tail - head) * PKT, false, now);

		assert_true(verdict == AQM_PASS || verdict == AQM_DROP);
		if (verdict == AQM_PASS)
			return p;
		assert_true(rfc.dropped[p]);
		n_dropped++;
	}
	return PKTS;
}

/* Packets come at random, one is sent every 2 ms as long as some wait; above 1, the load is too
 * high.
 */
static void test_as_the_pseudo_code(void **state)
{
	static const double loads[] = { 0.5, 0.95, 1.02, 1.2, 2, 5 };

	(void)state;
	for (uint32_t i = 0; i < COUNT(loads); i++) {
		struct rng rng;
		uint32_t sent = 0, expected = 0;

		rng_init(&rng, i + 1, "codel", 0);
		memset(&rfc, 0, sizeof(rfc));
		codel = (struct codel){ 0 };
		head = n_dropped = 0;
		for (int64_t t = MS(1); rfc.head < PKTS && t < MS(20000); t += MS(2)) {
			/* It comes and goes, so that the dropping state is left and entered. */
			bool busy = t / MS(1500) % 2 == 0;
			double want = busy ? loads[i] : loads[i] / 4;

			while (want > 0 && rfc.tail < PKTS) {
				if (want >= 1 || rng_hit(&rng, (uint32_t)(want * UINT32_MAX)))
					rfc.tstamp[rfc.tail++] = t;
				want -= 1;
			}
			expected = rfc_dequeue(t);
			assert_int_equal(dequeue(t), expected);
			sent += expected < PKTS;
			assert_int_equal(codel.count, rfc.count);
			assert_int_equal(codel.dropping, rfc.dropping);
		}
		assert_true(sent > 500);
		assert_int_equal(n_dropped > 0, loads[i] > 1);
	}
}

/* A standing queue from 0 on: the first drop is 100 ms after the delay was found above the target,
 * then after 100 / sqrt(1), 100 / sqrt(2), ... ms. */
static void test_drops_come_faster(void **state)
{
	static const int64_t at_ms[] = { 105, 205, 276, 334, 384 };
	uint32_t n = 0;

	(void)state;
	codel = (struct codel){ 0 };
	for (int64_t t = 0; t < 400 && n < COUNT(at_ms); t++) {
		enum aqm_verdict verdict =
			codel_decide(&codel, &cfg, MS(t), 10 * PKT, false, MS(t));

		if (verdict != AQM_DROP)
			continue;
		assert_int_equal(t, at_ms[n++]); /* the next whole millisecond */
		assert_int_equal(codel_decide(&codel, &cfg, MS(t), 10 * PKT, false, MS(t)),
		                 AQM_PASS);
	}
	assert_int_equal(n, COUNT(at_ms));
}

/* Marks are as often as drops, and what is marked is sent. */
static void test_marks_in_place_of_drops(void **state)
{
	static const struct codel_cfg marking = { .target_ns = TARGET,
		                                  .interval_ns = INTERVAL,
		                                  .ecn = true };
	struct codel other = { 0 };
	uint32_t marks = 0, drops = 0;

	(void)state;
	codel = (struct codel){ 0 };
	for (int64_t t = 0; t < 1000; t++) {
		marks += codel_decide(&codel, &marking, MS(t), 10 * PKT, true, MS(t)) == AQM_MARK;
		if (codel_decide(&other, &marking, MS(t), 10 * PKT, false, MS(t)) == AQM_DROP) {
			drops++;
			assert_int_equal(
				codel_decide(&other, &marking, MS(t), 10 * PKT, false, MS(t)),
				AQM_PASS);
		}
	}
	assert_int_equal(marks, drops);
	assert_true(marks > 10);
}

/* The last packets of a queue are never dropped, however long they waited. */
static void test_few_bytes_are_no_queue(void **state)
{
	(void)state;
	codel = (struct codel){ 0 };
	for (int64_t t = 0; t < 2000; t++)
		assert_int_equal(codel_decide(&codel, &cfg, MS(t), CELL_UE_MTU_MAX, false, MS(t)),
		                 AQM_PASS);
	assert_false(codel.dropping);
}

/* An empty queue ends the dropping state; how often to drop is kept for 16 intervals. */
static void test_empty(void **state)
{
	(void)state;
	codel = (struct codel){ 0 };
	for (int64_t t = 0; t < 1000; t++)
		(void)codel_decide(&codel, &cfg, MS(t), 10 * PKT, false, MS(t));
	assert_true(codel.dropping && codel.count > 10);
	codel_empty(&codel);
	assert_false(codel.dropping);
	assert_int_equal(codel_decide(&codel, &cfg, MS(500), 10 * PKT, false, MS(1000)), AQM_PASS);
	assert_int_equal(codel_decide(&codel, &cfg, MS(500), 10 * PKT, false, MS(1099)), AQM_PASS);
	assert_int_equal(codel_decide(&codel, &cfg, MS(500), 10 * PKT, false, MS(1100)), AQM_DROP);
	assert_true(codel.count > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_pseudo_code),
		cmocka_unit_test(test_drops_come_faster),
		cmocka_unit_test(test_marks_in_place_of_drops),
		cmocka_unit_test(test_few_bytes_are_no_queue),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
