/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is a recording of trains, and what is wrong with others. */
#include "recording.h"

static void refused(const struct cell_recorded *link, const char *field, const char *range)
{
	const char *said, *text = "";

	said = train_check(link, CELL_DIR_DL, &text);
	assert_non_null(said);
	assert_string_equal(said, field);
	assert_string_equal(text, range);
}

static void test_what_is_allowed(void **state)
{
	static const struct cell_train record[] = { { 0, 60000, 0, 3 },
		                                    { 0, 0, 3, 1 },
		                                    { 5, 0, 2, 2 } };
	static const uint32_t offset_ms[] = { 0, 0, 60000, 60000 };
	static const int32_t size_us[] = { -1000000, 1000000 };
	struct cell_recorded link;
	const char *range;

	(void)state;
	setup(&link, record, COUNT(record), offset_ms, COUNT(offset_ms));
	link.way[CELL_DIR_DL].train_size_us = size_us;
	link.way[CELL_DIR_DL].n_train_sizes = COUNT(size_us);
	assert_null(train_check(&link, CELL_DIR_DL, &range));
	assert_null(train_check(&link, CELL_DIR_UL, &range)); /* which has none */
	setup(&link, record + 1, 2, offset_ms, COUNT(offset_ms));
	assert_null(train_check(&link, CELL_DIR_DL, &range));
}

static void test_parts_without_the_rest(void **state)
{
	static const struct cell_train record[] = { { 0, 20, 0, 1 }, { 5, 20, 0, 1 } };
	static const struct cell_train never[] = { { 0, 20, 0, 1 }, { 0, 20, 0, 1 } };
	struct cell_recorded link;

	(void)state;
	setup(&link, NULL, 1, one_ms, 1);
	refused(&link, "n_trains", "none without trains");
	setup(&link, NULL, 0, one_ms, 1);
	link.way[CELL_DIR_DL].n_train_sizes = 1;
	refused(&link, "n_trains", "none without trains");
	setup(&link, record, 2, one_ms, 1);
	link.delay_ms = 1;
	refused(&link, "delay_ms", "0 with trains");
	setup(&link, record + 1, 1, one_ms, 1);
	refused(&link, "n_trains", "at least two trains, the last one later than 0");
	setup(&link, never, 2, one_ms, 1);
	refused(&link, "n_trains", "at least two trains, the last one later than 0");
}

static void test_times_and_delays(void **state)
{
	static const struct cell_train wrong[][2] = {
		{ { 6, 20, 0, 1 }, { 5, 20, 0, 1 } },
		{ { 0, 60001, 0, 1 }, { 5, 20, 0, 1 } },
		{ { 0, 20, 0, 1 }, { 5, 60001, 0, 1 } },
	};
	struct cell_recorded link;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		setup(&link, wrong[i], 2, one_ms, 1);
		refused(&link, "train",
		        "times that do not decrease, and delays of at most 60000 ms");
	}
}

static void test_offsets(void **state)
{
	static const uint32_t falling[] = { 0, 5, 4 }, late[] = { 0, 5, 60001 };
	static const struct {
		const uint32_t *ms;
		struct cell_train second;
	} wrong[] = {
		{ three_ms, { 5, 20, 0, 0 } },          { three_ms, { 5, 20, 4, 1 } },
		{ three_ms, { 5, 20, 3, 1 } },          { three_ms, { 5, 20, 1, 3 } },
		{ three_ms, { 5, 20, 1, UINT32_MAX } }, { falling, { 5, 20, 0, 3 } },
		{ falling, { 5, 20, 1, 2 } },           { late, { 5, 20, 2, 1 } },
	};
	struct cell_recorded link;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		const struct cell_train record[] = { { 0, 20, 0, 2 }, wrong[i].second };

		setup(&link, record, 2, wrong[i].ms, 3);
		refused(&link, "train_offset_ms", "one or more that do not decrease, 0..60000 ms");
	}
}

static void test_sizes(void **state)
{
	static const struct cell_train record[] = { { 0, 20, 0, 1 }, { 5, 20, 0, 1 } };
	static const int32_t wrong[][2] = {
		{ -1000001, 0 }, { 1000001, 0 }, { 0, -1000001 }, { 0, 1000001 }
	};
	struct cell_recorded link;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		setup(&link, record, 2, one_ms, 1);
		link.way[CELL_DIR_DL].train_size_us = wrong[i];
		link.way[CELL_DIR_DL].n_train_sizes = 2;
		refused(&link, "train_size_us", "-1000000..1000000 us");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_allowed),
		cmocka_unit_test(test_parts_without_the_rest),
		cmocka_unit_test(test_times_and_delays),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
