/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - keys of a configuration of LTE that depend on each other. */
#ifndef LTE_CHECK_H
#define LTE_CHECK_H

#include "cell_cfg.h"

/** lte_check() - Return: the field that does not fit the others, or NULL; @ret_range: allowed */
const char *lte_check(const struct cell_cfg *cfg, const char **ret_range);

#endif
