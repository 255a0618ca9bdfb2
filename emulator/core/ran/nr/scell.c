/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scell.c - SCells are activated when more waits than the first carrier takes, and deactivated when
 * none had a block for a while; see scell.h.
 *
 * All SCells of a UE go together. A control element activates them: the gNB may use them when it
 * has the ACK of its block and the UE has had time to find their SSBs. A block that is given up is
 * followed by another control element. Without sCellDeactivationTimer they are always active. What
 * was not decoded is sent again even if the timer has expired meanwhile.
 * Source: TS 38.321 5.9, 6.1.3.10; TS 38.213 4.3; TS 38.133 8.3.2
 */
#include "ran/nr/scell.h"

void nr_scells_init(const struct nr *nr, struct nr_ue *u)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	bool always = cfg->nr.phy.dl_carriers > 1 && cfg->nr.mac.scell_deactivation_ms == 0;

	u->scells = (struct nr_scells){ .from = always ? 0 : NR_SLOT_NEVER,
		                        .until = NR_SLOT_NEVER,
		                        .process = NR_HARQ_RA };
}

static uint32_t timer(const struct nr *nr, uint32_t slot)
{
	return slot + 1 + nr_slots(nr, nr->cell.cfg.nr.mac.scell_deactivation_ms);
}

void nr_scells_want(struct nr_ue *u, uint32_t slot)
{
	struct nr_scells *s = &u->scells;

	if (slot >= s->until)
		s->from = s->until = NR_SLOT_NEVER;
	s->wanted = s->from == NR_SLOT_NEVER && s->process == NR_HARQ_RA;
}

void nr_scells_write(struct nr *nr, struct nr_ue *u, const struct nr_grant *g,
                     struct nr_pdu_builder *mac)
{
	uint32_t carriers = (1u << nr->cell.cfg.nr.phy.dl_carriers) - 1;
	struct nr_ce ce = { .lcid = NR_LCID_DL_SCELLS, .scells = (uint8_t)(carriers & ~1u) };

	if (!u->scells.wanted)
		return;
	nr_pdu_ce(mac, &ce);
	u->scells.wanted = false;
	u->scells.process = g->harq_id;
}

void nr_scells_heard(struct nr *nr, struct nr_ue *u, uint8_t harq_id)
{
	uint32_t known = u->sch[CELL_DIR_DL].process[harq_id].known_slot;

	u->scells.process = NR_HARQ_RA;
	u->scells.from = known + nr_slots(nr, nr->cell.cfg.nr.mac.scell_activation_ms);
	u->scells.until = timer(nr, u->scells.from);
}

void nr_scells_assigned(const struct nr *nr, struct nr_ue *u, uint32_t slot)
{
	if (nr->cell.cfg.nr.mac.scell_deactivation_ms)
		u->scells.until = timer(nr, slot);
}
