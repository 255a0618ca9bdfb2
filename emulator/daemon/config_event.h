/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_event.h - changes of a UE's mode, cell, channel or link: those of the JSON configuration,
 * which have a time, and those of the control socket, which happen now. */
#ifndef CONFIG_EVENT_H
#define CONFIG_EVENT_H

#include "config_key.h"

/**
 * config_read_event() - the object @o at @path: `ue`, what changes with its new value, and `t_ms`
 *
 * Return: 0 or -EINVAL.
 */
int config_read_event(struct reader *r, const char *path, json_t *o, struct config_event *ret);

/** config_read_events() - a list of them. Return: 0 or -EINVAL. */
int config_read_events(struct reader *r, json_t *events);

#endif
