/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ue.h - what a UE does in a sub-frame: transmit on grants, random access. */
#ifndef UE_H
#define UE_H

#include "ran/lte/state.h"

void ue_transmit(struct lte *lte, struct ue *u, uint32_t tti);
void ue_random_access(struct lte *lte, struct ue *u, uint32_t tti);
uint32_t ue_next_tti(const struct lte *lte, const struct ue *u, uint32_t from);

#endif
