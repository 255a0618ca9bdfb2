/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bound.h - when a packet can leave a dedicated channel next. */
#ifndef UTRAN_BOUND_H
#define UTRAN_BOUND_H

#include "ran/utran/state.h"

/** utran_next_output() - see cell_next_output() */
int64_t utran_next_output(const struct independent_link *link);

#endif
