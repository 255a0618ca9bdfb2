/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_link.h - part of the JSON configuration: links without a radio. */
#ifndef CONFIG_LINK_H
#define CONFIG_LINK_H

#include "config_key.h"

/**
 * config_read_link() - keys of a link; and, with NAME for `uplink` and `downlink`, NAME: times of
 * opportunities; NAME_trains: [time, delay, offset, ...] of each train; NAME_sizes_us: delays of
 * sizes
 * @trace: the object at @path
 * @ret:   defaults of what is not in there
 *
 * What is read is kept as long as the process. Return: 0 or negative errno.
 */
int config_read_link(struct reader *r, const char *path, json_t *trace, struct cell_recorded *ret);

/**
 * config_read_netem() - what a link does to packets that were sent: NAME_netem, its parameters;
 * NAME_delays: [time in ms, delay in us, ...]; NAME_losses: 0 or 1 of each packet
 * @link: the object at @path
 *
 * What is read is kept as long as the process. Return: 0 or negative errno.
 */
int config_read_netem(struct reader *r, const char *path, const json_t *link, const char *name,
                      struct cell_netem *ret);

/** config_read_own_link() - `packet_trace` of the UE @id, at @path, where it has a link of its own
 */
int config_read_own_link(struct reader *r, const char *path, const json_t *ue, uint8_t id);

#endif
