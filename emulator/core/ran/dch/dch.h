/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dch.h - one UE on a dedicated channel of the UTRAN. */
#ifndef DCH_H
#define DCH_H

#include "ran/ran.h"

extern const struct ran ran_dch;

#endif
