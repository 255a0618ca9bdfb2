/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c - PDCCH of a slot: room for DCIs; see control.h.
 *
 * With nr.coreset_rb the DCIs that are decided in a slot share the elements of a CORESET on its
 * PDCCH symbols: grants for uplink slots, and assignments of the downlink. Each retransmission
 * needs a DCI, too. Answers to preambles have CORESET 0, which is not counted here. Source:
 * TS 38.211 7.3.2.2; TS 38.213 10.1
 */
#include "ran/nr/control.h"

#include "phy/nr/coreset.h"

#define SUBFRAMES 10 /* of a frame */

void nr_control_init(struct nr *nr)
{
	const struct cell_nr_phy_cfg *phy = &nr->cell.cfg.nr.phy;
	uint16_t n_rb = phy->coreset_rb < nr->frame.n_rb ? phy->coreset_rb : nr->frame.n_rb;

	nr->cces = coreset_cces(n_rb, phy->pdcch_symbols);
}

void nr_control_start(struct nr *nr)
{
	for (uint8_t cell = 0; cell < nr->n_cells; cell++)
		for (uint8_t k = 0; k < nr->cell.cfg.nr.phy.dl_carriers; k++)
			cce_start(&nr->pdcch[cell][k], nr->cces);
}

uint8_t nr_control_level(const struct nr *nr, uint8_t cqi)
{
	return nr->cces ? coreset_level(nr_table_of(nr, CELL_DIR_DL), nr->cces, cqi) : 0;
}

bool nr_control_assign(const struct nr *nr, struct cce_set *pdcch, uint16_t rnti, uint8_t level,
                       uint32_t slot)
{
	struct cce_space space = { .level = level, .n = coreset_candidates(level), .spread = true };

	if (nr->cces == 0)
		return true;
	space.hash = cce_hash(rnti, slot % ((uint32_t)SUBFRAMES << nr->frame.mu));
	return cce_take(pdcch, &space);
}

void nr_control_drop(const struct nr *nr, const struct cce_set *pdcch, struct sched_flow *flows,
                     uint32_t n)
{
	for (uint32_t i = 0; nr->cces && i < n; i++)
		if (!flows[i].claimed_rb && !cce_fits(pdcch, flows[i].level))
			flows[i].backlog = 0;
}
