/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reestablish.h - RLC and PDCP of a UE that changes its cell. */
#ifndef REESTABLISH_H
#define REESTABLISH_H

#include "ran/lte/state.h"

/**
 * reestablish() - @u leaves its cell: MAC is reset, RLC re-established
 * @ret: what the source eNB holds for it and could forward, in order: what was
 *       sent and not acknowledged with its PDCP SN, the rest without
 */
void reestablish(struct lte *lte, struct ue *u, struct pkt_queue *ret);

#endif
