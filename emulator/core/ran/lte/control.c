/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c - the control channels of a downlink sub-frame: PCFICH says how
 * long they are, PDCCH carries the DCIs. A UE that misses them misses every
 * DCI to it in that sub-frame. See cell.h.
 */
#include "cell.h"
#include "phy/bler.h"

bool control_missed(struct cell *c, struct ue *u, uint32_t tti)
{
	const struct leg *dl = &u->leg[CELL_DIR_DL];

	if (!c->cfg.control_errors || dl->sinr_cdb == CELL_SINR_UNKNOWN)
		return false;
	if (u->control.drawn && u->control.tti == tti)
		return u->control.missed;
	u->control.drawn = true;
	u->control.tti = tti;
	u->control.missed = rng_hit(&u->control.rng, bler_control(dl->sinr_cdb));
	if (u->control.missed) {
		c->stats.control_missed++;
		out_record(c, dl,
		           (struct cell_record){ .event = CELL_EV_CONTROL_MISSED,
		                                 .node = u->id,
		                                 .peer = CELL_NODE_ENB,
		                                 .sn = tti,
		                                 .cqi = dl->cqi,
		                                 .value = dl->sinr_cdb });
	}
	return u->control.missed;
}

void control_absent(struct cell *c, struct ue *u, const struct grant *g)
{
	struct pdu *pdu = cell_pdu_alloc(c);

	pdu->dir = g->dir;
	pdu->ue = u->id;
	pdu->cell_change = u->cell_changes;
	pdu->subframe = g->subframe;
	pdu->len = g->wanted;
	pdu->outcome = PDU_ABSENT;
	pdu->decode_ns =
		cell_tti_ns(c, g->subframe + c->cfg.decode_tti) - c->cfg.processing_lead_ns;
	pdu_enqueue(&c->air[0], pdu);
}
