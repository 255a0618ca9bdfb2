/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_network.h - parts of the JSON configuration: core network, handover, ports. */
#ifndef CONFIG_NETWORK_H
#define CONFIG_NETWORK_H

#include "config_key.h"

#define CONFIG_NETWORK "network" /* peer of a UE that talks to the network behind the eNB */

/** config_read_enbs() - `enbs` and `sgw` of the object @cell; without `enbs` there is one eNB */
int config_read_enbs(struct reader *r, json_t *cell);

/** config_read_tunnels() - `enb`, `address`, `address6` and `clat6` of the UE @object */
int config_read_tunnels(struct reader *r, const char *path, const json_t *object,
                        struct cell_ue_cfg *ue);

int config_read_ports(struct reader *r, json_t *ports);

#endif
