/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In sync, out of sync, T310: a link whose frames have given SINRs. Qout is -8 dB over 20 frames of
 * 10 ms, Qin -6 dB over 10. Source: TS 36.331 5.3.11
 */
#include <string.h>

#include "failure.h"

struct watched {
	struct cell cell;
	struct radio_link link;
};

static void watch(struct watched *w, uint8_t n310, uint8_t n311, uint16_t t310_ms)
{
	struct run keys = { 0 };

	memset(w, 0, sizeof(*w));
	failure_keys(&keys);
	w->cell.cfg.handover.link_failure = keys.cfg.handover.link_failure;
	w->cell.cfg.handover.link_failure.n310 = n310;
	w->cell.cfg.handover.link_failure.n311 = n311;
	w->cell.cfg.handover.link_failure.t310_ms = t310_ms;
	link_watch(&w->cell, &w->link);
}

/* @sinr_cdb from now until @ms, or until the link fails. Return: the time of the failure, or 0. */
static int64_t hold(struct watched *w, int32_t sinr_cdb, int ms)
{
	struct link_quality q = { .sinr_cdb = sinr_cdb, .cqi = 5 };

	link_changed(&w->cell, &w->link);
	while (link_next_ns(&w->link) <= MS(ms)) {
		w->cell.event_ns = link_next_ns(&w->link);
		link_process(&w->cell, &w->link, q);
		if (w->link.failed != LINK_OK)
			return w->cell.event_ns;
	}
	w->cell.event_ns = MS(ms);
	return 0;
}

/* 20 frames of 10 dB are at 200 ms. With k of -12 dB the mean is 10 - 22 k / 20, below -8 from k =
 * 17 on: at 370. T310 of 200 ms expires at 570. */
static void test_a_bad_link_fails_after_t310(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 1, 200);
	assert_int_equal(hold(&w, GOOD_CDB, 200), 0);
	assert_int_equal(hold(&w, BAD_CDB, 2000), MS(570));
	assert_int_equal(w.link.failed, LINK_T310);
	assert_int_equal(link_next_ns(&w.link), CELL_NEVER);
}

/* N310 indications in a row, one each 10 ms. */
static void test_n310_counts_indications(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 6, 1, 200);
	(void)hold(&w, GOOD_CDB, 200);
	assert_int_equal(hold(&w, BAD_CDB, 2000), MS(570 + 50));
}

/* T310 of 0 expires at once. */
static void test_t310_of_0(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 1, 0);
	(void)hold(&w, GOOD_CDB, 200);
	assert_int_equal(hold(&w, BAD_CDB, 2000), MS(370));
}

/* T310 runs from 370 on. Good again at 450: the mean of 10 frames is above -6 dB from 3 of them on,
 * but that of 20 not below -8 dB any more from 4 of them on, at 490. N311 of 4 are at 520. */
static void test_n311_stops_t310(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 4, 200);
	(void)hold(&w, GOOD_CDB, 200);
	(void)hold(&w, BAD_CDB, 450);
	assert_int_equal(w.link.t310_ns, MS(570));
	(void)hold(&w, GOOD_CDB, 510);
	assert_int_equal(w.link.t310_ns, MS(570));
	(void)hold(&w, GOOD_CDB, 520);
	assert_int_equal(w.link.t310_ns, CELL_NEVER);
	assert_int_equal(hold(&w, GOOD_CDB, 5000), 0);
}

/* Some of twenty indications in a row, then the link is bad again, and good from 700 on: as above,
 * with the first of twenty at 740. */
static void test_out_of_sync_ends_a_row_of_in_sync(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 20, 2000);
	(void)hold(&w, GOOD_CDB, 200);
	(void)hold(&w, BAD_CDB, 450);
	(void)hold(&w, GOOD_CDB, 500);
	(void)hold(&w, BAD_CDB, 700);
	assert_int_equal(w.link.t310_ns, MS(2370));
	(void)hold(&w, GOOD_CDB, 920);
	assert_int_equal(w.link.t310_ns, MS(2370));
	(void)hold(&w, GOOD_CDB, 930);
	assert_int_equal(w.link.t310_ns, CELL_NEVER);
}

/* Between Qout and Qin nothing is indicated: T310 goes on, and expires. */
static void test_between_the_thresholds_nothing_counts(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 1, 1000);
	(void)hold(&w, GOOD_CDB, 200);
	(void)hold(&w, BAD_CDB, 380);
	assert_int_equal(w.link.t310_ns, MS(1370));
	assert_int_equal(hold(&w, WEAK_CDB, 5000), MS(1370));
	watch(&w, 1, 1, 1000);
	w.cell.event_ns = 0;
	assert_int_equal(hold(&w, WEAK_CDB, 5000), 0);
}

/* A link that stays as it is costs no wake-up. */
static void test_a_steady_link_is_not_looked_at(void **state)
{
	struct watched w;

	(void)state;
	watch(&w, 1, 1, 200);
	assert_int_equal(link_next_ns(&w.link), MS(10));
	(void)hold(&w, GOOD_CDB, 250);
	assert_int_equal(link_next_ns(&w.link), CELL_NEVER);
	link_changed(&w.cell, &w.link);
	assert_int_equal(link_next_ns(&w.link), MS(260));
}

static void test_a_link_without_sinr_is_as_good_as_its_cqi(void **state)
{
	struct watched w;
	struct link_quality none = { CELL_SINR_UNKNOWN, 0 }, some = { CELL_SINR_UNKNOWN, 1 };

	(void)state;
	watch(&w, 1, 1, 200);
	assert_false(link_hears(&w.cell, none));
	assert_true(link_hears(&w.cell, some));
	assert_true(link_suits(&w.cell, some));
	assert_true(link_better(some, none));
	assert_false(link_hears(&w.cell, (struct link_quality){ -801, 1 }));
	assert_true(link_hears(&w.cell, (struct link_quality){ -800, 1 }));
	assert_false(link_suits(&w.cell, (struct link_quality){ -600, 1 }));
	w.cell.cfg.handover.link_failure.on = 0;
	assert_true(link_hears(&w.cell, none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_bad_link_fails_after_t310),
		cmocka_unit_test(test_n310_counts_indications),
		cmocka_unit_test(test_t310_of_0),
		cmocka_unit_test(test_n311_stops_t310),
		cmocka_unit_test(test_out_of_sync_ends_a_row_of_in_sync),
		cmocka_unit_test(test_between_the_thresholds_nothing_counts),
		cmocka_unit_test(test_a_steady_link_is_not_looked_at),
		cmocka_unit_test(test_a_link_without_sinr_is_as_good_as_its_cqi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
