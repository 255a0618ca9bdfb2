/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - hash of the state that decides what happens next, for tests. */
#ifndef NR_DIGEST_H
#define NR_DIGEST_H

#include "ran/nr/state.h"

void nr_digest(const struct nr *nr, uint64_t *h);

#endif
