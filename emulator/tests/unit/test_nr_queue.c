/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bearer's queue in NR whose length is a time: what the channel carries in it, whatever its rate.
 */
#include "nr_run.h"
#include "unit.h"

#define QUEUE_MS   20
#define PATTERN_MS 2.5

/* When the last packet has come of so many at once that the queue is full, in ms. */
static double last_ms(uint8_t cqi, uint32_t queue_bytes, size_t *ret_delivered)
{
	struct run r;
	double ms;

	nr_defaults(&r, 1);
	r.cfg.ue[0].cqi_dl = cqi;
	r.cfg.rlc.queue_ms = QUEUE_MS;
	r.cfg.rlc.queue_bytes = queue_bytes;
	r.cfg.rlc.queue_pkts = 65536;
	r.cfg.max_pkts = 20000;
	run_start(&r);
	for (int i = 0; i < 8000; i++)
		assert_int_equal(run_push(&r, TO_UE(1), 1400, 0), 0);
	run_until(&r, RUN_FOREVER);
	*ret_delivered = r.n_delivered;
	assert_in_range(r.n_delivered, 1, 7999);
	ms = (double)r.delivered[r.n_delivered - 1].t_ns / 1e6;
	run_end(&r);
	return ms;
}

static void test_a_queue_takes_its_time_at_any_rate(void **state)
{
	static const uint8_t cqi[] = { 3, 8, 15 };
	size_t before = 0, delivered;

	(void)state;
	for (size_t i = 0; i < COUNT(cqi); i++) {
		double ms = last_ms(cqi[i], 0, &delivered);

		assert_true(ms > QUEUE_MS - PATTERN_MS && ms < QUEUE_MS + 2 * PATTERN_MS);
		assert_true(delivered > before);
		before = delivered;
	}
}

/* The smaller of both limits holds: 15 packets of 1400 bytes and a PDCP header of 3. */
static void test_bytes_limit_it_too(void **state)
{
	size_t delivered;

	(void)state;
	(void)last_ms(15, 15 * 1403, &delivered);
	assert_int_equal(delivered, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_queue_takes_its_time_at_any_rate),
		cmocka_unit_test(test_bytes_limit_it_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
