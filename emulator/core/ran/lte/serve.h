/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.h - flows get resource blocks and control channel elements. */
#ifndef SERVE_H
#define SERVE_H

#include "ran/lte/decision.h"

/** serve_flows() - @n flows of UEs, with space behind them for those of the crowd */
void serve_flows(struct lte *lte, struct sched_flow *flows, uint32_t n,
                 const struct serve_decision *d);

#endif
