/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decision.c - HARQ processes and DCIs of blocks; see decision.h.
 * Source: TS 36.213 7.1.6, 8.0; TS 36.321 5.3
 */
#include "ran/lte/decision.h"

#include "ran/lte/control.h"

uint8_t decision_carrier(const struct lte *lte, enum cell_dir dir, uint8_t stream)
{
	if (dir != CELL_DIR_DL)
		return stream;
	return stream / lte->cell.cfg.lte.dl_codewords;
}

uint8_t decision_codeword(const struct lte *lte, enum cell_dir dir, uint8_t stream)
{
	if (dir != CELL_DIR_DL)
		return 0;
	return stream % lte->cell.cfg.lte.dl_codewords;
}

int decision_process(const struct lte *lte, const struct ue *u, uint8_t stream, uint32_t tti)
{
	if (lte->harq.max_attempts == 1)
		return (int)(tti % HARQ_PROCESSES);
	return harq_free(u->harq_dl[stream], tti);
}

bool decision_assign(struct lte *lte, const struct serve_decision *d, const struct ue *u)
{
	const struct grant *last = d->dir == CELL_DIR_DL ? grant_last(&u->dl) : NULL;
	uint8_t carrier = decision_carrier(lte, (enum cell_dir)d->dir, d->stream);

	if (last && last->subframe == d->tti + d->lead_tti &&
	    decision_carrier(lte, CELL_DIR_DL, last->stream) == carrier)
		return true;
	return control_assign(d->enb, carrier, u->rnti, u->sch[CELL_DIR_DL].level, d->tti);
}
