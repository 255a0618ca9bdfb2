/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - what a block holds goes to the gNB and to RLC. */
#ifndef NR_DECODE_H
#define NR_DECODE_H

#include "ran/nr/state.h"

/** nr_decode() - the receiver has @tb, or knows that it has not */
void nr_decode(struct nr *nr, struct nr_tb *tb);

#endif
