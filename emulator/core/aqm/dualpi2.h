/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dualpi2.h - marks of L4S, and DualPI2; the parts of aqm.h for these two. Source: RFC 9332 A.1 */
#ifndef AQM_DUALPI2_H
#define AQM_DUALPI2_H

#include "aqm/aqm.h"

void dualpi2_init(struct aqm *aqm, int64_t start_ns);

struct pkt *dualpi2_accept(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                           int64_t now_ns);

enum aqm_verdict dualpi2_decide(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                                int64_t now_ns);

void dualpi2_update(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns);

/** dualpi2_left() - @p, on which nothing was decided, has left */
void dualpi2_left(struct aqm *aqm, const struct pkt *p);

void dualpi2_empty(struct aqm *aqm);

void dualpi2_digest(const struct aqm *aqm, uint64_t *h);

#endif
