/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script that its cell does not take is an error, never a change less. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "script.h"
#include "unit.h"

#include "run.h"

/* Two events at 5 ms and one at 9 ms, and a cell where @max_cmds may wait; 0: as many as it takes.
 */
static void start(struct script *s, struct run *r, uint32_t max_cmds)
{
	static struct config cfg;
	char error[CONFIG_ERROR_MAX];

	cell_cfg_default(&cfg.cell);
	cfg.n_events = 3;
	for (size_t i = 0; i < cfg.n_events; i++)
		cfg.event[i] = (struct config_event){
			.t_ms = i < 2 ? 5 : 9,
			.cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = i % 2 },
		};
	assert_int_equal(script_open(s, &cfg, RUN_START_NS, error), 0);
	run_defaults(r, CELL_MODE_DM);
	r->cfg.max_cmds = max_cmds ? max_cmds : script_max_cmds(s);
	run_start(r);
}

static void stop(struct script *s, struct run *r)
{
	run_until(r, MS(3000));
	run_end(r);
	script_close(s);
}

static void test_room_for_what_is_scripted(void **state)
{
	struct script s;
	struct run r;

	(void)state;
	start(&s, &r, 0);
	assert_int_equal(r.cfg.max_cmds, 2 * 2 + 64);
	assert_int_equal(script_next(&s), RUN_START_NS + MS(5));
	assert_int_equal(script_apply(&s, r.cell), 0);
	assert_int_equal(script_next(&s), RUN_START_NS + MS(9));
	assert_int_equal(script_apply(&s, r.cell), 0);
	assert_int_equal(script_next(&s), CELL_NEVER);
	stop(&s, &r);
}

static void test_no_room(void **state)
{
	struct script s;
	struct run r;

	(void)state;
	start(&s, &r, 1);
	assert_int_equal(script_apply(&s, r.cell), -ENOBUFS);
	stop(&s, &r);
}

static void test_too_late(void **state)
{
	struct script s;
	struct run r;

	(void)state;
	start(&s, &r, 0);
	run_push(&r, 1, 100, MS(6));
	assert_int_equal(script_apply(&s, r.cell), -EINVAL);
	stop(&s, &r);
}

/* --- a trace that grows --- */

static const char header[] =
	"{\"name\":\"channel\",\"header_bytes\":512,\"record_bytes\":16,\"fields\":["
	"{\"name\":\"t_ns\",\"type\":\"i64\",\"offset\":0},"
	"{\"name\":\"ue\",\"type\":\"u8\",\"offset\":8},"
	"{\"name\":\"dir\",\"type\":\"u8\",\"offset\":9},"
	"{\"name\":\"cqi\",\"type\":\"u8\",\"offset\":10},"
	"{\"name\":\"sinr_cdb\",\"type\":\"i32\",\"offset\":12}]}";

/* The first @bytes of a record of the downlink. */
static void write_record(FILE *f, int64_t t_ns, uint8_t cqi, size_t bytes)
{
	uint8_t record[16] = { 0 };

	memcpy(record, &t_ns, sizeof(t_ns));
	record[8] = 1;
	record[9] = CELL_DIR_DL;
	record[10] = cqi;
	assert_int_equal(fwrite(record, 1, bytes, f), bytes);
	(void)fflush(f);
}

static FILE *start_growing(struct script *s, struct run *r)
{
	static struct config cfg;
	static char name[] = "/tmp/test_script.XXXXXX";
	char error[CONFIG_ERROR_MAX] = "";
	int fd;
	FILE *f;

	memcpy(name + sizeof(name) - 7, "XXXXXX", 6);
	fd = mkstemp(name);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	(void)fprintf(f, "%-511s\n", header);
	write_record(f, 0, 10, 16);
	cfg = (struct config){ .channel_grows = true, .n_events = 1 };
	cfg.event[0] = (struct config_event){
		.t_ms = 2500, .cmd = { .type = CELL_CMD_ROUTE, .ue = 1, .mode = CELL_MODE_IM }
	};
	memcpy(cfg.channel, name, sizeof(name));
	run_defaults(r, CELL_MODE_DM);
	cfg.cell = r->cfg;
	assert_int_equal(script_open(s, &cfg, RUN_START_NS, error), 0);
	(void)unlink(name);
	r->cfg.max_cmds = script_max_cmds(s);
	run_start(r);
	return f;
}

static void apply(struct script *s, struct run *r, int64_t t_ns, int expected)
{
	assert_int_equal(script_next(s), RUN_START_NS + t_ns);
	assert_int_equal(script_apply(s, r->cell), expected);
}

/* Half a record is none yet. What has come is in one order with the configuration's events. */
static void test_a_trace_that_grows(void **state)
{
	struct script s;
	struct run r;
	FILE *f;

	(void)state;
	f = start_growing(&s, &r);
	apply(&s, &r, 0, 0);
	write_record(f, MS(1000), 9, 16);
	write_record(f, MS(2500), 8, 11);
	apply(&s, &r, MS(1000), 0); /* reads the first of the two, which is of this very time */
	assert_int_equal(s.changes.next, 1);
	apply(&s, &r, MS(2000), 0); /* what is missing of the second one has not come yet */
	assert_int_equal(s.changes.n, 0);
	assert_int_equal(script_next(&s), RUN_START_NS + MS(2500)); /* the configuration's event */
	stop(&s, &r);
	(void)fclose(f);
}

/* A record that comes before the look at 1 s, and what is said of it. */
static void expect_refusal(int64_t t_ns, uint8_t cqi, const char *said)
{
	struct script s;
	struct run r;
	FILE *f = start_growing(&s, &r);

	apply(&s, &r, 0, 0);
	write_record(f, t_ns, cqi, 16);
	apply(&s, &r, MS(1000), -EINVAL);
	assert_non_null(strstr(s.error, said));
	stop(&s, &r);
	(void)fclose(f);
}

static void test_what_a_trace_must_not_grow_by(void **state)
{
	(void)state;
	expect_refusal(MS(999), 9, ": record 1: came after its time");
	expect_refusal(MS(1500), 16, ": record 1: ue 1, dir 1, cqi 16: allowed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room_for_what_is_scripted),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_too_late),
		cmocka_unit_test(test_a_trace_that_grows),
		cmocka_unit_test(test_what_a_trace_must_not_grow_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
