/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * broadcast.c - what a cell says to everybody: SSBs, system information, paging; see broadcast.h.
 *
 * SSBs come in bursts, two in a slot, each on a beam of its own. SIBs and paging are sent on each
 * beam, one in a slot, SIB_MS and PAGING_MS after the start of their period. The scheduler gives
 * data none of the resource blocks of such a slot that these are on. What falls into an uplink slot
 * takes nothing; UEs read all of it whatever their channel is.
 * Source: TS 38.213 4.1, 10.4; TS 38.211 7.4.3.1; TS 38.331 5.2.1
 */
#include "ran/nr/broadcast.h"

#define SSB_RB       20
#define SSBS_OF_SLOT 2
#define SIB_MS       5
#define PAGING_MS    10

/* @slot is one of the first @n that come @after_ms after each start of a period. */
static bool is_one_of(const struct nr *nr, uint32_t slot, uint16_t period_ms, uint32_t after_ms,
                      uint32_t n)
{
	uint32_t period = nr_slots(nr, period_ms), after = nr_slots(nr, after_ms);

	return period > 0 && (slot + period - after % period) % period < n;
}

uint16_t nr_broadcast_rb(const struct nr *nr, uint32_t slot)
{
	const struct cell_nr_broadcast_cfg *cfg = &nr->cell.cfg.nr.broadcast;
	uint32_t n_rb = 0;

	if (!cfg->on)
		return 0;
	if (is_one_of(nr, slot, cfg->ssb_period_ms, 0, (cfg->ssbs + 1u) / SSBS_OF_SLOT))
		n_rb += SSB_RB;
	if (is_one_of(nr, slot, cfg->sib_period_ms, SIB_MS, cfg->ssbs))
		n_rb += cfg->sib_rb;
	if (is_one_of(nr, slot, cfg->paging_period_ms, PAGING_MS, cfg->ssbs))
		n_rb += cfg->paging_rb;
	return (uint16_t)(n_rb < nr->frame.n_rb ? n_rb : nr->frame.n_rb);
}
