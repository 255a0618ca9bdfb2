/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Named random streams. */
#include "unit.h"

#include "base/rng.h"

/* Upper halves of the published outputs of SplitMix64 for state 1234567. */
static void test_splitmix64(void **state)
{
	static const uint64_t published[] = {
		UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct rng r = { .state = 1234567 };

	(void)state;
	for (size_t i = 0; i < COUNT(published); i++)
		assert_int_equal(rng_u32(&r), published[i] >> 32);
}

/* Streams of different seed, name or UE share no more draws than chance has it. */
static void test_streams_differ(void **state)
{
	static const struct {
		uint64_t seed;
		const char *name;
		uint32_t ue;
	} streams[] = {
		{ 1, "loss-ul", 1 }, { 1, "loss-ul", 2 },          { 1, "loss-sl", 1 },
		{ 2, "loss-ul", 1 }, { 1, "preamble", 1 },         { 1, "backoff", 1 },
		{ 0, "loss-ul", 1 }, { UINT64_MAX, "loss-ul", 1 },
	};
	struct rng a, b;

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++)
		for (size_t j = 0; j < i; j++) {
			uint32_t equal_bits = 0;

			rng_init(&a, streams[i].seed, streams[i].name, streams[i].ue);
			rng_init(&b, streams[j].seed, streams[j].name, streams[j].ue);
			for (int k = 0; k < 1000; k++)
				equal_bits += 32 - (uint32_t)__builtin_popcount(rng_u32(&a) ^
				                                                rng_u32(&b));
			/* 32000 fair bits: mean 16000, standard deviation 89; 5 of them. */
			assert_in_range(equal_bits, 16000 - 447, 16000 + 447);
		}
}

static void test_same_name_same_stream(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, 7, "loss-dl", 3);
	rng_init(&b, 7, "loss-dl", 3);
	for (int i = 0; i < 100; i++)
		assert_int_equal(rng_u32(&a), rng_u32(&b));
}

/* 52000 draws below 52: each value 1000 times, standard deviation 31.3; 5 of them. */
static void test_below(void **state)
{
	uint32_t hits[52] = { 0 };
	struct rng r;

	(void)state;
	rng_init(&r, 1, "preamble", 1);
	for (int i = 0; i < 52000; i++)
		hits[rng_below(&r, 52)]++;
	for (int i = 0; i < 52; i++)
		assert_in_range(hits[i], 1000 - 157, 1000 + 157);
	for (int i = 0; i < 100; i++)
		assert_int_equal(rng_below(&r, 1), 0);
}

/* 10^5 draws at 10 %: 10000, standard deviation 95; 5 of them. */
static void test_hit(void **state)
{
	uint32_t hits = 0;
	struct rng r, always;

	(void)state;
	rng_init(&r, 1, "loss-ul", 1);
	for (int i = 0; i < 100000; i++)
		hits += rng_hit(&r, UINT32_MAX / 10);
	assert_in_range(hits, 10000 - 475, 10000 + 475);
	/* A draw is used up whatever the probability: the next one is the same. */
	always = r;
	assert_false(rng_hit(&r, 0));
	(void)rng_hit(&always, UINT32_MAX);
	assert_int_equal(rng_u32(&r), rng_u32(&always));
}

/* e^-x by the series of e^(-x / 1024), squared ten times. */
static double exp_of_minus(double x)
{
	double y = x / 1024, e = 1 - y + y * y / 2 - y * y * y / 6 + y * y * y * y / 24;

	for (int i = 0; i < 10; i++)
		e *= e;
	return e;
}

/* -ln of (draw + 1) / 2^32, by the same stream; of all draws mean and variance are 1. */
static void test_exponential(void **state)
{
	double sum = 0, squares = 0;
	struct rng r, same;
	int n = 0;

	(void)state;
	rng_init(&r, 1, "crowd-size-dl", 0);
	same = r;
	for (; n < 100000; n++) {
		double x = rng_exponential_q24(&r) / 16777216.0;

		assert_float_equal(exp_of_minus(x), (rng_u32(&same) + 1.0) / 4294967296.0, 1e-6);
		sum += x;
		squares += x * x;
	}
	/* Five deviations of the means: 1 / sqrt(n), and sqrt(20 / n). */
	assert_float_equal(sum / n, 1, 5 * 0.00317);
	assert_float_equal(squares / n, 2, 5 * 0.01415);
}

/* After skipping the stream goes on as if all had been drawn. */
static void test_skip(void **state)
{
	struct rng drawn, skipped;

	(void)state;
	rng_init(&drawn, 5, "crowd-cqi-ul", 7);
	skipped = drawn;
	for (int i = 0; i < 37; i++)
		(void)rng_u32(&drawn);
	rng_skip(&skipped, 37);
	assert_int_equal(rng_u32(&drawn), rng_u32(&skipped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_splitmix64),
		cmocka_unit_test(test_streams_differ),
		cmocka_unit_test(test_same_name_same_stream),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_hit),
		cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
