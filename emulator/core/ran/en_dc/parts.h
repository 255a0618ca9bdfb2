/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - the two networks of EN-DC: their configurations, and their events. */
#ifndef EN_DC_PARTS_H
#define EN_DC_PARTS_H

#include "ran/en_dc/state.h"

/** parts_check() - the first key that does not fit, or NULL */
const char *parts_check(const struct cell_cfg *cfg, const char **ret_range);

size_t parts_out_min(const struct cell_cfg *cfg);

/** parts_lay_out() - take the memory of both */
void parts_lay_out(struct arena *a, const struct cell_cfg *cfg, struct lte **ret_lte,
                   struct nr **ret_nr);

/** parts_init() - both start; @above: what their RLC has above it */
void parts_init(struct en_dc *n, const struct cell_above *above);

/** parts_at() - both have the time of the event that is processed */
static inline void parts_at(struct en_dc *n)
{
	n->lte->cell.event_ns = n->nr->cell.event_ns = n->cell.event_ns;
}

/** parts_next_ns() - the next event of either, or CELL_NEVER */
int64_t parts_next_ns(const struct en_dc *n);

/** parts_process() - the event of parts_next_ns(), of both that of LTE first */
void parts_process(struct en_dc *n);

/** parts_update() - something was done to them: what is next there */
void parts_update(struct en_dc *n);

#endif
