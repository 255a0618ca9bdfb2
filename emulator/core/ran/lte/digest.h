/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - hash of the state that decides what happens next. */
#ifndef LTE_DIGEST_H
#define LTE_DIGEST_H

#include "ran/lte/state.h"

/** lte_digest() - add the state to @h */
void lte_digest(const struct lte *lte, uint64_t *h);

#endif
