/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c - the control channels of a downlink sub-frame; see control.h.
 *
 * PCFICH says how many symbols the control channels have, and PDCCH carries the DCIs, which assign
 * downlink blocks and grant uplink ones. A UE that does not decode them misses every DCI to it in
 * that sub-frame. So there is one draw for a UE and a sub-frame, with a chance that follows from
 * the SINR of its downlink. Where there is no SINR, or control.errors is off, nothing is missed.
 * What becomes of it is HARQ's matter: a downlink block that is not heard of counts as an attempt
 * without an answer (air.c), and an uplink grant stays unused (ue.c).
 * Source: R4-081920
 */
#include "ran/lte/control.h"

#include "phy/lte/bler.h"

bool control_missed(struct lte *lte, struct ue *u, uint32_t tti)
{
	const struct lte_sch *dl = &u->sch[CELL_DIR_DL];

	if (!lte->cell.cfg.lte.control.errors || dl->sinr_cdb == CELL_SINR_UNKNOWN)
		return false;
	if (u->control.drawn && u->control.tti == tti)
		return u->control.missed;
	u->control.drawn = true;
	u->control.tti = tti;
	u->control.missed = rng_hit(&u->control.rng, bler_control(dl->sinr_cdb));
	if (u->control.missed) {
		lte->cell.stats.control_missed++;
		out_record(&lte->cell, &dl->at,
		           (struct cell_record){ .event = CELL_EV_CONTROL_MISSED,
		                                 .node = u->id,
		                                 .peer = CELL_NODE_ENB,
		                                 .sn = tti,
		                                 .cqi = dl->cqi,
		                                 .value = dl->sinr_cdb });
	}
	return u->control.missed;
}
