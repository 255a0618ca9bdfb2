/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grants of LTE on their way to their sub-frames: which are unused, and what they will take. */
#include "unit.h"

#include "mac/lte/grant.h"

static struct grant_ring ring;

static int start(void **state)
{
	(void)state;
	memset(&ring, 0, sizeof(ring));
	return 0;
}

/* A block of 100 bytes has room for 89 of SDUs: headers of 8 bytes, and one for each 28 bytes. */
static struct grant *issue(uint32_t subframe, uint32_t wanted)
{
	const struct grant g = {
		.subframe = subframe, .bytes = 100, .wanted = wanted, .dir = CELL_DIR_UL
	};

	return grant_issue(&ring, &g);
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(grant_pending(&ring), 0);
	assert_int_equal(grant_next_tti(&ring), TTI_NEVER);
	assert_null(grant_last(&ring));
	assert_null(grant_take(&ring, 0));
	assert_false(grant_reaches_beyond(&ring, 0));
	assert_false(grant_is_there(&ring, 0, 0));
	assert_false(grant_msg3_pending(&ring));
}

static void test_used_in_their_sub_frames(void **state)
{
	(void)state;
	issue(4, 60);
	issue(6, 7);
	assert_int_equal(grant_pending(&ring), 67);
	assert_int_equal(grant_next_tti(&ring), 4);
	assert_int_equal(grant_last(&ring)->subframe, 6);
	assert_true(grant_reaches_beyond(&ring, 5));
	assert_false(grant_reaches_beyond(&ring, 6));
	assert_true(grant_is_there(&ring, 0, 6));
	assert_false(grant_is_there(&ring, 1, 6) || grant_is_there(&ring, 0, 5));
	assert_null(grant_take(&ring, 3));
	assert_int_equal(grant_take(&ring, 4)->wanted, 60);
	assert_int_equal(grant_pending(&ring), 7);
	assert_null(grant_take(&ring, 5));
	assert_int_equal(grant_take(&ring, 6)->wanted, 7);
	assert_int_equal(grant_pending(&ring), 0);
	assert_null(grant_last(&ring));
}

/* What a BSR cannot know of: grants for sub-frames after the one that it left in, used or not. */
static void test_room_after_a_sub_frame(void **state)
{
	(void)state;
	assert_int_equal(grant_overhead(100), 11);
	issue(4, 60);
	issue(6, 7)->missed = true;
	issue(8, 7);
	issue(9, 7)->msg3 = true;
	(void)grant_take(&ring, 4);
	assert_true(grant_msg3_pending(&ring));
	assert_int_equal(grant_payload_after(&ring, CELL_DIR_UL, 3), 3 * 89);
	assert_int_equal(grant_payload_after(&ring, CELL_DIR_UL, 4), 2 * 89);
	assert_int_equal(grant_heard_after(&ring, CELL_DIR_UL, 4), 89);
	assert_int_equal(grant_payload_after(&ring, CELL_DIR_UL, 8), 0);
	assert_int_equal(grant_payload_after(&ring, CELL_DIR_DL, 3), 0);
}

/* More than it keeps: the oldest ones are forgotten, not counted twice. */
static void test_full(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3 * GRANTS_KEPT; i++) {
		issue(i, 1);
		if (i >= GRANTS_KEPT / 2)
			assert_non_null(grant_take(&ring, i - GRANTS_KEPT / 2));
		assert_in_range(grant_pending(&ring), 0, GRANTS_KEPT / 2);
	}
	assert_int_equal(grant_payload_after(&ring, CELL_DIR_UL, 0), GRANTS_KEPT * 89);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_none, start),
		cmocka_unit_test_setup(test_used_in_their_sub_frames, start),
		cmocka_unit_test_setup(test_room_after_a_sub_frame, start),
		cmocka_unit_test_setup(test_full, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
