/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_keys.h - any declared key of a configuration, at any value that it may have. */
#ifndef CELL_KEYS_H
#define CELL_KEYS_H

#include "cellcore.h"
#include "fuzz.h"

/** keys_draw() - give one key of @cfg, of one of its UEs, or of a bearer of @bearer, another value
 */
void keys_draw(struct cell_cfg *cfg, struct cell_bearer_cfg *bearer, struct fuzz_input *in);

#endif
