/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the daemon wakes up, and as of when packets come: the loop itself, in memory
 * (memory_loop.h). Whatever it gathers, a cell that is given the same packets at the same times
 * delivers the same.
 */
#include "memory_loop.h"

/* A cell without a daemon delivers the same packets at the same times; the daemon did so at once.
 */
static void check_deliveries(void)
{
	struct cell *cell = new_cell(loop.start_ns);
	const struct memory_ports *m = &memory_ports;
	uint32_t seen = 0, next = 0;

	while (next < m->n_in || cell_next(cell) != CELL_NEVER) {
		int64_t t_ns = cell_next(cell);
		size_t n;

		for (; next < m->n_in && m->in[next].moved_ns <= t_ns; next++) {
			uint8_t packet[MEMORY_PKT_BYTES];

			memory_ports_packet(packet, m->in[next].tag);
			assert_int_equal(cell_push(cell, m->in[next].port, packet, sizeof(packet),
			                           m->in[next].tag, m->in[next].moved_ns),
			                 0);
			t_ns = m->in[next].moved_ns;
		}
		assert_int_equal(cell_advance(cell, t_ns, loop.out, loop.n_out, &n), 0);
		for (size_t i = 0; i < n; i++) {
			if (loop.out[i].type != CELL_OUT_DELIVER)
				continue;
			assert_true(seen < m->n_out);
			assert_int_equal(m->out[seen].tag, loop.out[i].tag);
			assert_int_equal(m->out[seen].port, loop.out[i].port);
			assert_int_equal(m->out[seen].t_ns, loop.out[i].t_ns);
			if (m->late_ns == 0)
				assert_int_equal(m->out[seen].moved_ns, loop.out[i].t_ns);
			seen++;
		}
	}
	assert_int_equal(seen, m->n_out);
	assert_int_equal(seen, m->n_in);
	free(cell);
}

/* Packets of UE 1 come at @came_us, and count as of @as_of_us. */
static void check_times(const int64_t *came_us, const int64_t *as_of_us, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memory_ports_add(1, US(came_us[i]));
	assert_int_equal(run(), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(memory_ports.in[i].moved_ns, US(as_of_us[i]));
	check_deliveries();
	assert_string_equal(said, "");
	clean();
}

/* --- when packets are read --- */

static void test_it_sleeps_until_it_is_stopped(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	assert_int_equal(run(), 0);
	assert_int_equal(loop.end_ns, END);
	assert_int_equal(loop.lateness.count, 0);
	assert_int_equal(memory_ports.drains, 0);
	clean();
}

static void test_a_packet_alone_is_read_at_once(void **state)
{
	static const int64_t us[] = { 10300, 12700, 20000, 30999 };

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	check_times(us, us, COUNT(us));
	assert_int_equal(memory_ports.drains, COUNT(us));
}

/*
 * The second packet follows in the sub-frame of the first, so from 11 ms on they are gathered, as
 * of the ends of sub-frames, up to the second end in a row for which nothing came.
 */
static void test_packets_of_a_flow_are_gathered(void **state)
{
	static const int64_t came_us[] = { 10200, 10700, 11200, 11700, 12000, 12200,
		                           13900, 15700, 18000, 18001, 20001, 23500 };
	static const int64_t as_of_us[] = { 10200, 10700, 12000, 12000, 12000, 13000,
		                            14000, 16000, 18000, 19000, 21000, 23500 };

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	check_times(came_us, as_of_us, COUNT(came_us));
}

/*
 * Three or four packets a sub-frame, which are read asleep while it sleeps on to what leaves next.
 * What came after the sub-frame's end, or had no room, counts as of the wake-up.
 */
static void test_no_packet_counts_before_it_came(void **state)
{
	static const uint32_t batches[] = { 1, 2, 3, 8 };
	struct memory_ports *m = &memory_ports;

	(void)state;
	for (size_t k = 0; k < COUNT(batches); k++) {
		uint32_t later = 0;

		prepare(CELL_SYSTEM_LTE);
		m->batch = batches[k];
		for (int64_t t_us = 10200; t_us < 60000; t_us += 300)
			memory_ports_add(1, US(t_us));
		assert_int_equal(run(), 0);
		for (uint32_t i = 2; i < m->n_in; i++) { /* those before are no flow yet */
			assert_in_range(m->in[i].moved_ns - m->in[i].t_ns, 0, MS(2));
			later += m->in[i].moved_ns % MS(1) != 0;
		}
		assert_int_equal(later > 0, batches[k] < 4);
		check_deliveries();
		clean();
	}
}

static void test_two_empty_sub_frames_end_a_flow(void **state)
{
	static const int64_t came_us[] = { 10200, 11700, 12500, 15001, 17300 };
	static const int64_t as_of_us[] = { 10200, 11700, 13000, 15001, 17300 };

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	check_times(came_us, as_of_us, COUNT(came_us));
	/* Two packets, the ends of four sub-frames, of which the last two were empty, and two
	 * packets. */
	assert_int_equal(memory_ports.drains, 2 + 4 + 2);
}

/* Between sub-frames 11 and 12 nothing follows those of 10: the flow is over before it started. */
static void test_a_pair_is_no_flow(void **state)
{
	static const int64_t came_us[] = { 10200, 10700, 12001 };

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	check_times(came_us, came_us, COUNT(came_us));
}

/* Over a recorded link a packet that is read later may miss an opportunity. */
static void test_where_time_matters_single_packets_do_not_wait(void **state)
{
	static const int64_t came_us[] = { 10200, 11300, 12400, 12900, 13100, 15000 };

	(void)state;
	prepare(CELL_SYSTEM_PACKET_TRACE);
	check_times(came_us, came_us, COUNT(came_us));
}

/* Several in each sub-frame are gathered all the same, until there is one or none. */
static void test_where_time_matters_several_are_gathered(void **state)
{
	static const int64_t came_us[] = { 10200, 10700, 10800, 10900, 11100, 11200, 12500, 13600 };
	static const int64_t as_of_us[] = {
		10200, 10700, 11000, 11000, 12000, 12000, 13000, 13600
	};

	(void)state;
	prepare(CELL_SYSTEM_PACKET_TRACE);
	check_times(came_us, as_of_us, COUNT(came_us));
}

/* A host answers in no time: over a recorded link its packet does not wait for a sub-frame's end.
 */
static void test_answers(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_PACKET_TRACE);
	memory_ports.answers = 3;
	memory_ports_add(1, US(10200));
	assert_int_equal(run(), 0);
	assert_int_equal(memory_ports.n_out, 4);
	for (uint32_t i = 1; i < 4; i++) {
		assert_int_equal(memory_ports.in[i].t_ns, MS(10 + i));
		assert_int_equal(memory_ports.in[i].moved_ns, MS(10 + i));
	}
	check_deliveries();
	clean();
}

/* Packets that come before sub-frame 0 count as of its start. */
static void test_before_the_first_sub_frame(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports_add(1, MS(2));
	memory_ports_add(2, MS(9));
	assert_int_equal(run_from(MS(8) + 500), 0);
	assert_int_equal(memory_ports.in[0].moved_ns, MS(8) + 500);
	assert_int_equal(memory_ports.in[1].moved_ns, MS(9));
	check_deliveries();
	clean();
}

/* --- lateness --- */

static void test_late_wake_ups_are_counted_and_move_nothing_in_the_cell(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports.late_ns = MS(3);
	memory_ports_add(1, US(10300));
	memory_ports_add(1, US(40000));
	assert_int_equal(run(), 0);
	assert_true(loop.lateness.count > 0);
	assert_int_equal(loop.lateness.missed_ttis, loop.lateness.count);
	assert_true(loop.lateness.max_ns >= MS(3));
	assert_int_equal(memory_ports.in[0].moved_ns, US(13300));
	check_deliveries();
	clean();
}

static void test_wake_ups_in_time_are_counted_too(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports_add(1, US(10300));
	assert_int_equal(run(), 0);
	assert_true(loop.lateness.count > 0);
	assert_int_equal(loop.lateness.max_ns, 0);
	clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_sleeps_until_it_is_stopped),
		cmocka_unit_test(test_a_packet_alone_is_read_at_once),
		cmocka_unit_test(test_packets_of_a_flow_are_gathered),
		cmocka_unit_test(test_no_packet_counts_before_it_came),
		cmocka_unit_test(test_two_empty_sub_frames_end_a_flow),
		cmocka_unit_test(test_a_pair_is_no_flow),
		cmocka_unit_test(test_where_time_matters_single_packets_do_not_wait),
		cmocka_unit_test(test_where_time_matters_several_are_gathered),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_before_the_first_sub_frame),
		cmocka_unit_test(test_late_wake_ups_are_counted_and_move_nothing_in_the_cell),
		cmocka_unit_test(test_wake_ups_in_time_are_counted_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
