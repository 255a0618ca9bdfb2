/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - keys of bearers, HARQ and crowds that LTE and NR have alike, and that depend on each
 * other. */
#ifndef CHANNEL_CHECK_H
#define CHANNEL_CHECK_H

#include <stdbool.h>

#include "cellcore.h"

/**
 * channel_check_bearers() - the list of bearers by itself, with their filters
 *
 * Return: the field that is wrong, with what is allowed in *@ret_range, or NULL.
 */
const char *channel_check_bearers(const struct cell_cfg *cfg, const char **ret_range);

/** channel_check_harq_bler() - the ladder of errors by attempt. Return: as above. */
const char *channel_check_harq_bler(const struct cell_cfg *cfg, const char **ret_range);

/** channel_check_crowd() - modelled UEs. Return: as above. */
const char *channel_check_crowd(const struct cell_cfg *cfg, const char **ret_range);

/** channel_has_qdisc() - @b has queue management of its own in a direction */
bool channel_has_qdisc(const struct cell_bearer_cfg *b);

/** channel_check_qdiscs() - Return: the field of @b's queue disciplines that is wrong, or NULL */
const char *channel_check_qdiscs(const struct cell_bearer_cfg *b, const char **ret_range);

#endif
