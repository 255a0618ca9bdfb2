/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - what a MAC PDU holds goes to the eNB and to RLC. */
#ifndef DECODE_H
#define DECODE_H

#include "ran/lte/state.h"

/** decode_block() - the receiver of @tb decodes it, or does not */
void decode_block(struct lte *lte, struct tb *tb);

#endif
