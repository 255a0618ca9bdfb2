/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the daemon sleeps, and what ends it: by io_uring and by a call for each. */
#include "socket_ports.h"

#include "clock.h"

static void check_sleep(bool ring)
{
	int64_t began_ns, end_ns;

	start(2, ring);
	began_ns = clock_ns(CLOCK_MONOTONIC);
	assert_int_equal(ports_wait(&ports, 0, began_ns - MS(5)), 0); /* over already */
	end_ns = clock_ns(CLOCK_MONOTONIC) + MS(3);
	assert_int_equal(ports_wait(&ports, 0, end_ns), 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) >= end_ns);

	/* A packet, or something on the control descriptor. */
	began_ns = clock_ns(CLOCK_MONOTONIC);
	send_packet(2, 4, 100, 0);
	assert_int_equal(ports_wait(&ports, 0, began_ns + LONG), PACKET_IO_READ);
	assert_int_equal(drain(0), 1);
	assert_int_equal(eventfd_write(control, 1), 0);
	assert_int_equal(ports_wait(&ports, 0, INT64_MAX), PACKET_IO_CONTROL);
	end_ns = clock_ns(CLOCK_MONOTONIC) + MS(3); /* the ring's reads have to end, too */
	assert_true(ports_wait(&ports, end_ns, end_ns) & PACKET_IO_CONTROL);
	send_packet(1, 4, 100, 0);
	assert_int_equal(ports_wait(&ports, 0, began_ns + LONG) & PACKET_IO_CONTROL,
	                 PACKET_IO_CONTROL);
	assert_true(clock_ns(CLOCK_MONOTONIC) < began_ns + LONG);
	stop();
}

static void test_what_ends_a_sleep(void **state)
{
	(void)state;
	check_sleep(true);
}

static void test_what_ends_a_sleep_without_ring(void **state)
{
	(void)state;
	check_sleep(false);
}

/* Packets that are there do not end it before their time, then they are read, by whom ever. */
static void check_gathering(bool ring, uint8_t n_ue)
{
	int64_t read_ns;

	start(n_ue, ring);
	send_packet(1, 4, 100, 0);
	send_packet(n_ue, 4, 101, 0);
	read_ns = clock_ns(CLOCK_MONOTONIC) + MS(3);
	assert_int_equal(ports_wait(&ports, read_ns, read_ns + MS(2)), PACKET_IO_READ);
	assert_true(clock_ns(CLOCK_MONOTONIC) >= read_ns);
	assert_int_equal(drain(1), 2);
	send_packet(1, 4, 102, 0);
	read_ns = clock_ns(CLOCK_MONOTONIC) + MS(3);
	assert_int_equal(ports_wait(&ports, read_ns, read_ns), PACKET_IO_READ);
	assert_true(clock_ns(CLOCK_MONOTONIC) >= read_ns);
	assert_int_equal(drain(1), 1);

	/* Until before it is their time. */
	send_packet(1, 4, 103, 0);
	read_ns = clock_ns(CLOCK_MONOTONIC) + LONG;
	assert_int_equal(ports_wait(&ports, read_ns, read_ns - LONG + MS(2)), 0);
	assert_int_equal(drain(1), 1);
	assert_int_equal(ports.tun[0].read_pkts, 3 + (n_ue == 1));
	stop();
}

static void test_packets_wait_for_their_time(void **state)
{
	static const uint8_t n_ue[] = { 2, 8, MANY_UES }; /* the last do not fit into one batch */

	(void)state;
	for (size_t i = 0; i < COUNT(n_ue); i++) {
		check_gathering(true, n_ue[i]);
		check_gathering(false, n_ue[i]);
	}
}

/* A packet of the second device in each of 20 gathering waits, and then one of each. */
static void check_idle(bool ring, uint8_t n_ue)
{
	int64_t expected[MANY_UES][3], read_ns;

	start(n_ue, ring);
	for (uint8_t i = 0; i < 20; i++) {
		send_packet(2, 4, 100, i);
		read_ns = clock_ns(CLOCK_MONOTONIC) + MS(1);
		assert_int_equal(ports_wait(&ports, read_ns, read_ns), PACKET_IO_READ);
		assert_int_equal(drain(1), 1);
	}
	assert_true(ports.source[1].asked > 0);
	for (uint8_t k = 0; ring && k < n_ue; k++)
		assert_true(k == 1 || ports.source[k].asked == 0);
	(void)fclose(output.arrivals);
	output.arrivals = tmpfile();
	assert_non_null(output.arrivals);
	for (uint8_t ue = n_ue; ue >= 1; ue--) {
		send_packet(ue, 4, 100u + ue, 0);
		memcpy(expected[ue - 1], (int64_t[]){ 2, ue, 100 + ue }, sizeof(expected[0]));
	}
	read_ns = clock_ns(CLOCK_MONOTONIC) + MS(1);
	assert_int_equal(ports_wait(&ports, read_ns, read_ns + MS(1)), PACKET_IO_READ);
	assert_true(clock_ns(CLOCK_MONOTONIC) >= read_ns);
	assert_int_equal(drain(2), n_ue);
	check_arrivals(expected, n_ue);
	stop();
}

static void test_idle_devices_are_read_when_they_have_something(void **state)
{
	static const uint8_t n_ue[] = { 2, 8, 24, MANY_UES };

	(void)state;
	for (size_t i = 0; i < COUNT(n_ue); i++) {
		check_idle(true, n_ue[i]);
		check_idle(false, n_ue[i]);
	}
}

static int push_in_time(int64_t t_ns)
{
	const struct tun *failed;
	int64_t read_ns = clock_ns(CLOCK_MONOTONIC) + MS(1);

	assert_int_equal(ports_wait(&ports, read_ns, read_ns + MS(1)), PACKET_IO_READ);
	assert_true(ports_read_asleep(&ports));
	return ports_push_in_time(&ports, cell, &output, t_ns, &failed);
}

/* Four are read where none is expected. Where they were all, what comes later has to wait. */
static void test_what_there_is_no_room_for_counts_later(void **state)
{
	(void)state;
	start(2, true);
	for (uint8_t i = 0; i < 5; i++)
		send_packet(1, 4, 100, i);
	assert_int_equal(push_in_time(1), 4);
	assert_false(ports_read_asleep(&ports));
	send_packet(1, 4, 100, 5);
	assert_int_equal(drain(2), 2);
	send_packet(1, 4, 100, 6);
	assert_int_equal(push_in_time(3), 1);
	send_packet(1, 4, 100, 7);
	assert_int_equal(drain(4), 0);
	assert_int_equal(push_in_time(5), 1);
	assert_false(ports_overflow(&ports));
	stop();
}

/* The packet that ended the poll of an idle device was there in time; the next one may not. */
static void test_an_idle_device_has_one_packet_in_time(void **state)
{
	(void)state;
	start(2, true);
	for (uint8_t i = 0; i < 20; i++)
		assert_int_equal(push_in_time(1) + drain(1), 0);
	assert_int_equal(ports.source[1].asked, 0);
	send_packet(2, 4, 100, 1);
	send_packet(2, 4, 100, 2);
	assert_int_equal(push_in_time(2), 1);
	assert_int_equal(drain(3), 1);
	stop();
}

static void test_more_than_a_batch_is_expected(void **state)
{
	(void)state;
	start(2, true);
	for (uint8_t i = 0; i < PACKET_IO_BATCH; i++)
		send_packet(1, 4, 100, i);
	assert_int_equal(drain(1), PACKET_IO_BATCH);
	assert_true(ports_overflow(&ports));
	stop();
	start(MANY_UES, true);
	assert_true(ports_overflow(&ports)); /* not all devices share a batch */
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_ends_a_sleep),
		cmocka_unit_test(test_what_ends_a_sleep_without_ring),
		cmocka_unit_test(test_packets_wait_for_their_time),
		cmocka_unit_test(test_idle_devices_are_read_when_they_have_something),
		cmocka_unit_test(test_what_there_is_no_room_for_counts_later),
		cmocka_unit_test(test_an_idle_device_has_one_packet_in_time),
		cmocka_unit_test(test_more_than_a_batch_is_expected),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
