/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broadcast.h - what a cell says to everybody: SSBs, system information, paging. */
#ifndef NR_BROADCAST_H
#define NR_BROADCAST_H

#include "ran/nr/state.h"

/** nr_broadcast_rb() - resource blocks of downlink slot @slot that carry no data for it */
uint16_t nr_broadcast_rb(const struct nr *nr, uint32_t slot);

#endif
