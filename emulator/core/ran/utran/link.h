/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link.h - what happens on a dedicated channel: packets, TTIs, timers. */
#ifndef UTRAN_LINK_H
#define UTRAN_LINK_H

#include "ran/utran/state.h"

/** utran_check(), utran_out_min() - see struct ran */
const char *utran_check(const struct cell_cfg *cfg, const char **ret_range);
size_t utran_out_min(const struct cell_cfg *cfg);

/** utran_lay_out() - likewise; @kind: of the channels */
struct cell *utran_lay_out(struct arena *a, const struct cell_cfg *cfg,
                           const struct independent_kind *kind);

/** utran_has_room() - PDUs are left for one TTI of a UE */
bool utran_has_room(const struct utran *utran);

/** utran_init(), utran_ingress(), utran_next(), utran_process(), utran_empty() - see
 * struct independent_kind. Events are blocks received, timers and TTIs with something to send, at
 * one time in that order. */
void utran_init(struct independent_link *link);
void utran_ingress(struct independent_link *link, struct pkt *p);
int64_t utran_next(const struct independent_link *link);
void utran_process(struct independent_link *link);
void utran_empty(struct independent_link *link, struct pkt_queue *ret);

/** utran_tti_from() - start of the first TTI at or after @t_ns that was not processed */
int64_t utran_tti_from(const struct utran_link *u, int64_t t_ns);

#endif
