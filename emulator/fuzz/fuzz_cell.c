/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_cell.c - the whole core: any configuration, traffic, commands and steps of the clock. What
 * holds is checked by cell_run.c; and the size of the steps changes nothing.
 */
#include "cell_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct plan plan;
	struct fuzz_input in = { data, size };
	struct cell_came one, other;

	if (size > 1024 || !plan_read(&plan, &in))
		return 0;
	cell_run(&plan, &one);
	plan.few_outputs = !plan.few_outputs;
	cell_run(&plan, &other);
	FUZZ_CHECK(one.all == other.all && one.state == other.state);
	return 0;
}
