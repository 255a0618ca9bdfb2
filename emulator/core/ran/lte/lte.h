/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lte.h - cells of LTE, with direct mode, handovers and a core network. */
#ifndef LTE_H
#define LTE_H

#include "ran/ran.h"

extern const struct ran ran_lte;

#endif
