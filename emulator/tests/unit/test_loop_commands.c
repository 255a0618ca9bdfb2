/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon's loop does besides packets: scripted changes, commands over the control socket,
 * what ends it, and what it tells; in memory (memory_loop.h).
 */
#include "memory_loop.h"

#include <sys/socket.h>
#include <sys/un.h>

/* --- what is scripted --- */

static void add_event(int64_t t_ms, enum cell_mode mode)
{
	cfg.event[cfg.n_events++] = (struct config_event){
		.t_ms = t_ms, .cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = (uint8_t)mode }
	};
}

static void test_events_come_at_their_times_behind_packets_of_the_same(void **state)
{
	struct cell_stats stats;

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	add_event(20, CELL_MODE_IM);
	add_event(30, CELL_MODE_DM);
	add_event(60, CELL_MODE_IM);
	memory_ports_add(1, MS(20)); /* still directly, and flushed */
	memory_ports_add(1, MS(21)); /* by the eNB */
	memory_ports_add(1, MS(45));
	assert_int_equal(run(), 0);
	cell_stats(loop.cell, &stats);
	assert_int_equal(stats.mode_switches, 3);
	assert_int_equal(stats.pkts_dropped[CELL_DROP_MODE_SWITCH], 2);
	assert_int_equal(memory_ports.n_out, 1);
	assert_int_equal(memory_ports.out[0].tag, 3);
	clean();
}

/* With a SIGTERM at 100 ms, what is scripted later does not happen. */
static void test_events_after_the_end(void **state)
{
	struct cell_stats stats;

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	add_event(99, CELL_MODE_IM);
	add_event(101, CELL_MODE_DM);
	memory_ports_add(1, MS(98));
	assert_int_equal(run(), 0);
	cell_stats(loop.cell, &stats);
	assert_int_equal(stats.mode_switches, 1);
	clean();
}

static void test_an_event_that_the_cell_does_not_take(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	cfg.cell.max_cmds = 1;
	add_event(5, CELL_MODE_IM);
	add_event(5, CELL_MODE_DM);
	memory_ports_add(1, MS(6));
	assert_int_equal(run_from(MS(1)), -ENOBUFS);
	assert_string_equal(said, "scripted change at 5000000 ns: No buffer space available");
	clean();
}

/* --- what ends it --- */

static void test_devices_that_fail(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	ports.tun[0] = (struct tun){ .ifname = "lte0", .port = 2 };
	memory_ports.read_error = -ENODEV;
	memory_ports_add(1, MS(6));
	assert_int_equal(run(), -ENODEV);
	assert_string_equal(said, "reading lte0 of 'ue2': No such device");
	clean();
	prepare(CELL_SYSTEM_LTE);
	memory_ports.wait_error = -EBADF;
	assert_int_equal(run(), -EBADF);
	assert_string_equal(said, "waiting: Bad file descriptor");
	clean();
}

/* A full disk: noticed where the buffer of the file is written, here with every line. */
static void test_an_output_that_fails(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports_add(1, MS(6));
	memory_ports_add(1, MS(50));
	full = fopen("/dev/full", "w");
	assert_non_null(full);
	(void)setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(run(), 0);
	assert_int_equal(output.error, -ENOSPC);
	assert_int_equal(memory_ports.n_out, 1);
	assert_true(loop.end_ns < MS(50));
	(void)fclose(full);
	full = NULL;
	clean();
}

/* --- the control socket --- */

static const char *commands;
static int client;

/* Somebody connects; a millisecond later commands are there, and 40 ms later a SIGTERM. */
static void use_control(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	memcpy(addr.sun_path, cfg.control, strlen(cfg.control) + 1);
	if (client == 0) {
		client = socket(AF_UNIX, SOCK_STREAM, 0);
		assert_int_equal(connect(client, (struct sockaddr *)&addr, sizeof(addr)), 0);
		memory_ports.control_ns = memory_ports.now_ns + MS(1);
	} else {
		assert_int_equal(write(client, commands, strlen(commands)), strlen(commands));
		memory_ports.control = NULL;
		memory_ports.control_ns = memory_ports.now_ns + MS(40);
	}
}

/* Return: what is answered to @text, which comes at 20 ms; the loop has run. */
static const char *answer_to(const char *text)
{
	static char answer[4096];
	char folder[] = "/tmp/test_loop.XXXXXX";
	ssize_t n;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(cfg.control, sizeof(cfg.control), "%s/control", folder);
	commands = text;
	memory_ports.control = use_control;
	memory_ports.control_ns = MS(19);
	assert_int_equal(run(), 0);
	n = read(client, answer, sizeof(answer) - 1);
	assert_true(n >= 0);
	answer[n] = 0;
	(void)close(client);
	client = 0;
	assert_int_equal(rmdir(folder), 0); /* the socket is gone */
	return answer;
}

#define TO_IM "{\"cmd\": \"route\", \"ue\": \"ue1\", \"mode\": \"im\"}\n"
#define TO_DM "{\"cmd\": \"route\", \"ue\": \"ue1\", \"mode\": \"dm\"}\n"

static void test_modes_by_command(void **state)
{
	struct cell_stats stats;

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports_add(1, MS(30));
	assert_string_equal(answer_to(TO_IM TO_DM TO_IM),
	                    "{\"ok\": true}\n{\"ok\": true}\n{\"ok\": true}\n");
	cell_stats(loop.cell, &stats);
	assert_int_equal(stats.mode_switches, 3);
	assert_int_equal(stats.mac_pdus[CELL_DIR_SL], 0);
	assert_int_equal(memory_ports.n_out, 1);
	assert_int_equal(loop.end_ns, MS(60));
	clean();
}

static void test_modes_that_cannot_be(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	cfg.cell.max_cmds = 1;
	assert_string_equal(
		answer_to(TO_IM TO_DM),
		"{\"ok\": true}\n{\"ok\": false, \"error\": \"too many commands wait\"}\n");
	clean();
	prepare(CELL_SYSTEM_LTE);
	cfg.cell.ue[0].peer = cfg.cell.ue[1].peer = CELL_PEER_NETWORK;
	cfg.cell.ue[0].mode = cfg.cell.ue[1].mode = CELL_MODE_IM;
	assert_string_equal(answer_to(TO_DM),
	                    "{\"ok\": false, \"error\": \"this UE has no such mode\"}\n");
	clean();
}

/* What `events` may have, now; what is wrong changes nothing. */
static void test_changes_by_command(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	assert_string_equal(answer_to("{\"cmd\": \"set\", \"ue\": \"ue1\", \"cqi_sl\": 4}\n"
	                              "{\"cmd\": \"set\", \"ue\": \"ue1\", \"cqi_sl\": 16}\n"
	                              "{\"cmd\": \"set\", \"ue\": \"ue1\", \"delay_ms\": 1}\n"
	                              "{\"cmd\": \"set\", \"ue\": \"ue1\", \"flush\": true}\n"
	                              "{\"cmd\": \"set\", \"ue\": \"ue1\", \"flush\": false}\n"
	                              "{\"cmd\": \"set\", \"ue\": \"ue1\", \"t_ms\": 1}\n"),
	                    "{\"ok\": true}\n"
	                    "{\"ok\": false, \"error\": \"set: key 'change.cqi_sl': value 16: "
	                    "allowed 0..15\"}\n"
	                    "{\"ok\": false, \"error\": \"set: key 'change.delay_ms': this "
	                    "cell.system does not "
	                    "have it; allowed mode, handover, predict, cqi_ul, cqi_dl, cqi_sl, "
	                    "flush\"}\n"
	                    "{\"ok\": true}\n"
	                    "{\"ok\": false, \"error\": \"set: key 'change.flush': value false: "
	                    "allowed true\"}\n"
	                    "{\"ok\": false, \"error\": \"key 't_ms': a change happens now; remove "
	                    "the key\"}\n");
	assert_int_equal(loop.n_changes, 2);
	clean();
}

static void test_statistics_by_command(void **state)
{
	json_t *o, *cell, *lateness;

	(void)state;
	prepare(CELL_SYSTEM_LTE);
	memory_ports_add(1, US(3300));
	o = json_loads(answer_to("{\"cmd\": \"stats\"}\n"), 0, NULL);
	assert_true(json_is_true(json_object_get(o, "ok")));
	cell = json_object_get(o, "cell");
	assert_int_equal(json_integer_value(json_object_get(cell, "pkts_delivered")), 1);
	lateness = json_object_get(o, "lateness");
	assert_int_equal(json_integer_value(json_object_get(lateness, "count")),
	                 loop.lateness.count);
	json_decref(o);
	clean();
}

static void test_quit_by_command(void **state)
{
	(void)state;
	prepare(CELL_SYSTEM_LTE);
	assert_string_equal(answer_to("{\"cmd\": \"quit\"}\n"), "{\"ok\": true}\n");
	assert_int_equal(loop.end_ns, MS(20));
	clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_come_at_their_times_behind_packets_of_the_same),
		cmocka_unit_test(test_events_after_the_end),
		cmocka_unit_test(test_an_event_that_the_cell_does_not_take),
		cmocka_unit_test(test_devices_that_fail),
		cmocka_unit_test(test_an_output_that_fails),
		cmocka_unit_test(test_modes_by_command),
		cmocka_unit_test(test_modes_that_cannot_be),
		cmocka_unit_test(test_changes_by_command),
		cmocka_unit_test(test_statistics_by_command),
		cmocka_unit_test(test_quit_by_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
