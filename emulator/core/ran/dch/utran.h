/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utran.h - what happens on a dedicated channel: packets, TTIs, timers. */
#ifndef UTRAN_H
#define UTRAN_H

#include "base/arena.h"
#include "ran/dch/state.h"

/** utran_check(), utran_out_min(), utran_lay_out() - see struct ran */
const char *utran_check(const struct cell_cfg *cfg, const char **ret_range);
size_t utran_out_min(const struct cell_cfg *cfg);
struct cell *utran_lay_out(struct arena *a, const struct cell_cfg *cfg);

/** utran_init() - the rest of the state */
void utran_init(struct utran *u);

/** utran_has_room() - PDUs are left for one TTI */
bool utran_has_room(const struct utran *u);

/** utran_ingress() - a packet arrived at its port */
void utran_ingress(struct utran *u, struct pkt *p);

/** utran_next() - time of the next block received, timer or TTI with something to send */
int64_t utran_next(const struct utran *u);

/** utran_process() - the event of utran_next(); of several at one time one, in that order */
void utran_process(struct utran *u);

/** utran_tti_from() - begin of the first TTI at or after @t_ns that was not processed */
int64_t utran_tti_from(const struct utran *u, int64_t t_ns);

/** utran_empty() - all packets that are held, in no order */
void utran_empty(struct utran *u, struct pkt_queue *ret);

#endif
