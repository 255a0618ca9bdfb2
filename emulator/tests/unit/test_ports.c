/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets from devices into a cell and back: by io_uring and by a call for each. */
#include "socket_ports.h"

/* --- from devices --- */

static void check_refused(bool ring)
{
	static const int64_t expected[][3] = { { MS(3), 1, 20 },
		                               { MS(3), 1, 1500 },
		                               { MS(3), 2, 60 } };
	struct cell_stats stats;

	start(2, ring);
	send_packet(1, 4, 20, 0);
	send_packet(1, 6, 100, 0);
	send_packet(1, 4, 1500, 0);
	send_packet(2, 4, 1501, 0);
	send_packet(2, 4, 3000, 0); /* cut by the read, and still too long */
	send_packet(2, 4, 60, 0);
	assert_int_equal(drain(MS(3)), 6);
	assert_int_equal(drain(MS(4)), 0);
	check_arrivals(expected, COUNT(expected));
	cell_stats(cell, &stats);
	assert_int_equal(stats.pkts_in, 3);
	assert_int_equal(ports.tun[0].read_pkts, 3);
	assert_int_equal(ports.tun[0].refused_not_ipv4, 1);
	assert_int_equal(ports.tun[0].refused_oversize, 0);
	assert_int_equal(ports.tun[1].read_pkts, 3);
	assert_int_equal(ports.tun[1].refused_not_ipv4, 0);
	assert_int_equal(ports.tun[1].refused_oversize, 2);
	stop();
}

static void test_what_is_read_and_refused(void **state)
{
	(void)state;
	check_refused(true);
}

static void test_what_is_read_and_refused_singly(void **state)
{
	(void)state;
	check_refused(false);
}

/* More than a batch has room for, of one and of several: all, and each device's in order. */
static void check_all_are_read(bool ring)
{
	static const struct {
		uint8_t n_ue;
		uint8_t pkts[3];
	} cases[] = { { 1, { 200 } }, { 3, { 60, 5, 70 } }, { 2, { 64, 0 } }, { 2, { 31, 32 } } };
	for (size_t i = 0; i < COUNT(cases); i++) {
		int total = 0, seen[3] = { 0 };
		long long t_ns;
		int ue, len;
		char rest[8192];

		start(cases[i].n_ue, ring);
		for (uint8_t ue1 = 1; ue1 <= cases[i].n_ue; ue1++)
			for (uint8_t k = 0; k < cases[i].pkts[ue1 - 1]; k++, total++)
				send_packet(ue1, 4, 100u + k, k);
		assert_int_equal(drain(MS(1)), total);
		rewind(output.arrivals);
		for (int k = 0; k < total; k++) {
			assert_int_equal(fscanf(output.arrivals, "%lld %d %d %8191[^\n]", &t_ns,
			                        &ue, &len, rest),
			                 4);
			assert_in_range(ue, 1, cases[i].n_ue);
			assert_int_equal(len, 100 + seen[ue - 1]++);
		}
		for (uint8_t k = 0; k < cases[i].n_ue; k++)
			assert_int_equal(seen[k], cases[i].pkts[k]);
		assert_int_equal(drain(MS(2)), 0);
		stop();
	}
}

static void test_all_are_read(void **state)
{
	(void)state;
	check_all_are_read(true);
}

static void test_all_are_read_singly(void **state)
{
	(void)state;
	check_all_are_read(false);
}

static void check_many_devices(bool ring)
{
	int64_t expected[MANY_UES][3];

	start(MANY_UES, ring);
	for (uint8_t ue = MANY_UES; ue >= 1; ue--) {
		send_packet(ue, 4, 100u + ue, 0);
		expected[ue - 1][0] = MS(7);
		expected[ue - 1][1] = ue;
		expected[ue - 1][2] = 100 + ue;
	}
	assert_int_equal(drain(MS(7)), MANY_UES);
	check_arrivals(expected, MANY_UES);
	stop();
}

static void test_more_devices_than_a_batch(void **state)
{
	(void)state;
	check_many_devices(true);
	check_many_devices(false);
}

/* As many reads as packets are expected, and four that mostly find nothing. */
static void test_how_many_are_asked_for(void **state)
{
	(void)state;
	start(2, true);
	assert_int_equal(drain(0), 0);
	assert_int_equal(ports.source[0].asked, 4);
	for (uint8_t i = 0; i < 10; i++)
		send_packet(1, 4, 100, i);
	assert_int_equal(drain(0), 10);
	assert_int_equal(ports.source[0].found, 10);
	assert_int_equal(ports.source[0].expected, 10);
	assert_int_equal(ports.source[1].expected, 0);
	for (uint32_t k = 0; k < 3; k++) {
		assert_int_equal(drain(0), 0);
		assert_int_equal(ports.source[0].asked, 14 - k);
		assert_int_equal(ports.source[0].expected, 9 - k);
		assert_int_equal(ports.source[1].asked, 4);
	}
	for (uint8_t i = 0; i < 100; i++)
		send_packet(1, 4, 100, i);
	assert_int_equal(drain(0), 100);
	assert_int_equal(ports.source[0].asked, PACKET_IO_BATCH / 2);
	stop();
}

static void check_broken(bool ring)
{
	const struct tun *failed;

	start(2, ring);
	send_packet(1, 4, 100, 0);
	(void)close(ports.tun[1].fd);
	assert_int_equal(ports_drain(&ports, cell, &output, 0, &failed), -EBADF);
	assert_ptr_equal(failed, &ports.tun[1]);
	assert_int_equal(ports.tun[0].read_pkts, 1);
	stop();
}

static void test_a_device_that_cannot_be_read(void **state)
{
	(void)state;
	check_broken(true);
	check_broken(false);
}

static void test_a_device_that_cannot_be_opened(void **state)
{
	const struct config_port *failed;
	const char *what;

	(void)state;
	open_error = -EPERM;
	assert_int_equal(try_to_open(2, &failed, &what), -EPERM);
	open_error = 0;
	assert_ptr_equal(failed, &cfg.port[1]);
	assert_string_equal(what, "creating it");
	(void)close(ports.tun[0].fd);
	(void)close(host[0]);
	(void)close(control);
}

/* --- to devices --- */

/* 150 packets to each, which are more than wait at a time; then the host of UE 2 is gone. */
static void check_delivery(bool ring)
{
	uint8_t packet[256];

	start(2, ring);
	for (uint8_t i = 0; i < 150; i++) {
		deliver(1, i);
		deliver(2, i);
	}
	deliver(9, 0); /* nobody has this port */
	assert_int_equal(ports_wait(&ports, 0, 1), 0);
	for (uint8_t k = 0; k < 2; k++) {
		for (uint8_t i = 0; i < 150; i++) {
			assert_int_equal(recv(host[k], packet, sizeof(packet), 0), 100);
			assert_int_equal(packet[1], i);
		}
		assert_int_equal(recv(host[k], packet, sizeof(packet), 0), -1);
		assert_int_equal(ports.tun[k].write_pkts, 150);
	}
	(void)close(host[1]);
	deliver(2, 0);
	deliver(1, 0);
	(void)ports_wait(&ports, 0, 1);
	assert_int_equal(ports.tun[0].write_pkts, 151);
	assert_int_equal(ports.tun[0].write_errors, 0);
	assert_int_equal(ports.tun[1].write_pkts, 150);
	assert_int_equal(ports.tun[1].write_errors, 1);
	stop();
}

static void test_all_are_delivered(void **state)
{
	(void)state;
	check_delivery(true);
}

static void test_all_are_delivered_singly(void **state)
{
	(void)state;
	check_delivery(false);
}

static void test_counters_by_name(void **state)
{
	json_t *o, *ue1;

	(void)state;
	start(2, false);
	send_packet(1, 4, 100, 0);
	send_packet(1, 6, 100, 0);
	send_packet(1, 4, 1600, 0);
	assert_int_equal(drain(0), 3);
	deliver(1, 0);
	o = ports_json(&ports);
	ue1 = json_object_get(o, "ue1");
	assert_string_equal(json_string_value(json_object_get(ue1, "ifname")), "lte0");
	assert_int_equal(json_integer_value(json_object_get(ue1, "read_pkts")), 3);
	assert_int_equal(json_integer_value(json_object_get(ue1, "write_pkts")), 1);
	assert_int_equal(json_integer_value(json_object_get(ue1, "write_errors")), 0);
	assert_int_equal(json_integer_value(json_object_get(ue1, "tun_tx_dropped")), 7);
	ue1 = json_object_get(ue1, "refused_pkts");
	assert_int_equal(json_integer_value(json_object_get(ue1, "not_ipv4")), 1);
	assert_int_equal(json_integer_value(json_object_get(ue1, "oversize")), 1);
	assert_true(json_is_null(json_object_get(json_object_get(o, "ue2"), "tun_tx_dropped")));
	assert_int_equal(json_object_size(o), 2);
	json_decref(o);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_read_and_refused),
		cmocka_unit_test(test_what_is_read_and_refused_singly),
		cmocka_unit_test(test_all_are_read),
		cmocka_unit_test(test_all_are_read_singly),
		cmocka_unit_test(test_more_devices_than_a_batch),
		cmocka_unit_test(test_how_many_are_asked_for),
		cmocka_unit_test(test_a_device_that_cannot_be_read),
		cmocka_unit_test(test_a_device_that_cannot_be_opened),
		cmocka_unit_test(test_all_are_delivered),
		cmocka_unit_test(test_all_are_delivered_singly),
		cmocka_unit_test(test_counters_by_name),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
