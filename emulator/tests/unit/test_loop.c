/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the daemon wakes up, as of when packets come, and what it tells: the loop itself, between
 * ports and a clock in memory (memory_ports.h). Whatever it gathers, a cell that is given the same
 * packets at the same times delivers the same.
 */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "celld.h"
#include "memory_ports.h"
#include "unit.h"

#define MS(n) ((int64_t)(n)*1000000)
#define US(n) ((int64_t)(n)*1000)
#define END   MS(100)

static struct loop loop;
static struct ports ports;
static struct config cfg;
static struct output output;
static struct control control;
static struct script script;
static FILE *full; /* where deliveries are written, or NULL */
static char said[256];

void celld_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
}

/* Two UEs in direct mode, or a link with opportunities every millisecond; changed by the caller. */
static void prepare(enum cell_system system)
{
	static const uint32_t every_ms[] = { 1 };

	cfg = (struct config){ .ue_name = { "ue1", "ue2" } };
	cell_cfg_default(&cfg.cell);
	cfg.cell.system = (uint8_t)system;
	for (int d = 0; d < 2 && system == CELL_SYSTEM_PACKET_TRACE; d++) {
		cfg.cell.n_ue = 1;
		cfg.cell.ue[0].peer = CELL_PEER_NETWORK;
		cfg.cell.ue[0].mode = CELL_MODE_IM;
		cfg.cell.recorded.way[d] =
			(struct cell_recording){ .opportunity_ms = every_ms, .n_opportunities = 1 };
	}
	memory_ports_reset(END);
}

static struct cell *new_cell(int64_t start_ns)
{
	size_t size = cell_size(&cfg.cell);
	struct cell *cell;
	void *mem = malloc(size);

	assert_non_null(mem);
	assert_int_equal(cell_init(&cell, mem, size, &cfg.cell, start_ns), 0);
	assert_ptr_equal(cell, mem);
	return cell;
}

/* Return: loop_run()'s. */
static int run_from(int64_t start_ns)
{
	char error[CONFIG_ERROR_MAX];
	struct signalfd_siginfo signal;
	int r;

	*said = 0;
	control.listen_fd = control.client_fd = -1;
	output = (struct output){ .path = &cfg.output, .deliveries = full };
	assert_int_equal(script_open(&script, &cfg, start_ns, error), 0);
	loop = (struct loop){ .cfg = &cfg,
		              .ports = &ports,
		              .output = &output,
		              .control = &control,
		              .script = &script,
		              .start_ns = start_ns,
		              .cell = new_cell(start_ns),
		              .n_out = 2 * cell_out_min(&cfg.cell) };
	loop.out = calloc(loop.n_out, sizeof(*loop.out));
	assert_non_null(loop.out);
	assert_int_equal(loop_open(&loop), 0);
	if (*cfg.control) {
		assert_int_equal(control_open(&control, cfg.control), 0);
		assert_int_equal(loop_watch(&loop, control.listen_fd), 0);
	}
	r = loop_run(&loop);
	control_close(&control);
	(void)close(loop.control_fd);
	while (read(loop.signal_fd, &signal, sizeof(signal)) > 0)
		; /* none is left for the next one */
	(void)close(loop.signal_fd);
	return r;
}

static int run(void)
{
	return run_from(0);
}

static void clean(void)
{
	script_close(&script);
	free(loop.cell);
	free(loop.out);
}

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

/* Between sub-frames 11 and 12 nothing follows those of 10: the flow is over before it began. */
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

/* Packets that come before sub-frame 0 count as of its begin. */
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
		cmocka_unit_test(test_it_sleeps_until_it_is_stopped),
		cmocka_unit_test(test_a_packet_alone_is_read_at_once),
		cmocka_unit_test(test_packets_of_a_flow_are_gathered),
		cmocka_unit_test(test_two_empty_sub_frames_end_a_flow),
		cmocka_unit_test(test_a_pair_is_no_flow),
		cmocka_unit_test(test_where_time_matters_single_packets_do_not_wait),
		cmocka_unit_test(test_where_time_matters_several_are_gathered),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_before_the_first_sub_frame),
		cmocka_unit_test(test_late_wake_ups_are_counted_and_move_nothing_in_the_cell),
		cmocka_unit_test(test_wake_ups_in_time_are_counted_too),
		cmocka_unit_test(test_events_come_at_their_times_behind_packets_of_the_same),
		cmocka_unit_test(test_events_after_the_end),
		cmocka_unit_test(test_an_event_that_the_cell_does_not_take),
		cmocka_unit_test(test_devices_that_fail),
		cmocka_unit_test(test_an_output_that_fails),
		cmocka_unit_test(test_modes_by_command),
		cmocka_unit_test(test_modes_that_cannot_be),
		cmocka_unit_test(test_statistics_by_command),
		cmocka_unit_test(test_quit_by_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
