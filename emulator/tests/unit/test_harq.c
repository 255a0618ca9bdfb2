/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HARQ: outcomes of attempts by the ladder of residual error rates, feedback
 * errors, use of processes. Source: TS 36.321 5.3.2, 5.4.2; Park 2013, section 3
 */
#include "unit.h"

#include "mac/lte/harq.h"

#define BLOCKS 20000 /* for every seed */
#define SEEDS  10

static struct harq_model model;
static struct rng error_rng, feedback_rng;

/* Blocks that ended decoded or were given up after so many attempts. */
static uint32_t decoded[CELL_HARQ_ATTEMPTS_MAX + 1], lost[CELL_HARQ_ATTEMPTS_MAX + 1];
static uint32_t nacks, misread;

static uint32_t q32(double p)
{
	return (uint32_t)(p * 4294967295.0);
}

static void setup(uint8_t max_attempts, uint8_t n, const double *ladder, double nack_to_ack)
{
	struct cell_cfg cfg;

	cell_cfg_default(&cfg);
	cfg.harq.max_attempts = max_attempts;
	cfg.harq.nack_to_ack_q32 = q32(nack_to_ack);
	cfg.harq.n_bler = n;
	for (uint8_t i = 0; i < n; i++)
		cfg.harq.bler_q32[i] = q32(ladder[i]);
	harq_model_init(&model, &cfg.harq, cfg.lte.control.dtx == CELL_DTX_LOSE);
}

/* One block from its first attempt to the end. */
static void one_block(void)
{
	struct tb tb = { 0 };
	enum tb_outcome outcome;

	do {
		tb.attempt++;
		outcome =
			harq_draw(&model, &tb, harq_ladder(&model, &tb), &error_rng, &feedback_rng);
		nacks += outcome == TB_NACK;
		misread += tb.nack_to_ack;
	} while (outcome == TB_NACK);
	if (outcome == TB_DECODED)
		decoded[tb.attempt]++;
	else
		lost[tb.attempt]++;
}

static void draw_blocks(void)
{
	memset(decoded, 0, sizeof(decoded));
	memset(lost, 0, sizeof(lost));
	nacks = misread = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		rng_init(&error_rng, seed, "harq-ul", 1);
		rng_init(&feedback_rng, seed, "harq-feedback-ul", 1);
		for (int i = 0; i < BLOCKS; i++)
			one_block();
	}
}

/* @hits of @n draws are within five standard deviations of probability @p. */
static void expect_rate(uint32_t hits, uint32_t n, double p)
{
	double off = (double)hits - n * p;

	assert_true(off * off <= 25.0 * n * p * (1 - p) + 1);
}

/* Blocks not decoded after @k attempts, of those that no misread NACK ended. */
static uint32_t undecoded(uint8_t k)
{
	uint32_t n = SEEDS * BLOCKS;

	for (uint8_t i = 1; i <= k; i++)
		n -= decoded[i];
	return n;
}

/* The rates after 1..5 attempts are those of the ladder: 0.1, 0.01, 0.005, 0.002, 0.001. */
static void test_ladder(void **state)
{
	static const double ladder[] = { 0.1, 0.01, 0.005, 0.002, 0.001 };

	(void)state;
	setup(5, 5, ladder, 0);
	draw_blocks();
	for (uint8_t k = 1; k <= 5; k++)
		expect_rate(undecoded(k), SEEDS * BLOCKS, ladder[k - 1]);
	assert_int_equal(lost[5], undecoded(5));
	for (uint8_t k = 1; k < 5; k++)
		assert_int_equal(lost[k], 0);
}

/* A steep one, and one whose last entry holds for further attempts, which are then without success.
 */
static void test_last_entry_holds(void **state)
{
	static const double ladder[] = { 0.8, 0.3 };

	(void)state;
	setup(4, 2, ladder, 0);
	draw_blocks();
	expect_rate(undecoded(1), SEEDS * BLOCKS, 0.8);
	expect_rate(undecoded(2), SEEDS * BLOCKS, 0.3);
	assert_int_equal(undecoded(3), undecoded(2));
	assert_int_equal(lost[4], undecoded(2));
}

/* A ladder that ends with 0 loses nothing; one that is 0 needs one attempt. */
static void test_no_residual_errors(void **state)
{
	static const double ladder[] = { 0.5, 0 }, none[] = { 0 };

	(void)state;
	setup(8, 2, ladder, 0);
	draw_blocks();
	expect_rate(decoded[1], SEEDS * BLOCKS, 0.5);
	assert_int_equal(decoded[1] + decoded[2], SEEDS * BLOCKS);
	setup(8, 1, none, 0);
	draw_blocks();
	assert_int_equal(decoded[1], SEEDS * BLOCKS);
	assert_int_equal(nacks, 0);
}

/* harq.max_attempts ends it, whatever the ladder goes on with. */
static void test_max_attempts(void **state)
{
	static const double ladder[] = { 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2 };

	(void)state;
	for (uint8_t max = 2; max <= 8; max++) {
		setup(max, 8, ladder, 0);
		draw_blocks();
		expect_rate(lost[max], SEEDS * BLOCKS, ladder[max - 1]);
		for (uint8_t k = 1; k <= 8; k++) {
			assert_true(k == max || lost[k] == 0);
			assert_true(k <= max || decoded[k] == 0);
		}
	}
}

/* Without HARQ nothing is drawn and nothing fails: the directions' own error rate does it all. */
static void test_without_harq(void **state)
{
	static const double ladder[] = { 1 };
	struct tb tb = { .attempt = 1 };
	struct rng fresh;

	(void)state;
	setup(1, 1, ladder, 1);
	rng_init(&error_rng, 1, "harq-ul", 1);
	rng_init(&fresh, 1, "harq-ul", 1);
	assert_int_equal(
		harq_draw(&model, &tb, harq_ladder(&model, &tb), &error_rng, &feedback_rng),
		TB_DECODED);
	assert_int_equal(rng_u32(&error_rng), rng_u32(&fresh));
}

/* One NACK in ten is read as an ACK: the block is lost at that attempt, though more were allowed.
 */
static void test_nack_to_ack(void **state)
{
	static const double ladder[] = { 0.5, 0.25, 0.125, 0.0625 };
	uint32_t lost_early = 0;

	(void)state;
	setup(4, 4, ladder, 0.1);
	draw_blocks();
	for (uint8_t k = 1; k < 4; k++)
		lost_early += lost[k];
	assert_int_equal(lost_early, misread);
	expect_rate(misread, nacks + misread, 0.1);
	expect_rate(lost[1], SEEDS * BLOCKS, 0.5 * 0.1);
	/* After the last attempt there is no feedback to be misread. */
	expect_rate(lost[4], SEEDS * BLOCKS, 0.0625 * 0.9 * 0.9 * 0.9);
}

/* Every NACK is misread: one attempt each. None is: all of them. */
static void test_nack_to_ack_extremes(void **state)
{
	static const double ladder[] = { 1 };

	(void)state;
	setup(3, 1, ladder, 1);
	draw_blocks();
	assert_int_equal(lost[1], SEEDS * BLOCKS);
	setup(3, 1, ladder, 0);
	draw_blocks();
	assert_int_equal(lost[3], SEEDS * BLOCKS);
	assert_int_equal(misread, 0);
}

/* Feedback errors do not move the radio's errors: their draws are a stream of their own. */
static void test_streams_are_apart(void **state)
{
	static const double ladder[] = { 0.3, 0.1 };
	uint32_t first;

	(void)state;
	setup(2, 2, ladder, 0);
	rng_init(&error_rng, 7, "harq-ul", 1);
	for (int i = 0; i < 1000; i++) {
		struct tb tb = { .attempt = 1 };

		(void)harq_draw(&model, &tb, harq_ladder(&model, &tb), &error_rng, &feedback_rng);
	}
	first = rng_u32(&error_rng);
	setup(2, 2, ladder, 0.5);
	rng_init(&error_rng, 7, "harq-ul", 1);
	for (int i = 0; i < 1000; i++) {
		struct tb tb = { .attempt = 1 };

		(void)harq_draw(&model, &tb, harq_ladder(&model, &tb), &error_rng, &feedback_rng);
	}
	assert_int_equal(rng_u32(&error_rng), first);
}

/* A process that starts in TTI 10 is free again in TTI 18, and only after its end. */
static void test_process_reuse(void **state)
{
	struct harq_process p[HARQ_PROCESSES] = { 0 };

	(void)state;
	for (uint32_t tti = 10; tti < 18; tti++) {
		assert_int_equal(harq_free(p, tti), tti - 10);
		harq_start(&p[tti - 10], tti);
		harq_send_new(&p[tti - 10]);
		assert_int_equal(p[tti - 10].ndi, 1);
		harq_end(&p[tti - 10]);
	}
	assert_int_equal(harq_free(p, 17), -1); /* all eight wait for their feedback */
	assert_int_equal(harq_free(p, 18), 0);
	harq_start(&p[0], 18);
	assert_int_equal(p[0].ndi, 1);
	harq_send_new(&p[0]);
	assert_int_equal(p[0].ndi, 0); /* toggled: a new block */
	assert_int_equal(harq_free(p, 18), -1);
	assert_int_equal(harq_free(p, 19), 1);
	assert_int_equal(harq_free(p, 26), 1); /* 0 is busy, however long it takes */
}

/* A NACK keeps the block, and its NDI, until the retransmission is due. */
static void test_process_waits(void **state)
{
	struct harq_process p[HARQ_PROCESSES] = { 0 };
	struct tb first = { .subframe = 10 }, second = { .subframe = 12 };

	(void)state;
	assert_int_equal(harq_next_tti(p, HARQ_PROCESSES), UINT32_MAX);
	harq_start(&p[3], 10);
	harq_start(&p[5], 12);
	harq_send_new(&p[3]);
	harq_send_new(&p[5]);
	assert_int_equal(harq_next_tti(p, HARQ_PROCESSES), UINT32_MAX);
	harq_wait(&p[3], &first, HARQ_UL_RTT_TTI);
	harq_wait(&p[5], &second, 12);
	assert_ptr_equal(p[3].tb, &first);
	assert_int_equal(p[3].due_tti, 18);
	assert_int_equal(p[5].due_tti, 24);
	assert_int_equal(p[3].ndi, 1);
	assert_int_equal(harq_next_tti(p, HARQ_PROCESSES), 18);
	harq_end(&p[3]);
	assert_int_equal(harq_next_tti(p, HARQ_PROCESSES), 24);
	assert_int_equal(harq_next_tti(p, 5), UINT32_MAX);
	assert_false(p[3].busy);
	assert_true(p[5].busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ladder),
		cmocka_unit_test(test_last_entry_holds),
		cmocka_unit_test(test_no_residual_errors),
		cmocka_unit_test(test_max_attempts),
		cmocka_unit_test(test_without_harq),
		cmocka_unit_test(test_nack_to_ack),
		cmocka_unit_test(test_nack_to_ack_extremes),
		cmocka_unit_test(test_streams_are_apart),
		cmocka_unit_test(test_process_reuse),
		cmocka_unit_test(test_process_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
