/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script that its cell does not take is an error, never a change less. */
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
	run_until(r, MS(100));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room_for_what_is_scripted),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_too_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
