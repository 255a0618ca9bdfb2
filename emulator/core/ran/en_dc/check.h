/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - keys of a configuration of EN-DC that depend on each other. */
#ifndef EN_DC_CHECK_H
#define EN_DC_CHECK_H

#include "cellcore.h"

/** en_dc_check() - the first key that does not fit, or NULL; each one is in its range */
const char *en_dc_check(const struct cell_cfg *cfg, const char **ret_range);

#endif
