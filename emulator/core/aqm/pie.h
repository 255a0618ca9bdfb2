/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pie.h - PIE: packets that come are dropped, or marked, with a probability that a controller
 * raises and lowers by how far the queue's delay is from a target and by how much it has changed.
 *
 * The delay is that of the packet that was sent last, and 0 of an empty queue. Without a timer:
 * what the controller was to do at its times it does when it is asked next, as the delay has not
 * changed in between. Of what RFC 8033 has as an option there is ECN (5.1) and the derandomisation
 * (5.4), and neither an estimate of the rate (5.2) nor turning it off (5.3).
 * Source: RFC 8033 4, 5, Appendix A
 */
#ifndef AQM_PIE_H
#define AQM_PIE_H

#include <stdbool.h>
#include <stdint.h>

#include "aqm/verdict.h"
#include "base/rng.h"

struct pie_cfg {
	uint32_t target_us; /* QDELAY_REF */
	uint32_t tupdate_us;
	uint8_t alpha; /* in 1/16 Hz, as Linux has it */
	uint8_t beta;
	bool ecn;
};

struct pie {
	int64_t update_ns; /* when the controller is due next */
	int64_t delay_us;  /* current_qdelay */
	int64_t delay_old_us;
	int64_t burst_us; /* burst_allowance */
	int64_t prob_q32; /* drop_prob, 0..2^32 */
	int64_t accu_q32; /* accu_prob */
	struct rng rng;
};

/** pie_init() - no packet has come; the controller is due for the first time a period after
 * @start_ns. `rng` is the caller's to set. */
void pie_init(struct pie *pie, const struct pie_cfg *cfg, int64_t start_ns);

/** pie_update() - what was due until @now_ns; @empty: no packet waits */
void pie_update(struct pie *pie, const struct pie_cfg *cfg, bool empty, int64_t now_ns);

/**
 * pie_arrive() - a packet comes, after pie_update()
 * @bytes: of those that wait
 * @ect:   its header allows a mark
 */
enum aqm_verdict pie_arrive(struct pie *pie, const struct pie_cfg *cfg, uint32_t bytes, bool ect);

/** pie_sent() - a packet that has waited so long is about to be sent */
void pie_sent(struct pie *pie, int64_t waited_ns);

void pie_digest(const struct pie *pie, uint64_t *h);

#endif
