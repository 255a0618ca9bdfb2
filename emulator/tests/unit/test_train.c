/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When packets leave a recorded link that answers trains, one by one. */
#include "recording.h"

#define MS(n) ((int64_t)(n)*1000000)
#define US(n) ((int64_t)(n)*1000)

/* A packet comes, leaves, and is there then. Return: when. */
static int64_t add(struct train *t, uint32_t len, int64_t now_ns)
{
	static struct pkt p;

	p = (struct pkt){ .len = (uint16_t)len };
	train_add(t, &p, now_ns, now_ns);
	assert_ptr_equal(pkt_dequeue(&t->way), &p);
	return p.queued_ns;
}

/* --- the delay of a train --- */

static void test_the_delay_is_between_those_of_two_times(void **state)
{
	/* Not at equal distances, so that each has to be found. */
	static const struct cell_train record[] = {
		{ 100, 10, 0, 1 }, { 200, 30, 0, 1 },  { 500, 0, 0, 1 },    { 600, 60, 0, 1 },
		{ 900, 0, 0, 1 },  { 1300, 80, 0, 1 }, { 2000, 100, 0, 1 },
	};
	static const struct {
		int64_t at_ns, delay_ns;
	} cases[] = {
		{ 0, MS(10) },
		{ MS(100), MS(10) }, /* before the first one its delay */
		{ MS(100) + US(5), MS(10) + US(1) },
		{ MS(150), MS(20) },
		{ MS(200) - 1, MS(30) - US(1) },
		{ MS(200), MS(30) },
		{ MS(350), MS(15) },
		{ MS(500), 0 },
		{ MS(550), MS(30) },
		{ MS(600), MS(60) },
		{ MS(750), MS(30) },
		{ MS(900), 0 },
		{ MS(1200), MS(60) },
		{ MS(1300), MS(80) },
		{ MS(1650), MS(90) },
		{ MS(2000), MS(10) }, /* the last time is where the next turn starts */
		{ MS(2150), MS(20) },
		{ MS(5300), MS(80) },
	};
	struct cell_recorded link;

	(void)state;
	setup(&link, record, COUNT(record), one_ms, 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct train t;

		train_init(&t, &link, CELL_DIR_DL);
		assert_int_equal(add(&t, 100, cases[i].at_ns) - cases[i].at_ns, cases[i].delay_ns);
	}
}

/* Steeper than time itself, and with a jump: where two are of one time, the later counts from then
 * on. */
static void test_delays_that_jump(void **state)
{
	static const struct cell_train record[] = { { 100, 10, 0, 1 },
		                                    { 110, 100, 0, 1 },
		                                    { 200, 100, 0, 1 },
		                                    { 200, 50, 0, 1 },
		                                    { 300, 50, 0, 1 } };
	static const struct {
		int64_t at_ns, delay_ns;
	} cases[] = {
		{ MS(100) - US(1), MS(10) },
		{ MS(100) - US(2), MS(10) },
		{ MS(100) + US(1), MS(10) + US(9) },
		{ MS(200) - 1, MS(100) },
		{ MS(200), MS(50) },
	};
	struct cell_recorded link;

	(void)state;
	setup(&link, record, COUNT(record), one_ms, 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct train t;

		train_init(&t, &link, CELL_DIR_DL);
		assert_int_equal(add(&t, 100, cases[i].at_ns) - cases[i].at_ns, cases[i].delay_ns);
	}
}

static void test_a_recording_of_two(void **state)
{
	static const struct cell_train record[] = { { 0, 20, 0, 1 }, { 3, 21, 0, 1 } };
	struct cell_recorded link;
	struct train t;

	(void)state;
	setup(&link, record, COUNT(record), one_ms, 1);
	train_init(&t, &link, CELL_DIR_DL);
	assert_int_equal(add(&t, 100, MS(1)), MS(21) + US(333)); /* whole microseconds */
}

static void test_time_counts_from_sub_frame_0(void **state)
{
	static const struct cell_train record[] = { { 0, 20, 0, 1 }, { 100, 40, 0, 1 } };
	struct pkt p = { .len = 100 };
	struct cell_recorded link;
	struct train t;

	(void)state;
	setup(&link, record, COUNT(record), one_ms, 1);
	train_init(&t, &link, CELL_DIR_DL);
	train_add(&t, &p, MS(1000), MS(50));
	assert_int_equal(p.queued_ns, MS(1030));
	assert_int_equal(train_next(&t), MS(1030));
	assert_ptr_equal(pkt_dequeue(&t.way), &p);
	assert_int_equal(train_next(&t), CELL_NEVER);
}

/* --- opportunities of a train --- */

struct step {
	int64_t now_ns;
	uint32_t len;
	int64_t leaves_ns;
	bool past;
};

/* Trains of 20 ms at any time, with opportunities 0, 5 and 9 ms after the first. */
static void run_steps(struct train *t, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pkt p = { .len = (uint16_t)steps[i].len };

		train_add(t, &p, steps[i].now_ns, steps[i].now_ns);
		assert_int_equal(p.queued_ns, steps[i].leaves_ns);
		assert_int_equal(p.past_train, steps[i].past);
		assert_int_equal(train_next(t), p.queued_ns);
		assert_ptr_equal(pkt_dequeue(&t->way), &p);
	}
}

static void start(struct train *t, struct cell_recorded *link, int dir)
{
	static const struct cell_train record[] = { { 0, 20, 1, 3 }, { 1000, 20, 1, 3 } };
	static const uint32_t offset_ms[] = { 7000, 0, 5, 9 };

	setup(link, record, COUNT(record), offset_ms, COUNT(offset_ms));
	link->way[CELL_DIR_UL] = link->way[CELL_DIR_DL];
	train_init(t, link, dir);
}

static void test_packets_share_opportunities(void **state)
{
	static const struct step steps[] = {
		{ MS(100), 700, MS(120), false },
		{ MS(100), 800, MS(120), false }, /* full */
		{ MS(100), 700, MS(125), false },
		{ MS(100), 700, MS(125), false },
		{ MS(100), 101, MS(129), false }, /* 100 bytes are not enough for it */
		{ MS(100), 1399, MS(129), false },
		{ MS(100), 1, MS(120), true }, /* no opportunity is left */
	};
	struct cell_recorded link;
	struct train t;

	(void)state;
	start(&t, &link, CELL_DIR_DL);
	run_steps(&t, steps, COUNT(steps) - 1);
	/* It would overtake, so it leaves with the one before. */
	run_steps(&t, &(struct step){ MS(100), 1, MS(129), true }, 1);
}

static void test_a_large_packet_takes_several(void **state)
{
	static const struct step full[] = {
		{ MS(100), 1400, MS(120), false },
		{ MS(100), 1500, MS(125), false }, /* whole, not in parts */
		{ MS(100), 100, MS(129), false },
	};
	static const struct step steps[] = {
		{ MS(100), 1600, MS(125), false }, /* 1500 of the first, 100 of the second */
		{ MS(100), 1400, MS(125), false },
		{ MS(100), 1500, MS(129), false },
	};
	static const struct step too_large[] = { { MS(100), 700, MS(120), false },
		                                 { MS(100), 3800, MS(129), false },
		                                 { MS(100), 1, MS(129), true } };
	struct cell_recorded link;
	struct train t;

	(void)state;
	start(&t, &link, CELL_DIR_DL);
	run_steps(&t, full, COUNT(full));
	start(&t, &link, CELL_DIR_DL);
	run_steps(&t, steps, COUNT(steps));
	start(&t, &link, CELL_DIR_DL);
	run_steps(&t, too_large, COUNT(too_large)); /* 800, 1500 and 1500 bytes */
}

static void test_an_opportunity_that_is_over_is_lost(void **state)
{
	static const struct step steps[] = {
		{ MS(100), 700, MS(120), false },
		{ MS(100) + 1, 700, MS(125), false },
		{ MS(105), 800, MS(125), false },
		{ MS(106), 700, MS(129), false }, /* 1400 bytes of it were not used */
		{ MS(109), 700, MS(129), false },
		{ MS(110), 10, MS(130), true }, /* the delay of the train after it came */
	};
	struct cell_recorded link;
	struct train t;

	(void)state;
	start(&t, &link, CELL_DIR_DL);
	run_steps(&t, steps, COUNT(steps));
}

/* Where the last offset is later than the delay, it counts instead. */
static void test_behind_a_train(void **state)
{
	static const struct cell_train record[] = { { 0, 3, 0, 3 }, { 1000, 3, 0, 3 } };
	static const struct step steps[] = { { MS(100), 1500, MS(103), false },
		                             { MS(112), 1500, MS(121), true },
		                             { MS(120), 1500, MS(129), true } };
	struct cell_recorded link;
	struct train t;

	(void)state;
	setup(&link, record, COUNT(record), three_ms, COUNT(three_ms));
	train_init(&t, &link, CELL_DIR_DL);
	run_steps(&t, steps, COUNT(steps));
}

/* 50 ms in the downlink, 70 in the uplink, from when the last packet leaves to when this one could.
 */
static void test_a_train_ends_with_a_gap(void **state)
{
	static const struct {
		int dir;
		int64_t gap_ns;
	} cases[] = { { CELL_DIR_DL, MS(50) }, { CELL_DIR_UL, MS(70) } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int64_t end_ns = MS(105) + cases[i].gap_ns;
		const struct step same[] = { { MS(100), 1500, MS(120), false },
			                     { MS(100), 1500, MS(125), false },
			                     { end_ns, 1500, end_ns + MS(20), true } };
		const struct step next[] = { { MS(100), 1500, MS(120), false },
			                     { MS(100), 1000, MS(125), false },
			                     { end_ns + 1, 1500, end_ns + 1 + MS(20), false } };
		struct cell_recorded link;
		struct train t;

		start(&t, &link, cases[i].dir);
		run_steps(&t, same, COUNT(same));
		start(&t, &link, cases[i].dir);
		run_steps(&t, next, COUNT(next));
	}
}

/* --- sizes and order --- */

static void test_a_size_has_a_delay(void **state)
{
	static const int32_t size_us[] = { 100, 200, 400 };
	static const struct {
		uint32_t len;
		int64_t us;
	} cases[] = { { 1, 100 },   { 99, 100 },  { 100, 100 }, { 150, 150 },
		      { 199, 199 }, { 200, 200 }, { 250, 300 }, { 299, 398 },
		      { 300, 400 }, { 350, 400 }, { 1500, 400 } };
	struct cell_recorded link;
	struct train t;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		start(&t, &link, CELL_DIR_DL);
		t.size_us = size_us;
		t.n_sizes = COUNT(size_us);
		assert_int_equal(add(&t, cases[i].len, MS(100)), MS(120) + US(cases[i].us));
	}
	start(&t, &link, CELL_DIR_DL);
	assert_int_equal(add(&t, 1500, MS(100)), MS(120)); /* without sizes */
}

static void start_sized(struct train *t, const int32_t *size_us, uint32_t n)
{
	struct cell_recorded link;

	start(t, &link, CELL_DIR_DL);
	t->size_us = size_us;
	t->n_sizes = n;
}

/* It may be negative, but nothing leaves before it came, and nothing overtakes. */
static void test_a_size_is_no_shortcut(void **state)
{
	static const int32_t early_us[] = { -1000, -20000, -20001 };
	static const int32_t first_us[] = { -1000, 0 };
	static const struct step steps[] = { { MS(100), 1400, MS(120), false },
		                             { MS(100), 100, MS(120), false } };
	struct train t;

	(void)state;
	start_sized(&t, early_us, COUNT(early_us));
	assert_int_equal(add(&t, 100, MS(100)), MS(119));
	start_sized(&t, early_us, COUNT(early_us));
	assert_int_equal(add(&t, 200, MS(100)), MS(100)); /* as soon as it came */
	start_sized(&t, early_us, COUNT(early_us));
	assert_int_equal(add(&t, 1400, MS(100)), MS(120)); /* not before */
	start_sized(&t, first_us, COUNT(first_us));
	run_steps(&t, steps, COUNT(steps));
}

static void test_a_size_changes_no_order(void **state)
{
	static const int32_t late_us[] = { 1000, 9000 };
	static const struct step steps[] = {
		{ MS(100), 700, MS(129), false },
		{ MS(100), 700, MS(129), false }, /* at the same time as the one before */
		{ MS(100), 100, MS(129), true },  /* at 121 or 120 ms it would be first */
		{ MS(100), 1400, MS(134), false },
	};
	struct train t;

	(void)state;
	start_sized(&t, late_us, COUNT(late_us));
	run_steps(&t, steps, COUNT(steps));
}

static void test_sizes_are_those_of_the_recording(void **state)
{
	static const int32_t size_us[] = { 100 };
	struct cell_recorded link;
	struct train t;

	(void)state;
	start(&t, &link, CELL_DIR_DL);
	link.way[CELL_DIR_DL].train_size_us = size_us;
	link.way[CELL_DIR_DL].n_train_sizes = 1;
	train_init(&t, &link, CELL_DIR_DL);
	assert_int_equal(add(&t, 50, MS(100)), MS(120) + US(100));
	train_init(&t, &link, CELL_DIR_UL); /* which has none */
	assert_int_equal(add(&t, 50, MS(100)), MS(120));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_delay_is_between_those_of_two_times),
		cmocka_unit_test(test_delays_that_jump),
		cmocka_unit_test(test_a_recording_of_two),
		cmocka_unit_test(test_time_counts_from_sub_frame_0),
		cmocka_unit_test(test_packets_share_opportunities),
		cmocka_unit_test(test_a_large_packet_takes_several),
		cmocka_unit_test(test_an_opportunity_that_is_over_is_lost),
		cmocka_unit_test(test_behind_a_train),
		cmocka_unit_test(test_a_train_ends_with_a_gap),
		cmocka_unit_test(test_a_size_has_a_delay),
		cmocka_unit_test(test_a_size_is_no_shortcut),
		cmocka_unit_test(test_a_size_changes_no_order),
		cmocka_unit_test(test_sizes_are_those_of_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
