/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.h - bearers that go ahead of the scheduler's order, by their QoS; see mac/common/qos.h. */
#ifndef NR_AHEAD_H
#define NR_AHEAD_H

#include "ran/nr/serve.h"

/** nr_ahead_claim() - bearers of the UEs of @flows claim resource blocks of a slot */
void nr_ahead_claim(struct nr *nr, struct sched_flow *flows, uint32_t n, struct nr_decision *d);

#endif
