/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modes.c - which modes of RLC there are, as CELL_RLC_MODES of cell_cfg.h says; see rlc.h. */
#include "rlc/common/rlc.h"

#define ENTRY(value, name) [value] = &rlc_mode_##name,

static const struct rlc_mode *const modes[] = { CELL_RLC_MODES(ENTRY) };

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
