/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modes.c - which modes of RLC there are; see rlc.h. */
#include "rlc/am/am.h"
#include "rlc/rlc.h"
#include "rlc/um/um.h"

static const struct rlc_mode *const modes[] = {
	[CELL_RLC_UM] = &rlc_mode_um,
	[CELL_RLC_AM] = &rlc_mode_am,
};
_Static_assert(sizeof(modes) / sizeof(modes[0]) == CELL_RLC_MODE_COUNT, "every mode has an entry");

const struct rlc_mode *rlc_mode_of(enum cell_rlc_mode mode)
{
	return modes[mode];
}

size_t rlc_scratch_bytes(void)
{
	size_t most = 0;

	for (int i = 0; i < CELL_RLC_MODE_COUNT; i++)
		most = modes[i]->scratch_bytes > most ? modes[i]->scratch_bytes : most;
	return most;
}
