/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c - the control channels of a downlink sub-frame; see control.h.
 *
 * PCFICH says how many symbols the control channels have, and PDCCH carries the DCIs, which assign
 * downlink blocks and grant uplink ones. With control.cfi they share its elements, as many as
 * symbols, blocks and antennas leave; what is decided in a sub-frame shares those of one. Each
 * component carrier has its own. Answers to preambles have the common search space, of four
 * elements each. Retransmissions of the uplink need no DCI.
 *
 * A UE that does not decode them misses every DCI to it in
 * that sub-frame. So there is one draw for a UE and a sub-frame, with a chance that follows from
 * the SINR of its downlink. Where there is no SINR, or control.errors is off, nothing is missed.
 * What becomes of it is HARQ's matter: a downlink block that is not heard of counts as an attempt
 * without an answer (air.c), and an uplink grant stays unused (ue.c).
 * Source: TS 36.213 9.1.1; R4-081920
 */
#include "ran/lte/control.h"

#include "phy/lte/bler.h"

#define COMMON_LEVEL      2
#define COMMON_CANDIDATES 4 /* Source: TS 36.213 Table 9.1.1-1 */
#define SUBFRAMES         10

void control_start(const struct lte *lte, struct enb *enb)
{
	uint16_t cces = control_cces(&lte->cell.cfg);

	for (uint8_t i = 0; i < lte->cell.cfg.lte.dl_carriers; i++)
		cce_start(&enb->pdcch[i], cces);
}

bool control_assign(struct enb *enb, uint8_t carrier, uint16_t rnti, uint8_t level, uint32_t tti)
{
	struct cce_set *pdcch = &enb->pdcch[carrier];
	struct cce_space space = { .level = level, .n = pdcch_candidates(level) };

	if (pdcch->n == 0)
		return true;
	space.hash = cce_hash(rnti, tti % SUBFRAMES);
	return cce_take(pdcch, &space);
}

bool control_respond(struct enb *enb)
{
	const struct cce_space space = { .level = enb->pdcch[0].n < 4 ? 1 : COMMON_LEVEL,
		                         .n = COMMON_CANDIDATES };

	return cce_take(&enb->pdcch[0], &space);
}

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
