/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init.h - the start of a network of NR, in memory that is taken once. */
#ifndef NR_INIT_H
#define NR_INIT_H

#include "base/arena.h"
#include "ran/nr/state.h"

/** nr_lay_out(), nr_out_min() - see struct ran */
struct cell *nr_lay_out(struct arena *a, const struct cell_cfg *cfg);
size_t nr_out_min(const struct cell_cfg *cfg);

/** nr_init() - the state of UEs and gNB */
void nr_init(struct nr *nr);

/** nr_mac_entities() - one of each UE, and another one of each with PDCP duplication or DAPS */
uint32_t nr_mac_entities(const struct cell_cfg *cfg);

/** nr_init_mac() - what a UE and a gNB that have just met know of each other: nothing */
void nr_init_mac(struct nr *nr, struct nr_ue *u);

/** nr_init_spare() - @u, one of a UE's two MAC entities, is not in use */
void nr_init_spare(struct nr *nr, struct nr_ue *u);

/** nr_blocks_of_event() - new blocks that one event can need at most */
uint32_t nr_blocks_of_event(const struct cell_cfg *cfg);

#endif
