/* SPDX-License-Identifier: GPL-2.0-or-later */
/* networks.h - the radio access networks that there are. */
#ifndef NETWORKS_H
#define NETWORKS_H

#include "ran/ran.h"

/** ran_of() - the network of cell_cfg.system */
const struct ran *ran_of(uint8_t system);

#endif
