/* SPDX-License-Identifier: GPL-2.0-or-later */
/* networks.c - the radio access networks that there are, as CELL_SYSTEMS of cell_cfg.h says; see
 * networks.h. */
#include "ran/networks.h"

#include "ran/ran.h"

#define ENTRY(value, name) [value] = &ran_##name,

static const struct ran *const networks[] = { CELL_SYSTEMS(ENTRY) };

const struct ran *ran_of(uint8_t system)
{
	return networks[system];
}
