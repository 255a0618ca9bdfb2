/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a UE with DRX listens, slot by slot. Source: TS 38.321 5.7 */
#include "unit.h"

#include "mac/nr/drx.h"

/* Every 40 slots from 4 on 3 slots on; then 6 slots for what comes; twice 10 slots of short cycles.
 */
static const struct nr_drx_cfg cfg = { .long_cycle = 40,
	                               .offset = 4,
	                               .on_duration = 3,
	                               .inactivity = 6,
	                               .short_cycle = 10,
	                               .short_timer = 2,
	                               .rtt_dl = 5,
	                               .rtt_ul = 7,
	                               .retransmission_dl = 4,
	                               .retransmission_ul = 2 };

/* The UE listens in these slots from @first on: pairs of first and last, up to 0. */
static void assert_active(const struct nr_drx *d, uint32_t first, const uint32_t *spans)
{
	uint32_t slot = first;

	for (; spans[0] || spans[1]; spans += 2) {
		for (; slot < spans[0]; slot++) {
			assert_false(nr_drx_active(d, slot));
			assert_int_equal(nr_drx_next_active(d, slot), spans[0]);
		}
		for (; slot <= spans[1]; slot++) {
			assert_true(nr_drx_active(d, slot));
			assert_int_equal(nr_drx_next_active(d, slot), slot);
		}
	}
}

static void test_off(void **state)
{
	const struct nr_drx_cfg none = { 0 };
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &none);
	assert_int_equal(nr_drx_next_active(&d, 123), 123);
}

static void test_long_cycles(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	assert_active(&d, 0, (uint32_t[]){ 4, 6, 44, 46, 84, 86, 0, 0 });
}

/* New data in 5: awake up to 11, short cycles from 12 up to 31 (14, 24), long ones again (44). */
static void test_new_data(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	assert_active(&d, 5, (uint32_t[]){ 5, 11, 14, 16, 24, 26, 44, 46, 84, 86, 0, 0 });
	/* More of it in 9 puts all that off by four slots: cycles from 16 up to 35, so 34 is one.
	 */
	nr_drx_new_data(&d, 9);
	assert_active(&d, 9, (uint32_t[]){ 9, 15, 24, 26, 34, 36, 44, 46, 84, 86, 0, 0 });
}

/* The short cycles of the activity before go on while new data keep the UE awake. */
static void test_short_cycles_overlap(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	/* In 14, a short cycle's on duration: awake up to 20; from 21 up to 40 cycles: 24, 34. */
	nr_drx_new_data(&d, 14);
	assert_active(&d, 14, (uint32_t[]){ 14, 20, 24, 26, 34, 36, 44, 46, 0, 0 });
	/* In 19, from the same on: awake up to 25; 24's on duration was one of those before. */
	nr_drx_new_data(&d, 19);
	assert_active(&d, 19, (uint32_t[]){ 19, 26, 34, 36, 44, 46, 84, 86, 0, 0 });
}

static void test_commands(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	nr_drx_command(&d, 8, false);
	assert_active(&d, 8, (uint32_t[]){ 8, 8, 14, 16, 24, 26, 44, 46, 0, 0 });
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	nr_drx_command(&d, 8, true);
	assert_active(&d, 8, (uint32_t[]){ 8, 8, 44, 46, 84, 86, 0, 0 });
	/* In 13, right before a short cycle: there is none in 14. */
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	nr_drx_command(&d, 13, true);
	assert_active(&d, 14, (uint32_t[]){ 44, 46, 84, 86, 0, 0 });
	/* The rest of an on duration is over, too; and a long one ends short cycles. */
	nr_drx_init(&d, &cfg);
	nr_drx_new_data(&d, 5);
	nr_drx_command(&d, 14, true);
	assert_active(&d, 14, (uint32_t[]){ 14, 14, 44, 46, 0, 0 });
}

static void test_harq(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	nr_drx_dl_feedback(&d, 3, 50, false); /* 5 slots later for 4 slots */
	nr_drx_ul_sent(&d, 3, 60);            /* 7 slots later for 2 */
	assert_active(&d, 50, (uint32_t[]){ 56, 59, 68, 69, 84, 86, 0, 0 });
	nr_drx_dl_assigned(&d, 3);
	assert_active(&d, 57, (uint32_t[]){ 68, 69, 84, 86, 0, 0 });
	nr_drx_ul_granted(&d, 3);
	assert_active(&d, 57, (uint32_t[]){ 84, 86, 0, 0 });
	/* A command does not stop them; what was decoded needs none. */
	nr_drx_dl_feedback(&d, 31, 50, false);
	nr_drx_command(&d, 57, false);
	assert_active(&d, 57, (uint32_t[]){ 57, 59, 64, 66, 74, 76, 84, 86, 0, 0 });
	nr_drx_dl_feedback(&d, 31, 59, true);
	assert_active(&d, 60, (uint32_t[]){ 64, 66, 0, 0 });
}

static void test_requests(void **state)
{
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &cfg);
	nr_drx_request(&d, true);
	assert_true(nr_drx_active(&d, 20));
	nr_drx_request(&d, false);
	nr_drx_contention(&d, true);
	assert_true(nr_drx_active(&d, 20));
	nr_drx_contention(&d, false);
	assert_active(&d, 20, (uint32_t[]){ 44, 46, 0, 0 });
}

/* Without short cycles, and without time for more. */
static void test_least(void **state)
{
	const struct nr_drx_cfg least = { .long_cycle = 20, .on_duration = 1 };
	struct nr_drx d;

	(void)state;
	nr_drx_init(&d, &least);
	nr_drx_new_data(&d, 20);
	assert_active(&d, 20, (uint32_t[]){ 20, 20, 40, 40, 60, 60, 0, 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off),      cmocka_unit_test(test_long_cycles),
		cmocka_unit_test(test_new_data), cmocka_unit_test(test_short_cycles_overlap),
		cmocka_unit_test(test_commands), cmocka_unit_test(test_harq),
		cmocka_unit_test(test_requests), cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
