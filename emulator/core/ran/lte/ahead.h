/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.h - bearers that go ahead of the scheduler's order, by their QoS; see mac/common/qos.h. */
#ifndef LTE_AHEAD_H
#define LTE_AHEAD_H

#include "ran/lte/decision.h"

/** lte_ahead_claim() - bearers of the UEs of @flows claim resource blocks of the downlink */
void lte_ahead_claim(struct lte *lte, struct sched_flow *flows, uint32_t n,
                     const struct serve_decision *d);

#endif
