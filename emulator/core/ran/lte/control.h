/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - control channels that a UE misses. */
#ifndef CONTROL_H
#define CONTROL_H

#include "ran/lte/state.h"

/** control_missed() - @u does not decode the control channels of sub-frame @tti; one draw for all
 */
bool control_missed(struct lte *lte, struct ue *u, uint32_t tti);

#endif
