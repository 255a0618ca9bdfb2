/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pie.c - PIE; see pie.h. Probabilities are in Q32, delays in microseconds; those above a second
 * count as one. */
#include "aqm/pie.h"

#include "base/digest.h"

#define ONE_Q32       (INT64_C(1) << 32)
#define NS_PER_US     1000
#define DELAY_MAX_US  1000000
#define GAIN_PER_HZ   16
#define MAX_BURST_US  150000
#define MEAN_PKT_SIZE 1500 /* bytes */

/* Source: RFC 8033 4.2, Appendix A */
#define CAP_FROM_Q32 (ONE_Q32 / 10)
#define CAP_Q32      (ONE_Q32 / 50)
#define DECAY_NUM    98
#define DECAY_DEN    100

/* Source: RFC 8033 4.1 */
#define FEW_FROM_Q32 (ONE_Q32 / 5)

/* Source: RFC 8033 5.1, mark_ecnth */
#define MARK_MAX_Q32 (ONE_Q32 / 10)

/* Source: RFC 8033 5.4 */
#define ACCU_LOW_Q32  (ONE_Q32 * 85 / 100)
#define ACCU_HIGH_Q32 (ONE_Q32 * 85 / 10)

void pie_init(struct pie *pie, const struct pie_cfg *cfg, int64_t start_ns)
{
	struct rng rng = pie->rng;

	*pie = (struct pie){
		.update_ns = start_ns + (int64_t)cfg->tupdate_us * NS_PER_US,
		.burst_us = MAX_BURST_US,
		.rng = rng,
	};
}

/* The lower the probability, the smaller its steps. Source: RFC 8033 4.2, Appendix A */
static int64_t divisor_of(int64_t prob_q32)
{
	static const struct {
		int64_t below_q32, divisor;
	} steps[] = { { ONE_Q32 / 1000000, 2048 }, { ONE_Q32 / 100000, 512 },
		      { ONE_Q32 / 10000, 128 },    { ONE_Q32 / 1000, 32 },
		      { ONE_Q32 / 100, 8 },        { ONE_Q32 / 10, 2 } };

	for (uint32_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (prob_q32 < steps[i].below_q32)
			return steps[i].divisor;
	return 1;
}

static bool is_short(const struct pie *pie, const struct pie_cfg *cfg)
{
	return 2 * pie->delay_us < cfg->target_us && 2 * pie->delay_old_us < cfg->target_us;
}

/* One update of the probability. Source: RFC 8033 Appendix A, calculate_drop_prob() */
static void control(struct pie *pie, const struct pie_cfg *cfg)
{
	int64_t gain = cfg->alpha * (pie->delay_us - cfg->target_us) +
	               cfg->beta * (pie->delay_us - pie->delay_old_us);
	int64_t step_q32 = gain * (ONE_Q32 / GAIN_PER_HZ) / DELAY_MAX_US, prob_q32 = pie->prob_q32;

	step_q32 /= divisor_of(prob_q32);
	if (prob_q32 >= CAP_FROM_Q32 && step_q32 > CAP_Q32)
		step_q32 = CAP_Q32;
	prob_q32 += step_q32;
	if (is_short(pie, cfg))
		prob_q32 = prob_q32 * DECAY_NUM / DECAY_DEN;
	prob_q32 = prob_q32 < 0 ? 0 : prob_q32;
	pie->prob_q32 = prob_q32 < ONE_Q32 ? prob_q32 : ONE_Q32;
	pie->burst_us = pie->burst_us > cfg->tupdate_us ? pie->burst_us - cfg->tupdate_us : 0;
	pie->delay_old_us = pie->delay_us;
}

/* Periods in which nothing would change but the burst allowance. */
static void skip_idle(struct pie *pie, const struct pie_cfg *cfg, int64_t now_ns)
{
	int64_t period_ns = (int64_t)cfg->tupdate_us * NS_PER_US;
	int64_t n = (now_ns - pie->update_ns) / period_ns;

	if (pie->prob_q32 > 0 || pie->delay_us > 0 || pie->delay_old_us > 0)
		return;
	pie->update_ns += n * period_ns;
	pie->burst_us -= n < pie->burst_us / cfg->tupdate_us ? n * cfg->tupdate_us : pie->burst_us;
}

void pie_update(struct pie *pie, const struct pie_cfg *cfg, bool empty, int64_t now_ns)
{
	while (pie->update_ns <= now_ns) {
		if (empty)
			pie->delay_us = 0;
		skip_idle(pie, cfg, now_ns);
		control(pie, cfg);
		pie->update_ns += (int64_t)cfg->tupdate_us * NS_PER_US;
	}
}

/* Source: RFC 8033 4.1, 5.4, Appendix A, drop_early() */
static bool happens(struct pie *pie, const struct pie_cfg *cfg, uint32_t bytes)
{
	if ((2 * pie->delay_old_us < cfg->target_us && pie->prob_q32 < FEW_FROM_Q32) ||
	    bytes <= 2 * MEAN_PKT_SIZE)
		return false;
	pie->accu_q32 = pie->prob_q32 == 0 ? 0 : pie->accu_q32 + pie->prob_q32;
	if (pie->accu_q32 < ACCU_LOW_Q32)
		return false;
	if (pie->accu_q32 < ACCU_HIGH_Q32 && rng_u32(&pie->rng) >= pie->prob_q32)
		return false;
	pie->accu_q32 = 0;
	return true;
}

/* Source: RFC 8033 Appendix A; 5.1 */
enum aqm_verdict pie_arrive(struct pie *pie, const struct pie_cfg *cfg, uint32_t bytes, bool ect)
{
	if (pie->burst_us == 0 && happens(pie, cfg, bytes))
		return cfg->ecn && ect && pie->prob_q32 <= MARK_MAX_Q32 ? AQM_MARK_COUPLED
		                                                        : AQM_DROP;
	if (pie->prob_q32 == 0 && is_short(pie, cfg))
		pie->burst_us = MAX_BURST_US;
	return AQM_PASS;
}

void pie_sent(struct pie *pie, int64_t waited_ns)
{
	int64_t delay_us = waited_ns / NS_PER_US;

	pie->delay_us = delay_us < DELAY_MAX_US ? delay_us : DELAY_MAX_US;
}

void pie_digest(const struct pie *pie, uint64_t *h)
{
	digest_mix(h, (uint64_t)pie->update_ns);
	digest_mix(h, (uint64_t)pie->delay_us);
	digest_mix(h, (uint64_t)pie->delay_old_us);
	digest_mix(h, (uint64_t)pie->burst_us);
	digest_mix(h, (uint64_t)pie->prob_q32);
	digest_mix(h, (uint64_t)pie->accu_q32);
	digest_mix(h, pie->rng.state);
}
