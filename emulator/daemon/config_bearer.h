/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_bearer.h - bearers of UEs in the JSON configuration. */
#ifndef CONFIG_BEARER_H
#define CONFIG_BEARER_H

#include "config_key.h"

/**
 * config_read_bearers() - append those of UE @id to cfg->bearer
 *
 * What they do not say of RLC and PDCP is as the cell has it, which has been read before.
 *
 * @path: of the UE, for messages
 *
 * Return: 0 or -EINVAL.
 */
int config_read_bearers(struct reader *r, const char *path, const json_t *ue, uint8_t id);

/** config_read_qdiscs() - queue disciplines of the section rlc of @of, a cell or a bearer; those
 * that it does not have stay. Return: 0 or -EINVAL */
int config_read_qdiscs(struct reader *r, const char *path, const json_t *of,
                       struct cell_rlc_cfg *ret);

#endif
