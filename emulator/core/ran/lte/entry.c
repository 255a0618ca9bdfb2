/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.c - a UE comes into a cell, by a handover or after a failure; see entry.h. */
#include "ran/lte/entry.h"

#include "mac/lte/bsr.h"
#include "ran/lte/heard.h"
#include "ran/lte/lch.h"
#include "ran/lte/request.h"

#define NS_PER_US INT64_C(1000)
#define RNTI_MAX  65523 /* Source: TS 36.321 7.1 */

int64_t entry_signalling_ns(const struct lte *lte)
{
	return lte->cell.cfg.handover.signalling_us * NS_PER_US;
}

int64_t entry_msg3_ns(const struct lte *lte)
{
	return (lte->cell.cfg.lte.timing.rar_to_msg3_tti + lte->cell.cfg.lte.timing.decode_tti) *
	       CELL_TTI_NS;
}

/* A C-RNTI that nobody has in any cell. */
static uint16_t new_rnti(struct lte *lte)
{
	bool taken;

	do {
		lte->next_rnti = lte->next_rnti < RNTI_MAX ? (uint16_t)(lte->next_rnti + 1) : 1;
		taken = false;
		for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++)
			taken |= lte->ue[i].rnti == lte->next_rnti;
	} while (taken);
	return lte->next_rnti;
}

/* Its shared channels have the quality of the new cell. */
static void take_channel(struct lte *lte, struct ue *u)
{
	for (int d = 0; d < CELL_DIR_COUNT; d++) {
		const struct cell_channel *there = &u->channel[u->enb][d];
		struct lte_sch *sch = &u->sch[d];

		if (there->cqi != sch->cqi || there->sinr_cdb != sch->sinr_cdb || sch->reports.n)
			heard_cqi(lte, sch, there->cqi, there->sinr_cdb);
	}
}

void entry_take(struct lte *lte, struct ue *u, uint8_t enb)
{
	int64_t since_ns = lte->cell.event_ns - lte->cell.start_ns;

	ue_serve(lte, u, enb);
	take_channel(lte, u);
	u->rnti = new_rnti(lte);
	u->detached = false;
	/* The eNB that answered the preamble allocates the uplink for what the UE has. */
	u->ra.state = RA_WAIT_GRANT;
	u->ra.blocked_until =
		(uint32_t)((since_ns + entry_msg3_ns(lte)) / CELL_TTI_NS) + request_wait_tti(lte);
}

void entry_report_buffer(struct lte *lte, struct ue *u)
{
	uint32_t bytes = lte_lch_bytes(lte, &u->sch[CELL_DIR_UL]);

	if (bytes && u->sch[CELL_DIR_UL].cqi)
		u->enb_backlog[CELL_DIR_UL] = bsr_bytes(bsr_index(bytes));
}

void entry_ask_for_path(struct lte *lte, struct ue *u, uint8_t from, uint8_t to)
{
	u->rrc.path_asked = true;
	timeline_record(&lte->cell, u->id, CELL_NODE_ENB, from, to, CELL_RRC_PATH_SWITCH_REQUEST);
	timeline_add(&u->rrc.timeline, &lte->cell, RRC_STEP_PATH_SWITCH, to,
	             entry_signalling_ns(lte));
}
