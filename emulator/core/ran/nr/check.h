/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - keys of a configuration of NR that depend on each other. */
#ifndef NR_CHECK_H
#define NR_CHECK_H

#include "cellcore.h"

/** nr_check() - see struct ran */
const char *nr_check(const struct cell_cfg *cfg, const char **ret_range);

#endif
