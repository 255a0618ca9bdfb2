/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded.h - one UE behind a recorded link. */
#ifndef RECORDED_H
#define RECORDED_H

#include "ran/ran.h"

extern const struct ran ran_recorded;

#endif
