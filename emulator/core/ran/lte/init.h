/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init.h - the start of an LTE network, in memory that is taken once. */
#ifndef LTE_INIT_H
#define LTE_INIT_H

#include "base/arena.h"
#include "ran/lte/state.h"

/** lte_lay_out(), lte_out_min() - see struct ran */
struct cell *lte_lay_out(struct arena *a, const struct cell_cfg *cfg);
size_t lte_out_min(const struct cell_cfg *cfg);

/** lte_init() - the state of UEs and eNBs */
void lte_init(struct lte *lte);

#endif
