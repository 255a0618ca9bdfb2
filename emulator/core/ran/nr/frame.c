/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.c - which slots are downlink and uplink, and what is decided when; see frame.h. */
#include "ran/nr/frame.h"

/* @symbols of a slot that data could have, or 0: too few, or all of them reference signals. */
static uint8_t data_symbols(const struct cell_nr_phy_cfg *phy, uint8_t symbols, uint8_t least)
{
	return symbols >= least && symbols > phy->dmrs_symbols ? symbols : 0;
}

static uint8_t pdsch_symbols(const struct cell_nr_phy_cfg *phy, uint8_t dl_symbols)
{
	if (dl_symbols < phy->pdcch_symbols)
		return 0;
	return data_symbols(phy, (uint8_t)(dl_symbols - phy->pdcch_symbols), NR_PDSCH_SYMBOLS_MIN);
}

/* A slot of the pattern decides on those from k2_min after it until k2_min after the next one with
 * PDCCH. */
static void find_decisions(struct nr_frame *f, uint8_t k2_min)
{
	for (uint32_t s = 0; s < f->n; s++) {
		if (!f->slot[s].pdcch)
			continue;
		for (uint32_t u = s + k2_min; u < nr_frame_decided_until(f, s, k2_min); u++)
			if (f->slot[u % f->n].pusch)
				f->slot[s].decides = true;
	}
}

static bool has_pdcch(const struct nr_frame *f)
{
	for (uint32_t s = 0; s < f->n; s++)
		if (f->slot[s].pdcch)
			return true;
	return false;
}

void nr_frame_init(struct nr_frame *f, const struct cell_nr_cfg *cfg)
{
	const struct cell_nr_phy_cfg *phy = &cfg->phy;
	bool tdd = phy->duplex == CELL_DUPLEX_TDD;

	*f = (struct nr_frame){
		.mu = phy->numerology,
		.slot_ns = nr_slot_ns(phy->numerology),
		.n_rb = nr_n_rb((enum nr_range)phy->frequency_range, phy->numerology,
		                phy->bandwidth_mhz),
		.dl_decode_ns = nr_symbols_ns(phy->numerology, nr_n1_symbols(phy->numerology)),
		.ul_decode_ns = cfg->mac.gnb_processing_us * INT64_C(1000),
	};
	f->ul_first = (uint16_t)((phy->pucch_rb + 1) / 2);
	f->ul_end = (uint16_t)(f->n_rb - phy->pucch_rb / 2);
	(void)nr_tdd_init(&f->tdd, f->mu, tdd ? phy->tdd_pattern : NULL,
	                  phy->tdd_special_dl_symbols, phy->tdd_special_ul_symbols);
	f->n = tdd ? f->tdd.n_slots : 1;
	for (uint32_t s = 0; s < f->n; s++) {
		uint8_t dl = nr_dl_symbols(&f->tdd, s), ul = nr_ul_symbols(&f->tdd, s);

		f->slot[s] = (struct nr_slot){
			.pdsch = pdsch_symbols(phy, dl),
			.pusch = data_symbols(phy, ul, NR_PUSCH_SYMBOLS_MIN),
			.pucch = ul == NR_SYMBOLS,
			.pdcch = dl >= phy->pdcch_symbols,
		};
		f->symbols[CELL_DIR_DL] += f->slot[s].pdsch;
		f->symbols[CELL_DIR_UL] += f->slot[s].pusch;
	}
	if (has_pdcch(f))
		find_decisions(f, cfg->mac.k2_min);
}

uint32_t nr_frame_next_pdcch(const struct nr_frame *f, uint32_t slot)
{
	while (!nr_frame_slot(f, slot)->pdcch)
		slot++;
	return slot;
}

uint32_t nr_frame_next_decision(const struct nr_frame *f, uint32_t slot)
{
	while (!nr_frame_slot(f, slot)->decides)
		slot++;
	return slot;
}

uint32_t nr_frame_next_assignment(const struct nr_frame *f, uint32_t slot, uint8_t k0)
{
	while (!nr_frame_slot(f, slot)->pdcch || !nr_frame_slot(f, slot + k0)->pdsch)
		slot++;
	return slot;
}

uint32_t nr_frame_decided_until(const struct nr_frame *f, uint32_t slot, uint8_t k2_min)
{
	return nr_frame_next_pdcch(f, slot + 1) + k2_min;
}

uint32_t nr_frame_re(const struct cell_nr_phy_cfg *phy, uint8_t symbols, uint16_t n_rb)
{
	return nr_n_re(symbols, (uint8_t)(phy->dmrs_symbols * NR_SUBCARRIERS), phy->overhead_re,
	               n_rb);
}
