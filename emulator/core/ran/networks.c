/* SPDX-License-Identifier: GPL-2.0-or-later */
/* networks.c - the radio access networks that there are; see networks.h. */
#include "ran/networks.h"

#include "ran/dch/dch.h"
#include "ran/lte/lte.h"
#include "ran/recorded/recorded.h"

static const struct ran *const networks[] = {
	[CELL_SYSTEM_LTE] = &ran_lte,
	[CELL_SYSTEM_UTRAN] = &ran_dch,
	[CELL_SYSTEM_PACKET_TRACE] = &ran_recorded,
};
_Static_assert(sizeof(networks) / sizeof(networks[0]) == CELL_SYSTEM_COUNT,
               "every system has an entry");

const struct ran *ran_of(uint8_t system)
{
	return networks[system];
}
