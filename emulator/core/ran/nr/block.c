/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.c - new blocks are filled and sent; see block.h.
 *
 * A block of the uplink keeps room for its control elements, which come behind the data, and those
 * get the rest: a BSR of what is then left, where one is due. Where data end before the block does
 * a BSR takes the place of padding.
 * Source: TS 38.321 5.4.3.1.3, 5.4.5, 6.1.2
 */
#include "ran/nr/block.h"

#include "ran/nr/air.h"
#include "ran/nr/lch.h"
#include "ran/nr/report.h"
#include "ran/nr/scell.h"

static void write_ce(struct nr_pdu_builder *mac, uint8_t lcid, uint16_t crnti)
{
	struct nr_ce ce = { .lcid = lcid, .crnti = crnti };

	nr_pdu_ce(mac, &ce);
}

static void write_bsr(struct nr *nr, struct nr_ue *u, struct nr_pdu_builder *mac,
                      const struct nr_grant *g, const struct nr_bsr *bsr, bool padding)
{
	struct nr_ce ce = nr_bsr_ce(bsr);

	nr_pdu_ce(mac, &ce);
	nr_report_sent(nr, u, g->slot, bsr, padding);
}

/* Room for control elements. Return: a BSR is among them. */
static bool reserve(const struct nr_ue *u, struct nr_pdu_builder *mac, const struct nr_grant *g,
                    bool names_ue)
{
	struct nr_bsr bsr = nr_report_make(u);
	uint32_t others = (names_ue ? NR_CRNTI_CE_BYTES : 0u) +
	                  (u->report.confirm_cg ? NR_EMPTY_CE_BYTES : 0u);
	bool wanted =
		nr_report_wants(u, g->slot) && others + nr_bsr_ce_bytes(&bsr) <= nr_pdu_left(mac);

	nr_pdu_reserve(mac, others + (wanted ? nr_bsr_ce_bytes(&bsr) : 0));
	return wanted;
}

static void send_new(struct nr *nr, struct nr_ue *u, const struct nr_grant *g)
{
	struct nr_sch *sch = &u->sch[CELL_DIR_UL];
	struct nr_tb *tb = nr_air_start(nr, sch, g);
	bool names_ue = (g->kind == NR_TB_MSG3 && !u->ra.dedicated) || g->kind == NR_TB_MSGA,
	     wanted;
	struct nr_pdu_builder mac;
	struct nr_bsr bsr;

	nr_pdu_start(&mac, NR_UL, tb->buf, g->bytes);
	wanted = reserve(u, &mac, g, names_ue);
	nr_lch_fill(nr, sch, &mac, tb);
	if (names_ue)
		write_ce(&mac, NR_LCID_UL_CRNTI, u->rnti);
	if (u->report.confirm_cg)
		write_ce(&mac, NR_LCID_UL_CG_CONFIRMATION, 0);
	u->report.confirm_cg = false;
	if (wanted) {
		bsr = nr_report_make(u);
		write_bsr(nr, u, &mac, g, &bsr, false);
	} else if (nr_report_padding(u, nr_pdu_left(&mac), &bsr)) {
		write_bsr(nr, u, &mac, g, &bsr, true);
	}
	nr_air_transmit(nr, sch, g, tb, nr_pdu_end(&mac));
}

void nr_block_uplink(struct nr *nr, struct nr_ue *u, const struct nr_grant *g)
{
	struct nr_process *p = &u->sch[CELL_DIR_UL].process[g->harq_id];

	p->state = NR_PROCESS_BUSY;
	if (p->tb)
		nr_air_retransmit(nr, &u->sch[CELL_DIR_UL], g);
	else
		send_new(nr, u, g);
}

void nr_block_downlink(struct nr *nr, struct nr_ue *u, const struct nr_grant *g)
{
	struct nr_sch *sch = &u->sch[CELL_DIR_DL];
	struct nr_tb *tb = nr_air_start(nr, sch, g);
	struct nr_pdu_builder mac;

	nr_pdu_start(&mac, NR_DL, tb->buf, g->bytes);
	nr_scells_write(nr, u, g, &mac);
	nr_lch_fill(nr, sch, &mac, tb);
	nr_air_transmit(nr, sch, g, tb, nr_pdu_end(&mac));
}
