/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reestablish.h - MAC, RLC and PDCP of a UE that changes its cell. */
#ifndef NR_REESTABLISH_H
#define NR_REESTABLISH_H

#include "ran/nr/state.h"

/**
 * nr_reestablish() - @u leaves its cell: MAC is reset, RLC re-established
 * @ret: what the source holds for it and could forward, in order: what was sent and not
 *       acknowledged with its PDCP SN, the rest without
 */
void nr_reestablish(struct nr *nr, struct nr_ue *u, struct pkt_queue *ret);

#endif
