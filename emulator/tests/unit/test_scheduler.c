/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round robin, weighted fair queueing, max C/I, proportional fair, largest weighted delay. */
#include "unit.h"

#include "mac/common/scheduler.h"

/* A scheduler that remembers nothing yet; what is given is set. */
#define STATE(...)                                                                                 \
	{                                                                                          \
		.of = (struct sched_memory[SCHED_FLOWS_MAX]){ { 0 } }, __VA_ARGS__                 \
	}

static int pick(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	return scheduler_by_id(CELL_SCHED_RR)->pick(s, flows, n);
}

static void test_turns(void **state)
{
	struct sched_flow flows[4] = {
		{ .id = 0, .backlog = 9 },
		{ .id = 1, .backlog = 9 },
		{ .id = 2, .backlog = 0 },
		{ .id = 3, .backlog = 9 },
	};
	static const int expected[] = { 1, 3, 0, 1, 3, 0 };
	struct sched_state s = STATE();

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(pick(&s, flows, 4), expected[i]);
}

/* A flow that has nothing to send may be left out; whose turn it is goes by ids. */
static void test_flows_that_are_left_out(void **state)
{
	struct sched_flow flows[2] = { { .id = 3, .backlog = 9 }, { .id = 8, .backlog = 9 } };
	struct sched_state s = STATE(.last = 5);

	(void)state;
	assert_int_equal(pick(&s, flows, 2), 1);
	assert_int_equal(s.last, 8);
	assert_int_equal(pick(&s, flows, 2), 0);
	assert_int_equal(s.last, 3);
	assert_int_equal(pick(&s, flows, 0), -1);
	assert_int_equal(s.last, 3);
}

static void test_nothing_to_serve(void **state)
{
	struct sched_flow flows[2] = { { .id = 0 }, { .id = 1 } };
	struct sched_state s = STATE(.last = 1);

	(void)state;
	assert_int_equal(pick(&s, flows, 2), -1);
	assert_int_equal(s.last, 1);
	flows[1].backlog = 1; /* the one served last, alone */
	assert_int_equal(pick(&s, flows, 2), 1);
}

#define TURNS 5000

/* Some thousand turns: nobody is more than one ahead, whichever UE starts. */
static void test_fair(void **state)
{
	struct sched_flow flows[SCHED_FLOWS_MAX];
	uint32_t served[SCHED_FLOWS_MAX] = { 0 };
	struct sched_state s = STATE(.last = 17);

	(void)state;
	for (uint32_t i = 0; i < SCHED_FLOWS_MAX; i++)
		flows[i] = (struct sched_flow){ .id = (uint16_t)i, .backlog = i + 1 };
	for (int i = 0; i < TURNS; i++)
		served[pick(&s, flows, SCHED_FLOWS_MAX)]++;
	for (uint32_t i = 0; i < SCHED_FLOWS_MAX; i++)
		assert_in_range(served[i], TURNS / SCHED_FLOWS_MAX, TURNS / SCHED_FLOWS_MAX + 1);
}

#define FLOWS 3

/* @n sub-frames in which a flow gets what its channel carries; those of weight 0 have nothing. */
static void run_wfq(struct sched_state *s, const uint8_t *weight, const uint32_t *carries,
                    uint32_t n, uint64_t *ret_bytes)
{
	const struct sched *wfq = scheduler_by_id(CELL_SCHED_WFQ);

	while (n--) {
		struct sched_flow flows[FLOWS] = { 0 };
		int f;

		for (uint32_t i = 0; i < FLOWS; i++)
			if (weight[i])
				flows[i] = (struct sched_flow){ .id = (uint16_t)i,
					                        .backlog = 9000,
					                        .waiting = 9000,
					                        .weight = weight[i] };
		f = wfq->pick(s, flows, FLOWS);
		if (f < 0)
			continue;
		wfq->served(s, flows, (uint32_t)f, carries[f]);
		ret_bytes[f] += carries[f];
	}
}

/* Bytes go by weight, whatever a sub-frame carries for each. */
static void test_wfq_shares_bytes(void **state)
{
	static const uint8_t weight[FLOWS] = { 1, 2, 5 };
	static const uint32_t carries[FLOWS] = { 4000, 1000, 300 };
	uint64_t bytes[FLOWS] = { 0 };
	struct sched_state s = STATE();

	(void)state;
	run_wfq(&s, weight, carries, 100000, bytes);
	for (uint32_t i = 1; i < FLOWS; i++) {
		/* Goyal, Theorem 1: what differs is less than a packet of each, by weight. */
		int64_t ahead = (int64_t)(bytes[i] / weight[i]) - (int64_t)bytes[0];

		assert_in_range(ahead + 8000, 0, 16000);
	}
	assert_true(bytes[0] > 1000000);
}

/* Silence is no credit: a flow that comes back shares from then on. */
static void test_wfq_forgets_silence(void **state)
{
	static const uint8_t alone[FLOWS] = { 1, 0, 0 }, both[FLOWS] = { 1, 1, 0 };
	static const uint32_t carries[FLOWS] = { 1000, 1000, 1000 };
	uint64_t bytes[FLOWS] = { 0 }, later[FLOWS] = { 0 };
	struct sched_state s = STATE();

	(void)state;
	run_wfq(&s, alone, carries, 1000, bytes);
	assert_int_equal(bytes[0], 1000000);
	run_wfq(&s, both, carries, 100, later);
	assert_in_range(later[0], 49000, 51000);
	assert_in_range(later[1], 49000, 51000);
}

/* The same by a flow that is left out while it has nothing to send. */
static void test_wfq_forgets_flows_that_were_left_out(void **state)
{
	const struct sched *wfq = scheduler_by_id(CELL_SCHED_WFQ);
	struct sched_flow flows[2] = { { .id = 4, .backlog = 1, .waiting = 1, .weight = 1 },
		                       { .id = 7, .backlog = 1, .waiting = 1, .weight = 1 } };
	struct sched_state s = STATE();
	int turns = 0;

	(void)state;
	assert_int_equal(wfq->pick(&s, flows, 2), 0);
	wfq->served(&s, flows, 0, 1000);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(wfq->pick(&s, flows, 1), 0);
		wfq->served(&s, flows, 0, 1000);
	}
	for (int i = 0; i < 100; i++) {
		int f = wfq->pick(&s, flows, 2);

		turns += f;
		wfq->served(&s, flows, (uint32_t)f, 1000);
	}
	assert_in_range(turns, 49, 51);
}

/* Served once in a sub-frame, a flow waits for the next one and loses nothing by it. */
static void test_wfq_serves_once_a_subframe(void **state)
{
	const struct sched *wfq = scheduler_by_id(CELL_SCHED_WFQ);
	struct sched_flow flows[2] = {
		{ .id = 0, .backlog = 100, .waiting = 100, .weight = 1 },
		{ .id = 1, .backlog = 100, .waiting = 100, .weight = 1 },
	};
	struct sched_state s = STATE();

	(void)state;
	assert_int_equal(wfq->pick(&s, flows, 2), 0);
	wfq->served(&s, flows, 0, 10);
	flows[0].backlog = 0;
	assert_int_equal(wfq->pick(&s, flows, 2), 1);
	wfq->served(&s, flows, 1, 90);
	flows[1].backlog = 0;
	assert_int_equal(wfq->pick(&s, flows, 2), -1);
	flows[0].backlog = flows[1].backlog = 100;
	assert_int_equal(wfq->pick(&s, flows, 2), 0);
}

/* The best channel has it all; those that are as good take turns. */
static void test_max_ci(void **state)
{
	const struct sched *max_ci = scheduler_by_id(CELL_SCHED_MAX_CI);
	struct sched_flow flows[4] = {
		{ .id = 2, .backlog = 9, .rate = 700 },
		{ .id = 4, .backlog = 9, .rate = 900 },
		{ .id = 5, .backlog = 9, .rate = 100 },
		{ .id = 8, .backlog = 9, .rate = 900 },
	};
	static const int expected[] = { 1, 3, 1, 3 };
	struct sched_state s = STATE();

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(max_ci->pick(&s, flows, 4), expected[i]);
	flows[1].backlog = flows[3].backlog = 0; /* served in this sub-frame */
	assert_int_equal(max_ci->pick(&s, flows, 4), 0);
	flows[0].backlog = 0;
	assert_int_equal(max_ci->pick(&s, flows, 4), 2);
	flows[2].backlog = 0;
	assert_int_equal(max_ci->pick(&s, flows, 4), -1);
}

/* @n sub-frames from @tti on in which a flow gets what its channel holds; those of rate 0 have
 * nothing. */
static void run_pf(struct sched_state *s, uint32_t tti, const uint32_t *rate, uint32_t n,
                   uint32_t *ret_turns)
{
	const struct sched *pf = scheduler_by_id(CELL_SCHED_PF);

	for (s->tti = tti; s->tti < tti + n; s->tti++) {
		struct sched_flow flows[FLOWS];
		uint32_t k = 0;
		int f;

		for (uint16_t i = 0; i < FLOWS; i++)
			if (rate[i])
				flows[k++] = (struct sched_flow){
					.id = i, .backlog = 9000, .waiting = 9000, .rate = rate[i]
				};
		f = pf->pick(s, flows, k);
		pf->served(s, flows, (uint32_t)f, flows[f].rate);
		ret_turns[flows[f].id]++;
	}
}

/* On channels that stay as they are PF shares sub-frames, however far apart the channels are. */
static void test_pf_shares_subframes(void **state)
{
	static const uint32_t rate[FLOWS] = { 9000, 1000, 100 };
	struct sched_state s = STATE(.average_tti = 100);
	uint32_t turns[FLOWS] = { 0 };

	(void)state;
	run_pf(&s, 1, rate, 30000, turns);
	for (int i = 0; i < FLOWS; i++)
		assert_in_range(turns[i], 9900, 10100);
}

/* A UE is served whose channel is better than usual. */
static void test_pf_serves_peaks(void **state)
{
	static const uint32_t usual[FLOWS] = { 9000, 100, 0 }, peak[FLOWS] = { 9000, 300, 0 };
	struct sched_state s = STATE(.average_tti = 1000);
	uint32_t turns[FLOWS] = { 0 }, later[FLOWS] = { 0 };

	(void)state;
	run_pf(&s, 1, usual, 10000, turns);
	run_pf(&s, 10001, peak, 100, later);
	assert_int_equal(later[1], 100);
}

/* By hand: 1000 bytes in a sub-frame and a time constant of 4 are 250; after 10 silent ones 250 *
 * 0.75^10 = 14.08. */
static void test_pf_forgets(void **state)
{
	const struct sched *pf = scheduler_by_id(CELL_SCHED_PF);
	struct sched_flow flow = { .id = 7, .backlog = 1, .waiting = 1, .rate = 1000 };
	struct sched_state s = STATE(.average_tti = 4, .tti = 1);

	(void)state;
	assert_int_equal(pf->pick(&s, &flow, 1), 0);
	pf->served(&s, &flow, 0, 600);
	pf->served(&s, &flow, 0, 400); /* another block of the sub-frame */
	s.tti = 2;
	assert_int_equal(pf->pick(&s, &flow, 1), 0);
	assert_int_equal(s.of[7].average, 250 << 16);
	s.tti = 12;
	assert_int_equal(pf->pick(&s, &flow, 1), 0);
	assert_int_equal(s.of[7].average * 100 >> 16, 1407);
	s.tti = 4000000000u;
	assert_int_equal(pf->pick(&s, &flow, 1), 0);
	assert_int_equal(s.of[7].average, 0);
	s.average_tti = 1; /* only the last sub-frame counts */
	pf->served(&s, &flow, 0, 9422);
	s.tti++;
	assert_int_equal(pf->pick(&s, &flow, 1), 0);
	assert_int_equal(s.of[7].average, 9422 << 16);
}

static int pick_mlwdf(struct sched_state *s, const struct sched_flow *flows, uint32_t n)
{
	s->average_tti = 100;
	return scheduler_by_id(CELL_SCHED_MLWDF)->pick(s, flows, n);
}

/* One of the delay, the weight and the rate twice that of the other flow, all else the same. */
static void test_mlwdf_weighs(void **state)
{
	const struct sched_flow flow = { .backlog = 9, .delay_us = 999, .weight = 1, .rate = 100 };

	(void)state;
	for (uint16_t better = 0; better < 2; better++)
		for (int what = 0; what < 3; what++) {
			struct sched_flow flows[2] = { flow, flow };
			struct sched_state s = STATE();

			flows[1].id = 1;
			if (what == 0)
				flows[better].delay_us = 1999;
			else if (what == 1)
				flows[better].weight = 2;
			else
				flows[better].rate = 200;
			assert_int_equal(pick_mlwdf(&s, flows, 2), better);
			flows[better].backlog = 0;
			assert_int_equal(pick_mlwdf(&s, flows, 2), !better);
		}
}

/* What was served is less urgent for a while, and a wait makes up for any average. */
static void test_mlwdf_remembers(void **state)
{
	struct sched_flow flows[2] = {
		{ .id = 0, .backlog = 9, .delay_us = 1000, .weight = 1, .rate = 100 },
		{ .id = 1, .backlog = 9, .delay_us = 1000, .weight = 1, .rate = 100 },
	};
	struct sched_state s = STATE();
	const struct sched *mlwdf = scheduler_by_id(CELL_SCHED_MLWDF);

	(void)state;
	for (s.tti = 1; s.tti < 50; s.tti++) {
		assert_int_equal(pick_mlwdf(&s, flows, 2), s.tti % 2 == 0);
		mlwdf->served(&s, flows, s.tti % 2 == 0, 100);
	}
	for (; s.tti < 400; s.tti++)
		mlwdf->served(&s, flows, 1, 100);
	assert_int_equal(pick_mlwdf(&s, flows, 2), 0);
	flows[1].delay_us = UINT32_MAX;
	assert_int_equal(pick_mlwdf(&s, flows, 2), 1);
}

/* The largest values there are do not overflow. */
static void test_mlwdf_limits(void **state)
{
	struct sched_flow flows[2] = {
		{ .id = 0, .backlog = 9, .delay_us = 1000, .weight = 255, .rate = 9422 },
		{ .id = 1, .backlog = 9, .delay_us = UINT32_MAX, .weight = 255, .rate = 9422 },
	};
	struct sched_state s = STATE();

	(void)state;
	assert_int_equal(pick_mlwdf(&s, flows, 2), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_flows_that_are_left_out),
		cmocka_unit_test(test_nothing_to_serve),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_wfq_shares_bytes),
		cmocka_unit_test(test_wfq_forgets_silence),
		cmocka_unit_test(test_wfq_forgets_flows_that_were_left_out),
		cmocka_unit_test(test_wfq_serves_once_a_subframe),
		cmocka_unit_test(test_max_ci),
		cmocka_unit_test(test_pf_shares_subframes),
		cmocka_unit_test(test_pf_serves_peaks),
		cmocka_unit_test(test_pf_forgets),
		cmocka_unit_test(test_mlwdf_weighs),
		cmocka_unit_test(test_mlwdf_remembers),
		cmocka_unit_test(test_mlwdf_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
