/* SPDX-License-Identifier: GPL-2.0-or-later */
/* channel.h - which logical channels a UE has, by the configuration. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <stdbool.h>

#include "base/pkt.h"
#include "cellcore.h"

/** channel_count() - bearers of UE @id in direction @dir */
uint8_t channel_count(const struct cell_cfg *cfg, uint8_t id, enum cell_dir dir);

/** channel_cfg() - settings of its bearer @k; 0 is the default bearer */
struct cell_bearer_cfg channel_cfg(const struct cell_cfg *cfg, uint8_t id, uint8_t k);

/** channel_lcid() - the LCID of its bearer @k in direction @dir; 0 when there is none left */
uint8_t channel_lcid(const struct cell_cfg *cfg, uint8_t id, uint8_t k, enum cell_dir dir);

/** channel_takes() - a filter of @b takes the datagram @p, which the UE sends, or gets */
bool channel_takes(const struct cell_bearer_cfg *b, struct pkt *p, bool sent);

#endif
