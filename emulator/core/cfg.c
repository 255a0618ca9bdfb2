/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfg.c - limits of a configuration; see cellcore.h. */
#include <errno.h>
#include <stddef.h>

#include "base/limit.h"
#include "cellcore.h"
#include "cfg_values.h"
#include "ran/networks.h"

_Static_assert(CELL_MAX_UE == 100 && CELL_MAX_UE < CELL_PORT_SGW, "limits and port numbers");

static const struct limit cell_limits[] = {
	CFG_LIMITS,
	LIMIT(cell_cfg, n_ue, 1, 100),
	LIMIT(cell_cfg, n_enb, 1, 4),
	LIMIT(cell_cfg, harq.n_bler, 1, 8),
	LIMIT(cell_cfg, crowd.n_cqi, 1, 64),
	LIMIT(cell_cfg, max_cmds, 1, 65536),
};

int cell_cfg_check(const struct cell_cfg *cfg, const char **ret_field, const char **ret_range)
{
	const char *range;
	const char *field = LIMIT_CHECK(cfg, cell_limits, &range);

	if (!field)
		field = ran_of(cfg->system)->check(cfg, &range);
	if (!field)
		return 0;
	*ret_field = field;
	*ret_range = range;
	return -EINVAL;
}
