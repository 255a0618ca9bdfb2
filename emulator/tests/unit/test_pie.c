/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PIE beside the pseudo-code of RFC 8033 Appendix A, which is written down here as it is there. */
#include "unit.h"

#include <math.h>

#include "aqm/pie.h"

#define MS(n)      ((n)*INT64_C(1000000))
#define ONE        4294967296.0
#define QDELAY_REF 15.0 /* ms */
#define T_UPDATE   15
#define MAX_BURST  150
#define MANY       100000 /* bytes */

/* --- RFC 8033 Appendix A, with its names; delays in ms, alpha and beta in Hz --- */

static struct {
	double drop_prob, qdelay_old, current_qdelay;
	int64_t burst_allowance;
} rfc;

static void rfc_calculate_drop_prob(void)
{
	double p = 0.125 * (rfc.current_qdelay - QDELAY_REF) / 1000 +
	           1.25 * (rfc.current_qdelay - rfc.qdelay_old) / 1000;

	if (rfc.drop_prob < 0.000001)
		p /= 2048;
	else if (rfc.drop_prob < 0.00001)
		p /= 512;
	else if (rfc.drop_prob < 0.0001)
		p /= 128;
	else if (rfc.drop_prob < 0.001)
		p /= 32;
	else if (rfc.drop_prob < 0.01)
		p /= 8;
	else if (rfc.drop_prob < 0.1)
		p /= 2;
	if (rfc.drop_prob >= 0.1 && p > 0.02)
		p = 0.02;
	rfc.drop_prob += p;
	if (rfc.current_qdelay < QDELAY_REF / 2 && rfc.qdelay_old < QDELAY_REF / 2)
		rfc.drop_prob *= 0.98;
	if (rfc.drop_prob < 0)
		rfc.drop_prob = 0;
	if (rfc.drop_prob > 1)
		rfc.drop_prob = 1;
	rfc.burst_allowance = rfc.burst_allowance > T_UPDATE ? rfc.burst_allowance - T_UPDATE : 0;
	rfc.qdelay_old = rfc.current_qdelay;
}

/* --- beside it --- */

static const struct pie_cfg cfg = {
	.target_us = 15000, .tupdate_us = 15000, .alpha = 2, .beta = 20
};
static struct pie pie;

static void start(void)
{
	memset(&rfc, 0, sizeof(rfc));
	rfc.burst_allowance = MAX_BURST;
	rng_init(&pie.rng, 1, "pie-dl", 1);
	pie_init(&pie, &cfg, 0);
}

/* The delay rises and falls in waves of different height, in whole microseconds. */
static double delay_ms(int i)
{
	int height = 1 + i / 400;
	double wave = 20 * height * (1 + sin(i / 9.0)) / 2 - 4;

	return wave < 0 ? 0 : floor(wave * 1000) / 1000;
}

static void test_as_the_pseudo_code(void **state)
{
	double highest = 0;

	(void)state;
	start();
	for (int i = 1; i < 4000; i++) {
		rfc.current_qdelay = delay_ms(i);
		pie_sent(&pie, (int64_t)lround(rfc.current_qdelay * 1e6));
		rfc_calculate_drop_prob();
		pie_update(&pie, &cfg, false, MS(T_UPDATE) * i);
		/* At a threshold of the scaling the two may take different sides once. */
		assert_true(fabs((double)pie.prob_q32 / ONE - rfc.drop_prob) <
		            1e-6 + rfc.drop_prob / 100);
		assert_int_equal(pie.burst_us, rfc.burst_allowance * 1000);
		rfc.drop_prob = (double)pie.prob_q32 / ONE;
		highest = rfc.drop_prob > highest ? rfc.drop_prob : highest;
	}
	assert_true(highest > 0.2);
}

/* However late it is asked. */
static void test_late_is_as_in_time(void **state)
{
	struct pie in_time;

	(void)state;
	start();
	pie_sent(&pie, MS(60));
	for (int64_t t = 0; t <= 1000; t++)
		pie_update(&pie, &cfg, false, MS(t));
	in_time = pie;
	start();
	pie_sent(&pie, MS(60));
	pie_update(&pie, &cfg, false, MS(1000));
	assert_memory_equal(&pie, &in_time, sizeof(pie));

	start();
	pie_update(&pie, &cfg, true, MS(INT64_C(9000000000000)));
	assert_true(pie.update_ns > MS(INT64_C(9000000000000)));
	assert_int_equal(pie.update_ns % MS(T_UPDATE), 0);
	assert_int_equal(pie.burst_us, 0);
}

/* A probability dies away in an empty queue, and then a burst has its allowance again. */
static void test_decays(void **state)
{
	(void)state;
	start();
	pie.prob_q32 = (int64_t)(ONE / 2);
	pie.burst_us = 0;
	pie_sent(&pie, MS(60));
	pie_update(&pie, &cfg, true, MS(60000));
	assert_int_equal(pie.prob_q32, 0);
	assert_int_equal(pie_arrive(&pie, &cfg, MANY, false), AQM_PASS);
	assert_int_equal(pie.burst_us, MAX_BURST * 1000);
}

/* A queue in the middle of congestion, with this probability. */
static void congested(double prob)
{
	start();
	pie.prob_q32 = (int64_t)(prob * ONE);
	pie.burst_us = 0;
	pie.delay_us = pie.delay_old_us = 40000;
}

/* Of many packets a share as the probability says, none closer than 0.85 / p, which is the
 * derandomisation of 5.4. */
static void test_share(void **state)
{
	static const double probs[] = { 0.01, 0.1, 0.3 };

	(void)state;
	for (uint32_t i = 0; i < COUNT(probs); i++) {
		int drops = 0, last = -1, n = 200000;
		double gap;

		congested(probs[i]);
		for (int k = 0; k < n; k++) {
			if (pie_arrive(&pie, &cfg, MANY, true) != AQM_DROP)
				continue;
			assert_true(last < 0 || k - last >= (int)(0.85 / probs[i]));
			last = k;
			drops++;
		}
		/* From 0.85 / p packets on each is dropped with p. */
		gap = ceil(0.85 / probs[i]) - 1 + 1 / probs[i];
		assert_true(fabs(drops * gap / n - 1) < 0.05);
	}
}

static uint32_t dropped_of_1000(uint32_t bytes)
{
	uint32_t n = 0;

	for (int i = 0; i < 1000; i++)
		n += pie_arrive(&pie, &cfg, bytes, false) == AQM_DROP;
	return n;
}

/* Neither in a burst's allowance, nor of a short queue, nor while the delay was short and the
 * probability is below 0.2. */
static void test_safeguards(void **state)
{
	(void)state;
	congested(1);
	assert_int_equal(dropped_of_1000(MANY), 1000);
	assert_int_equal(dropped_of_1000(3000), 0);
	assert_int_equal(dropped_of_1000(3001), 1000);
	pie.burst_us = 1;
	assert_int_equal(dropped_of_1000(MANY), 0);
	congested(0.19);
	pie.delay_old_us = 7000;
	assert_int_equal(dropped_of_1000(MANY), 0);
	congested(0.21);
	pie.delay_old_us = 7000;
	assert_true(dropped_of_1000(MANY) > 50);
}

/* Marks up to a probability of 0.1, of what is ECT. Source: RFC 8033 5.1 */
static void test_ecn(void **state)
{
	struct pie_cfg marking = cfg;
	uint32_t marks = 0, drops = 0;

	(void)state;
	marking.ecn = true;
	for (int over = 0; over < 2; over++) {
		congested(over ? 0.11 : 0.1);
		for (int i = 0; i < 1000; i++) {
			enum aqm_verdict verdict = pie_arrive(&pie, &marking, MANY, true);

			marks += verdict == AQM_MARK_COUPLED;
			drops += verdict == AQM_DROP;
			assert_true(verdict == AQM_PASS ||
			            verdict == (over ? AQM_DROP : AQM_MARK_COUPLED));
		}
	}
	assert_true(marks > 10 && drops > 10);
	congested(0.05);
	for (int i = 0; i < 1000; i++)
		assert_true(pie_arrive(&pie, &marking, MANY, false) != AQM_MARK_COUPLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_pseudo_code),
		cmocka_unit_test(test_late_is_as_in_time),
		cmocka_unit_test(test_decays),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_safeguards),
		cmocka_unit_test(test_ecn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
