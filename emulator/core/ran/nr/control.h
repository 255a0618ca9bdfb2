/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - PDCCH of a slot: room for DCIs. */
#ifndef NR_CONTROL_H
#define NR_CONTROL_H

#include "ran/nr/state.h"

/** nr_control_init() - how much room there is in each slot, by the configuration and the frame */
void nr_control_init(struct nr *nr);

/** nr_control_start() - a new slot with PDCCH */
void nr_control_start(struct nr *nr);

/** nr_control_level() - of DCIs to a UE that reported @cqi: log2 of their elements; 0 without limit
 */
uint8_t nr_control_level(const struct nr *nr, uint8_t cqi);

/** nr_control_assign() - room for a DCI to a C-RNTI on @pdcch in @slot. Return: there is */
bool nr_control_assign(const struct nr *nr, struct cce_set *pdcch, uint16_t rnti, uint8_t level,
                       uint32_t slot);

/** nr_control_drop() - take flows off @flows whose DCIs are longer than what is left */
void nr_control_drop(const struct nr *nr, const struct cce_set *pdcch, struct sched_flow *flows,
                     uint32_t n);

#endif
