/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_link.h - part of the JSON configuration: what was recorded of one direction of a link. */
#ifndef CONFIG_LINK_H
#define CONFIG_LINK_H

#include "config_key.h"

/**
 * config_read_link() - NAME: times of opportunities; NAME_trains: [time, delay, offset, ...] of
 * each train; NAME_sizes_us: delays of sizes
 * @trace: the object `cell.packet_trace`
 * @name:  of the direction @dir
 *
 * What is read is kept as long as the process.
 */
int config_read_link(struct reader *r, const json_t *trace, const char *name, enum cell_dir dir);

#endif
